"""The report of the optimizer as a page: everything is in it, it is well-formed, and what is text stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import lxml.etree
import lxml.html
import pytest
from hostile import FIELDS
from reports import hostile, report_of, run_of

from malt.data.formats.dataformat import find_format
from malt.optimizer.report import decisiontree
from malt.optimizer.report.attempts import find_columns, in_shorthand, reach, signed
from malt.optimizer.report.curve import curve
from malt.optimizer.report.page import page_of
from malt.optimizer.report.planes import planes_in_words
from malt.optimizer.report.report import make_report, readable
from malt.optimizer.search.estimate import Luck
from malt.optimizer.trial.setup import flags_of

VOID = ("meta", "input", "br")


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return report_of()


@pytest.fixture(scope="module")
def page(report: dict[str, Any]) -> lxml.html.HtmlElement:
    return lxml.html.fromstring(page_of(report))


def words(element: Any) -> str:
    return " ".join(" ".join(element.itertext()).split())


class Balanced(HTMLParser):
    """Fails where an element is closed that is not open, or not closed at all."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def well_formed(text: str) -> None:
    Balanced(text)
    pictures = re.findall(r"<svg .*?</svg>", text, re.DOTALL)
    assert pictures
    for picture in pictures:
        lxml.etree.fromstring(picture)
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))


def test_the_page_is_well_formed_and_alone(report: dict[str, Any]) -> None:
    for one in (report, report_of(algorithm="2planar"), report_of(trials=4)):
        text = page_of(one)
        well_formed(text)
        assert set(re.findall(r"\w+://[^\s\"'<]*", text)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"<(link|img|iframe|object|embed|base)\b", text)
        assert "url(" not in text
        assert "@import" not in text


def figures_of(page: lxml.html.HtmlElement) -> dict[str, str]:
    return dict(zip(*(map(words, page.xpath(f"//dl[@class='figures']//{tag}")) for tag in ("dt", "dd")), strict=True))


def test_what_was_held_out_is_the_headline(report: dict[str, Any], page: lxml.html.HtmlElement) -> None:
    said = report["heldout"]
    assert (said["holdout"], said["sentences"], said["decides"]) == ("10", 30, False)
    # There is little of it: intervals come first, and it decides nothing.
    before, after = ("{:.2f} to {:.2f}".format(*said[name]["interval"]) for name in ("default", "chosen"))
    assert words(page.xpath("//h1")[0]).endswith(f"LAS {before} → {after} on held-out text")
    assert list(figures_of(page).items())[1] == (
        "LAS on held-out text, tuned",
        f"{after} {said['chosen']['score']:.2f}",
    )
    assert "fewer than 2,000 words: it decides nothing" in words(page)
    # Much of it: scores come first, and it is said what follows.
    enough = {**report, "heldout": {**said, "decides": True, "meaning": "The gain is unlikely to be chance."}}
    large = lxml.html.fromstring(page_of(enough))
    scores = [f"{said[name]['score']:.2f}" for name in ("default", "chosen")]
    assert words(large.xpath("//h1")[0]).endswith(f"LAS {scores[0]} → {scores[1]} on held-out text")
    assert figures_of(large)["LAS on held-out text, tuned"] == f"{scores[1]} {after}"
    # It failed.
    failed = page_of({**report, "heldout": {"holdout": "10", "error": "no <room>"}})
    assert "could not be scored: no <room>" in words(lxml.html.fromstring(failed))


def test_luck_is_told(report: dict[str, Any]) -> None:
    assert report["luck"]["kept"] == sum(one["kept"] and one["p"] is not None for one in report["decisions"])
    for p in (0.001, 0.5):
        meaning = Luck(3, 70, 0.4, p).meaning
        page = lxml.html.fromstring(page_of({**report, "luck": {**report["luck"], "p": p, "meaning": meaning}}))
        assert meaning in words(page.xpath("//*[@id='kept']")[0])
        assert bool(page.xpath("//*[@id='kept']/section/p/b")) == (p > 0.05) == ("no better than chance" in meaning)


