"""An evaluation as a page: the numbers that `malt eval` prints, with pictures where one would rather look than read."""

from __future__ import annotations

from collections.abc import Sequence

from malt.drawing.page import plot
from malt.drawing.page.markup import Content, Html, element, join
from malt.drawing.page.page import figures, note, page, section, source, table
from malt.drawing.reports.overview import overview_table
from malt.evaluation.convention import CONVENTIONS, Convention
from malt.evaluation.result import BY_GOLD, GROUPS, Evaluation
from malt.evaluation.tally import ClassCounts
from malt.evaluation.words import EMPTY, LEGEND, TITLES, interval, p_value, points

FEW = 3  # systems that a title can name
MANY = 16  # classes in a picture; the table has all
CONFUSED = 12  # labels in a map of confusions, and pairs in the table beside it
NO_LABEL = "(none)"
LEVEL = 0.05  # of significance


def page_of(result: Evaluation, names: Sequence[str], gold: str, groups: Sequence[str] = tuple(GROUPS)) -> str:
    """The page. `names` of the systems and `gold` are as they are to be shown."""
    main = [_total(result, place) for place in range(len(names))]
    marks = f"{result.marks:,} of them punctuation" if result.marks else "none of them punctuation"
    several = len(names) > 1
    scores = [f"{name} {points(line.las)}" for name, line in zip(names, main, strict=True)]
    title = f"LAS: {', '.join(scores)}" if len(names) <= FEW else f"{len(names)} systems"
    overviews = [overview_table(result.overview(one), names, result.heading(one)) for one in _conventions(result)]
    by_class = [_group(result, group, names) for group in groups]
    body: list[Content] = [
        _figures(result, names, main),
        section("Scores", element("div", *overviews, class_="overview" if len(names) > 2 else "overview plots")),
        _differences(result, names) if result.comparisons else "",
        section("By class", element("div", *by_class, class_="plots")) if several and by_class else join(by_class),
        _confusions(result, names),
        _legend(bool(result.comparisons), result.has_clas),
    ]
    subtitle = f"Against {gold}: {result.sentences:,} sentences, {result.words:,} words, {marks}. "
    subtitle += f"{result.rules_in_words(result.convention)}."
    if len(names) == 2 and result.comparisons:
        body.insert(0, section("", element("p", element("b", verdict(result, names)), class_="verdict")))
    return page(title, join(body, "\n"), subtitle=subtitle, style=source("report.css"))


def verdict(result: Evaluation, names: Sequence[str]) -> str:
    """Which of two systems is better, in a sentence."""
    [one] = result.comparisons
    chance = p_value(one.mcnemar.p)
    if one.difference is None:
        return "There are no words to compare the two by."
    if one.mcnemar.p >= LEVEL or not one.difference:
        return f"The two do not differ in LAS by more than chance explains ({chance}, McNemar's test)."
    worse, better = names if one.difference > 0 else reversed(names)
    ends = sorted(abs(end) for end in one.interval) if one.interval else []
    within = f"95 % interval {100 * ends[0]:.2f} to {100 * ends[1]:.2f}; " if ends and _one_side(one.interval) else ""
    gain = f"{100 * abs(one.difference):.2f}"
    return f"{better} is better than {worse}: {gain} points more LAS ({within}{chance}, McNemar's test)."


def _one_side(ends: tuple[float, float] | None) -> bool:
    return ends is not None and ends[0] * ends[1] > 0


def _conventions(result: Evaluation) -> list[Convention]:
    return sorted(CONVENTIONS.values(), key=lambda one: one != result.convention)  # the chosen one first


def _total(result: Evaluation, place: int) -> ClassCounts:
    scores = result.systems[place].scores[result.convention.name]
    return scores.counts(result.counts_punctuation(result.convention))


def _figures(result: Evaluation, names: Sequence[str], totals: Sequence[ClassCounts]) -> Html:
    if len(names) > 1:
        return figures([(f"LAS, {name}", points(one.las)) for name, one in zip(names, totals, strict=True)])
    marks = result.counts_punctuation(result.convention)
    labelled, _ = result.systems[0].scores[result.convention.name].complete(marks)
    return figures(
        [
            ("LAS", points(totals[0].las)),
            ("95 % interval", element("span", interval(result.systems[0].interval).strip(), class_="word")),
            ("UAS", points(totals[0].uas)),
            ("label accuracy", points(totals[0].label_accuracy)),
            ("complete match", points(labelled)),
            ("words that count", totals[0].gold),
        ]
    )


def _differences(result: Evaluation, names: Sequence[str]) -> Html:
    short = dict(zip((system.name for system in result.systems), names, strict=True))
    rows = [
        [
            f"from {short[one.first]} to {short[one.second]}",
            "-" if one.difference is None else f"{100 * one.difference:+.2f}".replace("-", "\N{MINUS SIGN}"),
            interval(one.interval, "+").strip().replace("-", "\N{MINUS SIGN}"),
            one.only_first,
            one.only_second,
            f"{p_value(one.mcnemar.p)} ({one.mcnemar.test})",
        ]
        for one in result.comparisons
    ]
    headers = ["", "difference of LAS", "95 % interval", "only 1st right", "only 2nd right", "McNemar's test"]
    return section("Differences", element("div", table(headers, rows, align="lrrrrl"), class_="differences"))


