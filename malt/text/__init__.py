"""From text to tags: the tokenizer, the tagger and the lemmatizer, which are learned from a treebank."""
