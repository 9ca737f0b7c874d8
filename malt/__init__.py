"""MaltParser in Python: data-driven, transition-based dependency parsing."""

__version__ = "0.1.0"
