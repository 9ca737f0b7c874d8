"""MaltOptimizer: three phases that turn a treebank into a tuned parser.

- `corpus`, `facts`, `findings`       a treebank in folds, and what is known of it (phase 1)
- `plan`, `planreader`, `planvalues`  the search as data (plans/), and how it is read and checked
- `edits`, `search`                   changes of a feature model; a plan walked through
- `configuration`, `outcome`          what a trial trains with, and what comes of it
- `workbench`, `judge`, `columns`     trials are run and scored, and share their work
- `comparison`, `study`, `journal`    ask for trials and tell their outcomes; nothing is lost
- `run`, `folder`, `report`, `page`   the whole of it, and what it leaves behind

>>> import malt, malt.optimizer
>>> study = malt.optimizer.run(malt.sample.text(60), phases=["phase1"], jobs=1)
>>> study.done
True
"""

from malt.optimizer.plan.plan import Plan, find_plan
from malt.optimizer.run import run
from malt.optimizer.search.study import Study, Trial
from malt.optimizer.trial.configuration import Configuration
from malt.optimizer.trial.outcome import Outcome

__all__ = ["Configuration", "Outcome", "Plan", "Study", "Trial", "find_plan", "run"]
