"""Features as the kernel computes them: those that MaltParser computes otherwise, numbers, and what is shared."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from malt.commands import malt
from malt.commands.values import feature_values
from malt.data.formats.dataformat import find_format
from malt.data.treebank import open_treebank
from malt.errors import DataError, MaltError
from malt.parsing.instances import Extraction
from malt.parsing.machine import Machine
from malt.parsing.trainer import Trainer
from malt.settings import commandline

# She sings old songs ; arcs 2->1, 0->2, 4->3, 2->4
SENTENCE = """\
1\tShe\tshe\tPRON\tP\tcase=nom|num=sg\t2\tsubj\t_\t_
2\tsings\tsing\tVERB\tV\ttense=pres\t0\tROOT\t_\t_
3\told\told\tADJ\tA\t_\t4\tmod\t_\t_
4\tsongs\tsong\tNOUN\tN\tnum=pl\t2\tobj\t_\t_
"""


def values(
    folder: Path, algorithm: str, *features: str, options: str = "", text: str = SENTENCE
) -> list[dict[str, str]]:
    """The values of some features at every step of the sentence."""
    machine, path = made(folder, algorithm, *features, options=options, text=text)
    with open_treebank(str(path), machine.specification.format, "UTF-8", machine.tables) as treebank:
        return [dict(step) for block in treebank for step in feature_values(machine, block)]


def made(folder: Path, algorithm: str, *features: str, options: str = "", text: str = SENTENCE) -> tuple[Machine, Path]:
    model, path = folder / "features.xml", folder / "sentence.conll"
    lines = "".join(f"<feature>{feature}</feature>\n" for feature in features)
    model.write_text(f"<featuremodels><featuremodel>{lines}</featuremodel></featuremodels>")
    path.write_text(text)
    settings, _ = commandline.read(["trace", "-a", algorithm, "-F", str(model), *options.split(), str(path)])
    trainer = Trainer(settings)
    trainer.prepare(find_format(settings["input.format"]))
    return trainer.machine, path


def column(steps: list[dict[str, str]], feature: str) -> list[str]:
    return [step[feature] for step in steps]


def test_prefix_and_suffix_are_those_of_the_word(tmp_path: Path) -> None:
    """MaltParser's collect the values of all words before; ours are one value, so they can be merged."""
    prefix, suffix = "Prefix(InputColumn(FORM,Input[0]),2)", "Suffix(InputColumn(FORM,Input[0]),3)"
    both = f"Merge({prefix},{suffix})"
    steps = values(tmp_path, "nivreeager", prefix, suffix, both)
    # SH LA RA SH LA RA
    assert column(steps, prefix) == ["Sh", "si", "si", "ol", "so", "so"]
    assert column(steps, suffix) == ["She", "ngs", "ngs", "old", "ngs", "ngs"]
    assert column(steps, both)[1] == "si~ngs"


def affix(form: str, units: slice) -> str:
    """A part of a form by units of UTF-16, of which no half of a character is left; all of it if nothing is."""
    return form.encode("utf-16-le")[units].decode("utf-16-le", "ignore") or form


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_lengths_are_counted_in_utf16_units(tmp_path: Path, length: int) -> None:
    forms = ["".join(letters) for size in (1, 2, 3, 4) for letters in product("aé中😀", repeat=size)]
    prefix, suffix = f"Prefix(InputColumn(FORM,Input[0]),{length})", f"Suffix(InputColumn(FORM,Input[0]),{length})"
    both = f"Merge({prefix},{suffix})"
    text = "".join(f"{i}\t{form}\t_\tX\tX\t_\t{i - 1}\tROOT\t_\t_\n" for i, form in enumerate(forms, 1))
    steps = values(tmp_path, "nivreeager", prefix, suffix, both, text=text)
    wanted = [(affix(form, slice(2 * length)), affix(form, slice(-2 * length, None))) for form in forms]
    assert column(steps, prefix) == [first for first, _ in wanted]
    assert column(steps, suffix) == [last for _, last in wanted]
    assert column(steps, both) == [f"{first}~{last}" for first, last in wanted]


def test_arcs(tmp_path: Path) -> None:
    arc, given = "OutputArc(HEAD,Stack[0],Input[0])", "InputArc(ID,Stack[0],Input[0])"
    steps = values(tmp_path, "planar", arc, given)
    # An arc between top and front is seen before SH or RE takes them apart.
    assert {"LEFT", "RIGHT", "#null#"} == set(column(steps, arc))
    # With ids taken for heads, every word is its own head.
    assert set(column(steps, given)) == {"#null#"}


def test_arc_direction_says_where_the_head_is(tmp_path: Path) -> None:
    steps = values(tmp_path, "covnonproj", "ArcDir(HEAD,Left[0])", "InputColumn(FORM,Left[0])")
    seen = {(step["InputColumn(FORM,Left[0])"], step["ArcDir(HEAD,Left[0])"]) for step in steps}
    assert ("sings", "ROOT") in seen
    assert ("She", "RIGHT") in seen


