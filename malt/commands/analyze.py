"""`malt analyze`: what the trees of treebanks are like, as a table, as JSON, or as a page."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence

from malt.commands.table import print_lines, short_names, side_by_side
from malt.data.files import STANDARD_OUTPUT, check_output, check_standard_output, open_output
from malt.data.treebank import open_treebank
from malt.drawing.page import shares
from malt.errors import UsageError
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.systems import system_of
from malt.systems.language import Definition
from malt.systems.oracle import Oracle
from malt.trees.graphs import GraphProfile
from malt.trees.profile import LENGTHS, PLANES, Profile, are_related, root_labels, total

ROOT_LABELS = 5  # so many labels of roots are shown; --json has all
LEGEND = """\
not k-planar   no k planes without crossings hold all links between words
  with root    ... and the links to the artificial root
gap degree     most gaps among the words that one word dominates
ill-nested     the words that two words dominate interleave
  below one    ... and the two are below the same root
  mildly       ... and joined two by two, subtrees keep to the gap degree
  strongly     ... and they do not
covered root   a root with an arc passing over it
to the left    the head comes after its dependent"""

GRAPH_LEGEND = """\
not k-planar   no k planes without crossings hold all links between words
  with root    ... and the links to the artificial root
empty nodes    a path over one counts as an arc, and its labels as one label"""

Cell = tuple[str, str | None]  # a number and its share; without a share: a text for the whole width
Row = tuple[str, list[Cell]]


def run(options: Settings) -> int:
    """Read all files, then print."""
    files = options.files or (options["input.infile"],)
    twice = [file for place, file in enumerate(files) if file in files[:place]]
    if twice:
        raise UsageError(f"{twice[0]} is given twice; name each file once")
    check_standard_output()
    check_output(options["analyze.html"], "page")
    definition = system_of(options) if options.given("singlemalt.parsing_algorithm") else None
    oracle = Oracle(definition) if definition is not None else None
    if options["analyze.graphs"] or (definition is not None and definition.many):
        return run_graphs(options, files, oracle, definition)
    profiles = [profile(file, options["input.format"], options["input.charset"], oracle) for file in files]
    if len(profiles) > 1 and are_related(profiles):
        everything = total(profiles)
        while everything.name in [one.name for one in profiles]:  # a file may be called so
            everything.name += " of all"
        profiles.append(everything)
    page = options["analyze.html"]
    if page:
        write_page(profiles, page)
    if page and page in STANDARD_OUTPUT:
        pass  # the page is there already
    elif options["analyze.json"]:
        print(json.dumps({one.name: one.as_json() for one in profiles}, indent=1))
    else:
        print_lines(table(profiles, shutil.get_terminal_size().columns if sys.stdout.isatty() else 0))
    return 0


def run_graphs(options: Settings, files: Sequence[str], oracle: Oracle | None, definition: Definition | None) -> int:
    """The same for the graphs of the column DEPS."""
    if definition is not None and not definition.many:
        raise UsageError(
            f"-a {definition.name} derives trees, and --graphs is for graphs; -hd many lets it derive them"
        )
    if options["analyze.html"]:
        raise UsageError("--html is for trees; leave it out, or --graphs")
    profiles = []
    for file in files:
        with open_treebank(file, options["input.format"], options["input.charset"]) as treebank:
            found = GraphProfile(treebank.name, oracle.name if oracle else "")
            for block in progress.blocks(treebank, "analyze"):
                found.add(block, oracle)
            profiles.append(found)
    if options["analyze.json"]:
        print(json.dumps({one.name: one.as_json() for one in profiles}, indent=1))
    else:
        print_lines(graph_table(profiles, shutil.get_terminal_size().columns if sys.stdout.isatty() else 0))
    return 0


def graph_table(profiles: list[GraphProfile], width: int = 0) -> Iterator[str]:
    """The lines of the table of graphs."""
    names = short_names([one.name for one in profiles])
    found: list[Row] = [("", [(name, None) for name in names]), *graph_rows(profiles)]
    panels = [_panel([cells[i] if cells else ("", None) for _, cells in found]) for i in range(len(profiles))]
    yield from side_by_side([name for name, _ in found], panels, width)
    yield ""
    yield from GRAPH_LEGEND.splitlines()


def graph_rows(profiles: list[GraphProfile]) -> Iterator[Row]:
    """The rows of the table of graphs."""

    def row(name: str, numbers: list[int], of: list[int] | None = None) -> Row:
        shares = [_share(n, whole) for n, whole in zip(numbers, of, strict=True)] if of else [""] * len(numbers)
        return name, [(f"{n:,}", share) for n, share in zip(numbers, shares, strict=True)]

    def count(name: str, key: str, of: list[int] | None = None) -> Row:
        return row(name, [one.counts[key] for one in profiles], of)

    sentences, words, arcs = ([one.counts[key] for one in profiles] for key in ("sentences", "words", "arcs"))
    yield count("sentences", "sentences")
    yield count("  with a word with several heads", "several_heads", sentences)
    yield count("  with a cycle", "cycles", sentences)
    for k in (1, 2, 3):
        yield row(f"  not {_planar(k)}", [one.not_planar(k) for one in profiles], sentences)
        yield row("    with root", [one.not_planar(k, root=True) for one in profiles], sentences)
    yield "sentences by words on the root", []
    for roots in sorted({roots for one in profiles for roots in one.roots}):
        yield row(f"  {roots}", [one.roots[roots] for one in profiles], sentences)
    yield count("words", "words")
    for heads in sorted({heads for one in profiles for heads in one.heads}):
        yield row(
            f"  with {heads} heads" if heads != 1 else "  with 1 head", [one.heads[heads] for one in profiles], words
        )
    yield count("empty nodes", "empty_nodes")
    yield count("arcs", "arcs")
    yield count("  from a word to itself", "loops", arcs)
    yield row("labels", [len(one.labels) for one in profiles])
    yield count("crossings between words", "crossings")
    yield count("  with root", "crossings_root")
    if any(one.algorithm for one in profiles):
        yield f"not derived by {profiles[0].algorithm}", []
        yield count("  graphs", "graphs_not_derived", sentences)
        yield count("  arcs, labels apart", "arcs_not_derived", [one.counts["pairs"] for one in profiles])


def write_page(profiles: list[Profile], path: str) -> None:
    """Write the page of --html."""
    from malt.drawing.reports.profile import page_of

    names = short_names([one.name for one in profiles])
    with open_output(path, "page") as stream:
        stream.write(page_of(profiles, names, rows(profiles), LEGEND).encode())


def profile(file: str, format: str = "", charset: str = "UTF-8", oracle: Oracle | None = None) -> Profile:
    """The profile of one file."""
    with open_treebank(file, format, charset) as treebank:
        found = Profile(treebank.name, treebank.format.name, oracle.name if oracle else "")
        for block in progress.blocks(treebank, "analyze"):
            found.add(block, oracle)
    if found.bad:
        how_many = f"sentences that are no trees: {found.bad}" if found.bad > 1 else "so the sentence is no tree"
        logger.warning("warning: %s; %s, left out of all counts of trees", found.first_bad, how_many)
    return found


def table(profiles: list[Profile], width: int = 0) -> Iterator[str]:
    """The lines of the table: one column a profile, as many side by side as the width allows (0: all).

    >>> one = Profile("a.conll", "conllx")
    >>> _ = one.measure([2, 0, 2, 0, 4, 1, 1], [0, 3, 7])
    >>> lines = list(table([one]))
    >>> next(line for line in lines if "not projective" in line).split()
    ['not', 'projective', '1', '50.00', '%']
    """
    names = short_names([one.name for one in profiles])
    found: list[Row] = [("", [(name, None) for name in names]), *rows(profiles)]
    panels = [_panel([cells[i] if cells else ("", None) for _, cells in found]) for i in range(len(profiles))]
    yield from side_by_side([name for name, _ in found], panels, width)
    yield ""
    yield from LEGEND.splitlines()


def _panel(cells: list[Cell]) -> list[str]:
    """The lines of one column: shares stand below each other, and so do the numbers before them."""
    room = 1 + max(len(share or "") for _, share in cells)
    width = max(len(text) + (0 if share is None else room) for text, share in cells)
    lines = []
    for text, share in cells:
        # A text stands above the numbers, if it is no longer than they are.
        after = " " * min(room, width - len(text)) if share is None else share.rjust(room)
        lines.append((text + after).rjust(width))
    return lines


def rows(profiles: list[Profile]) -> Iterator[Row]:
    """The rows of the table; one without cells is a heading."""
    sentences, trees, arcs, roots = (
        [one.counts["sentences"] for one in profiles],
        [one.trees for one in profiles],
        [one.counts["word_arcs"] for one in profiles],
        [one.root_labels.total() for one in profiles],
    )

    def row(name: str, values: list[int], of: list[int] | None = None) -> Row:
        shares = map(_share, values, of) if of else [""] * len(values)
        return name, [(f"{value:,}", share) for value, share in zip(values, shares, strict=True)]

    def count(name: str, key: str, of: list[int] | None = None) -> Row:
        return row(name, [one.counts[key] for one in profiles], of)

    yield "format", [(one.format, None) for one in profiles]
    if profiles[0].algorithm:  # what was asked for comes first
        tokens = [one.counts["word_arcs"] + one.root_labels.total() for one in profiles]
        yield f"not derived by {profiles[0].algorithm}", []
        yield count("  trees", "trees_not_derived", trees)
        yield count("  arcs", "arcs_not_derived", tokens)
    yield count("sentences", "sentences")
    if any(one.states["blind"] for one in profiles):
        yield row("  without heads", [one.states["blind"] for one in profiles], sentences)
    if any(one.bad for one in profiles):
        yield row("  that are no trees", [one.bad for one in profiles], sentences)
    yield count("tokens", "tokens")
    yield "  a sentence", [(f"{one.counts['tokens'] / max(1, one.counts['sentences']):.1f}", "") for one in profiles]
    yield row("  in the longest", [one.longest for one in profiles])
    yield "distinct", []
    for column in dict.fromkeys(column for one in profiles for column in one.vocabulary):
        sizes = [f"{len(one.vocabulary[column]):,}" if column in one.vocabulary else "" for one in profiles]
        yield f"  {column}", [(size, "") for size in sizes]
    yield row("  labels", [len(one.labels) for one in profiles])
    yield row("trees", trees)
    yield count("  with several roots", "multi_root", trees)
    yield count("  with a covered root", "trees_with_covered_root", trees)
    yield count("  not projective", "nonproj", trees)
    yield row("    well-nested", [one.counts["nonproj"] - one.counts["ill_nested"] for one in profiles], trees)
    for k in (1, *PLANES):
        yield row(f"  not {_planar(k)}", [one.not_planar(k) for one in profiles], trees)
        yield row("    with root", [one.not_planar(k, root=True) for one in profiles], trees)
    yield count("  ill-nested", "ill_nested", trees)
    yield count("    below one root", "ill_nested_strict", trees)
    yield count("    mildly", "ill_nested_mildly", trees)
    yield count("    strongly", "ill_nested_strongly", trees)
    yield row("  deepest", [one.deepest for one in profiles])
    yield "trees by gap degree", []
    for degree in sorted({degree for one in profiles for degree in one.gap_degree}):
        yield row(f"  {degree}", [one.gap_degree[degree] for one in profiles], trees)
    yield "trees by least number of planes", []
    for k in sorted({k for one in profiles for k in one.exact()}):
        yield row(f"  {k}", [one.exact().get(k, 0) for one in profiles], trees)
    for bounds in dict.fromkeys(bounds for one in profiles for bounds in one.undecided()):
        yield row(f"  {bounds}, not settled", [one.undecided().get(bounds, 0) for one in profiles], trees)
    yield count("arcs between words", "word_arcs")
    yield count("  not projective", "nonproj_arcs", arcs)
    yield count("  to the left", "left_arcs", arcs)
    for name in LENGTHS:
        yield row(f"  of length {name}", [one.arc_lengths()[name] for one in profiles], arcs)
    yield "  mean length", [(f"{one.mean_arc_length():.2f}", "") for one in profiles]
    yield row("roots", roots)
    labels = root_labels(profiles)
    for label in labels[:ROOT_LABELS]:
        yield row(f"  {label}", [one.root_labels[label] for one in profiles], roots)
    if len(labels) > ROOT_LABELS:
        rest = [sum(one.root_labels[label] for label in labels[ROOT_LABELS:]) for one in profiles]
        yield row(f"  {len(labels) - ROOT_LABELS} other labels", rest, roots)


def _planar(k: int) -> str:
    return "planar" if k == 1 else f"{k}-planar"


def _share(part: int, whole: int) -> str:
    """A percentage; nothing of nothing.

    >>> _share(853, 5512), _share(1, 100_000), _share(0, 5), _share(0, 0)
    ('15.48 %', '<0.01 %', '', '')
    """
    return shares.share(part, whole) if part and whole else ""
