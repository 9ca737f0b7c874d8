"""The report of a run as a page to look at: one HTML file, complete without its script."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from malt.drawing.page import plot
from malt.drawing.page.markup import Content, Html, element, join
from malt.drawing.page.page import figures, note, page, plots, section, source, table
from malt.drawing.page.shares import shares
from malt.errors import MaltError
from malt.features.model import MAIN
from malt.features.shorthand import write_yaml
from malt.features.syntax import FeatureText
from malt.features.values import Columns
from malt.optimizer.report import decisiontree
from malt.optimizer.report.attempts import (
    attempt_table,
    chance,
    count_kept,
    filters,
    find_columns,
    group_by_step,
    points_added,
    reach,
    signed,
    untried_list,
    was_tried,
)
from malt.optimizer.report.curve import curve
from malt.optimizer.search.estimate import UNLIKELY
from malt.settings.catalogue import catalogue

Report = Mapping[str, Any]
PARSER = "maltparser-1.9.2.jar"
CAVEAT = "These are scores on the text that the choices were made on; on new text they tend to be lower."
ROOTS = (
    "Trials, option files and the model let any number of words hang on the root (-rt any), because they have to run "
    "in MaltParser, which knows no other way. Without -rt, `malt train -f` makes a model that gives every tree exactly "
    "one, if all trees of the treebank have one; a plan may set it as well."
)


def page_of(report: Report) -> str:
    """The page of what `malt.optimizer.report.report.make_report` says."""
    metric = report["terms"]["metric"].upper()
    parts = {
        "kept": ("Kept", _kept(report, metric)),
        "phases": ("Phases", _phases(report, metric)),
        "treebank": ("Treebank", _profile(report)),
        "algorithm": ("Algorithm", _trees(report)),
        "options": ("Options", _tried(report, ("", "phase1", "phase2"), "Options tried", metric)),
        "features": ("Features", _tried(report, ("phase3",), "Features tried", metric)),
        "chosen": ("Configuration", _chosen(report)),
        "use": ("Use", _use(report)),
    }
    body = [
        _head(report, metric),
        element("nav", *(element("a", name, href=f"#{id}") for id, (name, _) in parts.items())),
        *(element("div", content, id=id) for id, (_, content) in parts.items()),
        note(report["program"]),
    ]
    caveat = "" if _scored(report) else join([element("b", CAVEAT), " "])
    title = f"{report['treebank']['name']}: {metric} {_headline(report)}"
    return page(title, join(body, "\n"), subtitle=join([caveat, _terms(report)]), style=source("report.css"))


def _scored(report: Report) -> Mapping[str, Any] | None:
    """What the held-out part says; None if it says nothing."""
    said: Mapping[str, Any] | None = report["heldout"]
    return said if said is not None and "error" not in said else None


def _headline(report: Report) -> str:
    """The result in a few words: on held-out text, and where that is little, as an interval."""
    said, arrow = _scored(report), "\N{RIGHTWARDS ARROW}"
    if said is None:
        return f"{report['phases'][0]['score']:.2f} {arrow} {report['chosen']['score']:.2f}"
    ends = [said[name] for name in ("default", "chosen")]
    shown = [f"{one['score']:.2f}" if said["decides"] else _range(one) for one in ends]
    return f"{f' {arrow} '.join(shown)} on held-out text"


def _range(estimate: Mapping[str, Any], write: Callable[[float], str] = "{:.2f}".format) -> str:
    low, high = estimate["interval"] or (estimate["score"], estimate["score"])
    return f"{write(low)} to {write(high)}"


def _terms(report: Report) -> str:
    terms = report["terms"]
    words = "all words count" if terms["punctuation"] else "punctuation does not count"
    said = f"Tuned by {terms['metric'].upper()}, {words}; {terms['split']}; plan {report['plan']['name']}"
    return f"{said}, algorithm {report['forced']} as asked for." if report["forced"] else f"{said}."


def _head(report: Report, metric: str) -> Html:
    trials, chosen = report["trials"], report["chosen"]
    first = report["phases"][0]["score"]
    which = f"{metric} chosen by" if report["heldout"] else metric
    parts = [
        _held_out(report, metric),
        figures(
            [
                (f"{which}, default settings", first),
                (f"{which}, tuned", chosen["score"]),
                ("gain", signed(chosen["score"] - first)),
                ("algorithm", element("span", chosen["algorithm"], class_="word")),
                ("configurations tried", trials["configurations"]),
                ("time", _time(trials["wall"]) if not trials["before"] else _both_times(trials)),
            ]
        ),
    ]
    if not report["complete"]:
        late = (
            "The time was up before the search was through: what had not been tried by then was left out. "
            "The same command goes on from here."
        )
        parts.append(section("", element("p", element("b", "Not complete. "), late)))
    return join(parts)


def _held_out(report: Report, metric: str) -> Html:
    """What to expect on new text, each number with its interval; the interval first, where there is little text."""
    whole, said = report["heldout"], _scored(report)
    if whole is None:
        return Html()
    if said is None:
        return section("", element("p", element("b", "The held-out part could not be scored: "), whole["error"]))

    def shown(name: str, write: Callable[[float], str]) -> Content:
        score, ends = write(said[name]["score"]), _range(said[name], write)
        large, small = (score, ends) if said["decides"] else (ends, score)
        return join([element("span", large, class_=None if said["decides"] else "word"), element("small", f" {small}")])

    plain = "{:.2f}".format
    names = {
        f"{metric} on held-out text, default settings": shown("default", plain),
        f"{metric} on held-out text, tuned": shown("chosen", plain),
        "gain on held-out text": shown("gain", signed),
        "p of the gain": chance(said["p"]),
    }
    part = f"{said['words']:,} words in {said['sentences']:,} sentences"
    how = (
        f"The held-out part, {part}, was scored at the end; no choice was made by it. Intervals are those of "
        f"{100 * said['level']:.0f} % of bootstrapped parts, p is of the paired test over sentences. "
    )
    below = "Below are the scores that choices were made by; on new text they tend to be lower."
    return join(
        [
            figures(names.items()),
            section("", element("p", element("b", said["meaning"])), note(how), note(below)),
        ]
    )


def _phases(report: Report, metric: str) -> Html:
    rows = [
        [row["name"], row["score"], signed(row["gain"]) if place else None, element("code", row["chosen"])]
        for place, row in enumerate(report["phases"])
    ]
    best = max(range(len(rows)), key=lambda place: report["phases"][place]["score"])
    names: list[str] = []
    gains: list[float] = []
    for phase, step, made in group_by_step(list(filter(was_tried, report["decisions"]))):
        if phase:
            name = f"{phase[-1]}: {step}" if phase != "phase3" else step
            again = sum(one.partition(" (")[0] == name for one in names)  # where several algorithms go through it
            names.append(f"{name} ({again + 1})" if again else name)
            gains.append(points_added(made))
    kinds = ["c3" if gain > 0 else "head" if gain < 0 else "c6" for gain in gains]
    pictures: list[Content] = [
        curve(list(filter(was_tried, report["decisions"])), f"{metric} over trials: the line is the best so far")
    ]
    if names:
        title = f"Points of {metric} that each step has added"
        pictures.append(plot.bars(names, {metric: gains}, title=title, sign=True, kinds=kinds))
    trials = report["trials"]
    tried = sum(map(was_tried, report["decisions"]))
    work = (
        f"{tried:,} decisions on {trials['configurations']:,} configurations, with {trials['runs']:,} trainings "
        f"({trials['rough']:,} rough) that took {_time(trials['seconds'])} of work, {trials['jobs']} at a time; "
        f"{trials['failed']:,} failed."
    )
    early = trials["runs"] - trials["here"]
    work += f" {early:,} of them were known from an earlier run." if early > 0 else ""
    return section(
        "Phases and gains",
        element("div", table(["", metric, "gain", "chosen"], rows, align="lrrl", best=best), class_="plan"),
        plots(*pictures),
        note(work),
    )


def _kept(report: Report, metric: str) -> Html:
    """The way from the default settings to those that were chosen, and nothing else."""
    kept = [one for one in report["decisions"] if one["leads"]]
    columns = find_columns(report["treebank"]["format"])
    content = attempt_table(kept, reach(kept), report["terms"]["folds"], columns, steps=True)
    said = (
        "What was kept and leads to the choice, in the order in which it was tried; gains are in points of "
        f"{metric} over the best so far."
    )
    luck = report["luck"]
    together = element("p", element("b" if luck["p"] > UNLIKELY else "span", luck["meaning"])) if luck else ""
    other = element("p", unmeasured) if (unmeasured := report["chosen"].get("unmeasured")) else ""
    return section(
        "From the default settings to these", note(said), other, together, element("div", content, class_="trials way")
    )


def _profile(report: Report) -> Html:
    profile = report["profile"]
    findings = [[one["property"], one["value"], one["rule"]] for one in report["findings"]]
    crossed, not_planar, beyond = profile["nonproj"], profile["nonplanar"], profile["not2planar"]
    parts = {
        "projective": profile["trees"] - crossed,
        "planar, not projective": crossed - not_planar,
        "2-planar, not planar": not_planar - beyond,
        "more planes": beyond,
    }
    arcs = max(1, profile["word_arcs"])
    lengths = profile["arc_lengths"]
    said = [f"{count:,} arcs" for count in lengths.values()]
    shown = {"arcs": [100 * count / arcs for count in lengths.values()]}
    columns = ", ".join(f"{name} {size:,}" for name, size in profile["vocabulary"].items())
    more = [
        [
            "sentences",
            f"{profile['sentences']:,}; mean {profile['tokens_mean']:.1f} words, longest {profile['longest']:,}",
        ],
        [
            "arcs",
            f"mean length {profile['arc_length_mean']:.2f}; {100 * profile['left_arcs'] / arcs:.1f} % to the left",
        ],
        [
            "trees",
            f"deepest {profile['deepest']}; ill-nested {profile['ill_nested']:,}; crossings {profile['crossings']:,}",
        ],
        ["distinct values", f"{columns}, labels {profile['deprels']:,}"],
    ]
    if profile["bad"] or profile["blind"]:
        more.insert(
            0, ["left out", f"{profile['bad']:,} sentences that are no trees, {profile['blind']:,} without heads"]
        )
    return section(
        "The treebank",
        element("div", table(["property", "value", "rule that is followed"], findings), class_="stack"),
        element("p", report["planes"], class_="planes"),
        plots(
            shares(parts, title="Trees"),
            plot.columns(
                list(lengths), shown, title="Arcs between words by length, in %", x="length", notes=said, height=200
            ),
        ),
        element("div", table(["", ""], more), class_="stack bare"),
    )


def _trees(report: Report) -> Html:
    if not report["trees"]:
        return section("The choice of the algorithm", element("p", "The plan has no decision trees."))
    drawings, leader = [], ""
    for tree in report["trees"]:
        why = decisiontree.reason(tree, report)
        made = [one for one in report["decisions"] if one["tree"] == tree["name"]]
        ahead = [one for one in report["decisions"] if one["name"] and one["kept"] and one["phase"] != "phase3"]
        if not why and made:
            until = max(report["decisions"].index(one) for one in made)
            leader = next((one["name"] for one in reversed(report["decisions"][: until + 1]) if one in ahead), "")
            won = any(one["kept"] for one in made)
            why = f"{leader} leads after it." if won else f"{leader} still leads after it."
        unused = "unused" if not tree["taken"] else None
        drawings.append(
            element("figure", decisiontree.draw_tree(tree, report), element("figcaption", why), class_=unused)
        )
    said = "The path that was taken is drawn in full, with the score of every candidate; a tick marks what was kept."
    if not any(tree["taken"] for tree in report["trees"]):
        said = "The decision trees were not used."
    if report["forced"]:
        said = f"The decision trees were not used, as the algorithm {report['forced']} was asked for."
    return section("The choice of the algorithm", note(said), element("div", *drawings, class_="trees"))


def _tried(report: Report, phases: tuple[str, ...], title: str, metric: str) -> Html:
    asked = [one for one in report["decisions"] if one["phase"] in phases]
    attempts = [one for one in asked if was_tried(one)]
    late = untried_list([one for one in asked if not was_tried(one)], find_columns(report["treebank"]["format"]))
    title = f"{title} in {_phase_words(phases)}"
    if not attempts:
        return section(title, late or element("p", "None."))
    scale, columns = reach(attempts), find_columns(report["treebank"]["format"])
    parts: list[Content] = []
    for phase, step, made in group_by_step(attempts):
        heading = f"Phase {phase[-1]}, {step}" if phase and phase != "phase3" else step
        count = f"{len(made)} tried, {count_kept(made)} kept" if phase else ""
        content = attempt_table(made, scale, report["terms"]["folds"], columns)
        parts.append(element("div", element("h3", heading, element("small", count)), content, class_="trials"))
    about = (
        f"Gains are in points of {metric} over the best so far, p is of a paired test over sentences, and needed is "
        "what a gain must be to be kept. The test decides only where a rule is `significant`; it stops hopeless trials "
        "early, after some folds. A rough look is a training of a few passes that goes on from the best so far."
    )
    return section(title, note(about), filters(phases[-1], attempts), *parts, late)


def _phase_words(phases: tuple[str, ...]) -> str:
    numbers = [phase[-1] for phase in phases if phase]
    return f"phase {numbers[0]}" if len(numbers) == 1 else f"phases {' and '.join(numbers)}"


def _chosen(report: Report) -> Html:
    chosen = report["chosen"]
    every = catalogue().options
    rows: list[list[Content]] = []
    for key, value in chosen["options"].items():
        option = every.get(key)
        flag, about = (f"{option.spelling} ", option.summary) if option else ("", "")
        rows.append([element("code", flag, element("b", value)), element("code", key, class_="soft"), about])
    command = element("pre", report.get("command") or f"malt train {chosen['flags']}")
    why = chosen.get("unlike_maltparser", "")
    said = note(f"There are no options.xml and features.xml for MaltParser: {why}.") if why else ""
    if members := chosen.get("members"):
        voters = [
            [number, element("code", member["flags"]), len(member["features"])]
            for number, member in enumerate(members, 1)
        ]
        content = [element("div", table(["", "parser", "features"], voters, align="rlr"), class_="stack")]
        content += [
            element("details", element("summary", f"The features of {number}"), _features(report, member["features"]))
            for number, member in enumerate(members, 1)
        ]
        return section("The chosen configuration", command, said, *content)
    return section(
        "The chosen configuration",
        command,
        said,
        element("div", table(["flag and value", "option", "what it is"], rows, align="lll"), class_="stack"),
        element("h3", f"{len(chosen['features'])} features"),
        _features(report, chosen["features"]),
    )


def _features(report: Report, features: list[str]) -> Html:
    listed = element("ol", *(element("li", element("code", feature)) for feature in features), class_="features")
    full = element("details", element("summary", f"All {len(features)} features, as MaltParser writes them"), listed)
    return join([element("pre", _yaml(features, find_columns(report["treebank"]["format"]))), full])


def _yaml(features: list[str], columns: Columns | None) -> str:
    try:
        return write_yaml({MAIN: [FeatureText(feature) for feature in features]}, columns).decode().strip()
    except MaltError:
        return "\n".join(features)


def _use(report: Report) -> Html:
    name = report["name"] or "NAME"
    chosen, model = report["chosen"], shlex.quote(f"{name}/{name}")
    rows = [
        ["parse a file", f"malt parse -c {model} FILE"],
        ["train the same again", "\n".join(report["again"])],
    ]
    alike = not chosen["unlike_maltparser"]
    if alike:
        rows.append(["train it with MaltParser", f"cd {shlex.quote(name)} && java -jar {PARSER} -f options.xml"])
    commands = [join([element("h3", what), element("pre", command)]) for what, command in rows]
    said = "Commands are given in the folder that the study's folder is in."
    return section("How to use it", note(said), *commands, note(ROOTS) if alike and not chosen["roots"] else "")


def _both_times(trials: Mapping[str, Any]) -> Html:
    earlier = element("small", f" {_time(trials['before'])} of it in earlier runs")
    return join([_time(trials["wall"]), earlier])


def _time(seconds: float) -> str:
    """
    >>> _time(8.25), _time(71), _time(4000)
    ('8.2 s', '71 s', '67 min')
    """
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s" if seconds < 180 else f"{seconds / 60:.0f} min"
