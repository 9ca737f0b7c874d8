"""The component for spaCy in blank pipelines of the real spaCy."""

from __future__ import annotations

import pickle
import subprocess
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import malt
import malt.errors

pytest.importorskip("spacy", reason="spaCy is absent: pip install 'maltkit[spacy]'")

import spacy
from spacy.tokens import Doc, Token
from spacy.training import Example

import malt.spacy
from malt.spacy import Malt

pytestmark = pytest.mark.slow

TEST = malt.read("".join(malt.sample.text(30, seed=9)))


@pytest.fixture(scope="module", params=["conllx", "conllu"])
def model(request: pytest.FixtureRequest) -> malt.Model:
    return malt.train(malt.sample.text(80, request.param), algorithm="2planar")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("model") / "sample.mco")
    malt.train(malt.sample.text(80)).save(path)
    return path


def pipeline(model: malt.Model | str | None, **columns: str) -> spacy.Language:
    nlp = spacy.blank("xx")
    config = {"model": model if isinstance(model, str) else None, "columns": columns}
    component = nlp.add_pipe("malt", config=config)
    if isinstance(model, malt.Model):
        component.model = model
    return nlp


def doc_of(nlp: spacy.Language, sentences: list[malt.Sentence], starts: bool = True) -> Doc:
    rows = [row for sentence in sentences for row in sentence.rows]
    return Doc(
        nlp.vocab,
        words=[row["FORM"] for row in rows],
        tags=[row["POSTAG"] for row in rows],
        pos=[row["CPOSTAG"] for row in rows],
        lemmas=[row["LEMMA"] for row in rows],
        morphs=["" if row["FEATS"] == "_" else row["FEATS"] for row in rows],
        sent_starts=[i == 0 for sentence in sentences for i in range(len(sentence))] if starts else None,
    )


def heads(doc: Doc) -> list[int]:
    return [0 if token.head.i == token.i else token.head.i + 1 for token in doc]


def arcs(doc: Doc) -> list[tuple[int, str]]:
    return list(zip(heads(doc), (token.dep_ for token in doc), strict=True))


def expected(model: malt.Model, sentences: list[malt.Sentence]) -> list[list[tuple[int, str]]]:
    names = {"CPOSTAG": "UPOSTAG", "POSTAG": "XPOSTAG"} if model.format.name == "conllu" else {}
    columns = ("FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS")
    rows = [[{names.get(c, c): row[c] for c in columns} for row in sentence.rows] for sentence in sentences]
    parsed = [model.parse_tokens(words) for words in rows]
    return [list(zip(sentence.heads, map(str, sentence.labels), strict=True)) for sentence in parsed]


# -- what is set


def test_arcs_are_those_of_the_model(model: malt.Model) -> None:
    """Every column is filled: the same heads and labels as from the file."""
    nlp = pipeline(model)
    for sentence, found in zip(TEST, expected(model, TEST), strict=True):
        doc = nlp(doc_of(nlp, [sentence]))
        assert arcs(doc) == found
        assert doc.has_annotation("DEP", require_complete=True)
        assert doc.has_annotation("SENT_START", require_complete=True)


def test_batches(model: malt.Model) -> None:
    nlp = pipeline(model)
    found = expected(model, TEST)
    for size in (1, 7, 1000):
        docs = nlp.pipe([doc_of(nlp, [sentence]) for sentence in TEST], batch_size=size)
        assert [arcs(doc) for doc in docs] == found
    assert list(nlp.pipe([])) == []
    assert [len(doc) for doc in nlp.pipe(["", "la", " ", ""])] == [0, 1, 1, 0]


def test_processes(path: str) -> None:
    nlp = pipeline(path)
    texts = [" ".join(map(str, sentence.forms)) for sentence in TEST]
    alone = [arcs(doc) for doc in nlp.pipe(texts)]
    assert [arcs(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=8)] == alone


