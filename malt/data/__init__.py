"""Treebanks: files and formats, symbol tables, blocks of sentences in columns of integers."""
