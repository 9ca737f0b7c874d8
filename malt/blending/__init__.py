"""Parsers that vote: the weights of their votes, learning them, and the vote itself."""
