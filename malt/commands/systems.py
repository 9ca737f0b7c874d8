"""`malt systems`: the transition systems, each as the text that is compiled and run, and charts with their steps."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap

from malt.charts import MOST_GAPS, find_chart, is_chart
from malt.charts.deduction import describe_chart
from malt.commands.table import print_lines
from malt.data.files import check_standard_output
from malt.settings.settings import Settings
from malt.systems import ALGORITHMS, EASY, GRAPHS, find_system, is_own, options_of
from malt.systems.language import ANY, EXACT, NO_COSTS, Definition
from malt.systems.own import read_system
from malt.systems.theory import Theory, derive_theory

WIDEST = 120  # columns


def run(options: Settings) -> int:
    """List the systems, or show one."""
    check_standard_output()
    if options.files and is_chart(options.files[0]):
        print_lines(describe_chart(find_chart(options.files[0])))
    elif options.files:
        name, values = options.files[0], options_of(options)
        print_lines(describe(read_system(name, values)[0] if is_own(name) else find_system(name, values)))
    else:
        print_lines(listing())
    return 0


def listing() -> list[str]:
    """One line per system: its name, what it is, the graphs it derives, and the length of its derivations."""
    rows: list[tuple[str, ...]] = [("system", "graphs", "length", "what it is")]
    for name in (*ALGORITHMS, *EASY, *GRAPHS):
        definition = find_system(name)
        theory = derive_theory(definition)
        kind, bound = graphs(definition, theory), length(definition, theory)
        short = (re.split(r"[,;:]| \(", text)[0] for text in (kind, bound))
        rows.append((name, *short, re.split(r"[;:]| \(", definition.title)[0]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [
        *shown,
        "",
        "3planar stands for 3planar, 4planar ... 64planar. `malt systems NAME` shows a definition.",
        "planar and Kplanar derive graphs, in which a word has any number of heads, with -hd many.",
        "easyfirst makes arcs anywhere in the sentence, the best first; it is learned with -l perceptron alone.",
        "mst and eisner score arcs, find the best tree, and only then derive it.",
        f"Charts are wg1 to wg{MOST_GAPS}, for well-nested trees of that gap degree, and mg1 to mg{MOST_GAPS}, for",
        "mildly ill-nested ones; they find the best tree over scores of arcs.",
    ]


def describe(definition: Definition) -> list[str]:
    """A definition with what is known of it, in comments: it can be saved, and given as a file."""
    theory = derive_theory(definition)
    width = min(shutil.get_terminal_size().columns, WIDEST) if sys.stdout.isatty() else WIDEST

    def paragraph(name: str, text: str) -> list[str]:
        return textwrap.wrap(f"{name:<14} {text}", width, initial_indent="# ", subsequent_indent="#" + " " * 16)

    body = [
        line.expandtabs()
        for line in definition.text.splitlines()
        if not line.startswith(("title:", "graphs:", "length:"))
    ]
    lines = [*paragraph(definition.name, definition.title), "", *body, ""]
    for part in definition.added:
        lines += paragraph("added", part)
    kind = graphs(definition, theory)
    lines += paragraph("graphs", f"only {kind}" if kind else "no class of graphs follows from the definition")
    lines += paragraph("length", length(definition, theory) or "no bound follows from the definition")
    lines += paragraph("costs", costs(definition))
    if definition.restarts and not definition.structured:
        labels = "bottom-up: other labels than the best come last, and " if definition.bottom_up else ""
        lines += paragraph("beams", f"{labels}--update is restart if not given")
    lines += paragraph("divisible", "yes" if theory.divisible else "no")
    return lines + [line for reason in theory.reasons for line in paragraph("", reason)]


def graphs(definition: Definition, theory: Theory) -> str:
    """The class of graphs: derived from the definition where the propositions decide it, otherwise as it is cited."""
    if theory.projective:
        # The propositions do not look at the end, before which easy-first makes one tree of all.
        return definition.graphs if definition.order else "projective forests"
    if theory.divisible:
        kind = "forests" if theory.single_head and theory.acyclic else "graphs"
        extra = [] if kind == "forests" else ["single-headed"] * theory.single_head + ["acyclic"] * theory.acyclic
        return " ".join(["planar", *extra, kind])
    if theory.planes:
        kind = "forests" if theory.acyclic else "graphs with at most one head a word, cycles included"
        return f"{theory.planes}-planar {kind if theory.single_head else 'graphs'}"
    return definition.graphs


def costs(definition: Definition) -> str:
    """What is known of the gold arcs that a transition loses, for learning from configurations that are wrong."""
    if definition.costs == NO_COSTS:
        return "not known: the oracle is static"
    counted = ", cycles counted" if definition.acyclic else ""
    if definition.costs == EXACT:
        return f"exact{counted}: on trees that it can derive"
    made = " of the arcs that transitions make" if definition.roots != ANY else ""
    return f"a lower bound{made}{counted}: more may be lost"


def length(definition: Definition, theory: Theory) -> str:
    """A bound on the number of transitions, derived or cited."""
    if theory.length:
        return f"O(n), at most {theory.length}"
    return definition.length
