"""The search: plans carried out, studies, journals, and comparisons of trials."""
