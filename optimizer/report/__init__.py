"""What is shown of a run: its report as data and as a page, and a summary for notebooks."""
