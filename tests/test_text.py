"""Models for text: from a treebank to a tokenizer, a tagger, a lemmatizer and a parser, and from text to trees."""

from __future__ import annotations

import io
import itertools
import pickle
import re
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from refusals import error

import malt
from malt.commands import malt as main
from malt.data.formats.dataformat import find_format
from malt.data.symbols import make_tables
from malt.data.treebank import read_text
from malt.errors import DataError, UsageError
from malt.evaluation.text import evaluate_text
from malt.text.annotator import Annotator
from malt.text.entries import ENTRIES, TAGGER, TOKENIZER, read_text_model, write_text
from malt.text.learning import TextLearning
from malt.text.lemmatizer import find_script
from malt.text.source import TEXT, TextSource, is_text
from malt.text.splits import learn_splits
from malt.text.surface import SurfaceToken, blanks_of, make_surface, read_surface
from malt.text.tagger import parts_of
from malt.text.tokenizer import learn_tokenizer

OPTIONS = {"passes": 3, "jackknife": 2}
PLURALS = ("cat", "dog", "bird", "tree", "star", "wall", "lamp", "street", "kitten", "basket")
Run = Callable[..., str]


def sample(number: int, seed: int = 1) -> str:
    return "".join(malt.sample.text(number, "conllu", seed=seed))


def texts(treebank: str) -> list[str]:
    return re.findall("^# text = (.*)$", treebank, re.MULTILINE)


def without(treebank: str, *columns: int) -> str:
    """Columns emptied, and empty nodes left out."""
    lines = []
    for line in treebank.splitlines():
        fields = line.split("\t")
        if len(fields) == 10 and "." not in fields[0]:
            lines.append("\t".join("_" if place in columns else field for place, field in enumerate(fields)))
        elif len(fields) != 10:
            lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("text")
    (place / "train.conllu").write_text(sample(300), encoding="utf-8")
    (place / "gold.conllu").write_text(sample(60, 7), encoding="utf-8")
    (place / "story.txt").write_text(" ".join(texts(sample(60, 7))) + "\n", encoding="utf-8")
    words = ["train", "-q", "-c", place / "m", "--text", "--passes", "3", "--jackknife", "3", place / "train.conllu"]
    assert main([str(word) for word in words]) == 0
    return place


@pytest.fixture(scope="module")
def model(folder: Path) -> malt.Model:
    return malt.load(folder / "m")


@pytest.fixture
def parse(folder: Path, tmp_path: Path) -> Run:
    def run(text: str | bytes, *more: str) -> str:
        given, out = tmp_path / "given", tmp_path / "out.conllu"
        given.write_bytes(text if isinstance(text, bytes) else text.encode())
        assert main(["parse", "-q", "-c", str(folder / "m"), "-o", str(out), *more, str(given)]) == 0
        return out.read_text(encoding="utf-8")

    return run


def restored(conllu: str) -> str:
    """The text that CoNLL-U was made of."""
    found = ""
    for sentence in read_surface([conllu]):
        found += "".join(token.before + token.form + token.blanks for token in sentence.tokens)
    return found


# From text to trees


def test_text_becomes_trees(folder: Path, parse: Run) -> None:
    text = (folder / "story.txt").read_text(encoding="utf-8")
    found = parse(text)
    (folder / "found.conllu").write_text(found, encoding="utf-8")
    [scores] = evaluate_text(folder / "gold.conllu", folder / "found.conllu").systems
    least = {"Tokens": 99, "Sentences": 85, "Words": 98, "UPOS": 88, "XPOS": 88, "Lemmas": 85, "LAS": 65}
    assert {name: scores[name] for name in least if 100 * scores[name] < least[name]} == {}
    assert restored(found) == text
    assert re.findall("^# sent_id = (.*)$", found, re.MULTILINE)[:3] == ["1", "2", "3"]
    assert texts(found)[0] == texts(sample(1, 7))[0]
    assert found.startswith("# newpar\n# sent_id = 1\n# text = ")
    assert re.search(r"^\d+-\d+\t\w+(\t_){7}\t", found, re.MULTILINE)  # a multiword token


