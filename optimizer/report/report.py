"""The report of a run: everything that was found and decided, as JSON, and as a page to look at."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from malt.data.files import open_output
from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import DEFAULT_ROOT_LABEL
from malt.features.shorthand import short
from malt.features.syntax import parse_feature
from malt.features.values import Columns
from malt.optimizer.plan.plan import PHASES
from malt.optimizer.plan.step import Step
from malt.optimizer.plan.verbs.options import Try
from malt.optimizer.plan.verbs.sequences import Steps
from malt.optimizer.report.page import page_of
from malt.optimizer.report.planes import planes_in_words
from malt.optimizer.search.folder import WEIGHTS, feature_file, training_commands, word_of
from malt.optimizer.search.run import Run, identity
from malt.optimizer.trial.attempt import leading, phase_rows
from malt.optimizer.trial.setup import flags_of
from malt.systems.language import ANY
from malt.version import __version__


def make_report(found: Run) -> dict[str, Any]:
    """All of it. Scores are in percent, gains in points; p is that of the paired test over sentences."""
    study, best, chosen = found.study, found.study.best, found.study.chosen
    way = leading(found.attempts)
    attempts = [attempt.as_json() | {"leads": leads} for attempt, leads in zip(found.attempts, way, strict=True)]
    runs, luck = found.outcomes, found.luck
    report = {
        "program": f"maltopt {__version__}",
        "treebank": {
            "name": found.corpus.name,
            "format": found.corpus.format.name,
            "digest": identity(found)["treebank"],
        },
        "profile": found.profile.as_json(),
        "findings": [{"property": one.name, "value": one.value, "rule": one.rule} for one in found.findings],
        "terms": {
            "metric": found.terms.metric,
            "punctuation": found.terms.punctuation,
            "folds": len(found.folds),
            "split": found.split,
        },
        "heldout": _held_out(found),
        "luck": luck.as_json() if luck else None,
        "plan": {"name": found.plan.name, "about": found.plan.about},
        "forced": study.algorithm,
        "phases": phase_rows(found.phases),
        "trees": [
            _tree(step, found)
            for phase in PHASES
            for step in found.plan.phases[phase]
            if isinstance(step, Steps) and step.tree
        ],
        "decisions": attempts,
        "curve": _curve(attempts),
        "chosen": {
            "score": best.score,
            "unmeasured": found.unmeasured,
            "algorithm": f"{len(chosen.members)} that vote" if chosen.members else chosen.algorithm,
            "options": chosen.options,
            "flags": chosen.description,
            "roots": chosen.options.get("tree.roots", ""),
            "features": list(chosen.features),
            "members": [member.as_json() | {"flags": flags_of(member.options)} for member in chosen.members],
            "unlike_maltparser": chosen.unlike_maltparser,
        },
        "trials": {
            "decisions": len(attempts),
            "configurations": len(study.outcomes) + sum(attempt.verdict.rough for attempt in found.attempts),
            "runs": len(runs),
            "rough": sum(map(len, study.roughs.values())),
            "failed": sum(any(one.error for one in folds.values()) for folds in study.outcomes.values()),
            "here": found.ran,
            "seconds": round(sum(outcome.seconds for outcome in runs), 1),
            "wall": round(found.before + time.monotonic() - found.began, 1),
            "before": round(found.before, 1),
            "jobs": found.jobs,
        },
        "complete": study.done and not study.closed,
        "name": found.folder.name if found.folder else "",
        "command": "\n".join(_commands(found)),
        "again": training_commands(chosen, *((found.folder.name,) * 2 if found.folder else ("NAME", "NAME"))),
    }
    return {**report, "planes": planes_in_words(report)}


def _held_out(found: Run) -> dict[str, Any] | None:
    """What the held-out part says, or why it says nothing; None if there is none, or it was not scored."""
    said = found.study.expectation
    if said is not None:
        return {"holdout": found.holdout, **said.as_json()}
    errors = [outcome.error for outcome in found.study.finals.values() if outcome.error]
    return {"holdout": found.holdout, "error": errors[0]} if errors else None


def _commands(found: Run) -> list[str]:
    """What trains the chosen configuration again, in the folder that the study's folder is in. They can be pasted."""
    name, treebank = "NAME", "TREEBANK"
    if found.folder is not None:
        here, name = found.folder.path.parent, found.folder.name
        format = os.path.relpath(found.format, here) if os.path.isfile(found.format) else found.format
        treebank = f"{word_of(os.path.relpath(found.treebank, here))} -if {word_of(format)}"
        if found.charset.upper() != "UTF-8":
            treebank += f" -ic {word_of(found.charset)}"
    chosen = found.study.chosen
    lines, models = [], []
    for number, member in enumerate(chosen.members or (chosen,), 1):
        mark = f"-{number}" if chosen.members else ""
        again, features = f"{name}-again{mark}", f"{name}/{feature_file(member, mark)}"
        # Trials let any number of words hang on the root, as MaltParser does; structured ones go by the treebank.
        roots = {} if member.structured else {"tree.roots": ANY, "graph.root_label": DEFAULT_ROOT_LABEL}
        roots = {key: value for key, value in roots.items() if key not in member.options}
        flags = " ".join(filter(None, [flags_of(member.options), flags_of(roots)]))
        lines.append(f"{shlex.join(['malt', 'train', '-c', again])} {flags} {shlex.join(['-F', features])} {treebank}")
        models.append(f"{again}.mco")
    if chosen.members:
        words = ["malt", "blend", "-c", f"{name}-again", "--weights", f"{name}/{WEIGHTS}", *models]
        lines.append(shlex.join(words))
    return lines


