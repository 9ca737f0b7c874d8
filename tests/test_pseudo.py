"""Pseudo-projective transformations: known lifts, the plain definition, and which trees come back."""

from __future__ import annotations

import io

import numpy
import plainly
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structure import nonprojective_arcs

from malt.data.block import Block
from malt.data.formats.dataformat import find_format, parse_format
from malt.data.symbols import make_tables
from malt.data.treebank import Treebank
from malt.errors import DataError, UsageError
from malt.kernel import projectivity
from malt.kernel.symbols import SymbolTable
from malt.trees.markedlabels import clash, join, split
from malt.trees.pseudoprojectivity import COVERED_ROOT, SEARCH, PseudoProjectivity

ORDERS = ("shortest", "deepest")
MARKED = ("head", "path", "head+path")
MARKINGS = ("none", "baseline", *MARKED)

# "A hearing is scheduled on the issue today": 5 hangs on 2, 8 on 4.
HEARING = [2, 3, 0, 3, 2, 7, 5, 4]


def lift(
    heads: list[int], order: str = "shortest", covered_root: str = "none", lifting_on: bool = True
) -> plainly.Lifted:
    """One tree, by the kernel."""
    new, origins, paths, covered, states = projectivity.projectivize(
        [0, len(heads)], heads, order == "deepest", COVERED_ROOT[covered_root], lifting_on
    )
    assert states.tolist() == [projectivity.TREE]
    return plainly.Lifted(new.tolist(), origins.tolist(), paths.tolist(), covered.tolist())


def lower(heads: list[int], labels: list[int], lifted: plainly.Lifted, strategy: str) -> list[int]:
    """Put back what was lifted from a tree with these heads and labels."""
    wanted = [labels[origin - 1] if origin else -1 for origin in lifted.origins]
    is_lifted = [origin > 0 for origin in lifted.origins]
    new = projectivity.deprojectivize(
        [0, len(heads)], lifted.heads, labels, wanted, is_lifted, lifted.paths, SEARCH[strategy]
    )
    return [int(head) for head in new]


@st.composite
def trees(draw: st.DrawFn, most: int = 9, roots: int = 3) -> list[int]:
    """Any tree: words in any order, each on one that came before or, sometimes, on the artificial root."""
    words = draw(st.permutations(range(1, draw(st.integers(1, most)) + 1)))
    heads = [0] * len(words)
    for place, word in enumerate(words):
        if place and draw(st.integers(0, 9)) >= roots:
            heads[word - 1] = words[draw(st.integers(0, place - 1))]
    return heads


# -- known lifts


def test_one_lift() -> None:
    assert lift([0, 4, 1, 1]) == plainly.Lifted([0, 1, 1, 1], [0, 4, 0, 0], [False, False, False, True], [False] * 4)


def test_the_hearing() -> None:
    for order in ORDERS:
        lifted = lift(HEARING, order)
        assert lifted.heads == [2, 3, 0, 3, 3, 7, 5, 3]
        assert lifted.origins == [0, 0, 0, 0, 2, 0, 0, 4]
        assert [word for word, path in enumerate(lifted.paths, 1) if path] == [2, 4]


def test_the_original_head_is_kept_over_several_lifts() -> None:
    heads = [2, 3, 0, 1, 3]  # 4 hangs on 1, on 2, on 3; nothing but 3 dominates what is between
    lifted = lift(heads)
    assert lifted.heads == [2, 3, 0, 3, 3]
    assert lifted.origins == [0, 0, 0, 1, 0]
    assert lifted.paths == [True, True, False, False, False]


def test_the_order_decides() -> None:
    heads = [3, 0, 0, 1]  # 4 -> 1 -> 3, with an arc of length 3 below one of length 2 over the root word 2
    # The shorter one, of 1, is lifted first; then 4, which hangs on 1, has nothing but the root above.
    assert lift(heads).heads == [0, 0, 0, 0]
    # The deeper one, of 4, is lifted first, and 3 dominates all that is between.
    assert lift(heads, "deepest").heads == [0, 0, 0, 3]


