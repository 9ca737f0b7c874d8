"""One kind of feature file becomes another, and the vector stays as it is; and the command that does it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from malt.commands import malt
from malt.data.formats.dataformat import find_format
from malt.errors import DataError, MaltError
from malt.features import Columns, FeatureText, marks
from malt.features.files import parse_features, write_features
from malt.features.model import FeatureModel
from malt.features.xml import read_xml
from malt.features.yaml import read_yaml

NAMES = {"xml": "f.xml", "par": "f.par", "yaml": "f.yaml"}


def addresses() -> st.SearchStrategy[str]:
    places = st.builds("{}[{}]".format, st.sampled_from(["Stack", "Input", "Left"]), st.integers(0, 12))
    steps = st.sampled_from(["head", "ldep", "rdep", "lsib", "rsib", "pred", "succ", "anc", "rdep2"])
    return st.recursive(places, lambda inner: st.builds("{}({})".format, steps, inner), max_leaves=3)


def features() -> st.SearchStrategy[str]:
    column = st.builds("InputColumn({},{})".format, st.sampled_from(["FORM", "POSTAG", "DEPREL", "MyCol"]), addresses())
    plain = st.one_of(
        column,
        st.builds("OutputColumn({},{})".format, st.sampled_from(["DEPREL", "POSTAG"]), addresses()),
        st.builds("OutputTable(PPPATH,{})".format, addresses()),
        st.builds("Distance({},{},0|1|2)".format, addresses(), addresses()),
        st.builds(
            "Split({},{})".format, column, st.sampled_from([r"\|", "&", "#", ":", "'", '"', "a&b", "-", "é", "<"])
        ),
        st.builds("Suffix({},{})".format, column, st.integers(1, 5)),
    )
    return st.recursive(
        plain,
        lambda inner: (
            st.builds("Merge({},{})".format, inner, inner) | st.builds("Merge3({},{},{})".format, inner, inner, inner)
        ),
        max_leaves=6,
    )


NAMED = st.dictionaries(
    st.sampled_from(["MAIN", "T.TRANS", "A.DEPREL", "RA.A.DEPREL"]), st.lists(features(), min_size=1), min_size=1
)


@pytest.mark.slow
@settings(max_examples=40)
@given(NAMED, st.sampled_from([None, "conllx", "malttab"]))
def test_what_is_written_is_read(model: dict[str, list[str]], format: str | None) -> None:
    """From XML to YAML to XML: the vectors stay as they are."""
    columns = Columns(find_format(format), marks("path")) if format else None
    submodels = {name: list(map(FeatureText, features)) for name, features in model.items()}
    listing = FeatureModel(submodels).listing
    for kind in ("xml", "yaml"):
        again = parse_features(write_features(submodels, kind, columns), NAMES[kind], columns)
        assert FeatureModel(again).listing == listing
        assert list(again) == list(submodels)
    with contextlib.suppress(MaltError):
        again = parse_features(write_features(submodels, "par"), "f.par")
        assert FeatureModel(again).listing == listing


def test_par_says_what_it_can() -> None:
    lines = b"POS\tSTACK\t1\nDEP\tINPUT\t0\t-1\t2\t-1\t1\nFEATS\tSTACK\nUPOSTAG\tINPUT\nLEX\tSTACK\t0\t0\t0\t0\t0\t3\n"
    submodels = parse_features(lines, "f.par")
    assert sorted(write_features(submodels, "par").splitlines()) == sorted(lines.splitlines())
    for text in (
        "InputColumn(FEATS,Stack[0])",
        "ldep(head(Stack[0]))",
        "Exists(Stack[0])",
        "InputColumn(POSTAG,Left[0])",
    ):
        feature = text if text[0].isupper() else f"InputColumn(FORM,head({text}))"
        with pytest.raises(DataError, match=r"^x, line 3: .*: \.par has no way to say this; write XML or YAML$"):
            write_features({"MAIN": [FeatureText(feature, "x", 3)]}, "par")
    with pytest.raises(MaltError, match="no sub-models"):
        write_features({"A.DEPREL": [FeatureText("InputColumn(FORM,Stack[0])")]}, "par")


# The command


def test_a_model_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.yaml"
    path.write_text("- UPOSTAG(Stack[0], Lookahead[0])\n- Suffix(FORM(Stack[0]), 2)\n")
    assert malt(["features", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"{path}: 3 features, columns of conllu",
        "fits: stackproj, stackeager, stacklazy, arcstandard2",
        "",
        "InputColumn UPOSTAG",
        "  1  InputColumn(UPOSTAG,Lookahead[0])",
        "  2  InputColumn(UPOSTAG,Stack[0])",
        "",
        "Suffix",
        "  3  Suffix(InputColumn(FORM,Stack[0]),2)",
    ]
    assert err.startswith("Suffix: here computed as the name says, which MaltParser does not do")
    assert malt(["features", str(path), "-a", "stackproj", "-if", "conllu"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "algorithm: stackproj"


def test_all_that_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(
        "a:\n  - POSTG(Left[0])\nb:\n  - InputTable(NO, Left[0])\n  - Exists(Stack[0])\n  - Merge(POSTAG(Left[0]))\n"
    )
    assert malt(["features", str(path), "-a", "covproj", "-if", "conllx"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        f"malt: {path}, line 2: InputColumn(POSTG,Left[0]): conllx has no column POSTG; did you mean POSTAG?",
        f"warning: {path}, line 4: InputTable(NO,Left[0]): NO is no column of the input, "
        "unless propagation (-fp) makes one: InputTable(NO,Left[0]) is always null",
        f"malt: {path}, line 5: Exists(Stack[0]): covproj has no Stack; it has Left, Right, LeftContext, RightContext",
        f"malt: {path}, line 6: Merge(InputColumn(POSTAG,Left[0])): "
        "Merge takes 2 arguments, Merge(FEATURE, FEATURE), but has 1 here",
        f"malt: {path}: 3 of 4 features are wrong",
    ]


def test_conversion_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    xml, yaml, back = tmp_path / "a.xml", tmp_path / "b.yaml", tmp_path / "c.xml"
    xml.write_text(
        "<featuremodel><feature>InputColumn(POSTAG, Stack[0])</feature>\n"
        "<feature>Exists(Left[0])</feature></featuremodel>"
    )
    assert malt(["features", "convert", str(xml), str(yaml)]) == 0
    assert yaml.read_text() == "input:\n  - POSTAG(Stack[0])\nother:\n  - Exists(Left[0])\n"
    assert malt(["features", "convert", str(yaml), str(back)]) == 0
    found = read_xml(back.read_bytes(), "c.xml")["MAIN"]
    assert [feature.text for feature in found] == ["Exists(Left[0])", "InputColumn(POSTAG,Stack[0])"]
    assert malt(["features", "convert", str(back), "--to", "par"]) == 1
    assert ".par has no way to say this" in capsys.readouterr().err
    assert malt(["features", "convert", str(back), str(tmp_path / "x.txt")]) == 2
    assert malt(["features", "convert"]) == 2
    assert malt(["features", "a", "b"]) == 2
    assert malt(["features", str(tmp_path / "none.xml")]) == 1


def test_existing_files_stay_as_they_are(shared: Path) -> None:
    for path in sorted((shared / "golden" / "data").glob("features-*")):
        submodels = parse_features(path.read_bytes(), path.name)
        listing = FeatureModel(submodels).listing
        again = read_yaml(write_features(submodels, "yaml"), "f.yaml")
        assert FeatureModel(again).listing == listing
        assert FeatureModel(read_xml(write_features(again, "xml"), "f.xml")).listing == listing