def readable(what: str, format: DataFormat) -> str:
    """What an attempt is about, with features as YAML has them.

    >>> from malt.data.formats.dataformat import find_format
    >>> readable("- InputColumn(FORM,Stack[1]), + InputColumn(POSTAG,Stack[2])", find_format("conllx"))
    '- FORM(Stack[1]), + POSTAG(Stack[2])'
    """
    columns, found = Columns(format), []
    for part in what.split(", "):
        sign, _, rest = part.partition(" ")
        found.append(f"{sign} {short(parse_feature(rest), columns)}" if sign in ("+", "-") else part)
    return ", ".join(found)


def _curve(attempts: Iterable[dict[str, Any]]) -> list[tuple[int, float]]:
    """The best score after each attempt."""
    best, found = 0.0, []
    for place, attempt in enumerate(attempts, 1):
        if attempt["kept"] and attempt["score"] is not None:
            best = max(best, attempt["score"]) if attempt["contest"] else attempt["score"]
        found.append((place, best))
    return found


def _tree(step: Steps, found: Run) -> dict[str, Any]:
    """A decision tree: its steps, nested, with what came of them."""
    return {
        "name": step.tree,
        "condition": step.condition.text if step.condition else "",
        "taken": found.taken(step.place),
        "steps": _nodes(step.steps, found),
    }


def _nodes(steps: Iterable[Step], found: Run) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for step in steps:
        condition = step.condition.text if step.condition else ""
        node: dict[str, Any] = {"condition": condition, "place": step.place, "taken": found.taken(step.place)}
        if isinstance(step, Try):
            made = [attempt for attempt in found.attempts if attempt.place == step.place]
            node["try"] = step.candidate or flags_of(dict(step.options))
            node["score"] = made[0].verdict.score if made and made[0].verdict.score > float("-inf") else None
            node["kept"] = bool(made) and made[0].kept
        else:
            node["steps"] = _nodes(step.inner, found)
        if step.then:
            node["then"] = _nodes(step.then, found)
        if step.otherwise:
            node["else"] = _nodes(step.otherwise, found)
        nodes.append(node)
    return nodes


def write_report(found: Run, folder: Path) -> None:
    """Write report.json and report.html."""
    content = make_report(found)
    data = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    for name, text in (("report.json", data), ("report.html", page_of(content))):
        with open_output(str(folder / name)) as out:
            out.write(text.encode("utf-8", "backslashreplace"))
