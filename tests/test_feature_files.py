"""Feature files: XML, .par and YAML, what each means, and what is refused."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malt import load, sample
from malt.commands import malt
from malt.data.formats.dataformat import parse_format
from malt.errors import MaltError
from malt.features import Columns
from malt.features.check import MOST_PROBLEMS
from malt.features.files import kind_of, parse_features, write_features
from malt.features.functions import FUNCTIONS
from malt.features.model import FeatureModel
from malt.features.par import read_par
from malt.features.xml import read_xml

KINDS = ("xml", "par", "yaml")
NAMES = {"xml": "f.xml", "par": "f.par", "yaml": "f.yaml"}


def texts(data: bytes | str, file: str = "f.yaml", columns: Columns | None = None) -> dict[str, list[str]]:
    content = data.encode() if isinstance(data, str) else data
    found = parse_features(content, file, columns)
    return {name: [feature.text for feature in features] for name, features in found.items()}


def error(data: bytes | str, file: str = "f.yaml") -> str:
    with pytest.raises(MaltError) as caught:
        FeatureModel(parse_features(data.encode() if isinstance(data, str) else data, file))
    return str(caught.value)


# XML

XML = """<?xml version="1.0" encoding="UTF-8"?>
<anything>
  <!-- <feature>Exists(Stack[9])</feature> -->
  <featuremodel name="empty"/>
  <featuremodel name="first"><more>
    <feature> InputColumn(
        POSTAG, Stack[0]) </feature>
    <feature/><feature>x</feature>
    <feature>InputColumn(FORM,<b>Stack</b>[0])<!-- no --></feature>
    <feature><![CDATA[Split(InputColumn(FEATS, Stack[0]), &)]]></feature></more>
  </featuremodel>
  <featuremodel><feature>Exists(Input[0])</feature></featuremodel>
</anything>"""


def test_xml() -> None:
    assert texts(XML, "f.xml") == {
        "MAIN": [
            "InputColumn(POSTAG,Stack[0])",
            "InputColumn(FORM,Stack[0])",
            "Split(InputColumn(FEATS,Stack[0]),&)",
        ]
    }
    assert [feature.line for feature in read_xml(XML.encode(), "f.xml")["MAIN"]] == [6, 9, 10]
    assert texts(XML.replace("UTF-8", "UTF-16").encode("utf-16"), "f.xml") == texts(XML, "f.xml")


def test_xml_with_submodels() -> None:
    data = """<f><featuremodel>
      <feature>Exists(Stack[0])</feature>
      <submodel name="a.deprel"><feature>Exists(Stack[1])</feature><feature>Exists(Stack[1])</feature></submodel>
      <submodel name="none"/><submodel name="main"><feature>Exists(Stack[3])</feature></submodel>
      <submodel><feature>Exists(Stack[2])</feature></submodel></featuremodel></f>"""
    assert texts(data, "f.xml") == {
        "A.DEPREL": ["Exists(Stack[1])", "Exists(Stack[1])"],
        "MAIN": ["Exists(Stack[3])", "Exists(Stack[2])"],
    }
    model = FeatureModel(read_xml(data.encode(), "f.xml"))
    assert model.listing == "A.DEPREL\nExists(Stack[1])\nMAIN\nExists(Stack[2])\nExists(Stack[3])\n"
    assert model.vector("T.TRANS") == model.main == model.vector("A.DEPREL", "LA")


# .par


def test_par() -> None:
    lines = ["POS\tSTACK", "", "-- a comment", "lex\tinput\t2", "DEP\tSTACK\t0\t-1\t2\t1\t-1", "FEATS\tINPUT\t0"]
    lines += ["FEATS\tINPUT\t0\t0\t0\t0\t0\t3", "UPOSTAG\tSTACK\t1\t1\t0\t-2\t1\t0\tmore", "\t"]
    assert texts("\r\n".join(lines), "f.par") == {
        "MAIN": [
            "InputColumn(POSTAG,Stack[0])",
            "InputColumn(FORM,Input[2])",
            "OutputColumn(DEPREL,lsib(rdep(head(head(pred(Stack[0]))))))",
            r"Split(InputColumn(FEATS,Input[0]),\|)",
            "Suffix(InputColumn(FEATS,Input[0]),3)",
            "InputColumn(UPOSTAG,rsib(ldep(ldep(succ(Stack[1])))))",
        ]
    }


@pytest.mark.parametrize(
    ("marking", "covered", "text"),
    [
        ("baseline", "none", "OutputColumn(DEPREL,Stack[0])"),
        ("head", "none", "Merge(OutputColumn(DEPREL,Stack[0]),OutputTable(PPLIFTED,Stack[0]))"),
        ("none", "left", "Merge(OutputColumn(DEPREL,Stack[0]),OutputTable(PPCOVERED,Stack[0]))"),
        (
            "path",
            "none",
            "Merge3(OutputColumn(DEPREL,Stack[0]),OutputTable(PPLIFTED,Stack[0]),OutputTable(PPPATH,Stack[0]))",
        ),
        (
            "head+path",
            "ignore",
            "Merge(Merge(OutputColumn(DEPREL,Stack[0]),OutputTable(PPLIFTED,Stack[0])),"
            "Merge(OutputTable(PPPATH,Stack[0]),OutputTable(PPCOVERED,Stack[0])))",
        ),
    ],
)
def test_par_with_marks(marking: str, covered: str, text: str) -> None:
    assert [feature.text for feature in read_par(b"DEP\tSTACK", "f.par", marking, covered)["MAIN"]] == [text]


# YAML

YAML = r"""
# Features for a free-word-order language
words:
  - FORM(Stack[0], Input[0..1], head(Stack[0]))   # four features
  - POSTAG(Stack[0])
