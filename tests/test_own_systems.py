"""Transition systems of the user's own: what is derived where a text does not say it, and what they train."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import forests

import malt as library
from malt import sample
from malt.commands import malt, maltopt
from malt.data.graph import Graph
from malt.errors import DataError, MaltError, UsageError
from malt.kernel.oraclesearch import MOST_MET
from malt.kernel.system import Question
from malt.kernel.walk import Changes
from malt.mco import savedoptions
from malt.mco.container import open_container
from malt.optimizer.plan.reader import find_plan, parse_plan
from malt.systems import ALGORITHMS, find_system
from malt.systems.compiler import compile_system
from malt.systems.language import PREDICATES, QUESTIONS, Definition, parse_system
from malt.systems.oracle import Oracle
from malt.systems.own import read_system
from malt.systems.theory import derive_theory

# The article's four lines (example 4), and a system that is in no paper.
EAGER = "SH = SHIFT\nRE = REDUCE | headed(top)\nLA = LEFT-ARC | not headed(top) ; REDUCE\nRA = RIGHT-ARC ; SHIFT\n"
OVER = """title: planar, with arcs over one node of the stack
SH  = SHIFT
RE  = REDUCE
LA  = LEFT-ARC | not headed(top), not connected(top, front)
RA  = RIGHT-ARC | not headed(front), not connected(top, front)
LA2 = LEFT-ARC-2 | not headed(second), not connected(second, front)
RA2 = RIGHT-ARC-2 | not headed(front), not connected(second, front)
"""
ARTICLE = {
    "arc-standard": "SH = SHIFT\nRA = UNSHIFT ; RIGHT-ARC ; SHIFT ; REDUCE\nLA = UNSHIFT ; LEFT-ARC ; REDUCE ; SHIFT",
    "arc-hybrid": "SH = SHIFT\nRA = UNSHIFT ; RIGHT-ARC ; SHIFT ; REDUCE\nLA = LEFT-ARC ; REDUCE",
    "planar": "SH = SHIFT\nRE = REDUCE\nRA = RIGHT-ARC | not headed(front)\nLA = LEFT-ARC | not headed(top)",
    "two stacks": "SH = SHIFT\nRE = REDUCE\nSW = SWITCH | not switched\n"
    "RA = RIGHT-ARC | not headed(front)\nLA = LEFT-ARC | not headed(top)",
    "swap": "SH = SHIFT\nRA = UNSHIFT ; RIGHT-ARC ; SHIFT ; REDUCE\nLA = UNSHIFT ; LEFT-ARC ; REDUCE ; SHIFT\n"
    "SW = SWAP | ordered(second, top)",
    "lists": "NA = BACK\nRA = RIGHT-ARC | not headed(front) ; BACK\nLA = LEFT-ARC | not headed(top) ; BACK",
}


def all_trees(n: int) -> numpy.ndarray[tuple[int, int], numpy.dtype[numpy.int32]]:
    return numpy.array(forests(n), numpy.int32)


def lost(definition: Definition, trees: numpy.ndarray[tuple[int, int], numpy.dtype[numpy.int32]]) -> list[int]:
    starts = numpy.arange(0, trees.size + 1, trees.shape[1], dtype=numpy.int32)
    return Oracle(definition).lost(trees.ravel(), starts).tolist()


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("n", range(1, 6))
def test_the_search_loses_no_more_than_the_written_oracle(name: str, n: int) -> None:
    written = find_system(name)
    searched = replace(written, rules={**written.rules, "oracle": ()})
    trees = all_trees(n)
    assert searched.searches
    assert not written.searches
    assert all(a <= b for a, b in zip(lost(searched, trees), lost(written, trees), strict=True))


def test_the_search_derives_as_the_written_oracle_does_where_nothing_is_lost() -> None:
    written = find_system("nivreeager")
    searched = replace(written, rules={**written.rules, "oracle": ()})
    trees = all_trees(5)
    trees = trees[(numpy.array(lost(written, trees)) == 0) & ((trees == 0).sum(axis=1) == 1)]  # one word on the root
    starts = numpy.arange(0, trees.size + 1, 5, dtype=numpy.int32)
    one, two = (Oracle(definition).derive(trees.ravel(), starts).transitions for definition in (written, searched))
    assert len(trees) > 100
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("text", [EAGER, ARTICLE["planar"], OVER, ARTICLE["arc-hybrid"], ARTICLE["two stacks"]])
def test_the_search_loses_the_fewest_arcs_of_all_derivations(text: str) -> None:
    """Against every derivation, in the plain configuration."""
    definition, trees = parse_system(text, "mine.txt"), all_trees(3)
    ends: set[tuple[int, ...]] = set()
    waiting, met = [library.Configuration(definition, 3)], set()
    while waiting:
        c = waiting.pop()
        key = (str(c), c.active, c.switches, frozenset(c.arcs))
        if key in met:
            continue
        met.add(key)
        if c.terminal:
            ends.add(tuple(max(c.H(word), 0) for word in (1, 2, 3)))
        waiting += [c.copy().apply(transition) for transition in c.legal()]
    best = [min(sum(a != b for a, b in zip(end, tree, strict=True)) for end in ends) for tree in trees.tolist()]
    assert lost(definition, trees) == best


def test_the_four_lines_on_danish(shared: Path) -> None:
    """They lose fewer arcs than the written oracle, and the search takes a moment."""
    counts = []
    for definition in (parse_system(EAGER, "eager.txt"), find_system("nivreeager")):
        oracle, begin = Oracle(definition), time.process_time()
        with library.open_treebank(shared / "data" / "danish" / "train.conll") as treebank:
            counts.append(sum(int(oracle.lost(block.heads, block.starts).sum()) for block in treebank))
        assert time.process_time() - begin < 60
    assert counts[0] <= 950 < counts[1] == 2180


def test_a_search_that_comes_to_its_limit_goes_on_without_looking_back() -> None:
    heads = numpy.array([random.Random(7).randrange(0, i + 1) for i in range(40)], numpy.int32)
    loose = "SH = SHIFT\nRE = REDUCE\nRA = RIGHT-ARC\nLA = LEFT-ARC\nLA2 = LEFT-ARC-2\nRA2 = RIGHT-ARC-2\nSW = SWAP"
    oracle = Oracle(parse_system(loose, "loose.txt"))
    begin = time.perf_counter()
    derived = oracle.derive(heads[::-1].copy(), numpy.array([0, 40], numpy.int32))
    assert oracle.cut == 1
    assert len(derived.transitions)
    assert MOST_MET == 20_000
    assert time.perf_counter() - begin < 60


def test_a_system_without_an_end_is_told_in_one_line() -> None:
    definition = parse_system("SH = SHIFT\nRE = REDUCE\nend empty(stack)\nmust SH | never", "mine.txt")
    with pytest.raises(MaltError, match="no derivation of a sentence of 2 words that comes to an end"):
        Oracle(definition).derive(numpy.array([0, 1], numpy.int32), numpy.array([0, 2], numpy.int32))


def test_a_search_that_goes_round_in_circles_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "swap.txt").write_text("SH = SHIFT\nSW = SWAP\nLA = LEFT-ARC ; REDUCE\nRA = RIGHT-ARC ; SHIFT\n")
    with pytest.raises(MaltError, match=r"^as far as a search could find one, .* takes more than [\d,]+ steps; give"):
        library.train(sample.text(60), algorithm=str(tmp_path / "swap.txt"))


def test_what_is_derived_of_the_four_lines() -> None:
    definition = parse_system(EAGER, "eager.txt")
    assert (definition.stacks, definition.model, list(definition.structures)) == (1, "NivreEager", ["Stack", "Input"])
    assert str(definition.transitions["LA"][0]) == "LEFT-ARC | not headed(top), not root(top) ; REDUCE"
    assert str(definition.transitions["RE"][0]) == "REDUCE | headed(top)"  # the root has no head
    assert definition.added[0].endswith("below all words, and so `not root(top)` in LA")
    assert definition.costs == "lower bound"
    assert "stack -> buffer" in definition.pairs
    assert derive_theory(definition).projective
    one = parse_system(EAGER, "eager.txt", {"-rt": "one"})
    assert one.roots == "one"
    assert str(one.transitions["RA"][0]) == "RIGHT-ARC | not full(top) ; SHIFT"
    again = parse_system(definition.text, "eager.txt")  # what is printed says everything but the oracle
    assert again.transitions == definition.transitions
    assert again.rules == definition.rules


@pytest.mark.parametrize("head", ["", "stack: [root]\n", "features: Stack = stack, Input = buffer\n"])
def test_costs_need_no_names_for_features(head: str) -> None:
    """What is not said of the data structures is added, whether there are costs or not."""
    pairs = "root -> word, stack -> buffer, buffer -> stack, buffer -> buffer"
    text = f"{head}{EAGER}costs exact | {pairs}\n"
    mine = parse_system(text, "mine")
    assert (mine.costs, ", ".join(mine.pairs)) == ("exact", pairs)
    assert {name: what for name, (what, _) in mine.structures.items()} == {"Stack": "stack", "Input": "buffer"}
    one = parse_system(text, "mine", {"-rt": "one"})
    assert head.startswith("stack") or (one.roots, one.costs) == ("one", "lower bound")
    assert parse_system(f"{text}roots: one\n", "mine").costs == "lower bound"


@pytest.mark.parametrize(
    ("name", "model", "stacks"),
    [
        ("arc-standard", "StackProjective", 1),
        ("arc-hybrid", "ArcHybrid", 1),
        ("planar", "PlanarEager", 1),
        ("two stacks", "2PlanarEager", 2),
        ("swap", "StackSwap", 1),
        ("lists", "CovingtonNonProjective", 0),
    ],
)
def test_default_features_come_from_the_data_structures(name: str, model: str, stacks: int) -> None:
    definition = parse_system(ARTICLE[name], "mine.txt")
    assert (definition.model, definition.stacks) == (model, stacks)
    trained = library.train(sample.text(30), algorithm="mine.txt", options={"own.system": ARTICLE[name]})
    assert trained.algorithm == "mine.txt"
    assert all(sentence.heads for sentence in trained.parse(sample.text(3, seed=2)))


def test_the_printed_text_of_a_system_is_that_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    treebank = tmp_path / "train.conll"
    treebank.write_text("".join(sample.text(60)))
    assert malt(["systems", "nivreeager"]) == 0
    (tmp_path / "saved.txt").write_text(capsys.readouterr().out)
    for name, algorithm in (("one", "nivreeager"), ("two", str(tmp_path / "saved.txt"))):
        place = str(tmp_path / name)
        assert malt(["train", "-c", place, "-a", algorithm, "-F", "nivreeager", str(treebank), "-q"]) == 0
    with open_container(str(tmp_path / "one.mco")) as one, open_container(str(tmp_path / "two.mco")) as two:
        for entry in ("odm0.liblinear.moo", "odm0.liblinear.map", "symboltables.sym"):
            assert one.read(entry) == two.read(entry)
        saved = savedoptions.read_saved(two.read(savedoptions.ENTRY), "two.mco")
        assert saved["singlemalt.parsing_algorithm"] == "saved.txt"
        assert b"LEFT-ARC" not in two.read(savedoptions.ENTRY)
        assert "LEFT-ARC" in json.loads(two.read("maltkit.json"))["system"]


@pytest.mark.parametrize("learner", [[], ["-l", "perceptron"], ["-l", "perceptron", "--beam", "4"]])
def test_a_model_needs_no_file(tmp_path: Path, learner: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    treebank, system = tmp_path / "train.conll", tmp_path / "over.txt"
    treebank.write_text("".join(sample.text(60)))
    system.write_text(OVER)
    assert malt(["train", "-c", str(tmp_path / "m"), "-a", str(system), str(treebank), "-q", *learner]) == 0
    system.unlink()
    assert malt(["parse", "-c", str(tmp_path / "m"), str(treebank), "-o", str(tmp_path / "out"), "-q"]) == 0
    assert (tmp_path / "out").read_text().count("\n\n") == 60
    capsys.readouterr()
    assert malt(["trace", "-c", str(tmp_path / "m"), str(treebank), "--sentences", "1"]) == 0
    assert "SH ⇒" in capsys.readouterr().out


def test_a_system_is_explained_and_traced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    treebank, system = tmp_path / "train.conll", tmp_path / "over.txt"
    treebank.write_text("".join(sample.text(20)))
    system.write_text(OVER)
    assert malt(["systems", str(system)]) == 0
    shown = capsys.readouterr().out
    assert "# over.txt       planar, with arcs over one node" in shown
    assert "not root(second)" in shown
    assert "# added          the artificial root" in shown
    for arguments in (["trace", "-a", str(system), str(treebank)], ["analyze", "-a", str(system), str(treebank)]):
        assert malt(arguments) == 0
    assert "not derived by over.txt" in capsys.readouterr().out
    assert malt(["features", "-a", str(system)]) == 0
    assert "algorithm: over.txt" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("SH = SHIFT\nRE = REDUSE\n", "line 2, column 6: 'REDUSE' is no operation"),
        ("SH = SHIFT\nmodel: ../../secret\n", "line 2, column 8: there is no feature model '../../secret'"),
        ("SH = SHIFT ; RIGHT-ARC ; RIGHT-ARC\n", "line 1, column 6: transition SH makes two arcs"),
        ("SH = " + " ; ".join(["SHIFT"] * 33), "line 1, column 1: 33 operations are too many"),
        ("#" * 1001, "line 1, column 1: the line has more than 1000 characters"),
        ("\n" * 70_000, "more than 65536 characters"),
        ("\n".join(f"T{i} = SHIFT" for i in range(60)), "line 49, column 1: too many"),
        ("SH = SHIFT\ndecoder: mst\n", "line 2: `decoder` is for algorithms that are built in"),
        ("SH = SHIFT\norder: easiest first\n", "line 2: `order` is for easyfirst"),
        ("SH = SHIFT\nSW = SWITCH\nUS = UNSHIFT\n", "line 3, column 6: transition US: UNSHIFT is for one stack"),
        (
            "\n".join(f"T{i} = SHIFT ; SHIFT" for i in range(30)),
            "line 25, column 1: more than 24 cases have",
        ),
    ],
)
def test_a_wrong_file_gets_a_line_with_its_place(
    tmp_path: Path, text: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    system = tmp_path / "wrong.txt"
    system.write_text(text)
    assert malt(["systems", str(system)]) == 1
    error = capsys.readouterr().err
    assert place in error
    assert "wrong.txt" in error
    assert error.count("\n") == 1


def test_rules_that_never_leave_a_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    treebank, system = tmp_path / "train.conll", tmp_path / "forced.txt"
    treebank.write_text("".join(sample.text(20)))
    system.write_text("SH = SHIFT\nRE = REDUCE\nLA = LEFT-ARC\nmust SH\n")
    assert malt(["train", "-q", "-a", str(system), "-c", "m", "-w", str(tmp_path), str(treebank)]) == 1
    said = "malt: there is nothing to learn from: the rules `must` of forced.txt never leave a choice\n"
    assert capsys.readouterr().err.endswith(said)


def test_cycles_are_told_of_the_system_that_makes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No option is blamed that the user did not give."""
    treebank, system = tmp_path / "train.conll", tmp_path / "free.txt"
    treebank.write_text("".join(sample.text(20)))
    system.write_text("SH = SHIFT\nRE = REDUCE\nLA = LEFT-ARC\nRA = RIGHT-ARC\n")
    command = ["train", "-q", "-a", str(system), "-c", "m", "-w", str(tmp_path), str(treebank)]
    assert malt(command) == 0
    assert "with -a free.txt a parse need not be a tree" in capsys.readouterr().err
    assert malt([*command, "-rt", "one"]) == 2
    assert "-rt one and -a free.txt do not go together: a tree has no cycles" in capsys.readouterr().err


