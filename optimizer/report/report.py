"""The report of a run: everything that was found and decided, as JSON, and as a page to look at."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from malt.data.files import open_output
from malt.data.formats.dataformat import DataFormat
from malt.features.shorthand import short
from malt.features.syntax import parse_feature
from malt.features.values import Columns
from malt.optimizer.plan.plan import PHASES, Step
from malt.optimizer.search.search import Decision
from malt.optimizer.trial.configuration import Configuration, shown
from malt.version import __version__

if TYPE_CHECKING:
    from malt.optimizer.run import Run


def report(found: Run) -> dict[str, Any]:
    """All of it. Scores are in percent, gains in points; p is that of the paired test over sentences."""
    study, best = found.study, found.study.best
    decisions = [decision_of(decision, found) for decision in found.decisions]
    seconds = sum(outcome.seconds for folds in study.outcomes.values() for outcome in folds.values())
    return {
        "program": f"maltopt {__version__}",
        "treebank": {"name": found.corpus.name, "format": found.corpus.format.name, "digest": _digest(found)},
        "profile": found.profile.as_json(),
        "findings": [{"property": one.name, "value": one.value, "rule": one.rule} for one in found.findings],
        "terms": {
            "metric": found.terms.metric,
            "punctuation": found.terms.punctuation,
            "folds": len(found.folds),
            "split": found.split,
        },
        "plan": {"name": found.plan.name, "about": found.plan.about},
        "forced": study.algorithm,
        "phases": phases(found),
        "trees": [_tree(step, found) for phase in PHASES for step in found.plan.phases[phase] if step.tree],
        "decisions": decisions,
        "curve": _curve(decisions),
        "chosen": {
            "score": best.score,
            "algorithm": best.configuration.algorithm,
            "options": best.configuration.options,
            "flags": shown(best.configuration.options),
            "features": list(best.configuration.features),
        },
        "trials": {
            "decisions": len(decisions),
            "configurations": len(study.outcomes),
            "runs": sum(map(len, study.outcomes.values())),
            "failed": sum(any(one.error for one in folds.values()) for folds in study.outcomes.values()),
            "here": found.ran,
            "seconds": round(seconds, 1),
            "wall": round(time.monotonic() - found.began, 1),
            "jobs": found.jobs,
        },
        "complete": study.done and not study.closed,
        "name": found.folder.name if found.folder else "",
    }


def phases(found: Run) -> list[dict[str, Any]]:
    """The score after each phase, and what it chose. The first row is that of default settings, or of what an earlier
    phase has chosen."""
    first, begun = found.decisions[0], found.study.decisions[0]
    name = "default" if found.earlier or found.study.start is None else "before"
    rows = [_row(name, first.verdict.score, first.verdict.score, first.configuration)]
    for phase in found.results:
        if found.edited and phase is found.study.results[0]:
            rows.append(_row("edited", begun.verdict.score, float(rows[-1]["score"]), begun.configuration))
        rows.append(_row(f"phase {phase.name[-1]}", phase.score, float(rows[-1]["score"]), phase.configuration))
    return rows


def _row(name: str, score: float, before: float, configuration: Configuration) -> dict[str, Any]:
    features = f", {len(configuration.features)} features" if name == "phase 3" else ""
    return {
        "name": name,
        "score": score,
        "gain": round(score - before, 2),
        "chosen": shown(configuration.options) + features,
    }


def decision_of(decision: Decision, found: Run) -> dict[str, Any]:
    """One decision."""
    verdict = decision.verdict
    return {
        "phase": decision.phase,
        "step": decision.step,
        "tree": decision.tree,
        "name": decision.name,
        "what": decision.what,
        "score": _finite(verdict.score),
        "before": _finite(decision.before),
        "gain": _finite(decision.gain),
        "p": verdict.p,
        "kept": decision.kept,
        "rule": decision.rule,
        "folds": verdict.folds,
        "hopeless": verdict.hopeless,
        "error": verdict.error,
        "place": decision.place,
        "contest": decision.contest,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def readable(what: str, format: DataFormat) -> str:
    """What a decision is about, with features as YAML has them.

    >>> from malt.data.formats.dataformat import find_format
    >>> readable("- InputColumn(FORM,Stack[1]), + InputColumn(POSTAG,Stack[2])", find_format("conllx"))
    '- FORM(Stack[1]), + POSTAG(Stack[2])'
    """
    columns, found = Columns(format), []
    for part in what.split(", "):
        sign, _, rest = part.partition(" ")
        found.append(f"{sign} {short(parse_feature(rest), columns)}" if sign in ("+", "-") else part)
    return ", ".join(found)


def _curve(decisions: Iterable[dict[str, Any]]) -> list[tuple[int, float]]:
    """The best score after each decision."""
    best, found = 0.0, []
    for place, decision in enumerate(decisions, 1):
        if decision["kept"] and decision["score"] is not None:
            best = max(best, decision["score"]) if decision["contest"] else decision["score"]
        found.append((place, best))
    return found


def _tree(step: Step, found: Run) -> dict[str, Any]:
    """A decision tree: its steps, nested, with what came of them."""
    return {
        "name": step.tree,
        "condition": step.condition.text if step.condition else "",
        "taken": _taken(step, found),
        "steps": _nodes(step.steps, found),
    }


def _taken(step: Step, found: Run) -> bool:
    return found.taken(step.place)


def _nodes(steps: Iterable[Step], found: Run) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for step in steps:
        condition = step.condition.text if step.condition else ""
        node: dict[str, Any] = {"condition": condition, "taken": _taken(step, found)}
        if step.verb == "try":
            made = [decision for decision in found.decisions if decision.place == step.place]
            node["try"] = step.items[0] if step.items else shown(dict(step.options))
            node["score"] = made[0].verdict.score if made and made[0].verdict.score > float("-inf") else None
            node["kept"] = bool(made) and made[0].kept
        else:
            node["steps"] = _nodes(step.steps, found)
        if step.then:
            node["then"] = _nodes(step.then, found)
        if step.otherwise:
            node["else"] = _nodes(step.otherwise, found)
        nodes.append(node)
    return nodes


def _digest(found: Run) -> str:
    from malt.optimizer.run import identity

    return str(identity(found)["treebank"])


def write_report(found: Run, folder: Path) -> None:
    """Write report.json and report.html."""
    from malt.optimizer.report.page import page_of

    content = report(found)
    with open_output(str(folder / "report.json")) as out:
        out.write(
            json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
        )
    with open_output(str(folder / "report.html")) as out:
        out.write(page_of(content).encode("utf-8", "backslashreplace"))
