"""Pages that stand alone: escaping, tables, plots, the gallery of a treebank, and derivations step by step."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from hostile import FIELDS, treebank
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

import malt
from malt.commands import malt as program
from malt.commands.trace import show_places
from malt.drawing.page import axes, colour, plot
from malt.drawing.page.markup import Html, data, element, escape, pack_data, visible_word
from malt.drawing.page.page import badge, figures, note, page, plots, scroll, section, table
from malt.drawing.reports.derivation import record
from malt.drawing.reports.steps import Derivation, DerivationStep
from malt.systems import find_system
from malt.systems.configuration import Configuration
from malt.systems.places import Places

ALLOWED = re.compile(
    r"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src ('none'|'sha256-[^']+')"
)


def parts(text: str) -> html.HtmlElement:
    return html.document_fromstring(text)


def values(text: str, name: str) -> Any:
    """What a page holds for its script."""
    [place] = parts(text).xpath(f"//script[@id='{name}']")
    body = place.text
    if place.get("type") == "application/octet-stream":
        body = zlib.decompress(base64.b64decode(body)).decode()
    return json.loads(body)


def derivations(page: str) -> list[dict[str, Any]]:
    """Steps are as the script sees them: by the names of their fields."""
    data = values(page, "derivations")
    found: list[dict[str, Any]] = data["all"]
    for one in found:
        one["steps"] = [dict(zip(data["system"]["fields"], step, strict=False)) for step in one["steps"]]
    return found


@given(st.text())
@settings(max_examples=60)
def test_escaped_text_is_that_text(text: str) -> None:
    root = etree.fromstring(f"<a b='{escape(text)}'>{escape(text)}</a>".encode())
    assert len(root) == 0
    kept = re.sub(r"[\r\n\t]", "", text).isprintable() and not re.search(r"[\u202a-\u202e\u2066-\u2069\r]", text)
    if kept:
        assert (root.text or "") == text
    assert escape(escape(text)) == escape(text)


def test_hostile_fields_are_text_everywhere_in_a_page() -> None:
    for field in FIELDS:
        body = [
            section(
                field, table([field, field], [[field, field], [field, 1]], caption=field, sortable=True), note(field)
            ),
            figures([(field, field)]),
            badge(field),
            plots((plot.columns([field], {field: [1.0], field + "2": [2.0]}, title=field, x=field, y=field), field)),
            plots(plot.bars([field], {field: [-1.0]}, title=field)),
            plots(plot.lines({field: [(0, 1), (1, 2)]}, title=field, names={0: field})),
            plots(plot.heat([field], [field], [[3]], title=field, x=field, y=field)),
            data("here", [field]),
        ]
        text = page(field, Html("".join(body)), subtitle=field)
        root = parts(text)
        assert not root.xpath("//img | //b | //i | //*[@onerror or @onload or @onmouseover]")
        assert len(root.xpath("//script")) == 2  # that which sorts tables, and the data
        assert json.loads(root.xpath("//script[@id='here']")[0].text) == [field]


def test_a_page_forbids_itself_everything_else() -> None:
    text = page("T", Html("<p>text</p>"), "const a = '</script>';")
    root = parts(text)
    [policy] = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    found = ALLOWED.fullmatch(policy)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert found is not None
    assert found[1] == f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    assert not re.search(r"""(src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)""", text)
    assert "prefers-color-scheme:dark" in text
    assert ALLOWED.search(page("T", "text"))


def test_contrast_of_all_colours() -> None:
    """Text is read on paper and on the ground, in both lights: a contrast of 4.5, as WCAG 2 asks for."""

    def light(value: str) -> float:
        channels = [int(value[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for colours in (colour.LIGHT, colour.DARK):
        for name in set(colours) - {"paper", "ground", "line"}:
            for under in ("paper", "ground"):
                bright, dark = sorted((light(colours[name]), light(colours[under])), reverse=True)
                assert (bright + 0.05) / (dark + 0.05) >= 4.5, (name, under)


def test_tables_know_numbers() -> None:
    root = html.fragment_fromstring(table(["a", "n", "t"], [["x", 1200, "one"], ["y", None, "2"]], best=1))
    assert [cell.get("class") for cell in root.xpath("//thead//th")] == [None, "number", None]
    assert [cell.text_content() for cell in root.xpath("//tbody//td")] == ["1,200", "one", "-", "2"]
    assert root.xpath("//tr[@class='best']/th")[0].text == "y"
    assert element("input", name="n", disabled=True) == '<input name="n" disabled="">'
    assert scroll("a") == '<div class="scroll" tabindex="0">a</div>'


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
@settings(max_examples=60)
def test_scales_have_round_numbers_inside(one: float, two: float) -> None:
    scale = axes.Scale(min(one, two), max(one, two))
    slack = 1e-6 * scale.span
    assert 2 <= len(scale.ticks()) <= 13
    assert scale.least - slack <= min(one, two) <= max(one, two) <= scale.most + slack


@pytest.mark.parametrize("numbers", [[], [0.0], [None], [5.0, None, -3.0], [0.0, 0.0], [1e-9, 2e-9], [1e9] * 30])
def test_plots_of_anything_are_well_formed(numbers: list[float | None]) -> None:
    names = [f"name {i}" for i in range(len(numbers))]
    points = [(float(i), number) for i, number in enumerate(numbers) if number is not None]
    for picture in (
        plot.columns(names, {"a": numbers, "b": numbers}, title="t", notes=names),
        plot.bars(names, {"a": numbers}, title="t", sign=True, kinds=["c1"] * len(names)),
        plot.lines({"a": points}, title="t"),
        plot.heat(names, names, [numbers] * len(names), title="t", diagonal=False),
    ):
        root = etree.fromstring(picture.encode())
        assert "nan" not in picture
        assert not any(float(rect.get("width")) < 0 or float(rect.get("height")) < 0 for rect in root.iter("{*}rect"))


def test_large_data_are_compressed() -> None:
    value = ["</script>" * 10] * 10_000
    text = page("T", pack_data("all", value))
    assert len(text) < 50_000
    assert values(text, "all") == value
    assert values(page("T", pack_data("few", [{"a": "<"}])), "few") == [{"a": "<"}]


# -- the gallery


def test_gallery(tmp_path: Path) -> None:
    gold, system, out = tmp_path / "gold.conll", tmp_path / "system.conll", tmp_path / "out.html"
    gold.write_bytes("".join(malt.sample.text(30)).encode())
    wrong = re.sub(r"\t1\t(punct|conj|parataxis)\t", r"\t2\t\1\t", gold.read_text("utf-8"))
    system.write_text(wrong.replace("\tnsubj\t", "\tobj\t", 9), "utf-8")
    assert program(["draw", str(gold), str(system), "--sentences", "3-20", "-o", str(out)]) == 0
    rows = values(out.read_text("utf-8"), "sentences")
    assert [row["number"] for row in rows] == list(range(3, 21))
    for row in rows:
        words, heads, both = row["counts"]  # type: ignore[misc]
        assert row["las"] == both / words
        assert (row["wrongHeads"], row["wrongLabels"]) == (words - heads, heads - both)  # punctuation is in neither
        assert heads <= words
        assert len(row["words"]) >= words  # type: ignore[arg-type]
        etree.fromstring(str(row["svg"]).encode())
    assert any(row["wrongHeads"] for row in rows)
    assert program(["draw", str(gold), "-o", str(out)]) == 0
    rows = values(out.read_text("utf-8"), "sentences")
    assert any("below" in row for row in rows)
    assert all(("below" in row) == (row["planes"] != 1) for row in rows)
    assert "las" not in rows[0]


def test_gallery_of_hostile_fields(tmp_path: Path) -> None:
    source, out = tmp_path / "<b>&.conllu", tmp_path / "out.html"
    source.write_bytes(treebank().encode())
    for argv in (["draw", str(source)], ["draw", str(source), str(source)], ["trace", "-a", "2planar", str(source)]):
        assert program([*argv, "-o", str(out)]) == 0
        root = parts(out.read_text("utf-8"))
        assert not root.xpath("//img | //i | //*[@onerror or @onload or @onmouseover]")
        assert len(root.xpath("//script")) == 2
        page = out.read_text("utf-8")
        [row] = values(page, "sentences") if argv[0] == "draw" else derivations(page)
        assert row["words"] == [visible_word(FIELDS[word % len(FIELDS)]) for word in range(1, len(FIELDS) + 1)]
        names = {part.tag.partition("}")[2] for part in etree.fromstring(str(row["svg"]).encode()).iter()}
        assert names <= {"svg", "g", "title", "path", "text", "circle"}


def test_a_comparison_speaks_of_the_gold_tree(tmp_path: Path) -> None:
    crossed, plain, out = tmp_path / "crossed.conll", tmp_path / "plain.conll", tmp_path / "out.html"
    for path, heads in ((crossed, (0, 4, 1, 1)), (plain, (0, 1, 1, 1))):
        rows = [
            f"{i}\t{form}\t_\tX\tX\t_\t{head}\tx" for i, (form, head) in enumerate(zip("abcd", heads, strict=True), 1)
        ]
        path.write_text("\n".join(rows) + "\n\n", "utf-8")
    for gold, system, planes in ((crossed, plain, 2), (plain, crossed, 1)):
        assert program(["draw", str(gold), str(system), "-o", str(out)]) == 0
        page = out.read_text("utf-8")
        [row] = values(page, "sentences")
        assert (row["planes"], row["projective"]) == (planes, planes == 1)
        assert f"in the gold standard {planes - 1} not projective, {planes - 1} not planar" in page


def test_words_that_are_not_seen_are_named(tmp_path: Path) -> None:
    source, out = tmp_path / "blank.conll", tmp_path / "out.html"
    forms = ["\u00a0", "\u200b", "a\x07", "b"]
    lines = [f"{i}\t{form}\t_\tX\tX\t_\t{i - 1}\tx\x07" for i, form in enumerate(forms, 1)]
    source.write_text("\n".join(lines) + "\n\n", "utf-8")
    for argv in (["draw", str(source)], ["trace", "-a", "nivreeager", str(source)]):
        assert program([*argv, "-o", str(out)]) == 0
        page = out.read_text("utf-8")
        [row] = values(page, "sentences") if argv[0] == "draw" else derivations(page)
        assert row["words"] == ["U+00A0", "U+200B", "a\u2407", "b"]
        assert "\x07" not in json.dumps(row, ensure_ascii=False).replace("\\u0007", "\x07")


# -- derivations


@pytest.mark.parametrize(
    "system", ["nivreeager", "2planar", "stacklazy", "covnonproj", "covproj", "planar", "3planar", "attardi"]
)
def test_the_page_goes_through_the_derivation(system: str, tmp_path: Path) -> None:
    source, out = tmp_path / "sample.conll", tmp_path / "out.html"
    source.write_bytes("".join(malt.sample.text(8)).encode())
    assert program(["trace", "-a", system, "--html", str(out), "--sentences", "2-5", str(source)]) == 0
    page = out.read_text("utf-8")
    assert all(values(page, "derivations")["system"]["rules"].values())
    rows = derivations(page)
    assert [row["number"] for row in rows] == [2, 3, 4, 5]
    names = list(find_system(system).transitions)
    for row in rows:
        words, steps = row["words"], row["steps"]
        c, places = Configuration(find_system(system), words), Places(find_system(system), len(words))
        for step in steps:
            legal = [name for place, name in enumerate(names) if step["permitted"] >> place & 1]
            assert legal == c.legal()
            assert step["text"].partition("~")[0] in legal or step.get("remark")
            c.apply(step["text"], force=True)
            places.make(step["change"])
            if c.stacks:
                buffer = [*reversed(places.back), *places.rest]
                assert (places.stacks, buffer, places.active) == (c.stacks, c.buffer, c.active)
            else:
                assert (places.left, places.right) == (c.left, c.right)
        picture = etree.fromstring(str(row["svg"]).encode())
        arcs = [group for group in picture.iter("{*}g") if group.get("data-step")]
        made = [step for step in steps if step["change"][0] > 0]
        assert len(arcs) == len(made) == len(c.arcs)


@pytest.mark.parametrize("options", [{}, {"-cr": False}, {"-rp": "last"}, {"-rp": "last", "-rt": "one", "-cs": True}])
@pytest.mark.parametrize("name", ["covproj", "covnonproj"])
@pytest.mark.parametrize("words", [1, 2, 4])
def test_where_words_are_in_lists(name: str, options: dict[str, Any], words: int) -> None:
    """The root is shown as 0 where it comes after all words, and not as one word more."""
    definition = find_system(name, options)
    c, places = Configuration(definition, words), Places(definition, words)
    for step in itertools.count():
        assert "  ".join(show_places(places)) == str(c)
        for nodes, last in places.lists:
            assert set(nodes) <= set(range(words + 1))
            assert last in ([], [0])
        if c.terminal:
            break
        legal = c.legal()
        c.apply(legal[step % len(legal)])
        places.make([-1, -1, c.left, c.right])
    everywhere = sorted(node for nodes, last in places.lists for node in (*nodes, *last))
    assert everywhere == [*range(definition.left and not definition.root_last, words + 1)]


def test_what_is_known_at_a_step() -> None:
    steps = [
        DerivationStep("SH", [-1, -1, 0, 0, 1, 1, 1, 0]),
        DerivationStep("LA", [1, 2, 0, 1, 0, 0, 0], 5, "subj", values=[("f", "v")]),
    ]
    steps[1].candidates = [[("LA~subj", 2.0), ("SH", 1.0)]]
    shown = record(find_system("nivreeager"), Derivation(1, ["She", "sings"], ["", ""], steps, ["a remark"]))
    first, last = shown["steps"]  # type: ignore[misc]
    assert first == ("SH", 0, [-1, -1, 0, 0, 1, 1, 1, 0])
    assert last == ("LA~subj", 5, [1, 2, 0, 1, 0, 0, 0], "", [[("LA~subj", 2.0), ("SH", 1.0)]], [("f", "v")])
    assert shown["remarks"] == ["a remark"]


def test_where_a_parser_leaves_the_gold_derivation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train, source = tmp_path / "train.conll", tmp_path / "source.conll"
    one = "1\tShe\t_\tP\tP\t_\t2\tsubj\n2\tsings\t_\tV\tV\t_\t0\tROOT\n3\tsongs\t_\tN\tN\t_\t2\tobj\n\n"
    train.write_text(20 * one)
    source.write_text(one + one.replace("obj", "iobj"))
    assert program(["train", "-c", str(tmp_path / "m"), str(train)]) == 0
    out = tmp_path / "out.html"
    assert program(["trace", "-c", str(tmp_path / "m"), str(source), "--html", str(out)]) == 0
    right, wrong = derivations(out.read_text("utf-8"))
    assert (right["leaves"], right["gold"]) == (-1, "")
    assert (wrong["steps"][wrong["leaves"]]["text"], wrong["gold"]) == ("RA~obj", "RA~iobj")
    assert program(["trace", "-c", str(tmp_path / "m"), str(source)]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "gold derivation" in line]
    assert line == "leaves the gold derivation at step 4: RA~obj, where the oracle has RA~iobj"


def test_the_page_of_a_long_sentence_is_small(tmp_path: Path) -> None:
    source, out = tmp_path / "long.conll", tmp_path / "out.html"
    source.write_text("".join(f"{i}\tw\t_\tN\tN\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, 3001)) + "\n")
    assert program(["trace", "-a", "nivreeager", "--html", str(out), str(source)]) == 0
    [row] = derivations(out.read_text("utf-8"))
    assert len(row["steps"]) == 3000
    assert "first 1,000 of 3,000 words" in row["note"]
    assert sum(len(step["change"]) for step in row["steps"]) < 10 * len(row["steps"])  # no copy of a configuration


def test_scores_of_a_model(tmp_path: Path) -> None:
    source, out = tmp_path / "sample.conll", tmp_path / "out.html"
    source.write_bytes("".join(malt.sample.text(20)).encode())
    malt.train(str(source), algorithm="2planar").save(tmp_path / "m")
    argv = ["trace", "-c", str(tmp_path / "m"), "--features", "--sentences", "3", str(source), "-o", str(out)]
    assert program(argv) == 0
    [row] = derivations(out.read_text("utf-8"))
    choices = [step for step in row["steps"] if step.get("groups")]
    assert choices
    for step in choices:
        scores = [score for _, score in step["groups"][0]]
        assert scores == sorted(scores, reverse=True)
        assert len(step["values"]) > 5
    assert sum(
        any(symbol in (step["text"], step["text"].split("~")[0]) for symbol, _ in step["groups"][0]) for step in choices
    ) >= 0.9 * len(choices)


def test_nothing_to_derive_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "bare.conll"
    source.write_text("1\tA\t_\tN\tN\t_\t_\t_\t_\t_\n\n")
    assert program(["trace", "-a", "planar", str(source), "-o", str(tmp_path / "out.html")]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == f"malt: {source}: there is no derivation to show"
    assert not (tmp_path / "out.html").exists()
