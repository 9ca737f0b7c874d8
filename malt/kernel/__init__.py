"""The compiled core, and nothing else that is compiled."""
