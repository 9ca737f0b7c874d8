"""Pictures of trees: where things are, what they say, and that text stays text."""

from __future__ import annotations

import io
import itertools
import re
import sys
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
import structure
from conftest import ROOT
from hostile import FIELDS, treebank
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from trees import crossing, random_forests

import malt
from malt.commands import malt as program
from malt.commands.draw import Choice
from malt.data.sentence import Sentence, sentences_of
from malt.drawing.trees import latex, text
from malt.drawing.trees.layout import Bow, lay_out
from malt.drawing.trees.svg import legend_lines, standalone, svg
from malt.drawing.trees.tree import Tree, comparison_of, crossings_of, first_words, planes_of, tree_of
from malt.drawing.trees.width import cells, clusters, is_right_to_left, pixels, shorten
from malt.errors import UsageError
from malt.evaluation.convention import CONVENTIONS
from malt.kernel.layout import brackets, heights
from malt.running.colours import has_colours

HEARING = [2, 3, 0, 3, 2, 7, 5, 4]  # A hearing is scheduled on the issue today
SPACE = "{http://www.w3.org/2000/svg}"


def sentence(heads: list[int], forms: list[str] | None = None, labels: list[str] | None = None) -> Sentence:
    forms = forms or [f"w{i}" for i in range(1, len(heads) + 1)]
    labels = labels or ["x"] * len(heads)
    rows = [
        (form, "T", head if head >= 0 else "_", label) for form, head, label in zip(forms, heads, labels, strict=True)
    ]
    return Sentence.from_rows(rows, "malttab")


def parsed(picture: str) -> Element:
    return etree.fromstring(picture.encode(), etree.XMLParser(resolve_entities=False))  # type: ignore[no-any-return]


# -- planes and places


@settings(max_examples=50)
@given(random_forests())
def test_no_two_arcs_of_a_plane_cross(heads: list[int]) -> None:
    planes, number = planes_of(heads)
    links = structure.links(heads)
    for one, two in itertools.combinations(links, 2):
        if planes[one - 1] == planes[two - 1]:
            assert not crossing(links[one], links[two])
    assert number == max(planes) + 1
    assert sorted(crossings_of(heads)) == sorted(structure.crossings(heads))


@settings(max_examples=50)
@given(random_forests(most=12))
def test_as_few_planes_as_are_enough(heads: list[int]) -> None:
    assert structure.planarity(heads) == (planes_of(heads)[1],) * 2


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)).map(sorted).map(tuple), max_size=25))
def test_heights(spans: list[tuple[int, int]]) -> None:
    found, _ = heights(spans)
    for (one, h1), (two, h2) in itertools.combinations(zip(spans, found, strict=True), 2):
        if max(one[0], two[0]) < min(one[1], two[1]):  # they run over the same stretch
            assert h1 != h2
        if one != two and one[0] <= two[0] and two[1] <= one[1] and two[0] < two[1]:
            assert h2 < h1
    assert all(height >= 1 for height in found)


def meet(one: Bow, two: Bow) -> bool:
    """Whether two brackets meet on the paper: a leg of one goes through the top of the other."""
    return any(
        min(low.x1, low.x2) < x < max(low.x1, low.x2)
        for low, high in ((one, two), (two, one))
        if low.height <= high.height
        for x in (high.x1, high.x2)
    )


@settings(max_examples=50)
@given(random_forests(most=15), st.booleans())
def test_arcs_meet_where_the_tree_has_a_crossing_and_nowhere_else(heads: list[int], below: bool) -> None:
    tree = tree_of(sentence(heads))
    layout = lay_out(tree, below)
    bows = [bow for bow in layout.bows if not bow.straight]
    for one, two in itertools.combinations(bows, 2):
        if one.below == two.below:
            assert meet(one, two) == crossing(one.arc.ends, two.arc.ends)
    crossed = [pair for pair in tree.crossings if len({planes_of(heads)[0][word - 1] % 2 for word in pair}) == 1]
    assert len(layout.crossings()) == len(crossed if below else tree.crossings)
    if below and tree.planes == 2:
        assert not layout.crossings()


