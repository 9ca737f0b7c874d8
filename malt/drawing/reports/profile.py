"""Profiles of treebanks as a page: the numbers that `malt analyze` prints, with pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from malt.drawing.page import plot
from malt.drawing.page.markup import Content, Html, element, join
from malt.drawing.page.page import figures, page, plots, section, source, table
from malt.drawing.page.shares import share, shares
from malt.trees.profile import LENGTHS, PLANES, Profile, root_labels

Row = tuple[str, Sequence[tuple[str, str | None]]]  # a name; for each profile a number and its share
FAR = 20  # the longest arc that has a column of its own
ROOTS = 8


def page_of(profiles: Sequence[Profile], names: Sequence[str], rows: Iterable[Row], legend: str) -> str:
    """The page. `names` are those of the profiles as they are to be shown; the last may be the total of the others.

    `rows` and `legend` are the table as text has it.
    """
    files = [one for one in profiles if one.files == 1]
    title = names[0] if len(profiles) == 1 else f"{len(files)} treebanks"
    body = [
        _figures(profiles[-1]) if len(profiles) == 1 else _side_by_side(profiles, names),
        section("Trees", _each(_trees(profiles, names)), plots(*_structure(profiles, names))),
        _arcs(profiles, names),
        section("All numbers", _table(names, rows), _words(legend)),
    ]
    sentences, tokens = (sum(one.counts[name] for one in files) for name in ("sentences", "tokens"))
    formats = list(dict.fromkeys(one.format for one in files))
    subtitle = (
        f"{sentences:,} sentences, {tokens:,} tokens, in the format{'s' * (len(formats) > 1)} {', '.join(formats)}."
    )
    return page(title, join(body, "\n"), subtitle=subtitle, style=source("report.css"))


def _each(drawings: Sequence[Html]) -> Html:
    """A drawing of each treebank, three beside each other where there is room."""
    return element("div", plots(*drawings), class_="columns" if len(drawings) > 2 else None)


def _facts(profile: Profile) -> dict[str, Content]:
    """The few numbers that matter most; first what was asked for."""
    counts, trees = profile.counts, profile.trees
    facts: dict[str, Content] = {}
    if profile.algorithm:
        lost, arcs = counts["trees_not_derived"], counts["arcs_not_derived"]
        every = counts["word_arcs"] + profile.root_labels.total()
        facts[f"trees that {profile.algorithm} cannot derive"] = share(lost, trees)
        facts[f"arcs that {profile.algorithm} cannot derive"] = share(arcs, every)
    return facts | {
        "trees": trees,
        "not projective": share(counts["nonproj"], trees),
        "not planar": share(profile.not_planar(1), trees),
        "not 2-planar": share(profile.not_planar(2), trees),
        "tokens a sentence": f"{counts['tokens'] / max(1, counts['sentences']):.1f}",
        "mean length of arcs": profile.mean_arc_length(),
    }


def _figures(profile: Profile) -> Html:
    return figures(list(_facts(profile).items()))


def _side_by_side(profiles: Sequence[Profile], names: Sequence[str]) -> Html:
    """The same of several treebanks, a column each."""
    facts = [_facts(one) for one in profiles]
    rows: list[list[Content]] = [[name, *(one[name] for one in facts)] for name in facts[0]]
    return section("", element("div", table(["", *names], rows, align="l" + "r" * len(names)), class_="numbers"))


def _trees(profiles: Sequence[Profile], names: Sequence[str]) -> list[Html]:
    called = names if len(names) > 1 else ["Trees"]
    return [_planes(one, f"{name}: planes that hold the arcs") for one, name in zip(profiles, called, strict=True)]


def _planes(profile: Profile, title: str) -> Html:
    crossed = profile.counts["nonproj"]
    beyond = [profile.not_planar(k) for k in (1, *PLANES)]
    parts = {"projective": profile.trees - crossed, "planar, not projective": crossed - beyond[0]}
    for k, more, fewer in zip(PLANES, beyond, beyond[1:], strict=False):
        parts[f"{k}-planar, not {'planar' if k == 2 else f'{k - 1}-planar'}"] = more - fewer
    parts["more planes"] = beyond[-1]
    last = max((place for place, count in enumerate(parts.values()) if count), default=0)
    kept = dict(list(parts.items())[: max(3, last + 1)])
    return shares(kept, title=title)


def _structure(profiles: Sequence[Profile], names: Sequence[str]) -> list[Html]:
    degrees = sorted({degree for one in profiles for degree in one.gap_degree})
    planes = sorted({k for one in profiles for k in one.exact()})
    series: dict[str, tuple[list[int], list[Mapping[int, int]]]] = {
        "Trees by gap degree, in %": (degrees, [one.gap_degree for one in profiles]),
        "Trees by least number of planes, in %": (planes, [one.exact() for one in profiles]),
    }
    drawings = []
    for title, (classes, found) in series.items():
        values = {
            name: [100 * counts.get(k, 0) / max(1, one.trees) for k in classes]
            for name, one, counts in zip(names, profiles, found, strict=True)
        }
        drawings.append(plot.bars([str(k) for k in classes], values, title=title))
    labels = root_labels(profiles)[:ROOTS]
    roots = {
        name: [100 * one.root_labels[label] / max(1, one.root_labels.total()) for label in labels]
        for name, one in zip(names, profiles, strict=True)
    }
    drawings.append(plot.bars(labels, roots, title="Labels of roots, in %"))
    return drawings


def _arcs(profiles: Sequence[Profile], names: Sequence[str]) -> Html:
    classes: dict[str, list[float | None]] = {
        name: [100 * n / max(1, one.counts["word_arcs"]) for n in one.arc_lengths().values()]
        for name, one in zip(names, profiles, strict=True)
    }
    every = plot.columns(list(LENGTHS), classes, title="Arcs between words by length, in %", x="length")
    drawings = []
    for name, one in zip(names, profiles, strict=True):
        longest = min(FAR, one.lengths.shape[1] - 1)
        if longest < 1:
            continue
        arcs = max(1, one.counts["word_arcs"])
        right, left = ([100 * int(n) / arcs for n in side[1 : longest + 1]] for side in one.lengths)
        sides = {
            "to the left (the head comes after)": list(enumerate(left, 1)),
            "to the right": list(enumerate(right, 1)),
        }
        title = "Arcs by length and direction, in %"
        title = f"{name}: {title[0].lower()}{title[1:]}" if len(names) > 1 else title
        drawings.append(plot.lines(sides, title=title, x="length", least=0.0))
    if len(names) == 1:
        return section("Arcs", plots(every, *drawings))
    return section("Arcs", plots(every), _each(drawings))


def _table(names: Sequence[str], rows: Iterable[Row]) -> Html:
    """A number, and below it its share, for each profile."""
    body: list[list[Content]] = []
    for name, cells in rows:
        depth = (len(name) - len(name.lstrip())) // 2
        first = element("span", name.strip(), class_=f"in{depth}" if depth else "heading" if not cells else None)
        both = [
            join([number, " ", element("span", portion, class_="share")]) if portion else number
            for number, portion in cells
        ]
        body.append([first, *(both or [""] * len(names))])
    return element("div", table(["", *names], body, align="l" + "r" * len(names)), class_="numbers shares")


def _words(legend: str) -> Html:
    """The legend of the text, whose lines are a word, blanks, and what it means."""
    pairs = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in legend.splitlines()]
    words = [join([element("dt", name), element("dd", *rest)]) for name, *rest in pairs]
    return element("dl", *words, class_="words")
