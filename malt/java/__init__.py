"""What Java writes and reads: numbers, serialized objects, the order of its hash tables."""
