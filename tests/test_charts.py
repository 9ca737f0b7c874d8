"""Charts: the classes of trees that they derive, how often, and the best tree of a class."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import numpy
import numpy.typing
import pytest
import structure
from hypothesis import given, settings
from hypothesis import strategies as st
from trees import forests, random_forests

from malt import load, sample
from malt.charts import MOST_GAPS, ChartSystem, find_chart, is_chart
from malt.charts.compiler import compile_steps
from malt.charts.order import any_order
from malt.charts.steps import free_positions, is_interleaving, name_of, schema, steps
from malt.commands import malt
from malt.data.sentence import sentences_of
from malt.data.treebank import open_treebank, read_text
from malt.errors import UsageError
from malt.kernel.chart import Chart, ChartDecoder, Found
from malt.kernel.spanning import best_projective_tree, best_tree, solve
from malt.kernel.structure import recognise
from malt.kernel.weights import UNIT
from malt.parsing.decoders import make_decoder
from malt.trees.nesting import is_derived

Scores = numpy.typing.NDArray[numpy.float64]

NAMES = ("wg1", "wg2", "mg1", "mg2")
STRONG = (0, 0, 0, 1, 0, 2, 0, 3, 5, 7)  # strongly ill-nested for gap degree 1, which is its own

# Of 1, 2 ... words, trees with a single root
ALL = (1, 2, 9, 64, 625, 7776)
PROJECTIVE = (1, 2, 7, 30, 143, 728)
WG1 = (1, 2, 9, 64, 569, 5652)
MG1 = (1, 2, 9, 64, 589, 6252)


def chart(name: str) -> Chart:
    """A chart of all items."""
    return Chart(find_chart(name).compile())


def decoder(name: str, limit: int = 10**6, megabytes: int = 1000) -> ChartDecoder:
    """What finds the best tree."""
    system = find_chart(name)
    return ChartDecoder(system.compile(), system.k, system.well_nested, limit, megabytes)


def belongs(heads: Sequence[int], system: ChartSystem) -> bool:
    """Whether a tree is in the class of a chart, by the definitions."""
    if system.well_nested:
        return structure.gap_degree(heads) <= system.k and not structure.is_ill_nested(heads)
    return structure.mildness(heads) <= system.k


def value(scores: Scores, heads: Sequence[int]) -> float:
    """The score of a tree: heads of the words 1, 2 ..."""
    return float(sum(scores[head, word] for word, head in enumerate(heads, 1)))


# -- steps


@pytest.mark.parametrize(("k", "mild", "nested"), [(1, 12, 8), (2, 89, 25), (3, 616, 56)])
def test_how_many_steps(k: int, mild: int, nested: int) -> None:
    strings = steps(k)
    assert (len(strings), len(steps(k, well_nested=True))) == (mild, nested)
    assert set(steps(k, well_nested=True)) == {string for string in strings if not is_interleaving(string)}
    for string in strings:  # no two differ in names alone
        assert string.translate(str.maketrans("ab", "ba")) not in strings
    assert free_positions(strings) == 3 * k + 4
    assert free_positions(steps(k, well_nested=True)) == 5 + 2 * k


def test_every_string_that_there_is() -> None:
    """Against the definition: all strings over a, b, g of that length, filtered."""
    for k in (1, 2):
        found = set()
        for length in range(2, 3 * k + 3):
            for letters in itertools.product("abg", repeat=length):
                string = "".join(letters)
                if (
                    "a" in string
                    and "b" in string
                    and max(string.count("a"), string.count("b")) <= k + 1
                    and string.count("g") <= k
                    and "g" not in (string[0], string[-1])
                    and all(one != two for one, two in itertools.pairwise(string))
                ):
                    found.add(min(string, string.translate(str.maketrans("ab", "ba"))))
        assert found == set(steps(k))


def test_the_names_and_forms_of_the_paper() -> None:
    """Figures 1A and 1C; there i1, i2 ... are called i, l, r + 1 ..."""
    assert {string: name_of(string) for string in steps(1)} == {
        "ab": "Ungapped",
        "agb": "Opening Gap",
        "agab": "Keeping Gap Left",
        "abgb": "Keeping Gap Right",
        "aba": "Closing Gap",
        "abga": "Shrinking Gap Left",
        "agba": "Shrinking Gap Right",
        "abgba": "Shrinking Gap Centre",
        "abab": "Interleaving",
        "abgab": "Interleaving Gap C",
        "abagb": "Interleaving Gap L",
        "agbab": "Interleaving Gap R",
    }
    assert schema("abgba") == (
        "[i1, i6 - 1, h, [(i2, i5 - 1)]]",
        "[i2, i5 - 1, h, [(i3, i4 - 1)]]",
        "[i1, i6 - 1, h, [(i3, i4 - 1)]]",
    )


def test_names_of_charts() -> None:
    assert [is_chart(name) for name in ("wg1", "mg3", "mg", "wg", "mst", "mg1x")] == [True, True] + [False] * 4
    for wrong in ("wg0", "mg01", f"mg{MOST_GAPS + 1}", "planar"):
        with pytest.raises(UsageError, match=f"there are wg1 to wg{MOST_GAPS}"):
            find_chart(wrong)


# -- classes


@pytest.mark.parametrize("name", NAMES)
def test_the_trees_that_a_chart_derives_are_those_of_its_class(name: str) -> None:
    """All trees of up to five words, with one root or several."""
    system, items = find_chart(name), chart(name)
    for n in range(1, 6):
        for heads in forests(n):
            assert (items.derive(heads) is not None) == belongs(heads, system), heads


@pytest.mark.slow
@pytest.mark.parametrize(("name", "counts"), [("wg1", WG1), ("mg1", MG1), ("mg2", ALL)])
def test_how_many_trees_a_chart_derives(name: str, counts: tuple[int, ...]) -> None:
    system, items = find_chart(name), chart(name)
    for n, count in enumerate(counts, 1):
        single = [heads for heads in forests(n) if heads.count(0) == 1]
        derived = [heads for heads in single if items.derive(heads) is not None]
        assert (len(single), len(derived)) == (ALL[n - 1], count)
        assert derived == [heads for heads in single if belongs(heads, system)]
        assert derived == [heads for heads in single if items.derive(heads, single_root=True) is not None]


def test_how_many_trees_are_projective() -> None:
    for n, count in enumerate(PROJECTIVE, 1):
        assert sum(structure.is_projective(heads) for heads in forests(n) if heads.count(0) == 1) == count


@pytest.mark.slow
@settings(max_examples=60)
@given(random_forests(9))
def test_recognisers_and_charts_agree(heads: list[int]) -> None:
    for name in (*NAMES, "wg3", "mg3"):
        system = find_chart(name)
        expected = belongs(heads, system)
        assert (CHARTS.setdefault(name, chart(name)).derive(heads) is not None) == expected
        assert recognise(numpy.array(heads, dtype=numpy.int32), system.k, system.well_nested) is expected


CHARTS: dict[str, Chart] = {}


def test_ten_words_that_are_strongly_ill_nested() -> None:
    heads = numpy.array(STRONG, dtype=numpy.int32)
    assert structure.gap_degree(STRONG) == 1
    assert [recognise(heads, k, well_nested=False) for k in (1, 2)] == [False, True]
    assert [chart(name).derive(STRONG) is not None for name in ("mg1", "mg2", "wg2")] == [False, True, False]


# -- derivations


def test_each_well_nested_tree_has_one_derivation() -> None:
    """By counting: all derivations of all trees, and those of each tree."""
    for n, count in enumerate(WG1, 1):
        assert chart("wg1").count(n, single_root=True) == count
    for name in ("wg1", "wg2", "wg3"):
        system, items = find_chart(name), chart(name)
        for n in range(1, 6):
            trees = [heads for heads in forests(n) if belongs(heads, system)]
            assert items.count(n) == len(trees)
            assert all(items.count(heads) == 1 for heads in trees)


@settings(max_examples=150)
@given(random_forests(13))
def test_one_derivation_of_longer_trees(heads: list[int]) -> None:
    for name in ("wg1", "wg2", "wg3"):
        count = CHARTS.setdefault(name, chart(name)).count(heads)
        assert count == belongs(heads, find_chart(name))


def test_without_flags_there_are_more_derivations() -> None:
    """The flags lose no tree: what any order derives is derived, if less often."""
    for k, well_nested in ((1, True), (1, False), (2, False)):
        system = ChartSystem("", k, well_nested)
        free = Chart(compile_steps(system.strings, k, any_order(system.strings)))
        flagged = Chart(system.compile())
        for n in range(1, 6):
            assert all((free.count(heads) > 0) == (flagged.count(heads) > 0) for heads in forests(n))
        assert free.count(5) > 1.2 * flagged.count(5)


def test_a_derivation_has_the_items_of_the_paper() -> None:
    """The words 2 and 4 are below 4, and 1 and 3 around and between."""
    heads = (0, 4, 1, 1)
    found = chart("wg1").derive(heads)
    assert found is not None
    strings = find_chart("wg1").strings
    shown = [(strings[step] if step >= 0 else "", head, ends, before) for step, head, ends, before in found]
    assert shown == [
        ("", 2, [], []),
        ("", 4, [2, 2], [0]),
        ("", 1, [1, 2, 4, 4], [1]),
        ("", 3, [], []),
        ("", 1, [3, 3], [3]),
        ("aba", 1, [1, 4], [2, 4]),
        ("", 0, [0, 4], [5]),
    ]
    made = {(head, below) for step, head, _, before in found if step == -1 for below in [found[before[0]][1]]}
    assert made == {(head, word) for word, head in enumerate(heads, 1)}


# -- the best tree


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("single_root", [False, True])
def test_the_best_tree_is_the_best_by_enumeration(name: str, single_root: bool) -> None:
    random = numpy.random.default_rng(1)
    system, best = find_chart(name), decoder(name)
    best.certify = False
    for n in range(1, 7):
        trees = [heads for heads in forests(n) if not single_root or heads.count(0) == 1]
        array = numpy.array(trees)
        members = numpy.array([recognise(heads.astype(numpy.int32), system.k, system.well_nested) for heads in array])
        for _ in range(20 if n < 6 else 8):
            scores = random.normal(size=(n + 1, n + 1)) * 10
            values = scores[array, numpy.arange(1, n + 1)].sum(axis=1)
            heads = solve(best, scores, single_root)
            assert value(scores, heads[1:].tolist()) == pytest.approx(values[members].max())
            assert best.score == best.bound == pytest.approx(values[members].max())
            assert best.how == Found.CHARTED


@pytest.mark.parametrize("name", ["wg1", "mg1", "mg2"])
def test_certificates_and_the_order_of_the_search_change_nothing(name: str) -> None:
    random = numpy.random.default_rng(2)
    system, best = find_chart(name), decoder(name)
    seen = set()
    for n in (7, 9, 12) if name != "mg2" else (7, 8):
        for round in range(8):
            scores = random.normal(size=(n + 1, n + 1))
            if round % 2:  # whole numbers, so that many trees are equally good
                scores = numpy.round(scores * 2)
            for single_root in (False, True):
                found = []
                for best.certify, best.best_first in ((True, True), (False, True), (False, False)):
                    heads = solve(best, scores, single_root)[1:]
                    seen.add(best.how)
                    found.append(best.score)
                    assert best.score == best.bound == pytest.approx(value(scores, heads.tolist()))
                    assert recognise(heads, system.k, system.well_nested)
                    assert not single_root or (heads == 0).sum() == 1
                assert found == pytest.approx([found[0]] * 3)
    assert seen == {Found.CERTIFIED, Found.CHARTED}


def test_a_chart_touches_few_items() -> None:
    """Scores as a model has them: what is right scores more, and long arcs score less."""
    random = numpy.random.default_rng(3)
    best = decoder("mg1")
    best.certify = False
    n = 40
    places = numpy.arange(n + 1)
    for _ in range(5):
        scores = random.normal(size=(n + 1, n + 1)) - numpy.log1p(abs(places[:, None] - places[None, :]))
        scores[places[:-1], places[1:]] += 3
        solve(best, scores)
        assert best.how == Found.CHARTED
        assert best.items < 20_000  # of more than n ** 4


@pytest.mark.parametrize("name", ["wg1", "mg1"])
def test_a_limit_gives_what_is_known(name: str) -> None:
    random = numpy.random.default_rng(4)
    exact, limited = decoder(name), decoder(name, limit=100)
    least = 0.0
    for _ in range(10):
        scores = random.normal(size=(16, 16))
        heads = solve(limited, scores)
        solve(exact, scores)
        assert recognise(heads[1:], 1, name == "wg1")
        assert limited.score >= value(scores, best_projective_tree(scores)[1:].tolist()) - 1e-9
        assert limited.score <= exact.score + 1e-9
        assert exact.score <= limited.bound + 1e-9
        assert limited.bound <= value(scores, best_tree(scores)[1:].tolist()) + 1e-9
        least = max(least, limited.bound - limited.score)
    assert limited.limited
    assert limited.limited + limited.certified + limited.charted == 10
    assert exact.limited == 0
    assert limited.furthest == least > 0


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("name", ["wg1", "mg1", "mg2"])
def test_a_limit_gives_more_than_projective_trees(name: str, single_root: bool) -> None:
    """The best projective tree is made better, as long as it stays in the class."""
    random = numpy.random.default_rng(9)
    limited, gain, system = decoder(name, limit=1), 0.0, find_chart(name)
    for _ in range(5):
        scores = random.normal(size=(26, 26))
        heads = solve(limited, scores, single_root=single_root)
        assert recognise(heads[1:], system.k, system.well_nested)
        assert (heads[1:] == 0).sum() == 1 or not single_root
        known = value(scores, best_projective_tree(scores, single_root=single_root)[1:].tolist())
        assert known <= limited.score <= limited.bound
        gain += limited.score - known
    assert limited.limited == 5
    assert gain > 5  # of about 40 each


def test_memory_is_bounded() -> None:
    random = numpy.random.default_rng(5)
    small = decoder("mg1", limit=10**9, megabytes=1)
    scores = random.normal(size=(31, 31))
    solve(small, scores)
    assert small.how == Found.LIMITED
    assert small.items < 1_000_000 // 80
    assert small.bound > small.score


def test_a_long_sentence_is_made_projective() -> None:
    """There is no time for the best projective tree."""
    random = numpy.random.default_rng(6)
    long = decoder("mg1")
    n = 2001
    scores = random.normal(size=(n + 1, n + 1))
    heads = solve(long, scores, single_root=True)
    assert long.how == Found.LIMITED
    assert long.items == 0
    assert recognise(heads[1:], 1, well_nested=True)
    assert (heads[1:] == 0).sum() == 1
    assert long.score < long.bound == pytest.approx(value(scores, best_tree(scores, single_root=True)[1:].tolist()))


def test_a_long_sentence_that_is_certified() -> None:
    n = 3000
    scores = numpy.zeros((n + 1, n + 1))
    scores[numpy.arange(n), numpy.arange(1, n + 1)] = 1
    long = decoder("wg1")
    assert solve(long, scores).tolist() == list(range(-1, n))
    assert long.how == Found.CERTIFIED


def test_scores_that_cannot_be() -> None:
    best = decoder("mg1")
    for wrong in (numpy.nan, numpy.inf):
        scores = numpy.zeros((4, 4))
        scores[1, 2] = wrong
        with pytest.raises(ValueError, match=r"from 1 to 2 is (nan|inf); expected a number"):
            solve(best, scores)
    with pytest.raises(ValueError, match="too few arcs are allowed"):
        solve(best, numpy.full((4, 4), -numpy.inf))
    with pytest.raises(ValueError, match="expected as many heads as dependents"):
        solve(best, numpy.zeros((3, 4)))
    with pytest.raises(ValueError, match="megabytes"):
        solve(best, numpy.zeros((1001, 1001)), megabytes=1)


def test_few_words() -> None:
    for name in NAMES:
        best = decoder(name)
        assert solve(best, numpy.zeros((1, 1))).tolist() == [-1]
        assert solve(best, numpy.zeros((2, 2)), single_root=True).tolist() == [-1, 0]
        best.certify = False
        assert solve(best, numpy.zeros((2, 2)), single_root=True).tolist() == [-1, 0]


@pytest.mark.parametrize("name", ["wg1", "mg1"])
def test_arcs_that_are_not_allowed(name: str) -> None:
    """Only the arcs of one tree, in the class or not; and those of two, of which one is."""
    random = numpy.random.default_rng(7)
    system, best = find_chart(name), decoder(name)
    trees = forests(6)
    for _ in range(200):
        heads, others = (trees[random.integers(len(trees))] for _ in range(2))
        scores = numpy.full((7, 7), -numpy.inf)
        scores[heads, numpy.arange(1, 7)] = random.normal(size=6)
        if belongs(heads, system):
            assert solve(best, scores)[1:].tolist() == list(heads)
        else:
            with pytest.raises(ValueError, match="too few arcs are allowed"):
                solve(best, scores)
        scores[others, numpy.arange(1, 7)] = random.normal(size=6)
        possible = [
            value(scores, both)
            for both in itertools.product(*zip(heads, others, strict=True))
            if structure.is_tree(both) and belongs(both, system)
        ]
        if possible:
            solve(best, scores)
            assert best.score == pytest.approx(max(possible))


def test_heads_that_are_no_tree() -> None:
    assert chart("mg1").derive((2, 1, 0)) is None
    for wrong in ((4, 0, 0), (1, 0), (-1, 0)):
        with pytest.raises(ValueError, match="expected a place in the sentence"):
            chart("mg1").derive(wrong)


@pytest.mark.parametrize("name", ["mst", "eisner", *NAMES])
def test_a_decoder_by_its_name(name: str) -> None:
    scores = numpy.array([[0, 9, 10, 9], [0, 0, 20, 3], [0, 30, 0, 30], [0, 11, 0, 0.0]])
    assert solve(make_decoder(name), scores).tolist() == [-1, 2, 0, 2]


@settings(max_examples=60)
@given(st.integers(2, 9), st.randoms(use_true_random=False), st.booleans())
def test_equal_scores_in_plenty(n: int, random: object, single_root: bool) -> None:
    """Votes: few voters, whole numbers; the best tree of a smaller class is never better."""
    draw = random.randint  # type: ignore[attr-defined]
    scores = numpy.array([[float(draw(0, 3)) for _ in range(n + 1)] for _ in range(n + 1)])
    found = []
    for name in ("eisner", "wg1", "mg1", "mg2", "mst"):
        heads = solve(make_decoder(name), scores, single_root)[1:].tolist()
        found.append(value(scores, heads))
        assert not is_chart(name) or belongs(heads, find_chart(name))
    assert found == sorted(found)


# -- commands


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of arcs, with a chart as its decoder."""
    folder = tmp_path_factory.mktemp("model")
    (folder / "train.conll").write_text("".join(sample.text(60)))
    options = ["-a", "mg1", "--passes", "2"]
    assert malt(["train", "-c", str(folder / "m"), *options, str(folder / "train.conll")]) == 0
    return folder / "m.mco"


