"""Easy-first parsing: which trees it derives, what its arcs cost, that it makes the best arc first, and its models."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pytest
from refusals import error
from test_spanning import projective, single
from test_structured import entry_of, parsed, random_weights, sample, score
from test_structured_use import PARTIAL
from trained import trained
from trees import forests

import malt
from malt.commands import malt as main
from malt.errors import DataError, UsageError
from malt.kernel.arcs import DIRECTIONS
from malt.kernel.easyfirst import EasyFirstPolicy, EasyFirstTraining, Places
from malt.kernel.walk import Changes, Sink, Walk
from malt.kernel.weights import Classes, Scorer, WeightTable
from malt.model import Model
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser
from malt.parsing.structured import make_classes
from malt.systems import find_system
from malt.systems.compiler import compile_system
from malt.systems.configuration import Configuration
from malt.systems.oracle import Oracle

Arcs = tuple[tuple[int, int], ...]  # heads and dependents, in the order in which they are made
ROOTS = ["any", "one"]


def learn(number: int = 60, text: str = "", **options: Any) -> Model:
    return malt.train(text or sample(number), **{"algorithm": "easyfirst", "passes": 2, **options})


@pytest.fixture(scope="module")
def model() -> Model:
    return learn()


# The system


def places(c: Configuration) -> Iterator[Configuration]:
    """The configurations that SH leads to, where all nodes stand in the buffer: one for each place."""
    c = c.copy()
    yield c.copy()
    while "SH" in c.legal():
        yield c.apply("SH").copy()


def back(c: Configuration) -> Configuration:
    """All words in the buffer again, as the article has it."""
    while "US" in c.legal():
        c.apply("US")
    return c


@cache
def derivations(n: int, roots: str = "any") -> dict[Arcs, tuple[Arcs, ...]]:
    """Every set of arcs that can be made, sorted by dependents, with those that can follow, by the system's text."""
    found: dict[Arcs, tuple[Arcs, ...]] = {}
    waiting = [Configuration(find_system("easyfirst", {"-rt": roots}), n)]
    while waiting:
        c = waiting.pop()
        key = tuple(sorted(c.arcs, key=lambda arc: arc[1]))
        if key in found:
            continue
        after = [
            back(place.copy().apply(name)) for place in places(c) for name in place.legal() if name in ("LA", "RA")
        ]
        assert (not after) == c.terminal
        found[key] = tuple(tuple(sorted(one.arcs, key=lambda arc: arc[1])) for one in after)
        waiting += after
    return found


def ends(n: int, roots: str) -> set[tuple[int, ...]]:
    """The trees that derivations end with."""
    return {tuple(head for head, _ in arcs) for arcs, after in derivations(n, roots).items() if not after}


