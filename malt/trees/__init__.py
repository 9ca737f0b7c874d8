"""What trees are like: structure, profiles of treebanks, and pseudo-projective transformations."""