def test_the_same_with_any_number_of_threads_and_whatever_comes_at_once(folder: Path, parse: Run, monkeypatch) -> None:
    text = (folder / "story.txt").read_text(encoding="utf-8") * 3
    once = parse(text)
    assert parse(text, "-j", "4") == once
    monkeypatch.setattr("malt.text.source.CHUNK", 500)
    monkeypatch.setattr("malt.data.treebank.CHUNK", 313)
    assert parse(text) == once


@pytest.mark.slow
def test_the_same_treebank_is_the_same_model(folder: Path) -> None:
    words = ["train", "-q", "-c", folder / "again", "--text", "--passes", "3", "--jackknife", "3"]
    assert main([str(word) for word in [*words, folder / "train.conllu"]]) == 0
    one, two = (zipfile.ZipFile(folder / f"{name}.mco") for name in ("m", "again"))
    for entry in (*ENTRIES, "perceptron.weights"):
        assert one.read(f"m/{entry}") == two.read(f"again/{entry}")


def test_paragraphs_and_blanks_are_kept(parse: Run) -> None:
    text = "  \nLa kasta domé.\r\n\r\nMira  vidé\tkastan.\n\n\n\nToro domé\u00a0."
    found = parse(text, "--input", "text")
    assert restored(found) == text
    assert found.count("# newpar\n") == 3
    assert "SpacesBefore=\\s\\s\\n" in found
    assert "SpacesAfter=\\r\\n\\r\\n" in found
    assert "# text = Mira vidé kastan.\n" in found


def test_text_that_is_cut_already(parse: Run) -> None:
    lines = parse("La kasta domé. Mira vidé kastan.\nToro domé.\n", "--input", "lines")
    assert texts(lines) == ["La kasta domé. Mira vidé kastan.", "Toro domé."]
    horizontal = parse("La kasta domé. !\n\nToro x\u00a0y\n", "--input", "horizontal")
    assert [s.forms for s in malt.read(horizontal)] == [["La", "kasta", "domé.", "!"], ["Toro", "x\u00a0y"]]
    vertical = parse("La\nkasta\n\nToro\tNp\r\ndomé\n", "--input", "vertical")
    assert [s.forms for s in malt.read(vertical)] == [["La", "kasta"], ["Toro", "domé"]]


def test_the_steps_alone(parse: Run) -> None:
    tokens = malt.read(parse("La kasta domé.", "--until", "tokens"))[0]
    assert tokens.forms == ["La", "kasta", "domé", "."]
    assert tokens["UPOS"] == ["_"] * 4
    assert tokens.heads == [-1] * 4
    tags = malt.read(parse("La kasta domé.", "--until", "tags"))[0]
    assert tags["UPOS"] == ["DET", "NOUN", "VERB", "PUNCT"]
    assert tags["LEMMA"][:2] == ["lo", "kasta"]
    assert tags.heads == [-1] * 4


# Tags that are there, or not


def test_empty_columns_are_filled_and_others_kept(folder: Path, parse: Run) -> None:
    gold = (folder / "gold.conllu").read_text(encoding="utf-8")
    empty = malt.read(parse(without(gold, 2, 3, 4, 5)))
    right = [
        word == good
        for one, two in zip(empty, malt.read(gold), strict=True)
        for word, good in zip(one["UPOS"], two["UPOS"], strict=True)
    ]
    assert sum(right) > 0.88 * len(right)
    assert all("_" not in sentence["LEMMA"] for sentence in empty)
    for columns in ((2,), (4, 5), (2, 5)):
        kept = malt.read(parse(without(gold, *columns)))
        for one, two in zip(kept, malt.read(gold), strict=True):
            assert one["UPOS"] == two["UPOS"]
    # What is given limits what is not: a tag is one of the treebank.
    known = {(word["UPOS"], word["XPOS"]) for s in malt.read(sample(300)) for word in s}
    filled = malt.read(parse(without(gold, 4)))
    assert sum((word["UPOS"], word["XPOS"]) in known for s in filled for word in s) > 0.99 * sum(map(len, filled))
    features = malt.read(parse(without(gold, 5)))
    assert {value for sentence in features for value in sentence["FEATS"]} == {"_"}  # they may be empty beside tags