@pytest.mark.parametrize("roots", ROOTS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_it_derives_exactly_the_projective_trees(n: int, roots: str) -> None:
    wanted = {tree for tree in forests(n) if projective(tree) and (roots == "any" or single(tree))}
    assert ends(n, roots) == wanted
    assert all(len(arcs) == n for arcs, after in derivations(n, roots).items() if not after)


@pytest.mark.parametrize("roots", ROOTS)
def test_the_oracle_derives_them(roots: str) -> None:
    every = [tree for tree in forests(5) if roots == "any" or single(tree)]
    oracle = Oracle(find_system("easyfirst", {"-rt": roots}))
    found = oracle.derive(
        numpy.array(every, numpy.int32).ravel(), numpy.arange(0, 5 * len(every) + 1, 5, dtype=numpy.int32)
    )
    for tree, heads in zip(every, found.heads.reshape(-1, 5).tolist(), strict=True):
        assert not projective(tree) or tuple(heads) == tree


def test_example_5_of_the_article() -> None:
    """ATTACH-RIGHT(i) is SHIFT i times, LEFT-ARC, REDUCE and UNSHIFT i - 1 times; ATTACH-LEFT(i) likewise."""
    c = Configuration(find_system("easyfirst"), 4)
    for name in ("SH", "SH", "LA", "US"):  # ATTACH-RIGHT(2)
        c.apply(name)
    assert (c.stacks[0], c.buffer, c.arcs) == ([0], [1, 3, 4], {(3, 2)})
    for name in ("SH", "SH", "RA", "US"):  # ATTACH-LEFT(2), which puts the head back itself
        c.apply(name)
    assert (c.stacks[0], c.buffer, c.arcs) == ([0], [1, 3], {(3, 2), (3, 4)})


# What arcs cost


@cache
def gold() -> tuple[EasyFirstTraining, Walk]:
    definition = find_system("easyfirst")
    system, names = compile_system(definition), [*definition.transitions]
    classes = Classes([1, 2], [names.index("RA"), names.index("LA")], [[], []], 0)
    table = WeightTable(classes.room + DIRECTIONS)
    return EasyFirstTraining(Places(system, Scorer(table, []), classes, (1, 2, False))), Walk(system)


@cache
def kept(n: int, roots: str) -> dict[Arcs, tuple[numpy.ndarray, numpy.ndarray]]:
    """The trees, and the most arcs of each that any continuation of some arcs has in the end."""
    every = numpy.array(sorted(ends(n, roots)), numpy.int32)
    found: dict[Arcs, numpy.ndarray] = {}
    for arcs, after in sorted(derivations(n, roots).items(), key=lambda item: -len(item[0])):
        if after:
            found[arcs] = numpy.max([found[one] for one in after], axis=0)
        else:
            found[arcs] = (every == [head for head, _ in arcs]).sum(axis=1)
    return {arcs: (every, most) for arcs, most in found.items()}


@pytest.mark.parametrize("roots", ROOTS)
@pytest.mark.parametrize(("n", "every"), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 97)])
def test_costs_are_what_is_lost(n: int, every: int, roots: str) -> None:
    """By search over all continuations: exact on projective trees, whatever was done before. Of 5 words, a sample."""
    training, walk = gold()
    seen = 0
    for arcs, after in itertools.islice(derivations(n, roots).items(), 0, None, every):
        trees, before = kept(n, roots)[arcs]
        for number, tree in enumerate(trees):
            costs = training.costs(walk, tree, arcs)
            least = n
            for one in after:
                [arc] = set(one) - set(arcs)
                assert costs[arc] == before[number] - kept(n, roots)[one][1][number], (tree, arcs, arc)
                least = min(least, costs[arc])
                seen += 1
            assert not after or least == 0
    assert seen >= n


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_text_says_the_same_costs(n: int) -> None:
    """`malt systems easyfirst` has them for every configuration; to go from place to place costs nothing."""
    definition = find_system("easyfirst")
    assert definition.costs == "exact"
    system, names = compile_system(definition), [*definition.transitions]
    training, walk = gold()
    trees = numpy.array(sorted(ends(n, "any")), numpy.int32)
    waiting, seen = [Configuration(definition, n)], set()
    while waiting:
        c = waiting.pop()
        if (key := (str(c), frozenset(c.arcs))) in seen or c.terminal:
            continue
        seen.add(key)
        for place in places(c):
            costs = system.costs([names.index(name) for name in place.history], trees)
            top, front = place.S(0), place.B(0)
            for number, tree in enumerate(trees if len(seen) % 7 == 1 else trees[:1]):
                wanted = dict.fromkeys(names, -1) | dict.fromkeys(place.legal(), 0)
                known = training.costs(walk, tree, sorted(c.arcs))
                wanted |= {"RA": known[top, front]} if "RA" in place.legal() else {}
                wanted |= {"LA": known[front, top]} if "LA" in place.legal() else {}
                assert dict(zip(names, costs[number].tolist(), strict=True)) == wanted
            waiting += [back(place.copy().apply(name)) for name in place.legal() if name in ("LA", "RA")]


# The search


