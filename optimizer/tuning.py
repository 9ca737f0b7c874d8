"""Tuning: a run from its beginning to its end, and all that it leaves behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from malt.blending.weights import read_weights
from malt.data.source import Source
from malt.data.symbols import DEFAULT_ROOT_LABEL
from malt.errors import UsageError
from malt.features.values import Columns
from malt.library import blend, settings_of, train_with
from malt.model import Model
from malt.optimizer.plan.plan import PHASES, Plan
from malt.optimizer.plan.reader import DEFAULT, find_plan
from malt.optimizer.report.report import write_report
from malt.optimizer.search.folder import feature_file
from malt.optimizer.search.run import Run, Terms, carry_out, open_run
from malt.optimizer.search.study import Study
from malt.optimizer.trial.runners import choose_runner, open_cluster
from malt.optimizer.trial.setup import Setup
from malt.optimizer.trial.workbench import MEMORY
from malt.running.threads import cores
from malt.systems import is_own
from malt.systems.language import ANY
from malt.systems.own import read_system


def run(
    treebank: Source,
    folder: str | os.PathLike[str] | None = None,
    *,
    plan: str | Plan = DEFAULT,
    algorithm: str = "",
    metric: str = "las",
    punctuation: bool = True,
    folds: int = 0,
    development: str = "",
    holdout: str | int | None = None,
    jackknife: bool = False,
    exact: bool = False,
    seconds: float = 0,
    jobs: int = 0,
    dask: str | None = None,
    format: str = "",
    charset: str = "UTF-8",
    memory: int = MEMORY,
    phases: Sequence[str] = PHASES,
) -> Study:
    """Find the options, the algorithm and the features that parse a treebank best.

    With a folder, the result is left there: option files, the feature model, a trained model, a report and the journal
    of all trials; called again, it goes on where it was. `seconds` is a budget of time; without it, the plan is carried
    through. `folds` 1 is a single split of 80 and 20 percent, more is cross-validation, 0 decides by size.
    `holdout` 10 holds every tenth sentence out of all that (0: none; or a file; without it, as the plan says):
    `study.expectation` says how the default configuration and the chosen one do there. With `jackknife`, all that is
    learned from and tested on has the tags and lemmas that a tagger predicts, which did not see these sentences. With
    `exact`, nothing is ruled out by rough trials.

    >>> import malt
    >>> study = run(malt.sample.text(60), plan="default", phases=["phase1"], jobs=1)
    >>> study.done, study.best.setup.algorithm
    (True, 'nivreeager')
    """
    if is_own(algorithm):
        definition, text = read_system(algorithm)
        plan = (find_plan(plan) if isinstance(plan, str) else plan).with_system(definition.name, text)
        algorithm = definition.name
    terms = Terms(metric, punctuation, folds, development, "" if holdout is None else str(holdout), jackknife, exact)
    with (
        open_cluster(dask) as cluster,
        open_run(treebank, folder, terms, plan=plan, format=format, charset=charset, memory=memory) as (found, journal),
    ):
        found.runner = choose_runner(found.bench, cluster, jobs)
        unknown = [phase for phase in phases if phase not in PHASES]
        if unknown or not phases:
            raise UsageError(f"phases: expected {', '.join(PHASES)}, not {', '.join(unknown) or 'none'}")
        found.study.phases, found.study.algorithm = tuple(phases), algorithm
        carry_out(found, journal, seconds)
        if found.folder is not None and found.study.done:
            finish(found)
        return found.study


def finish(found: Run) -> None:
    """Write the setup, train a model with it on the whole treebank, and write the report."""
    assert found.folder is not None
    chosen = found.study.chosen
    for phase in found.study.results:
        found.folder.write_phase(phase.name, phase.setup)
    columns = Columns(found.corpus.format)
    found.folder.write_setup(chosen, found.format, found.treebank, found.charset, columns)
    _train(found, chosen).save(found.folder.path / found.folder.name)
    write_report(found, found.folder.path)


def _train(found: Run, setup: Setup) -> Model:
    """The model of a setup from the whole treebank; parsers that vote are learned at the same time."""
    if setup.members:
        marks = [f"-{number}" for number in range(1, len(setup.members) + 1)]
        with ThreadPoolExecutor(cores()) as pool:
            models = list(pool.map(lambda one: _train_one(found, *one), zip(setup.members, marks, strict=True)))
        weights = read_weights(setup.weights.encode(), "the weights of the votes")
        return blend(models, weights.named([f"{found.folder.name if found.folder else ''}{mark}" for mark in marks]))
    return _train_one(found, setup)


def _train_one(found: Run, setup: Setup, mark: str = "") -> Model:
    assert found.folder is not None
    # What trials were run with: MaltParser has to be able to do the same.
    alike = {} if setup.structured else {"tree.roots": ANY, "graph.root_label": DEFAULT_ROOT_LABEL}
    options = {
        **alike,
        **setup.options,
        "features": str(found.folder.path / feature_file(setup, mark)),
        "format": found.format,
        "charset": found.charset,
    }
    return train_with(settings_of(options.items()), Path(found.treebank), lambda share, note: None)