def test_files_that_are_no_text(tmp_path: Path) -> None:
    for data, message in ((b"SH = SHIFT\n\xff", "line 2: expected text in UTF-8"), (b"\0", "without NUL")):
        (tmp_path / "x.txt").write_bytes(data)
        with pytest.raises(DataError, match=message):
            read_system(str(tmp_path / "x.txt"))
    with pytest.raises(MaltError, match="no such file"):
        read_system(str(tmp_path / "none.txt"))


def test_maltparsers_own_modes_have_no_such_systems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.txt").write_text(EAGER)
    assert malt(["-m", "learn", "-c", "m", "-a", str(tmp_path / "x.txt"), "-i", "none"]) == 2
    assert "MaltParser has no systems from files" in capsys.readouterr().err


OPERATIONS = ["SHIFT", "UNSHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC", "SWITCH", "SWAP", "REDUCE-2", "LEFT-ARC-2"]
LISTS = ["NEXT", "BACK", "BACK-OUT", "BACK-TO-HEAD", "LEFT-ARC", "RIGHT-ARC"]
ATOMS = st.lists(st.tuples(st.sampled_from(["", "not "]), st.sampled_from(sorted(PREDICATES))), max_size=2)


def written(atoms: list[tuple[str, str]]) -> str:
    return " | " + ", ".join(map("".join, atoms)) if atoms else ""


