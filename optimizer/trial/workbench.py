"""The workbench: runs trials. A trial trains with a setup on one part of a fold and parses the other part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy

from malt.data.block import Block
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.leftovers import temporary_folder
from malt.data.symbols import make_tables, root_labels
from malt.data.treebank import read_text
from malt.errors import DataError, MaltError, UsageError
from malt.features.check import make_model
from malt.features.defaults import FeatureSource
from malt.features.model import MAIN
from malt.features.syntax import FeatureText
from malt.features.xml import write_xml
from malt.learning.cache import Cache
from malt.learning.derivations import Derivations, NotShared
from malt.learning.learner import Learner
from malt.learning.trials import NotWanted, SharedTraining, Wanted, always
from malt.library import settings_of
from malt.model import Model, model_of
from malt.optimizer.trial.corpus import Fold
from malt.optimizer.trial.heldout import Counts, HeldOut
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import LEARNER_OPTIONS, Setup, Trial
from malt.parsing.trainer import Trainer

MEMORY = 600 << 20  # bytes
FEATURES = "features.xml"


class Workbench:
    """Runs trials on folds; any number of threads may do so at once, with the same results.

    An outcome is what `malt train`, `malt parse` and `malt eval` give for the same options, features and files. Trials
    share their work: a fold is read once, derivations are made once for their options, and the values of a feature are
    computed once for these, as long as all this fits into `memory` bytes. A workbench can be pickled: what it has
    computed stays behind and is computed again.

    >>> import malt
    >>> from malt.optimizer.trial.corpus import Corpus
    >>> corpus = Corpus.read(malt.sample.text(100))
    >>> bench = Workbench([corpus.split()], corpus.format)
    >>> features = ["InputColumn(POSTAG,Stack[0])", "InputColumn(POSTAG,Input[0])"]
    >>> outcome = bench.run(Setup.of({}, features), 0)
    >>> len(outcome.right), sum(outcome.of)
    (20, 282)
    >>> bench.run(Setup.of({}, ["InputColumn(POSTAG,Left[0])"]), 0).error
    'InputColumn(POSTAG,Left[0]): nivreeager has no Left; it has Stack, Input'
    """

    def __init__(
        self,
        folds: Sequence[Fold],
        format: DataFormat | str,
        metric: str = "las",
        punctuation: bool = True,
        memory: int = MEMORY,
    ) -> None:
        self.folds, self.metric, self.punctuation, self.memory = tuple(folds), metric, punctuation, memory
        self.format = find_format(format) if isinstance(format, str) else format
        self._cache = Cache(memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return Workbench, (self.folds, self.format, self.metric, self.punctuation, self.memory)

    def run(self, setup: Setup, fold: int, wanted: Wanted = always) -> Outcome:
        """Train and test on one fold. What goes wrong is told in the outcome; `NotWanted` is raised as soon as nobody
        waits for it any more."""
        begin = time.perf_counter()
        try:
            try:
                training, judge = self.learn(setup, fold, wanted)
                (right, of), size = _test(training.model, judge), training.size
            except NotShared:
                (right, of), size = self._ordinary(setup, fold), 0
        except (MaltError, MemoryError) as error:
            line = " ".join(str(error).split()) or "memory is too short"
            return Outcome(seconds=time.perf_counter() - begin, error=line)
        return Outcome(right, of, time.perf_counter() - begin, size / 1e6)

    def attempt(self, trial: Trial, wanted: Wanted = always) -> tuple[Trial, Outcome]:
        """Run a trial, whatever goes wrong: one trial is not worth the whole search."""
        try:
            return trial, self.run(trial.setup, trial.fold, wanted)
        except NotWanted:
            raise
        except MemoryError:
            return trial, Outcome(error="there was not enough memory")
        except Exception as error:
            return trial, Outcome(error=f"{type(error).__name__}: {error}")

    def _ordinary(self, setup: Setup, fold: int) -> tuple[Counts, Counts]:
        part = self.folds[fold]
        model = ordinary_model(setup, self.format, part)
        test = list(read_text(part.test, self.format, part.name, model.tables, frozen=True))
        return _test(model, HeldOut(test, self.metric, self.punctuation))

    def learn(self, setup: Setup, fold: int, wanted: Wanted = always) -> tuple[SharedTraining, HeldOut]:
        """The training of a trial, and what judges its model. `NotShared` is raised where it has to go another way."""
        settings = settings_of(setup.items)
        learner = Learner(settings["guide.learner"], settings["lib.options"])
        if settings["lib.external"]:
            raise NotShared
        if not setup.features:
            raise UsageError("there are no features to learn with")
        options = settings["singlemalt.null_value"], settings["graph.root_label"]
        reading = self._cache.get(
            ("reading", fold, *options),
            lambda: Reading(self.folds[fold], self.format, *options, self.metric, self.punctuation),
        )
        key = ("derivations", fold, tuple(item for item in setup.items if item[0] != LEARNER_OPTIONS))
        derivations: Derivations = self._cache.get(key, lambda: Derivations(settings, reading.block, reading.tables))
        spec = derivations.specification
        features = make_model(_texts(setup), spec.definition, spec.columns)
        return SharedTraining(self._cache, key, derivations, features, learner, wanted), reading.judge


class Reading:
    """A fold as integers: its training part as one block, its test part, and the symbols of the former."""

    def __init__(
        self, fold: Fold, format: DataFormat, null_value: str, root_label: str, metric: str, punctuation: bool
    ) -> None:
        self.tables = make_tables(format, null_value, root_labels(root_label, format))
        self.block = join_blocks(list(read_text(fold.train, format, fold.name, self.tables)), fold.train)
        test = list(read_text(fold.test, format, fold.name, self.tables, frozen=True))
        self.judge = HeldOut(test, metric, punctuation)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        blocks = (self.block, *self.judge.blocks)
        arrays = (array for b in blocks for array in (b.starts, b.heads, b.values, b.word_lines, b.bounds))
        return sum(array.nbytes for array in arrays) + sum(table.size for table in self.tables.values())


def join_blocks(blocks: Sequence[Block], text: bytes) -> Block:
    """Blocks that follow each other in a text as one."""
    if not blocks:
        raise DataError("there is nothing to learn from: the treebank has no sentences")
    words = numpy.cumsum([0, *(len(block.heads) for block in blocks)])
    places = numpy.cumsum([0, *(len(block.text) for block in blocks)])
    starts = [block.starts[:-1] + first for block, first in zip(blocks, words, strict=False)]
    lines = [block.word_lines + first for block, first in zip(blocks, places, strict=False)]
    bounds = [block.bounds[:-1] + first for block, first in zip(blocks, places, strict=False)]
    return replace(
        blocks[0],
        text=text,
        starts=numpy.concatenate([*starts, words[-1:]]).astype(numpy.int32),
        heads=numpy.concatenate([block.heads for block in blocks]),
        values=numpy.concatenate([block.values for block in blocks]),
        word_lines=numpy.concatenate(lines).astype(numpy.int64),
        bounds=numpy.concatenate([*bounds, places[-1:]]).astype(numpy.int64),
    )


def _texts(setup: Setup) -> dict[str, list[FeatureText]]:
    return {MAIN: [FeatureText(feature) for feature in setup.features]}


def _test(model: Model, judge: HeldOut) -> tuple[Counts, Counts]:
    parser = model.make_parser()
    return judge.score(model, [parser.parse(block) for block in judge.blocks])


def ordinary_model(setup: Setup, format: DataFormat, fold: Fold) -> Model:
    """The model that `malt train` makes, by way of its file."""
    texts = _texts(setup)
    settings = settings_of(setup.items)
    settings = settings.derive({"graph.root_label": settings["graph.root_label"]})
    # As the other trials, it is without what MaltParser does not know, unless the setup has some of it.
    adapts = settings.given("tree.roots")
    trainer = Trainer(settings, features=FeatureSource(texts, write_xml(texts), FEATURES), adapts=adapts)
    entries = trainer.train(trainer.survey(read_text(fold.train, format, fold.name, trainer.prepare(format))))
    with temporary_folder() as folder:
        path = folder / "model.mco"
        trainer.save(entries, str(path))
        return model_of(path.read_bytes())
