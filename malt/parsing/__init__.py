"""Parsers: what is specified, what is compiled from it, training and parsing."""
