"""Tuning: a run from its beginning to its end, and all that it leaves behind."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from malt.data.source import Source
from malt.data.symbols import DEFAULT_ROOT_LABEL
from malt.errors import UsageError
from malt.library import train
from malt.optimizer.plan.plan import PHASES, Plan
from malt.optimizer.plan.reader import DEFAULT
from malt.optimizer.report.report import write_report
from malt.optimizer.search.run import Run, Terms, carry_out, open_run
from malt.optimizer.search.study import Study
from malt.optimizer.trial.runners import choose_runner, open_cluster
from malt.optimizer.trial.workbench import MEMORY
from malt.systems.language import ANY


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
    learned from and tested on has the tags and lemmas that a tagger predicts, which did not see these sentences.

    >>> import malt
    >>> study = run(malt.sample.text(60), plan="default", phases=["phase1"], jobs=1)
    >>> study.done, study.best.setup.algorithm
    (True, 'nivreeager')
    """
    terms = Terms(metric, punctuation, folds, development, "" if holdout is None else str(holdout), jackknife)
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
    best = found.study.best
    for phase in found.study.results:
        found.folder.write_phase(phase.name, phase.setup)
    found.folder.write_setup(best.setup, found.format, found.treebank, found.charset)
    model = train(
        Path(found.treebank),
        features=found.folder.path / "features.xml",
        format=found.format,
        charset=found.charset,
        # What trials were run with: MaltParser has to be able to do the same.
        options={"tree.roots": ANY, "graph.root_label": DEFAULT_ROOT_LABEL, **best.setup.options},
    )
    model.save(found.folder.path / found.folder.name)
    write_report(found, found.folder.path)