def policy(model: Model, change: Callable[[tuple[int, int, bool]], tuple[int, int, bool]]) -> Parser:
    """A parser with a model's weights whose features are said to reach further, or less far, than they do."""
    assert model.structured is not None
    machine = Machine(model.specification, model.tables)
    classes = make_classes(machine, model.structured.found.codes.tolist(), "test")
    scorer = model.structured.scorer(machine, classes)
    return Parser(machine, EasyFirstPolicy(machine.system, scorer, classes, change(machine.reach), machine.moves))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_heap_finds_what_is_found_when_all_is_scored_anew(model: Model, seed: int) -> None:
    """And nothing less than what features see is enough."""
    tried = random_weights(copy(model), seed) if seed else model
    unseen = sample(60, seed=3)
    quick = parsed(tried, unseen, policy(tried, lambda reach: reach))
    assert quick == parsed(tried, unseen, policy(tried, lambda reach: (*reach[:2], True)))
    assert quick == parsed(tried, unseen, policy(tried, lambda reach: (reach[0] + 3, reach[1] + 2, False)))
    assert quick != parsed(tried, unseen, policy(tried, lambda _: (1, 2, False)))


def test_of_equal_arcs_the_first_is_made(model: Model) -> None:
    assert model.structured is not None
    found = model.structured.found
    equal = replace(model, structured=replace(model.structured, found=replace(found, weights=0 * found.weights)))
    quick = parsed(equal, sample(20), policy(equal, lambda reach: reach))
    assert quick == parsed(equal, sample(20), policy(equal, lambda reach: (*reach[:2], True)))
    sentence = equal.parse_tokens([("la", "Da")] * 4)
    assert equal.specification.definition.roots == "labelled"  # so the root is not in the game before the end
    assert sentence.heads == [2, 3, 4, 0]


def test_a_model_of_one_class_comes_to_an_end(model: Model) -> None:
    """Its arcs go one way, and what cannot be attached so hangs on the root, or on what does."""
    assert model.structured is not None
    found, unseen = model.structured.found, sample(10, seed=3)
    rows = numpy.repeat(numpy.arange(len(found.counts)), found.counts)
    for number in range(len(found.codes)):
        mine = found.classes == number
        only = replace(
            found,
            codes=found.codes[[number]],
            keys=found.keys[rows[mine]],
            counts=numpy.ones(int(mine.sum()), numpy.int32),
            classes=numpy.zeros(int(mine.sum()), numpy.uint16),
            weights=found.weights[mine],
        )
        one = replace(model, structured=replace(model.structured, found=only))
        shown = one.make_parser(recording=True, sink=Sink([], as_text=True), changes=Changes())
        assert parsed(one, unseen, shown) == parsed(one, unseen, one.make_parser())
        assert all(single(tuple(sentence.heads)) for sentence in one.parse(unseen))


def test_features_that_look_anywhere_are_looked_at_anew(tmp_path: Path) -> None:
    """What is to the left of a word in the sentence may hang under any other."""
    path = tmp_path / "f.yaml"
    path.write_text(
        "- POSTAG(Stack[0]) & POSTAG(Input[0])\n- DEPREL(pred(Stack[0]))\n- NumOf(succ(Input[0]), deps, 0|1)\n"
    )
    model = learn(features=path)
    machine = Machine(model.specification, model.tables)
    assert machine.reach == (1, 2, True)
    assert Machine(learn(10).specification, learn(10).tables).reach == (3, 3, False)
    unseen = sample(60, seed=3)
    anew = parsed(model, unseen, policy(model, lambda reach: reach))
    assert anew == parsed(model, unseen, model.make_parser())
    assert anew != parsed(model, unseen, policy(model, lambda reach: (*reach[:2], False)))


def test_what_a_trace_walks_is_what_is_parsed(model: Model) -> None:
    """The walk makes the arcs where they were found, and so the same tree."""
    text = sample(30, seed=3)
    shown = model.make_parser(recording=True, sink=Sink([], as_text=True), changes=Changes())
    assert parsed(model, text, shown) == parsed(model, text, model.make_parser())


# Learning


def test_it_learns(model: Model) -> None:
    assert model.settings["guide.learner"] == "perceptron"  # which need not be named
    assert score(model, sample(40, seed=3)) > 60
    assert model.settings["pproj.marking_strategy"] == "head"
    assert all(sentence.heads.count(0) == 1 for sentence in model.parse(sample(40, seed=3)))


def test_what_it_learns_it_knows() -> None:
    text = sample(20)
    assert score(learn(20, passes=20, marking_strategy="none"), text) > 95