def test_sentences(model: malt.Model) -> None:
    """Sentences that were found before are parsed one by one; those of the trees are what there is afterwards."""
    nlp = pipeline(model)
    trees = expected(model, TEST)
    single = [i for i, tree in enumerate(trees) if [head for head, _ in tree].count(0) == 1][:4]
    several = [i for i, tree in enumerate(trees) if [head for head, _ in tree].count(0) > 1]
    doc = nlp(doc_of(nlp, [TEST[i] for i in single]))
    assert [len(sent) for sent in doc.sents] == [len(TEST[i]) for i in single]
    assert [sent.root.head.i - sent.start + 1 for sent in doc.sents] == [
        [head for head, _ in trees[i]].index(0) + 1 for i in single
    ]
    for i in several:
        doc = nlp(doc_of(nlp, [TEST[i]]))
        assert arcs(doc) == trees[i]
        again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
        assert [token.is_sent_start for token in again] == [token.is_sent_start for token in doc]
        assert all(sent.root.head == sent.root or sent.root.head not in sent for sent in doc.sents)
    whole = nlp(doc_of(nlp, TEST[:2], starts=False))  # one sentence, as nobody says where they begin
    [tree] = expected(model, [malt.Sentence.from_rows(TEST[0].rows + renumbered(TEST[1], len(TEST[0])))])
    assert arcs(whole) == tree


def renumbered(sentence: malt.Sentence, after: int) -> list[dict[str, str]]:
    return [{**row, "ID": str(int(row["ID"]) + after), "HEAD": "_"} for row in sentence.rows]


def test_white_space(path: str) -> None:
    """It is no word of the model's, and hangs on the word before it."""
    nlp = pipeline(path)
    plain = nlp("la kasta domé")
    spaced = nlp("  la  \n kasta\t domé \n")
    words = [token for token in spaced if not token.is_space]
    assert [(t.text, t.dep_, t.head.text) for t in words] == [(t.text, t.dep_, t.head.text) for t in plain]
    for token in spaced:
        if token.is_space:
            assert token.dep_ == "dep"
            assert token.head == (spaced[token.i - 1] if token.i else words[0])
    assert [(t.dep_, t.head.i) for t in nlp(Doc(nlp.vocab, words=[" ", "\n", "\t"]))] == [("dep", 0)] * 3


def test_words_of_all_kinds(model: malt.Model) -> None:
    nlp = pipeline(model)
    words = ["#", "a\tb", "\ufeff", "1-2", "x\ny", "<b>", "🙂", "\x00", "_", "a b", "\u2028x", "e\u0301"]
    doc = nlp(Doc(nlp.vocab, words=words, tags=["x y"] * len(words)))
    assert all(token.dep_ for token in doc)
    assert [token.text for token in doc] == words


def test_other_formats() -> None:
    for format, text in (
        ("malttab", "la\tDa\t2\tdet\nkasta\tNc\t0\tROOT\n"),
        ("conllx", "1\t#\t_\tX\tX\t_\t0\tROOT\n"),
    ):
        nlp = pipeline(malt.train(text, format=format))
        doc = nlp(Doc(nlp.vocab, words=["\ufeffla", "#", "kasta"], tags=["Da", "Nc", "Nc"]))
        assert len(doc) == 3
        assert doc.has_annotation("DEP")


# -- which attribute fills a column


class Spy(malt.Model):
    """A model that keeps what it is given."""

    def parse(self, sentences, charset="UTF-8"):  # type: ignore[no-untyped-def]
        self.given = sentences
        return super().parse(sentences, charset)


@cache
def spy(format: str) -> malt.Model:
    model = malt.train(malt.sample.text(20, format))
    model.__class__ = Spy
    return model


def given(format: str, doc_args: dict[str, list[str]], **columns: str) -> list[list[str]]:
    model = spy(format)
    nlp = pipeline(model, **columns)
    nlp(Doc(nlp.vocab, **doc_args))
    return [line.split("\t") for line in model.given.splitlines() if line]  # type: ignore[attr-defined]


