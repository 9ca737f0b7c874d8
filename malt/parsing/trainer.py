"""Training: a treebank in, a model file out."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy

from malt.data.block import Block
from malt.errors import MaltError
from malt.kernel.instances import FeatureMap, Instances, read_instances
from malt.kernel.java import slot_order
from malt.kernel.solver import Random
from malt.learning.learner import Learner
from malt.mco import info, savedoptions
from malt.mco import tables as symbols
from malt.mco.container import model_name, write_container
from malt.parsing.instances import Extraction
from malt.parsing.recipe import Recipe
from malt.running import progress

Entries = dict[str, bytes]


def train(recipe: Recipe, blocks: Iterable[Block]) -> Entries:
    """Learn from blocks: the classifiers, as entries of a model file."""
    keeps_text = bool(recipe.settings["lib.save_instance_files"])
    extraction = Extraction(recipe, as_text=keeps_text)
    lines: dict[str, list[bytes]] = {}
    for block in blocks:
        extraction.add(block)
        if keeps_text:
            for name, sink in extraction.sinks.items():
                lines.setdefault(name, []).append(sink.take_text())
    return _Training(extraction, {name: b"".join(parts) for name, parts in lines.items()}).entries


class _Training:
    """Trains the classifiers of an extraction in MaltParser's order: they share one generator of random numbers."""

    def __init__(self, extraction: Extraction, texts: dict[str, bytes]) -> None:
        self.extraction, self.texts = extraction, texts
        settings = extraction.recipe.settings
        self.learner = Learner(
            settings["guide.learner"], settings["lib.options"], settings["lib.external"], settings["lib.verbosity"]
        )
        self.random = Random()
        self.suffix = settings["guide.learner"]
        self.threshold = settings["guide.data_split_threshold"]
        self.keeps_text = bool(settings["lib.save_instance_files"])
        self.entries: Entries = {}
        for name in self._order():
            if extraction.recipe.model.divide is not None:
                self._divided(name)
            elif name in self.texts:
                self._from_text(name, self.texts[name])
            else:
                sink = extraction.sinks[name]
                self._learn(name, sink.instances, sink.map)

    def _order(self) -> list[str]:
        """First a decision, then those that follow it: branches in the order of MaltParser's hash table."""
        paths = self.extraction.paths
        order: list[str] = []

        def visit(decision: int, path: tuple[int, ...]) -> None:
            order.extend(name for name, place in paths.items() if place == (decision, path))
            below = [p for d, p in paths.values() if d == decision + 1 and p[: len(path)] == path]
            if below and len(below[0]) > len(path):
                codes = numpy.array([p[-1] for p in below], numpy.int32)
                below = [below[i] for i in slot_order(codes)[0]]
            for deeper in below:
                visit(decision + 1, deeper)

        visit(0, ())
        return order

    def _divided(self, name: str) -> None:
        """A classifier for each frequent value of the column that data is split by, and one for all others."""
        divisions = self.extraction.divisions.get(name, {})
        rest, table = [], []
        # These are positions in the main vector; that of a sub-model may be shorter, and has then lost nothing there.
        length = len(self.extraction.vectors[name]) if divisions else 0
        places = tuple(place for place in self.extraction.recipe.model.divide_positions if place < length)
        for code in sorted(divisions):
            sink = divisions[code]
            text = sink.take_text()
            if sink.count <= self.threshold:
                rest.append(_with_code(text, code, places))
            else:
                table.append(f"{code}\t{sink.count}\n")
                self._from_text(f"{name}.{code:03d}", text)
        master = b"".join(rest)
        count = master.count(b"\n")
        if count:
            self._from_text(name, master)
        self.entries[f"{name}.dsm"] = "".join([f"-1\t{count}\n", *table]).encode()

    def _from_text(self, name: str, text: bytes) -> None:
        instances, features = Instances(), FeatureMap()
        while b"\t\t" in text:  # Split found nothing: in MaltParser's files, and for its reader, no value is -1
            text = text.replace(b"\t\t", b"\t-1\t")
        read_instances(text, instances, features, f"{name}.{self.suffix}.ins")
        if self.keeps_text:
            self.entries[f"{name}.{self.suffix}.ins"] = text
        self._learn(name, instances, features)

    def _learn(self, name: str, instances: Instances, features: FeatureMap) -> None:
        if len(instances) == 0:
            raise MaltError("there is nothing to learn from: the treebank has no sentences")
        with TemporaryDirectory() as folder, progress.bar(f"train {name}", None, "pass") as show:

            def passed(number: int, active: int, violation: float) -> None:
                show(number, f"{active:,} instances left, violation {violation:.3f}")

            stem = Path(folder) / f"{name}.{self.suffix}"
            classifier = self.learner.train(instances, features, self.random, passed, stem)
            if self.keeps_text:  # what an external trainer read and wrote
                self.entries |= {path.name: path.read_bytes() for path in Path(folder).iterdir()}
        for suffix, write in (("moo", classifier.write_model), ("map", classifier.write_map)):
            out = io.BytesIO()
            write(out)
            self.entries[f"{name}.{self.suffix}.{suffix}"] = out.getvalue()


def _with_code(text: bytes, code: int, places: tuple[int, ...]) -> bytes:
    """Instances with the value that they were divided by put back where it belongs in the vector."""
    if not places:
        return text
    lines = []
    for line in text.split(b"\n")[:-1]:
        fields = line.split(b"\t")
        for place in places:
            fields.insert(1 + place, str(code).encode())
        lines.append(b"\t".join(fields) + b"\n")
    return b"".join(lines)


def save(recipe: Recipe, entries: Entries, path: str) -> None:
    """Write a model file."""
    write_container(path, contents(recipe, entries, model_name(path)))


def contents(recipe: Recipe, entries: Entries, name: str) -> Entries:
    """All entries of a model file: the classifiers, and what they were trained with."""
    settings = recipe.settings
    features = recipe.model.listing
    learner = f"\n{settings['guide.learner']} INTERFACE\n{settings['lib.options']}"
    dependencies = f"\nDEPENDENCIES\n--guide-features (  -F)                 {recipe.source.file_name}\n"
    rest = f"{dependencies}\nFEATURE MODEL\n{features}{learner}"
    about = info.write_info(name, "singlemalt", settings, rest)
    settings.derive("input.format", recipe.format.file_name)
    settings.derive("guide.features", recipe.source.file_name)
    if recipe.propagation_file:
        settings.derive("singlemalt.propagation", recipe.propagation_file[0])
    files = {
        f"{name}_singlemalt.info": about,
        savedoptions.ENTRY: savedoptions.write_saved(settings.save()),
        symbols.ENTRY: symbols.write_tables(recipe.tables, settings["input.charset"]),
        recipe.format.file_name: recipe.format.xml,
        recipe.source.file_name: recipe.source.data,
    }
    if recipe.propagation_file:
        files[recipe.propagation_file[0]] = recipe.propagation_file[1]
    return files | entries
