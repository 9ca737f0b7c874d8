"""How much `maltopt` gains, and how long it takes.

    python benchmarks/optimizer.py [--folds N] [FILE ...]
    python benchmarks/optimizer.py --plans default best blend [--folds N] [--keep FOLDER] [--] [FILE ...]
    [MALTPARSER_CP=...] python benchmarks/optimizer.py --speed [--sentences N] [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample.

The first form prints a table like Table 1 of Ballesteros, Gómez-Rodríguez and Nivre (2012): the labelled attachment
score on development data with default settings and after each phase, for a free choice of the algorithm, and with
Planar and 2-Planar forced. A file test.conll beside the training set is parsed once at the end, with the default and
with the chosen configuration.

The second form carries out several plans, each as a user would, and prints for each the score that it chose by, the
score on the held-out part with its interval, that of the final model on test.conll, trials, seconds and memory. With
--keep, studies stay in a folder; what was interrupted goes on there, and what is done is not done again, so that
seconds and memory are then those of the last run.

The third form tunes to the first sentences of a file (2,000) and prints how long that took. With MaltParser's class
path in MALTPARSER_CP, some of the same trials are run with it, a training and a parse each; their mean time and the
number of trials tell how long MaltParser would have taken.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from data import MALTOPT, java, timed, treebanks

import malt
from malt.features.model import MAIN
from malt.features.syntax import FeatureText
from malt.features.xml import write_xml
from malt.optimizer.search.run import Run, Terms, carry_out, open_run
from malt.optimizer.trial.corpus import Corpus, Fold
from malt.optimizer.trial.setup import Setup
from malt.optimizer.trial.workbench import Workbench
from malt.settings.catalogue import catalogue

FORCED = ("", "planar", "2planar")
SAMPLE = 8  # trials that MaltParser runs, too, evenly spread over the search


def main() -> None:
    """Print the table or the times."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("files", nargs="*")
    arguments.add_argument("--folds", type=int, default=0)
    arguments.add_argument("--speed", action="store_true")
    arguments.add_argument("--sentences", type=int, default=2000)
    arguments.add_argument("--plan", default="default")
    arguments.add_argument("--plans", nargs="+", default=[])
    arguments.add_argument("--keep", default="")
    given = arguments.parse_args()
    if given.plans:
        plans(treebanks(given.files), given.plans, given.folds or 1, given.keep)
    elif given.speed:
        speed(treebanks(given.files)[0][1], given.sentences, given.folds, given.plan)
    else:
        table(treebanks(given.files), given.folds, given.plan)


def plans(files: list[tuple[str, str]], names: list[str], folds: int, keep: str) -> None:
    """Each plan on each file, as `maltopt run` does it."""
    heads = f"{'chosen by':>10}{'held out':>10}{'95 % interval':>17}{'test':>8}{'trials':>8}{'seconds':>9}{'MB':>7}"
    print(f"{'':26}{heads}")
    with tempfile.TemporaryDirectory() as temporary:
        for name, path in files:
            language = Path(path).parent.name or name
            for plan in names:
                study = Path(keep or temporary).resolve() / f"{language}-{plan}"
                study.parent.mkdir(parents=True, exist_ok=True)
                words = [
                    "run",
                    "-q",
                    "-c",
                    str(study),
                    "--plan",
                    plan,
                    "--folds",
                    str(folds),
                    str(Path(path).resolve()),
                ]
                seconds, memory = timed([*MALTOPT, *words], study.parent)
                report = json.loads((study / "report.json").read_text())
                if plan == names[0]:
                    _line(f"{language} as it is", report["phases"][0]["score"], report["heldout"], "default", "")
                test = _test_score(study / study.name, Path(path).parent / "test.conll")
                _line(f"{language} {plan}", report["chosen"]["score"], report["heldout"], "chosen", test, end="")
                print(f"{report['trials']['runs']:8}{seconds:9.0f}{memory:7,}", flush=True)


def _line(name: str, score: float, held_out: Any, which: str, test: str, end: str = "\n") -> None:
    said, interval = "", ""
    if held_out and "error" not in held_out:
        said, ends = f"{held_out[which]['score']:.2f}", held_out[which]["interval"]
        interval = f"{ends[0]:.2f} to {ends[1]:.2f}" if ends else ""
    print(f"{name:26}{score:10.2f}{said:>10}{interval:>17}{test:>8}", end=end, flush=True)


def _test_score(model: Path, test: Path) -> str:
    """LAS of all words, of the final model."""
    if not test.exists():
        return ""
    right = words = 0
    for gold, found in zip(malt.read(test), malt.load(model).parse(test), strict=True):
        pairs = zip(gold.heads, gold.labels, found.heads, found.labels, strict=True)
        right += sum((head, label) == (its_head, its_label) for head, label, its_head, its_label in pairs)
        words += len(gold.heads)
    return f"{100 * right / words:.2f}"


