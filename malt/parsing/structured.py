"""Structured models: learning over derivations (-l perceptron), and the policies that parse with what was learned.

An averaged perceptron (Collins 2002). Greedy learning goes choice by choice and, where the system knows the costs of
its transitions, follows its own mistakes (Goldberg and Nivre 2012); with a beam it goes sentence by sentence.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Event

import numpy
import numpy.typing

from malt.charts import is_chart
from malt.data.block import Block, Integers
from malt.errors import DataError, MaltError, UsageError
from malt.evaluation.attachment import Arcs
from malt.features.defaults import STRUCTURED
from malt.kernel.arcs import DIRECTIONS, ArcModel, ArcPolicy, ArcTraining, TooLong
from malt.kernel.features import MissingValue
from malt.kernel.spanning import Decoder
from malt.kernel.structured import (
    BeamPolicy,
    BeamTraining,
    Classes,
    FeatureCounter,
    GreedyPolicy,
    GreedyTraining,
    StructuredPolicy,
    Update,
)
from malt.kernel.walk import InstanceObserver, Sink
from malt.kernel.weights import Scorer, WeightTable
from malt.mco.weights import Array, StructuredWeights
from malt.parsing.decoders import ITEMS, make_decoder
from malt.parsing.guide import decode
from malt.parsing.instances import missing_value, too_long
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser
from malt.parsing.trees import gold_trees
from malt.running import progress
from malt.running.log import logger
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings
from malt.systems import ARCS
from malt.systems.language import Case
from malt.trees.pseudoprojectivity import FALSE, LIFTED

UPDATES = {"max-violation": Update["MAX_VIOLATION"], "early": Update["EARLY"]}
FIRST_EXPLORED = 2  # the pass from which on wrong choices are followed
MARGIN = 1 << 17  # by how much a gold tree of arcs is to be better than another, for each arc that is wrong there
MEMORY = 1000  # megabytes that a sentence may take, in models of arcs
LEARNING_ITEMS = 20_000  # of a chart while learning: what is far from right need not be the best
AT_ONCE = 256  # sentences between two looks at the progress
REFUSED = {  # what has no meaning for structured learning
    "guide.decision_settings": "-gds",
    "guide.data_split_column": "-d",
    "guide.data_split_structure": "-s",
    "guide.data_split_threshold": "-T",
    "guide.kbest": "-k",
    "lib.options": "-lo",
    "lib.external": "-lx",
    "lib.save_instance_files": "-li",
}

NOT_FOR_ARCS = {
    "perceptron.beam": "--beam",
    "perceptron.update": "--update",
    "perceptron.explore": "--explore",
    "singlemalt.use_partial_tree": "-up",
    "singlemalt.propagation": "-fp",
}


def with_learner(settings: Settings) -> Settings:
    """Algorithms that score arcs have one learner, which need not be named."""
    if settings["singlemalt.parsing_algorithm"] in ARCS and settings.source("guide.learner") == "default":
        return settings.derive({"guide.learner": STRUCTURED})
    return settings


def check_structured(settings: Settings) -> None:
    """Refuse options of classifiers with -l perceptron, and its own without it."""
    options = catalogue().options
    algorithm = settings["singlemalt.parsing_algorithm"]
    if settings["guide.learner"] != STRUCTURED:
        if algorithm in ARCS:
            raise UsageError(
                f"-a {algorithm} scores arcs, and that is for -l perceptron, not for -l {settings['guide.learner']}"
            )
        for key, option in options.items():
            if option.group == STRUCTURED and settings.given(key):
                raise UsageError(f"{option.spelling} is for -l perceptron, not for -l {settings['guide.learner']}")
        return
    for key, flag in REFUSED.items():
        if settings[key] not in ("", "default", options[key].default):
            raise UsageError(f"{flag} is for classifiers, and -l perceptron learns derivations; leave it out")
    if algorithm not in ARCS and settings.given("perceptron.memory"):
        raise UsageError(f"--memory is for algorithms that score arcs ({', '.join(ARCS)}), not for {algorithm}")
    if settings.given("perceptron.items") and not is_chart(algorithm):
        raise UsageError(f"--items is for charts (-a wg1, mg1 ...), not for -a {algorithm}")
    if algorithm in ARCS:
        for key, flag in NOT_FOR_ARCS.items():
            if settings.given(key):
                raise UsageError(f"{flag} is for derivations, and -a {algorithm} scores arcs; leave it out")
    if settings["config.flowchart"]:
        raise UsageError("MaltParser has no -l perceptron; `malt train -l perceptron` learns such a model")


@dataclass
class StructuredModel:
    """Weights, ready to be used; any number of threads may use them at once."""

    found: StructuredWeights
    file: str  # for what is wrong
    arcs: bool = False  # does it score arcs?
    decoders: list[Decoder] = field(default_factory=list)  # those that were made, for what they tell afterwards

    @cached_property
    def table(self) -> WeightTable:
        """The weights as the kernel has them."""
        table = WeightTable(len(self.found.codes) + DIRECTIONS * self.arcs, learning=False)
        try:
            table.fill(self.found.keys, self.found.counts, self.found.classes, self.found.weights)
        except ValueError as error:
            raise DataError(f"the weights are damaged: {error}", self.file) from None
        return table

    def make_policy(
        self, machine: Machine, beam: int = 0, memory: int = MEMORY, items: int = ITEMS
    ) -> StructuredPolicy:
        """What chooses, with the beam that it was trained with unless another is given."""
        classes, scorer = (
            make_classes(machine, self.found.codes.tolist(), self.file),
            Scorer(self.table, machine.templates),
        )
        if self.arcs:
            decoder = make_decoder(machine.specification.definition.decoder, items, memory)
            self.decoders.append(decoder)
            return ArcPolicy(ArcModel(machine.system, scorer, classes, decoder, memory))
        beam = beam or self.found.beam
        return BeamPolicy(scorer, classes, beam) if beam > 1 else GreedyPolicy(scorer, classes)


def make_classes(machine: Machine, codes: Sequence[int], file: str) -> Classes:
    """What the classes of the decision stand for."""
    [decision] = machine.specification.decisions
    width = len(machine.specification.labels)
    decoded = decode(machine, decision, file)
    if any(not 0 <= code < len(decoded) // (width + 1) or decoded[code * (width + 1)] < 0 for code in codes):
        raise DataError("a class has no transition; the model is damaged", file)
    parts = [decoded[code * (width + 1) : (code + 1) * (width + 1)] for code in codes]
    return Classes(codes, [part[0] for part in parts], [part[1:] for part in parts], width)


def makes_arc(cases: Sequence[Case]) -> bool:
    """Whether a transition makes an arc."""
    return any("ARC" in operation for case in cases for operation in case.operations)


@dataclass
class Trees:
    """All trees to learn from, in arrays."""

    starts: Integers
    values: Integers
    read_heads: Integers
    heads: Integers  # those to be derived
    labels: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1

    def in_order(self, order: Array) -> Trees:
        """The trees of some sentences, in this order."""
        sizes = numpy.diff(self.starts)[order]
        starts = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int32)
        words = numpy.repeat(self.starts[:-1][order] - starts[:-1], sizes) + numpy.arange(starts[-1])
        return Trees(starts, *(part[words] for part in (self.values, self.read_heads, self.heads, self.labels)))


Told = Callable[[int, int, str], None]  # seed, sentences that were gone through, and a note


class StructuredLearning:
    """Learns from blocks, which a machine for training has the tables of."""

    def __init__(
        self, settings: Settings, machine: Machine, blocks: Sequence[Block], dev: Sequence[Block] = ()
    ) -> None:
        self.settings, self.machine, self.blocks, self.dev = settings, machine, blocks, dev
        self.trees = self._gather()
        if not len(self.trees):
            raise MaltError("there is nothing to learn from: the treebank has no sentences")
        self.arcs = bool(machine.specification.definition.decoder)
        if self.arcs:
            self._check_lengths()
        self._enter_symbols()
        [decision] = machine.specification.decisions
        self.codes = sorted(decision.classes(machine.specification.transitions, machine.tables))
        if self.arcs:  # what makes no arc is no class there
            width, decoded = len(machine.specification.labels) + 1, decode(machine, decision, "the treebank")
            makes = [makes_arc(cases) for cases in machine.specification.definition.transitions.values()]
            self.codes = [code for code in self.codes if makes[decoded[code * width]]]
        self.class_of = numpy.full(max(self.codes) + 1, -1, numpy.int32)
        self.class_of[self.codes] = numpy.arange(len(self.codes))
        if len(self.codes) >= 0xFFFF:
            raise MaltError(
                f"the treebank has {len(self.codes):,} classes of transitions and labels; at most 65,534 can be learned"
            )
        # From here on the tables stay as they are: seeds are learned at the same time.
        self.specification = replace(machine.specification, parsing=True)

    def _gather(self) -> Trees:
        gold = [gold_trees(self.machine, block) for block in self.blocks]
        if not gold:
            return Trees(numpy.zeros(1, numpy.int32), *(numpy.zeros(0, numpy.int32) for _ in range(4)))
        sizes = numpy.concatenate([numpy.diff(block.starts) for block in self.blocks])
        trees = Trees(
            numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int32),
            numpy.concatenate([block.values for block in self.blocks]),
            numpy.concatenate([block.heads for block in self.blocks]),
            numpy.concatenate([heads for heads, _ in gold]),
            numpy.concatenate([labels for _, labels in gold]),
        )
        self._drop_rare_marks(trees.labels)
        return trees

    def _drop_rare_marks(self, labels: Integers) -> None:
        """Labels of lifted arcs that are rare lose their mark (--min-lifted)."""
        names = self.machine.specification.labels
        if LIFTED not in names:
            return
        place, free = names.index(LIFTED), self.machine.tables[LIFTED].code(FALSE)
        combined, which, counts = numpy.unique(labels, axis=0, return_inverse=True, return_counts=True)
        rare = (combined[:, place] != free) & (counts < self.settings["perceptron.min_lifted"])
        labels[rare[which.ravel()], place] = free

    def _check_lengths(self) -> None:
        """Refuse sentences whose arcs take too much memory, before any time is spent on others."""
        classes = Classes([], [], [], len(self.machine.specification.labels))
        scorer = Scorer(WeightTable(DIRECTIONS), self.machine.templates)
        decoder = make_decoder(self.machine.specification.definition.decoder)
        model = ArcModel(self.machine.system, scorer, classes, decoder, self.settings["perceptron.memory"])
        for block in self.blocks:
            sizes = numpy.diff(block.starts)
            try:
                model.check(int(sizes.max(initial=0)), int(block.starts[sizes.argmax()]) if len(sizes) else 0)
            except TooLong as fault:
                raise too_long(block, fault) from None

    def _enter_symbols(self) -> None:
        """Walk the gold derivations once: all classes, and all symbols that features make, enter the tables."""
        machine = self.machine
        oracle = machine.oracle()
        oracle.follow(self.trees.heads, self.trees.labels)
        sink = Sink(list(machine.program.slots.values()), as_text=True)
        observer = InstanceObserver(machine.actions, lambda *_: sink)
        machine.use(machine.tables)
        at = 0
        for block in self.blocks:
            words = slice(at, at + len(block.heads))
            at += len(block.heads)
            oracle.follow(self.trees.heads[words], self.trees.labels[words])
            try:
                machine.walk.run(oracle, block.starts, block.values, block.heads, observer)
            except MissingValue as fault:
                raise missing_value(block, fault.word, fault.column, "the features look") from None
            sink.take_text()

    def learn(self) -> StructuredWeights:
        """Learn with every seed; the weights are the mean."""
        settings, seeds, passes = self.settings, self.settings["perceptron.seeds"], self.settings["perceptron.passes"]
        total = seeds * passes * len(self.trees)
        done = [0] * seeds
        stop = Event()
        with progress.bar("learn", total, "sentences", scale=True) as show:

            def tell(seed: int, sentences: int, note: str) -> None:
                done[seed] = sentences
                show(sum(done), note)

            first = settings["perceptron.seed"]
            with ThreadPoolExecutor(min(seeds, os.cpu_count() or 1)) as pool:
                try:
                    work = [pool.submit(self._learn_seed, place, first + place, tell, stop) for place in range(seeds)]
                    found = [one.result() for one in work]
                finally:
                    stop.set()
        best = max(one[0] for one in found)
        return StructuredWeights(
            settings["perceptron.beam"], best, numpy.array(self.codes, numpy.int32), *_mean([one[1] for one in found])
        )

    def _learn_seed(self, place: int, seed: int, tell: Told, stop: Event) -> tuple[int, Averaged]:
        """(passes, weights) of one seed."""
        settings, machine = self.settings, Machine(self.specification, self.machine.tables)
        machine.use(machine.tables)
        beam, from_root = settings["perceptron.beam"], self.specification.definition.options["-prh"] == "normal"
        table = WeightTable(len(self.codes) + DIRECTIONS * self.arcs)
        common = (self.machine.actions, self.class_of.tolist(), from_root)
        classes = make_classes(machine, self.codes, "the treebank")
        if settings["perceptron.min_count"] > 1:
            table.allow(self._frequent(machine, classes, settings["perceptron.min_count"]))
        scorer = Scorer(table, machine.templates)
        policy: GreedyTraining | BeamTraining | ArcTraining
        if self.arcs:
            items, memory = min(settings["perceptron.items"], LEARNING_ITEMS), settings["perceptron.memory"]
            decoder = make_decoder(machine.specification.definition.decoder, items, memory)
            arcs = ArcModel(machine.system, scorer, classes, decoder, memory)
            policy = ArcTraining(arcs, *common[:2], MARGIN)
        elif beam > 1:
            policy = BeamTraining(
                machine.system, scorer, classes, *common, beam, UPDATES[settings["perceptron.update"]]
            )
        else:
            policy = GreedyTraining(machine.system, scorer, classes, *common)
            policy.start(seed)
        random = numpy.random.Generator(numpy.random.PCG64(seed))
        best: tuple[float, int, Averaged] | None = None
        for number in range(1, settings["perceptron.passes"] + 1):
            if isinstance(policy, GreedyTraining) and number >= FIRST_EXPLORED:
                policy.explore = int(settings["perceptron.explore"] * (1 << 32))
            trees = self.trees.in_order(random.permutation(len(self.trees)))
            policy.updates = 0
            for begin in range(0, len(trees), AT_ONCE):
                part = trees.in_order(numpy.arange(begin, min(begin + AT_ONCE, len(trees))))
                policy.follow(part.heads, part.labels)
                machine.walk.run(policy, part.starts, part.values, part.read_heads, stop=stop)
                seen = (number - 1) * len(trees) + begin + len(part)
                tell(place, seen, f"pass {number}, {policy.updates:,} updates")
                if stop.is_set():
                    raise KeyboardInterrupt
            if self.dev:
                averaged = table.averaged()
                score = self._score(averaged, beam)
                logger.info(
                    "seed %d, pass %d: %s updates, LAS %.2f on the development set",
                    seed,
                    number,
                    f"{policy.updates:,}",
                    score,
                )
                if best is None or score > best[0]:
                    best = score, number, averaged
            else:
                logger.debug("seed %d, pass %d: %s updates", seed, number, f"{policy.updates:,}")
        return best[1:] if best is not None else (settings["perceptron.passes"], table.averaged())

    def _frequent(self, machine: Machine, classes: Classes, least: int) -> numpy.typing.NDArray[numpy.uint64]:
        """The features that gold derivations have often enough (--min-count)."""
        counts = WeightTable(1, learning=False)
        from_root = self.specification.definition.options["-prh"] == "normal"
        counter = FeatureCounter(
            machine.system,
            Scorer(counts, machine.templates),
            classes,
            self.machine.actions,
            self.class_of.tolist(),
            from_root,
        )
        counter.follow(self.trees.heads, self.trees.labels)
        machine.walk.run(counter, self.trees.starts, self.trees.values, self.trees.read_heads)
        keys, _, _, times = counts.averaged()
        return numpy.ascontiguousarray(keys[times >= least])

    def _score(self, averaged: Averaged, beam: int) -> float:
        """LAS on the development set."""
        machine = Machine(self.specification, self.machine.tables)
        weights = StructuredWeights(beam, 0, numpy.array(self.codes, numpy.int32), *averaged)
        parser = Parser(machine, StructuredModel(weights, "the treebank", self.arcs).make_policy(machine))
        column = self.specification.format.label_columns[0]
        root, right, words = machine.roots[self.specification.labels.index(column)], 0, 0
        for block in self.dev:
            parsed = parser.parse(block)
            found, gold = (Arcs(one.heads, one.codes(column)) for one in (parsed, block))
            right += int(found.as_written(root).right(gold).sum())
            words += len(block.heads)
        return 100 * right / max(1, words)


Averaged = tuple[Array, Array, Array, Array]  # as WeightTable has them


def _mean(found: Sequence[Averaged]) -> Averaged:
    """The mean of the weights of several seeds."""
    if len(found) == 1:
        return found[0]
    keys = numpy.concatenate([numpy.repeat(one[0], one[1]) for one in found])
    classes = numpy.concatenate([one[2] for one in found])
    weights = numpy.concatenate([one[3] for one in found]).astype(numpy.int64)
    order = numpy.lexsort((classes, keys))
    keys, classes, weights = keys[order], classes[order], weights[order]
    new = numpy.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (classes[1:] != classes[:-1])
    sums = numpy.rint(numpy.add.reduceat(weights, numpy.flatnonzero(new)) / len(found)).astype(numpy.int32)
    kept = sums != 0
    keys, classes, sums = keys[new][kept], classes[new][kept], sums[kept]
    unique, counts = numpy.unique(keys, return_counts=True)
    return unique, counts.astype(numpy.int32), classes, sums