def test_single_words_without_a_tag_get_one(folder: Path, parse: Run) -> None:
    gold = (folder / "gold.conllu").read_text(encoding="utf-8")
    lines = [
        re.sub(r"^(\d+\t\S+\t\S+)\t\S+\t\S+\t\S+", r"\1\t_\t_\t_", line) if number % 3 else line
        for number, line in enumerate(gold.splitlines())
    ]
    known = {(w["UPOS"], w["XPOS"], w["FEATS"]) for s in malt.read(sample(300)) for w in s}
    found = malt.read(parse("\n".join(lines) + "\n"))
    partly = 0
    for before, after in zip(malt.read("\n".join(lines) + "\n"), found, strict=True):
        partly += 0 < before["UPOS"].count("_") < len(before)
        for old, new in zip(before, after, strict=True):
            if old["UPOS"] == "_":
                assert (new["UPOS"], new["XPOS"], new["FEATS"]) in known
            else:
                assert (new["UPOS"], new["XPOS"], new["FEATS"]) == (old["UPOS"], old["XPOS"], old["FEATS"])
    assert partly > 30


def test_retagging_replaces(folder: Path, parse: Run) -> None:
    gold = (folder / "gold.conllu").read_text(encoding="utf-8")
    wrong = re.sub(r"^(\d+\t.*?\t.*?\t)\w+\t\w+\t[^\t]+", r"\1X\tX\tX=X", gold, flags=re.MULTILINE)
    assert {tag for s in malt.read(parse(wrong)) for tag in s["UPOS"]} == {"X"}
    assert "X" not in {tag for s in malt.read(parse(wrong, "--retag")) for tag in s["UPOS"]}


def test_tags_are_consistent(parse: Run, folder: Path) -> None:
    known = {(w["UPOS"], w["XPOS"], w["FEATS"]) for s in malt.read(sample(300)) for w in s}
    found = malt.read(parse((folder / "story.txt").read_text(encoding="utf-8")))
    assert {(w["UPOS"], w["XPOS"], w["FEATS"]) for s in found for w in s} <= known


def test_the_parser_learns_from_predicted_tags() -> None:
    format = find_format("conllu")
    blocks = list(read_text(sample(60).encode(), format, "x", make_tables(format)))
    _, same = TextLearning(blocks).learn(1)
    assert all((one.values == two.values).all() for one, two in zip(blocks, same, strict=True))
    _, predicted = TextLearning(blocks).learn(5)
    for column, low, high in (("UPOSTAG", 0.6, 0.999), ("LEMMA", 0.5, 0.999), ("FORM", 1, 1)):
        right = numpy.concatenate([a.codes(column) == b.codes(column) for a, b in zip(blocks, predicted, strict=True)])
        assert low <= right.mean() <= high


def test_a_treebank_teaches_what_it_has() -> None:
    model = malt.train(without(sample(60), 2, 4, 5), text=True, **OPTIONS)
    assert model.text is not None
    assert model.text.lemmatizer is None
    assert model.text.tagger is not None
    assert model.text.tagger.columns == ("UPOSTAG",)
    [sentence] = model("La kasta domé.")
    assert sentence.lemmas == ["_"] * 4
    assert sentence.tags[-1] == "PUNCT"
    bare = malt.train(without(sample(60), 2, 3, 4, 5), text=True, **OPTIONS)
    assert bare.text is not None
    assert bare.text.tagger is None
    assert [s.tags for s in bare("La kasta domé.")] == [["_"] * 4]


# What is text, and what is not


@pytest.mark.parametrize(
    ("beginning", "text"),
    [
        (b"La kasta\n", True),
        (b"# Title\n\nLa kasta\n", True),
        (b"#hashtag\n", True),
        (b"1 kasta\n", True),
        (b"1999\n", True),
        (b"1\tkasta\t_\n", False),
        (b"\xef\xbb\xbf# newdoc\n1-2\tdelo\t_\n", False),
        (b"# text = a\n", False),
        (b"", False),
    ],
)
def test_text_is_recognised(beginning: bytes, text: bool) -> None:
    assert is_text(beginning) == text


