"""The search: a plan carried out, studies that are asked for trials and told their outcomes, journals and folders."""
