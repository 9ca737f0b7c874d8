"""Support vector machines: LIBSVM's own models, MaltParser's files and its ranking by votes."""

from __future__ import annotations

import hashlib
import math
import zipfile
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import PROBLEMS, Problem, generate, written

from malt.errors import MaltError
from malt.kernel.classifiers import SupportVectors
from malt.kernel.instances import FeatureMap, Instances, read_instances
from malt.kernel.solver import Random
from malt.learning.classifier import VectorClassifier
from malt.learning.external import read_vectors
from malt.learning.learner import Learner
from malt.learning.parameters import parse
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap


def train(problem: Problem, seed: int, options: str = "") -> VectorClassifier:
    features = FeatureMap()
    for code in range(problem.features):
        features.add(1, code)
    classifier = Learner("libsvm", options).train(generate(problem, seed), features, Random())
    assert isinstance(classifier, VectorClassifier)
    return classifier


@pytest.mark.parametrize("seed", range(len(PROBLEMS)))
def test_the_machines_are_those_of_java(seed: int) -> None:
    classifier = train(PROBLEMS[seed], seed)
    lines = [classifier.coefficients.dense(line) + 0.0 for line in range(len(classifier.coefficients))]  # -0.0 is 0.0
    parts = [array.astype(">f8") for array in (classifier.rho + 0.0, *lines)] + [classifier.sizes.astype(">i4")]
    digest = hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()
    assert digest[:16] == PROBLEMS[seed].vectors


@pytest.mark.parametrize("options", ["-t 0", "-t 2 -g 0.1", "-t 3 -g 0.01", "-s 1 -n 0.02", "-g 0"])
def test_other_machines_are_written_and_read(options: str) -> None:
    classifier = train(PROBLEMS[6], 6, options)
    again = VectorClassifier.read(*written(classifier))
    assert written(again) == written(classifier)
    assert (again.rank([1, 5]) == classifier.rank([1, 5])).all()


def test_instances_without_features() -> None:
    """Where a feature never has a value, as a Merge of missing words, votes alone are left."""
    instances, features = Instances(), FeatureMap()
    read_instances(b"1\t-1\t\n2\t-1\t\n2\t-1\t\n", instances, features)
    classifier = Learner("libsvm", "").train(instances, features, Random())
    assert classifier.rank([]).tolist() == [2, 1]


def test_a_machine_that_cannot_be() -> None:
    with pytest.raises(MaltError, match=r"^LIBSVM: specified nu is infeasible$"):
        train(PROBLEMS[0], 0, "-s 1 -n 0.99")