def test_a_model_without_text_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    malt.train("".join(malt.sample.text(20))).save(tmp_path / "plain")
    (tmp_path / "t.txt").write_text("La kasta domé.\n")
    words = ["parse", "-c", str(tmp_path / "plain"), str(tmp_path / "t.txt")]
    assert "t.txt, line 1" in error(capsys, *words)
    for more in (["--input", "text"], ["--until", "tags"], ["--retag"]):
        assert "malt train --text" in error(capsys, *words, *more)
    with pytest.raises(UsageError, match="knows nothing of text"):
        malt.load(tmp_path / "plain")("La kasta.")


def test_options_that_do_not_go_together(tmp_path: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = ["train", "-c", str(tmp_path / "x")]
    gold = str(folder / "gold.conllu")
    assert "--jackknife is for models that tag" in error(capsys, *train, "--jackknife", "3", gold)
    assert "leave one of them out" in error(capsys, *train, "--text", "--from", folder / "m", gold)
    (tmp_path / "x.conll").write_text("".join(malt.sample.text(5)))
    assert "-of conllu" in error(capsys, *train, "-q", "--text", tmp_path / "x.conll")


# The library


def test_the_library_gives_words_with_offsets(model: malt.Model) -> None:
    text = " La kasta domé.\n\nMira vidé kastan alo leros."
    sentences = list(model(text))
    for sentence in sentences:
        offsets = sentence.offsets
        assert offsets is not None
        assert len(offsets) == len(sentence)
        for form, (begin, end) in zip(sentence.forms, offsets, strict=True):
            assert text[begin:end] == form or form in ("ad", "lo")  # `alo` is two words
    assert sentences[0].forms == ["La", "kasta", "domé", "."]
    assert sentences[0].tags == ["DET", "NOUN", "VERB", "PUNCT"]
    assert sentences[0].lemmas[0] == "lo"
    assert sorted(sentences[0].heads)[0] == 0
    assert sentences[0].labels[-1] == "punct"
    assert pickle.loads(pickle.dumps(sentences[0])).offsets == sentences[0].offsets


def test_a_text_may_be_a_file_or_come_in_parts(model: malt.Model, folder: Path) -> None:
    path = folder / "story.txt"
    text = path.read_text(encoding="utf-8")
    whole = [str(sentence) for sentence in model(text)]
    assert [str(sentence) for sentence in model(path)] == whole
    parts = (text[at : at + 37] for at in range(0, len(text), 37))
    assert [str(sentence) for sentence in model(parts)] == whole
    with pytest.raises(UsageError, match="not bytes"):
        list(model(b"La kasta."))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="expected text, lines"):
        model("La kasta.", input="words")


def test_sentences_come_before_the_text_ends(model: malt.Model) -> None:
    read = 0

    def parts():
        nonlocal read
        while True:
            read += 1
            yield "La kasta domé. Mira vidé kastan. "

    sentences = model(parts())
    assert next(sentences).forms[:2] == ["La", "kasta"]
    assert read < 50


def test_memory_does_not_grow(model: malt.Model) -> None:
    assert model.text is not None
    peaks = []
    for count in (10_000, 100_000):
        source = TextSource(
            model.text,
            read_text(b"La kasta dome. " * count, model.format, "x", model.tables, frozen=True),
            TEXT,
            model.tables,
        )
        tracemalloc.start()
        assert sum(len(block) for block in source) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0] + 1_000_000


