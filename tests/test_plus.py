"""CoNLL-U Plus: files that name their columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import malt
from malt.commands import malt as command
from malt.commands import maltopt

HEAD = "# global.columns = ID FORM UPOS HEAD DEPREL X:Y\n"


def plus(number: int, seed: int = 1) -> str:
    """The sample with other columns, in another order."""
    lines = [HEAD]
    for line in "".join(malt.sample.text(number, "conllu", seed=seed)).splitlines():
        fields = line.split("\t")
        lines.append(line if len(fields) < 10 else "\t".join([*(fields[i] for i in (0, 1, 3, 6, 7)), fields[4]]))
        lines[-1] += "\n" * (not lines[-1].endswith("\n"))
    return "".join(lines)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("t.conllup").write_text(plus(60))
    return tmp_path


def test_columns_are_read_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["train", "-c", "m", "t.conllup"]) == 0
    assert "t.conllup: read as conllup (global.columns)" in capsys.readouterr().err
    Path("x.conllup").write_text(plus(10, 2))
    for files, times in ((["x.conllup"], 1), (["x.conllup", "x.conllup"], 2)):
        assert command(["parse", "-v", "error", "-c", "m", *files, "-o", "out"]) == 0
        out = Path("out").read_text()
        assert out.startswith(HEAD)
        assert out.count("global.columns") == 1
        before, after = (text.splitlines() for text in (plus(10, 2) * times, out))
        strip = [line for line in before if "global.columns" not in line]
        for old, new in zip(strip, after[1:], strict=True):
            assert old.split("\t")[:3] == new.split("\t")[:3]
            assert old.split("\t")[5:] == new.split("\t")[5:]
    assert command(["eval", "x.conllup", "x.conllup"]) == 0


def test_a_feature_can_look_at_a_column_of_ones_own() -> None:
    Path("f.xml").write_text(
        '<featuremodels><featuremodel name="n"><feature>InputColumn(X:Y, Stack[0])</feature>'
        "<feature>InputColumn(X:Y, Input[0])</feature></featuremodel></featuremodels>"
    )
    Path("f.yaml").write_text("- X:Y(Stack[0], Input[0])\n")
    heads = []
    for name in ("f.xml", "f.yaml"):
        assert command(["train", "-v", "error", "-c", "m", "-F", name, "t.conllup"]) == 0
        heads.append([sentence.heads for sentence in malt.load("m").parse(Path("t.conllup"))])
    assert heads[0] == heads[1]
    assert len({tuple(sentence) for sentence in heads[0]}) > 5


def test_conversions() -> None:
    for words in (["-of", "conllu", "t.conllup", "-o", "u.conllu"], ["-of", "conllx", "t.conllup", "-o", "x.conll"]):
        assert command(["convert", "-v", "error", *words]) == 0
        assert "global.columns" not in Path(words[-1]).read_text()
    columns = "ID,FORM,UPOS,HEAD,DEPREL"
    assert command(["convert", "-v", "error", "-of", columns, "u.conllu", "-o", "back"]) == 0
    lines = ["\t".join(line.split("\t")[:5]) for line in plus(60).replace(" X:Y\n", "\n", 1).splitlines()]
    assert Path("back").read_text().splitlines() == lines
    assert command(["convert", "-v", "error", "-of", columns, "back", "-o", "again"]) == 0
    assert Path("again").read_text() == Path("back").read_text()


def test_more_columns_than_a_model_knows_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    malt.train(malt.sample.text(50, "conllu")).save("m")
    text = "".join(malt.sample.text(5, "conllu"))
    names = "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC PARSEME:MWE\n"
    more = "".join(f"{line}\t1:LVC\n" if "\t" in line else f"{line}\n" for line in text.splitlines())
    Path("x.cupt").write_text(names + more)
    assert command(["parse", "-v", "error", "-c", "m", "x.cupt", "-o", "out"]) == 0
    assert Path("out").read_text().startswith(names)
    assert Path("out").read_text().count("\t1:LVC\n") == more.count("1:LVC")
    assert [s.heads for s in malt.load("m").parse(Path("x.cupt"))]
    assert command(["parse", "-c", "m", "t.conllup"]) == 1
    said = capsys.readouterr().err
    assert "malt: t.conllup, line 1: the columns of the file are ID, FORM, UPOSTAG, HEAD, DEPREL, X:Y" in said
    assert "`malt convert -of conllu` makes them fit" in said
    assert command(["-m", "parse", "-c", "m", "-i", "t.conllup", "-o", "out"]) == 0  # MaltParser's: by place
    assert "t.conllup seems to be CoNLL-U (global.columns), but the model is for conllu" in capsys.readouterr().err


def test_maltparsers_mode_names_the_columns_to_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["-m", "learn", "-c", "m", "-i", "t.conllup"]) == 1  # by place, FORM is the UPOSTAG
    advice = "; -if ID,FORM,UPOS,HEAD,DEPREL,X:Y reads it as what it is"
    assert advice in capsys.readouterr().err
    assert command(["-m", "learn", "-c", "m", "-i", "t.conllup", *advice.split()[1:3]]) == 0


@pytest.mark.parametrize("words", [[], ["-gds", "T.TRANS"], ["-l", "perceptron"], ["-l", "perceptron", "-a", "mst"]])
def test_without_labels_nothing_is_learned(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("x").write_text("# global.columns = ID FORM HEAD\n1\ta\t0\n2\tb\t1\n\n")
    assert command(["train", "-c", "m", *words, "x"]) == 2
    assert "malt: the format conllup has no column of labels, such as DEPREL: " in capsys.readouterr().err
    assert command(["trace", "x"]) == command(["draw", "x"]) == 0


@pytest.mark.parametrize("line", ["", "ID ID", "ID F(", "ID " + " ".join(map(str, range(2000)))])
def test_wrong_columns(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x").write_text(f"# global.columns = {line}\n1\ta\n")
    assert command(["analyze", "x"]) == 1
    assert capsys.readouterr().err.startswith("malt: x, line 1: global.columns: ")


@pytest.mark.slow
def test_a_search_with_them() -> None:
    Path("t.conllup").write_text(plus(20))
    assert maltopt(["run", "--time", "2s", "--folds", "1", "-j", "1", "-v", "error", "t.conllup"]) == 0
    assert command(["train", "-v", "error", "-f", "t/options.xml", "-c", "again"]) == 0
    assert (
        command(["-m", "learn", "-w", "t", "-f", "t/options.xml", "-c", "third", "-i", "t.conllup", "-v", "error"]) == 0
    )


def test_columns_are_not_exchanged_further_down(capsys: pytest.CaptureFixture[str]) -> None:
    swapped = HEAD.replace("FORM UPOS", "UPOS FORM")
    first, second = plus(60), plus(3).replace(HEAD, swapped)
    usual = "# global.columns = ID FORM LEMMA XPOS UPOS FEATS HEAD DEPREL DEPS MISC\n1" + 9 * "\t_"
    for name, text in (
        ("both.conllup", first + second),
        ("late.conllup", first.replace(HEAD, f"# newdoc\n{HEAD}")),
        ("late.conllu", f"# newdoc\n{usual}"),
    ):
        Path(name).write_text(text)
        for words in (["train", "-c", "m", name], ["analyze", name], ["convert", "-of", "conllu", name]):
            assert command(words) == 1
            line = text[: text.rindex("# global.columns")].count("\n") + 1
            said = capsys.readouterr().err
            assert f"malt: {name}, line {line}: global.columns counts in the first line alone: " in said
    Path("twice.conllup").write_text(first + plus(3, 2))
    assert command(["train", "-q", "-c", "m", "twice.conllup"]) == 0