def test_the_head_says_what_was_gained(report: dict[str, Any], page: lxml.html.HtmlElement) -> None:
    first, last = report["phases"][0]["score"], report["chosen"]["score"]
    assert last > first
    figures = figures_of(page)
    alone = lxml.html.fromstring(page_of({**report, "heldout": None}))
    assert words(alone.xpath("//h1")[0]).endswith(f"LAS {first:.2f} → {last:.2f}")
    assert figures["gain"] == f"+{last - first:.2f}"
    assert figures["configurations tried"] == f"{report['trials']['configurations']:,}"
    rows = [words(row) for row in page.xpath("//*[@id='phases']//tbody/tr")]
    assert [row.split()[:2] for row in rows[1:]] == [["phase", "1"], ["phase", "2"], ["phase", "3"]]
    for phase, row in zip(report["phases"], rows, strict=True):
        assert f"{phase['score']:.2f}" in row
        assert phase["chosen"] in row


def test_every_decision_is_there(report: dict[str, Any], page: lxml.html.HtmlElement) -> None:
    rows = page.xpath("//*[@class='trials']//tbody/tr")
    assert len(rows) == len(report["decisions"])
    kinds = set()
    for attempt, row in zip(report["decisions"], rows, strict=True):
        kind = row.xpath(".//*[starts-with(@class,'is-')]/@class")[0]
        kinds.add(kind)
        assert kind == (
            "is-failed"
            if attempt["error"]
            else "is-kept"
            if attempt["kept"]
            else "is-rough"
            if attempt["rough"]
            else "is-early"
            if attempt["hopeless"]
            else "is-not"
        )
        if attempt["error"]:
            assert attempt["error"] in row.text_content()
        elif attempt["gain"] is not None:
            assert signed(attempt["gain"]) in words(row)
        if attempt["rough"]:
            assert "ruled out by a rough look" in words(row)
        elif attempt["hopeless"]:
            assert f"stopped at {attempt['folds']} of 3" in words(row)
        shown = readable(attempt["what"], find_format("conllx")).replace("- ", "").replace("+ ", "")
        briefs = [code.text for code in row.xpath(".//code[@class='brief']")]
        if briefs:
            assert ", ".join(briefs) == shown
            fulls = [code.text for code in row.xpath(".//code[@class='full']")]
            assert all(full in attempt["what"] for full in fulls)
            assert [code.get("title") for code in row.xpath(".//code[@class='brief']")] == fulls
        else:
            assert attempt["what"] in row.text_content()
    assert kinds == {"is-failed", "is-kept", "is-rough", "is-early", "is-not"}
    headings = [words(heading) for heading in page.xpath("//*[@class='trials']/h3")]
    for step in {attempt["step"] for attempt in report["decisions"]}:
        assert any(step in heading for heading in headings)


def test_what_was_kept_comes_first(report: dict[str, Any], page: lxml.html.HtmlElement) -> None:
    [first] = page.xpath("//nav/a[1]/@href")
    assert first == "#kept"
    rows = page.xpath("//*[@id='kept']//tbody/tr")
    kept = [one for one in report["decisions"] if one["kept"]]
    assert len(rows) == len(kept) > 2
    for attempt, row in zip(kept, rows, strict=True):
        assert words(row).startswith(attempt["phase"].replace("phase", "phase ") or "start")
        assert f"{attempt['score']:.2f}" in words(row)


def test_it_is_said_what_the_scores_are_worth(report: dict[str, Any], page: lxml.html.HtmlElement) -> None:
    assert "on new text they tend to be lower" in words(page)
    alone = lxml.html.fromstring(page_of({**report, "heldout": None}))
    assert "on new text they tend to be lower" in words(alone.xpath("//header")[0])


def test_the_time_of_a_run_that_goes_on(report: dict[str, Any]) -> None:
    later = {**report, "trials": {**report["trials"], "wall": 100.0, "before": 88.0}}
    assert "time 100 s 88 s of it in earlier runs" in words(lxml.html.fromstring(page_of(later)))
    found = run_of(3)
    found.before = 1000.0
    assert make_report(found)["trials"]["wall"] >= 1000.0


