"""`malt eval`: how good parsed files are, against a gold standard, as tables, as JSON, or as a page."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from malt.commands.table import GAP, print_lines, short_names, side_by_side
from malt.data.files import STANDARD_INPUT, STANDARD_OUTPUT, check_output, check_standard_output, open_output
from malt.errors import DataError, UsageError, counted
from malt.evaluation.alignment import WordsDiffer
from malt.evaluation.convention import CONVENTIONS, Convention, convention_of
from malt.evaluation.evaluation import evaluate_files
from malt.evaluation.graphs import GraphEvaluation, evaluate_graph_files
from malt.evaluation.result import BY_GOLD, GROUPS, Evaluation
from malt.evaluation.text import FORMAT, METRICS, NO_SCORE, TITLE, TextEvaluation, evaluate_text_files
from malt.evaluation.text import LEGEND as TEXT_LEGEND
from malt.evaluation.words import EMPTY, LEGEND, TITLES, interval, p_value, points
from malt.running.log import logger
from malt.settings.settings import Settings

ALL = "all"
ONLY_TREES = ("by", "convention", "punctuation")  # options for files with the same words
GRAPH_ROWS = ("ELAS", "EULAS", "arcs", "whole graphs", "whole graphs, labels apart")
GRAPH_LEGEND = {
    "ELAS": "arcs with their labels, as in the shared task of IWPT 2020: paths over empty nodes are arcs",
    "EULAS": "the same with labels without subtypes: nmod:of is nmod",
    "arcs": "arcs, labels apart",
    "whole graphs": "sentences with all arcs of the gold standard and no other",
}
ROOM, COLUMN = 36, 14  # for names and for scores, so that tables below each other line up


def run(options: Settings) -> int:
    """Score, then print."""
    if not options.files:
        raise UsageError("which files? malt eval GOLD SYSTEM [SYSTEM ...]")
    gold, *systems = options.files
    systems = systems or ["-"]
    if sum(file in STANDARD_INPUT for file in (gold, *systems)) > 1:
        raise UsageError("standard input can be read once: as the gold standard, or as one system")
    groups = chosen_groups(options["eval.by"])
    check_standard_output()
    check_output(options["eval.html"], "page")
    format = options["input.format"] if options.given("input.format") else ""
    only_trees = [f"--{name}" for name in ONLY_TREES if options.given(f"eval.{name}")]
    if options["eval.graphs"]:
        only_trees += [f"--{name}" for name in ("text", "html") if options.given(f"eval.{name}")]
        if only_trees:
            raise UsageError(f"{only_trees[0]} is for trees, and --graphs for graphs; leave one out")
        found = evaluate_graph_files(gold, systems, format, options["input.charset"])
        show(options, found, lambda width: graph_report(found, width))
        return 0
    if options["eval.text"]:
        if only_trees:
            raise UsageError(f"{only_trees[0]} is for files with the same words, and --text for others; leave one out")
        if format not in ("", FORMAT):
            raise UsageError(f"--text scores {FORMAT} only, not {format}; leave out -if")
        return show_text(gold, systems, options)
    convention = options["eval.convention"] if options.given("eval.convention") else ""
    punctuation = options["eval.punctuation"] == "in" if options.given("eval.punctuation") else None
    try:
        result = evaluate_files(gold, systems, format, options["input.charset"], convention, punctuation)
    except WordsDiffer as differ:
        if not differ.text or only_trees:
            raise
        if not all(map(os.path.isfile, (gold, *systems))):  # a pipe is read once
            raise DataError(f"{differ.difference}; --text aligns words by their characters") from None
        logger.info("%s; words are aligned by their characters", differ.difference)
        return show_text(gold, systems, options)
    for system in result.systems:
        if system.blind:
            word = "word has no head and counts" if system.blind == 1 else "words have no head and count"
            logger.warning("warning: %s: %d %s as wrong", system.name, system.blind, word)
    if result.convention.name == convention_of("conllu"):
        for name, validity in [(result.gold, result.validity), *((one.name, one.validity) for one in result.systems)]:
            if str(validity):
                logger.warning("warning: %s is not valid UD: %s", name, validity)
    if options["eval.html"]:
        write_page(result, groups, options["eval.html"])
    show(options, result, lambda width: report(result, groups, width))
    return 0


def show_text(gold: str, systems: Sequence[str], options: Settings) -> int:
    """The same for files whose tokens may differ."""
    result = evaluate_text_files(gold, systems, options["input.charset"])
    if options["eval.html"]:
        from malt.drawing.reports.text import text_page

        name, *names = short_names([result.gold, *(system.name for system in result.systems)])
        with open_output(options["eval.html"], "page") as stream:
            stream.write(text_page(result, names, name).encode())
    show(options, result, lambda width: text_report(result, width))
    return 0


def show(
    options: Settings, result: Evaluation | TextEvaluation | GraphEvaluation, lines: Callable[[int], Iterable[str]]
) -> None:
    """Print what was counted: as JSON, or as lines, which are made for a width."""
    if options["eval.html"] and options["eval.html"] in STANDARD_OUTPUT:
        return  # the page is there already
    if options["eval.json"]:
        print(json.dumps(result.to_dict(), indent=1, ensure_ascii=False))
    else:
        print_lines(lines(shutil.get_terminal_size().columns if sys.stdout.isatty() else 0))


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


def write_page(result: Evaluation, groups: Sequence[str], path: str) -> None:
    """Write the page of --html; without --by it has all groups."""
    from malt.drawing.reports.scores import page_of

    gold, *names = short_names([result.gold, *(system.name for system in result.systems)])
    with open_output(path, "page") as stream:
        stream.write(page_of(result, names, gold, groups or tuple(GROUPS)).encode())


# -- tables


def report(result: Evaluation, groups: Sequence[str] = (), width: int = 0) -> Iterator[str]:
    """The lines to print."""
    names = short_names([system.name for system in result.systems])
    marks = f"{result.marks:,} of them punctuation" if result.marks else "none of them punctuation"
    size = f"{counted(result.sentences, 'sentence')}, {counted(result.words, 'word')}, {marks}"
    yield f"{short_names([result.gold])[0]}: {size}"
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
    yield from legend(groups, bool(result.comparisons), result.has_clas)


def legend(groups: Sequence[str], compared: bool, clas: bool) -> Iterator[str]:
    """What the words in the tables mean."""
    shown = {"CLAS": clas, "left": "direction" in groups, "depth": "depth" in groups, "McNemar's test": compared}
    yield from definitions(
        {name: text for name, text in LEGEND.items() if shown.get(name, True)}, max(map(len, LEGEND))
    )


def definitions(words: Mapping[str, str], room: int) -> Iterator[str]:
    """Words and what they mean, side by side."""
    for name, text in words.items():
        first, *more = text.split("\n")
        yield name.ljust(room + GAP) + first
        yield from (" " * (room + GAP) + line for line in more)


def text_report(result: TextEvaluation, width: int = 0) -> Iterator[str]:
    """The lines to print of files whose tokens may differ."""
    yield f"{short_names([result.gold])[0]}: {result.size()}"
    yield ""
    yield f"{TITLE}, in %"
    left = ["", "gold".rjust(ROOM // 2)]
    left += [metric + f"{result.in_gold(metric):,}".rjust(ROOM // 2 - len(metric)) for metric in result.metrics]
    panels = []
    for name, system in zip(short_names([system.name for system in result.systems]), result.systems, strict=True):
        panel = [name, f"{'system':>7}{'precision':>11}{'recall':>9}{'F':>9}{'aligned':>9}"]
        for metric in result.metrics:
            score = system.scores.get(metric, NO_SCORE)
            precision, recall, f, aligned = map(points, score.shares())
            panel.append(f"{score.system:>7,}{precision:>11}{recall:>9}{f:>9}{aligned if score.aligned else '':>9}")
        panels.append(panel)
    yield from side_by_side(left, panels, width)
    yield ""
    meanings = {metric: METRICS[metric] for metric in result.metrics} | TEXT_LEGEND
    yield from definitions(meanings, max(map(len, meanings)))


def graph_report(result: GraphEvaluation, width: int = 0) -> Iterator[str]:
    """The lines to print of graphs."""
    size = f"{counted(result.sentences, 'sentence')}, {counted(result.words, 'word')}, {counted(result.arcs, 'arc')}"
    yield f"{short_names([result.gold])[0]}: {size}"
    yield ""
    yield "graphs, in %"
    left = [name.ljust(ROOM) for name in ("", "", *GRAPH_ROWS)]
    panels = []
    for name, scores in zip(short_names([*result.systems]), result.systems.values(), strict=True):
        panel = [name, f"{'system':>7}{'precision':>11}{'recall':>9}{'F':>9}"]
        for one in (scores.labelled, scores.universal, scores.unlabelled):
            panel.append(f"{one.system:>7,}{points(one.precision):>11}{points(one.recall):>9}{points(one.f):>9}")
        for exact in (scores.exact, scores.exact_unlabelled):
            panel.append(f"{exact:>7,}{'':>20}{points(exact / max(1, scores.sentences)):>9}")
        panels.append(panel)
    yield from side_by_side(left, panels, width)
    yield ""
    yield from definitions(GRAPH_LEGEND, max(map(len, GRAPH_LEGEND)))


def overview(result: Evaluation, convention: Convention, names: list[str], width: int) -> Iterator[str]:
    """The scores by one convention."""
    rows = [("", names), *result.overview(convention)]
    yield result.heading(convention)
    panels = [[cells[i].rjust(COLUMN) for _, cells in rows] for i in range(len(names))]
    yield from side_by_side([name.ljust(ROOM) for name, _ in rows], panels, width)


def group_table(result: Evaluation, group: str, names: list[str], width: int) -> Iterator[str]:
    """The scores by class, by the chosen convention."""
    order, gold, found = result.classes(group)
    yield f"by {TITLES[group]}, in %: {result.rules_in_words(result.convention)}"
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
            for one in (lines.get(key, EMPTY) for key in order):
                panel += [f"{points(one.las):>6}{points(one.uas):>9}{points(one.label_accuracy):>9}"]
        else:
            panel = [f"{'system':>7}{'precision':>11}{'recall':>9}{'F':>9}"]
            for one in (lines.get(key, EMPTY) for key in order):
                panel += [f"{one.system:>7,}{points(one.precision):>11}{points(one.recall):>9}{points(one.f):>9}"]
        panels.append([name, *panel])
    yield from side_by_side(left, panels, width)


def comparison_table(result: Evaluation, names: list[str]) -> Iterator[str]:
    """How the systems differ, two at a time."""
    short = dict(zip((system.name for system in result.systems), names, strict=True))
    rows = [("", "difference", "95 % interval", "only 1st", "only 2nd", "McNemar's test")]
    for one in result.comparisons:
        rows.append(
            (
                f"from {short[one.first]} to {short[one.second]}",
                "-" if one.difference is None else f"{100 * one.difference:+.2f}",
                interval(one.interval, "+"),
                f"{one.only_first:,}",
                f"{one.only_second:,}",
                f"{p_value(one.mcnemar.p)} ({one.mcnemar.test})",
            )
        )
    yield f"difference of LAS: {result.rules_in_words(result.convention)}"
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        line = name.ljust(widths[0])
        yield line + "".join(" " * GAP + cell.rjust(room) for cell, room in zip(cells, widths[1:], strict=True))