FULL = {"words": ["Kasta"], "tags": ["Nc"], "pos": ["NOUN"], "lemmas": ["kast"], "morphs": ["Case=Nom|Number=Sing"]}
REST = ["_"] * 4


@pytest.mark.parametrize("format", ["conllx", "conllu"])
def test_columns(format: str) -> None:
    fine = "POSTAG" if format == "conllx" else "XPOS"
    morph = "Case=Nom|Number=Sing"
    assert given(format, FULL) == [["1", "Kasta", "kast", "NOUN", "Nc", morph, *REST]]
    assert given(format, FULL, **{fine: "pos_"}) == [["1", "Kasta", "kast", "NOUN", "NOUN", morph, *REST]]
    assert given(format, FULL, form="lower_", FEATS="") == [["1", "kasta", "kast", "NOUN", "Nc", "_", *REST]]
    Token.set_extension("malt_test", default="a\tb", force=True)
    assert given(format, FULL, LEMMA="_.malt_test") == [["1", "Kasta", "a b", "NOUN", "Nc", morph, *REST]]
    # One kind of tags stands in for the other.
    assert given(format, {"words": ["x"], "tags": ["T"]}) == [["1", "x", "_", "T", "T", "_", *REST]]
    assert given(format, {"words": ["x"], "pos": ["NOUN"]}) == [["1", "x", "_", "NOUN", "NOUN", "_", *REST]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"POSTAG": "tag"}, "columns: POSTAG: tag is a number; for its text give tag_"),
        ({"POSTAG": "tagg_"}, "'tagg_' is no attribute of a token; did you mean tag_"),
        ({"POSTAG": "nothing.of.the.kind"}, "expected an attribute such as tag_"),
        ({"POSTAGG": "tag_"}, "'POSTAGG' is no column of the model of malt; did you mean POSTAG"),
    ],
)
def test_wrong_columns(path: str, columns: dict[str, str], message: str) -> None:
    with pytest.raises(malt.UsageError, match=message):
        pipeline(path, **columns)


def test_untagged_words_are_noticed_once(path: str, caplog: pytest.LogCaptureFixture) -> None:
    nlp = pipeline(path)
    nlp("la kasta")
    nlp("la kasta")
    assert [record.getMessage() for record in caplog.records] == [
        "warning: malt: the words have no tags; put what tags them before it"
    ]


# -- in pipelines


def test_entry_point(tmp_path: Path) -> None:
    """`nlp.add_pipe("malt")` needs no import of ours."""
    [entry] = entry_points(group="spacy_factories", name="malt")
    assert entry.value == "malt.integrations.spacy:make_malt"
    code = "import spacy; nlp = spacy.blank('xx'); nlp.add_pipe('malt'); print(nlp.pipe_names)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "['malt']\n"


def test_with_other_components(path: str) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    ruler = nlp.add_pipe("attribute_ruler")
    ruler.add([[{"LOWER": "la"}]], {"TAG": "Da", "POS": "DET"})
    ruler.add([[{"LOWER": "kasta"}]], {"TAG": "Nc", "POS": "NOUN"})
    ruler.add([[{"LOWER": "domé"}]], {"TAG": "Vf", "POS": "VERB"})
    parser = nlp.add_pipe("malt", config={"model": path})
    doc = nlp("La kasta domé. La kasta domé.")
    assert [token.head.text for token in doc][:3] == ["kasta", "domé", "domé"]
    assert len(list(doc.sents)) == 2
    assert "det" in parser.labels
    assert nlp.analyze_pipes()["summary"]["malt"]["assigns"] == [
        "token.dep",
        "token.head",
        "token.is_sent_start",
        "doc.sents",
    ]