@st.composite
def systems(draw: st.DrawFn) -> str:
    """A text with nothing wrong in it that can be seen."""
    words = LISTS if draw(st.booleans()) and draw(st.booleans()) else OPERATIONS
    lines = []
    for i in range(draw(st.integers(1, 5))):
        chain = draw(st.lists(st.tuples(st.sampled_from(words), ATOMS), min_size=1, max_size=5))
        lines.append(f"T{i} = " + " ; ".join(operation + written(atoms) for operation, atoms in chain))
    names = st.integers(0, len(lines) - 1).map("T{}".format)
    if draw(st.booleans()):
        lines.append("end " + (written(draw(ATOMS)).removeprefix(" | ") or "empty(buffer)"))
    if draw(st.booleans()):
        lines.append(f"must {draw(names)}{written(draw(ATOMS))}")
    many = draw(st.integers(0, 3)) == 0
    if many or draw(st.booleans()):
        graphs = range(int(Question["MISSING_FRONT_TOP"]), len(Question))
        mine = sorted(name for name, bit in QUESTIONS.items() if (bit in graphs) == many)
        asked = st.lists(st.tuples(st.sampled_from(["", "not "]), st.sampled_from(mine)), max_size=2)
        lines += [f"oracle {draw(names)}{written(draw(asked))}", f"oracle {draw(names)}"]
    if draw(st.booleans()):
        lines.insert(0, draw(st.sampled_from(["stack: [root]", "stacks: 3 [root]", "lists: from 1"])))
    if many:
        lines.insert(0, "heads: many")
    return "\n".join(lines)


