"""Linear classifiers: the default solver is the kernel's own, all others are those of LIBLINEAR."""

from __future__ import annotations

from typing import Any

import numpy

from malt.errors import MaltError
from malt.kernel.instances import FeatureMap, Instances
from malt.kernel.solver import DualVariables, Random, crammer_singer
from malt.learning import newton
from malt.learning.classifier import SOLVERS, LinearClassifier
from malt.learning.compaction import compact
from malt.learning.descent import Descent, Tell, silence
from malt.learning.parameters import choice, number
from malt.learning.problem import classes, matrix
from malt.learning.rows import Rows
from malt.running.threads import run_interruptibly

CRAMMER_SINGER = "MCSVM_CS"
NEWTON = {"L2R_LR": newton.logistic, "L2R_L2LOSS_SVC": newton.squared_hinge}


def check(parameters: dict[str, str]) -> tuple[int, float, float]:
    """The number of the solver, the cost and the tolerance."""
    return (
        choice(parameters, "s", "liblinear", len(SOLVERS) - 1),
        number(parameters, "c", "liblinear", 0),
        number(parameters, "e", "liblinear", 0),
    )


def train(
    instances: Instances,
    map: FeatureMap,
    parameters: dict[str, str],
    random: Random,
    tell: Tell | None = None,
) -> LinearClassifier:
    """Train on instances whose features are in the map. The bias (-B) has no effect: MaltParser ignores it.

    >>> from malt.learning.parameters import parse
    >>> instances, map = Instances(), FeatureMap()
    >>> for code in (4, 2):
    ...     instances.add(code, [map.add(1, code)])
    >>> train(instances, map, parse("", "liblinear"), Random()).rank([0]).tolist()
    [4, 2]
    """
    if has_duals(parameters):
        return train_on(instances, map, parameters, random, tell)[0]
    solver, cost, tolerance = check(parameters)
    if SOLVERS[solver] in NEWTON:
        codes, rows = _newton(instances, len(map), NEWTON[SOLVERS[solver]], cost, tolerance, tell)
    else:
        codes, rows = _liblinear(instances, len(map), solver, cost, tolerance, tell)
    stored, rows = compact(map, rows)
    return LinearClassifier(codes, rows, stored, SOLVERS[solver])


def has_duals(parameters: dict[str, str]) -> bool:
    """Whether a training can go on from the dual variables of another one."""
    return SOLVERS[check(parameters)[0]] == CRAMMER_SINGER


def train_on(
    instances: Instances,
    map: FeatureMap,
    parameters: dict[str, str],
    random: Random,
    tell: Tell | None = None,
    start: DualVariables | None = None,
    passes: int = 0,
) -> tuple[LinearClassifier, DualVariables]:
    """The same with the default solver, and the dual variables of what it finds; they may be what it starts from, and
    there may be few passes."""
    _, cost, tolerance = check(parameters)
    left, descent = DualVariables(), Descent.of(tolerance, tell)
    codes, starts, places, weights = crammer_singer(
        instances, len(map), cost, tolerance, random, descent, start, left, passes
    )
    stored, rows = compact(map, Rows.from_sparse(starts, places, weights))
    return LinearClassifier(codes, rows, stored, CRAMMER_SINGER), left


def _newton(
    instances: Instances, features: int, loss: newton.Loss, cost: float, tolerance: float, tell: Tell | None = None
) -> tuple[Any, Rows]:
    """The class codes and weights that the trust region Newton method finds: each class against all others."""
    codes, which = classes(instances)
    order = numpy.argsort(which, kind="stable")  # by classes, as LIBLINEAR has them
    data, which = matrix(instances, features)[order], which[order]
    weights = numpy.zeros((features, len(codes)))
    for place in range(1 if len(codes) == 2 else len(codes)):
        if tell is not None:
            tell(place / len(codes), f"class {place + 1} of {len(codes)}")
        signs = numpy.where(which == place, 1.0, -1.0)
        smaller = max(1, min((signs > 0).sum(), (signs < 0).sum()))
        weights[:, place] = newton.minimize(loss, data, signs, cost, tolerance * smaller / len(signs))
    if len(codes) == 2:
        weights[:, 1] = -weights[:, 0]
    return codes, Rows.from_dense(weights)


def _liblinear(
    instances: Instances, features: int, solver: int, cost: float, tolerance: float, tell: Tell | None = None
) -> tuple[Any, Rows]:
    """The class codes and weights that LIBLINEAR finds."""
    codes, which = classes(instances)
    if features == 0:
        return codes, Rows.from_dense(numpy.zeros((0, len(codes))))
    try:
        from liblinear.liblinear import liblinear, parameter, problem, toPyModel
    except ImportError:
        raise MaltError(f"-lo -s {solver} needs LIBLINEAR: pip install liblinear-official") from None
    # Classes are numbered from 1 on: LIBLINEAR would turn round the order of -1 and 1.
    data = problem(which + 1.0, matrix(instances, features), -1)
    options = parameter(f"-q -s {solver} -c {cost!r} -e {tolerance!r}")
    message = liblinear.check_parameter(data, options)
    if message:
        raise MaltError(f"LIBLINEAR: {message.decode('utf-8', 'replace')}")
    model = toPyModel(run_interruptibly(lambda: liblinear.train(data, options), silence(len(instances), tell)))
    columns = 1 if len(codes) == 2 else len(codes)
    weights = numpy.ctypeslib.as_array(model.w, (features * columns,)).reshape(features, columns).copy()
    if len(codes) == 2:
        # One vector tells two classes apart. Each gets its own: MaltParser, which cannot learn this, can then use it.
        weights = numpy.concatenate([weights, -weights], axis=1)
    return codes[numpy.array(model.get_labels()) - 1], Rows.from_dense(weights)
