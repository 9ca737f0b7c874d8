"""MaltOptimizer: three phases that turn a treebank into a tuned parser.

- `trial`   a treebank in folds; what a trial trains with, how it is run and scored, and what comes of it
- `plan`    the search as data (`plans/`): its steps, how they are read and run; what is known of a treebank (phase 1)
- `search`  plans carried out: ask for trials and tell their outcomes; journals and folders, so that nothing is lost
- `report`  what was found and decided, as data and as a page
- `tuning`  the whole of it

>>> import malt, malt.optimizer
>>> study = malt.optimizer.run(malt.sample.text(60), phases=["phase1"], jobs=1)
>>> study.done
True
"""

from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.plan import Plan
from malt.optimizer.plan.reader import find_plan
from malt.optimizer.search.study import Study
from malt.optimizer.trial.corpus import Corpus
from malt.optimizer.trial.outcome import Outcome
from malt.optimizer.trial.setup import Setup, Trial
from malt.optimizer.trial.workbench import Workbench
from malt.optimizer.tuning import run

__all__ = ["Corpus", "Facts", "Outcome", "Plan", "Setup", "Study", "Trial", "Workbench", "find_plan", "run"]