def test_scores(model: malt.Model) -> None:
    nlp = pipeline(model)
    gold = [doc_of(nlp, [sentence]) for sentence in TEST]
    for doc, sentence in zip(gold, TEST, strict=True):
        for token, head, label in zip(doc, sentence.heads, sentence.labels, strict=True):
            token.head = doc[head - 1] if head else token
            token.dep_ = label or ""
    examples = [Example(doc_of(nlp, [sentence]), doc) for sentence, doc in zip(TEST, gold, strict=True)]
    scores = nlp.evaluate(examples)
    assert 0.3 < scores["dep_las"] < scores["dep_uas"] < 1


def test_errors(path: str, tmp_path: Path) -> None:
    with pytest.raises(malt.UsageError, match="malt has no model; add it with config"):
        pipeline(None)("la kasta")
    absent = pipeline(str(tmp_path / "absent"))
    with pytest.raises(malt.MaltError, match=r"absent.mco: no such model"):
        absent("la kasta")
    failed: list[str] = []
    absent.set_error_handler(lambda name, component, docs, error: failed.append(f"{name} {len(docs)} {error}"))
    assert list(absent.pipe(["la", "kasta"])) == []
    assert failed == [f"malt 2 {tmp_path / 'absent'}.mco: no such model"]
    (tmp_path / "bad.mco").write_bytes(b"nothing of the kind")
    with pytest.raises(malt.DataError, match="not a model"):
        pipeline(str(tmp_path / "bad.mco"))


# -- the model travels with the pipeline


def same(one: spacy.Language, other: spacy.Language) -> bool:
    return [arcs(one(doc_of(one, [s]))) for s in TEST] == [arcs(other(doc_of(other, [s]))) for s in TEST]


