"""Training with a program of the user's own (-lx): the `train` of LIBLINEAR or the `svm-train` of LIBSVM."""

from __future__ import annotations

import os
from pathlib import Path

import numpy

from malt.errors import DataError, MaltError, UsageError
from malt.kernel.instances import FeatureMap, Instances
from malt.learning.classifier import SOLVERS, LinearClassifier, VectorClassifier
from malt.learning.libsvm import MACHINES, settings_of
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap
from malt.mco.javanumbers import double_text
from malt.running.log import logger

KERNEL_NAMES = ("linear", "polynomial", "rbf", "sigmoid")


def check_trainer(path: str) -> None:
    """Refuse a path that is no trainer.

    >>> check_trainer("/no/such/train")
    Traceback (most recent call last):
    malt.errors.UsageError: -lx: there is no file /no/such/train
    """
    if not os.path.exists(path):
        raise UsageError(f"-lx: there is no file {path}")
    if os.path.isdir(path):
        raise UsageError(f"-lx: {path} is a directory; expected the program train of LIBLINEAR or svm-train of LIBSVM")
    if not path.endswith(("train", "train.exe")):
        raise UsageError(
            f"-lx: {path} does not end in train or train.exe, the names of LIBLINEAR's and LIBSVM's trainers"
        )


def write_instances(path: Path, instances: Instances) -> None:
    """Write instances in LIBSVM's format: class, then index:value, indices counting from 1."""
    starts, rows, codes, values = instances.starts(), instances.rows(), instances.classes(), instances.values()
    with path.open("w", encoding="ascii", newline="\n") as out:
        for i, code in enumerate(codes.tolist()):
            own = slice(starts[i], starts[i + 1])
            numbers = ["1.0"] * len(rows[own]) if values is None else map(double_text, values[own].tolist())
            features = (f" {row + 1}:{number}" for row, number in zip(rows[own].tolist(), numbers, strict=True))
            out.write(f"{code}{''.join(features)}\n")


def train(
    trainer: str,
    learner: str,
    parameters: dict[str, str],
    instances: Instances,
    map: FeatureMap,
    stem: Path,
    verbosity: str = "silent",
) -> LinearClassifier | VectorClassifier:
    """Train. Leaves the files STEM.ins.tmp and STEM.mod, which -li true keeps in the model.

    verbosity (-lv): `all` says what the trainer prints, `error` what it prints as errors, `silent` nothing.
    """
    import subprocess

    check_trainer(trainer)
    data, model = Path(f"{stem}.ins.tmp"), Path(f"{stem}.mod")
    write_instances(data, instances)
    command = [os.path.abspath(trainer)]
    for letter, value in parameters.items():
        command += [f"-{letter}", value]
    try:
        run = subprocess.run([*command, str(data), str(model)], capture_output=True, check=False)
    except OSError as error:
        raise MaltError(f"-lx: {trainer} cannot be run: {error.strerror or error}") from None
    said = {"all": run.stdout + run.stderr, "error": run.stderr}.get(verbosity, b"").decode("utf-8", "replace").strip()
    for line in said.splitlines():
        logger.info("%s", line)
    if run.returncode != 0 or not model.exists():
        last = (run.stderr or run.stdout).decode("utf-8", "replace").strip().splitlines()[-1:]
        how = f"failed with exit code {run.returncode}" if run.returncode else "wrote no model"
        if run.returncode < 0:
            how = f"was killed by signal {-run.returncode}"
        raise MaltError(f"-lx: {trainer} {how}{': ' if last else ''}{''.join(last)}")
    stored = StoredMap.of(map)
    try:
        text = model.read_text(encoding="latin-1")
        return read_linear(text, stored) if learner == "liblinear" else read_vectors(text, stored, parameters)
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        reason = f"there is no line {error.args[0]}" if isinstance(error, KeyError) else str(error)
        raise DataError(f"what {trainer} wrote is no model of {learner.upper()}: {reason}", "-lx") from None


def read_linear(text: str, stored: StoredMap) -> LinearClassifier:
    """LIBLINEAR's own model file. Its weights stay as they are, without MaltParser's compaction.

    >>> map = FeatureMap()
    >>> _ = map.add(1, 1), map.add(1, 2)
    >>> text = "solver_type MCSVM_CS\\nnr_class 2\\nlabel 7 5\\nnr_feature 2\\nbias -1\\nw\\n0.5 -0.5 \\n0 0.25 \\n"
    >>> model = read_linear(text, StoredMap.of(map))
    >>> model.codes.tolist(), model.weights.dense(0).tolist(), model.rank([1]).tolist()
    ([7, 5], [0.5, -0.5], [5, 7])
    """
    head, _, body = text.partition("\nw\n")
    fields = {line.split()[0]: line.split()[1:] for line in head.splitlines() if line.strip()}
    codes = numpy.array([int(code) for code in fields["label"]], dtype=numpy.int32)
    solver, bias = fields["solver_type"][0], float(fields["bias"][0])
    if solver not in SOLVERS or len(codes) != int(fields["nr_class"][0]):
        raise ValueError(f"solver {solver}, {len(codes)} classes")
    columns = 1 if len(codes) == 2 and solver != "MCSVM_CS" else len(codes)
    weights = numpy.array(body.split(), dtype=numpy.float64).reshape(-1, columns)
    if len(weights) != int(fields["nr_feature"][0]) + (bias >= 0):
        expected = int(fields["nr_feature"][0]) + (bias >= 0)
        raise ValueError(f"rows of weights: {len(weights)}, where {expected} were expected")
    # The trainer leaves out features that come after the last one it saw; they have no weight.
    weights = numpy.vstack([weights, numpy.zeros((max(0, len(stored) - len(weights)), columns))])
    return LinearClassifier(codes, Rows.from_dense(weights), stored, solver, bias)


def read_vectors(text: str, stored: StoredMap, parameters: dict[str, str]) -> VectorClassifier:
    """LIBSVM's own model file."""
    head, _, body = text.partition("\nSV\n")
    fields = {line.split()[0]: line.split()[1:] for line in head.splitlines() if line.strip()}
    settings = settings_of(parameters)
    settings["kernel_type"] = KERNEL_NAMES.index(fields["kernel_type"][0])
    settings["svm_type"] = MACHINES.index(fields["svm_type"][0].upper())
    for name in ("degree", "gamma", "coef0"):
        if name in fields:
            settings[name] = int(fields[name][0]) if name == "degree" else float(fields[name][0])
    codes = numpy.array([int(code) for code in fields["label"]], dtype=numpy.int32)
    lines = [line.split() for line in body.splitlines() if line.strip()]
    others = len(codes) - 1
    coefficients = Rows.from_dense(numpy.array([line[:others] for line in lines], dtype=numpy.float64).T.copy())
    coefficients.length[:] = len(lines)
    nodes = [node.split(":") for line in lines for node in line[others:]]
    result = VectorClassifier(
        codes,
        numpy.array([int(size) for size in fields["nr_sv"]], dtype=numpy.int32),
        numpy.concatenate([[0], numpy.cumsum([len(line) - others for line in lines])]).astype(numpy.int64),
        numpy.array([int(index) - 1 for index, _ in nodes], dtype=numpy.int32),
        numpy.array([float(value) for _, value in nodes]),
        coefficients,
        numpy.array([float(rho) for rho in fields["rho"]]),
        settings,
        stored,
    )
    result.kernel  # noqa: B018 - this checks that all parts fit together
    return result
