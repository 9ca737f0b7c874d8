"""Learning: from instances to classifiers, and classifiers as MaltParser keeps them.

The parser's side exists already: malt/kernel/weights.pyx (SparseWeights: sparse rows, `score`), malt/kernel/machine.pyx
(support vector machines, `vote`), malt/kernel/guide.pyx (ranking, candidates). Use them; do not write them again.
"""
