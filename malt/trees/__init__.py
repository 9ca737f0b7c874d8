"""What trees are like: profiles of treebanks, and pseudo-projective transformations."""