@settings(max_examples=50)
@given(random_forests(most=15), st.lists(st.text("abcdefg", min_size=1, max_size=12), min_size=15, max_size=15))
def test_words_and_labels_do_not_overlap(heads: list[int], texts: list[str]) -> None:
    tree = tree_of(sentence(heads, texts[: len(heads)], texts[: len(heads)]))
    layout = lay_out(tree)
    words = sorted(
        (x - pixels(form, 15) / 2, x + pixels(form, 15) / 2) for x, form in zip(layout.x, tree.forms, strict=True)
    )
    assert all(right < left for (_, right), (left, _) in itertools.pairwise(words))
    assert words[0][0] >= 0
    assert words[-1][1] <= layout.width
    for bow in layout.bows:
        if not bow.straight:
            assert abs(bow.x1 - bow.x2) >= pixels(bow.label, 11.5)
            assert min(bow.x1, bow.x2) <= bow.middle <= max(bow.x1, bow.x2)


def test_scripts_from_the_right_begin_at_the_right() -> None:
    layout = lay_out(tree_of(sentence([2, 0, 2], ["כלב", "נובח", "חזק"])))
    assert layout.x == sorted(layout.x, reverse=True)
    left = lay_out(tree_of(sentence([2, 0, 2], ["dog", "barks", "loud"])))
    assert left.x == sorted(left.x)


def test_anything_that_a_file_can_hold_is_drawn() -> None:
    for heads in ([-1], [0], [2, 1], [1], [-1, -1, 2], [2, 3, 1, 0, 4]):
        tree = tree_of(sentence(heads))
        assert len(tree.arcs) == sum(head >= 0 for head in heads)
        parsed(standalone([tree]))
        assert len(list(text.text(tree))) == len(heads)
        assert len(list(latex.latex(tree))) == len(tree.arcs) + 6


# -- pictures


def test_the_picture_of_the_paper() -> None:
    tree = tree_of(sentence(HEARING))
    picture = parsed(svg(tree))
    groups = {group.get("class") for group in picture.iter(f"{SPACE}g")}
    assert "arc p1 n" in groups  # of the second plane, and not projective
    assert len(list(picture.iter(f"{SPACE}circle"))) == len(structure.crossings(HEARING)) == 1
    assert not list(parsed(svg(tree, below=True)).iter(f"{SPACE}circle"))
    assert legend_lines([tree]) == ["plane 1: solid · plane 2: dotted · *: not projective"]
    assert legend_lines([tree_of(sentence([2, 0]))]) == []


def test_the_picture_of_the_readme(tmp_path: Path) -> None:
    drawn = tmp_path / "2planar.svg"
    assert program(["draw", str(ROOT / "docs/2planar.conll"), "-o", str(drawn)]) == 0
    assert drawn.read_bytes() == (ROOT / "docs/2planar.svg").read_bytes()


def test_every_tree_of_the_sample_is_well_formed() -> None:
    trees = [tree_of(one) for one in malt.read(malt.sample.text(60))]
    picture = parsed(standalone(trees))
    assert len([t for t in picture.iter(f"{SPACE}text") if t.get("class") == "form"]) == sum(
        len(t.forms) for t in trees
    )
    for tree in trees:
        parsed(svg(tree))


def hostile_tree() -> Tree:
    [block] = malt.data.treebank.read_text(
        treebank().encode(), malt.data.formats.dataformat.find_format("conllu"), "hostile"
    )
    return tree_of(next(sentences_of(block)))


def shown(field: str) -> str:
    """What is to be seen of a field: control characters as their pictures."""
    return (
        re.sub(r"[\x01-\x1f]", lambda m: chr(0x2400 + ord(m[0])), field)
        .replace("\x7f", "␡")
        .translate(dict.fromkeys([0x202E, 0x2066, 0xFFFE], 0xFFFD))
    )


def test_hostile_fields_are_text_in_a_picture() -> None:
    tree = hostile_tree()
    for picture in (standalone([tree]), standalone([comparison_of_itself(tree)])):
        root = parsed(picture)
        names = {element.tag.removeprefix(SPACE) for element in root.iter()}
        assert names == {"svg", "style", "rect", "g", "title", "path", "text", "circle"} - ({"circle"} - names)
        assert {key for element in root.iter() for key in element.keys()} <= {  # noqa: SIM118
            *("class", "width", "height", "viewBox", "role", "aria-label", "d", "x", "y", "cx", "cy", "r"),
        }
        forms = ["".join(element.itertext()) for element in root.iter(f"{SPACE}text") if element.get("class") == "form"]
        assert forms == [shown(form) for form in tree.forms]


