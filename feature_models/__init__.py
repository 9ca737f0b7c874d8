"""The default feature models: data only."""
