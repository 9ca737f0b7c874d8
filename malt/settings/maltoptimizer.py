"""MaltOptimizer's own command line, as one of `maltopt`: -p 1 -m maltparser.jar -c train.conll [-v cv] ..."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from malt.errors import UsageError, nearest, quoted

PHASES = {"1": "phase1", "2": "phase2", "3": "phase3"}
METRICS = ("las", "uas", "lcm", "ucm")
PLANS = {
    "Greedy": "maltoptimizer-1.0.3",
    "RelaxedGreedy": "relaxed-greedy",
    "BruteForce": "brute-force",
    "OnlyBackward": "only-backward",
    "OnlyForward": "only-forward",
}
FOLDS = tuple(f"5Fold{kind}{split}" for kind in ("Majority", "Average", "All") for split in ("PS", "NoPS"))
FLAGS = ("-p", "-m", "-c", "-e", "-s", "-v", "-a", "-t")
EXAMPLE = "maltopt -p 1 -m maltparser-1.9.2.jar -c train.conll"


def is_maltoptimizers(argv: Sequence[str]) -> bool:
    """Whether a command line is MaltOptimizer's: its flags come without a command, the phase or a jar among them."""
    jars = (flag == "-m" and value.endswith(".jar") for flag, value in zip(argv[::2], argv[1::2], strict=False))
    return argv[0] in FLAGS and ("-p" in argv[::2] or any(jars))


def translate(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The same command line for `maltopt`, and what a user should know.

    >>> translate(["-p", "2", "-m", "maltparser-1.9.2.jar", "-c", "train.conll", "-v", "cv"])[0]
    ['phase2', '--folds', '5', 'train.conll']
    """
    given: dict[str, str] = {}
    for place in range(0, len(argv), 2):
        flag, value = argv[place], argv[place + 1] if place + 1 < len(argv) else ""
        if flag not in FLAGS:
            hint = nearest(flag, FLAGS) or f"; it has {', '.join(FLAGS)}"
            raise UsageError(f"MaltOptimizer has no {quoted(flag)}{hint}; `maltopt help` shows what there is here")
        if not value:
            raise UsageError(f"{flag} needs a value, as in {EXAMPLE}")
        given[flag] = value
    if "-c" not in given:
        raise UsageError(f"-c names the treebank, as in {EXAMPLE}")
    if "-p" not in given:
        raise UsageError(f"-p names the phase, 1, 2 or 3, as in {EXAMPLE}; `maltopt run` goes through all of them")
    words = [_one_of(given, "-p", PHASES)]
    folds, notes = "1", []
    if "-a" in given:
        mode = _one_of(given, "-a", {**PLANS, **dict.fromkeys(FOLDS, "")})
        folds = folds if mode else "5"
        words += ["--plan", mode or PLANS["Greedy"]]
    if "-v" in given:
        folds = _one_of(given, "-v", {"cv": "5"})
    words += ["--folds", folds]
    if "-e" in given:
        words += ["--metric", _one_of(given, "-e", dict(zip(METRICS, METRICS, strict=True)))]
    if "-s" in given:
        words += ["--punctuation", _one_of(given, "-s", {"true": "true", "false": "false"})]
    words += [*(("--",) if given["-c"].startswith("-") else ()), given["-c"]]
    if "-t" in given:
        notes.append("-t has no effect, as in MaltOptimizer; `--dev FILE` is a treebank to test on")
    if words[0] == "phase1":
        notes.append("give -e, -s and -v in all three phases: trials of one phase are of use to the next")
    notes.append(f"MaltOptimizer's command line is here: maltopt {shlex.join(words)}")
    return words, notes


def _one_of(given: dict[str, str], flag: str, known: dict[str, str]) -> str:
    if given[flag] not in known:
        near = nearest(given[flag], known)
        raise UsageError(f"{flag}: expected {', '.join(known)}, not {quoted(given[flag])}{near}")
    return known[given[flag]]