def _group(result: Evaluation, group: str, names: Sequence[str]) -> Html:
    order, gold, found = result.classes(group)
    title = f"By {TITLES[group]}"
    if not order:
        return section(title, note(f"There are none in {result.gold}."))
    by_gold = group in BY_GOLD
    measures = ("LAS", "UAS", "label") if by_gold else ("system", "precision", "recall", "F")
    several = len(names) > 1
    headers: list[Content] = [TITLES[group], "gold"]
    headers += [_header(measure, name if several else "") for name in names for measure in measures]
    rows: list[list[Content]] = []
    for key in order:
        row: list[Content] = [key, gold[key]]
        for lines in found:
            one = lines.get(key, EMPTY)
            if by_gold:
                row += [points(one.las), points(one.uas), points(one.label_accuracy)]
            else:
                row += [one.system, points(one.precision), points(one.recall), points(one.f)]
        rows.append(row)
    sorted_by = not GROUPS[group]  # those with an order of their own have few classes
    figure = _picture(group, order[:MANY], gold, found, names)
    align = "l" + "r" * (len(headers) - 1)
    numbers = table(headers, rows, align=align, sortable=sorted_by)
    strange = [key for key in order if not gold[key]]
    remark: Content = ""
    if strange:
        which = ", ".join(strange[:MANY]) + (f" and {len(strange) - MANY} more" if len(strange) > MANY else "")
        remark = note(f"Not in the gold standard, so that every such arc is wrong: {which}.")
    if several:
        numbers = element("details", element("summary", "All numbers"), numbers)
        return element("div", element("h3", title), element("figure", figure), remark, numbers)
    more: Content = ""
    if len(rows) > MANY:  # as many as the picture has beside it, and all of them below
        more = element("details", element("summary", f"All {len(rows)}"), numbers)
        numbers = table(headers, rows[:MANY], align=align, sortable=sorted_by)
    return section(title, element("div", element("figure", figure), numbers, class_="plots"), remark, more)


def _header(measure: str, name: str) -> Content:
    return join([element("span", name, class_="small soft"), element("br"), measure]) if name else measure


def _picture(
    group: str,
    order: Sequence[str],
    gold: dict[str, int],
    found: Sequence[dict[str, ClassCounts]],
    names: Sequence[str],
) -> Html:
    """With one system two measures, with several one measure of each."""

    def values(lines: dict[str, ClassCounts], measure: str) -> list[float | None]:
        shares = [getattr(lines.get(key, EMPTY), measure) for key in order]
        return [None if share is None else 100 * share for share in shares]

    if group in BY_GOLD:
        measures, shown = ("las", "uas"), "LAS"
    else:
        measures, shown = ("precision", "recall"), "F-score"
    if len(names) == 1:
        title = "LAS and UAS, in %" if group in BY_GOLD else "Precision and recall, in %"
        labels = ("LAS", "UAS") if group in BY_GOLD else measures
        series = {label: values(found[0], measure) for label, measure in zip(labels, measures, strict=True)}
    else:
        title = f"{shown}, in %"
        measure = "las" if group in BY_GOLD else "f"
        series = {name: values(lines, measure) for name, lines in zip(names, found, strict=True)}
    if not GROUPS[group]:
        only = f" of the {len(order)} most frequent" if len(gold) > len(order) else ""
        if len(names) == 1:  # one bar each is enough to look at
            measure, name = ("las", "LAS") if group in BY_GOLD else ("f", "F-score")
            series, shown = {name: values(found[0], measure)}, name
        return plot.bars(list(order), series, title=f"{shown}{only}, in %")
    notes = [f"{gold[key]:,} in gold" for key in order]
    return plot.columns(list(order), series, title=title, x=TITLES[group], most=100.0, notes=notes)


def _confusions(result: Evaluation, names: Sequence[str]) -> Html:
    marks = result.counts_punctuation(result.convention)
    parts: list[Content] = []
    for name, system in zip(names, result.systems, strict=True):
        found = system.scores[result.convention.name].confusions(marks)
        if len(names) > 1:
            parts.append(element("h3", name))
        if not found:
            parts.append(element("p", "Every word has the right label."))
            continue
        wrong = sum(count for _, _, count in found)
        parts.append(element("div", element("figure", _heat(found)), _pairs(found, wrong), class_="plots"))
    return section("Labels that are taken for others", *parts)


def _heat(found: Sequence[tuple[str, str, int]]) -> Html:
    """The labels that are confused most, against each other."""
    weight: dict[str, int] = {}
    for one, two, count in found:
        for label in (one, two or NO_LABEL):
            weight[label] = weight.get(label, 0) + count
    labels = sorted(sorted(weight, key=lambda label: -weight[label])[:CONFUSED])
    counts = {(one, two or NO_LABEL): count for one, two, count in found}
    values = [[counts.get((one, two)) for two in labels] for one in labels]
    return plot.heat(labels, labels, values, title="Words by label", x="system", y="gold", diagonal=False)


def _pairs(found: Sequence[tuple[str, str, int]], wrong: int) -> Html:
    rows: list[list[Content]] = [
        [one, two or NO_LABEL, count, f"{100 * count / wrong:.1f} %"] for one, two, count in found[:CONFUSED]
    ]
    further = len(found) - len(rows)
    caption = f"{wrong:,} words with a wrong label" + (f"; {further:,} more pairs" if further > 0 else "")
    return table(["gold", "system", "words", "share"], rows, caption=caption, align="llrr", sortable=True)


def _legend(compared: bool, clas: bool) -> Html:
    hidden = {"McNemar's test": compared, "CLAS": clas}
    shown = {name: text for name, text in LEGEND.items() if hidden.get(name, True)}
    pairs = [join([element("dt", name), element("dd", text)]) for name, text in shown.items()]
    return section("What the words mean", element("dl", *pairs, class_="words"))
