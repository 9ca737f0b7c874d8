"""The types of features, the symbol tables that they need, and what an algorithm or a format does not allow."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from malt.data.formats.dataformat import Column, find_format, parse_format
from malt.errors import DataError
from malt.features import (
    Columns,
    FeatureModel,
    FeatureText,
    TableHeader,
    feature_model,
    make_model,
    marks,
    parse_feature,
)
from malt.features.check import find_problems
from malt.features.files import parse_features
from malt.features.program import splitter
from malt.features.syntax import FeatureError
from malt.features.values import pattern

CONLLX = Columns(find_format("conllx"))

USER = parse_format(
    b"""<dataformat name="mine"><column name="FORM" category="INPUT" type="STRING"/>
    <column name="AGE" category="INPUT" type="INTEGER"/><column name="SIZE" category="INPUT" type="REAL"/>
    <column name="OLD" category="INPUT" type="BOOLEAN"/><column name="HEAD" category="HEAD" type="INTEGER"/>
    <column name="DEPREL" category="OUTPUT" type="STRING"/><column name="PHEAD" category="IGNORE" type="INTEGER"/>
    </dataformat>""",
    "mine.xml",
)
MINE = Columns(USER, marks("head"), (Column("KIDS", 1, 1),))
TABLES = {
    "InputColumn(FORM,Stack[0])": ("FORM", 1, 1, "", False),
    "InputColumn(AGE,Stack[0])": ("AGE", 1, 2, "", False),
    "InputColumn(SIZE,Stack[0])": ("SIZE", 1, 4, "", False),
    "OutputColumn(DEPREL,Stack[0])": ("DEPREL", 3, 1, "", False),
    "InputTable(AGE,Stack[0])": ("AGE", 1, 1, "", False),
    "InputTable(KIDS,Stack[0])": ("KIDS", 1, 1, "", False),
    "OutputTable(PPLIFTED,Stack[0])": ("PPLIFTED", 3, 1, "", False),
    "OutputArc(HEAD,Stack[0],Input[0])": ("ARC_HEAD", 1, 1, "one", False),
    "InputArc(AGE,Stack[0],Input[0])": ("ARC_AGE", 1, 1, "one", False),
    "InputArcDir(AGE,Stack[0])": ("ARCDIR_AGE", 1, 1, "one", False),
    "ArcDir(HEAD,Stack[0])": ("ARCDIR_HEAD", 1, 1, "one", False),
    "Distance(Stack[0],Input[0],0|2)": ("DISTANCE_0|2", 1, 1, "one", False),
    "Crossings(Stack[0],Input[0],0|2)": ("CROSSINGS_0|2", 1, 1, "one", False),
    "NumOf(Stack[0],deps,0|2)": ("NUMOF0|2", 1, 1, "one", False),
    r"Split(InputColumn(FORM,Stack[0]),\|)": ("SPLIT_FORM", 1, 1, "", True),
    r"Split(OutputColumn(DEPREL,Stack[0]),\|)": ("SPLIT_DEPREL", 3, 1, "", True),
    r"Split(InputTable(KIDS,Stack[0]),\|)": ("SPLIT_KIDS", 1, 1, "", True),
    r"Split(Split(InputColumn(FORM,Stack[0]),\|),-)": ("SPLIT_SPLIT_FORM", 1, 1, "", True),
    "Prefix(InputColumn(FORM,Stack[0]),2)": ("PREFIX_2_FORM", 1, 1, "", False),
    "Suffix(InputColumn(FORM,Stack[0]),12)": ("SUFFIX_12_FORM", 1, 1, "", False),
    "Merge(InputColumn(FORM,Stack[0]),OutputColumn(DEPREL,Stack[0]))": ("MERGE2_FORM_DEPREL", 1, 1, "One", False),
    "Merge(Exists(Stack[0]),InputColumn(OLD,Stack[0]))": ("MERGE2_EXISTS_OLD", 1, 3, "One", False),
    "LabelSet(DEPREL,Stack[0],ldeps)": ("LABELSET_DEPREL", 1, 1, "", False),
    "Between(FORM,Stack[0],Input[0])": ("FORM", 1, 1, "", True),
    "Join(InputColumn(FORM,Stack[0]),LabelSet(DEPREL,Stack[0],deps))": (
        "JOIN_FORM_LABELSET_DEPREL",
        1,
        1,
        "One",
        False,
    ),
    "Join(InputColumn(FORM,Stack[0]),Between(FORM,Stack[0],Input[0]),InputColumn(FORM,Input[0]))": (
        "JOIN_FORM_FORM_FORM",
        1,
        1,
        "One",
        True,
    ),
    "Merge3(Merge(InputColumn(AGE,Stack[0]),InputColumn(AGE,Input[0])),InputColumn(AGE,Stack[0]),"
    "InputColumn(AGE,Stack[1]))": ("MERGE3_MERGE2_AGE_AGE_AGE_AGE", 1, 2, "One", False),
}


@pytest.mark.parametrize("text", TABLES)
def test_types_and_tables(text: str) -> None:
    value = MINE.value(parse_feature(text))
    assert value.table is not None
    table = value.table
    assert (table.name, table.category, value.type, table.strategy, value.multiple) == TABLES[text]
    assert value.known


def test_fixed_symbols() -> None:
    model = feature_model(
        "Distance(Stack[0],Input[0],0|2)", "OutputArc(HEAD,Stack[0],Input[0])", "ArcDir(HEAD,Stack[0])"
    )
    assert {table.name: table.symbols for table in MINE.tables(model)} == {
        "ARCDIR_HEAD": ("LEFT", "RIGHT", "ROOT"),
        "DISTANCE_0|2": (">=0", ">=2"),
        "ARC_HEAD": ("LEFT", "RIGHT"),
    }
    assert MINE.value(parse_feature("Exists(Stack[0])")).table is None


ILL_TYPED = {
    "InputColumn(FROM,Stack[0])": "mine has no column FROM; did you mean FORM?",
    "InputColumn(X,Stack[0])": (
        "mine has no column X; it has FORM, AGE, SIZE, OLD, HEAD, DEPREL, PHEAD, PPLIFTED, KIDS"
    ),
    "InputColumn(DEPREL,Stack[0])": (
        "DEPREL is filled by the parser (DEPENDENCY_EDGE_LABEL); write OutputColumn(DEPREL,...)"
    ),
    "OutputColumn(FORM,Stack[0])": "FORM is given in the input (INPUT); write InputColumn(FORM,...)",
    "InputColumn(PHEAD,Stack[0])": (
        "PHEAD is of category IGNORE, which is not read as a feature; InputColumn can use FORM, AGE, SIZE, OLD"
    ),
    "OutputColumn(HEAD,Stack[0])": (
        "HEAD is of category HEAD, which is not read as a feature; OutputColumn can use DEPREL"
    ),
    "OutputColumn(PPLIFTED,Stack[0])": (
        "PPLIFTED is made by pseudo-projective parsing; write OutputTable(PPLIFTED,...)"
    ),
    "OutputTable(PPPATH,Stack[0])": "mine has no column PPPATH; it exists only with -pp or -pcr",
    "OutputTable(FORM,Stack[0])": "FORM is not filled by the parser; tables of OutputTable are DEPREL, PPLIFTED",
    "InputColumn(KIDS,Stack[0])": "not every word has the propagated column KIDS; write InputTable(KIDS,...)",
    "OutputArc(FORM,Stack[0],Input[0])": (
        "OutputArc needs a column of type INTEGER, and FORM is STRING; there are AGE, HEAD, PHEAD"
    ),
    "InputArcDir(PHEAD,Stack[0])": (
        "PHEAD is of category IGNORE, which is not read; declare it as INPUT in a data format"
    ),
    "Merge(InputColumn(FORM,Stack[0]),Exists(Stack[0]))": (
        "Merge needs values of the same type: InputColumn(FORM,Stack[0]) is STRING, Exists(Stack[0]) is BOOLEAN"
    ),
    r"Merge(Split(InputColumn(FORM,Stack[0]),\|),InputColumn(FORM,Stack[0]))": (
        r"Merge needs single values, and Split(InputColumn(FORM,Stack[0]),\|) gives several; Join takes such a value"
    ),
    r"Join(Split(InputColumn(FORM,Stack[0]),\|),Between(FORM,Stack[0],Input[0]))": (
        r"Join takes one value that is a set, and here both Split(InputColumn(FORM,Stack[0]),\|) "
        "and Between(FORM,Stack[0],Input[0]) are"
    ),
    "Join(Exists(Stack[0]),Exists(Input[0]))": "Join needs values of type STRING, and Exists(Stack[0]) is BOOLEAN",
    "LabelSet(FORM,Stack[0],ldeps)": (
        "LabelSet needs a column of labels with texts, and FORM is none; there are DEPREL"
    ),
    "LabelSet(DEPRL,Stack[0],ldeps)": "mine has no column DEPRL; did you mean DEPREL?",
    "Between(DEPREL,Stack[0],Input[0])": (
        "Between needs a column of the input with texts, and DEPREL is none; there are FORM"
    ),
    "Between(AGE,Stack[0],Input[0])": (
        "Between needs a column of the input with texts, and AGE is none; there are FORM"
    ),
    "Split(Between(FORM,Stack[0],Input[0]),x)": (
        "Split needs the value of a column, and Between(FORM,Stack[0],Input[0]) is none"
    ),
    "Split(Distance(Stack[0],Input[0],0),x)": (
        "Split needs the value of a column, and Distance(Stack[0],Input[0],0) is none"
    ),
    "Split(InputColumn(AGE,Stack[0]),x)": "Split needs a column of type STRING, and AGE is INTEGER",
    "Split(InputColumn(FORM,Stack[0]),*)": "the separator * is no regular expression: nothing to repeat at position 0",
    "Split(InputColumn(FORM,Stack[0]),.*.*.*.*.*.*#)": (
        "the separator '.*.*.*.*.*.*#' repeats too much to be found in good time; "
        "expected at most 2 repetitions, none of them of a group with another or with a choice"
    ),
    "Merge(InputTable(NONE,Stack[0]),InputColumn(FORM,Stack[0]))": (
        "Merge needs a value with a symbol table, and there is none for InputTable(NONE,Stack[0])"
    ),
}


@pytest.mark.parametrize("text", ILL_TYPED)
def test_what_cannot_be_computed(text: str) -> None:
    with pytest.raises(FeatureError) as error:
        MINE.value(parse_feature(text))
    assert str(error.value) == ILL_TYPED[text]


@pytest.mark.parametrize(
    "separator", [r"\|", "[*+?{|]+", r"\s*\|\s*", r"\*\+\?\|\{", "(?:, )+", "a|b|c+", "[^]*+]?-{2}"]
)
def test_separators_that_are_found_in_good_time(separator: str) -> None:
    assert pattern(separator).pattern == separator


# What Java's Pattern.split makes of values, without empty parts.
SPLIT = [
    (r"\W+", "løst.ét", ["l", "st", "t"]),
    (r"\w", "ÅÄÖ-åäö", ["ÅÄÖ-åäö"]),
    (r"\d", "٣4", ["٣"]),
    (r"\s", "a\x85b\u3000c d", ["a\x85b\u3000c", "d"]),
    (r"\b", "løst.ét", ["løst", ".", "ét"]),
    (r"\h", "a\xa0b", ["a", "b"]),
    (r"\v", "a\x0bb\u2028c", ["a", "b", "c"]),
    (r".e", "a\u2028ete", ["a\u2028e"]),
    (r"\p{Punct}", "e=1|f-2", ["e", "1", "f", "2"]),
    (r"\P{Alpha}+", "å1b", ["b"]),
    (r"\Q.+\Ea", "x.+ab", ["x", "b"]),
    (r"\Q|", "a|b", ["a", "b"]),
]


@pytest.mark.parametrize(("separator", "value", "parts"), SPLIT)
def test_separators_are_read_as_java_reads_them(separator: str, value: str, parts: list[str]) -> None:
    assert splitter(separator)(value) == parts


@pytest.mark.parametrize("separator", ["(a+)+b", "(a|a)*b", "(.*)*?#", "((a?)){9}", r".*\.*[*].*#", "a?a?a?aaa"])
def test_separators_that_could_try_without_end(separator: str) -> None:
    with pytest.raises(FeatureError, match="repeats too much"):
        pattern(separator)


def test_oddities_are_warnings() -> None:
    texts = ["InputTable(NONE,Stack[0])", "Split(InputColumn(FORM,Stack[0]),|)", "InputArc(HEAD,Stack[0],Input[0])"]
    found = find_problems({"MAIN": list(map(FeatureText, texts))}, "planar", MINE)
    assert [problem.warning for problem in found] == [True] * 3
    assert [problem.message for problem in found] == [
        "NONE is no column of the input, unless propagation (-fp) makes one: InputTable(NONE,Stack[0]) is always null",
        r"the separator | cuts between all characters; was \| meant?",
        "HEAD holds the heads that are to be found: InputArc sees the answers",
    ]


def test_the_input_of_stackproj_is_empty() -> None:
    found = find_problems({"MAIN": [FeatureText("Exists(Input[0])")]}, "stackproj", CONLLX)
    assert [(problem.message, problem.warning) for problem in found] == [
        ("stackproj swaps nothing back, so Input is always empty; was Lookahead meant?", True)
    ]


def test_all_problems_are_listed() -> None:
    texts = ["Exists(Left[0])", "Exist(Stack[0])", "Distance(Stack[0],Right[0],0)", "InputColumn(FROM,Stack[0])"]
    submodels = {"MAIN": [FeatureText(text, "x.xml", line) for line, text in enumerate(texts, 3)]}
    assert [str(problem.error) for problem in find_problems(submodels, "planar", CONLLX)] == [
        "x.xml, line 3: Exists(Left[0]): planar has no Left; it has Stack, Input",
        "x.xml, line 4: Exist(Stack[0]): there is no function Exist; did you mean Exists?",
        "x.xml, line 5: Distance(Stack[0],Right[0],0): planar has no Right; it has Stack, Input",
        "x.xml, line 6: InputColumn(FROM,Stack[0]): conllx has no column FROM; did you mean FORM?",
    ]
    assert [problem.message for problem in find_problems(submodels)] == [
        "there is no function Exist; did you mean Exists?",
        "there is no algorithm that has Right, Stack",
        "there is no algorithm that has Stack as well as Left (used above)",
    ]
    with pytest.raises(DataError, match=r"it has Stack, Input \(and 3 more; `malt features` lists all\)$"):
        make_model(submodels, "planar", CONLLX)


def recorded(case: Path) -> tuple[dict[str, str], dict[str, bytes]]:
    """The saved options and the files of a model that MaltParser has made."""
    with ZipFile(case / "model.mco") as archive:
        files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    lines = [line.split("\t") for line in files["savedoptions.sop"].decode().splitlines()]
    return {fields[2]: fields[3] if fields[3:] else "" for fields in lines}, files


def test_vectors_and_tables_are_maltparsers(shared: Path) -> None:
    """The feature list of every recorded model, and the headers of its symbol tables."""
    cases = sorted((shared / "golden" / "cases").iterdir())
    assert cases
    for case in cases:
        options, files = recorded(case)
        format = parse_format(files[options["format"]], options["format"])
        pp = (options["marking_strategy"], options["covered_root"])
        propagated = (Column("DEPPOS", 1, 1),) if options["propagation"] else ()
        columns = Columns(format, marks(*pp), propagated)
        submodels = parse_features(files[options["features"]], options["features"], columns, *pp)
        model = FeatureModel(submodels, (options["data_split_column"], options["data_split_structure"]))
        info = next(data for name, data in files.items() if name.endswith(".info")).decode()
        assert model.listing == info.partition("FEATURE MODEL\n")[2].partition("\n\n")[0] + "\n", case
        headers = files["symboltables.sym"].decode(options["charset"], "replace").partition("\n\n")[0].splitlines()
        found = {tuple(line.split("\t")[1:]) for line in headers if not line.startswith("\tT.TRANS+")}
        own = [TableHeader(column.name, column.category, column.type, "") for column in columns.columns.values()]
        tables = [*own, *columns.tables(model)]
        expected = {(t.name, str(t.category), str(t.type), t.strategy or options["null_value"]) for t in tables}
        assert found == expected, case
