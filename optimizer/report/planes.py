"""How many planes the trees of a treebank need, and why 2-Planar was tried, or not, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from malt.optimizer.plan.facts import numbers_of
from malt.optimizer.report.decisiontree import evidence, plain, reason

Report = Mapping[str, Any]
NAME, TITLE = "2planar", "2-Planar"


def planes_in_words(report: Report) -> str:
    """A few sentences."""
    numbers = numbers_of(report["profile"])
    beyond = numbers["not2planar"]
    shares = [100 - numbers["nonplanar"], numbers["nonplanar"] - beyond, beyond]
    one, two, more = (f"{share:.2f} %" for share in shares)
    return f"{one} of the trees need one plane, {two} need two, and {more} more than two. {_tried(report)}"


def _tried(report: Report) -> str:
    if report["forced"]:
        asked = report["forced"] == NAME
        return f"{TITLE} was asked for." if asked else f"{TITLE} was not tried: {report['forced']} was asked for."
    made = [one for one in report["decisions"] if one["name"] == NAME and one["score"] is not None and one["folds"]]
    if made:
        best = f", and the best so far {made[0]['before']:.2f}" if made[0]["before"] is not None else ""
        answer = "it was kept" if made[0]["kept"] else "it was not kept"
        last = next((one["name"] for one in reversed(report["decisions"]) if one["kept"] and one["name"]), "")
        if made[0]["kept"] != (last == NAME):
            answer += f"; in the end {TITLE if last == NAME else last} was chosen"
        return f"{TITLE} was tried: it had {made[0]['score']:.2f}{best}, so {answer}."
    for tree in report["trees"]:
        if (why := _missed(tree["steps"], report)) is not None:
            unused = reason(tree, report)
            said = unused.removeprefix("Not used: ").rstrip(".") if unused else why
            return f"{TITLE} was not tried: it is in the tree {tree['name']}, and {said or 'there was no time for it'}."
    return f"{TITLE} was not tried: the plan {report['plan']['name']} has no step for it."


def _missed(steps: Iterable[Mapping[str, Any]], report: Report) -> str | None:
    """Why the way to 2-Planar was not gone; None if it is not among these steps, nothing if it was gone."""
    for step in steps:
        found = "" if step.get("try") == NAME else _missed(step.get("steps", ()), report)
        for key, word in (("then", "not kept"), ("else", "kept")):
            if found is None and (inner := _missed(step.get(key, ()), report)) is not None:
                found = inner if any(one["taken"] for one in step[key]) else f"{step.get('try', 'a step')} was {word}"
        if found is not None:
            return _unmet(step["condition"], report) if step["condition"] and not step["taken"] else found
    return None


def _unmet(condition: str, report: Report) -> str:
    scores = {one["name"]: one["score"] for one in report["decisions"] if one["name"] and one["score"] is not None}
    held = evidence(_turned(condition), scores, numbers_of(report["profile"]))
    return f"its condition, {plain(condition)}, did not hold" + (f" ({held})" if held else "")


def _turned(condition: str) -> str:
    """A comparison that did not hold, as it is.

    >>> _turned("stacklazy <= covnonproj"), _turned("leads stackproj")
    ('stacklazy > covnonproj', 'leads stackproj')
    """
    for sign, other in ((" <= ", " > "), (" >= ", " < "), (" > ", " <= "), (" < ", " >= ")):
        if sign in condition:
            return condition.replace(sign, other)
    return condition
