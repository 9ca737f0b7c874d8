"""The three phases of MaltOptimizer over a treebank."""
