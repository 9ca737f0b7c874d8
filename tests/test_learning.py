"""Learning: MaltParser's own classifier files from its own instances, parameters, other solvers, external trainers."""

from __future__ import annotations

import logging
import os
import re
import stat
import sys
import zipfile
from pathlib import Path

import numpy
import pytest
from problems import PROBLEMS, generate, written

from malt.errors import DataError, MaltError, UsageError
from malt.kernel.instances import FeatureMap, Instances, read_instances, write_instances
from malt.kernel.solver import Random
from malt.learning import liblinear
from malt.learning.classifier import SOLVERS, LinearClassifier
from malt.learning.compaction import idle
from malt.learning.learner import Learner
from malt.learning.parameters import parse
from malt.learning.rows import Rows

# Recorded models: one of each kind by default, and those that train fast; MALT_ALL_CASES=1 takes them all (12 s).
SOME = [
    "da-malttab",
    "da-split-column",
    "da-gds-branch",
    "da-gds-split",
    "da-cost",
    "da-nv-none",
    "features-submodels",
    "features-par",
    "features-eager",
    "la-nivreeager-conllu",
]


def files_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as model:
        return {name.split("/")[-1]: model.read(name) for name in model.namelist()}


def in_training_order(names: list[str]) -> list[str]:
    """Divided data by codes and then the rest; decisions one after another, right arcs before left ones."""
    return sorted(names, key=lambda name: (not re.match(r"odm0\.\d", name), name.replace("LA", "Z")))


def learn(text: bytes, random: Random, options: str = "") -> LinearClassifier:
    instances, features = Instances(), FeatureMap()
    read_instances(text, instances, features)
    classifier = Learner("liblinear", options).train(instances, features, random)
    assert isinstance(classifier, LinearClassifier)
    return classifier


def check(case: Path) -> None:
    """Train every classifier of a recorded model in turn; the files must be the very bytes. So must what is read."""
    files, random = files_of(case / "model.mco"), Random()
    found = re.search(r"-lo (\S+)", (case / "case.txt").read_text())
    for name in in_training_order([name[:-4] for name in files if name.endswith(".ins")]):
        model, features = files[f"{name}.moo"], files[f"{name}.map"]
        assert written(learn(files[f"{name}.ins"], random, found[1] if found else "")) == (model, features)
        assert written(LinearClassifier.read(model, features, name)) == (model, features)


@pytest.mark.parametrize("name", SOME)
def test_the_files_are_the_bytes_that_maltparser_wrote(name: str, shared: Path) -> None:
    check(shared / "golden" / "cases" / name)


@pytest.mark.slow
def test_all_recorded_models(shared: Path) -> None:
    for case in sorted((shared / "golden" / "cases").iterdir()):
        if "libsvm" not in case.name and not re.search(r"-lo\S* -s", (case / "case.txt").read_text()):
            check(case)


def test_the_instances_are_written_as_maltparser_wrote_them(shared: Path) -> None:
    for name in ("da-malttab", "features-par"):
        text = files_of(shared / "golden" / "cases" / name / "model.mco")["odm0.liblinear.ins"]
        instances, features = Instances(), FeatureMap()
        read_instances(text, instances, features)
        columns = numpy.zeros(text[: text.index(b"\n")].count(b"\t") - 1, numpy.uint8)
        assert write_instances(instances, 0, len(instances), features.keys(), columns) == text


def test_a_model_of_another_solver_is_read_and_written(shared: Path) -> None:
    files = files_of(shared / "golden" / "cases" / "da-liblinear-s0" / "model.mco")
    model, features = files["odm0.liblinear.moo"], files["odm0.liblinear.map"]
    classifier = LinearClassifier.read(model, features)
    assert classifier.solver == "L2R_LR"
    assert written(classifier) == (model, features)


def test_a_random_state_that_is_not_shared_gives_other_weights() -> None:
    texts = ["".join(f"{1 + i % 4}\t{i % 7}\t{i % 11}\t\n" for i in range(200)).encode()] * 2
    random = Random()
    first, second = (written(learn(text, random))[0] for text in texts)
    assert first != second
    assert written(learn(texts[0], Random()))[0] == first


# --- compaction ------------------------------------------------------------------------------------------------


def test_rows_that_tell_nothing_apart_are_dropped() -> None:
    table = [
        [0.0, 0.0, 0.0],
        [0.5, 0.0, 0.0],  # for the first class only
        [0.5, 0.5, 0.0],
        [0.5, 0.5, 0.5],
        [0.0, 0.5, 0.5],
        [0.5, 0.25, 0.0],
        [0.0, 0.0, -0.5],
    ]
    assert idle(Rows.from_dense(numpy.array(table))).tolist() == [True, True, True, True, False, False, False]


