"""`malt.spacy`: the name under which users import what is in `malt.integrations.spacy`."""

from malt.integrations.spacy import Malt

__all__ = ["Malt"]
