"""Trials: what one trains with, how it is run and scored, and who runs it."""