@pytest.mark.parametrize(("where", "head"), [("none", 0), ("ignore", 0), ("left", 1), ("right", 3), ("head", 3)])
def test_a_covered_root_word(where: str, head: int) -> None:
    lifted = lift([3, 0, 0], covered_root=where)
    # With none the arc over the root word is lifted; otherwise there is nothing to lift.
    assert lifted.heads == [0, 0, 0] if where == "none" else lifted.heads == [3, head, 0]
    assert lifted.covered == [False, where != "none", False]


def test_a_root_word_that_reaches_beyond_the_arc_is_not_covered() -> None:
    assert lift([3, 0, 0, 2], covered_root="head", lifting_on=False).covered == [False] * 4


@pytest.mark.parametrize(
    ("heads", "state"), [([2, 1], projectivity.NO_TREE), ([1], projectivity.NO_TREE), ([0, -1], projectivity.NO_HEAD)]
)
def test_what_is_not_a_tree_is_left_alone(heads: list[int], state: int) -> None:
    new, origins, _, _, states = projectivity.projectivize([0, len(heads), len(heads) + 4], [*heads, 0, 4, 1, 1])
    assert new.tolist() == [*heads, 0, 1, 1, 1]
    assert states.tolist() == [state, projectivity.TREE]
    assert not origins[: len(heads)].any()


# -- the definition


@given(trees(), st.sampled_from(ORDERS), st.sampled_from(list(COVERED_ROOT)), st.booleans())
def test_lifting_is_what_the_definition_says(heads: list[int], order: str, covered_root: str, on: bool) -> None:
    assert lift(heads, order, covered_root, on) == plainly.projectivize(heads, order, covered_root, on)


@given(trees(), st.data(), st.sampled_from(MARKED), st.sampled_from([0, 3, 10_000]))
def test_lowering_is_what_the_definition_says(heads: list[int], data: st.DataObject, strategy: str, limit: int) -> None:
    def column(values: st.SearchStrategy[int]) -> list[int]:
        return data.draw(st.lists(values, min_size=len(heads), max_size=len(heads)))

    labels, wanted = column(st.integers(0, 2)), column(st.integers(-1, 2))
    lifted, paths = ([bool(value) for value in column(st.integers(0, 1))] for _ in range(2))
    expected = plainly.deprojectivize(
        heads, labels, [None if want < 0 else want for want in wanted], lifted, paths, strategy, limit
    )
    starts = [0, len(heads)]
    assert (
        projectivity.deprojectivize(starts, heads, labels, wanted, lifted, paths, SEARCH[strategy], limit).tolist()
        == expected
    )


@given(trees(most=14), st.sampled_from(ORDERS), st.sampled_from(["none", "left", "right", "head"]))
def test_the_result_is_projective(heads: list[int], order: str, covered_root: str) -> None:
    assert nonprojective_arcs(lift(heads, order, covered_root).heads) == []


@given(trees(most=14), st.sampled_from(ORDERS))
def test_where_covered_roots_are_ignored_only_they_are_in_the_way(heads: list[int], order: str) -> None:
    lifted = lift(heads, order, "ignore")
    attached = list(lifted.heads)
    for word, covered in enumerate(lifted.covered, 1):
        assert not covered or lifted.heads[word - 1] == 0
    for head, word in nonprojective_arcs(attached):
        assert any(lifted.covered[other - 1] for other in range(min(head, word) + 1, max(head, word)))


@given(trees(), st.sampled_from(ORDERS), st.sampled_from(list(COVERED_ROOT)))
def test_projective_trees_are_unchanged(heads: list[int], order: str, covered_root: str) -> None:
    projective = lift(heads).heads
    again = lift(projective, order, covered_root)
    assert again == plainly.Lifted(projective, [0] * len(heads), [False] * len(heads), [False] * len(heads))


