"""What pages are made of: markup, colours, plots, styles and scripts."""
