"""Support vector machines: LIBSVM as scikit-learn brings it."""

from __future__ import annotations

from typing import Any

import numpy

from malt.errors import MaltError, UsageError
from malt.kernel.classifiers import KernelFunction
from malt.kernel.instances import FeatureMap, Instances
from malt.kernel.solver import Random
from malt.learning.classifier import VectorClassifier
from malt.learning.descent import Tell, silence
from malt.learning.parameters import choice, number
from malt.learning.problem import classes, matrix
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap
from malt.running.threads import run_interruptibly

KERNELS = tuple(name.lower() for name in KernelFunction.__members__)
MACHINES = ("C_SVC", "NU_SVC")


def train(
    instances: Instances,
    map: FeatureMap,
    parameters: dict[str, str],
    random: Random | None = None,
    tell: Tell | None = None,
) -> VectorClassifier:
    """Train on instances whose features are in the map. -p does not matter for classes, -b not for their ranking.
    LIBSVM has no use for random numbers, and does not tell how far it is."""
    settings = settings_of(parameters)
    codes, which = classes(instances)
    stored = StoredMap.of(map)
    if len(codes) == 1:  # nothing to tell apart
        nothing = numpy.empty(0, dtype=numpy.int32)
        no_rows = Rows(nothing.astype(numpy.int64), nothing, nothing, nothing, numpy.empty(0))
        return VectorClassifier(
            codes, numpy.zeros(1, numpy.int32), numpy.zeros(1, numpy.int64), nothing, numpy.empty(0), no_rows,
            numpy.empty(0), settings, stored,
        )  # fmt: skip
    machine, width = _machine(settings), max(1, len(map))  # scikit-learn refuses instances without any features
    try:
        run_interruptibly(lambda: machine.fit(matrix(instances, width), which), silence(len(instances), tell))
    except ValueError as error:
        said = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise MaltError(f"LIBSVM: {said.splitlines()[0]}") from None
    # scikit-learn turns the signs round where there are two classes.
    sign = -1.0 if len(codes) == 2 else 1.0
    vectors, coefficients = machine.support_vectors_, machine.dual_coef_
    vectors.sort_indices()
    if coefficients.nnz == coefficients.shape[0] * coefficients.shape[1]:
        coefficients = coefficients.data.reshape(coefficients.shape)  # toarray() would lose the signs of zeros
    else:
        coefficients = coefficients.toarray()
    rows = Rows.from_dense(sign * coefficients, signed=True)
    rows.length[:] = len(machine.support_)
    return VectorClassifier(
        codes,
        machine.n_support_.astype(numpy.int32),
        vectors.indptr.astype(numpy.int64),
        vectors.indices.astype(numpy.int32),
        vectors.data.astype(numpy.float64),
        rows,
        0.0 - sign * numpy.asarray(machine.intercept_, dtype=numpy.float64),
        settings,
        stored,
    )


def settings_of(parameters: dict[str, str]) -> dict[str, float]:
    """The fields of LIBSVM's svm_parameter, in the order of Java's file.

    >>> from malt.learning.parameters import parse
    >>> settings_of(parse("-d 3", "libsvm"))["degree"]
    3
    """
    degree = number(parameters, "d", "libsvm", -1)
    if degree != int(degree) or degree > 100:
        raise UsageError(f"-lo: the degree (-d) is {parameters['d']!r}; expected a whole number from 0 to 100")
    return {
        "C": number(parameters, "c", "libsvm", 0),
        "cache_size": number(parameters, "m", "libsvm", 0),
        "coef0": number(parameters, "r", "libsvm"),
        "degree": int(degree),
        "eps": number(parameters, "e", "libsvm", 0),
        "gamma": number(parameters, "g", "libsvm"),
        "kernel_type": choice(parameters, "t", "libsvm", len(KERNELS) - 1),
        "nr_weight": 0,
        "nu": number(parameters, "n", "libsvm", 0),
        "p": number(parameters, "p", "libsvm"),
        "probability": choice(parameters, "b", "libsvm", 1),
        "shrinking": choice(parameters, "h", "libsvm", 1),
        "svm_type": choice(parameters, "s", "libsvm", len(MACHINES) - 1),
    }


def _machine(settings: dict[str, float]) -> Any:
    try:
        from sklearn.svm import SVC, NuSVC
    except ImportError:
        raise MaltError("-l libsvm needs scikit-learn: pip install scikit-learn") from None
    common = {
        "kernel": KERNELS[int(settings["kernel_type"])],
        "degree": int(settings["degree"]),
        "gamma": settings["gamma"],
        "coef0": settings["coef0"],
        "shrinking": bool(settings["shrinking"]),
        "tol": settings["eps"],
        "cache_size": settings["cache_size"],
    }
    return NuSVC(nu=settings["nu"], **common) if settings["svm_type"] else SVC(C=settings["C"], **common)
