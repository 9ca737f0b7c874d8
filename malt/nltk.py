"""`malt.nltk`: the name under which users import what is in `malt.integrations.nltk`."""

from malt.integrations.nltk import MaltParser, conll_of, graph_of

__all__ = ["MaltParser", "conll_of", "graph_of"]