@pytest.mark.parametrize("roots", ["any", "one", "labelled"])
def test_roots(roots: str) -> None:
    model = learn(roots=roots, root_label="ROOT")
    for sentence in model.parse(sample(40, seed=4)):
        assert 0 in sentence.heads
        assert projective(tuple(sentence.heads)) or model.settings["pproj.marking_strategy"] != "none"
        assert roots == "any" or sentence.heads.count(0) == 1
        if roots == "labelled":
            assert [head == 0 for head in sentence.heads] == [label == "ROOT" for label in sentence.labels]


def test_trees_that_are_not_projective_are_lifted() -> None:
    """With -pp the parser gives some; without, none."""
    text = "".join(malt.sample.text(200, seed=2))
    assert any(not projective(tuple(sentence.heads)) for sentence in malt.read(text))
    lifted, plain = (
        malt.train(text, algorithm="easyfirst", passes=4, **options)
        for options in ({"min_lifted": 1}, {"marking_strategy": "none"})
    )
    assert any(not projective(tuple(sentence.heads)) for sentence in lifted.parse(text))
    assert all(projective(tuple(sentence.heads)) for sentence in plain.parse(text))


def test_a_seed_makes_the_model(model: Model) -> None:
    again, other, never = (learn(seed=1), learn(seed=2), learn(explore=0.0))
    assert entry_of(again) == entry_of(model)
    assert entry_of(other) != entry_of(model)
    assert entry_of(never) != entry_of(model)
    two = learn(20, seeds=2)
    assert entry_of(two) == entry_of(learn(20, seeds=2))


def test_learning_on(tmp_path: Path) -> None:
    learn(40).save(tmp_path / "m")
    more = malt.train(sample(40, seed=5), from_=tmp_path / "m.mco", passes=1)
    assert more.algorithm == "easyfirst"
    assert score(more, sample(40, seed=3)) > 60


def test_arcs_that_are_given(tmp_path: Path) -> None:
    """Words whose head is given do not wait (-up)."""
    (tmp_path / "partial.xml").write_text(PARTIAL)
    rows = [line.split("\t") for line in sample(40).splitlines()]
    given = [row[6:8] if len(row) > 1 and row[7] == "det" else ["0", "_"] for row in rows]
    lines = [
        "\t".join([*row[:2], row[4], *row[6:8], *part]) if len(row) > 1 else ""
        for row, part in zip(rows, given, strict=True)
    ]
    text = "\n".join(lines) + "\n\n"
    model = learn(text=text, up=True, format=str(tmp_path / "partial.xml"))
    assert model.specification.partial
    found = [head for sentence in model.parse(text) for head in sentence.heads]
    words = [part for row, part in zip(rows, given, strict=True) if len(row) > 1]
    assert sum(label == "det" for _, label in words) > 20
    assert all(head == int(part[0]) for head, part in zip(found, words, strict=True) if part[1] == "det")


def test_a_word_and_a_label() -> None:
    """A treebank of one word, with arcs from the root only, is enough."""
    model = malt.train("1\ta\t_\tX\tX\t_\t0\tROOT\t_\t_\n\n", algorithm="easyfirst", passes=1)
    assert model.parse_tokens([("a", "X")]).heads == [0]
    found = model.parse_tokens([("a", "X"), ("b", "Y"), ("c", "Z")])
    assert found.heads.count(0) >= 1


