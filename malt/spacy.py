"""`malt.spacy`: the name under which users import what is in `malt.integrations.spacy`."""

from malt.integrations.spacy import Malt, Tokenizer, load

__all__ = ["Malt", "Tokenizer", "load"]