def test_output_tables_of_several_marks_are_told_apart(tmp_path: Path) -> None:
    """In MaltParser the first of several OutputTable features with the same address stands for all."""
    lifted, path = "OutputTable(PPLIFTED,Stack[0])", "OutputTable(PPPATH,Stack[0])"
    text = "\n".join(
        f"{i}\tw{i}\t_\tX\tX\t_\t{head}\t{label}\t_\t_"
        for i, (head, label) in enumerate([(3, "a"), (0, "ROOT"), (2, "b"), (1, "c")], 1)
    )
    steps = values(tmp_path, "planar", lifted, path, options="-pp head+path", text=text + "\n")
    assert any(step[lifted] not in ("#null#", "#false#") for step in steps)
    assert any(step[path] == "#true#" for step in steps)
    assert [step[lifted] for step in steps] != [step[path] for step in steps]
    # Only then is it something else than in MaltParser.
    both, one, other = (
        made(tmp_path, "planar", *features, options="-pp head+path")[0].specification.mended_note
        for features in ((lifted, path), (lifted,), (lifted, "OutputTable(PPPATH,Stack[1])"))
    )
    assert both.startswith("OutputTable: ")
    assert one == other == ""


def test_numbers(tmp_path: Path) -> None:
    """INTEGER columns are numbers: code 1 with a value; 0 is absent."""
    number, product = "InputColumn(ID,Input[0])", "Merge(InputColumn(ID,Stack[0]),InputColumn(ID,Input[0]))"
    symbol = "InputTable(ID,Input[0])"
    steps = values(tmp_path, "nivreeager", number, product, symbol)
    assert column(steps, symbol) == ["1", "2", "2", "3", "4", "4"]  # of a table there are symbols only
    assert column(steps, number) == ["1", "2.0", "2.0", "3.0", "4.0", "4.0"]
    assert column(steps, product) == ["-", "2.0", "-", "6.0", "12.0", "8.0"]


def typed(folder: Path, kind: str) -> str:
    """The option for a format of four columns, with VALUE of a type after the form."""
    path = folder / "mine.xml"
    path.write_text(
        f"""<dataformat name="mine"><column name="FORM" category="INPUT" type="STRING"/>
        <column name="VALUE" category="INPUT" type="{kind}"/><column name="HEAD" category="HEAD" type="INTEGER"/>
        <column name="DEPREL" category="DEPENDENCY_EDGE_LABEL" type="STRING"/></dataformat>"""
    )
    return f"-if {path}"


def test_a_column_that_is_no_number(tmp_path: Path) -> None:
    feature, options = "InputColumn(VALUE,Input[0])", typed(tmp_path, "REAL")
    steps = values(tmp_path, "nivreeager", feature, options=options, text="a\t0.25\t0\tROOT\n")
    assert column(steps, feature) == ["0.25"]
    with pytest.raises(MaltError, match="column VALUE has the value 'rare' where a feature needs a number"):
        values(tmp_path, "nivreeager", feature, options=options, text="a\trare\t0\tROOT\n")


def test_a_number_without_end(tmp_path: Path) -> None:
    feature, options = "InputColumn(VALUE,Input[0])", typed(tmp_path, "INTEGER")
    said = r"\.\w+, line 1: column VALUE has the value '9{60}\.\.\.' where a feature needs a whole number$"
    with pytest.raises(MaltError, match=said):
        values(tmp_path, "nivreeager", feature, options=options, text=f"a\t{'9' * 400}\t0\tROOT\n")
    product = "Merge(InputColumn(VALUE,Stack[0]),InputColumn(VALUE,Input[0]))"
    text = f"a\t{'9' * 200}\t2\tx\nb\t{'9' * 200}\t0\tROOT\n"
    assert "Infinity" in column(values(tmp_path, "nivreeager", product, options=options, text=text), product)


@pytest.mark.parametrize(("kind", "value"), [("REAL", "NaN"), ("REAL", "1e400"), ("REAL", "1_0.5"), ("INTEGER", "3_0")])
def test_numbers_of_python_alone_are_none(tmp_path: Path, kind: str, value: str) -> None:
    with pytest.raises(MaltError, match=f"line 1: column VALUE has the value '{value}' where a feature needs a"):
        values(
            tmp_path,
            "nivreeager",
            "InputColumn(VALUE,Input[0])",
            options=typed(tmp_path, kind),
            text=f"a\t{value}\t0\tROOT\n",
        )


def test_the_values_of_a_boolean_column(tmp_path: Path) -> None:
    feature, options = "InputColumn(VALUE,Input[0])", typed(tmp_path, "BOOLEAN")
    written = ["true", "1", "1.0", "#true#", "false", "0", "0.0", "#false#"]
    truths = ["true"] * 4 + ["false"] * 4
    for way in (1, -1):  # whichever is the first symbol of the column
        text = "".join(f"a\t{value}\t0\tROOT\n\n" for value in written[::way])
        assert column(values(tmp_path, "nivreeager", feature, options=options, text=text), feature) == truths[::way]
    with pytest.raises(MaltError, match="column VALUE has the value 'yes' where a feature needs true or false"):
        values(tmp_path, "nivreeager", feature, options=options, text="a\tyes\t0\tROOT\n")