# -- what comes back


@given(trees(most=14), st.sampled_from(ORDERS), st.sampled_from(["head", "head+path"]))
def test_with_labels_that_differ_every_tree_comes_back(heads: list[int], order: str, strategy: str) -> None:
    """Then a mark names one word only, and no lift takes that word out of reach for good."""
    labels = list(range(len(heads)))
    assert lower(heads, labels, lift(heads, order), strategy) == heads


@given(trees(most=14), st.sampled_from(ORDERS), st.sampled_from(["path", "head+path"]))
def test_a_single_lifted_word_comes_back_along_its_path_whatever_the_labels(
    heads: list[int], order: str, strategy: str
) -> None:
    lifted = lift(heads, order)
    if sum(map(bool, lifted.origins)) == 1:  # then there is one path, and its end is the head
        assert lower(heads, [7] * len(heads), lifted, strategy) == heads


def test_head_marks_alone_find_the_nearest_of_several_words_with_the_label() -> None:
    heads = [0, 5, 1, 1, 1]
    lifted = lift(heads)
    assert lifted.heads == [0, 1, 1, 1, 1]
    assert lower(heads, [1, 2, 3, 4, 5], lifted, "head") == heads
    assert lower(heads, [1, 2, 5, 4, 5], lifted, "head") == [0, 3, 1, 1, 1]
    assert lower(heads, [1, 2, 5, 4, 5], lifted, "head+path") == heads


# -- size


def test_a_deep_tree() -> None:
    words = 20_000
    chain = list(range(words))
    assert lift(chain).heads == chain
    # Two chains that interleave: nearly everything is lifted, and finds its way back.
    heads = [0, 1, *range(1, words - 1)]
    for order in ORDERS:
        lifted = lift(heads, order)
        assert sum(map(bool, lifted.origins)) > words // 2 - 10
        assert lower(heads, list(range(words)), lifted, "head+path") == heads


def test_a_hostile_tree() -> None:
    words = 20_000
    order = numpy.random.default_rng(1).permutation(words) + 1
    heads = numpy.zeros(words, numpy.int32)
    heads[order[1:] - 1] = order[(numpy.arange(1, words) * numpy.random.default_rng(2).random(words - 1)).astype(int)]
    for covered_root in COVERED_ROOT:
        lifted = lift(heads.tolist(), "shortest", covered_root)
        assert sum(map(bool, lifted.origins)) > words // 2


# -- the tables and the labels


def block_of(*sentences: list[tuple[int, str]], name: str = "test") -> Block:
    """A block of words given by head and label."""
    text = "".join(
        "".join(f"{i}\tw\t_\tX\tX\t_\t{head}\t{label}\t_\t_\n" for i, (head, label) in enumerate(sentence, 1)) + "\n"
        for sentence in sentences
    )
    format = find_format("conllx")
    return next(iter(Treebank(io.BytesIO(text.encode()), name, format, "utf-8", make_tables(format), False, b"")))


@pytest.mark.parametrize(
    ("marking", "covered_root", "tables"),
    [
        ("none", "none", {}),
        ("baseline", "none", {}),
        ("head", "none", {"PPLIFTED": ["#false#"]}),
        ("path", "none", {"PPLIFTED": ["#true#", "#false#"], "PPPATH": ["#true#", "#false#"]}),
        (
            "head+path",
            "ignore",
            {"PPLIFTED": ["#false#"], "PPPATH": ["#true#", "#false#"], "PPCOVERED": ["#true#", "#false#"]},
        ),
        ("none", "left", {"PPCOVERED": ["#true#", "#false#"]}),
    ],
)
def test_the_tables(marking: str, covered_root: str, tables: dict[str, list[str]]) -> None:
    made = PseudoProjectivity(marking, covered_root).make_tables("novalue")
    assert {name: [symbol for _, symbol in table.symbols()] for name, table in made.items()} == tables
    assert list(made) == list(tables)
    for table in made.values():
        assert (table.category, table.type, table.null_strategy) == (3, 3, "novalue")
        assert next(table.symbols())[0] == 3