# --- recorded models -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["da-libsvm", "da-libsvm-2planar"])
def test_recorded_machines(name: str, shared: Path) -> None:
    """What MaltParser wrote is read, ranks as a plain program does, and is written again byte for byte."""
    with zipfile.ZipFile(shared / "golden" / "cases" / name / "model.mco") as archive:
        model, stored, text = (archive.read(f"model/odm0.libsvm.{suffix}") for suffix in ("moo", "map", "ins"))
    classifier = VectorClassifier.read(model, stored)
    assert written(classifier) == (model, stored)
    instances, features = Instances(), FeatureMap()
    read_instances(text, instances, features)
    starts, rows = instances.starts(), instances.rows()
    for i in range(5, len(instances), len(instances) // 3):
        own = rows[starts[i] : starts[i + 1]]
        votes = plain_votes(classifier, dict.fromkeys(own.tolist(), 1.0))
        assert classifier.kernel.votes(own).tolist() == votes


def plain_votes(machine: VectorClassifier, instance: dict[int, float]) -> list[float]:
    """LIBSVM's prediction, written out plainly."""
    settings, kernels = machine.parameters, []
    for vector in range(len(machine.starts) - 1):
        own = range(machine.starts[vector], machine.starts[vector + 1])
        other = {int(machine.rows[k]): float(machine.values[k]) for k in own}
        product = distance = 0.0
        for row in sorted(instance.keys() | other.keys()):
            a, b = instance.get(row, 0.0), other.get(row, 0.0)
            product += a * b
            distance += (a - b) * (a - b)
        kind = settings["kernel_type"]
        inner = settings["gamma"] * product + settings["coef0"]
        power, times, square = 1.0, int(settings["degree"]), inner
        while times > 0:
            power *= square if times % 2 else 1.0
            square, times = square * square, times // 2
        kernels.append([product, power, math.exp(-settings["gamma"] * distance), math.tanh(inner)][int(kind)])
    bounds = [0, *numpy.cumsum(machine.sizes).tolist()]
    lines = [machine.coefficients.dense(line).tolist() for line in range(len(machine.coefficients))]
    classes, pair = len(machine.codes), 0
    votes = [0.0] * classes
    for i in range(classes):
        for j in range(i + 1, classes):
            total = 0.0
            for k in range(bounds[i], bounds[i + 1]):
                total += lines[j - 1][k] * kernels[k]
            for k in range(bounds[j], bounds[j + 1]):
                total += lines[i][k] * kernels[k]
            votes[i if total - machine.rho[pair] > 0 else j] += 1
            pair += 1
    return votes


# --- votes -----------------------------------------------------------------------------------------------------

NUMBER = st.sampled_from([0.0, 1.0, -1.0, 0.3, -0.7, 0.1])


@st.composite
def machines(draw: st.DrawFn, values: st.SearchStrategy[float]) -> VectorClassifier:
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    vectors = sum(sizes)
    content = draw(st.lists(st.dictionaries(st.integers(0, 9), values, max_size=5), min_size=vectors, max_size=vectors))
    line = st.lists(NUMBER, min_size=vectors, max_size=vectors)
    lines = draw(st.lists(line, min_size=len(sizes) - 1, max_size=len(sizes) - 1))
    pairs = len(sizes) * (len(sizes) - 1) // 2
    coefficients = Rows.from_dense(numpy.array(lines, dtype=float).reshape(len(sizes) - 1, vectors))
    coefficients.length[:] = vectors
    settings = {
        "kernel_type": draw(st.integers(0, 3)),
        "degree": draw(st.integers(0, 5)),
        "gamma": draw(st.sampled_from([0.2, 1.0, 0.0])),
        "coef0": draw(st.sampled_from([0.0, 0.5])),
    }
    return VectorClassifier(
        numpy.arange(len(sizes), dtype=numpy.int32),
        numpy.array(sizes, numpy.int32),
        numpy.cumsum([0, *map(len, content)]),
        numpy.array([row for vector in content for row in sorted(vector)], numpy.int32),
        numpy.array([vector[row] for vector in content for row in sorted(vector)], float),
        coefficients,
        numpy.array(draw(st.lists(NUMBER, min_size=pairs, max_size=pairs)), float),
        settings,
        StoredMap(numpy.arange(10), numpy.arange(10, dtype=numpy.int32), 16, 11),
    )


@given(machines(st.just(1.0)), st.sets(st.integers(0, 12)))
def test_votes_with_values_of_one(machine: VectorClassifier, rows: set[int]) -> None:
    assert machine.kernel.votes(list(rows)).tolist() == plain_votes(machine, dict.fromkeys(rows, 1.0))


@given(
    machines(st.sampled_from([1.0, 0.5, -2.0])), st.dictionaries(st.integers(0, 12), st.sampled_from([1.0, 0.25, 3.0]))
)
def test_votes_with_other_values(machine: VectorClassifier, instance: dict[int, float]) -> None:
    votes = machine.kernel.votes(list(instance), list(instance.values()))
    assert votes.tolist() == plain_votes(machine, instance)


def test_machines_that_do_not_fit_together() -> None:
    one, two = numpy.array([0]), numpy.array([2], numpy.int32)
    places, numbers = numpy.array([0, 1], numpy.int32), numpy.array([1.0, -1.0])
    good = [
        0,
        1,
        1.0,
        0.0,
        [1, 1],
        numpy.array([0, 1, 2]),
        places,
        numpy.ones(2),
        one,
        two,
        places,
        numbers,
        numpy.zeros(1),
    ]
    SupportVectors(*good)  # type: ignore[arg-type]
    for place, value in [
        (0, 4),
        (4, [1, 2]),
        (4, [3, -1]),
        (5, numpy.array([0, 2, 1])),
        (5, numpy.array([1, 1, 2])),
        (6, numpy.array([-1, 0], numpy.int32)),
        (7, numpy.ones(3)),
        (8, numpy.array([1])),
        (8, numpy.array([0, 0])),
        (10, numpy.array([0, 2], numpy.int32)),
        (12, numpy.zeros(2)),
    ]:
        bad = list(good)
        bad[place] = value
        with pytest.raises(ValueError, match=r"fit|expected|range|no support vector|ascend"):
            SupportVectors(*bad)  # type: ignore[arg-type]
    falling = [0, 1, 1.0, 0.0, [1, 0], numpy.array([0, 2]), numpy.array([1, 0], numpy.int32), numpy.ones(2), *good[8:]]
    with pytest.raises(ValueError, match="do not ascend"):
        SupportVectors(*falling)  # type: ignore[arg-type]


def test_a_model_of_an_external_trainer() -> None:
    text = """svm_type c_svc
kernel_type polynomial
degree 2
gamma 0.2
coef0 0
nr_class 2
total_sv 2
rho 0.5
label 7 4
nr_sv 1 1
SV
1 1:1 3:1
-1 2:1 4:0.5
"""
    features = FeatureMap()
    for code in range(4):
        features.add(1, code)
    classifier = read_vectors(text, StoredMap.of(features), parse("", "libsvm"))
    assert classifier.codes.tolist() == [7, 4]
    assert classifier.rank([0, 2]).tolist() == [4, 7]  # (0.2 * 2) ** 2 - 0.5 is not above 0
    assert classifier.rank([1, 3], [9.0, 1.0]).tolist() == [4, 7]
    assert written(VectorClassifier.read(*written(classifier))) == written(classifier)
