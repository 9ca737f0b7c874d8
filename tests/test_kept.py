"""What `malt parse` writes: the text of the input with new heads and labels, in whatever format and charset."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import malt
from malt.commands import malt as command
from malt.data.formats.recognise import explain_no_tabs

TEXT = """# sent_id = 1
# text = Lakasta domé.
1-2\tLakasta\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tla\tlo\tDET\tDa\t_\t_\t_\t2:det\t_
2\tkasta\tkasta\tNOUN\tNc\t_\t_\t_\t_\tA=b|SpaceAfter=No
2.1\tx\tx\tVERB\tVf\t_\t_\t_\t0:root\t_
3\tdomé\tdomir\tVERB\tVf\t_\t0\troot\t_\t_

"""
LINES = TEXT.splitlines()


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    malt.train(malt.sample.text(60, "conllu")).save("m")
    Path("in.conllu").write_text(TEXT)
    return tmp_path


def parsed(*words: str) -> str:
    assert command([*words, "-c", "m", "-o", "out"]) == 0
    return Path("out").read_text()


def test_everything_but_heads_and_labels_stays() -> None:
    out = parsed("parse", "in.conllu").splitlines()
    assert [line for line in out if not re.match(r"[0-9]+\t", line)] == [
        line for line in LINES if not re.match(r"[0-9]+\t", line)
    ]
    for new, old in zip(out, LINES, strict=True):
        assert [f for i, f in enumerate(new.split("\t")) if i not in (6, 7)] == [
            f for i, f in enumerate(old.split("\t")) if i not in (6, 7)
        ]
    heads = [line.split("\t")[6:8] for line in out if re.match(r"[0-9]+\t", line)]
    assert heads == [[str(head), label] for head, label in zip(*found(), strict=True)]
    theirs = parsed("-m", "parse", "-i", "in.conllu")
    assert "SpaceAfter=No" not in theirs.splitlines()[4]  # as MaltParser writes it
    assert [line.split("\t")[6:8] for line in theirs.splitlines() if re.match(r"[0-9]+\t", line)] == heads


def found() -> tuple[list[int], list[str | None]]:
    [sentence] = malt.load("m").parse(Path("in.conllu"))
    return sentence.heads, sentence.labels


def test_columns_correspond_in_another_format(capsys: pytest.CaptureFixture[str]) -> None:
    heads, labels = found()
    words = [LINES[i].split("\t") for i in (3, 4, 6)]
    out = parsed("parse", "-of", "conllx", "in.conllu")
    assert out.splitlines()[:-1] == [
        "\t".join([*word[:6], str(head), str(label), "_", "_"])
        for word, head, label in zip(words, heads, labels, strict=True)
    ]
    said = capsys.readouterr().err
    assert "warning: conllx has no column for DEPS, MISC: left out\n" in said
    assert "warning: conllx has no place for multiword tokens, empty nodes and comments: 4 lines left out\n" in said
    out = parsed("parse", "-of", "ID,FORM,MISC,HEAD,DEPREL", "in.conllu")
    assert out.startswith("# global.columns = ID FORM MISC HEAD DEPREL\n# sent_id = 1\n")
    assert "1-2\tLakasta\tSpaceAfter=No\t_\t_\n" in out
    assert f"2\tkasta\tA=b|SpaceAfter=No\t{heads[1]}\t{labels[1]}\n" in out
    out = parsed("parse", "-of", "malttab", "in.conllu")
    assert f"kasta\tNc\t{heads[1]}\t{labels[1]}\n" in out


def test_heads_are_the_ids_of_the_file() -> None:
    Path("in.conllu").write_text(
        "5\tla\t_\tDET\tDa\t_\t_\t_\n7\tkasta\t_\tNOUN\tNc\t_\t_\t_\n9\tdomé\t_\tVERB\tVf\t_\t_\t_\n"
    )
    heads = [line.split("\t")[6] for line in parsed("parse", "-of", "conllx", "in.conllu").split("\n") if line]
    assert set(heads) <= {"0", "5", "7", "9"}
    assert heads == [line.split("\t")[6] for line in parsed("parse", "in.conllu").split("\n") if line]


def test_what_conllx_has_no_place_for_is_left_out_by_a_conversion(capsys: pytest.CaptureFixture[str]) -> None:
    malt.train(malt.sample.text(60)).save("x")
    assert command(["parse", "-c", "x", "in.conllu", "-o", "out"]) == 0
    said = capsys.readouterr().err
    assert "seems to be CoNLL-U (comment lines), but the model is for conllx" in said
    assert "`malt convert -of conllx` makes them fit" in said
    assert command(["convert", "-of", "conllx", "in.conllu", "-o", "in.conll"]) == 0
    said = capsys.readouterr().err
    assert "comments: 4 lines left out" in said
    assert command(["parse", "-c", "x", "in.conll", "-o", "out"]) == 0  # the advice works
    assert "seems to be" not in capsys.readouterr().err


@pytest.mark.parametrize("charset", ["UTF-16", "UTF-16BE", "ISO-8859-1"])
def test_the_charset_that_is_asked_for_is_the_files(charset: str, capsys: pytest.CaptureFixture[str]) -> None:
    plain = parsed("parse", "in.conllu")
    Path("in.conllu").write_bytes(plain.encode(charset))  # with heads, as `malt instances` needs them
    for words in (["parse", "-c", "m"], ["trace", "-c", "m"], ["instances", "-c", "m"]):
        out = f"{words[0]}.out"
        assert command([*words, "in.conllu", "-o", out]) == 1
        assert "its charset with -ic" in capsys.readouterr().err.replace("the file's", "its")
        assert command([*words, "in.conllu", "-ic", charset, "-o", out]) == 0
        assert "ignored" not in capsys.readouterr().err
        if words[0] == "parse":
            assert Path(out).read_bytes() == plain.encode("UTF-16" if charset == "UTF-16" else charset)
    assert command(["parse", "-c", "m", "in.conllu", "-ic", charset, "-oc", "UTF-8", "-o", "out"]) == 0
    assert Path("out").read_text().removeprefix("\ufeff") == plain
    assert command(["-m", "parse", "-c", "m", "-i", "in.conllu", "-o", "out"]) == 1
    assert "`malt convert -ic" in capsys.readouterr().err  # MaltParser's command line has no -ic for this


def test_what_is_no_treebank_is_called_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    for text, reason in (
        (
            "1 la _ DET Da _\n2 kasta _ NOUN Nc _\n",
            "line 1: there are blanks between the columns, where TABs are expected",
        ),
        ("La kasta domé lo eri.\nMateré eri.\n", "line 1: this seems to be running text ('La kasta domé lo eri.')"),
    ):
        Path("in.txt").write_text(text)
        for words in (["parse", "-c", "m"], ["train", "-c", "new"], ["analyze"]):
            assert command([*words, "in.txt"]) == 1
            assert reason in capsys.readouterr().err.replace(", column 1", "")
    assert explain_no_tabs(b"word") == ""
