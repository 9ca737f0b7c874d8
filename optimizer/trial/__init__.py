"""Trials: the treebank, what one trains with, how it is run and scored, who runs it, and what a search makes of it."""
