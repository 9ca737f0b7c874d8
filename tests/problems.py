"""Made-up learning problems, and what LIBLINEAR 1.8 and LIBSVM 3 in Java, those of MaltParser 1.9.2, make of them.

The digests were made by running the Java libraries on the same instances, one problem after another in one process, so
that the random numbers of a problem go on where those of the one before ended.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from malt.kernel.instances import Instances
from malt.kernel.solver import Random
from malt.learning.classifier import LinearClassifier, VectorClassifier


@dataclass(frozen=True)
class Problem:
    """How many instances, classes and features; features an instance, with values other than 1 or not; parameters."""

    count: int
    classes: int
    features: int
    width: int
    valued: bool
    cost: float
    tolerance: float
    linear: str  # the digest of the weights: a row per feature, a column per class
    vectors: str  # the digest of a polynomial machine with MaltParser's parameters: rhos, coefficients, sizes


PROBLEMS = [
    Problem(300, 12, 60, 9, False, 0.1, 0.1, "54c25fc17559e181", "cce36f7e5cbff1ee"),
    Problem(200, 5, 40, 7, True, 0.1, 0.1, "5b3c5152be027347", "1810a04e8de05ba4"),
    Problem(500, 90, 200, 12, False, 0.1, 0.1, "d7ac15d1559b50cd", "c8915ad4fc3d5c79"),
    Problem(60, 2, 30, 5, False, 1.0, 0.001, "a50e55ff9bd556e4", "1fb4706c27b71e2e"),
    Problem(20, 1, 10, 3, False, 0.1, 0.1, "5b6fb58e61fa4759", "df3f619804a92fdb"),
    Problem(900, 300, 150, 6, True, 0.4, 0.05, "573752fb1029cf62", "b2bfb3fa532635d6"),
    Problem(400, 4, 25, 6, False, 0.1, 0.01, "acc7cf18b2aec687", "e5d6cd981ebca5c0"),
]


def generate(problem: Problem, seed: int) -> Instances:
    """The instances of a problem; one in 37 has no features."""
    dice, instances = Random(seed), Instances()
    for i in range(problem.count):
        code = 3 + dice.integer(problem.classes)
        rows: list[int] = []
        if i % 37 != 36:
            drawn = {
                dice.integer(problem.features) * (1 + dice.integer(code)) % problem.features
                for _ in range(problem.width)
            }
            rows = sorted(drawn | {code % problem.features})
        values = [(1 + dice.integer(9)) / 4 - 1 for _ in rows] if problem.valued else None
        instances.add(code, rows, values)
    return instances


def written(classifier: LinearClassifier | VectorClassifier) -> tuple[bytes, bytes]:
    """The files .moo and .map of a classifier."""
    model, features = io.BytesIO(), io.BytesIO()
    classifier.write_model(model)
    classifier.write_map(features)
    return model.getvalue(), features.getvalue()
