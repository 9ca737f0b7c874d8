"""Scores of parsed treebanks against a gold standard, and whether differences between parsers mean anything.

- `convention`    what counts: the rules of CoNLL-X and of the CoNLL 2018 shared task
- `alignment`     the same sentences of several files, side by side
- `shape`         how deep each word is, and which arcs are not projective
- `validity`      whether trees have one root and no cycle, as Universal Dependencies wants it
- `attachment`    which words are right: LAS and UAS
- `tally`         counts of what is right, by class
- `evaluation`    all of this over whole files, and `result` what comes of it
- `tokens`        files whose tokens may differ: which characters each token covers
- `spans`         the same words of two such files
- `text`          their scores: tokens, sentences, words, tags, lemmas, trees
- `significance`  McNemar's test and the bootstrap
"""