# --- parameters ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "options", "message"),
    [
        ("liblinear", "-q 1", "-lo: liblinear has no parameter -q; it has -s -c -e -B"),
        ("liblinear", "-s 8", "-lo: the solver (-s) is '8'; expected a number from 0 to 7"),
        ("liblinear", "-s_four", "-lo: the solver (-s) is 'four'; expected a number from 0 to 7"),
        ("liblinear", "-c x", "-lo: the cost (-c) is 'x'; expected a number above 0"),
        ("liblinear", "-c nan", "-lo: the cost (-c) is 'nan'; expected a number above 0"),
        ("liblinear", "-e_-1", "-lo: the tolerance (-e) is '-1'; expected a number above 0"),
        ("liblinear", "c 1", "-lo: 'c' where a flag such as -c was expected"),
        ("liblinear", "- 1", "-lo: '-' where a flag such as -c was expected"),
        ("libsvm", "-h 1", "-lo: libsvm has no parameter -h; it has -s -t -d -g -r -n -m -c -e -p -b"),
        ("libsvm", "-t 4", "-lo: the kernel (-t) is '4'; expected a number from 0 to 3"),
        ("libsvm", "-d 1.5", "-lo: the degree (-d) is '1.5'; expected a whole number from 0 to 100"),
        ("libsvm", "-s 2", "-lo: the kind of machine (-s) is '2'; expected a number from 0 to 1"),
        ("timbl", "", "-l timbl: expected liblinear or libsvm"),
    ],
)
def test_wrong_parameters(learner: str, options: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Learner(learner, options)
    assert str(caught.value) == message


def test_parameters_as_maltparser_reads_them() -> None:
    assert parse("-cost_2", "liblinear")["c"] == "2"  # one letter counts
    assert parse("-c 2 -e", "liblinear")["e"] == "0.1"  # a last flag without a value is ignored
    assert parse("-c__2_ -s 3", "liblinear") == {"s": "3", "c": "2", "e": "0.1", "B": "-1"}
    assert list(parse("", "libsvm")) == list("stdgrnmcephb")


# --- the other solvers -----------------------------------------------------------------------------------------


def problem(number: int) -> tuple[Instances, FeatureMap]:
    features = FeatureMap()
    for code in range(PROBLEMS[number].features):
        features.add(1, code)
    return generate(PROBLEMS[number], number), features


@pytest.mark.parametrize("solver", [0, 1, 2, 3, 5, 6, 7])
@pytest.mark.parametrize("number", [0, 1, 3, 4], ids=["classes", "values", "two-classes", "one-class"])
def test_every_solver_of_liblinear(solver: int, number: int) -> None:
    instances, features = problem(number)
    classifier = Learner("liblinear", f"-s {solver} -c 10 -e 0.01").train(instances, features, Random())
    assert isinstance(classifier, LinearClassifier)
    assert classifier.solver == SOLVERS[solver]
    again = LinearClassifier.read(*written(classifier))
    assert written(again) == written(classifier)
    codes = instances.classes()
    assert classifier.codes.tolist() == list(dict.fromkeys(codes.tolist()))
    starts, rows, values = instances.starts(), instances.rows(), instances.values()
    keys, row_of = (
        features.keys(),
        dict(zip(classifier.stored.keys.tolist(), classifier.stored.rows.tolist(), strict=True)),
    )
    right = 0
    for i, code in enumerate(codes.tolist()):
        own = range(starts[i], starts[i + 1])
        known = [(row_of[keys[rows[k]]], 1.0 if values is None else values[k]) for k in own if keys[rows[k]] in row_of]
        right += again.rank([row for row, _ in known], [value for _, value in known])[0] == code
    assert right > 0.5 * len(codes)


@pytest.mark.parametrize("solver", ["L2R_LR", "L2R_L2LOSS_SVC"])
@pytest.mark.parametrize("number", [0, 1, 3, 4], ids=["classes", "values", "two-classes", "one-class"])
def test_newtons_method_ends_where_liblinear_does(solver: str, number: int) -> None:
    """With a tolerance that leaves no choice of where to end."""
    instances, features = problem(number)
    kind = SOLVERS.index(solver)
    codes, rows = liblinear._newton(instances, len(features), liblinear.NEWTON[solver], 10.0, 1e-9)
    expected_codes, expected = liblinear._liblinear(instances, len(features), kind, 10.0, 1e-9)
    place = [expected_codes.tolist().index(code) for code in codes]
    dense = [numpy.zeros((len(features), len(codes))) for _ in range(2)]
    for weights, found in zip(dense, (rows, expected), strict=True):
        for row in range(len(features)):
            weights[row, : found.length[row]] = found.dense(row)
    assert numpy.abs(dense[0]).max() > 0.1
    assert numpy.allclose(dense[0], dense[1][:, place], atol=1e-4)


def test_two_classes_have_weights_of_their_own() -> None:
    instances, features = problem(3)
    classifier = Learner("liblinear", "-s 1").train(instances, features, Random())
    assert isinstance(classifier, LinearClassifier)
    for row in range(len(classifier.weights)):
        weights = classifier.weights.dense(row)
        assert weights[0] == -weights[1] != 0


# --- external trainers -----------------------------------------------------------------------------------------

TRAINER = """#!{python}
import sys
*options, source, target = sys.argv[1:]
options = dict(zip(options[::2], options[1::2]))
lines = [line.split() for line in open(source)]
labels = list(dict.fromkeys(line[0] for line in lines))
size = max(int(node.split(":")[0]) for line in lines for node in line[1:])
print("learning with", options)
print("this is an error", file=sys.stderr)
if options["-c"] == "13":
    sys.exit(13)
weights = [[0.0] * len(labels) for _ in range(size)]
for line in lines:
    for node in line[1:]:
        index, value = node.split(":")
        weights[int(index) - 1][labels.index(line[0])] += float(value) / 8
with open(target, "w") as out:
    print("solver_type MCSVM_CS\\nnr_class", len(labels), file=out)
    print("label", *labels, file=out)
    print("nr_feature", size, file=out)
    print("bias -1\\nw", file=out)
    for row in weights:
        print(*row, "", file=out)
"""


@pytest.fixture
def trainer(tmp_path: Path) -> str:
    path = tmp_path / "train"
    path.write_text(TRAINER.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.skipif(os.name == "nt", reason="a script cannot be the trainer on Windows")
def test_an_external_trainer(trainer: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    instances = Instances()
    for code, rows, values in ((4, [0, 1], None), (2, [1, 2], [1.0, 0.25])):
        instances.add(code, rows, values)
    features = FeatureMap()
    for code in range(4):
        features.add(1, code)
    with caplog.at_level(logging.INFO, "malt"):
        classifier = Learner("liblinear", "-s_4", trainer, "all").train(
            instances, features, Random(), stem=tmp_path / "odm0.liblinear"
        )
    assert isinstance(classifier, LinearClassifier)
    assert (tmp_path / "odm0.liblinear.ins.tmp").read_text() == "4 1:1.0 2:1.0\n2 2:1.0 3:0.25\n"
    assert (tmp_path / "odm0.liblinear.mod").exists()
    assert "{'-s': '4', '-c': '0.1', '-e': '0.1', '-B': '-1'}" in caplog.text
    assert "this is an error" in caplog.text
    assert classifier.codes.tolist() == [4, 2]
    assert [classifier.weights.dense(row).tolist() for row in range(4)] == [[0.125], [0.125, 0.125], [0.0, 0.03125], []]
    assert classifier.stored.counter == 5


@pytest.mark.skipif(os.name == "nt", reason="a script cannot be the trainer on Windows")
def test_an_external_trainer_that_fails(trainer: str, caplog: pytest.LogCaptureFixture) -> None:
    instances, features = Instances(), FeatureMap()
    instances.add(1, [features.add(1, 1)])
    with pytest.raises(MaltError, match="failed with exit code 13: this is an error"):
        Learner("liblinear", "-c_13", trainer).train(instances, features, Random())
    assert "this is an error" not in caplog.text  # -lv silent
    with pytest.raises(
        DataError, match=r"^-lx: what \S+train wrote is no model of LIBSVM: there is no line kernel_type$"
    ):
        Learner("libsvm", "", trainer).train(instances, features, Random())


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 0", "wrote no model"),
        ("kill -9 $$", "was killed by signal 9"),
        (
            "for last; do :; done; printf 'solver_type MCSVM_CS\\nnr_class 2\\nlabel 1 2\\nnr_feature 3\\n"
            "bias -1\\nw\\n1 2\\n' > $last",
            "rows of weights: 1, where 3 were expected",
        ),
    ],
)
def test_a_trainer_that_writes_no_model(tmp_path: Path, script: str, reason: str) -> None:
    trainer = tmp_path / "train"
    trainer.write_text(f"#!/bin/sh\n{script}\n")
    trainer.chmod(0o755)
    instances, features = Instances(), FeatureMap()
    instances.add(1, [features.add(1, 1)])
    with pytest.raises(MaltError, match=f"^-lx: .*{reason}$"):
        Learner("liblinear", "", str(trainer)).train(instances, features, Random())


def test_a_parameter_without_a_value(caplog: pytest.LogCaptureFixture) -> None:
    Learner("liblinear", "-c 0.5 foo")
    assert caplog.messages == ["warning: -lo: 'foo' has no value and is ignored"]


def test_what_is_no_trainer(tmp_path: Path) -> None:
    for path, message in ((tmp_path, "is a directory"), (tmp_path / "train", "there is no file")):
        with pytest.raises(UsageError, match=message):
            Learner("liblinear", "", str(path))
    other = tmp_path / "learn"
    other.write_text("")
    with pytest.raises(UsageError, match=r"does not end in train or train\.exe"):
        Learner("liblinear", "", str(other))
    other = tmp_path / "train"
    other.write_text("this is no program")
    instances, features = Instances(), FeatureMap()
    instances.add(1, [features.add(1, 1)])
    with pytest.raises(MaltError, match="cannot be run"):
        Learner("liblinear", "", str(other)).train(instances, features, Random())
