"""What the commands say: of files without sentences, of one thing and of several, of labels and numbers."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from malt.commands import malt
from malt.data.sentence import Sentence
from malt.data.source import read

NONE = "no sentences were found"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("messages")
    assert malt(["sample", "-n", "20", "-o", str(place / "sample.conll")]) == 0
    assert malt(["sample", "-n", "1", "-o", str(place / "one.conll")]) == 0
    assert malt(["train", "-v", "error", "-c", str(place / "model"), str(place / "sample.conll")]) == 0
    (place / "empty.conll").write_text("\n\n")
    return place


@pytest.mark.parametrize(
    "words", ["trace", "trace -c MODEL", "instances", "instances -c MODEL", "proj", "deproj", "convert", "analyze",
              "parse -c MODEL", "parse -j 2 -c MODEL"]
)  # fmt: skip
def test_a_file_without_sentences(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = str(folder / "empty.conll")
    assert malt([*words.replace("MODEL", str(folder / "model")).split(), empty]) == 0
    assert capsys.readouterr().err.count(f"warning: {empty}: {NONE}\n") == 1


def test_a_file_without_sentences_that_is_needed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = str(folder / "empty.conll")
    for words, reason in (
        (["train", "-c", str(folder / "m")], "malt: there is nothing to learn from: the treebank has no sentences\n"),
        (["eval", empty], f"malt: {empty}: there are no sentences to score\n"),
    ):
        assert malt([*words, empty, "-v", "error"]) == 1
        assert capsys.readouterr().err == reason


def test_one_and_several(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, model, out = str(folder / "one.conll"), str(folder / "model"), str(tmp_path / "out")
    assert malt(["proj", one, "-o", out]) == 0
    assert "\n1 sentence: " in capsys.readouterr().err
    assert malt(["deproj", one, "-o", out]) == 0
    assert capsys.readouterr().err.endswith("\n1 sentence: 0 words put back\n")
    one_feature = tmp_path / "one.xml"
    one_feature.write_text(
        "<featuremodels><featuremodel><feature>InputColumn(FORM,Input[0])</feature></featuremodel></featuremodels>"
    )
    assert malt(["features", str(one_feature)]) == 0
    assert ": 1 feature, columns of conllx\n" in capsys.readouterr().out
    assert malt(["info", model]) == 0
    assert "\n22 features\n" in capsys.readouterr().out
    (sentence,) = read("1\ta\t_\tN\tN\t_\t0\tROOT\n")
    assert repr(sentence) == "<Sentence at line 1: 1 word>"
    assert isinstance(sentence, Sentence)


def test_a_label_with_the_separator(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (folder / "sample.conll").read_text().split("\n")
    at = next(i for i, line in enumerate(lines) if "\tnsubj\t" in line)
    lines[at] = lines[at].replace("\tnsubj\t", "\tn~subj\t")
    bad = tmp_path / "bad.conll"
    bad.write_text("\n".join(lines))
    place = (
        f"malt: {bad}, line {at + 1}: the label 'n~subj' has the character '~', which separates the parts of a class"
    )
    for words in (["train", "-c", str(tmp_path / "m")], ["instances"]):
        assert malt([*words, "-v", "error", str(bad)]) == 1
        assert capsys.readouterr().err == f"{place}; choose another with -gcs\n"
    assert malt(["train", "-c", str(tmp_path / "m"), "-gcs", "+", "-v", "error", str(bad)]) == 0
    # Where the label is no part of a class there is nothing to separate.
    assert malt(["train", "-c", str(tmp_path / "m"), "-gds", "T.TRANS,A.DEPREL", "-v", "error", str(bad)]) == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("-gds A.DEPREL+T.TRANS", "-gds A.DEPREL+T.TRANS: T.TRANS has to come first; the labels are those of its arc"),
        ("-gds A.DEPREL#T.TRANS", "-gds A.DEPREL#T.TRANS: T.TRANS has to come first; the labels are those of its arc"),
        ("-gds T.TRANS -F FEATURES", "an arc has a label, which the parser does not decide: add A.DEPREL to -gds"),
        (
            "-gds T.TRANS+A.DEPREL,A.PPLIFTED -pp head",
            "-gds: after T.TRANS+A.DEPREL a label cannot be decided, as it need not be an arc; let T.TRANS be first",
        ),
        (
            "-gds T.TRANS+A.DEPREL#A.PPLIFTED -pp head -li true",
            "-gds: after T.TRANS+A.DEPREL a label cannot be decided, as it need not be an arc; let T.TRANS be first",
        ),
        (
            "-gds T.TRANS+A.DEPREL#A.PPLIFTED+A.PPPATH#A.PPCOVERED -pp head+path -pcr head",
            "-gds: after T.TRANS+A.DEPREL a label cannot be decided, as it need not be an arc; let T.TRANS be first",
        ),
        ("-gcs 😀", "-gcs 😀: MaltParser cannot separate by a character beyond U+FFFF; choose another"),
    ],
)
def test_what_maltparser_crashes_at_is_no_use(
    words: str, reason: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    features = tmp_path / "features.xml"
    features.write_text(
        "<featuremodels><featuremodel><feature>InputColumn(FORM,Input[0])</feature></featuremodel></featuremodels>"
    )
    files = ["-c", str(tmp_path / "m"), "-i", str(folder / "sample.conll")]
    assert malt(["-m", "learn", "-v", "error", *files, *words.replace("FEATURES", str(features)).split()]) == 2
    assert capsys.readouterr().err == f"malt: {reason}\n"


def test_a_candidate_list_of_less_than_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["train", "-c", str(folder / "m"), "-v", "error", str(folder / "sample.conll"), "-k"]
    assert malt([*words, "-2"]) == 2
    assert capsys.readouterr().err == "malt: -k: expected a whole number from -1 to 2147483647, not '-2'\n"
    assert malt([*words, "-1"]) == 0


def test_the_vectors_of_a_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "f.xml"
    model.write_text(
        """<featuremodels><featuremodel>
        <submodel name="MAIN">
          <feature>Split(InputColumn(FEATS, Stack[0]), \\|)</feature>
          <feature>InputColumn(FORM, Input[0])</feature>
        </submodel>
        <submodel name="A.DEPREL"><feature>InputColumn(FEATS, Stack[0])</feature></submodel>
        </featuremodel></featuremodels>"""
    )
    assert malt(["features", "--program", str(model)]) == 0
    shown = capsys.readouterr().out.splitlines()
    numbers = {line.split(" = ")[1]: line.split(" ")[0] for line in shown if line.startswith("f") and " = " in line}
    form, feats, parts = (
        next(slot for text, slot in numbers.items() if text.startswith(start))
        for start in ("InputColumn(FORM", "InputColumn(FEATS", "Split")
    )
    assert shown[-2:] == [f"MAIN = {form}, {{{parts}}}", f"A.DEPREL = {feats}"]


def test_what_does_not_fit_together(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample, model = str(folder / "sample.conll"), str(folder / "model")
    short, cut = tmp_path / "short", tmp_path / "cut"
    short.write_text("1\ta\n2\tb\n")
    cut.write_text("1\ta\t_\tN\tN\t_\t9\tx\t_\t_\n")
    for words, code, reason in (
        (
            ["trace", "-c", model, "--sentences", "999", sample],
            1,
            "no sentences that --sentences names: the file has 20",
        ),
        (["parse", "-u", "file://da.mco", sample], 2, "file://da.mco: expected file:///, with three slashes"),
        (["info", "http://127.0.0.1/da.mco"], 2, "http://127.0.0.1/da.mco: expected the name of a model; an address"),
        (["parse", "-c", model, str(short)], 1, "line 1: the word has no POSTAG"),
        (["parse", "-c", model, str(cut)], 1, "this sentence has no word 9 (its last is 1)\n"),
        (["train", "-c", model, "-d", "DEPREL", "-s", "Stack[0]", sample], 2, "-d DEPREL: data is split by a column"),
        (["train", "-c", f"{tmp_path}/", sample], 2, "is no name of a model"),
        (["train", "-c", model, f"{model}.mco"], 1, "model.mco: this is a model of MaltParser, not a treebank"),
    ):
        assert malt([*words, "-v", "error"]) == code, words
        assert reason in capsys.readouterr().err


def test_what_is_told_beside_the_result(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample, model, out = str(folder / "sample.conll"), str(folder / "model"), str(tmp_path / "out")
    ud = tmp_path / "x.conllu"
    ud.write_text("# text\n" + (folder / "one.conll").read_text().replace("ROOT", "root"))
    for words, told in (
        (
            ["parse", "-c", model, str(ud)],
            f"warning: {ud} seems to be CoNLL-U (comment lines), but the model is for conllx",
        ),
        (
            ["-m", "learn", "-c", str(tmp_path / "m"), "-i", str(ud)],
            f"warning: {ud} seems to be CoNLL-U (comment lines), but without -if it is read as conllx",
        ),
        (
            ["-m", "parse", "-c", model, "-of", "conllu", "-i", sample],
            "warning: conllu has no column CPOSTAG, POSTAG: left out\n",
        ),
        (["parse", "-c", model, "-of", "malttab", sample], "warning: malttab has no column for LEMMA, CPOSTAG, FEATS"),
        (["instances", sample], f" instances of 1 classifier: {out}\n"),
    ):
        assert malt([*words, "-o", out]) == 0
        assert told in capsys.readouterr().err
    assert malt(["train", "-grl", "ROOT", "-c", str(tmp_path / "m"), str(ud)]) == 0
    assert "words on the root have the DEPREL root in this treebank" in capsys.readouterr().err
    assert malt(["train", "-c", str(tmp_path / "m"), sample]) == 0
    assert "words on the root" not in capsys.readouterr().err
    assert malt(["eval", sample, sample]) == 0
    assert "content words (CLAS)" in capsys.readouterr().out
    other = tmp_path / "other.conll"
    other.write_text("1\ta\t_\tN\tN\t_\t0\tROOT\t_\t_\n2\tb\t_\tN\tN\t_\t1\tsubj\t_\t_\n\n")
    assert malt(["eval", str(other), str(other)]) == 0
    assert "CLAS" not in capsys.readouterr().out


def test_an_interrupt_that_comes_out_as_something_else(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(program: str, argv: object) -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise SyntaxError("(unicode error)") from None
        return 0

    monkeypatch.setattr("malt.commands._run", run)
    assert malt(["sample"]) == 130
    assert capsys.readouterr().err == "malt: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
