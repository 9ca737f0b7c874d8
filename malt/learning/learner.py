"""A learner: which library, with which parameters, and how its classifiers are read and trained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from malt.data.leftovers import temporary_folder
from malt.errors import UsageError, quoted
from malt.kernel.instances import FeatureMap, Instances
from malt.kernel.solver import Random
from malt.learning import external, liblinear, libsvm
from malt.learning.classifier import Classifier
from malt.learning.descent import Tell
from malt.learning.parameters import left_over, parse
from malt.running.log import logger


@dataclass(frozen=True)
class Library:
    """What a name of -l stands for: how parameters are checked, and how it learns."""

    check: Callable[[dict[str, str]], object]
    train: Callable[[Instances, FeatureMap, dict[str, str], Random, Tell | None], Classifier]


LIBRARIES = {
    "liblinear": Library(liblinear.check, liblinear.train),
    "libsvm": Library(libsvm.settings_of, libsvm.train),
}


@dataclass(frozen=True)
class Learner:
    """-l, -lo, -lx and -lv. Wrong parameters are refused when it is made, not when training begins.

    >>> Learner("liblinear", "-s 4 -c 0.5").parameters["c"]
    '0.5'
    >>> Learner("libsvm", "-s 3")
    Traceback (most recent call last):
    malt.errors.UsageError: -lo: the kind of machine (-s) is '3'; expected a number from 0 to 1
    """

    name: str = "liblinear"
    options: str = ""
    external: str = ""
    verbosity: str = "silent"

    def __post_init__(self) -> None:
        if self.name not in LIBRARIES:
            raise UsageError(f"-l {self.name}: expected {' or '.join(LIBRARIES)}")
        LIBRARIES[self.name].check(self.parameters)
        if self.external:
            external.check_trainer(self.external)
        if ignored := left_over(self.options):
            logger.warning("warning: -lo: %s has no value and is ignored", quoted(ignored))

    @property
    def parameters(self) -> dict[str, str]:
        """All parameters, by their letters."""
        return parse(self.options, self.name)

    def train(
        self,
        instances: Instances,
        map: FeatureMap,
        random: Random,
        tell: Tell | None = None,
        stem: Path | None = None,
    ) -> Classifier:
        """Train one classifier. `random` is one for all trainings of a run, as in MaltParser. `stem` is where an
        external trainer leaves its files (STEM.ins.tmp, STEM.mod); without it they do not stay. `tell` is called now
        and then with the share that is done, and a note."""
        if self.external:
            with temporary_folder() as folder:
                place = stem if stem is not None else folder / "instances"
                return external.train(self.external, self.name, self.parameters, instances, map, place, self.verbosity)
        return LIBRARIES[self.name].train(instances, map, self.parameters, random, tell)