def test_the_stacks_of_three_planes(tmp_path: Path) -> None:
    features = [f"InputColumn(FORM,{stack}[0])" for stack in ("ActiveStack", "InactiveStack", "InactiveStack2")]
    steps = values(tmp_path, "3planar", *features)
    assert any(len({step[feature] for feature in features}) > 1 for step in steps)


def test_every_address_is_computed_once(tmp_path: Path) -> None:
    machine, _ = made(
        tmp_path,
        "nivreeager",
        "InputColumn(FORM,head(Stack[0]))",
        "InputColumn(POSTAG,head(Stack[0]))",
        "Merge(InputColumn(FORM,head(Stack[0])),OutputColumn(DEPREL,Stack[0]))",
    )
    assert [str(address) for address in machine.program.addresses] == ["Stack[0]", "head(Stack[0])"]
    assert len(machine.program.slots) == 4


def test_a_word_without_a_column_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "short.tab"
    path.write_text("a\tN\t0\tROOT\n\nb\t_\t0\tROOT\n")
    assert malt(["instances", "-a", "nivreeager", "-if", "conllx", str(path)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_table_may_not_lack_what_a_column_may_not(tmp_path: Path) -> None:
    format = tmp_path / "mine.xml"
    format.write_text(
        """<dataformat name="mine"><column name="FORM" category="INPUT" type="STRING"/>
        <column name="HEAD" category="HEAD" type="INTEGER"/>
        <column name="DEPREL" category="DEPENDENCY_EDGE_LABEL" type="STRING"/>
        <column name="AGE" category="INPUT" type="INTEGER"/></dataformat>"""
    )
    for function in ("InputColumn", "InputTable"):
        with pytest.raises(DataError, match="line 1: the word has no AGE, which a feature looks at"):
            values(tmp_path, "planar", f"{function}(AGE,Input[0])", options=f"-if {format}", text="a\t0\tROOT\n")


def test_instances_of_several_classifiers_go_to_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "one.conll", tmp_path / "out"
    path.write_text(SENTENCE)
    arguments = ["instances", "-gds", "T.TRANS#A.DEPREL", str(path)]
    assert malt(arguments) == 1
    assert "name a folder for their files with -o" in capsys.readouterr().err
    assert malt([*arguments, "-o", str(out)]) == 0
    assert sorted(p.name for p in out.iterdir()) == [
        "bdm0.liblinear.ins",
        "bdm1LA.liblinear.ins",
        "bdm1RA.liblinear.ins",
    ]


def test_heads_are_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "blind.conll"
    path.write_text(SENTENCE.replace("\t2\tsubj", "\t_\t_"))
    assert malt(["instances", str(path), "-v", "error"]) == 1
    assert capsys.readouterr().err == f"malt: {path}, line 1: the word has no head: a parser learns from whole trees\n"


def test_labels_with_the_separator_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tilde.conll"
    path.write_text(SENTENCE.replace("subj", "su~bj"))
    assert malt(["instances", str(path), "-v", "error"]) == 1
    assert "'su~bj' has the character '~', which separates the parts of a class; choose another with -gcs" in (
        capsys.readouterr().err
    )
    assert malt(["instances", str(path), "-gcs", "+", "-o", str(tmp_path / "x")]) == 0


def test_trace_shows_features(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.conll"
    path.write_text(SENTENCE)
    assert malt(["trace", "--features", "-a", "2planar", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "InputColumn(FORM,Input[0])" in shown
    assert "A4 = A3 ∪ {(2, 4)}  obj" in shown


def test_extraction_without_text_counts_the_same(tmp_path: Path) -> None:
    machine, path = made(tmp_path, "nivreeager", "InputColumn(FORM,Input[0])")
    extraction = Extraction(machine)
    with open_treebank(str(path), machine.specification.format, "UTF-8", machine.tables) as treebank:
        for block in treebank:
            extraction.add(block)
    assert extraction.sinks["odm0"].count == 6
    assert len(extraction.sinks["odm0"].map) == 4


@pytest.mark.parametrize(
    ("strategy", "root"), [("one", "#null#"), ("rootnode", "#rootnode#"), ("novalue", "#rootnode#")]
)
def test_a_merged_null_value_is_that_of_its_first_part(strategy: str, root: str, tmp_path: Path) -> None:
    inner = "Merge(InputColumn(FORM,Stack[0]),InputColumn(FORM,Stack[1]))"
    outer = f"Merge({inner},InputColumn(FORM,Input[0]))"
    steps = values(tmp_path, "nivreeager", outer, options=f"-nv {strategy}")
    assert column(steps, outer)[:3] == [f"{root}~She", f"She~{root}~sings", f"{root}~sings"]


def test_labels_that_nobody_decides_are_no_features(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.conll"
    path.write_text(SENTENCE)
    assert malt(["instances", str(path), "-gds", "T.TRANS", "-v", "error"]) == 2
    assert "which the parser does not decide: add A.DEPREL to -gds" in capsys.readouterr().err