def test_circles(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """They cannot be made projective, and without that they are left out."""
    circle = "".join(f"{word}\tw\t_\tA\tX\t_\t{head}\tx\t_\t_\n" for word, head in enumerate((2, 1, 0), 1))
    file = tmp_path / "train.conll"
    arguments = ["train", "-q", "-c", str(tmp_path / "m"), "-a", "easyfirst", "--passes", "1", str(file)]
    file.write_text(f"{circle}\n{sample(10)}")
    assert main(arguments) == 1
    assert "train.conll, line 1: the sentence is no tree (the heads run in a circle)" in capfd.readouterr().err
    assert main([*arguments, "-pp", "none"]) == 0
    assert "left out, as the heads run in a circle: 1 sentence" in capfd.readouterr().err
    file.write_text(f"{circle}\n")
    assert main([*arguments, "-pp", "none"]) == 1
    assert "there is nothing to learn from; left out, as the heads run in a circle" in capfd.readouterr().err


def test_long_sentences(model: Model) -> None:
    """Ten times as many words take about ten times as long, and some more for the heap."""

    def seconds(words: int) -> float:
        lines = itertools.islice(itertools.cycle(line for line in sample(200).split("\n") if line), words)
        rows = [line.split("\t") for line in lines]
        text = "".join("\t".join([str(i), *row[1:6], "0", "ROOT", "_", "_"]) + "\n" for i, row in enumerate(rows, 1))
        begin = time.process_time()
        [sentence] = model.parse(text + "\n")
        taken = time.process_time() - begin
        assert len(sentence.heads) == words
        assert sentence.heads.count(0) == 1
        return taken

    seconds(100)
    assert seconds(10_000) < 30 * max(0.05, seconds(1_000))


# On the command line


def test_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, train, gold, out, two, told = trained("easyfirst", tmp_path, capfd)
    assert re.search(r"^algorithm   easyfirst: easy-first", told, re.MULTILINE)
    assert re.search(r"^structured  arcs, easiest first, [123] pass", told, re.MULTILINE)
    assert main(["systems", "easyfirst"]) == 0
    told = capfd.readouterr().out
    for line in ("order: easiest first", "# graphs         only projective trees", "# costs          exact"):
        assert line in told
    assert main(["systems"]) == 0
    assert re.search(r"^easyfirst +projective trees +O\(n\) +easy-first, arcs", capfd.readouterr().out, re.MULTILINE)
    assert main(["features", "easyfirst"]) == 0
    assert "ldep(Input[1])" in capfd.readouterr().out
    assert main(["analyze", "-a", "easyfirst", gold]) == 0
    assert main(["blend", out, two, "-o", str(tmp_path / "three.conll")]) == 0
    capfd.readouterr()
    assert main(["instances", "-a", "easyfirst", train, "-o", two]) != 0
    assert "-l perceptron has no instances" in capfd.readouterr().err


SENTENCE = """\
1\tla\tla\tDET\tDa\t_\t2\tdet\t_\t_
2\tkasta\tkasta\tNOUN\tNc\t_\t3\tnsubj\t_\t_
3\tdomé\tdomir\tVERB\tVf\t_\t0\tROOT\t_\t_

"""


def test_a_trace_of_the_oracle(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "t.conll"
    text.write_text(SENTENCE)
    assert main(["trace", "-q", "-a", "easyfirst", str(text)]) == 0
    assert capfd.readouterr().out.splitlines()[1:6] == [
        "         waiting",
        "         [0, ..., 3]",
        "LA(1) ⇒  [0, 2, 3]    A1 = {(2, 1)}  det",
        "LA(1) ⇒  [0, 3]       A2 = A1 ∪ {(3, 2)}  nsubj",
        "RA(0) ⇒  [0]          A3 = A2 ∪ {(0, 3)}  ROOT",
    ]
    assert main(["trace", "-q", "-a", "easyfirst", "--elementary", str(text)]) == 0
    told = capfd.readouterr().out
    assert [line.split(" ⇒")[0].strip() for line in told.splitlines() if "⇒" in line] == [
        *("SH: SHIFT", "LA: LEFT-ARC", "REDUCE", "SH: SHIFT", "LA: LEFT-ARC", "REDUCE"),
        *("RA: RIGHT-ARC", "SHIFT", "REDUCE"),
    ]


def test_a_trace_of_a_model(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text, name = tmp_path / "t.conll", str(tmp_path / "m")
    text.write_text(SENTENCE.replace("\t2\tdet", "\t3\tdet"))
    learn(60).save(name)
    assert main(["trace", "-q", "-c", name, str(text)]) == 0
    told = capfd.readouterr().out
    assert len(re.findall(r"^[LR]A\(\d\) ⇒", told, re.MULTILINE)) == 3
    assert len(re.findall(r"^      [LR]A~\S+ -?[\d.]+", told, re.MULTILINE)) == 3  # what was scored before each
    assert "the first arc that loses some of the file: (2, 1), and with it (3, 1)" in told
    for scores, arc in itertools.pairwise(told.splitlines()):  # the best that may be made there is made
        if made := re.match(r"([LR]A)\(\d\) ⇒.*  (\S+)$", arc):
            assert scores.split()[0] == f"{made[1]}~{made[2].replace('+', '~')}"
    assert main(["trace", "-q", "-c", name, "--features", "--html", str(tmp_path / "t.html"), str(text)]) == 0
    assert "easyfirst" in (tmp_path / "t.html").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["-l", "liblinear"],
            "-a easyfirst makes the best arc first, and that is for -l perceptron, not for -l liblinear",
        ),
        (["--beam", "8"], "--beam is for derivations from left to right, and -a easyfirst makes the best arc"),
        (["--update", "early"], "--update is for a beam, and -a easyfirst makes the best arc"),
        (["--memory", "5"], "--memory is for algorithms that score arcs"),
        (["--items", "5"], "--items is for charts"),
        (["-rp", "last"], "-rp last is for nivreeager, the planar algorithms and those of Covington"),
        (["-gds", "T.TRANS#A.DEPREL"], "-gds is for classifiers"),
    ],
)
def test_options_that_do_not_fit(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "t.conll"
    text.write_text(sample(5))
    assert message in error(capsys, "train", "-q", "-c", tmp_path / "m", "-a", "easyfirst", *options, text)


def test_a_beam_for_a_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, name = tmp_path / "t.conll", tmp_path / "m"
    text.write_text(sample(5))
    learn(10).save(str(name))
    assert main(["parse", "-q", "-c", str(name), "--beam", "1", str(text), "-o", str(tmp_path / "o")]) == 0
    assert "makes the best arc first (-a easyfirst)" in error(capsys, "parse", "-c", name, "--beam", "4", text)
    assert "--memory is not for models of -a easyfirst" in error(capsys, "parse", "-c", name, "--memory", "4", text)
    assert "--decoder is for models that score arcs" in error(capsys, "parse", "-c", name, "--decoder", "mst", text)


def test_maltparser_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "t.conll"
    text.write_text(sample(5))
    told = error(capsys, "-m", "learn", "-c", tmp_path / "m", "-a", "easyfirst", "-i", text, "-v", "error")
    assert "perceptron" in told


def test_an_order_is_for_the_system_that_is_built_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["systems", "easyfirst"]) == 0
    own = tmp_path / "own.txt"
    own.write_text(capsys.readouterr().out)
    assert "`order` is for easyfirst, which is built in" in error(capsys, "systems", own)
    own.write_text("stack: [root]\norder: any\nSH = SHIFT\n")
    assert "own.txt, line 2, column 8: 'any' is no order; expected easiest first" in error(capsys, "systems", own)


def test_a_class_that_makes_no_arc_is_refused() -> None:
    model = learn(20)
    assert model.structured is not None
    codes = model.structured.found.codes.copy()
    codes[0] = model.tables["T.TRANS+A.DEPREL+A.PPLIFTED"].code("SH")
    model.structured.found = replace(model.structured.found, codes=codes)
    with pytest.raises(DataError, match="the weights are damaged: a class makes no arc"):
        model.make_parser()


def test_as_an_estimator_and_backwards() -> None:
    parser = malt.DependencyParser("easyfirst", passes=2)
    assert parser.fit(malt.read(sample(40))).score(malt.read(sample(10, seed=3))) > 0.5
    assert score(learn(60, reverse=True), sample(40, seed=3)) > 60
    with pytest.raises(UsageError, match="--beam is for derivations"):
        learn(5, beam=2)


def test_a_circle_of_heads_cannot_be_lifted_and_is_left_out_otherwise() -> None:
    circle = SENTENCE.replace("\t0\t", "\t1\t")
    with pytest.raises(DataError, match="-pp none leaves it out"):
        learn(text=sample(5) + circle, pp="head")
    learn(text=sample(5) + circle, pp="none")
