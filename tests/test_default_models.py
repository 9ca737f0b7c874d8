"""The default feature models: MaltParser's for its algorithms, ours for ours, and the way that -F finds them."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from zipfile import ZipFile

import pytest

from malt.commands import malt
from malt.data.formats.dataformat import DataFormat, find_format, parse_format
from malt.data.source import open_source
from malt.errors import MaltError
from malt.features import Columns, FeatureSource, default_features, find_features, make_model
from malt.features.check import find_problems
from malt.features.defaults import LEARNERS, known_models
from malt.features.nodes import CONJUNCTIONS, conjuncts
from malt.features.standins import idle_columns
from malt.features.templates import FILES, template_features, template_models
from malt.features.xml import read_xml
from malt.systems import ALGORITHMS, GRAPHS, STRUCTURED_ONLY, find_system

# How many features MaltParser's models have, with liblinear and with libsvm.
COUNTS = {
    "nivreeager": (22, 14),
    "nivrestandard": (21, 14),
    "covproj": (22, 14),
    "covnonproj": (26, 17),
    "stackproj": (20, 13),
    "stackeager": (21, 14),
    "stacklazy": (21, 14),
    "planar": (24, 16),
    "2planar": (27, 18),
}
FORMATS = ("conllx", "conllu", "malttab")


def main(source: FeatureSource) -> list[str]:
    return [feature.text for feature in source.submodels["MAIN"]]


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "5planar"])
def test_every_algorithm_has_a_model_for_every_learner_and_format(algorithm: str) -> None:
    for name in (*FORMATS, "conll2009"):
        format = find_format(name)
        full, plain = (default_features(algorithm, learner, format) for learner in LEARNERS)
        for source in (full, plain):
            model = make_model(source.submodels, algorithm, Columns(format))
            assert main(source) == [str(feature) for feature in model.main]  # the files have the order of the vector
            assert [feature.text for feature in read_xml(source.data, "x")["MAIN"]] == main(source)
        assert main(plain) == [text for text in main(full) if not text.startswith("Merge")]
        if algorithm in COUNTS:
            assert (len(main(full)), len(main(plain))) == COUNTS[algorithm]


@pytest.mark.slow
def test_the_models_are_maltparsers(shared: Path) -> None:
    """Against the feature lists that MaltParser has written into its models."""
    seen = set()
    for case in sorted((shared / "golden" / "cases").iterdir()):
        if " -F " in (case / "case.txt").read_text():
            continue
        with ZipFile(case / "model.mco") as archive:
            files = {name.partition("/")[2]: archive.read(name).decode("latin-1") for name in archive.namelist()}
        options = dict(line.split("\t")[2:4] for line in files["savedoptions.sop"].splitlines() if line[-1] != "\t")
        learner = re.sub(r".*\.", "", options["learner"]).lower()
        algorithm = next(name for name in ALGORITHMS if f"{find_system(name).model}.xml" == options["features"])
        source = default_features(algorithm, learner, find_format(options["format"].removesuffix(".xml")))
        info = next(text for name, text in files.items() if name.endswith(".info"))
        assert source.file_name == options["features"]
        assert source.model().listing == info.partition("FEATURE MODEL\n")[2].partition("\n\n")[0] + "\n", case
        seen.add((algorithm, learner, options["format"]))
    assert len(seen) >= 14


def test_no_file_is_left_over() -> None:
    for learner in LEARNERS:
        folder = resources.files("malt.feature_models") / learner
        assert {file.name for file in folder.iterdir()} == {f"{name}.xml" for name in known_models()}


@pytest.mark.parametrize("learner", ["liblinear", "perceptron"])
def test_more_planes_have_more_stacks(learner: str) -> None:
    two, four = (main(default_features(name, learner, find_format("conllx"))) for name in ("2planar", "4planar"))
    assert set(two) < set(four)
    extra = [text for text in two if "InactiveStack" in text]
    assert sorted(set(four) - set(two)) == sorted(
        text.replace("InactiveStack", f"InactiveStack{plane}") for text in extra for plane in (2, 3)
    )


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "5planar"])
def test_templates_for_every_algorithm_and_format(algorithm: str) -> None:
    sizes = {}
    for name in (*FORMATS, "conll2009"):
        format = find_format(name)
        source = default_features(algorithm, "perceptron", format)
        model = make_model(source.submodels, algorithm, Columns(format))
        assert find_problems(source.submodels, algorithm, Columns(format)) == []
        assert main(source) == [str(feature) for feature in model.main]
        assert [feature.text for feature in read_xml(source.data, "x")["MAIN"]] == main(source)
        assert source.note == "" or name == "conll2009"
        sizes[name] = len(main(source))
    assert sizes["malttab"] < sizes["conllx"] == sizes["conllu"]
    assert sizes["conllx"] >= 110
    universal = main(default_features(algorithm, "perceptron", find_format("conllu")))
    own = main(default_features(algorithm, "perceptron", find_format("conllx")))
    names = {"POSTAG": "UPOSTAG", "CPOSTAG": "XPOSTAG"}
    assert {re.sub(r"C?POSTAG", lambda match: names[match[0]], text) for text in own} == set(universal)


def test_every_template_is_of_use() -> None:
    """A place that is misspelt would take a template out of all systems."""
    used = {(feature.file, feature.line) for model in template_models() for feature in template_features(model)}
    for file in FILES:
        data = (resources.files("malt.feature_models") / "perceptron" / file).read_text()
        start = data[: data.index("\nwords:")].count("\n") + 1
        lines = enumerate(data.splitlines(), 1)
        there = {number for number, line in lines if number > start and line.startswith("  - ")}
        assert {line for name, line in used if name == file} == there
    systems = [find_system(name) for name in (*ALGORITHMS, *GRAPHS, *STRUCTURED_ONLY)]
    systems += [find_system(name, {"-hd": "many"}) for name in ("planar", "2planar", "3planar")]
    assert set(template_models()) == {system.model for system in systems}


def test_a_system_without_templates_asks_for_features() -> None:
    with pytest.raises(MaltError, match=r"^there are no templates for StackAttardi; give a feature model with -F$"):
        template_features("StackAttardi")


def test_templates_have_one_set_at_most() -> None:
    """A learner that makes conjunctions by itself goes through one set of values, not through pairs of them."""
    columns = Columns(find_format("conllx"))
    for feature in default_features("2planar", "perceptron", columns.format).model().main:
        parts = conjuncts(feature)
        assert sum(columns.value(part).multiple for part in parts) <= 1
        assert len(set(parts)) == len(parts)
        assert not any(part.function in CONJUNCTIONS for part in parts)


def test_columns_that_say_nothing_are_left_out() -> None:
    lines = ["1\tA\ta\tx\tX\t_\t0\tr\t_\t_", "2\tb\tb\tY\tY\t_\t1\tr\t_\t_"]
    idle = {
        "": {"FEATS"},  # CPOSTAG and LEMMA differ once from POSTAG and FORM
        "x": {"FEATS", "CPOSTAG"},
        "a": {"FEATS", "LEMMA"},
    }
    source = default_features("nivreeager", "perceptron", find_format("conllx"))
    for small, expected in idle.items():
        text = "\n".join(lines).replace(f"\t{small}\t", f"\t{small.upper()}\t") if small else "\n".join(lines)
        with open_source(text + "\n\n") as treebank:
            found = idle_columns(treebank, treebank.format)
        assert found == expected
        left = source.without(found)
        kept = [text for text in main(left) if text in main(source)]
        assert kept == [text for text in main(source) if not any(f"({name}," in text for name in found)]
        assert [feature.text for feature in read_xml(left.data, "x")["MAIN"]] == main(left)
    assert source.without({"PHEAD"}) is source


def test_templates_are_shown_and_checked(capsys: pytest.CaptureFixture[str]) -> None:
    name = "/appdata/features/perceptron/{dataformat}/NivreEager.xml"
    assert malt(["features", name, "-a", "nivreeager", "--program"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{name}: 112 features, columns of conllx\nalgorithm: nivreeager\n")
    assert "LabelSet(DEPREL, a" in out
    assert err == ""  # Suffix is MaltParser's mended, but the model can only be ours
    assert malt(["features", name, "-a", "covproj"]) == 1
    assert malt(["features", "convert", name, "--to", "yaml"]) == 0
    assert "- POSTAG(Stack[0]) & Between(POSTAG, Stack[0], Input[0]) & POSTAG(Input[0])\n" in capsys.readouterr().out


def columns(**categories: str) -> DataFormat:
    lines = [f'<column name="{name}" category="{kind}" type="STRING"/>' for name, kind in categories.items()]
    lines = [line.replace("STRING", "INTEGER") if '"HEAD"' in line else line for line in lines]
    return parse_format(f"<dataformat name='mine'>{''.join(lines)}</dataformat>".encode(), "mine.xml")


def test_other_formats_get_what_their_columns_allow() -> None:
    assert default_features("nivreeager", "liblinear", find_format("conll2009")).note == (
        "conll2009 has no default features of its own: those of nivreeager for conllx are used"
    )
    words = default_features("planar", "libsvm", columns(WORD="INPUT", XPOSTAG="INPUT", ARC="HEAD", ROLE="OUTPUT"))
    assert words.note == (
        "mine has no default features of its own: those of planar for conllx are used, "
        "with XPOSTAG for POSTAG, WORD for FORM, ROLE for DEPREL, ARC for HEAD"
    )
    assert len(main(words)) == 16
    assert "OutputArc(ARC,Stack[0],Input[0])" in main(words)
    few = default_features("nivreeager", "liblinear", columns(UPOSTAG="INPUT", HEAD="HEAD"))
    assert few.note == (
        "mine has no default features of its own: those of nivreeager for conllx are used, with UPOSTAG for POSTAG, "
        "but for 11 that need FORM, DEPREL"
    )
    assert len(main(few)) == 11
    with pytest.raises(MaltError, match=r"^mine has no columns for the default features of planar; give .* with -F$"):
        default_features("planar", "liblinear", columns(AGE="IGNORE"))


def found(name: str, algorithm: str = "planar", learner: str = "libsvm", format: str = "conllu") -> FeatureSource:
    return find_features(name, algorithm, learner, Columns(find_format(format)))


def test_what_is_found_by_name(tmp_path: Path) -> None:
    assert main(found("")) == main(found("planar", "nivreeager"))
    assert found("3planar").file_name == "3PlanarEager.xml"
    assert main(found("/appdata/features/{learner}/{dataformat}/PlanarEager.xml")) == main(found("planar"))
    other = found("appdata/features/liblinear/conllx/StackIncremental.xml")
    assert len(main(other)) == 24
    assert any("(POSTAG," in text for text in main(other))
    path = tmp_path / "my model.yaml"
    path.write_text("- UPOSTAG(Stack[0..1])\n")
    for name in (str(path), path.as_uri()):
        source = found(name)
        assert source.file_name == "my model.xml"  # a trained model keeps only what MaltParser reads
        assert [feature.text for feature in read_xml(source.data, "x")["MAIN"]] == main(source)
    par = tmp_path / "f.par"
    par.write_text("POS\tSTACK\n")
    source = found(str(par), format="conllx")
    assert (source.file_name, source.data, source.note) == ("f.par", b"POS\tSTACK\n", "")
    source = found(str(par))
    assert (source.file_name, main(source)) == ("f.xml", ["InputColumn(UPOSTAG,Stack[0])"])
    assert source.note == f"{par}: POSTAG is read as UPOSTAG: conllu has no such column; write UPOSTAG there"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nivreger",
            "feature model nivreger: there is no such file, and no algorithm of that name; did you mean nivreeager?",
        ),
        (
            "/appdata/features/libsvm/conllx/X.xml",
            "feature model /appdata/features/libsvm/conllx/X.xml: there is no X; ",
        ),
        ("/appdata/features/libsvm/tab/StackSwap.xml", "expected conllx, conllu, malttab in place of tab"),
        ("/appdata/features/svm/conllx/StackSwap.xml", "there is no svm; there are liblinear, libsvm, perceptron"),
        (
            "/appdata/features/perceptron/conllx/StackIncremental.xml",
            "there is no StackIncremental; there are NivreEager",
        ),
        ("ftp://x.org/f.xml", "only http:, https: and file: addresses are read; save the file and give its path"),
        ("99planar", "otherwise 3planar up to 64planar"),
    ],
)
def test_what_is_not_found(name: str, message: str) -> None:
    with pytest.raises(MaltError, match=re.escape(message)):
        found(name)


def test_the_default_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert malt(["features", "-a", "covproj", "-l", "libsvm"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("CovingtonProjective.xml: 14 features, columns of conllx\nalgorithm: covproj\n")
    assert err == ""
    assert malt(["features"]) == 0
    assert capsys.readouterr().out.startswith("NivreEager.xml: 22 features")
    assert malt(["features", "2planar", "-if", "conll2009"]) == 0
    out, err = capsys.readouterr()
    assert "algorithm: 2planar" in out
    assert err.startswith("conll2009 has no default features of its own")


def test_without_morphology_forms_tell_more() -> None:
    """What stands under `without` comes where a column is not filled, or is none of the format, and only there."""
    source = default_features("nivreeager", "perceptron", find_format("conllx"))
    more = {feature.text for feature in source.substitutes["FEATS"]}
    filled, bare = set(main(source)), set(main(source.without({"FEATS"})))
    assert len(more) == 13
    assert not more & filled
    assert more == bare - filled
    assert filled - bare == {text for text in filled if "FEATS" in text}
    assert source.without({"LEMMA"}).without({"FEATS"}).submodels == source.without({"LEMMA", "FEATS"}).submodels
    assert more <= set(main(default_features("nivreeager", "perceptron", find_format("malttab"))))
    assert not default_features("nivreeager", "liblinear", find_format("conllx")).substitutes
