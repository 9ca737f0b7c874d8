"""Reports, scores and profiles in a real browser, with the browser of test_browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hostile import treebank
from reports import hostile, report_of
from test_browser import Browser, browser  # noqa: F401

import malt
from malt.commands import malt as program
from malt.optimizer.report.page import page_of

pytestmark = pytest.mark.slow

NAMES = ("report", "hostile report", "scores", "hostile scores", "shapes", "hostile shapes")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each kind."""
    folder = tmp_path_factory.mktemp("reports")
    gold, system, bad = folder / "gold.conll", folder / "system.conll", folder / "bad.conllu"
    gold.write_text("".join(malt.sample.text(60)), "utf-8")
    system.write_text(re.sub(r"\tnsubj\t", "\tobj\t", gold.read_text("utf-8"), count=9), "utf-8")
    bad.write_bytes(treebank().encode())
    made = {name: folder / f"{name}.html" for name in NAMES}
    report = report_of()
    made["report"].write_text(page_of(report), "utf-8")
    made["hostile report"].write_text(page_of(hostile(report)), "utf-8")
    commands = {
        "scores": ["eval", str(gold), str(system)],
        "hostile scores": ["eval", str(bad), str(bad)],
        "shapes": ["analyze", str(gold), str(system)],
        "hostile shapes": ["analyze", str(bad)],
    }
    for name, argv in commands.items():
        assert program([*argv, "--html", str(made[name])]) == 0
    return made


@pytest.mark.parametrize("name", NAMES)
def test_pages_fit_and_ask_for_nothing(browser: Browser, pages: dict[str, Path], name: str) -> None:  # noqa: F811
    paper = []
    for width, dark in ((1280, False), (400, True)):
        browser.open(pages[name], width, dark)
        assert browser.js("document.documentElement.scrollWidth") <= width
        beyond = "[...document.querySelectorAll('main section, main nav, main dl, figure, .scroll, pre')]"
        assert browser.js(f"{beyond}.filter(e => e.getBoundingClientRect().right > innerWidth + 1).length") == 0
        paper.append(browser.js("getComputedStyle(document.body).backgroundColor"))
    assert paper[0] != paper[1]
    assert browser.js("window.harm") is None
    assert browser.js("document.querySelectorAll('img, iframe, object, i, link, base').length") == 0
    assert browser.requests() == []
    assert browser.complaints() == []


@pytest.mark.parametrize("width", [1200, 400])
def test_what_is_in_a_cell_or_a_card_fits(browser: Browser, pages: dict[str, Path], width: int) -> None:  # noqa: F811
    browser.open(pages["report"], width)
    browser.do("document.querySelector('#features input[value=all]').click()")
    assert browser.js("[...document.querySelectorAll('.trials .is-rough')].some(e => e.offsetParent)")
    wide = "[...document.querySelectorAll('.trials .scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
    assert browser.js(wide) == 0
    edges = browser.js(
        "[...document.querySelectorAll('.figures dt, .figures dd')].map(e => {"
        "  const range = document.createRange(); range.selectNodeContents(e);"
        "  return e.parentElement.getBoundingClientRect().right - range.getBoundingClientRect().right; })"
    )
    assert min(edges) > 8


@pytest.mark.parametrize(("part", "kinds"), [("options", "kept not early"), ("features", "kept not rough failed")])
def test_trials_can_be_filtered(
    browser: Browser,  # noqa: F811
    pages: dict[str, Path],
    part: str,
    kinds: str,
) -> None:
    browser.open(pages["report"])
    rows = f"[...document.querySelectorAll('#{part} .trials tbody tr')]"
    visible = f"{rows}.filter(row => row.offsetParent)"
    every = browser.js(f"{rows}.length")
    assert browser.js(f"{visible}.length") == browser.js(f"{rows}.filter(row => row.querySelector('.is-kept')).length")
    browser.do(f"document.querySelector('#{part} input[value=all]').click()")
    assert browser.js(f"{visible}.length") == every
    for value in kinds.split():
        marks = ".is-not,.is-early" if value == "not" else f".is-{value}"
        browser.do(f"document.querySelector('#{part} input[value={value}]').click()")
        wanted = browser.js(f"{rows}.filter(row => row.querySelector('{marks}')).length")
        assert 0 < wanted < every
        assert browser.js(f"{visible}.length") == wanted
        assert browser.js(f"{visible}.every(row => row.querySelector('{marks}'))")
        # A step of which nothing is left has no heading either.
        steps = f"[...document.querySelectorAll('#{part} .trials')].filter(step => step.offsetParent)"
        assert browser.js(
            f"{steps}.every(step => [...step.querySelectorAll('tbody tr')].some(row => row.offsetParent))"
        )


def test_features_can_be_shown_in_full(browser: Browser, pages: dict[str, Path]) -> None:  # noqa: F811
    browser.open(pages["report"])
    browser.do("document.querySelector('#features input[value=all]').click()")
    full = "document.querySelector('#features .full')"
    assert browser.js(f"{full}.offsetParent === null")
    browser.do("document.querySelector('#features input[value=full]').click()")
    assert browser.js(f"{full}.offsetParent !== null")
    assert browser.js("document.querySelector('#features .brief').offsetParent === null")


def test_trials_can_be_sorted(browser: Browser, pages: dict[str, Path]) -> None:  # noqa: F811
    browser.open(pages["report"])
    table = "[...document.querySelectorAll('#features table')].find(table => table.rows.length > 6)"
    gains = f"[...{table}.tBodies[0].rows].map(row => parseFloat(row.cells[1].textContent.replace('−', '-')) || 0)"
    browser.do(f"{table}.querySelectorAll('thead button')[1].click()")
    found = browser.js(gains)
    assert found == sorted(found, reverse=True)
    assert len(set(found)) > 1


def test_headings_stand_over_their_numbers(browser: Browser, pages: dict[str, Path]) -> None:  # noqa: F811
    browser.open(pages["scores"])
    edges = browser.js(
        "[...document.querySelectorAll('table.sortable')].flatMap(t =>"
        "[...t.tHead.rows[0].cells].flatMap((head, i) => {"
        "  if (!head.classList.contains('number')) return [];"
        "  const cell = t.tBodies[0].rows[0].cells[i], range = document.createRange(); range.selectNodeContents(cell);"
        "  return [head.firstChild.getBoundingClientRect().right - range.getBoundingClientRect().right]; }))"
    )
    assert edges
    assert max(map(abs, edges)) < 1


def test_tables_fit_a_telephone(browser: Browser, pages: dict[str, Path]) -> None:  # noqa: F811
    browser.open(pages["scores"], 400)
    cut = "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1)"
    assert browser.js(f"{cut}.map(box => box.textContent.slice(0, 40))") == []
