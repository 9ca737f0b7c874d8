"""Structured models: learning over derivations (-l perceptron), and the policies that parse with what was learned.

An averaged perceptron (Collins 2002). Greedy learning goes choice by choice and, where the system knows the costs of
its transitions, follows its own mistakes (Goldberg and Nivre 2012); with a beam it goes sentence by sentence.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event

import numpy
import numpy.typing

from malt.charts import is_chart
from malt.data.block import Block, Integers
from malt.data.deps import read_deps
from malt.data.graph import Graph
from malt.errors import DataError, MaltError, UsageError, counted
from malt.evaluation.attachment import Arcs
from malt.evaluation.graphs import ArcScore, score_graphs
from malt.evaluation.shape import shape
from malt.features.defaults import STRUCTURED
from malt.kernel.arcs import DIRECTIONS, ArcModel, ArcPolicy, ArcTraining, TooLong
from malt.kernel.easyfirst import EasyFirstCounter, EasyFirstPolicy, EasyFirstTraining, Places
from malt.kernel.features import MissingValue, UnfitValue
from malt.kernel.guide import UnfitLabel
from malt.kernel.spanning import Decoder
from malt.kernel.structured import (
    BeamPolicy,
    BeamTraining,
    FeatureCounter,
    GreedyPolicy,
    GreedyTraining,
    StructuredPolicy,
    Update,
)
from malt.kernel.walk import InstanceObserver, Sink
from malt.kernel.weights import Classes, PackedTable, Scorer, WeightTable
from malt.learning.averages import Averaged, fitted_weights, mean_weights
from malt.mco.arrays import Array
from malt.mco.weights import StructuredWeights
from malt.parsing.decoders import ITEMS, make_decoder
from malt.parsing.guide import decode
from malt.parsing.instances import missing_value, tell_cut, too_long, unfit_label, unfit_value
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser
from malt.parsing.trees import Gold, gold_arcs, graph_arcs, labels_together, partial_trees
from malt.running import progress
from malt.running.log import logger
from malt.running.threads import cores
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings
from malt.systems import ARCS, EASY, STRUCTURED_ONLY, system_of
from malt.systems.language import FIRST, LAST, NO_COSTS, makes_arc
from malt.trees.pseudoprojectivity import FALSE, LIFTED

UPDATES = {name: Update[name.upper().replace("-", "_")] for name in ("max-violation", "early", "restart")}
MARGIN = 1 << 17  # by how much a gold tree of arcs is to be better than another, for each arc that is wrong there
MEMORY = 1000  # megabytes that a sentence may take, in models of arcs
LEARNING_ITEMS = 20_000  # of a chart while learning: what is far from right need not be the best
NO_GRAPHS = "there is nothing to learn from: the treebank has no graphs, as DEPS has no arcs"
FEW_WORDS = 1000  # of a treebank in which every feature counts
AT_ONCE = 256  # sentences between two looks at the progress, fewer with a beam
# Sentences that a beam goes through, on as many processors, before the weights change. More would occupy more of them,
# but less is learned in a pass: LAS 85.25, 85.13, 85.22, 84.90, 84.70 for 1, 2, 4, 8, 16 of them (Danish, 8 passes,
# scored on a tenth of the training set).
BATCH = 4
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

SWITCH_REDUCES, LEFT_OVER = "2planar.reduceonswitch", "covington.allow_root"
OF_FIRST_ROOT = ("nivre.allow_root", "multiplanar.planar_root_handling", LEFT_OVER)  # how words come to it

NOT_FOR_ARCS = {
    "perceptron.beam": "--beam",
    "perceptron.update": "--update",
    "perceptron.explore": "--explore",
    "perceptron.explore_from": "--explore-from",
    "singlemalt.use_partial_tree": "-up",
    "singlemalt.propagation": "-fp",
}


EASY_HAS_NONE = "-a {} makes the best arc wherever it is, one at a time; leave it out"


def with_learner(settings: Settings) -> Settings:
    """Some algorithms have one learner, which need not be named; models for text have the same one."""
    structured = settings["singlemalt.parsing_algorithm"] in STRUCTURED_ONLY or settings.get("train.text", False)
    if structured and settings.source("guide.learner") == "default":
        return settings.derive({"guide.learner": STRUCTURED})
    return settings


def check_structured(settings: Settings) -> None:
    """Refuse options of classifiers with -l perceptron, and its own without it."""
    options = catalogue().options
    algorithm = settings["singlemalt.parsing_algorithm"]
    for key in ("perceptron.dev", "perceptron.from"):
        if settings.given(key) and not settings[key]:
            raise UsageError(f"{options[key].spelling} needs the name of a file; it is empty")
    if settings["guide.learner"] != STRUCTURED:
        if algorithm in STRUCTURED_ONLY:
            what = "makes the best arc first" if algorithm in EASY else "scores arcs"
            raise UsageError(
                f"-a {algorithm} {what}, and that is for -l perceptron, not for -l {settings['guide.learner']}"
            )
        for key, option in options.items():
            if option.group == STRUCTURED and settings.given(key):
                raise UsageError(f"{option.spelling} is for -l perceptron, not for -l {settings['guide.learner']}")
        if settings["tree.root"] == LAST:
            raise UsageError(f"-rp last is for -l perceptron, not for -l {settings['guide.learner']}")
        return
    if settings["tree.root"] == LAST and not system_of(settings).root_last:
        if system_of(settings.derive({SWITCH_REDUCES: False})).root_last:
            raise UsageError("-rp last and -2pr true do not go together: leave one of them out")
        known = "nivreeager, the planar algorithms and those of Covington"
        raise UsageError(f"-rp last is for {known}: {algorithm} has its root first")
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
    if algorithm in EASY:
        if settings["perceptron.beam"] > 1:
            raise UsageError(f"--beam is for derivations from left to right, and {EASY_HAS_NONE.format(algorithm)}")
        if settings.given("perceptron.update"):
            raise UsageError(f"--update is for a beam, and {EASY_HAS_NONE.format(algorithm)}")
    if settings["config.flowchart"]:
        raise UsageError("MaltParser has no -l perceptron; `malt train -l perceptron` learns such a model")


def idle_options(settings: Settings) -> Iterator[str]:
    """Options that are given, and to which nothing listens."""
    beam, passes, system = settings["perceptron.beam"], settings["perceptron.passes"], system_of(settings)
    first = settings.derive({"tree.root": FIRST})
    for key in OF_FIRST_ROOT if system.root_last else ():
        usual = first.derive({key: Settings()[key]})
        if settings.given(key) and system_of(first).text != system_of(usual).text:
            flag = catalogue().options[key].spelling
            yield f"{flag} has no effect with -rp last: words come to the root by transitions"
    if beam == 1 and settings.given("perceptron.update"):
        yield "--update is for a beam, and has no effect with --beam 1"
    for key in ("perceptron.explore", "perceptron.explore_from"):
        flag = catalogue().options[key].spelling
        if not settings.given(key):
            continue
        if beam > 1:
            yield f"{flag} is for greedy learning, and has no effect with --beam {beam}"
        elif system.costs == NO_COSTS:
            yield f"{flag} has no effect: {system.name} does not know the costs of its transitions"
        elif settings["perceptron.explore_from"] > passes:
            yield f"{flag} has no effect: --explore-from is after the last of --passes {passes}"


@dataclass
class StructuredModel:
    """Weights, ready to be used; any number of threads may use them at once."""

    found: StructuredWeights
    file: str  # for what is wrong
    arcs: bool = False  # does it score arcs, and not transitions?
    decoders: list[Decoder] = field(default_factory=list)  # those that were made, for what they tell afterwards

    _table: PackedTable | None = field(default=None, init=False)

    def scorer(self, machine: Machine, classes: Classes, beam: int = 1) -> Scorer:
        """What sums the weights, which all parsers of a model share."""
        found = self.found
        if self._table is None:
            try:
                if len(found.classes) and found.classes.max() >= len(found.codes) + DIRECTIONS * self.arcs:
                    raise ValueError("a weight is for a class that there is not")
                places = places_of(classes, self.arcs)[found.classes].astype(numpy.uint16)
                room = room_of(classes, self.arcs)
                self._table = PackedTable(room, found.keys, found.counts, places, found.weights)
            except ValueError as error:
                raise DataError(f"the weights are damaged: {error}", self.file) from None
        return make_scorer(self._table, machine, classes, self.arcs, beam)

    def make_policy(
        self, machine: Machine, beam: int = 0, memory: int = MEMORY, items: int = ITEMS
    ) -> StructuredPolicy:
        """What chooses, with the beam that it was trained with unless another is given."""
        classes = make_classes(machine, self.found.codes.tolist(), self.file)
        beam = beam or self.found.beam
        scorer = self.scorer(machine, classes, beam)
        if self.arcs:
            try:
                if machine.specification.definition.order:
                    return EasyFirstPolicy(machine.system, scorer, classes, machine.reach, machine.moves)
                decoder = make_decoder(machine.specification.definition.decoder, items, memory)
                self.decoders.append(decoder)
                return ArcPolicy(ArcModel(machine.system, scorer, classes, decoder, memory))
            except ValueError as error:
                raise DataError(f"the weights are damaged: {error}", self.file) from None
        if beam > 1:
            return BeamPolicy(scorer, classes, beam, machine.specification.aside)
        return GreedyPolicy(scorer, classes)


def room_of(classes: Classes, arcs: bool) -> int:
    """How many places for weights there are; where arcs are scored, all arcs of a direction have one more."""
    return classes.room + DIRECTIONS * arcs


def places_of(classes: Classes, arcs: bool) -> Integers:
    """The places of the weights of classes, in the order of their numbers; where arcs are scored, those of all arcs of
    a direction follow."""
    return numpy.append(classes.places, numpy.arange(classes.room, room_of(classes, arcs), dtype=numpy.int32))


def make_scorer(
    table: WeightTable | PackedTable, machine: Machine, classes: Classes, arcs: bool, beam: int = 1
) -> Scorer:
    """What sums weights. Those of arcs are always all needed, and pairs have in common what looks at one word."""
    if arcs:
        return Scorer(table, machine.templates, still=machine.sided_templates)
    still = machine.lasting_templates
    return Scorer(table, machine.templates, classes, (*still, machine.still_templates) if beam > 1 else still)


def make_classes(machine: Machine, codes: Sequence[int], file: str) -> Classes:
    """What the classes of the decision stand for."""
    parts, width = class_parts(machine, codes, file), len(machine.specification.labels)
    try:
        return Classes(codes, [part[0] for part in parts], [part[1:] for part in parts], width)
    except ValueError as error:
        raise DataError(str(error), file) from None


def class_parts(machine: Machine, codes: Sequence[int], file: str) -> list[list[int]]:
    """Of each class the transition and the labels."""
    [decision] = machine.specification.decisions
    width = len(machine.specification.labels) + 1
    decoded = decode(machine, decision, file)
    if any(not 0 <= code < len(decoded) // width or decoded[code * width] < 0 for code in codes):
        raise DataError("a class has no transition; the model is damaged", file)
    return [decoded[code * width : (code + 1) * width] for code in codes]


@dataclass
class Trees:
    """All trees to learn from, in arrays."""

    starts: Integers
    values: Integers
    read_heads: Integers
    heads: Integers  # those to be derived
    labels: Integers
    given: Integers | None = None  # arcs that are there beforehand (-up)
    given_labels: Integers | None = None
    graph: Graph | None = None  # in place of heads and labels

    def __len__(self) -> int:
        return len(self.starts) - 1

    def in_order(self, order: Array) -> Trees:
        """The trees of some sentences, in this order."""
        sizes = numpy.diff(self.starts)[order]
        starts = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int32)
        return self._take(starts, numpy.repeat(self.starts[:-1][order] - starts[:-1], sizes) + numpy.arange(starts[-1]))

    def part(self, begin: int, end: int) -> Trees:
        """The trees of these sentences."""
        starts = self.starts[begin : end + 1]
        return self._take(starts - starts[0], slice(starts[0], starts[-1]))

    def _take(self, starts: Integers, words: Array | slice) -> Trees:
        """The trees of these words, of which no sentence is cut."""
        parts = (self.values, self.read_heads, self.heads, self.labels, self.given, self.given_labels)
        trees = Trees(starts, *(part[words] if part is not None else None for part in parts))  # type: ignore[arg-type]
        if self.graph is not None:
            trees.graph = self.graph.take(numpy.arange(len(self.heads))[words])
        return trees

    def shares(self, number: int) -> list[Trees]:
        """The trees in so many parts, one after another, with about as many words each."""
        ends = numpy.searchsorted(self.starts, self.starts[-1] * numpy.arange(1, number) / number).tolist()
        bounds = [0, *ends, len(self)]
        return [self.part(begin, end) for begin, end in itertools.pairwise(bounds)]

    @property
    def gold(self) -> Gold:
        """What an oracle follows."""
        return (self.heads, self.labels) if self.graph is None else graph_arcs(self.graph)


@dataclass
class Lane:
    """What goes through sentences and learns from them; several may share a table of weights."""

    machine: Machine
    scorer: Scorer
    policy: GreedyTraining | BeamTraining | ArcTraining | EasyFirstTraining

    def run(self, trees: Trees, stop: Event) -> None:
        """Learn from trees, one after another."""
        self.policy.follow(*trees.gold)
        self.machine.walk.run(
            self.policy, trees.starts, trees.values, trees.read_heads, None, trees.given, trees.given_labels, stop
        )


def learn_together(lanes: Sequence[Lane], trees: Trees, helpers: ThreadPoolExecutor, stop: Event) -> None:
    """Learn from trees, batch by batch: each sentence of a batch teaches by the weights from before it, so it does not
    matter how many lanes share them (Zhao and Huang 2013)."""
    for first in range(0, len(trees), BATCH):
        shares = trees.part(first, min(first + BATCH, len(trees))).shares(len(lanes))
        work = [helpers.submit(lane.run, share, stop) for lane, share in zip(lanes[1:], shares[1:], strict=True)]
        try:
            lanes[0].run(shares[0], stop)
        finally:
            for one in work:
                one.result()
        for lane in lanes:
            lane.scorer.make_changes()


Told = Callable[[int, int, str], None]  # seed, sentences that were gone through, and a note
Follow = Callable[[float, str], None]  # the share that is done, and a note


class StructuredLearning:
    """Learns from blocks, which a machine for training has the tables of."""

    def __init__(
        self,
        settings: Settings,
        machine: Machine,
        blocks: Sequence[Block],
        dev: Sequence[Block] = (),
        start: StructuredModel | None = None,
    ) -> None:
        self.settings, self.machine, self.blocks, self.dev = settings, machine, blocks, dev
        self.trees = self._gather()
        if not len(self.trees):
            raise MaltError("there is nothing to learn from: the treebank has no sentences")
        if self.trees.graph is not None and not len(self.trees.graph.heads):
            raise MaltError(NO_GRAPHS)
        self.arcs = machine.specification.definition.structured
        if machine.specification.definition.decoder:
            self._check_lengths((*self.blocks, *self.dev))
        self._enter_symbols()
        if self.arcs:
            self.trees = self._without_circles()
        [decision] = machine.specification.decisions
        self.codes = sorted(decision.classes(machine.specification.transitions, machine.tables))
        if self.arcs:  # what makes no arc is no class there
            makes = [makes_arc(cases) for cases in machine.specification.definition.transitions.values()]
            parts = class_parts(machine, self.codes, "the treebank")
            self.codes = [code for code, part in zip(self.codes, parts, strict=True) if makes[part[0]]]
        if len(self.codes) >= 0xFFFF:
            raise MaltError(
                f"the treebank has {len(self.codes):,} classes of transitions and labels; at most 65,534 can be learned"
            )
        self._say: Callable[..., None] = logger.info
        self.before = start.found.passes if start is not None else 0  # passes that it had before
        # From here on the tables stay as they are: seeds are learned at the same time.
        self.together = machine.specification.together
        if self.trees.graph is not None:
            self.together |= labels_together(machine, self.trees.graph)
        self.specification = replace(machine.specification, parsing=True, together=self.together)
        self.classes = make_classes(machine, self.codes, "the treebank")
        self.class_of = numpy.full(max(self.codes) + 1, -1, numpy.int32)
        self.class_of[self.codes] = self.classes.places
        self.start = self._take(start) if start is not None else None
        self.allowed = self._frequent()

    @property
    def metric(self) -> str:
        """What the best pass is chosen by."""
        return "F of labelled arcs" if self.specification.definition.many else "LAS"

    def _take(self, start: StructuredModel) -> Averaged:
        """The weights of a model to learn on from (--from), whose classes may have other numbers here."""
        found = start.found
        # Do all parts of it fit together?
        start.scorer(self.machine, make_classes(self.machine, found.codes.tolist(), start.file))
        if not numpy.isin(found.codes, self.codes).all():
            raise DataError("the weights are damaged: a class is none of this algorithm", start.file)
        numbers = numpy.append(numpy.searchsorted(self.codes, found.codes), len(self.codes) + numpy.arange(DIRECTIONS))
        return found.keys, found.counts, numbers[found.classes].astype(numpy.uint16), found.weights.astype(numpy.int32)

    def _gather(self) -> Trees:
        gold = [gold_arcs(self.machine, block) for block in self.blocks]
        if not gold:
            none = numpy.zeros(0, numpy.int32)
            return Trees(numpy.zeros(1, numpy.int32), none, none, none, none)
        sizes = numpy.concatenate([numpy.diff(block.starts) for block in self.blocks])
        trees = Trees(
            numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int32),
            numpy.concatenate([block.values for block in self.blocks]),
            numpy.concatenate([block.heads for block in self.blocks]),
            numpy.concatenate([one[0] for one in gold]),
            numpy.concatenate(
                [numpy.full((len(one[0]), 1), -1, numpy.int32) if one[1] is None else one[1] for one in gold]
            ),
        )
        if self.machine.specification.definition.many:
            trees.graph = Graph.joined([Graph(one[2], one[3], one[4][:, 0]) for one in gold if len(one) == 5])
        if self.machine.specification.partial:
            given = [partial_trees(self.machine, block) for block in self.blocks]
            trees.given, trees.given_labels = (
                numpy.concatenate([part for part in parts if part is not None]) for parts in zip(*given, strict=True)
            )
        self._drop_rare_marks(trees.labels)
        return trees

    def _without_circles(self) -> Trees:
        """The sentences that are trees. No decoder finds what runs in a circle, so arcs cannot learn from it."""
        astray = numpy.flatnonzero(shape(self.trees.heads, self.trees.starts).depth < 0)
        if not len(astray):
            return self.trees
        wrong = numpy.unique(numpy.searchsorted(self.trees.starts, astray, side="right") - 1)
        left = numpy.setdiff1d(numpy.arange(len(self.trees)), wrong)
        told = f"left out, as the heads run in a circle: {counted(len(wrong), 'sentence')}"
        if not len(left):
            raise MaltError(f"there is nothing to learn from; {told}")
        logger.warning("warning: %s", told)
        return self.trees.in_order(left)

    def _drop_rare_marks(self, labels: Integers) -> None:
        """Labels of lifted arcs that are rare lose their mark (--min-lifted)."""
        names = self.machine.specification.labels
        if LIFTED not in names:
            return
        place, free = names.index(LIFTED), self.machine.tables[LIFTED].code(FALSE)
        combined, which, counts = numpy.unique(labels, axis=0, return_inverse=True, return_counts=True)
        rare = (combined[:, place] != free) & (counts < self.settings["perceptron.min_lifted"])
        labels[rare[which.ravel()], place] = free

    def _check_lengths(self, blocks: Iterable[Block]) -> None:
        """Refuse sentences whose arcs take too much memory, before any time is spent on others."""
        classes = Classes([], [], [], len(self.machine.specification.labels))
        scorer = make_scorer(WeightTable(room_of(classes, True)), self.machine, classes, True)
        decoder = make_decoder(self.machine.specification.definition.decoder)
        model = ArcModel(self.machine.system, scorer, classes, decoder, self.settings["perceptron.memory"])
        for block in blocks:
            sizes = numpy.diff(block.starts)
            try:
                model.check(int(sizes.max(initial=0)), int(block.starts[sizes.argmax()]) if len(sizes) else 0)
            except TooLong as fault:
                raise too_long(block, fault) from None

    def _enter_symbols(self) -> None:
        """Walk the gold derivations once: all classes, and all symbols that features make, enter the tables."""
        machine = self.machine
        oracle = machine.oracle()
        sink = Sink(list(machine.program.slots.values()), as_text=True)
        observer = InstanceObserver(machine.actions, lambda *_: sink)
        machine.use(machine.tables)
        at = 0
        for block in self.blocks:
            words = slice(at, at + len(block.heads))
            at += len(block.heads)
            gold: Gold = (self.trees.heads[words], self.trees.labels[words])
            if self.trees.graph is not None:
                gold = graph_arcs(self.trees.graph.take(numpy.arange(words.start, words.stop)))
            oracle.follow(*gold)
            try:
                given = partial_trees(machine, block)
                machine.walk.run(oracle, block.starts, block.values, block.heads, observer, *given)
            except UnfitLabel as fault:
                raise unfit_label(machine, block, gold, fault) from None
            except UnfitValue as fault:
                raise unfit_value(block, fault) from None
            except MissingValue as fault:
                raise missing_value(block, fault.word, fault.column, "the features look") from None
            sink.take_text()
        tell_cut(oracle.cut)

    def learn(self, follow: Follow | None = None) -> StructuredWeights:
        """Learn with every seed; the weights are the mean. Whoever wants to follow it is told how far it is, in place
        of the user, and what that raises ends it."""
        settings, seeds, passes = self.settings, self.settings["perceptron.seeds"], self.settings["perceptron.passes"]
        total = seeds * passes * len(self.trees)
        done = [0] * seeds
        stop = Event()
        self._say = logger.info if follow is None else _say_nothing
        with progress.bar("learn", total, "sentences", scale=True) if follow is None else nullcontext() as show:

            def tell(seed: int, sentences: int, note: str) -> None:
                done[seed] = sentences
                if show is not None:
                    show(sum(done), note)
                elif follow is not None:
                    follow(sum(done) / total, note)

            first = settings["perceptron.seed"]
            at_once = min(seeds, cores())
            # Trials are many at a time, and have a processor each.
            alone = follow is not None or settings["perceptron.beam"] == 1
            lanes = 1 if alone else min(BATCH, cores() // at_once)
            with ThreadPoolExecutor(at_once) as pool, ThreadPoolExecutor(at_once * lanes) as helpers:
                try:
                    learn = partial(self._learn_seed, tell=tell, stop=stop, lanes=lanes, helpers=helpers)
                    if follow is not None and seeds == 1:  # a trial has a thread of its own already
                        found = [learn(0, first)]
                    else:
                        work = [pool.submit(learn, place, first + place) for place in range(seeds)]
                        found = [one.result() for one in work]
                finally:
                    stop.set()
        best = self.before + max(one[0] for one in found)
        return StructuredWeights(
            settings["perceptron.beam"],
            best,
            numpy.array(self.codes, numpy.int32),
            *fitted_weights(mean_weights([one[1] for one in found])),
        )

    def _learn_seed(
        self, place: int, seed: int, tell: Told, stop: Event, lanes: int, helpers: ThreadPoolExecutor
    ) -> tuple[int, Averaged]:
        """(passes, weights) of one seed."""
        settings, beam, classes = self.settings, self.settings["perceptron.beam"], self.classes
        at_once = max(BATCH, AT_ONCE // beam)
        table = WeightTable(room_of(classes, self.arcs))
        if self.start is not None:
            keys, counts, numbers, weights = self.start
            table.begin_with(keys, counts, places_of(classes, self.arcs)[numbers].astype(numpy.uint16), weights)
        if self.allowed is not None:
            table.allow(self.allowed)
        every = [self._make_lane(table, seed) for _ in range(lanes)]
        policy = every[0].policy
        random = numpy.random.Generator(numpy.random.PCG64(seed))
        best: tuple[float, int, Averaged] | None = None
        if self.dev and self.start is not None:
            best = self._score(self.start, beam, stop), 0, self.start
            self._say("seed %d, before the first pass: %s %.2f on the development set", seed, self.metric, best[0])
        for number in range(1, settings["perceptron.passes"] + 1):
            if (
                isinstance(policy, (GreedyTraining, EasyFirstTraining))
                and number >= settings["perceptron.explore_from"]
            ):
                policy.explore = int(settings["perceptron.explore"] * (1 << 32))
            trees = self.trees.in_order(random.permutation(len(self.trees)))
            for lane in every:
                lane.policy.updates = 0
            for begin in range(0, len(trees), at_once):
                end = min(begin + at_once, len(trees))
                if every[0].scorer.postpones:
                    learn_together(every, trees.part(begin, end), helpers, stop)
                else:
                    every[0].run(trees.part(begin, end), stop)
                updates = sum(lane.policy.updates for lane in every)
                tell(place, (number - 1) * len(trees) + end, f"pass {number}, {updates:,} updates")
                if stop.is_set():
                    raise KeyboardInterrupt
            if self.dev:
                averaged = self._averaged(table)
                score = self._score(averaged, beam, stop)
                self._say(
                    "seed %d, pass %d: %s updates, %s %.2f on the development set",
                    seed,
                    number,
                    f"{updates:,}",
                    self.metric,
                    score,
                )
                if best is None or score > best[0]:
                    best = score, number, averaged
            else:
                self._say("seed %d, pass %d: %s updates", seed, number, f"{updates:,}")
        return best[1:] if best is not None else (settings["perceptron.passes"], self._averaged(table))

    def _make_lane(self, table: WeightTable, seed: int) -> Lane:
        """What goes through sentences and learns from them."""
        settings, machine = self.settings, Machine(self.specification, self.machine.tables)
        machine.use(machine.tables)
        beam, classes = settings["perceptron.beam"], self.classes
        common = (self.machine.actions, self.class_of.tolist(), self.specification.definition.from_root)
        scorer = make_scorer(table, machine, classes, self.arcs, beam)
        policy: GreedyTraining | BeamTraining | ArcTraining | EasyFirstTraining
        if machine.specification.definition.order:
            policy = EasyFirstTraining(Places(machine.system, scorer, classes, machine.reach))
            policy.start(seed)
        elif self.arcs:
            items, memory = min(settings["perceptron.items"], LEARNING_ITEMS), settings["perceptron.memory"]
            decoder = make_decoder(machine.specification.definition.decoder, items, memory)
            arcs = ArcModel(machine.system, scorer, classes, decoder, memory)
            policy = ArcTraining(arcs, *common[:2], MARGIN)
        elif beam > 1:
            idle = self.specification.definition.idle
            number = self.specification.transitions.index(idle) if idle else -1
            rule = self._rule()
            aside = self.specification.aside
            policy = BeamTraining(machine.system, scorer, classes, *common, beam, rule, number, aside)
            scorer.postpones = True
        else:
            policy = GreedyTraining(machine.system, scorer, classes, *common)
            policy.decides = self.specification.definition.oracle_decides
            policy.start(seed)
        return Lane(machine, scorer, policy)

    def _averaged(self, table: WeightTable) -> Averaged:
        """The mean weights of a table, by the numbers of classes."""
        keys, counts, places, weights = table.averaged()
        numbers = numpy.append(self.classes.order, len(self.codes) + numpy.arange(DIRECTIONS))
        return keys, counts, numbers[places].astype(numpy.uint16), weights

    def _rule(self) -> int:
        """What a beam learns from (--update): unless it is said, that depends on the system."""
        anew = not self.settings.given("perceptron.update") and self.specification.definition.restarts
        return UPDATES["restart" if anew else self.settings["perceptron.update"]]

    def _least(self) -> int:
        """How often a feature must be there (--min-count): unless it is said, once is enough in a small treebank."""
        few = not self.settings.given("perceptron.min_count") and len(self.trees.heads) < FEW_WORDS
        return 1 if few else int(self.settings["perceptron.min_count"])

    def _frequent(self) -> numpy.typing.NDArray[numpy.uint64] | None:
        """The features that gold derivations have often enough (--min-count); None: all that there are."""
        least = self._least()
        if least <= 1:
            return None
        machine, counts, trees = (
            Machine(self.specification, self.machine.tables),
            WeightTable(1, learning=False),
            self.trees,
        )
        machine.use(machine.tables)
        scorer = Scorer(counts, machine.templates)
        counter: FeatureCounter | EasyFirstCounter
        if self.specification.definition.order:
            counter = EasyFirstCounter(Places(machine.system, scorer, self.classes, machine.reach))
        else:
            counter = FeatureCounter(
                machine.system,
                scorer,
                self.classes,
                self.machine.actions,
                self.class_of.tolist(),
                self.specification.definition.from_root,
            )
        counter.follow(*trees.gold)
        machine.walk.run(counter, trees.starts, trees.values, trees.read_heads, None, trees.given, trees.given_labels)
        keys, _, _, times = counts.averaged()
        if self.start is None and len(keys) and times.max() < least:
            seen = counted(least, "time")
            raise MaltError(
                f"there is nothing to learn from: no feature is seen {seen} in gold derivations (--min-count)"
            )
        return numpy.ascontiguousarray(keys[times >= least])

    def _score(self, averaged: Averaged, beam: int, stop: Event) -> float:
        """LAS on the development set."""
        machine = Machine(self.specification, self.machine.tables)
        weights = StructuredWeights(beam, 0, numpy.array(self.codes, numpy.int32), *fitted_weights(averaged))
        bounds = self.settings["perceptron.memory"], self.settings["perceptron.items"]
        policy = StructuredModel(weights, "the treebank", self.arcs).make_policy(machine, beam, *bounds)
        parser = Parser(machine, policy)
        column = self.specification.format.label_columns[0]
        if self.specification.definition.many:
            return self._score_graphs(parser, stop)
        root, right, words = machine.roots[self.specification.labels.index(column)], 0, 0
        for block in self.dev:
            parsed = parser.parse(block, stop)
            found, gold = (Arcs(one.heads, one.codes(column)) for one in (parsed, block))
            right += int(found.as_written(root).right(gold).sum())
            words += len(block.heads)
        return 100 * right / max(1, words)

    def _score_graphs(self, parser: Parser, stop: Event) -> float:
        """F of labelled arcs on the development set."""
        total = ArcScore()
        for block in self.dev:
            gold, found = read_deps(block), parser.parse(block, stop).graph
            assert found is not None
            total += score_graphs(gold, found, block.starts, gold.labels, found.labels).labelled
        return 100 * (total.f or 0)


def _say_nothing(line: str, *parts: object) -> None:
    """In place of the log."""
