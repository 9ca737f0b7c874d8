"""Data formats: MaltParser's XML descriptions of columns, recognising a format, writing."""