@pytest.mark.slow
def test_parse_tells_how_trees_were_found(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.conll").write_text("".join(sample.text(200, seed=7)))
    capsys.readouterr()
    enough = ["--items", "3000000"]
    assert malt(["parse", "-c", str(model), *enough, "in.conll", "-o", "out.conll"]) == 0
    found = re.search(
        r"Certified by the best of all trees: (\d+) trees; by a chart: (\d+), with",
        (errors := capsys.readouterr().err),
    )
    assert found
    assert int(found[1]) + int(found[2]) == 200
    assert "not certain" not in errors
    with open_treebank("out.conll") as treebank:
        trees = [sentence.heads for block in treebank for sentence in sentences_of(block)]
    assert all(is_derived(heads, "mg1") for heads in trees)
    assert malt(["parse", "-c", str(model), "--items", "1", "in.conll", "-o", "few.conll"]) == 0
    warning = re.search(
        rf"not certain to be the best: {found[2]} trees, .* at most [\d.,e+]+ too low", (capsys.readouterr().err)
    )
    assert warning
    assert malt(["parse", "-c", str(model), *enough, "-j", "2", "in.conll", "-o", "two.conll"]) == 0
    assert found[0] in capsys.readouterr().err
    assert Path("two.conll").read_bytes() == Path("out.conll").read_bytes()


def test_what_is_told_counts_as_scores_do(model: Path) -> None:
    """How far trees may be from the best is told in the unit of scores that traces show."""
    loaded = load(model)
    loaded.items = 1
    list(loaded.parse("".join(sample.text(100, seed=7))))
    assert loaded.structured is not None
    raw = max(one.furthest for one in loaded.structured.decoders if isinstance(one, ChartDecoder))
    assert loaded.tally().furthest == raw / UNIT > 0


@pytest.mark.slow
def test_deductions_are_shown(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{word}\tw{word}\t_\tA\tX\t_\t{head}\tx\t_\t_\n" for word, head in enumerate((0, 1, 1, 2, 3), 1)]
    Path("ill.conll").write_text("".join(rows) + "\n")
    assert malt(["trace", "-a", "mg1", "ill.conll"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[lines.index("deduced by mg1:") + 1 :][:8] == [
        "   1  [4, 4, 4, []]        hypothesis",
        "   2  [4, 4, 2, []]        Link 1: the arc (2, 4)",
        "   3  [1, 4, 1, [(3, 3)]]  Link 2: the arc (1, 2)",
        "   4  [5, 5, 5, []]        hypothesis",
        "   5  [5, 5, 3, []]        Link 4: the arc (3, 5)",
        "   6  [3, 5, 1, [(4, 4)]]  Link 5: the arc (1, 3)",
        "   7  [1, 5, 1, []]        Combine Interleaving 3, 6 (abab)",
        "   8  [0, 5, 0, []]        Link 7: the arc (0, 1)",
    ]
    assert malt(["trace", "-a", "wg1", "ill.conll"]) == 0
    assert "wg1 does not derive this tree: it is no well-nested tree of gap degree at most 1" in capsys.readouterr().out
    rows = [f"{word}\tw\t_\tA\tX\t_\t{min(word - 1, 1)}\tx\t_\t_\n" for word in range(1, 101)]
    Path("star.conll").write_text("".join(rows) + "\n")
    assert malt(["trace", "-a", "mg1", "star.conll"]) == 0
    assert "deduced by mg1, with too many items to be shown" in capsys.readouterr().out
    rows = [f"{word}\tw\t_\tA\tX\t_\t{word - 1}\tx\t_\t_\n" for word in range(1, 20_001)]
    Path("long.conll").write_text("".join(rows) + "\n")
    for chosen in (["-a", "mg1"], ["-c", str(model)]):
        assert malt(["trace", *chosen, "long.conll"]) == 0
        assert "line 1: a sentence of 20,000 words has too many pairs of them" in capsys.readouterr().err
    assert malt(["trace", "-c", str(model), "ill.conll"]) == 0
    assert "deduced by mg1:" in capsys.readouterr().out
    assert malt(["parse", "-c", str(model), "-v", "debug", "ill.conll"]) == 0
    assert "deduced by mg1:" in capsys.readouterr().err


def test_systems_shows_the_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["systems", "wg1"]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r"^Combine ", shown, re.MULTILINE)) == 8
    assert re.search(
        r"^Combine Closing Gap +aba +\[i1, i4 - 1, h, \[\(i2, i3 - 1\)\]\] +\[i2, i3 - 1, h, \[\]\] +⊢ ", shown, re.M
    )
    assert "O(n^7)" in shown
    assert malt(["systems", "mg3"]) == 0
    shown = capsys.readouterr().out
    assert len(re.findall(r"^Combine ", shown, re.MULTILINE)) == 616
    assert "O(n^13)" in shown
    assert malt(["systems", "mg5"]) == 2
    assert "there is no chart 'mg5'; there are wg1 to wg4 and mg1 to mg4" in capsys.readouterr().err


def test_items_are_for_charts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.conll").write_text("".join(sample.text(5)))
    arguments = ["train", "-c", str(tmp_path / "m"), "--items", "5", str(tmp_path / "train.conll")]
    assert malt([*arguments, "-a", "mst"]) == 2
    assert "--items is for charts (-a wg1, mg1 ...), not for -a mst" in capsys.readouterr().err


@pytest.mark.slow
def test_learned_scores(model: Path) -> None:
    """With and without certificates, best first and with all items: the same score."""
    loaded = load(model)
    parser = loaded.make_parser()
    assert loaded.structured is not None
    [decoder] = loaded.structured.decoders
    assert isinstance(decoder, ChartDecoder)
    seen = 0
    for block in read_text(
        "".join(sample.text(150, seed=3)).encode(), loaded.format, "sample", loaded.tables, frozen=True
    ):
        for sentence in sentences_of(block):
            if len(sentence.heads) > 12:
                continue
            found = []
            for decoder.certify, decoder.best_first in ((True, True), (False, True), (False, False)):
                parser.parse(block.only(sentence.index))
                assert decoder.score == decoder.bound
                found.append(decoder.score)
            assert found == [found[0]] * 3  # weights are whole numbers
            seen += 1
    assert seen > 50
    assert decoder.limited == 0