@pytest.mark.filterwarnings("ignore::malt.MaltWarning")
def test_ever_new_words_leave_nothing_behind(model: malt.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the kernel keeps from one block to the next is of the model's words, and not of those of the blocks."""

    letters = itertools.product("bdfgklmnprst", "aeiou", repeat=3)

    def new_words() -> str:
        return "".join(f"La {name}an vidé {name}osa.\n\n" for name in map("".join, itertools.islice(letters, 100)))

    [parser] = model._idle or [model.make_parser()]
    monkeypatch.setattr(model, "_idle", [parser])
    features, sizes, traced = parser.machine.program.features, [], []
    tracemalloc.start()
    for _ in range(12):
        assert sum(map(len, model(new_words()))) == 500
        sizes.append(features.size)
        traced.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[0] > 10_000
    assert sizes[-1] == sizes[3]
    assert traced[-1] < traced[3] + 20_000


def test_short_words_that_are_unknown_are_like_others_of_their_ending() -> None:
    """A word has no ending that is longer than itself."""
    rows = [f"1\t{stem}s\t{stem}\tNOUN" + "\t_" * 6 + "\n2\tdo\tdo\tVERB" + "\t_" * 6 + "\n\n" for stem in PLURALS]
    format = find_format("conllu")
    learned, _ = TextLearning(list(read_text("".join(rows).encode() * 3, format, "x", make_tables(format)))).learn(1)
    unknown = "".join(f"1\t{form}" + "\t_" * 8 + "\n\n" for form in ("zats", "zs", "zids"))
    [block] = list(read_text(unknown.encode(), format, "x"))
    found = Annotator(learned).annotate(block)
    fields = [line.split("\t") for line in found.text.decode().splitlines() if line]
    assert [field[2] for field in fields] == ["zat", "z", "zid"]
    assert {field[3] for field in fields} == {"NOUN"}


# Hostile text


@pytest.mark.parametrize("text", ["", " \n\n\t", "\ufeff", "\0", "\r\n"])
def test_nothing_comes_of_nothing(text: str, parse: Run, model: malt.Model) -> None:
    assert parse(text, "--input", "text") == ""
    assert list(model(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "kasta",
        "la 😀👍🏽👨‍👩‍👧 kasta",
        "e\u0301te\u0301 नमस्ते दुनिया",
        "שלום עולם. مرحبا بالعالم.",
        "今天天气很好。我们去公园。",
        "a\0b\x01c\x7fd\x85e",
        "la\rkasta\r\rdomé",
        "\u2028kasta\u2029domé\u3000",
        "1\tkasta",
        "# sent_id = 5",
        "|\\s\\n=_",
    ],
)
def test_any_text_can_be_restored(text: str, parse: Run, model: malt.Model) -> None:
    found = parse(text, "--input", "text")
    assert restored(found) == text
    sentences = malt.read(found)
    assert sum(map(len, sentences)) > 0
    for sentence in model(text):
        for form, (begin, end) in zip(sentence.forms, sentence.offsets or [], strict=True):
            assert text[begin:end] == form


def test_marks_stay_with_their_characters(model: malt.Model) -> None:
    forms = [form for sentence in model("e\u0301te\u0301 नमस्ते 👨‍👩‍👧") for form in sentence.forms]
    assert not any(form[0] in "\u0301\u200d\u0938\u094d\u0947" and len(form) == 1 for form in forms)
    assert "👨‍👩‍👧" in forms


@pytest.mark.parametrize("text", ["kasta " * 50_000, "k" * 300_000, "." * 100_000, "\n" * 300_000 + "kasta"])
def test_long_lines_are_cut(text: str, model: malt.Model) -> None:
    assert model.text is not None
    source = TextSource(
        model.text, read_text(text.encode(), model.format, "x", model.tables, frozen=True), TEXT, model.tables
    )
    blocks = list(source)
    assert max(numpy.diff(block.starts).max() for block in blocks) <= 1000
    assert restored("".join(block.text.decode() for block in blocks)).strip() == text.strip()


def test_bytes_that_are_no_text(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.txt").write_bytes(b"La kasta.\nMira \xff\xfe\n")
    line = error(capsys, "parse", "-q", "-c", folder / "m", tmp_path / "bad.txt")
    assert "bad.txt, line 2, column 6: byte 0xFF is not UTF-8" in line


def test_other_charsets(folder: Path, parse: Run) -> None:
    text = "La kasta domé.\n"
    assert parse(text.encode("latin-1"), "-ic", "ISO-8859-1", "-oc", "UTF-8") == parse(text)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("until", ["tokens", "tags", "trees"])
def test_a_full_disk(folder: Path, until: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["parse", "-q", "-c", str(folder / "m"), "--until", until, "-o", "/dev/full", str(folder / "story.txt")]
    assert "No space left" in error(capsys, *words)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no limit for files")
def test_a_model_is_written_whole_or_not_at_all(folder: Path, tmp_path: Path) -> None:
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000,) * 2)"
    program = f"{limit}; from malt.commands import malt; sys.exit(malt(sys.argv[1:]))"
    words = ["train", "-q", "-c", tmp_path / "x", "--text", "--passes", "1", "--jackknife", "2", folder / "gold.conllu"]
    done = subprocess.run([sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True)
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert re.fullmatch(r"malt: .*x\.mco: File too large; nothing was written\n", done.stderr)


# Models


def test_damaged_entries_are_refused(model: malt.Model) -> None:
    assert model.text is not None
    entries = write_text(model.text)
    again = read_text_model(entries, "m.mco")
    assert again is not None
    assert write_text(again) == entries
    for name in entries:
        for data in (
            b"",
            entries[name][:-1],
            entries[name] + b"x",
            entries[name].replace(b'"version": 1', b'"version": 9'),
        ):
            with pytest.raises(DataError, match=name.replace(".", r"\.")):
                read_text_model({**entries, name: data}, "m.mco")
    for old, new in ((b'"form[0]"', b'"frm[0]"'), (b'"UPOSTAG", ', b""), (b'["DET"', b'["D\\tT"')):
        assert old in entries[TAGGER]
        with pytest.raises(DataError, match=r"tagger\.weights: it is damaged"):
            read_text_model({**entries, TAGGER: entries[TAGGER].replace(old, new, 1)}, "m.mco")
    assert read_text_model({}, "m.mco") is None
    assert TOKENIZER in entries


def test_any_damage_is_told(model: malt.Model) -> None:
    assert model.text is not None
    entries = write_text(model.text)
    random = numpy.random.default_rng(1)
    for name, data in entries.items():
        for place in random.integers(0, len(data), 40).tolist():
            damaged = bytearray(data)
            damaged[place] ^= 1 << int(random.integers(8))
            try:
                found = read_text_model({**entries, name: bytes(damaged)}, "m.mco")
            except DataError:
                continue
            assert found is not None  # another weight is no damage that can be seen


def test_a_model_that_was_saved_is_the_same(model: malt.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "copy")
    text = "La kasta domé. Mira vidé kastan."
    assert (
        list(malt.load(tmp_path / "copy")(text)) == list(model(text)) == list(pickle.loads(pickle.dumps(model))(text))
    )


# The parts


def test_the_text_of_a_treebank() -> None:
    tight = "\t_" * 7 + "\tSpaceAfter=No\n"
    conllu = f"# newpar\n# text = Im Zug!\n1-2\tIm\t_\n1\tIn\t_\n2\tdem\t_\n3\tZug{tight}4\t!\t_\n\n"
    other = f"# newpar\n# text = nothing of it\n1\tJa{tight}2\t.\t_\n\n"
    surface = make_surface(read_surface([conllu + other]))
    assert surface.text == b"Im Zug! \n\nJa. "
    assert surface.ends.tolist() == [2, 6, 7, 12, 13]
    assert surface.last.tolist() == [0, 0, 1, 0, 1]
    assert blanks_of("A=b|SpacesAfter=\\s\\x00\\p") == " \0|"


def test_tokens_are_split_by_their_endings() -> None:
    seen = [
        ("don't", ("do", "n't")),
        ("can't", ("ca", "n't")),
        ("won't", ("wo", "n't")),
        ("del", ("de", "el")),
        ("ant", ()),
    ]
    splits, lists = learn_splits(SurfaceToken(form, words, " ") for form, words in seen * 2)
    assert ((-1, 3, ""), (3, 0, "")) in splits
    conllu = ""
    for form, words in seen * 30:
        count = max(1, len(words))
        rest = "\t_" * 8 + "\n"
        conllu += f"1-{count}\t{form}{rest}" if words else ""
        conllu += "".join(f"{place}\t{word}{rest}" for place, word in enumerate(words or (form,), 1)) + "\n"
    format = find_format("conllu")
    tokenizer = learn_tokenizer(list(read_text(conllu.encode(), format, "x"))).make_tokenizer()
    text = tokenizer.tokenize(b"Isn't DEL Del ant n't", True, True)[0].decode()
    words = [line.split("\t")[1] for line in text.splitlines() if re.match(r"\d+\t", line)]
    assert words == ["Is", "n't", "DE", "EL", "De", "el", "ant", "n't"]
    assert len(lists.keys) > 0


def test_words_without_blanks_between_them_are_found() -> None:
    """A treebank whose blanks were removed."""
    format = find_format("conllu")

    def joined(treebank: str) -> str:
        lines = []
        for line in treebank.splitlines():
            fields = line.split("\t")
            if line.startswith("# text = "):
                line = f"# text = {line[9:].replace(' ', '')}"
            elif len(fields) == 10 and re.fullmatch(r"\d+(-\d+)?", fields[0]):
                line = "\t".join([*fields[:9], "SpaceAfter=No"])
            lines.append(line)
        return "\n".join(lines) + "\n"

    blocks = list(read_text(joined(sample(400)).encode(), format, "x"))
    tokenizer = learn_tokenizer(blocks).make_tokenizer()
    gold = list(read_surface([joined(sample(50, 5))]))
    right = count = 0
    for sentence in gold:
        found, *_ = tokenizer.tokenize("".join(token.form for token in sentence.tokens).encode())
        ends = [
            set(numpy.cumsum([len(t.form) for s in read_surface([x]) for t in s.tokens]).tolist())
            for x in (found.decode(),)
        ]
        wanted = set(numpy.cumsum([len(token.form) for token in sentence.tokens]).tolist())
        right += len(ends[0] & wanted)
        count += len(ends[0] | wanted)
    assert right > 0.6 * count


def test_a_token_may_have_blanks() -> None:
    conllu = "# text = il y a 10 000 francs\n" + "".join(
        f"{place}\t{form}" + "\t_" * 8 + "\n" for place, form in enumerate(["il", "y", "a", "10 000", "francs"], 1)
    )
    blocks = list(read_text((conllu + "\n").encode() * 20, find_format("conllu"), "x"))
    found = learn_tokenizer(blocks).make_tokenizer().tokenize(b"il y a 10 000 francs")[0].decode()
    assert "4\t10 000\t" in found


def test_scripts_make_lemmas() -> None:
    assert find_script("Went", "go")[3:] == ("", "go")
    for form, lemma in (("ge\u00adsehen", "sehen"), ("İstanbul", "İstanbul"), ("ß", "SS"), ("a", "b"), ("USA", "usa")):
        case, left, right, before, after = find_script(form, lemma)
        assert left + right <= len(form)
        assert case in range(4)
        assert before + after or left + right < len(form)


def test_parts_of_tags() -> None:
    parts, classes = parts_of([("NOUN",), ("VERB",)])
    assert parts.shape == (2, 0)
    assert classes == 2


def test_an_annotator_leaves_alone_what_is_there(model: malt.Model) -> None:
    assert model.text is not None
    [block] = list(read_text(sample(5).encode(), model.format, "x", model.tables, frozen=True))
    assert Annotator(model.text).annotate(block) is block


@pytest.mark.slow
def test_the_model_with_a_beam_and_other_learners(tmp_path: Path) -> None:
    for options in ({"beam": 2}, {"learner": "liblinear"}, {"algorithm": "eisner"}):
        model = malt.train(
            sample(40), text=True, jackknife=2, **({} if "learner" in options else {"passes": 2}), **options
        )
        [sentence] = model("La kasta domé.")
        assert sentence.heads.count(0) >= 1


def test_a_blend_takes_text(folder: Path, tmp_path: Path) -> None:
    malt.train(sample(40, 2), text=True, beam=2, **OPTIONS).save(tmp_path / "two")
    out = tmp_path / "out.conllu"
    words = ["parse", "-q", "-c", folder / "m", "-c", tmp_path / "two", "-o", out, folder / "story.txt"]
    assert main([str(word) for word in words]) == 0
    assert malt.read(out)[0].tags[0] != "_"


def test_standard_input(folder: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary) -> None:
    class Standard(io.BytesIO):
        @property
        def buffer(self) -> io.BytesIO:
            return self

    monkeypatch.setattr(sys, "stdin", Standard("La kasta domé.\n".encode()))
    assert main(["parse", "-q", "-c", str(folder / "m")]) == 0
    assert b"1\tLa\tlo\tDET" in capsysbinary.readouterr().out
