"""The workbench: runs trials. A trial trains with a configuration on one part of a fold and parses the other part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.treebank import read_text
from malt.errors import MaltError, UsageError
from malt.features import checked
from malt.features.model import MAIN
from malt.features.specification import Specification
from malt.features.xml import write_xml
from malt.learning.cache import Shelf
from malt.learning.derivations import FEATURES, NotShared, Reading, Walk
from malt.learning.learner import Learner
from malt.learning.trials import NotWanted, Training, Wanted, always
from malt.library import settings_of
from malt.model import Model, model_of
from malt.optimizer.trial.corpus import Fold
from malt.optimizer.trial.heldout import Counts, HeldOut
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import LEARNER_OPTIONS, Setup, Trial
from malt.parsing import trainer
from malt.parsing.parser import Parser
from malt.parsing.recipe import make_recipe
from malt.settings.settings import Settings

MEMORY = 600 << 20  # bytes
DEFAULT_SOLVER = "4"


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
        self._shelf = Shelf(memory)

    def __reduce__(self) -> tuple[Any, ...]:
        return Workbench, (self.folds, self.format, self.metric, self.punctuation, self.memory)

    def run(self, configuration: Setup, fold: int, wanted: Wanted = always) -> Outcome:
        """Train and test on one fold. What goes wrong is told in the outcome; `NotWanted` is raised as soon as nobody
        waits for it any more."""
        begin = time.perf_counter()
        try:
            try:
                training, judge = self.learn(configuration, fold, wanted)
                (right, of), size = _tested(training.model, judge), training.size
            except NotShared:
                (right, of), size = self._ordinary(configuration, fold), 0
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

    def _ordinary(self, configuration: Setup, fold: int) -> tuple[Counts, Counts]:
        part = self.folds[fold]
        model = ordinary_model(configuration, self.format, part)
        test = list(read_text(part.test, self.format, part.name, model.recipe.tables, frozen=True))
        return _tested(model, HeldOut(test, self.metric, self.punctuation))

    def learn(self, configuration: Setup, fold: int, wanted: Wanted = always) -> tuple[Training, HeldOut]:
        """The training of a trial, and what judges its model. `NotShared` is raised where it has to go another way."""
        settings = settings_of(configuration.items)
        learner = Learner(settings["guide.learner"], settings["lib.options"])
        ours = settings["guide.learner"] == "liblinear" and learner.parameters["s"] == DEFAULT_SOLVER
        if not ours or settings["lib.external"]:
            raise NotShared
        if not configuration.features:
            raise UsageError("there are no features to learn with")
        key = ("walk", fold, tuple(item for item in configuration.items if item[0] != LEARNER_OPTIONS))
        walk: Walk = self._shelf.get(key, lambda: self._walk(settings, fold))
        submodel = [Specification(feature) for feature in configuration.features]
        features = checked({MAIN: submodel}, walk.definition.name, walk.columns)
        return Training(self._shelf, key, walk, features, learner.parameters, wanted), walk.reading.judge

    def _walk(self, settings: Settings, fold: int) -> Walk:
        options = settings["singlemalt.null_value"], settings["graph.root_label"]
        reading = self._shelf.get(
            ("reading", fold, *options),
            lambda: Reading(self.folds[fold], self.format, *options, self.metric, self.punctuation),
        )
        return Walk(reading, settings, self.format)


def _tested(model: Model, judge: HeldOut) -> tuple[Counts, Counts]:
    parser = Parser(model)
    return judge.score(model.recipe, [parser.parse(block) for block in judge.blocks])


def ordinary_model(configuration: Setup, format: DataFormat, fold: Fold) -> Model:
    """The model that `malt train` makes, by way of its file."""
    settings = settings_of(configuration.items)
    settings.derive("guide.features", FEATURES)
    xml = write_xml({MAIN: [Specification(feature) for feature in configuration.features]})
    recipe = make_recipe(settings, format, files={FEATURES: xml})
    entries = trainer.train(recipe, read_text(fold.train, format, fold.name, recipe.tables))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.mco"
        trainer.save(recipe, entries, str(path))
        return model_of(path.read_bytes())
