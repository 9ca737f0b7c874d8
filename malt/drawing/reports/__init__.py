"""Whole pages: treebanks, profiles, scores, derivations."""