def table(files: list[tuple[str, str]], folds: int, plan: str) -> None:
    """Scores of each phase, and on a test set."""
    heads = "".join(f"{head:>9}" for head in ("Default", "Phase 1", "Phase 2", "Phase 3"))
    print(f"{'':26}{heads}{'gain':>7}   {'test set':17}{'seconds':>8}{'trials':>8}")
    for name, path in files:
        with tempfile.TemporaryDirectory() as folder:
            for algorithm in FORCED:
                _row(name, path, algorithm, folds, plan, folder)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024:,} MB")


def _row(name: str, path: str, algorithm: str, folds: int, plan: str, folder: str) -> None:
    """One line of the table. The runs on one file share a journal: what one has tried the others know."""
    with open_run(path, folder, Terms(folds=folds, holdout="0"), plan=plan) as (found, journal):
        found.study.algorithm = algorithm
        carry_out(found, journal)
        study, seconds = found.study, time.monotonic() - found.began
        scores = [study.attempts[0].verdict.score, *(phase.score for phase in study.results)]
        best = study.best.setup
        test = _tested(found, path, [study.attempts[0].setup, best])
        gain = scores[-1] - scores[0]
        label = f"{Path(path).parent.name or name} {algorithm or 'free: ' + best.algorithm}"
        line = f"{label:26}{''.join(f'{score:9.2f}' for score in scores)}{gain:+7.2f}   {test:17}"
        print(f"{line}{seconds:8.0f}{found.ran:8}", flush=True)


def _tested(found: Run, path: str, setups: list[Setup]) -> str:
    file = Path(path).parent / "test.conll"
    if not file.exists():
        return ""
    fold = found.corpus.against(Corpus.read(file, found.corpus.format.name))
    bench = Workbench([fold], found.corpus.format)
    before, after = (bench.run(setup, 0).score for setup in setups)
    return f"{before:.2f} -> {after:.2f}"


def speed(path: str, sentences: int, folds: int, plan: str) -> None:
    """How long a whole run takes, and how long its trials would take with MaltParser."""
    corpus = Corpus.read(path)
    begin = b"".join(corpus.sentences[:sentences])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.conll").write_bytes(begin)
        started = time.perf_counter()
        with open_run(str(folder / "train.conll"), folder / "study", Terms(folds=folds, holdout="0"), plan=plan) as (
            found,
            journal,
        ):
            carry_out(found, journal)
            ours = time.perf_counter() - started
            study, tokens = found.study, found.corpus.tokens
            exact = sum(map(len, study.outcomes.values()))
            score = f"{study.attempts[0].verdict.score:.2f} -> {study.best.score:.2f}"
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            what = f"{len(found.corpus):,} sentences, {tokens:,} words, {found.split}"
            print(f"{what}: {score}, {study.best.setup.algorithm}")
            rough = sum(map(len, study.roughs.values()))
            configurations = len({attempt.setup.key for attempt in study.attempts})
            tried = f"{exact} exact and {rough} rough trials of {configurations} configurations"
            print(f"maltopt, {found.jobs} jobs: {ours:.1f} s for {tried}, {memory:,} MB")
            if java():
                _maltparser(found, ours, folder)


def _maltparser(found: Run, ours: float, folder: Path) -> None:
    """What decisions needed, each setup once on each fold: MaltParser would have to try what rough trials ruled out."""
    wanted = {(one.setup.key, fold): one.setup for one in found.study.attempts for fold in range(one.verdict.folds)}
    tried = [(setup, fold) for (_, fold), setup in wanted.items()]
    count = min(SAMPLE, len(tried))
    # Trials take longer towards the end.
    chosen = [tried[(2 * i + 1) * len(tried) // (2 * count)] for i in range(count)]
    seconds = [_java_trial(setup, found.folds[fold], folder) for setup, fold in chosen]
    mean = sum(seconds) / len(seconds)
    shown = ", ".join(f"{setup.algorithm} {one:.1f} s" for (setup, _), one in zip(chosen, seconds, strict=True))
    every = mean * len(tried)
    ratio = f"{every:,.0f} s for {len(tried)}: {every / ours:.1f} times as long"
    print(f"MaltParser: {shown}; {mean:.1f} s a trial, {ratio}")


def _java_trial(setup: Setup, fold: Fold, folder: Path) -> float:
    """Train and parse with MaltParser."""
    (folder / "fold.conll").write_bytes(fold.train)
    (folder / "test.conll").write_bytes(fold.test)
    (folder / "features.xml").write_bytes(write_xml({MAIN: [FeatureText(text) for text in setup.features]}))
    every = catalogue().options
    options = [word for key, value in setup.items for word in (every[key].flag, value)]
    train = ["-c", "model", "-m", "learn", "-i", "fold.conll", "-F", "features.xml", *options]
    parse = ["-c", "model", "-m", "parse", "-i", "test.conll", "-o", "out.conll"]
    return timed([*java(), *train], folder)[0] + timed([*java(), *parse], folder)[0]


if __name__ == "__main__":
    main()