@settings(max_examples=300, deadline=None)
@given(systems(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_no_text_hangs_or_breaks_anything(text: str, n: int, luck: random.Random) -> None:
    """Every text is refused, or its oracle derives a tree, or it is told that there is no derivation."""
    try:
        definition = parse_system(text, "any.txt")
        compile_system(definition)
    except DataError:
        return
    heads = numpy.array([luck.randrange(0, n + 1) for _ in range(n)], numpy.int32)
    heads[heads == numpy.arange(1, n + 1)] = 0
    starts = numpy.array([0, n], numpy.int32)
    try:
        if definition.many:
            count = luck.randrange(0, 2 * n)
            words, above = ([luck.randrange(most) for _ in range(count)] for most in (n, n + 1))
            graph = Graph.of(n, *(numpy.array(each, numpy.int32) for each in (words, above, [0] * count)))
            _, made = Oracle(definition).derive_graphs(graph, starts)
            assert ((made.heads >= 0) & (made.heads <= n)).all()
            return
        derived = Oracle(definition).derive(heads, starts)
    except MaltError:
        return
    assert ((derived.heads >= 0) & (derived.heads <= n)).all()


@settings(max_examples=60, deadline=None)
@given(systems(), st.randoms(use_true_random=False))
def test_the_kernel_and_the_plain_configuration_permit_the_same(text: str, luck: random.Random) -> None:
    """With restrictions in the middle of chains, too."""
    try:
        definition = parse_system(text, "any.txt")
        oracle = Oracle(definition, changes := Changes())
    except DataError:
        return
    if definition.many:  # what it permits is known with the labels alone
        return
    heads = numpy.array([luck.randrange(0, 4) for _ in range(3)], numpy.int32)
    heads[heads == numpy.arange(1, 4)] = 0
    try:
        derived = oracle.derive(heads, numpy.array([0, 3], numpy.int32))
    except MaltError:
        return
    c, names = library.Configuration(definition, 3), list(definition.transitions)
    for transition, (permitted, _) in zip(derived.transitions.tolist(), changes.steps(), strict=True):
        name = names[transition if transition >= 0 else -1 - transition]
        assert c.legal() == [one for i, one in enumerate(names) if permitted >> i & 1]
        before = dict(c._heads)
        c.apply(name, force=True)
        if any(c.H(word) != head for word, head in before.items()) or len(c.arcs) > len(c._heads):
            return  # the kernel moves an arc, where the plain configuration has two


def test_a_plan_holds_systems_as_text(tmp_path: Path) -> None:
    lines = "".join(f"    {line}\n" for line in EAGER.splitlines())
    candidates = "candidates:\n  mine: {singlemalt.parsing_algorithm: mine.txt}\n"
    text = f"like: default\nsystems:\n  mine.txt: |\n{lines}{candidates}"
    plan = parse_plan((text + "start: mine\n").encode(), "p.yaml")
    assert plan.candidates["mine"]["own.system"] == EAGER
    assert plan.words["mine.txt"] == plan.words["nivreeager"]
    study = library.optimizer.run(sample.text(60), plan=plan, phases=["phase1"], jobs=1)
    assert study.best.setup.algorithm == "mine.txt"
    wrong = text.replace("REDUCE", "REDUSE", 1)
    with pytest.raises(
        DataError, match=r"p.yaml, line 3: systems: mine.txt, line 2, column 6: 'REDUSE' is no operation"
    ):
        parse_plan(wrong.encode(), "p.yaml")
    with pytest.raises(DataError, match="a system is called like a file"):
        parse_plan(text.replace("mine.txt", "mine").encode(), "p.yaml")


def test_maltopt_tunes_a_system_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text(EAGER)
    (tmp_path / "train.conll").write_text("".join(sample.text(60)))
    plan = "like: default\nphase3: []\nphase2: []\n"
    (tmp_path / "short.yaml").write_text(plan)
    assert maltopt(["run", "-a", "mine.txt", "--plan", "short.yaml", "-c", "study", "train.conll", "--jobs", "1"]) == 0
    (tmp_path / "mine.txt").unlink()
    assert "tuning mine.txt" in capsys.readouterr().out
    assert malt(["train", "-f", "study/options.yaml", "-c", "again", "-i", "train.conll", "-q"]) == 0
    assert library.load("again").algorithm == library.load("study/study").algorithm == "mine.txt"


def test_find_plan_knows_no_system_of_its_own() -> None:
    with pytest.raises(UsageError, match="does not know this algorithm"):
        find_plan().check("mine.txt")
