"""A sentence as Python sees it: its columns and words, its text and comments, in sets and in arrays."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy
import pytest

import malt
from malt.data.sentence import Word

GERMAN = """\
# newdoc
# sent_id = de-1
#text_en =  He goes to the "station".
1	Er	er	PRON	PPER	_	2	nsubj	_	_
2	geht	gehen	VERB	VVFIN	_	0	root	0:root	_
3-4	zum	_	_	_	_	_	_	_	_
3	zu	zu	ADP	APPR	_	6	case	_	_
4	dem	der	DET	ART	_	6	det	_	_
4.1	x	x	X	X	_	_	_	2:dep	_
5	"	"	PUNCT	$(	_	6	punct	_	SpaceAfter=No
6	Bahnhof	Bahnhof	NOUN	NN	_	2	obl	_	Gloss=station|SpaceAfter=No
7	"	"	PUNCT	$(	_	6	punct	_	SpaceAfter=No
8	.	.	PUNCT	$.	_	2	punct	_	_

"""


@pytest.fixture
def german() -> malt.Sentence:
    return malt.Sentence.from_text(GERMAN)


def test_columns(german: malt.Sentence) -> None:
    assert german["UPOS"] == german["UPOSTAG"] == german["upos"]
    assert german["XPOS"][:2] == ["PPER", "VVFIN"]
    assert german["DEPS"][1] == "0:root"
    assert german["MISC"][-2:] == ["SpaceAfter=No", "_"]
    with pytest.raises(KeyError, match=r"HEAD is no column with values here; there are ID, .*; heads are numbers"):
        german["HEAD"]
    with pytest.raises(KeyError, match="POS is no column"):
        german["POS"]


def test_columns_that_the_file_lacks() -> None:
    short = malt.Sentence.from_text("1\tHej\t_\tI\tI\t_\t0\tROOT\n", "conllx")
    assert short["PHEAD"] == [None]
    with pytest.raises(KeyError, match="PHEAD is no column of the word; there are ID, FORM, LEMMA"):
        short[0]["PHEAD"]


def test_words(german: malt.Sentence) -> None:
    words = list(german)
    assert len(words) == len(german) == 8
    assert [word.form for word in words] == german.forms
    assert [word.head for word in words] == german.heads
    assert [word.label for word in words] == german.labels
    assert [word.position for word in words] == list(range(1, 9))
    assert (words[0]["UPOS"], words[0]["HEAD"], words[5]["MISC"]) == ("PRON", "2", "Gloss=station|SpaceAfter=No")
    assert (german[1].form, german[-1].form) == ("geht", ".")
    assert [word.form for word in german[1:3]] == ["geht", "zu"]
    assert words == german.rows
    assert malt.Sentence.from_rows(german, "conllu").heads == german.heads
    for other in (pickle.loads(pickle.dumps(words[0])), copy.deepcopy(words[0])):
        assert (type(other), other, other.form, other.head) == (Word, words[0], "Er", 2)
    with pytest.raises(IndexError):
        german[8]


def test_heads_are_positions() -> None:
    sentence = malt.Sentence.from_text("1\ta\t_\tX\tX\t_\t9\tx\n9\tb\t_\tX\tX\t_\t0\tROOT\n", "conllx")
    assert [(word.position, word["ID"], word.head, word["HEAD"]) for word in sentence] == [
        (1, "1", 2, "9"),
        (2, "9", 0, "0"),
    ]


def test_text(german: malt.Sentence) -> None:
    assert german.text == 'Er geht zum "Bahnhof".'
    said = malt.Sentence.from_text(GERMAN.replace("# newdoc", "# text =  Er geht zum Bahnhof "))
    assert said.text == "Er geht zum Bahnhof"
    empty = malt.Sentence.from_text(GERMAN.replace("# newdoc", "# text ="))
    assert empty.text == german.text
    assert malt.Sentence.from_rows([("Hunde", "N"), ("gør", "V")]).text == "Hunde gør"
    assert malt.Sentence.from_rows([("Hunde", "N"), ("#", "V")], "malttab").text == "Hunde #"


@pytest.mark.parametrize("last", ["9" * 5000, "0" * 5000 + "2"])
def test_text_of_ranges_without_end(last: str) -> None:
    lines = [f"1-{last}\tim\t_\t_", "1\tin\t_\tADP", "2\tdem\t_\tDET"]
    assert malt.Sentence.from_text("\n".join(lines), "conllu").text == "im"


def test_lines_and_comments(german: malt.Sentence) -> None:
    assert str(german) == GERMAN
    assert german.lines == GERMAN.splitlines()[:-1]
    assert german.comments == ["# newdoc", "# sent_id = de-1", '#text_en =  He goes to the "station".']
    assert german.sent_id == "de-1"
    assert malt.Sentence.from_rows(["la"]).sent_id is None
    tabs = malt.Sentence.from_text("# a\n#\tN\t0\tROOT\n", "malttab")  # with a TAB it is a word
    assert (tabs.comments, tabs.forms) == (["# a"], ["#"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_equality(end: str, mark: str, german: malt.Sentence, tmp_path: Path) -> None:
    path = tmp_path / "german.conllu"
    path.write_bytes((mark + (GERMAN * 2).replace("\n", end)).encode())
    first, second = malt.read(path)
    assert str(first).startswith(mark + "# newdoc")  # as the file has it
    assert (first.lines, first.comments) == (german.lines, german.comments)
    assert first == second == german
    assert len({first, second, german}) == 1
    assert german != malt.Sentence.from_text(GERMAN.replace("obl", "obj"))
    assert german != malt.Sentence.from_text(GERMAN, "conllx")
    assert german != GERMAN
    assert malt.read(GERMAN * 2).index(german) == 0


@pytest.mark.parametrize("number", [1, 3])
def test_arrays(number: int, german: malt.Sentence) -> None:
    """One thing each, also where all have as many words."""
    for sentences in ([german] * number, malt.read(malt.sample.text(number))):
        for array in (numpy.array(sentences, dtype=object), numpy.array(sentences), numpy.asarray(sentences)):
            assert (array.shape, array.dtype) == ((number,), object)
            assert all(one is other for one, other in zip(array, sentences, strict=True))
        both = numpy.concatenate([sentences, sentences])
        assert both.tolist() == sentences * 2
        place = numpy.empty(number, object)
        place[:] = sentences
        assert (place == array).all()
    assert numpy.asarray(german).shape == ()