labels: DEPREL(ldep(Stack[0]))
together:
  - POSTAG(Stack[0]) & POSTAG(Input[0..1])
  - POSTAG(Stack[1]) & POSTAG(Stack[0]) & POSTAG(Input[0])
  - FORM(Stack[0]) & FORM(Stack[1]) & FORM(Stack[2])
    & FORM(Stack[3]) & FORM(Stack[4])
plain:
  - Merge(InputColumn(POSTAG, Stack[0]), CPOSTAG(Input[0]))
  - Split(FEATS(Stack[0..1]), \|)
  - Distance(Stack[0], Input[0], 0|1)
  - PPLIFTED(Stack[0])
nothing yet:
"""
P, F = "InputColumn(POSTAG,{})".format, "InputColumn(FORM,{})".format


def test_yaml() -> None:
    forms = [F(f"Stack[{i}]") for i in range(5)]
    assert texts(YAML)["MAIN"] == [
        *map(F, ("Stack[0]", "Input[0]", "Input[1]", "head(Stack[0])")),
        P("Stack[0]"),
        "OutputColumn(DEPREL,ldep(Stack[0]))",
        f"Merge({P('Stack[0]')},{P('Input[0]')})",
        f"Merge({P('Stack[0]')},{P('Input[1]')})",
        f"Merge3({P('Stack[1]')},{P('Stack[0]')},{P('Input[0]')})",
        f"Merge(Merge3({','.join(forms[:3])}),Merge({','.join(forms[3:])}))",
        f"Merge({P('Stack[0]')},InputColumn(CPOSTAG,Input[0]))",
        r"Split(InputColumn(FEATS,Stack[0]),\|)",
        r"Split(InputColumn(FEATS,Stack[1]),\|)",
        "Distance(Stack[0],Input[0],0|1)",
        "OutputTable(PPLIFTED,Stack[0])",
    ]


def test_yaml_as_a_list_and_with_submodels() -> None:
    assert texts("- POSTAG(Stack[0])\n- 'Exists(Stack[0])'") == {"MAIN": [P("Stack[0]"), "Exists(Stack[0])"]}
    data = (
        "submodels:\n  t.trans:\n    - POSTAG(Stack[0])\n  A.DEPREL:\n    words: [Exists(x)]\n    more: FORM(Stack[1])"
    )
    assert texts(data) == {"T.TRANS": [P("Stack[0]")], "A.DEPREL": ["Exists(x)", F("Stack[1]")]}


def test_the_format_tells_which_columns_the_parser_fills() -> None:
    xml = b'<dataformat><column name="ROLE" category="OUTPUT" type="STRING"/></dataformat>'
    columns = Columns(parse_format(xml, "mine.xml"))
    assert texts("- ROLE(Stack[0])", columns=columns) == {"MAIN": ["OutputColumn(ROLE,Stack[0])"]}
    assert texts("- ROLE(Stack[0])") == {"MAIN": ["InputColumn(ROLE,Stack[0])"]}


def test_kinds() -> None:
    assert kind_of(b"\xef\xbb\xbf <f/>", "f.par") == "xml"
    assert kind_of("<f/>".encode("utf-16"), "f") == "xml"
    assert kind_of(b"# POS\tSTACK\n- POSTAG(Stack[0])", "f") == "yaml"
    assert kind_of(b"-- x\nPOS\tSTACK", "f.txt") == "par"


# What is refused

REFUSED = {
    ("f.xml", "<f>"): "f.xml, line 1, column 4: not well-formed XML: Premature end of data in tag f line 1",
    ("f.xml", "<f/>"): (
        "f.xml, line 1: there is no <featuremodel> in <f>; expected "
        "<featuremodels><featuremodel><feature>InputColumn(POSTAG,Stack[0])</feature>..."
    ),
    (
        "f.xml",
        "<featuremodel>\n<feature>Exists(Stack[0]</feature>\n<feature>Exist(Stack[0])</feature></featuremodel>",
    ): ("f.xml, line 3: Exist(Stack[0]): there is no function Exist; did you mean Exists?"),
    ("f.xml", " \n"): "f.xml: the file is empty; a feature model has at least one feature",
    ("f.par", "-- nothing"): "f.par: there is no feature in the file; expected lines such as POS, TAB, STACK",
    ("f.par", "POS STACK"): (
        "f.par, line 1: 'POS STACK': expected at least a column and a structure, separated by TAB, "
        "such as POS, TAB, STACK"
    ),
    ("f.par", "POS\tLEFT"): r"f.par, line 1: 'POS\tLEFT': the second field is 'LEFT'; expected STACK or INPUT",
    ("f.par", "POS\tCONTEXT"): (
        r"f.par, line 1: 'POS\tCONTEXT': the second field is 'CONTEXT', which belongs to Covington's algorithms: "
        "write the model as XML or YAML; expected STACK or INPUT"
    ),
    ("f.par", "POS\tSTACK\t+-1"): (
        r"f.par, line 1: 'POS\tSTACK\t+-1': offset is '+-1'; expected a whole number from 0 to 1000"
    ),
    ("f.par", "POS\tSTACK\t-1"): (
        r"f.par, line 1: 'POS\tSTACK\t-1': offset is '-1'; expected a whole number from 0 to 1000"
    ),
    ("f.par", "\nPOS\tSTACK\t0\t999999999"): (
        r"f.par, line 2: 'POS\tSTACK\t0\t999999999': linear is '999999999'; expected a whole number from -50 to 50"
    ),
    ("f.par", "POS\tSTACK\t0\t0\t-1"): (
        r"f.par, line 1: 'POS\tSTACK\t0\t0\t-1': head is '-1'; expected a whole number from 0 to 50"
    ),
    ("f.par", "DEP\tSTACK\t0\t0\t0\t0\t0\t2"): (
        "f.par, line 1: Suffix(OutputColumn(DEPREL,Stack[0]),2): argument 1 of Suffix is 'OutputColumn(...)'; "
        "expected an InputColumn, such as InputColumn(FORM,Stack[0])"
    ),
    ("f.yaml", "# nothing"): "f.yaml: there is no feature in the file; expected lines such as `- POSTAG(Stack[0])`",
    ("f.yaml", "words:"): "f.yaml: there is no feature in the file; expected lines such as `- POSTAG(Stack[0])`",
    ("f.yaml", "POSTAG(Stack[0])"): (
        "f.yaml, line 1: expected a list of features, such as `- POSTAG(Stack[0])`; found 'POSTAG(Stack[0])'"
    ),
    ("f.yaml", "a:\n  - - b"): (
        "f.yaml, line 2: expected a feature; lists are written one feature a line, such as `- POSTAG(Stack[0])`"
    ),
    ("f.yaml", "a:\n  b:\n    - c"): "f.yaml, line 1: a: expected a list of features, such as `- POSTAG(Stack[0])`",
    ("f.yaml", "a:\n  - Exists(Stack[0])\nA: x"): "f.yaml, line 3: A is given more than once, first in line 1",
    ("f.yaml", "- &a Exists(Stack[0])\n- *a"): (
        "f.yaml, line 1: anchors (&), aliases (*) and tags (!) have no place in a feature model; remove them"
    ),
    ("f.yaml", "- Exists(Stack[0])\n---\n- x"): "f.yaml: there is more than one YAML document; a feature model has one",
    ("f.yaml", "-\n- x"): "f.yaml, line 1: : something is missing before the end",
    ("f.yaml", "- Postag(Stack[0])"): (
        "f.yaml, line 1: Postag(Stack[0]): there is no function Postag; did you mean POSTAG?"
    ),
    ("f.yaml", "- POSTAG(Stack[0]) POSTAG(Stack[1])"): (
        "f.yaml, line 1: POSTAG(Stack[0])POSTAG(Stack[1]): unexpected 'POSTAG(Stack[1])'"
    ),
    ("f.yaml", "- POSTAG(Stack[0]) &"): "f.yaml, line 1: POSTAG(Stack[0])&: something is missing before the end",
    ("f.yaml", "- POSTAG(Stack[0]"): "f.yaml, line 1: POSTAG(Stack[0]: ( after POSTAG is not closed",
    ("f.yaml", "- POSTAG(Stack[0"): "f.yaml, line 1: POSTAG(Stack[0: [ is not closed",
    ("f.yaml", "- POSTAG()"): "f.yaml, line 1: POSTAG(): something is missing before ')'",
    ("f.yaml", "- POSTAG(Stack[2..1])"): (
        "f.yaml, line 1: POSTAG(Stack[2..1]): [2..1] is no range; expected for example [0..2], at most up to 1000"
    ),
    ("f.yaml", "- POSTAG(Stack[0..999999999])"): (
        "f.yaml, line 1: POSTAG(Stack[0..999999999]): [0..999999999] is no range; "
        "expected for example [0..2], at most up to 1000"
    ),
    ("f.yaml", "- POSTAG(Stack[-1])"): (
        "f.yaml, line 1: InputColumn(POSTAG,Stack[-1]): the argument of Stack is '-1'; "
        "expected a whole number from 0 to 1000"
    ),
    ("f.yaml", "- POSTAG(Stack[0..999]) & POSTAG(Input[0..999])"): (
        "f.yaml, line 1: POSTAG(Stack[0..999])&POSTAG(Input[0..999]): this stands for more than 10000 features"
    ),
}


@pytest.mark.parametrize(("file", "data"), REFUSED, ids=lambda text: text[:30])
def test_what_is_refused(file: str, data: str) -> None:
    assert error(data, file) == REFUSED[file, data]


BOMB = '<!DOCTYPE e [<!ENTITY a "aaaaaaaaaa">{}]>'.format(
    "".join(f'<!ENTITY {chr(98 + depth)} "{f"&{chr(97 + depth)};" * 10}">' for depth in range(9))
)
MODEL = "<f><featuremodel><feature>{}</feature></featuremodel></f>"
HOSTILE: dict[str, bytes] = {
    "entities": (BOMB + MODEL.format("&j;")).encode(),
    "an external entity": b'<!DOCTYPE e [<!ENTITY x SYSTEM "file:///etc/passwd">]><e>&x;</e>',
    "deep XML": b"<e>" * 100_000,
    "deep models": b"<featuremodel>" * 50_000,
    "an unknown encoding": b"<?xml version='1.0' encoding='nonsense'?><f/>",
    "a wrong encoding": b"<?xml version='1.0' encoding='UTF-8'?><f>\xff\xfe</f>",
    "deep functions in XML": MODEL.format("head(" * 100_000).encode(),
    "deep unknown functions in XML": MODEL.format("a(" * 4000).encode(),
    "deep brackets in XML": MODEL.format("Exists(" + "[" * 4000).encode(),
    "a huge index": MODEL.format("Exists(Stack[" + "9" * 5000 + "])").encode(),
    "digits that are none": MODEL.format("Exists(Stack[²])").encode(),
    "huge buckets": MODEL.format("Distance(Stack[0],Input[0],0|" + "9" * 5000 + ")").encode(),
    "deep lists": b"[" * 500_000,
    "deep mappings": b"{a: " * 200_000,
    "deep keys": b"? " * 300_000,
    "deep functions in YAML": b"- " + b"head(" * 1900,
    "a long line in YAML": b"- " + b"head(" * 100_000,
    "a recursive alias": b"a: &a\n  - *a",
    "a tag": b"- !!python/object/apply:os.system [ls]",
    "many ranges": b"- POSTAG(" + b",".join([b"Stack[0..999]"] * 700) + b")",
    "many lines": b"- POSTAG(Stack[0..999])\n" * 1000,
    "binary": bytes(range(256)) * 10,
    "zeros": b"\0" * 1000,
    "Latin-1": "- POSTAG(Stäck[0])".encode("latin-1"),
    "a .par file": b"POS\tSTACK\t" + b"9" * 100_000,
    "escapes": b'- "POSTAG(\\e[31m)"',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.perf_counter()
    for file in NAMES.values():
        path = tmp_path / file
        path.write_bytes(HOSTILE[name])
        assert malt(["features", str(path)]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert all(line.startswith("malt: ") and "bug" not in line and len(line) < 1000 for line in err.splitlines())
        assert err.replace("\n", "").isprintable()
    assert time.perf_counter() - start < 5


PIECES = st.sampled_from(
    [
        *FUNCTIONS,
        *"()[],&|.:-\n \t#'\"<>\\",
        "..",
        "POSTAG",
        "0",
        "99999999999",
        "- ",
        "<feature>",
        "</feature>",
        "\x00",
        "é",
    ]
)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.lists(PIECES, max_size=30).map("".join).map(str.encode),
        st.lists(PIECES, max_size=20).map(lambda parts: MODEL.format("".join(parts)).encode()),
        st.lists(PIECES, max_size=20).map(lambda parts: f"- {''.join(parts)}".encode()),
        st.lists(PIECES, max_size=20).map(lambda parts: f"POS\t{''.join(parts)}".encode()),
    ),
    st.sampled_from(sorted(NAMES.values())),
)
def test_nothing_but_an_error_of_ours(data: bytes, file: str) -> None:
    with contextlib.suppress(MaltError):
        submodels = parse_features(data, file)
        FeatureModel(submodels)
        for kind in KINDS:
            with contextlib.suppress(MaltError):
                again = parse_features(write_features(submodels, kind), NAMES[kind])
                assert FeatureModel(again).listing == FeatureModel(submodels).listing


def test_a_short_line_that_stands_for_thousands_of_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("- POSTAX(Stack[0..99])&POSTAG(Input[0..99])\n")
    begin = time.process_time()
    assert malt(["features", str(path)]) == 1
    assert time.process_time() - begin < 4  # it were 12 seconds
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_PROBLEMS + 1
    assert all(line.endswith("conllx has no column POSTAX; did you mean POSTAG?") for line in lines[:-1])
    assert lines[-1] == f"malt: {path}: there may be more, which were not looked for"


def test_names_of_conllx_stand_for_columns_of_conllu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """POSTAG is the main tag, UPOSTAG, as in the default features; CPOSTAG is the other one."""
    treebank = tmp_path / "t.conllu"
    treebank.write_text("".join(sample.text(30, "conllu")))
    short = "- POSTAG(Stack[0..1], Input[0])\n- CPOSTAG(Input[0]) & FORM(Stack[0])\n- DEPREL(ldep(Stack[0]))\n"
    (tmp_path / "x.yaml").write_text(short)
    own = short.replace("CPOSTAG", "XPOSTAG").replace(" POSTAG", " UPOSTAG")
    (tmp_path / "u.yaml").write_text(own)
    assert malt(["features", "convert", str(tmp_path / "x.yaml"), str(tmp_path / "x.xml")]) == 0
    weights = []
    for name in ("u.yaml", "x.yaml", "x.xml"):
        for first in (["train"], ["-m", "learn", "-if", "conllu", "-i"]):
            path = tmp_path / name
            assert malt([*first, str(treebank), "-c", str(tmp_path / "m"), "-F", str(path)]) == 0
            told = capsys.readouterr().err
            line = f"{path}: POSTAG and CPOSTAG are read as UPOSTAG and XPOSTAG: conllu has no such columns; "
            assert (f"warning: {line}write UPOSTAG and XPOSTAG there\n" in told) == (name != "u.yaml")
            model = load(tmp_path / "m")
            assert b"(POSTAG" not in model.content()
            weights.append([sentence.heads for sentence in model.parse(treebank)])
    assert all(one == weights[0] for one in weights[::2])
    assert all(one == weights[1] for one in weights[1::2])  # these have no single root