def test_codes_for_training_and_back() -> None:
    block = block_of([(0, "A"), (4, "B"), (1, "C"), (1, "D")], [(2, "B"), (0, "A")])
    pseudo = PseudoProjectivity("head+path")
    tables = {**block.tables, **pseudo.make_tables()}
    projected = pseudo.projectivize(block, tables)
    symbols = {name: [tables[name].symbol(int(code)) for code in codes] for name, codes in projected.marks.items()}
    assert symbols == {
        "PPLIFTED": ["#false#", "D", "#false#", "#false#", "#false#", "#false#"],
        "PPPATH": ["#false#", "#false#", "#false#", "#true#", "#false#", "#false#"],
    }
    heads = pseudo.deprojectivize(block.starts, projected.heads, block.codes("DEPREL"), projected.marks, tables)
    assert heads.tolist() == block.heads.tolist()


def test_a_word_that_was_not_labelled_is_not_moved() -> None:
    pseudo, table = PseudoProjectivity("head", "left"), SymbolTable("DEPREL")
    tables = {"DEPREL": table, **pseudo.make_tables()}
    labels = numpy.array([table.add("A"), -1, table.add("C"), table.add("D")], numpy.int32)
    lifted = numpy.array([1, tables["PPLIFTED"].add("D"), 1, 1], numpy.int32)
    covered = numpy.full(4, 1, numpy.int32)
    covered[2:] = 2
    heads = numpy.array([0, 1, 1, 1], numpy.int32)
    starts = numpy.array([0, 4], numpy.int32)
    marks = {"PPLIFTED": lifted, "PPCOVERED": covered}
    assert pseudo.deprojectivize(starts, heads, labels, marks, tables).tolist() == [0, 1, 1, 1]


LABELS = st.text(st.sampled_from("AB|%nul"), min_size=1, max_size=6)


@given(LABELS, LABELS, st.integers(0, 4), st.sampled_from(MARKINGS), st.sampled_from(list(COVERED_ROOT)))
def test_labels_that_do_not_clash_come_apart_again(
    label: str, head: str, marks: int, marking: str, covered_root: str
) -> None:
    pseudo = PseudoProjectivity(marking, covered_root)
    possible = 3 if "PPPATH" in pseudo.marks else 1 if "PPLIFTED" in pseudo.marks else 0
    marks = 4 if marks == 4 and pseudo.marks_covered else marks & possible
    if clash(label, pseudo) or clash(head, pseudo):
        return
    lifted = "#false#" if not marks & 1 else "#true#" if marking == "path" else head
    assert split(join(label, head, marks, pseudo), pseudo) == (label, lifted, marks & 2 == 2, marks == 4)


def test_a_format_without_labels() -> None:
    format = parse_format(
        b'<dataformat name="x"><column name="FORM" category="INPUT" type="STRING"/></dataformat>', "x.xml"
    )
    with pytest.raises(UsageError, match="need a column of labels named DEPREL"):
        PseudoProjectivity("head").check_format(format)
    PseudoProjectivity().check_format(format)


def test_a_file_without_labels() -> None:
    format = find_format("malttab")
    text = b"a\tX\t0\nb\tX\t4\nc\tX\t1\nd\tX\t1\n"
    block = next(iter(Treebank(io.BytesIO(text), "a.tab", format, "utf-8", make_tables(format), False, b"")))
    with pytest.raises(DataError, match=r"a.tab, line 4: the word has no DEPREL"):
        PseudoProjectivity("head").projectivize(block, PseudoProjectivity("head").make_tables())
    assert PseudoProjectivity("baseline").projectivize(block, {}).heads.tolist() == [0, 1, 1, 1]
