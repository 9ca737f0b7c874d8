"""Pages in a real browser: nothing in them runs but their own script, and one can use them, also on a telephone."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structure
from hostile import FIELDS, treebank

import malt
from malt.commands import malt as program
from malt.drawing.page import plot
from malt.drawing.page.page import figures, join, page, plots, section, table

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is absent: pip install maltkit[test]")

pytestmark = pytest.mark.slow

BROWSERS, DRIVERS = ("chromium", "chromium-browser", "google-chrome"), ("chromedriver", "chromium.chromedriver")
QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)
# Layouts at these widths, in both lights.
WIDTHS = (1280, 400)


class Browser:
    """One browser for all tests."""

    def __init__(self, driver: Any) -> None:
        self.driver, self.url = driver, ""

    def open(self, path: Path, width: int = 1280, dark: bool = False) -> None:
        """Open a page, and wait for its script. What it asks the network for is noted."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        for log in ("performance", "browser"):
            self.driver.get_log(log)
        self.url = path.as_uri()
        self.driver.get(self.url)
        self.wait("return !document.querySelector('#sentences, #derivations') || document.body.dataset.ready")

    def js(self, code: str, *arguments: object) -> Any:
        """The value of some JavaScript."""
        return self.driver.execute_script(f"return {code}", *arguments)

    def do(self, code: str, *arguments: object) -> None:
        """Run some JavaScript."""
        self.driver.execute_script(code, *arguments)

    def wait(self, code: str) -> None:
        """Wait until it is true."""
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(self.driver, 20, poll_frequency=0.05).until(lambda driver: driver.execute_script(code))

    def press(self, key: str) -> None:
        """Press a key."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        ActionChains(self.driver).send_keys(getattr(Keys, key)).perform()

    def requests(self) -> list[str]:
        """What was asked for since the page was opened, apart from the page itself."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if url != self.url]

    def complaints(self) -> list[str]:
        """What the browser has to say about a page."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The browser, or a skip that says what is absent."""
    from selenium.webdriver.chrome.service import Service

    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = next(filter(None, map(shutil.which, DRIVERS)), None)
    if chromium is None or driver is None:
        pytest.skip("Chromium and its driver are absent; Debian: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(started)
    finally:
        with contextlib.suppress(Exception):
            started.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    gold, system, hostile = folder / "gold.conll", folder / "system.conll", folder / "hostile.conllu"
    gold.write_bytes("".join(malt.sample.text(60)).encode())
    wrong = re.sub(r"\t1\t(punct|conj|parataxis)\t", r"\t2\t\1\t", gold.read_text("utf-8"))
    system.write_text(re.sub(r"\tnsubj\t", "\tobj\t", wrong, count=9), "utf-8")
    hostile.write_bytes(treebank().encode())
    malt.train(str(gold), algorithm="2planar").save(folder / "model")
    malt.train(str(gold), learner="perceptron", beam=3, passes=1).save(folder / "beam")
    made = {
        "gallery": ["draw", str(gold)],
        "comparison": ["draw", str(gold), str(system)],
        "hostile": ["draw", str(hostile)],
        "hostile comparison": ["draw", str(hostile), str(hostile)],
        "hostile trace": ["trace", "-a", "2planar", str(hostile)],
        "trace": ["trace", "-a", "2planar", "--sentences", "1-12", str(gold)],
        "model": ["trace", "-c", str(folder / "model"), "--features", "--sentences", "2-3", str(gold)],
        "beam": ["trace", "-c", str(folder / "beam"), "--sentences", "2-3", str(gold)],
    }
    long = folder / "long.conll"
    long.write_text("".join(f"{i}\tw\t_\tN\tN\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, 3001)) + "\n")
    made["long trace"] = ["trace", "-a", "nivreeager", str(long)]
    made["mistakes"] = ["trace", "-c", str(folder / "model"), "--sentences", "1-9", str(system)]
    found = {}
    for name, argv in made.items():
        found[name] = folder / f"{name}.html"
        assert program([*argv, "-o", str(found[name])]) == 0
    found["report"] = folder / "report.html"
    names = ["subj", "obj", "a label that is long", *(f"label{i}" for i in range(15))]
    body = [
        figures([("LAS", "85.10"), ("words", 5852)]),
        section(
            "Scores",
            plots(
                plot.columns(names, {"one": range(18), "two": range(18)}, title="Columns"),  # type: ignore[dict-item]
                plot.lines({"a": [(1, 2), (3, 4)]}, title="Lines"),
                plot.bars(names, {"gain": [0.1 * i - 0.5 for i in range(18)]}, title="Bars", sign=True),
                plot.heat(names, names, [[i] * 18 for i in range(18)], title="Heat"),
            ),
            table(["feature", *names], [[f"f{i}", *range(i, i + 18)] for i in range(4)], sortable=True),
        ),
    ]
    found["report"].write_text(page("Report", join(body)), "utf-8")
    return found


def test_requests_and_harm_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    """That the tests below can fail at all: the same fields, put into a page as they are."""
    careless = tmp_path / "careless.html"
    careless.write_text(f"<body><img src='http://localhost:9/x.png'>{''.join(FIELDS)}", "utf-8")
    browser.open(careless)
    assert browser.js("window.harm") is not None
    assert "http://localhost:9/x.png" in browser.requests()
    browser.wait("return document.readyState === 'complete'")
    assert browser.complaints() != []


NAMES = ("gallery", "comparison", "hostile", "hostile comparison", "hostile trace", "trace", "model", "beam", "report")


@pytest.mark.parametrize("name", NAMES)
def test_pages_fit_and_ask_for_nothing(browser: Browser, pages: dict[str, Path], name: str) -> None:
    for width in WIDTHS:
        browser.open(pages[name], width, dark=width == 400)
        assert browser.js("document.documentElement.scrollWidth") <= width
        assert browser.js("document.body.scrollWidth") <= width
        outside = (
            "[...document.querySelectorAll('main > *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
        )
        assert browser.js(f"{outside}.length") == 0
        # Boxes that scroll are to be reached without a mouse.
        assert browser.js("[...document.querySelectorAll('.scroll')].every(box => box.tabIndex === 0)")
    assert browser.requests() == []
    assert browser.complaints() == []
    dark = browser.js("getComputedStyle(document.body).backgroundColor")
    browser.open(pages[name])
    assert browser.js("getComputedStyle(document.body).backgroundColor") != dark


@pytest.mark.parametrize("name", ["hostile", "hostile comparison", "hostile trace"])
def test_hostile_fields_are_text(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.open(pages[name])
    browser.wait("return document.querySelectorAll('svg.tree text.form').length > 0")
    if "trace" in name:
        browser.do("for (let i = 0; i < 60; i++) document.querySelector('[data-go=next]').click()")
        browser.do("document.querySelector('[data-go=first]').click()")
    assert browser.js("window.harm") is None
    assert browser.js("document.querySelectorAll('img, iframe, object, b.bold, i, link, base').length") == 0
    assert browser.js("document.querySelectorAll('script').length") == 2
    handlers = "[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on')))"
    assert browser.js(f"{handlers}.length") == 0
    text = browser.js("document.body.innerText")
    for field in FIELDS[:8]:
        assert field in text
    assert browser.complaints() == []


def shown(browser: Browser) -> list[int]:
    numbers = browser.js(
        "[...document.querySelectorAll('ol.sentences > li:not([hidden]) .place')].map(e => e.textContent)"
    )
    return [int(number) for number in numbers]


def fill(browser: Browser, name: str, value: object) -> None:
    browser.do(
        """const field = document.querySelector(`.filters [name=${arguments[0]}]`);
        if (field.type === "checkbox") field.checked = arguments[1]; else field.value = arguments[1];
        field.dispatchEvent(new Event("input", {bubbles: true}));""",
        name,
        value,
    )


def test_filters(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["gallery"])
    sentences = list(malt.read(str(pages["gallery"].parent / "gold.conll")))
    facts = {number: (one.forms, one.heads, one.labels) for number, one in enumerate(sentences, 1)}
    wanted = {
        ("nonprojective", True): lambda f, h, d: not structure.is_projective(h),
        ("nonplanar", True): lambda f, h, d: not structure.is_planar(h),
        ("longer", 15): lambda f, h, d: len(f) > 15,
        ("label", "advmod"): lambda f, h, d: "advmod" in d,
        ("word", "AN"): lambda f, h, d: any("an" in form.lower() for form in f),
    }
    for (name, value), rule in wanted.items():
        fill(browser, name, value)
        expected = [number for number, fact in facts.items() if rule(*fact)]
        assert shown(browser) == expected, name
        assert 0 < len(expected) < len(facts)
        assert (
            browser.js("document.querySelector('.count').textContent") == f"{len(expected)} of {len(facts)} sentences"
        )
        fill(browser, name, "" if value is not True else False)
    assert shown(browser) == list(facts)
    fill(browser, "order", "longest")
    assert shown(browser) == sorted(facts, key=lambda n: (-len(facts[n][0]), n))


def test_trees_of_the_gallery(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["gallery"])
    fill(browser, "nonplanar", True)
    browser.do("document.querySelector('ol.sentences > li:not([hidden]) .row').click()")
    browser.wait("return document.querySelector('ol.sentences > li:not([hidden]) svg.tree .crossing')")
    fill(browser, "planes", "below")
    assert not browser.js("document.querySelector('ol.sentences > li:not([hidden]) svg.tree .crossing')")
    browser.do("document.querySelector('ol.sentences > li:not([hidden]) .row').focus()")
    before = browser.js("document.activeElement.innerText")
    browser.press("ARROW_DOWN")
    assert browser.js("document.activeElement.className") == "row"
    assert browser.js("document.activeElement.innerText") != before
    browser.do("document.querySelector('[data-open=no]').click()")
    assert browser.js("document.querySelectorAll('.row[aria-expanded=true]').length") <= 1  # of what is hidden


def test_errors_of_a_comparison(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["comparison"])
    everything = shown(browser)
    fill(browser, "heads", True)
    assert 0 < len(shown(browser)) < len(everything)
    fill(browser, "heads", False)
    fill(browser, "labels", True)
    assert 0 < len(shown(browser)) <= 9
    fill(browser, "labels", False)
    fill(browser, "order", "worst")
    scores = browser.js("[...document.querySelectorAll('.score')].map(e => parseFloat(e.textContent))")
    assert scores == sorted(scores)
    assert scores[-1] == 100
    browser.do("document.querySelector('button[type=reset]').click()")
    browser.wait("return document.querySelector('ol.sentences > li .place').textContent === '1'")
    # Told apart without colour as well. Trees are drawn where they are near the window.
    fill(browser, "heads", True)
    browser.do("document.querySelector('[data-open=yes]').click()")
    browser.wait("return document.querySelector('g.head path') && document.querySelector('g.gold path')")
    style = "getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    right = "g.arc:not(.head, .gold, .label) path"
    assert browser.js(style, "g.head path", "strokeWidth") == "3px"
    assert browser.js(style, "g.gold path", "strokeDasharray") != "none"
    assert len({browser.js(style, selector, "stroke") for selector in ("g.head path", "g.gold path", right)}) == 3


def test_stepping_through_a_derivation(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["trace"])
    last = browser.js("Number(document.querySelector('[name=step]').max)")
    made = "document.querySelectorAll('.tree-box g.made').length"
    assert browser.js(made) == 0
    assert browser.js("document.querySelector('[data-go=back]').disabled")
    for _ in range(3):
        browser.press("ARROW_RIGHT")
    browser.press("ARROW_LEFT")
    assert browser.js("document.querySelector('output.step').textContent") == f"2 of {last}"
    browser.do("document.querySelector('[data-go=next]').click()")
    assert browser.js("document.querySelector('.history .here').textContent") == browser.js(
        "document.querySelectorAll('.history button')[2].textContent"
    )
    browser.press("END")
    assert browser.js(made) == browser.js("document.querySelectorAll('.tree-box g.arc').length") > 0
    assert browser.js("document.querySelector('[data-go=next]').disabled")
    browser.do("document.querySelectorAll('.history button')[4].click()")
    assert browser.js("document.querySelector('output.step').textContent") == f"5 of {last}"
    assert browser.js("document.querySelectorAll('.stack').length") == 2
    assert browser.js("document.querySelectorAll('.stack.active').length") == 1
    coming = browser.js("document.querySelector('.coming .move').textContent")
    assert coming == browser.js("document.querySelectorAll('.history button')[5].textContent")
    browser.do("document.querySelector('[name=hide]').click()")
    assert not browser.js("document.querySelector('.coming .move')")
    browser.do(
        "const s = document.querySelector('[name=sentence]'); s.value = '1'; s.dispatchEvent(new Event('change'))"
    )
    assert browser.js("document.querySelector('output.step').textContent").startswith("0 of ")


def test_the_first_mistake(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["mistakes"])
    assert browser.js("!document.querySelector('[data-go=leaves]').hidden")
    browser.do("document.querySelector('[data-go=leaves]').click()")
    place = browser.js(
        "[...document.querySelectorAll('.history button')].findIndex(b => b.classList.contains('leaves'))"
    )
    assert browser.js("document.querySelector('output.step').textContent").startswith(f"{place} of ")
    assert "not what the gold derivation has" in browser.js("document.querySelector('.coming .mistake').textContent")
    browser.press("ARROW_RIGHT")
    assert "leaves the gold derivation" in browser.js("document.querySelector('.done .mistake').textContent")
    names = browser.js("[...document.querySelectorAll('[data-go]')].map(b => b.textContent)")
    assert names == ["First", "Back", "Next", "Last", "First mistake"]


def test_a_beam(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["beam"])
    rows = "[...document.querySelectorAll('.beam tr')].map(r => [...r.children].map(c => c.textContent))"
    assert [row[2] for row in browser.js(rows)] == ["choice", "SH"]  # with the root last, nothing else can be done
    browser.press("ARROW_RIGHT")
    head, first, *others = browser.js(rows)
    assert head == ["beam 2", "total", "choice", "of", ""]
    assert first[0] == first[3] == "1"
    assert [row[0] for row in others] == ["2", "3", "out", "out", "out"]
    assert browser.js("document.querySelectorAll('.beam .taken').length") == 1
    assert "the beam compares sums of them" in browser.js("document.querySelector('.coming').textContent")
    browser.press("END")
    assert not browser.js("document.querySelector('.beam')")
    assert "the gold derivation" in browser.js("document.querySelector('.remarks').textContent")


def test_a_long_derivation(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["long trace"])
    browser.press("END")
    assert browser.js("document.querySelector('output.step').textContent") == "3000 of 3000"
    assert browser.js("document.querySelectorAll('.history button').length") == 800
    assert browser.js("document.querySelector('.stack .chips').textContent").startswith("2941 more")
    browser.press("ARROW_LEFT")
    assert browser.js("document.querySelectorAll('.rest .chip').length") == 1


def test_scores_of_the_candidates(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["model"])
    assert browser.js("document.querySelectorAll('.scores .value').length") == 5
    assert browser.js("document.querySelectorAll('.scores code.taken').length") == 1
    assert browser.js("document.querySelectorAll('.values div').length") > 5
    widths = browser.js("[...document.querySelectorAll('.scores .level')].map(e => e.getBoundingClientRect().width)")
    assert widths == sorted(widths, reverse=True)


def test_tables_are_sorted(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["report"])
    column = "[...document.querySelectorAll('tbody tr')].map(row => row.children[1].textContent)"
    browser.do("document.querySelectorAll('thead th button')[1].click()")
    assert browser.js(column) == ["3", "2", "1", "0"]
    browser.do("document.querySelectorAll('thead th button')[1].click()")
    assert browser.js(column) == ["0", "1", "2", "3"]


def test_a_picture_alone_is_as_large_as_it_says(browser: Browser, tmp_path: Path) -> None:
    """What is drawn is inside the picture, as a browser measures it with a font of its own."""
    source, out = tmp_path / "s.conll", tmp_path / "s.svg"
    source.write_bytes("".join(malt.sample.text(12)).encode())
    assert program(["draw", str(source), "-o", str(out)]) == 0
    browser.open(out)
    box = browser.js("(({x, y, width, height}) => [x, y, x + width, y + height])(document.documentElement.getBBox())")
    width, height = (
        browser.js(f"Number(document.documentElement.getAttribute('{name}'))") for name in ("width", "height")
    )
    assert box[0] >= 0
    assert box[1] >= 0
    assert box[2] <= width
    assert box[3] <= height
    overlaps = """(() => {
        const boxes = [...document.querySelectorAll("text.form")].map(e => e.getBoundingClientRect());
        return boxes.filter((a, i) => boxes.some((b, j) => j > i && a.left < b.right && b.left < a.right
            && a.top < b.bottom && b.top < a.bottom)).length; })()"""
    assert browser.js(overlaps) == 0