def test_disk(path: str, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere.mco"
    place.write_bytes(Path(path).read_bytes())
    nlp = pipeline(str(place), POSTAG="pos_")
    nlp.to_disk(tmp_path / "pipeline")
    place.unlink()  # as on another machine
    loaded = spacy.load(tmp_path / "pipeline")
    assert loaded.get_pipe("malt").columns == {"POSTAG": "pos_"}
    assert same(nlp, loaded)
    assert not same(nlp, pipeline(path))  # which looks at other tags
    assert malt.load(tmp_path / "pipeline" / "malt" / "model").algorithm == "nivreeager"
    loaded.to_disk(tmp_path / "again")
    assert same(nlp, spacy.load(tmp_path / "again"))
    nlp.add_pipe("sentencizer", first=True)  # spaCy looks into components when there are several
    nlp.to_disk(tmp_path / "two")
    assert same(nlp, spacy.load(tmp_path / "two"))


def test_bytes(path: str, tmp_path: Path) -> None:
    nlp = pipeline(path, POSTAG="pos_")
    data = nlp.to_bytes()
    empty = spacy.blank("xx")
    empty.add_pipe("malt")
    empty.from_bytes(data)
    assert same(nlp, empty)
    assert empty.get_pipe("malt").columns == {"POSTAG": "pos_"}
    config = nlp.config
    config["components"]["malt"]["model"] = str(tmp_path / "absent")
    assert same(nlp, spacy.util.get_lang_class("xx").from_config(config).from_bytes(data))
    component = nlp.get_pipe("malt")
    kept = component.to_bytes(exclude=["model"])
    assert len(kept) < 100
    assert same(nlp, pipeline(Malt(model=path).from_bytes(kept).model, POSTAG="pos_"))
    damaged = component.to_bytes().replace(b"PK", b"KP")
    with pytest.raises(malt.DataError, match="the model of malt: it is not a model of MaltParser"):
        Malt().from_bytes(damaged)


def test_pickle_and_source(path: str) -> None:
    nlp = pipeline(path)
    other = spacy.blank("xx")
    other.add_pipe("malt", source=nlp)
    assert same(nlp, other)
    copy = spacy.blank("xx")
    component = copy.add_pipe("malt")
    component.model = pickle.loads(pickle.dumps(nlp.get_pipe("malt"))).model
    assert same(nlp, copy)


@pytest.mark.parametrize("text", ["[1", '["a"]', '{"FORM": 3}', "[" * 100_000, '{"FORM": "norm"}'])
def test_damaged_columns(text: str, path: str, tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("malt", config={"model": path})
    nlp.to_disk(tmp_path)
    (tmp_path / "malt" / "columns").write_text(text, encoding="utf-8")
    with pytest.raises(malt.MaltError, match=r"the columns of malt: expected JSON|give norm_"):
        spacy.load(tmp_path)


@cache
def text_model() -> malt.Model:
    return malt.train("".join(malt.sample.text(100, "conllu")), text=True, passes=2, jackknife=2)


def text_pipeline(folder: Path) -> spacy.Language:
    text_model().save(folder / "text.mco")
    return malt.spacy.load(folder / "text.mco")


PLAIN = "  La kasta  domé.\n\nMira vidé kastan. "


def test_a_whole_pipeline_is_the_model(tmp_path: Path) -> None:
    doc = text_pipeline(tmp_path)(PLAIN)
    assert doc.text == PLAIN
    found = list(text_model()(PLAIN))
    words = [[token for token in span if not token.is_space] for span in doc.sents]
    assert [[token.text for token in some] for some in words] == [sentence.forms for sentence in found]
    for some, sentence in zip(words, found, strict=True):
        assert [token.pos_ for token in some] == sentence["UPOSTAG"]
        assert [token.tag_ for token in some] == sentence["XPOSTAG"]
        assert [token.lemma_ for token in some] == sentence["LEMMA"]
        assert [str(token.morph) or "_" for token in some] == sentence["FEATS"]
        assert [token.dep_ for token in some] == sentence.labels
        heads = [0 if token.head == token else some.index(token.head) + 1 for token in some]
        assert heads == sentence.heads
        assert [(token.idx, token.idx + len(token)) for token in some] == sentence.offsets


@pytest.mark.parametrize("text", ["", " ", "\n\n", "domé", "e\u0301 \U0001f600!", "a\x00b", "שלום עולם."])
def test_any_text_is_kept(tmp_path: Path, text: str) -> None:
    doc = text_pipeline(tmp_path)(text)
    assert doc.text.replace("\x00", "").split() == text.replace("\x00", "").split()


def test_a_whole_pipeline_is_saved_with_one_model(tmp_path: Path) -> None:
    nlp = text_pipeline(tmp_path)
    wanted = [(token.text, token.dep_) for token in nlp(PLAIN)]
    nlp.to_disk(tmp_path / "pipeline")
    data = nlp.to_bytes()
    (tmp_path / "text.mco").unlink()
    loaded = spacy.load(tmp_path / "pipeline")
    assert [(token.text, token.dep_) for token in loaded(PLAIN)] == wanted
    assert loaded.tokenizer.model is loaded.get_pipe("malt").model
    assert [(token.text, token.dep_) for token in loaded.from_bytes(data)(PLAIN)] == wanted


def test_another_tokenizer_before_a_model_for_text(tmp_path: Path) -> None:
    nlp = pipeline(text_model())
    doc = nlp("La kasta domé. Mira vidé kastan.")
    assert [span.text for span in doc.sents] == ["La kasta domé.", "Mira vidé kastan."]
    assert [token.pos_ for token in doc][:3] == ["DET", "NOUN", "VERB"]
    # What is there stays.
    words = ["La", "kasta", "domé"]
    doc = nlp(Doc(nlp.vocab, words=words, pos=["X", "X", "X"], lemmas=["a", "b", "c"]))
    assert [(token.pos_, token.lemma_) for token in doc] == [("X", "a"), ("X", "b"), ("X", "c")]


def test_pipelines_need_a_model_for_text(path: str) -> None:
    with pytest.raises(malt.errors.UsageError, match="knows nothing of text"):
        malt.spacy.load(path)
    nlp = spacy.blank("xx", config={"nlp": {"tokenizer": {"@tokenizers": "malt.Tokenizer.v1"}}})
    with pytest.raises(malt.errors.UsageError, match="the tokenizer has no model"):
        nlp("La")
