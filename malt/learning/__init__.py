"""Learning: from training instances to MaltParser's own classifier files, and back."""