def test_findings_and_profile(report: dict[str, Any], page: lxml.html.HtmlElement) -> None:
    text = words(page.get_element_by_id("treebank"))
    for finding in report["findings"]:
        assert all(finding[key] in text for key in ("property", "value", "rule"))
    trees = report["profile"]["trees"]
    assert f"{100 * (trees - report['profile']['nonproj']) / trees:.2f} %" in text


def branches(tree: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The candidates of a tree: all, and those on the path that was taken."""
    every, taken = [], []

    def walk(steps: list[dict[str, Any]], on: bool) -> None:
        for step in steps:
            here = on and step["taken"]
            if "try" in step:
                every.append(step["try"])
                if here:
                    taken.append(step["try"])
            for key in ("steps", "then", "else"):
                walk(step.get(key, []), here)

    walk(tree["steps"], tree["taken"])
    return every, taken


def test_decision_trees_show_the_path(report: dict[str, Any]) -> None:
    assert [tree["name"] for tree in report["trees"]] == ["projective", "non-projective"]
    for tree in report["trees"]:
        picture = lxml.etree.fromstring(decisiontree.draw_tree(tree, report))
        svg = "{http://www.w3.org/2000/svg}"
        texts = [element.text or "" for element in picture.iter(f"{svg}text")]
        every, taken = branches(tree)
        assert set(every) <= set(texts)
        scores = {one["name"]: one["score"] for one in report["decisions"] if one["tree"] == tree["name"]}
        assert set(scores) == set(taken)
        for score in scores.values():
            assert f"{score:.2f}" in texts
        lines = [path.get("stroke-dasharray") for path in picture.iter(f"{svg}path")]
        assert lines.count(None) >= 1 if tree["taken"] else None not in lines
        assert (decisiontree.reason(tree, report) == "") == tree["taken"]
        kept = sum(one["kept"] for one in report["decisions"] if one["tree"] == tree["name"])
        assert texts.count("✓") == kept


def test_a_candidate_of_a_branch_that_was_not_taken(report: dict[str, Any]) -> None:
    """That it was tried in another branch is not said there."""
    step = {"condition": "", "taken": True, "score": 80.0, "kept": True, "try": "one"}
    missed = {**step, "condition": "leads two", "taken": False, "score": None, "kept": False}
    steps = [{**step, "place": "p.yaml, line 1"}, {**missed, "place": "p.yaml, line 2"}]
    tree = {"name": "odd", "condition": "", "taken": True, "steps": steps}
    made = {**report["decisions"][0], "tree": "odd", "name": "one", "place": "p.yaml, line 1", "gain": 0.0}
    picture = lxml.etree.fromstring(decisiontree.draw_tree(tree, {"decisions": [made], "profile": {}}))
    titles = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(titles) == ["one: 80.00, 0.00, kept", "one: not tried"]


def test_scores_are_on_the_branches(report: dict[str, Any]) -> None:
    tree = next(tree for tree in report["trees"] if tree["name"] == "non-projective")
    drawn = decisiontree.draw_tree(tree, report)
    scores = {one["name"]: one["score"] for one in report["decisions"] if one["name"]}
    assert f"{scores['stacklazy']:.2f} &gt; {scores['covnonproj']:.2f}" in drawn
    profile = report["profile"]
    assert f"{100 * profile['nonproj'] / profile['trees']:.2f} %" in drawn


def test_a_tree_that_goes_on_after_its_branches() -> None:
    step = {"condition": "", "place": "p.yaml, line 1", "taken": True, "score": 80.0, "kept": False}
    steps = [
        {**step, "try": "one", "else": [{**step, "try": "four"}]},
        {**step, "condition": "leads one", "try": "two", "score": None, "taken": False},
        {**step, "try": "three"},
        {"condition": "leads one", "taken": False, "steps": []},
    ]
    tree = {"name": "odd", "condition": "", "taken": True, "steps": steps}
    drawn = decisiontree.draw_tree(tree, {"decisions": [], "profile": {}})
    for word in ("one leads", "one is not kept", "in any case, then", "three", "always"):
        assert f">{word}<" in drawn


def test_a_forced_algorithm(report: dict[str, Any]) -> None:
    forced = report_of(algorithm="2planar")
    page = lxml.html.fromstring(page_of(forced))
    captions = [words(caption) for caption in page.xpath("//*[@id='algorithm']//figcaption")]
    assert captions == ["Not used: the algorithm 2planar was asked for."] * 2
    assert len(page.xpath("//*[@id='algorithm']//figure[@class='unused']")) == 2
    assert "as the algorithm 2planar was asked for" in words(page)


def test_steps_without_a_name(report: dict[str, Any]) -> None:
    """They are not thought to be the algorithm that a user asked for."""
    title = "the algorithm that was asked for"
    forced = page_of(report_of(algorithm="2planar"))
    assert f"<h3>Phase 2, {title}<" in forced
    assert f"phase 2, {title}" in forced
    for one in report["decisions"]:
        assert one["step"] or not one["phase"]
    bare = {**report, "decisions": [{**one, "step": ""} for one in report["decisions"]]}
    assert title not in page_of(bare)
    assert "<h3>Phase 2, steps without a name<" in page_of(bare)


def test_a_run_that_had_no_time() -> None:
    late = report_of(trials=4)
    page = lxml.html.fromstring(page_of(late))
    assert "Not complete." in words(page)
    missed = [one for one in late["decisions"] if not one["folds"]]
    assert missed
    assert len(page.xpath("//*[@class='untried']/li")) == len(missed)
    assert len(page.xpath("//*[@class='trials']//tbody/tr")) == len(late["decisions"]) - len(missed)
    assert "Infinity" not in page_of(late)


def test_the_configuration_and_its_use(report: dict[str, Any]) -> None:
    named = {**report, "name": "my bank", "again": ["malt train -f 'my bank/options.xml' -rt any"]}
    page = lxml.html.fromstring(page_of(named))
    chosen = page.get_element_by_id("chosen")
    assert report["chosen"]["flags"] in words(chosen)
    assert [code.text for code in chosen.xpath(".//ol//code")] == report["chosen"]["features"]
    commands = [pre.text for pre in page.get_element_by_id("use").xpath(".//pre")]
    assert commands == [
        "malt parse -c 'my bank/my bank' FILE",
        "malt train -f 'my bank/options.xml' -rt any",
        "cd 'my bank' && java -jar maltparser-1.9.2.jar -f options.xml",
    ]


def test_hostile_values_are_text(report: dict[str, Any]) -> None:
    bad = hostile(report)
    text = page_of(bad)
    well_formed(text)
    page = lxml.html.fromstring(text)
    assert not page.xpath("//img | //iframe | //b[text()='bold'] | //i")
    assert len(page.xpath("//script")) == len(lxml.html.fromstring(page_of(report)).xpath("//script")) == 1
    assert not [name for element in page.iter() for name in element.attrib if name.startswith("on")]
    for field in FIELDS[:7]:
        assert field in page.text_content()


def test_features_in_short() -> None:
    columns = find_columns("conllx")
    assert in_shorthand("OutputColumn(DEPREL,ldep(Stack[0]))", columns) == "DEPREL(ldep(Stack[0]))"
    assert in_shorthand("nonsense((", columns) == "nonsense(("
    assert find_columns("nobody's.xml") is None
    assert reach([]) == (0.0, 0.0)


def test_a_name_does_not_run_into_its_score() -> None:
    short_name, long_name = (
        decisiontree.Box([decisiontree.Candidate(name, 70.08, True)]) for name in ("planar", "w" * 20)
    )
    assert short_name.width == decisiontree.WIDTH < long_name.width == long_name.room


def test_scores_below_the_scale_are_marked() -> None:
    first = {"phase": "", "step": "", "what": "", "score": 80.0, "before": None, "kept": True, "error": ""}
    worse = {**first, "score": 40.0, "kept": False}
    picture = curve([first, worse, {**worse, "score": 79.0}], "LAS")
    assert (picture.count('class="below"'), picture.count("<circle")) == (1, 2)
    assert "below the scale" in picture
    assert "below the scale" not in curve([first, first], "LAS")


def test_a_study_in_a_notebook() -> None:
    found = run_of()
    text = found.study._repr_html_()
    assert found.study.expectation is not None
    assert found.study.expectation.summary in lxml.html.fromstring(text).text_content()
    well_formed(text)
    assert f"{found.study.best.score:.2f}" in text
    for name in ("default", "phase 1", "phase 2", "phase 3"):
        assert name in text
    assert all(f"{flags_of(phase.setup.options)}" in text for phase in found.study.results)
    assert "nothing has been tried" in run_of(trials=0).study._repr_html_()


@pytest.mark.parametrize("part", ["options", "features"])
def test_what_was_kept_is_shown_first(report: dict[str, Any], part: str) -> None:
    page = lxml.html.fromstring(page_of(report))
    fields = page.get_element_by_id(part).xpath(".//input[@type='radio']")
    assert [field.get("value") for field in fields if field.get("checked") is not None] == ["kept"]
    titles = [label.text_content() for label in page.get_element_by_id(part).xpath(".//label")]
    tried = [one for one in report["decisions"] if (one["phase"] == "phase3") == (part == "features")]
    assert titles[:2] == [f"all ({len(tried)})", f"kept ({sum(one['kept'] for one in tried)})"]


def test_the_way_to_the_choice(report: dict[str, Any]) -> None:
    """What was kept for an algorithm that lost is no part of it."""
    assert all(one["leads"] == one["kept"] for one in report["decisions"])
    *others, last = [one for one in report["decisions"] if one["kept"]]
    lost = {**report, "decisions": [*others, {**last, "leads": False}]}
    rows = lxml.html.fromstring(page_of(lost)).get_element_by_id("kept").xpath(".//tbody/tr")
    assert len(rows) == len(others)


def test_labels_are_not_clipped(report: dict[str, Any]) -> None:
    """Not in the bars of steps, nor in decision trees."""
    long = "2-Planar's reduce after switch and root arcs"
    changed = {**report, "decisions": [{**one, "step": long if one["phase"] else ""} for one in report["decisions"]]}
    changed["trees"] = [
        {**tree, "condition": "covered roots > 100000, leads nivrestandard+pp"} for tree in report["trees"]
    ]
    page = lxml.html.fromstring(page_of(changed))
    texts = [text.text_content() for text in page.xpath("//*[name()='svg']//*[name()='text']")]
    assert [text for text in texts if "\N{HORIZONTAL ELLIPSIS}" in text] == []
    assert "reduce after switch" in " ".join(texts)


def test_two_planes_in_words(report: dict[str, Any]) -> None:
    said = report["planes"]
    assert said in words(lxml.html.fromstring(page_of(report)).get_element_by_id("treebank"))
    assert said.startswith(
        "88.89 % of the trees need one plane, 11.11 % need two, and 0.00 % more than two. 2-Planar was not tried: "
    )
    scores = {one["name"]: one["score"] for one in report["decisions"] if one["name"]}
    held = f"{scores['stacklazy']:.2f} > {scores['covnonproj']:.2f}"
    assert said.endswith(
        f"it is in the tree non-projective, and its condition, stacklazy <= covnonproj, did not hold ({held})."
    )
    forced = {**report, "forced": "planar"}
    assert planes_in_words(forced).endswith("2-Planar was not tried: planar was asked for.")
    straight = {
        **report,
        "trees": [{**tree, "taken": False, "condition": "nonprojective > 90"} for tree in report["trees"]],
    }
    assert "its condition, nonprojective > 90, does not hold" in planes_in_words(straight)
    tried = {**report["decisions"][0], "name": "2planar", "score": 70.0, "before": 80.0, "kept": False, "folds": 1}
    assert planes_in_words({**report, "decisions": [tried]}).endswith(
        "2-Planar was tried: it had 70.00, and the best so far 80.00, so it was not kept."
    )
    # What is chosen in the end may be another than what was kept at first.
    other = {**tried, "name": "stacklazy", "kept": True}
    for made, said in (
        ([tried, {**tried, "kept": True}], "so it was not kept; in the end 2-Planar was chosen."),
        ([tried, other], "so it was not kept."),
        ([{**tried, "kept": True}, other], "so it was kept; in the end stacklazy was chosen."),
        ([other, {**tried, "kept": True}], "so it was kept."),
    ):
        assert planes_in_words({**report, "decisions": made}).endswith(said)
    assert planes_in_words({**report, "trees": []}).endswith("the plan default has no step for it.")
