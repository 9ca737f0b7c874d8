"""`malt eval`: how good parsed files are, against a gold standard, as tables or as JSON."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence

from malt.commands.analyze import GAP, _short
from malt.errors import MaltError, UsageError
from malt.evaluation.convention import CONVENTIONS, Convention
from malt.evaluation.evaluation import BY_GOLD, GROUPS, Evaluation, evaluate
from malt.evaluation.record import as_json
from malt.evaluation.significance import EXACT, RESAMPLES
from malt.evaluation.tally import Line
from malt.files import STANDARD_INPUT
from malt.log import logger
from malt.settings import Settings

ALL = "all"
ROOM, COLUMN = 36, 14  # for names and for scores, so that tables below each other line up
TITLES = {
    "label": "label",
    "pos": "coarse part of speech",
    "length": "length of arc",
    "direction": "direction of arc",
    "depth": "depth in the tree",
    "sentence": "length of sentence",
    "projectivity": "projectivity of arc",
}
LEGEND = {
    "LAS": "words with the right head and the right label",
    "UAS": "words with the right head",
    "CLAS": "F-score of the relations between content words: all of UD but functional ones and punct",
    "complete match": "sentences in which all words that count are right",
    "non-projective": "a word between the ends of the arc is not dominated by its head",
    "precision": "of the system's arcs in a class, those with the right head and label",
    "recall": "of the gold standard's arcs in a class, those that the system has, with the right label",
    "left": "the head comes after its dependent; eval.pl calls this right",
    "depth": "number of arcs from the artificial root",
    "95 % interval": f"bootstrap over sentences, {RESAMPLES:,} resamples",
    "McNemar's test": f"exact where fewer than {EXACT} words are right in only one of two systems, else\n"
    "chi-square with continuity correction",
}


def run(options: Settings) -> int:
    """Score, then print."""
    if not options.files:
        raise UsageError("malt eval compares files: malt eval GOLD SYSTEM [SYSTEM ...]")
    gold, *systems = options.files
    systems = systems or ["-"]
    twice = [file for place, file in enumerate(systems) if file in systems[:place]]
    if sum(file in STANDARD_INPUT for file in (gold, *systems)) > 1:
        raise UsageError("standard input can be read once: as the gold standard, or as one system")
    if twice:
        raise UsageError(f"{twice[0]} is given twice; name each system once")
    groups = chosen_groups(options["eval.by"])
    if sys.stdout is None:
        raise MaltError("standard output is closed, so there is nowhere to print to")
    format = options["input.format"] if options.given("input.format") else ""
    convention = options["eval.convention"] if options.given("eval.convention") else ""
    punctuation = options["eval.punctuation"] == "in" if options.given("eval.punctuation") else None
    result = evaluate(gold, systems, format, options["input.charset"], convention, punctuation)
    for system in result.systems:
        if system.blind:
            word = "word has no head and counts" if system.blind == 1 else "words have no head and count"
            logger.warning("warning: %s: %d %s as wrong", system.name, system.blind, word)
    if options["eval.json"]:
        print(json.dumps(as_json(result), indent=1, ensure_ascii=False))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        for line in report(result, groups, width):
            print("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line.rstrip()))
    return 0


def chosen_groups(by: str) -> list[str]:
    """The groups that --by names.

    >>> chosen_groups("length,label"), chosen_groups("")
    (['length', 'label'], [])
    >>> chosen_groups("size")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    malt.errors.UsageError: --by: expected all or some of label,pos,length,..., not 'size'
    """
    names = [name.strip() for name in by.split(",") if name.strip()]
    for name in names:
        if name not in (*GROUPS, ALL):
            raise UsageError(f"--by: expected {ALL} or some of {','.join(GROUPS)}, not {name!r}")
    return list(GROUPS) if ALL in names else list(dict.fromkeys(names))


# -- tables


def report(result: Evaluation, groups: Sequence[str] = (), width: int = 0) -> Iterator[str]:
    """The lines to print."""
    names = _short([system.name for system in result.systems])
    marks = f"{result.marks:,} of them punctuation" if result.marks else "none of them punctuation"
    size = f"{_number(result.sentences, 'sentence')}, {_number(result.words, 'word')}, {marks}"
    yield f"{_short([result.gold])[0]}: {size}"
    rules = sorted(CONVENTIONS.values(), key=lambda one: one != result.convention)  # the chosen one first
    for convention in rules:
        yield ""
        yield from overview(result, convention, names, width)
    for group in groups:
        yield ""
        yield from group_table(result, group, names, width)
    if result.comparisons:
        yield ""
        yield from comparison_table(result, names)
    yield ""
    yield from legend(groups, bool(result.comparisons))


def legend(groups: Sequence[str], compared: bool) -> Iterator[str]:
    """What the words in the tables mean."""
    shown = {"left": "direction" in groups, "depth": "depth" in groups, "McNemar's test": compared}
    room = max(map(len, LEGEND)) + GAP
    for name, text in LEGEND.items():
        if shown.get(name, True):
            first, *more = text.split("\n")
            yield name.ljust(room) + first
            yield from (" " * room + line for line in more)


def rules_in_words(result: Evaluation, convention: Convention) -> str:
    """What is counted, for headings."""
    counted = "with" if result.counts_punctuation(convention) else "without"
    subtypes = "" if convention.subtypes else ", labels without subtypes"
    return f"{convention.title}, {counted} punctuation{subtypes}"


def overview(result: Evaluation, convention: Convention, names: list[str], width: int) -> Iterator[str]:
    """The scores by one convention."""
    marks = result.counts_punctuation(convention)
    scores = [system.scores[convention.name] for system in result.systems]
    totals = [one.line(marks) for one in scores]
    rows: list[tuple[str, list[str]]] = [
        ("", names),
        ("labelled attachment (LAS)", [_percent(one.las) for one in totals]),
    ]
    if convention == result.convention:
        rows += [("  95 % interval", [_interval(system.interval) for system in result.systems])]
    rows += [
        ("unlabelled attachment (UAS)", [_percent(one.uas) for one in totals]),
        ("label accuracy", [_percent(one.label_accuracy) for one in totals]),
    ]
    if not convention.subtypes:
        content = [one.content(marks) for one in scores]
        rows += [(f"{_number(content[0].gold, 'content word')} (CLAS)", [_percent(one.f) for one in content])]
    complete = [one.complete(marks) for one in scores]
    rows += [
        ("complete match, labelled", [_percent(labelled) for labelled, _ in complete]),
        ("complete match, unlabelled", [_percent(unlabelled) for _, unlabelled in complete]),
    ]
    if convention == result.convention:
        arcs = [one.nonprojective(marks) for one in scores]
        rows += [
            (f"non-projective arcs ({arcs[0].gold:,} in gold)", [f"{one.system:,}  " for one in arcs]),
            ("  labelled precision", [_percent(one.precision) for one in arcs]),
            ("  labelled recall", [_percent(one.recall) for one in arcs]),
        ]
    yield f"{rules_in_words(result, convention)}: {_number(totals[0].gold, 'word')}"
    panels = [[cells[i].rjust(COLUMN) for _, cells in rows] for i in range(len(names))]
    yield from side_by_side([name.ljust(ROOM) for name, _ in rows], panels, width)


def group_table(result: Evaluation, group: str, names: list[str], width: int) -> Iterator[str]:
    """The scores by class, by the chosen convention."""
    marks = result.counts_punctuation(result.convention)
    found = [system.scores[result.convention.name].classes(group, marks) for system in result.systems]
    gold = {name: line.gold for lines in found for name, line in lines.items()}
    order = list(GROUPS[group]) or sorted(gold, key=lambda name: (-gold[name], name))
    order = [name for name in order if name in gold]
    empty = Line(0, 0, 0, 0, 0, 0, 0, 0)
    yield f"by {TITLES[group]}, in %: {rules_in_words(result, result.convention)}"
    if not order:
        yield f"there are none in {result.gold}"
        return
    longest = max(len(name) + GAP + len(f"{max(gold[name], 1000):,}") for name in order)
    left = ["", "gold".rjust(longest)]
    left += [name + f"{gold[name]:,}".rjust(longest - len(name)) for name in order]
    panels = []
    for name, lines in zip(names, found, strict=True):
        if group in BY_GOLD:
            panel = [f"{'LAS':>6}{'UAS':>9}{'label':>9}"]
            for one in (lines.get(key, empty) for key in order):
                panel += [f"{_points(one.las):>6}{_points(one.uas):>9}{_points(one.label_accuracy):>9}"]
        else:
            panel = [f"{'system':>7}{'precision':>11}{'recall':>9}{'F':>9}"]
            for one in (lines.get(key, empty) for key in order):
                panel += [f"{one.system:>7,}{_points(one.precision):>11}{_points(one.recall):>9}{_points(one.f):>9}"]
        panels.append([name, *panel])
    yield from side_by_side(left, panels, width)


def comparison_table(result: Evaluation, names: list[str]) -> Iterator[str]:
    """How the systems differ, two at a time."""
    short = dict(zip((system.name for system in result.systems), names, strict=True))
    rows = [("", "difference", "95 % interval", "only 1st", "only 2nd", "McNemar's test")]
    for one in result.comparisons:
        rows.append(
            (
                f"{short[one.first]} against {short[one.second]}",
                "-" if one.difference is None else f"{100 * one.difference:+.2f}",
                _interval(one.interval, "+"),
                f"{one.only_first:,}",
                f"{one.only_second:,}",
                f"{_chance(one.mcnemar.p)} ({one.mcnemar.test})",
            )
        )
    yield f"difference of LAS: {rules_in_words(result, result.convention)}"
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        line = name.ljust(widths[0])
        yield line + "".join(" " * GAP + cell.rjust(room) for cell, room in zip(cells, widths[1:], strict=True))


def side_by_side(left: list[str], panels: list[list[str]], width: int = 0) -> Iterator[str]:
    """Panels of lines to the right of names, as many beside each other as the width allows (0: all).

    >>> print("\\n".join(side_by_side(["a", "b"], [["1", "22"], ["3", "4"]])))
    a    1   3
    b   22   4
    """
    room = max(map(len, left))
    begin = 0
    while begin < len(panels):
        end, used = begin, room
        while end < len(panels) and (end == begin or not width or used + GAP + _width(panels[end]) <= width):
            used += GAP + _width(panels[end])
            end += 1
        if begin:
            yield ""
        for place, name in enumerate(left):
            cells = [panel[place].rjust(_width(panel)) for panel in panels[begin:end]]
            yield (" " * GAP).join([name.ljust(room), *cells])
        begin = end


def _width(panel: list[str]) -> int:
    return max(map(len, panel))


def _number(count: int, what: str) -> str:
    """
    >>> _number(1, "word"), _number(1000, "word")
    ('1 word', '1,000 words')
    """
    return f"{count:,} {what}{'s' * (count != 1)}"


def _points(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"


def _percent(share: float | None) -> str:
    return "-  " if share is None else f"{100 * share:.2f} %"


def _interval(ends: tuple[float, float] | None, sign: str = "") -> str:
    return "-  " if ends is None else " to ".join(f"{100 * end:{sign}.2f}" for end in ends)


def _chance(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
