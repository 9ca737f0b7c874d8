"""A classifier for each value of a column (-d, -s, -T), where MaltParser ends in an exception."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from malt.commands import malt

MAIN = ["InputColumn(FORM, Stack[0])", "InputColumn(POSTAG, Input[0])", "OutputColumn(DEPREL, Stack[0])"]
DIVIDED = "InputColumn(POSTAG, Stack[0])"


def model(folder: Path, main: list[str], transitions: list[str]) -> str:
    def lines(features: list[str]) -> str:
        return "".join(f"<feature>{feature}</feature>" for feature in features)

    sub = f'<submodel name="T.TRANS">{lines(transitions)}</submodel>' if transitions else ""
    path = folder / "f.xml"
    whole = f'<submodel name="MAIN">{lines(main)}</submodel>{sub}'
    path.write_text(f"<featuremodels><featuremodel>{whole}</featuremodel></featuremodels>")
    return str(path)


def test_a_split_of_a_value_that_finds_nothing(tmp_path: Path) -> None:
    sample = tmp_path / "sample.conll"
    assert malt(["sample", "-n", "40", "-o", str(sample)]) == 0
    lines = [line.split("\t") for line in sample.read_text().split("\n")]
    for place, fields in enumerate(lines):
        if len(fields) > 5 and place % 3 == 0:
            fields[5] = "|"
    sample.write_text("\n".join("\t".join(fields) for fields in lines))
    twice = [f"Split(InputColumn(FEATS, {place}), \\|)" for place in ("Input[0]", "Stack[0]")]
    files = ["-F", model(tmp_path, [*twice, DIVIDED], []), str(sample)]
    for name, options in (("a", []), ("b", ["-li", "true"]), ("c", ["-d", "POSTAG", "-s", "Stack[0]", "-T", "20"])):
        assert malt(["train", "-v", "error", "-c", str(tmp_path / name), *options, *files]) == 0
        assert malt(["parse", "-v", "error", "-c", str(tmp_path / name), "-o", str(tmp_path / "out"), str(sample)]) == 0
    plain, kept = (zipfile.ZipFile(tmp_path / f"{name}.mco") for name in "ab")
    for entry in ("odm0.liblinear.moo", "odm0.liblinear.map"):
        assert plain.read(f"a/{entry}") == kept.read(f"b/{entry}")


@pytest.mark.parametrize(
    ("main", "transitions", "threshold"),
    [
        ([*MAIN[:2], DIVIDED], [], 20),  # the last of the vector
        ([*MAIN, DIVIDED], [], 0),  # no value is rare
        ([*MAIN, DIVIDED], MAIN[:1], 20),  # the vector of a sub-model ends before its place
        ([*MAIN, DIVIDED], MAIN, 20),  # ... or has something else there
        (MAIN, [], 20),  # it is not in the vector
    ],
)
def test_splits(main: list[str], transitions: list[str], threshold: int, tmp_path: Path) -> None:
    sample, out = tmp_path / "sample.conll", tmp_path / "out.conll"
    assert malt(["sample", "-n", "40", "-o", str(sample)]) == 0
    split = ["-d", "POSTAG", "-s", "Stack[0]", "-T", str(threshold), "-gds", "T.TRANS,A.DEPREL"]
    features = model(tmp_path, main, transitions)
    words = ["train", "-v", "error", "-c", str(tmp_path / "m"), "-F", features, *split, "-li", "true", str(sample)]
    assert malt(words) == 0
    archive = zipfile.ZipFile(tmp_path / "m.mco")
    first, *others = archive.read("m/sdm0.dsm").decode().splitlines()
    rest = int(first.removeprefix("-1\t"))
    assert (rest > 0) == (threshold > 0)
    assert all(int(line.split("\t")[1]) > threshold for line in others)
    if rest:  # these have the whole vector
        lines = archive.read("m/sdm0.liblinear.ins").decode().splitlines()
        assert len(lines) == rest
        assert {line.count("\t") for line in lines} == {1 + len(transitions or main)}
    assert malt(["parse", "-v", "error", "-c", str(tmp_path / "m"), "-o", str(out), str(sample)]) == 0
    assert out.read_text().count("\n") == sample.read_text().count("\n")


def test_a_split_that_finds_nothing(tmp_path: Path) -> None:
    """Where it is the last of the vector, its column is empty, as in MaltParser, which crashes elsewhere."""
    treebank, name = tmp_path / "in.conll", str(tmp_path / "m")
    treebank.write_text("1\ta\ta\tX\tX\t|\t2\tx\t_\t_\n2\tb\tb\tX\tX\tk\t0\ty\t_\t_\n\n")
    features = ["InputColumn(FORM,Input[0])", "Split(InputColumn(FEATS,Input[0]),\\|)"]
    files = ["-c", name, "-i", str(treebank), "-F", model(tmp_path, features, [])]
    assert malt(["-m", "learn", "-v", "error", "-li", "true", *files]) == 0
    with zipfile.ZipFile(f"{name}.mco") as archive:
        lines = archive.read("m/odm0.liblinear.ins").decode().splitlines()
    assert lines == ["2\t1\t\t", "3\t2\t1\t", "4\t2\t1\t"]
