"""The version of maltkit."""

__version__ = "0.1.0"
