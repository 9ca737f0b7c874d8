"""Pictures of trees: as SVG, as text for a terminal, for LaTeX."""
