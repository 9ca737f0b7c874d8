"""Options: the catalogue of all of them, their values in a run, option files, command lines, the reference page."""