def comparison_of_itself(tree: Tree) -> Tree:
    [block] = malt.data.treebank.read_text(
        treebank().encode(), malt.data.formats.dataformat.find_format("conllu"), "hostile"
    )
    other = treebank().replace("\t1\t", "\t2\t", 3)
    [second] = malt.data.treebank.read_text(
        other.encode(), malt.data.formats.dataformat.find_format("conllu"), "hostile"
    )
    return comparison_of(next(sentences_of(block)), next(sentences_of(second)), CONVENTIONS["ud"])


def test_hostile_fields_do_nothing_in_a_terminal() -> None:
    lines = list(text.text(hostile_tree()))
    assert all(line.isprintable() or "\ufffd" in line or "\u2028" in line for line in lines)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202e\u2066]", "".join(lines))
    assert len(lines) == len(FIELDS)


def test_hostile_fields_are_text_in_latex() -> None:
    lines = "\n".join(latex.latex(hostile_tree()))
    assert "\\input" not in lines
    assert "\\textbackslash{}input\\{/etc/passwd\\}\\%\\$\\symbol{38}\\#\\_" in lines
    body = re.sub(r"\\text(backslash|asciicircum|asciitilde|less|greater|bar|asciigrave|quotesingle)\{\}", "", lines)
    assert not re.search(r"(?<!\\)[%#$^~<>]", body.replace("\\&", ""))
    assert body.count("{") - body.count("\\{") == body.count("}") - body.count("\\}")


# -- text


def test_text_lines_up() -> None:
    forms = ["日本", "cafe\u0301", "👩‍🚀", "שלום", "x" * 60]
    lines = list(text.text(tree_of(sentence([2, 0, 2, 3, 3], forms))))
    places = {cells(line[: line.rindex("  ")]) for line in lines}
    assert len(places) == 1
    assert "\x1b" not in "".join(lines)
    painted = list(text.text(tree_of(sentence([2, 0, 2, 3, 3], forms)), colour=True))
    assert [re.sub(r"\x1b\[[\d;]*m", "", line) for line in painted] == lines


@given(random_forests(most=15))
def test_brackets_that_meet_at_a_word_are_apart(heads: list[int]) -> None:
    spans = [(min(head, word), max(head, word)) for word, head in enumerate(heads, 1) if head not in (0, word, -1)]
    found, _ = heights(spans, apart=True)
    for (one, h1), (two, h2) in itertools.combinations(zip(spans, found, strict=True), 2):
        if {*one} & {*two} or max(one[0], two[0]) < min(one[1], two[1]):
            assert h1 != h2


def test_a_chain_needs_two_places() -> None:
    lines = list(text.text(tree_of(sentence(list(range(5000))))))
    assert len(lines) == 5000
    assert max(map(len, lines)) < 40
    assert brackets(3, [(1, 2, 0, 1), (2, 3, 0, 1)], 100)[2] == 5


