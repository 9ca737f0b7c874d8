"""What a run leaves behind: its report, as data and as a page, and its folder."""
