"""What happens while a command runs: log, progress, threads, and the workers of a Dask cluster."""
