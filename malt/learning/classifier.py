"""A trained classifier with the two files that MaltParser keeps it in: .moo and .map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO

import numpy
from numpy.typing import ArrayLike, NDArray

from malt.errors import DataError
from malt.kernel.classifiers import LinearWeights, SupportVectors
from malt.kernel.instances import FeatureMap
from malt.kernel.java import JavaReader
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap
from malt.mco.javaclasses import LINEAR_MODEL, PARAMETER, SOLVER_TYPE, VECTOR_MODEL
from malt.mco.javawriter import JavaWriter

SOLVERS = (
    "L2R_LR",
    "L2R_L2LOSS_SVC_DUAL",
    "L2R_L2LOSS_SVC",
    "L2R_L1LOSS_SVC_DUAL",
    "MCSVM_CS",
    "L1R_L2LOSS_SVC",
    "L1R_LR",
    "L2R_LR_DUAL",
)
MOST_CLASSES = 0xFFFF


class StoredClassifier(ABC):
    """What both kinds of classifiers have: codes of classes, a map of features, and a machine that ranks."""

    codes: NDArray[numpy.int32]
    stored: StoredMap

    @property
    @abstractmethod
    def kernel(self) -> LinearWeights | SupportVectors:
        """What ranks."""

    def write_map(self, out: BinaryIO) -> None:
        """Write the file .map."""
        self.stored.write(out)

    @cached_property
    def map(self) -> FeatureMap:
        """The feature map as the kernel looks it up."""
        return self.stored.map()

    def rank(self, rows: ArrayLike, values: ArrayLike | None = None) -> NDArray[numpy.int32]:
        """The class codes, that with the highest score or with most votes first, for features with given rows."""
        return self.kernel.ranked(rows, self.codes, values)


@dataclass(frozen=True, eq=False)
class LinearClassifier(StoredClassifier):
    """A linear classifier: for each class a sum of the weights of the features, and the classes ranked by it."""

    codes: NDArray[numpy.int32]  # of the classes, in the order of their weights
    weights: Rows  # a row per feature, a place per class
    stored: StoredMap
    solver: str = "MCSVM_CS"
    bias: float = 0.0  # what the file says; MaltParser does not use it

    @property
    def size(self) -> int:
        """About how many bytes its weights take."""
        return 12 * len(self.weights.numbers)

    @classmethod
    def read(cls, model: bytes, map: bytes, name: str = "") -> LinearClassifier:
        """Read the files NAME.moo and NAME.map."""
        stored = StoredMap.read(map, f"{name}.map")
        fields = JavaReader(model, f"{name}.moo", len(stored) + 1).read(LINEAR_MODEL)  # one more may be for the bias
        codes, weights = fields["labels"], Rows(*fields["w"])
        problem = ""
        if codes is None or not 0 < len(codes) <= MOST_CLASSES or len(codes) != fields["nr_class"]:
            problem = f"{fields['nr_class']} classes"
        elif weights.length.max(initial=0) > len(codes):
            problem = f"{weights.length.max()} weights in a row for {len(codes)} classes"
        elif fields["solverType"] not in SOLVERS:
            problem = f"the solver {fields['solverType'][:40]!r}"
        elif stored.rows.max(initial=-1) >= len(weights):
            problem = f"{len(weights)} rows of weights, and a feature map that names row {stored.rows.max() + 1}"
        if problem:
            raise DataError(f"the model has {problem}; the file is damaged", f"{name}.moo")
        return cls(codes, weights, stored, fields["solverType"], fields["bias"])

    def write_model(self, out: BinaryIO) -> None:
        """Write the file .moo."""
        writer = JavaWriter(out)
        writer.begin(LINEAR_MODEL)
        writer.plain("dii", self.bias, len(self.codes), len(self.weights))
        writer.integers(self.codes)
        writer.constant(SOLVER_TYPE, self.solver)
        writer.rows(self.weights)
        writer.end()

    @cached_property
    def kernel(self) -> LinearWeights:
        """The weights as the kernel adds them up."""
        weights = self.weights
        return LinearWeights(weights.first, weights.count, weights.places, weights.numbers, len(self.codes))


@dataclass(frozen=True, eq=False)
class VectorClassifier(StoredClassifier):
    """A support vector machine of LIBSVM: a vote for each pair of classes, and the classes ranked by their votes."""

    codes: NDArray[numpy.int32]  # of the classes
    sizes: NDArray[numpy.int32]  # how many support vectors each has
    starts: NDArray[numpy.int64]  # where the features of each vector begin
    rows: NDArray[numpy.int32]  # these features, by rows of the map
    values: NDArray[numpy.float64]
    coefficients: Rows  # one row fewer than classes, a place per vector
    rho: NDArray[numpy.float64]
    parameters: dict[str, float]  # the fields of LIBSVM's svm_parameter that are numbers
    stored: StoredMap

    @property
    def size(self) -> int:
        """About how many bytes its vectors and coefficients take."""
        return 12 * (len(self.rows) + len(self.coefficients.numbers))

    @classmethod
    def read(cls, model: bytes, map: bytes, name: str = "") -> VectorClassifier:
        """Read the files NAME.moo and NAME.map."""
        fields = JavaReader(model, f"{name}.moo", MOST_CLASSES).read(VECTOR_MODEL)
        stored = StoredMap.read(map, f"{name}.map")
        starts, indices, values = fields["SV"]
        codes, sizes, rho, parameters = fields["label"], fields["nSV"], fields["rho"], fields["param"]
        problem = ""
        if any(field is None for field in (codes, sizes, rho, parameters)):
            problem = "no classes"
        elif not len(codes) == len(sizes) == fields["nr_class"]:
            problem = f"{fields['nr_class']} classes, and codes of {len(codes)}"
        elif indices.min(initial=1) < 1 or indices.max(initial=0) > len(stored):
            problem = "a feature that the feature map lacks"
        elif stored.rows.max(initial=-1) >= len(stored):
            problem = f"{len(stored)} features, and a feature map that names row {stored.rows.max() + 1}"
        if not problem:
            parameters = {key: value for key, value in parameters.items() if not key.startswith("weight")}
            result = cls(codes, sizes, starts, indices - 1, values, Rows(*fields["sv_coef"]), rho, parameters, stored)
            try:
                result.kernel  # noqa: B018 - this checks that all parts fit together
            except ValueError as error:
                problem = f"parts that do not fit together: {error}"
        if problem:
            raise DataError(f"the model has {problem}; the file is damaged", f"{name}.moo")
        return result

    def write_model(self, out: BinaryIO) -> None:
        """Write the file .moo."""
        writer = JavaWriter(out)
        writer.begin(VECTOR_MODEL)
        writer.plain("ii", len(self.starts) - 1, len(self.codes))
        writer.vectors(self.starts, self.rows + 1, self.values)
        writer.integers(self.codes)
        writer.integers(self.sizes)
        writer.begin(PARAMETER)
        writer.plain("dddiddiiddiii", *self.parameters.values())
        writer.doubles(numpy.empty(0))
        writer.integers(numpy.empty(0, dtype=numpy.int32))
        writer.doubles(self.rho)
        writer.integers(numpy.concatenate([[0], numpy.cumsum(self.sizes)[:-1]]).astype(numpy.int32))
        writer.rows(self.coefficients)

    @cached_property
    def kernel(self) -> SupportVectors:
        """The machine as the kernel runs it."""
        parameters, part = self.parameters, self.coefficients
        return SupportVectors(
            int(parameters["kernel_type"]),
            int(parameters["degree"]),
            parameters["gamma"],
            parameters["coef0"],
            self.sizes,
            self.starts,
            self.rows,
            self.values,
            part.first,
            part.count,
            part.places,
            part.numbers,
            self.rho,
        )


Classifier = LinearClassifier | VectorClassifier
CLASSIFIERS: dict[str, type[LinearClassifier] | type[VectorClassifier]] = {
    "liblinear": LinearClassifier,
    "libsvm": VectorClassifier,
}  # what each learner makes
