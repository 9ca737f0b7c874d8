"""`malt eval --html` and `malt analyze --html`: the same numbers as in the text, and only text; and notebooks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import lxml.html
import pytest
from hostile import FIELDS, treebank
from test_optimizer_page import well_formed, words

import malt
from malt.commands import malt as program
from malt.drawing.reports.scores import verdict
from malt.evaluation.evaluation import evaluate
from malt.evaluation.result import GROUPS


def mistaken(text: str) -> str:
    """Every word with the label of the word before it."""
    lines, label = text.split("\n"), "_"
    for place, line in enumerate(lines):
        fields = line.split("\t")
        if len(fields) > 7:
            fields[7], label = label, fields[7]
            lines[place] = "\t".join(fields)
    return "\n".join(lines)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A gold standard, and two files that differ from it."""
    folder = tmp_path_factory.mktemp("scores")
    gold = "".join(malt.sample.text(80))
    texts = {
        "gold": gold,
        "one": re.sub(r"\tnsubj\t", "\tobj\t", gold, count=20),
        "two": re.sub(r"\t(\d)\tdet\t", "\t1\tdet\t", gold, count=60),
        "hostile": treebank(),
        "other": mistaken(treebank()),
    }
    for name, text in texts.items():
        suffix = "conllu" if name in ("hostile", "other") else "conll"
        (folder / f"{name}.{suffix}").write_bytes(text.encode())
    return {path.stem: str(path) for path in folder.iterdir()}


def page_and_text(argv: list[str], path: Path, capfd: pytest.CaptureFixture[str]) -> tuple[Any, str]:
    assert program([*argv, "--html", str(path)]) == 0
    text = path.read_text("utf-8")
    well_formed(text)
    assert set(re.findall(r"\w+://[^\s\"'<]*", text)) <= {"http://www.w3.org/2000/svg"}
    return lxml.html.fromstring(text), capfd.readouterr().out


def numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,]*\.\d\d", text))


@pytest.mark.parametrize("systems", [["one"], ["one", "two"]])
def test_scores_are_those_of_the_text(
    files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str], systems: list[str]
) -> None:
    argv = ["eval", "--by", "all", files["gold"], *(files[name] for name in systems)]
    page, text = page_and_text(argv, tmp_path / "scores.html", capfd)
    said = words(page)
    assert numbers(text)
    assert numbers(text) <= numbers(said.replace("−", "-"))
    result = evaluate(files["gold"], [files[name] for name in systems])
    for system in result.systems:
        found = system.scores[result.convention.name].confusions(result.counts_punctuation(result.convention))
        if "one" in system.name:
            assert found == [("nsubj", "obj", 20)]
        else:
            assert found == []
    assert "nsubj obj 20 100.0 %" in said
    assert ("Every word has the right label." in said) == ("two" in systems)
    assert ("McNemar's test" in said) == (len(systems) > 1)
    at_the_top = words(page.xpath("//section")[0])
    assert at_the_top.startswith("one.conll is better than two.conll: ") == (len(systems) > 1)
    for title in ("By label", "By length of arc", "By length of sentence", "By projectivity of arc"):
        assert title in said
    assert len(page.xpath("//svg")) >= len(GROUPS) + 1


def test_labels_that_the_gold_standard_has_not(
    files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    strange = tmp_path / "strange.conll"
    strange.write_text(Path(files["gold"]).read_text("utf-8").replace("\tnsubj\t", "\tsubject\t", 3), "utf-8")
    page, _ = page_and_text(["eval", files["gold"], str(strange)], tmp_path / "scores.html", capfd)
    assert "Not in the gold standard, so that every such arc is wrong: subject." in words(page)
    labels = next(part for part in page.xpath("//section") if words(part).startswith("By label"))
    beside, below = (len(part.xpath(".//tbody/tr")) for part in labels.xpath("./div[@class='plots'] | ./details"))
    assert beside == 16 < below


def test_two_systems_that_do_not_differ(files: dict[str, str]) -> None:
    result = evaluate(files["gold"], [files["two"], files["one"]])
    assert verdict(result, ["two", "one"]).startswith("one is better than two: ")
    [one] = result.comparisons
    result.comparisons = [replace(one, difference=0.001, mcnemar=replace(one.mcnemar, p=0.4))]
    assert verdict(result, ["one", "two"]).startswith("The two do not differ in LAS by more than chance explains")


def test_groups_of_a_page(files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    argv = ["eval", "--by", "depth", files["gold"], files["one"]]
    page, _ = page_and_text(argv, tmp_path / "scores.html", capfd)
    headings = [words(heading) for heading in page.xpath("//h2")]
    assert headings == ["Scores", "By depth in the tree", "Labels that are taken for others", "What the words mean"]


@pytest.mark.parametrize("names", [["gold"], ["gold", "hostile"]])
def test_profiles_are_those_of_the_text(
    files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str], names: list[str]
) -> None:
    argv = ["analyze", "-a", "planar", *(files[name] for name in names)]
    page, text = page_and_text(argv, tmp_path / "shapes.html", capfd)
    said = words(page)
    rows = [line.split() for line in text.splitlines()]
    table = [words(row).split() for row in page.xpath("//*[@class='numbers shares']//tr")]
    assert table == rows[: len(table)]
    assert len(table) > 40
    top = words(page.xpath("//*[@class='numbers'] | //*[@class='figures']")[0])
    assert "trees that planar cannot derive" in top  # what was asked for is at the top
    assert ("total" in table[0]) is False  # of one file, or of unrelated ones
    assert said.count("Arcs by length and direction, in %") + said.count("arcs by length and direction, in %") == len(
        names
    )
    assert "Trees by gap degree, in %" in said
    assert "Trees by least number of planes, in %" in said
    for line in text.split("\n\n")[-1].splitlines():
        assert " ".join(line.split()) in said


def test_pages_on_standard_output(files: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    for argv in (["eval", "--html", "-", files["gold"], files["one"]], ["analyze", "--html", "-", files["gold"]]):
        assert program(argv) == 0
        out = capfd.readouterr().out
        assert out.startswith("<!DOCTYPE html>")
        assert out.endswith("</html>\n")


def test_hostile_fields_are_text(files: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for argv in (["eval", files["hostile"], files["other"]], ["analyze", files["hostile"]]):
        page, _ = page_and_text(argv, tmp_path / "page.html", capfd)
        assert not page.xpath("//img | //iframe | //b | //i")
        assert len(page.xpath("//script")) <= 1
        assert not [name for element in page.iter() for name in element.attrib if name.startswith("on")]
    page, _ = page_and_text(["eval", files["hostile"], files["other"]], tmp_path / "page.html", capfd)
    assert all(field in page.text_content() for field in FIELDS[:7])


def test_evaluations_and_models_in_notebooks(files: dict[str, str]) -> None:
    result = evaluate(files["gold"], [files["one"], files["two"]])
    text = result._repr_html_()
    las = result.systems[1].scores[result.convention.name].counts(False).las
    assert las is not None
    assert f"{100 * las:.2f} %" in text
    model = malt.train(malt.sample.text(20), algorithm="2planar")
    shown = model._repr_html_()
    assert "2planar" in shown
    assert "liblinear" in shown
    for part in (text, shown):
        lxml.html.fragments_fromstring(part)
        assert "<script" not in part
