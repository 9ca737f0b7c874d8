"""The catalogue of every option, and example option files: data only."""
