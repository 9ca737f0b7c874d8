"""Pictures of trees, derivations and scores: as SVG, as pages, in a terminal, for LaTeX."""
