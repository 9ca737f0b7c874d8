"""The workbench: runs trials. A trial trains with a setup on one part of a fold and parses the other part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from malt.data.block import Block
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.leftovers import temporary_folder
from malt.data.symbols import make_tables, root_labels
from malt.data.treebank import read_text
from malt.errors import MaltError, UsageError
from malt.features.check import make_model
from malt.features.defaults import FeatureSource
from malt.features.model import MAIN
from malt.features.syntax import FeatureText
from malt.features.xml import write_xml
from malt.kernel.solver import DualVariables
from malt.learning.cache import Cache
from malt.learning.derivations import Derivations, NotShared
from malt.learning.learner import Learner
from malt.learning.trials import NotWanted, SharedTraining, Wanted, always
from malt.library import settings_of
from malt.model import Model, model_of
from malt.optimizer.trial.ballots import GoldText, Parsed, join_blocks
from malt.optimizer.trial.corpus import Fold
from malt.optimizer.trial.heldout import Counts, HeldOut
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import LEARNER_OPTIONS, PASSES, Lineage, Setup, Trial
from malt.parsing.trainer import Trainer
from malt.running.threads import cores

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

    def run(self, setup: Setup, fold: int, wanted: Wanted = always, lineage: Lineage | None = None) -> Outcome:
        """Train and test on one fold, roughly if there is a lineage. What goes wrong is told in the outcome;
        `NotWanted` is raised as soon as nobody waits for it any more."""
        begin, rough = time.perf_counter(), lineage.key if lineage is not None else ""
        try:
            weights, size = "", 0
            if setup.members:
                (right, of), weights = self._blend(setup, fold, wanted)
            else:
                model, judge, parsed, size = self._parse(setup, fold, wanted, lineage)
                right, of = judge.score(model, parsed)
                if setup.structured:  # it may have a vote later
                    self._cache.get(("parsed", fold, setup.key), lambda: Parsed.of(model, parsed))
        except (MaltError, MemoryError) as error:
            line = " ".join(str(error).split()) or "memory is too short"
            return Outcome(seconds=time.perf_counter() - begin, error=line, rough=rough)
        return Outcome(right, of, time.perf_counter() - begin, size / 1e6, weights=weights, rough=rough)

    def attempt(self, trial: Trial, wanted: Wanted = always) -> tuple[Trial, Outcome]:
        """Run a trial, whatever goes wrong: one trial is not worth the whole search."""
        try:
            return trial, self.run(trial.setup, trial.fold, wanted, trial.lineage)
        except NotWanted:
            raise
        except MemoryError:
            return trial, Outcome(error="there was not enough memory", rough=trial.rough)
        except Exception as error:
            return trial, Outcome(error=f"{type(error).__name__}: {error}", rough=trial.rough)

    def _parse(
        self, setup: Setup, fold: int, wanted: Wanted, lineage: Lineage | None = None
    ) -> tuple[Model, HeldOut, list[Block], int]:
        """The model of a setup, what judges it, the test part as it parses it, and how many bytes it took."""
        try:
            training, judge = self.learn(setup, fold, wanted, lineage)
            model, size = training.model, training.size
        except NotShared:
            if lineage is not None:
                raise MaltError("this cannot be learned roughly") from None
            part = self.folds[fold]
            model = ordinary_model(setup, self.format, part, wanted)
            test = list(read_text(part.test, self.format, part.name, model.tables, frozen=True))
            judge, size = HeldOut(test, self.metric, self.punctuation), len(model.file)
        parser = model.make_parser()
        return model, judge, [parser.parse(block) for block in judge.blocks], size

    def _blend(self, setup: Setup, fold: int, wanted: Wanted) -> tuple[tuple[Counts, Counts], str]:
        """What a vote gets right, and the weights of the votes. What its parsers made of a fold may be known."""

        def parsed(member: Setup) -> Parsed:
            def make() -> Parsed:
                model, _, blocks, _ = self._parse(member, fold, wanted)
                return Parsed.of(model, blocks)

            found: Parsed = self._cache.get(("parsed", fold, member.key), make)
            return found

        with ThreadPoolExecutor(cores()) as pool:
            votes = list(pool.map(parsed, setup.members))
        gold: GoldText = self._cache.get(("gold", fold), lambda: GoldText(self.folds[fold], self.format))
        judge = HeldOut([gold.block], self.metric, self.punctuation)
        arcs, weights = gold.vote(votes, setup.weights)
        return judge.count([arcs]), weights

    def learn(
        self, setup: Setup, fold: int, wanted: Wanted = always, lineage: Lineage | None = None
    ) -> tuple[SharedTraining, HeldOut]:
        """The training of a trial, a rough one if there is a lineage, and what judges its model. `NotShared` is raised
        where it has to go another way."""
        if setup.structured:
            raise NotShared
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
        before = lineage.before if lineage is not None else None
        rough = (self._duals(before, fold, wanted), PASSES) if before is not None else ()
        training = SharedTraining(self._cache, key, derivations, features, learner, wanted, *rough)
        if training.duals is not None:
            self._cache.put(("duals", fold, (lineage or Lineage(setup)).key), training.duals)
        return training, reading.judge

    def _duals(self, lineage: Lineage, fold: int, wanted: Wanted) -> DualVariables:
        """The dual variables that a lineage leads to; if they are not known any more, they are found again."""

        def make() -> DualVariables:
            training, _ = self.learn(lineage.setup, fold, wanted, lineage)
            if training.duals is None:
                raise NotShared
            return training.duals

        found: DualVariables = self._cache.get(("duals", fold, lineage.key), make)
        return found


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


def _texts(setup: Setup) -> dict[str, list[FeatureText]]:
    return {MAIN: [FeatureText(feature) for feature in setup.features]}


def ordinary_model(setup: Setup, format: DataFormat, fold: Fold, wanted: Wanted = always) -> Model:
    """The model that `malt train` makes, by way of its file."""
    texts = _texts(setup)
    settings = settings_of(setup.items)
    # As the other trials, it is without what MaltParser does not know, unless the setup has some of it.
    adapts = setup.structured or settings.given("tree.roots") or settings.given("train.reverse")
    if setup.structured:
        settings = settings.derive({"guide.features": FEATURES})  # all of them, as with -F
    else:
        settings = settings.derive({"graph.root_label": settings["graph.root_label"]})

    def follow(share: float, note: str) -> None:
        if not wanted():
            raise NotWanted

    source = FeatureSource(texts, write_xml(texts), FEATURES)
    trainer = Trainer(settings, features=source, adapts=adapts, follow=follow)
    entries = trainer.train(trainer.survey(read_text(fold.train, format, fold.name, trainer.prepare(format))))
    with temporary_folder() as folder:
        path = folder / "model.mco"
        trainer.save(entries, str(path))
        return model_of(path.read_bytes())