def test_long_sentences_are_shown_in_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All words hang on the first, and those of the second half on words of the first, so that all these arcs cross."""
    words = 3000
    heads = [0, *(1 if word <= words // 2 else word - words // 2 for word in range(2, words + 1))]
    source = tmp_path / "long.conll"
    source.write_text("".join(f"{i}\tw\t_\tN\tN\t_\t{head}\tx\t_\t_\n" for i, head in enumerate(heads, 1)) + "\n")
    assert program(["draw", str(source)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-2].endswith(
        "arcs are not drawn: over 100 others at a place; all have their heads in numbers"
    )
    assert len(out) < 300 * words
    for kind in ("svg", "html", "latex"):
        assert program(["draw", str(source), "--as", kind]) == 0
        out = capsys.readouterr().out
        assert "Only the first 1,000 of 3,000 words are shown, and the arcs between them." in out
        assert len(out) < 5_000_000


def test_crossings_that_are_too_many_to_mark() -> None:
    words = 200
    tree = tree_of(sentence([0, *(1 if word <= 100 else word - 99 for word in range(2, words + 1))]))
    shown = first_words(tree)
    assert len(tree.crossings) > len(shown.crossings) == 2000
    assert shown.left_out == f"Only 2,000 of {len(tree.crossings):,} crossings are marked."
    assert standalone([tree]).count('class="crossing"') == 2000


def test_the_sentence_as_it_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "one.conllu"
    rows = ["1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_", "2\tsings\tsing\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No"]
    source.write_text("\n".join(["# sent_id = a", "# text = She sings.", *rows, "", ""]))
    assert program(["draw", str(source)]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["sentence 1 (a)", "She sings."]
    assert program(["draw", str(source), "--as", "html"]) == 0
    assert '"text":"She sings."' in capsys.readouterr().out


def test_text_of_a_comparison() -> None:
    gold = sentence(HEARING, labels=["d", "s", "r", "v", "n", "d", "p", "t"])
    system = sentence([2, 3, 0, 3, 4, 7, 5, 4], labels=["d", "s", "r", "v", "n", "d", "p", "u"])
    lines = list(text.text(comparison_of(gold, system, CONVENTIONS["conllx"])))
    assert lines[4].endswith("4  n  (right: 2 n*)")
    assert "━" in lines[4]
    assert lines[7].endswith("4  u (t)")


def test_colours_only_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert not has_colours()
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert has_colours()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colours()


@settings(max_examples=40)
@given(st.text(max_size=40))
def test_widths(string: str) -> None:
    assert "".join(clusters(string)) == string
    assert 0 <= cells(string) <= 2 * len(string)
    assert len(list(clusters(shorten(string, 10)))) <= 11
    assert pixels(string, 10) >= 0
    is_right_to_left(string)


# -- comparisons


def test_scores_are_those_of_eval(tmp_path: Path) -> None:
    from malt.evaluation.evaluation import evaluate

    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_bytes("".join(malt.sample.text(40)).encode())
    system.write_text(re.sub(r"\t1\t(nsubj|punct|obj)\t", r"\t2\tobj\t", gold.read_text("utf-8")), "utf-8")
    trees = [
        comparison_of(one, two, CONVENTIONS["conllx"])
        for one, two in zip(malt.read(str(gold)), malt.read(str(system)), strict=True)
    ]
    line = evaluate(str(gold), [str(system)]).systems[0].scores["conllx"].counts(punctuation=False)
    assert tuple(map(sum, zip(*(tree.counts for tree in trees), strict=True))) == (
        line.gold,
        line.gold_head,
        line.gold_both,
    )
    assert 0 < line.gold_both < line.gold


def test_kinds_of_a_comparison() -> None:
    tree = comparison_of(
        sentence([2, 0, 2], labels=list("abc")), sentence([3, 0, 2], labels=list("abd")), CONVENTIONS["conllx"]
    )
    assert [(arc.head, arc.word, arc.kind, arc.wanted) for arc in tree.arcs] == [
        (3, 1, "head", ""),
        (2, 1, "gold", ""),
        (0, 2, "", ""),
        (2, 3, "label", "c"),
    ]
    assert (tree.las, tree.uas, dict(tree.wrong)) == (1 / 3, 2 / 3, {"head": 1, "label": 1})
    assert {group.get("class") for group in parsed(svg(tree)).iter(f"{SPACE}g")} == {
        *("arc p0", "arc p0 n head", "arc p0 label", "arc p0 gold"),
    }


def test_a_word_that_the_parser_left_alone_is_wrong() -> None:
    tree = comparison_of(sentence([2, 0]), sentence([-1, 0]), CONVENTIONS["conllx"])
    assert tree.counts == (2, 1, 1)
    assert [arc.kind for arc in tree.arcs] == ["gold", ""]


def test_syntactic_words_are_said() -> None:
    rows = [
        "1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tde\t_\tADP\t_\t_\t2\tcase\t_\t_",
        "2\tel\t_\tDET\t_\t_\t0\troot\t_\t_",
    ]
    rows += ["2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_"]
    tree = tree_of(Sentence.from_text("# sent_id = es-1\n" + "\n".join(rows) + "\n\n", "conllu"))
    assert (
        tree.left_out == "The tree is of syntactic words; 1 multiword token and 1 empty node of the file are not shown."
    )
    assert (tree.forms, tree.name) == (["de", "el"], "es-1")


# -- the command


def run(capsysbinary: pytest.CaptureFixture[bytes], *argv: str) -> tuple[int, str, str]:
    code = program(["draw", *argv])
    out, err = capsysbinary.readouterr()
    return code, out.decode(), err.decode()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sample.conll"
    path.write_bytes("".join(malt.sample.text(12)).encode())
    return path


def test_kinds_by_suffix_and_by_name(file: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    begins = {"svg": "<svg ", "html": "<!DOCTYPE html>", "latex": "% In the preamble", "text": "sentence 2"}
    for suffix, kind in (("svg", "svg"), ("html", "html"), ("tex", "latex"), ("txt", "text")):
        out = tmp_path / f"out.{suffix}"
        assert run(capsysbinary, str(file), "-o", str(out), "--sentences", "2-4")[0] == 0
        code, printed, _ = run(capsysbinary, str(file), "--as", kind, "--sentences", "2-4")
        assert code == 0
        assert out.read_text("utf-8") == printed
        assert printed.startswith(begins[kind])


def test_sentences_are_chosen(file: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    _, printed, _ = run(capsysbinary, str(file), "--sentences", "2,5-6,11-")
    assert re.findall(r"^sentence (\d+)", printed, re.M) == ["2", "5", "6", "11", "12"]
    code, _, err = run(capsysbinary, str(file), "--sentences", "40")
    assert (code, err.splitlines()[-1]) == (1, f"malt: {file}: there are no sentences that --sentences 40 names")
    for wrong in ("0", "a", "5-3", "1,,2", "-"):
        with pytest.raises(UsageError, match="expected numbers and ranges"):
            Choice.of(wrong)


def test_two_files_need_the_same_words(file: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    other = tmp_path / "other.conll"
    other.write_bytes("".join(malt.sample.text(12, seed=9)).encode())
    code, _, err = run(capsysbinary, str(file), str(other))
    assert code == 1
    assert "both files need the same words" in err or "the sentence ends" in err
    bare = tmp_path / "bare.conll"
    bare.write_text("1\tA\t_\tN\tN\t_\t_\t_\t_\t_\n\n")
    code, _, err = run(capsysbinary, str(bare), str(bare))
    assert code == 1
    assert "line 1: a word has no head, but in the gold standard every word needs one" in err
    assert run(capsysbinary, "-", "-")[0] == 2


def test_a_sentence_shows_itself() -> None:
    one = sentence(HEARING)
    parsed(one._repr_svg_())
    assert one._repr_svg_() in one._repr_html_()


# -- the command


@pytest.mark.parametrize("name", ["x.png", "x.pdf", "x.conll"])
def test_suffixes_that_say_nothing(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / name
    source = str(ROOT / "docs/2planar.conll")
    assert program(["draw", source, "-o", str(out)]) != 0
    assert ".svg, .html, .tex or .txt" in capfd.readouterr().err
    assert not out.exists()
    assert program(["draw", source, "--as", "svg", "-o", str(out)]) == 0
    assert out.read_bytes().startswith(b"<svg")


def test_what_makes_no_sense_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = str(ROOT / "docs/2planar.conll")
    for command in (["draw"], ["trace", "-a", "2planar"]):
        assert program([*command, source, "--sentences", ""]) != 0
        assert "'' is neither" in capfd.readouterr().err
    assert program(["draw", source, "--planes", "below"]) == 0
    assert "--planes below has no effect" in capfd.readouterr().err
    assert program(["draw", source, "--planes", "below", "-o", str(tmp_path / "x.svg")]) == 0
    assert "no effect" not in capfd.readouterr().err


def test_pages_of_traces(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source, one, two = str(ROOT / "docs/2planar.conll"), tmp_path / "one.html", tmp_path / "two.html"
    assert program(["trace", "-a", "2planar", "--html", str(one), source]) == 0
    assert capfd.readouterr().out == ""
    assert program(["trace", "-a", "2planar", source, "-o", str(two)]) == 0
    assert program(["trace", "-a", "2planar", "--html", "-", source]) == 0
    assert one.read_text("utf-8") == two.read_text("utf-8") == capfd.readouterr().out
    assert program(["trace", "-a", "2planar", "--html", str(one), "-o", str(two), source]) != 0
    assert "give one of them" in capfd.readouterr().err


def test_brackets_face_the_way_of_the_sentence() -> None:
    rows = [
        ("שלום", "X", 0, "root"),
        ("(", "P", 1, "x"),
        ("2026", "N", 1, "x"),
        (")", "P", 1, "x"),
        ("CNN", "N", 1, "x"),
    ]
    kinds = {
        form: kind
        for kind, form in re.findall(
            r'class="(form[^"]*)"[^>]*>([^<]*)<', svg(tree_of(Sentence.from_rows(rows, "malttab")))
        )
    }
    assert kinds == {"שלום": "form", "(": "form rtl", "2026": "form rtl", ")": "form rtl", "CNN": "form"}
