"""The plan maltoptimizer-1.0.3 asks for what MaltOptimizer asked for, when recorded scores are handed back."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from conftest import SHARED

from malt.data.formats.dataformat import find_format
from malt.features import default_features
from malt.features.standins import columns_by_name
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.reader import find_plan
from malt.optimizer.plan.values import Margin
from malt.optimizer.search.search import Search
from malt.optimizer.trial.attempt import Verdict
from malt.optimizer.trial.setup import ALGORITHM, Setup

TRACES = SHARED / "golden" / "maltoptimizer" / "traces.json"
OPTIONS = {  # by their names in the traces, and by their flags
    "allow_root": "nivre.allow_root",
    "allow_reduce": "nivre.allow_reduce",
    "root_label": "graph.root_label",
    "covered_root": "pproj.covered_root",
    "marking_strategy": "pproj.marking_strategy",
    "options": "lib.options",
    "-nr": "nivre.allow_root",
    "-ne": "nivre.allow_reduce",
    "-pp": "pproj.marking_strategy",
    "-cs": "covington.allow_shift",
    "-cr": "covington.allow_root",
    "-grl": "graph.root_label",
    "-pcr": "pproj.covered_root",
    "-a": ALGORITHM,
}
DEFAULTS = {
    "nivre.allow_root": "true",
    "nivre.allow_reduce": "false",
    "covington.allow_root": "true",
    "covington.allow_shift": "false",
    "graph.root_label": "ROOT",
    "pproj.covered_root": "none",
    "pproj.marking_strategy": "none",
}
FORMAT = find_format("conllx")


def defaults(algorithm: str, structured: bool = False) -> tuple[str, ...]:
    return tuple(item.text for item in default_features(algorithm, "liblinear", FORMAT).submodels["MAIN"])


def traces(prefix: str) -> list[Any]:
    if not TRACES.exists():
        return [
            pytest.param(
                "",
                marks=pytest.mark.skip(
                    reason=f"the reference data is absent: no {TRACES} (MALT_SHARED names another place)"
                ),
            )
        ]
    return [name for name in recorded_traces() if name.startswith(prefix)]


@cache
def recorded_traces() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(TRACES.read_text())
    return found


def facts_of(given: dict[str, str], plain: bool = False) -> Facts:
    columns = {"FORM", "POSTAG"} | (set() if plain else {"CPOSTAG", "LEMMA", "FEATS"})
    numbers = {
        "tokens": 46451,
        "sentences": 1921,
        "covered roots": 0,
        "root labels": 1,
        "nonplanar": 0,
        "not2planar": 0,
    }
    numbers["nonprojective"] = float(given.get("Non projective", 0))
    return Facts(numbers, {"root labels": ("ROOT",)}, columns_by_name(FORMAT), frozenset(columns))


def chosen(text: str) -> dict[str, str | None]:
    """The options of an optFile of MaltOptimizer's."""
    lines = re.findall(r"\((-\w+)\):(.*)", text)
    return {OPTIONS[flag]: value for flag, value in lines if flag in OPTIONS}


def asked(trial: dict[str, Any]) -> tuple[str, dict[str, str], set[str]]:
    """What a recorded trial trained: the algorithm, the options that are not the defaults, and the features."""
    flags = trial["flags"].split()
    options = {OPTIONS[name]: value for name, value in trial["options"].items()}
    options |= {OPTIONS[flag]: value for flag, value in zip(flags[::2], flags[1::2], strict=True)}
    features = set(defaults(trial["algorithm"])) - set(trial.get("removed", ())) | set(trial.get("added", ()))
    return trial["algorithm"], options, features


def own(options: dict[str, str], algorithm: str) -> dict[str, str]:
    """The options that mean something to an algorithm, and are not the defaults."""
    family = {"nivre": "nivre", "cov": "covington"}
    mine = next((group for name, group in family.items() if algorithm.startswith(name)), "")
    return {
        key: value
        for key, value in options.items()
        if DEFAULTS.get(key) != value
        and key != ALGORITHM
        and not (key.startswith(("nivre.", "covington.")) and not key.startswith(f"{mine}."))
    }


class Played:
    """Hands recorded scores back, and insists on the recorded trials."""

    def __init__(self, trials: list[dict[str, Any]]) -> None:
        self.trials, self.place = trials, 0

    def __call__(self, trial: Setup, best: Setup | None, margin: Margin) -> Verdict:
        if self.place == len(self.trials):
            return Verdict(assumed=True)
        algorithm, options, features = asked(self.trials[self.place])
        assert (trial.algorithm, set(trial.features)) == (algorithm, features), f"trial {self.place + 1}"
        assert own(trial.options, algorithm) == own(options, algorithm), f"trial {self.place + 1}"
        self.place += 1
        return Verdict(self.trials[self.place - 1]["score"])


@pytest.mark.parametrize("name", traces("p2-"))
def test_phase_2(name: str) -> None:
    recorded = recorded_traces()[name]
    given = dict(line.split(":", 1) for line in recorded["given"].splitlines())
    played = Played(recorded["trials"])
    search = Search(find_plan("maltoptimizer-1.0.3"), facts_of(given), played, defaults)
    first = {
        ALGORITHM: "nivreeager",
        **chosen(recorded["result"]["phase1_optFile.txt"].replace("label(", "label (").replace("root(", "root (")),
    }
    search.begin(first, score=float(given["LAS"]))
    search.run("phase2")
    assert played.place == len(recorded["trials"])
    assert search.sure
    result = chosen(recorded["result"]["phase2_optFile.txt"])
    algorithm = result.pop(ALGORITHM)
    assert search.best.setup.algorithm == algorithm
    kept = own({**search.best.setup.options}, algorithm or "")
    kept.pop("lib.options")
    assert kept == own({key: value or "" for key, value in result.items()}, algorithm or "")


@pytest.mark.parametrize("name", traces("p3-"))
def test_steps_1_to_3_of_phase_3(name: str) -> None:
    """Without the trials that train an unchanged or an empty model (D5, D6, D9, D12). Steps 1 to 3 end before the four
    unchanged trials of step 4."""
    recorded = recorded_traces()[name]
    options = chosen(recorded["result"]["phase2_optFile.txt"])
    algorithm = str(options[ALGORITHM])
    model, trials, unchanged = set(defaults(algorithm)), [], 0
    best = 80.0
    for trial in recorded["trials"]:
        if trial.get("empty_model"):
            continue
        features = asked(trial)[2]
        if features == model:
            unchanged += 1
            if unchanged == 4:
                break
            continue
        unchanged = 0
        trials.append(trial)
        backward = len(features) < len(model)
        if trial["score"] >= best if backward else trial["score"] > best + 0.05:
            model, best = features, trial["score"]
    played = Played(trials)
    search = Search(find_plan("maltoptimizer-1.0.3"), facts_of({}, "plain" in name), played, defaults)
    search.begin(options, score=80.0)
    search.run("phase3")
    assert played.place == len(trials)
    kept = [attempt for attempt in search.attempts if attempt.kept]
    assert (set(kept[-1].setup.features) if kept else set(defaults(algorithm))) == model
