"""Training: a treebank in, a model file out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from malt.errors import MaltError
from malt.instances import Extraction
from malt.java.hashmap import slot_order
from malt.kernel.javarandom import Random
from malt.learning import Learner, Trained, make_learner
from malt.mco import info, saved
from malt.mco import tables as symbols
from malt.mco.container import model_name, write_container
from malt.recipe import Recipe
from malt.settings import Settings
from malt.treebank import Block


def train(recipe: Recipe, blocks: Iterable[Block]) -> dict[str, bytes]:
    """Learn from blocks; gives the entries of the model file but for those that name it (see `save`)."""
    settings = recipe.settings
    keeps_text = bool(settings["lib.save_instance_files"])
    extraction = Extraction(recipe, as_text=keeps_text)
    lines: dict[str, list[bytes]] = {}
    for block in blocks:
        extraction.add(block)
        if keeps_text:
            for name, sink in extraction.sinks.items():
                lines.setdefault(name, []).append(sink.take_text())
    learner = make_learner(settings)
    return learn(extraction, {name: b"".join(parts) for name, parts in lines.items()}, learner)


def learn(extraction: Extraction, texts: Mapping[str, bytes], learner: Learner) -> dict[str, bytes]:
    """Train all classifiers in MaltParser's order: they share one generator of random numbers."""
    return {}
