"""A component for spaCy: heads and labels from a model, by the tags, lemmas and features of the components before it.

>>> import malt, spacy, tempfile
>>> path = tempfile.mkdtemp() + "/sample.mco"
>>> malt.train(malt.sample.text(50)).save(path)
>>> nlp = spacy.blank("xx")
>>> parser = nlp.add_pipe("malt", config={"model": path})
>>> words = [("la", "DET", "Da"), ("kasta", "NOUN", "Nc"), ("domé", "VERB", "Vf")]
>>> forms, pos, tags = map(list, zip(*words))
>>> doc = nlp(spacy.tokens.Doc(nlp.vocab, words=forms, pos=pos, tags=tags))
>>> [(token.text, token.dep_, token.head.text) for token in doc]
[('la', 'det', 'kasta'), ('kasta', 'nsubj', 'domé'), ('domé', 'ROOT', 'domé')]
"""

# Without `from __future__ import annotations`: spaCy checks a configuration by the types of make_malt as they are.

import json
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import numpy

from malt.data.formats.dataformat import INPUT, find_column
from malt.data.sentence import TAGS, Sentence
from malt.errors import DataError, UsageError, nearest, quoted
from malt.library import load as load_model
from malt.model import Model, unpickled
from malt.running.log import logger

try:
    from spacy import util
    from spacy.attrs import DEP, HEAD
    from spacy.language import Language
    from spacy.pipeline import Pipe
    from spacy.pipeline.dep_parser import parser_score
    from spacy.tokens import Doc, Token
except ModuleNotFoundError as error:
    if error.name != "spacy":
        raise
    raise ModuleNotFoundError("malt.spacy needs spaCy: pip install 'maltkit[spacy]'", name="spacy") from None

from malt.integrations.pipeline import FILE, Tokenizer, load, sentence_starts, set_tags

__all__ = ["Malt", "Tokenizer", "load"]

# Which attribute of a token fills a column; the next one where a word has no value there.
COLUMNS: dict[str, tuple[str, ...]] = {
    "FORM": ("text",),
    "LEMMA": ("lemma_",),
    "CPOSTAG": ("pos_", "tag_"),
    "UPOSTAG": ("pos_", "tag_"),
    "POSTAG": ("tag_", "pos_"),
    "XPOSTAG": ("tag_", "pos_"),
    "FEATS": ("morph",),
}
SPACE = "dep"  # the label of white space, which spaCy has as tokens and no model knows
BATCH = 128
_UNFIT = re.compile(r"[\t\r\n\ufeff]+")  # what no field can hold; a mark at the beginning of a file would be skipped

Getters = tuple[Callable[[Token], object], ...]


class Malt(Pipe):  # type: ignore[misc]
    """The component "malt". `model` is its model; it may be exchanged.

    Sentences are those that the components before it have found. A text without any is parsed as one sentence, or, if
    the model was trained for text, as those that it finds; such a model also sets tags, lemmas and features where words
    have none. What begins a sentence afterwards is what spaCy makes of the trees: each word that hangs on the root has
    its own.
    """

    def __init__(
        self,
        name: str = "malt",
        model: str | os.PathLike[str] | Model | None = None,
        columns: dict[str, str] | None = None,
    ) -> None:
        self.name = name
        self.columns = dict(columns or {})
        for column, attribute in self.columns.items():
            _check(column, attribute)
        self._path = ""
        self._model: Model | None = None
        self._fill: list[Getters | None] = []  # how each column of the model is filled; None: the number of the word
        self._tags: list[int] = []  # where its tags are
        self._warned = False
        self.scorer = parser_score
        if isinstance(model, Model):
            self.model = model
        elif model is not None:
            # A pipeline that is loaded has its model with it, and the path may be one of another machine.
            self._path = os.fspath(model)
            if os.path.exists(self._path) or os.path.exists(f"{self._path}.mco"):
                self.model = load_model(self._path)

    @property
    def model(self) -> Model | None:
        """The model that parses; None before it is read. It does not fail, as spaCy looks at it whenever it likes."""
        return self._model

    @model.setter
    def model(self, model: Model) -> None:
        owner = f"the model of {self.name}"
        columns = {find_column(column, model.format.names, owner): name for column, name in self.columns.items()}
        self._fill = []
        for place, column in enumerate(model.format.columns):
            names = COLUMNS.get(column.name, ()) if column.category == INPUT else ()
            if column.name in columns:
                names = (columns[column.name],) if columns[column.name] else ()
            self._fill.append(None if place == model.format.id_column else tuple(map(attrgetter, names)))
        self._tags = [i for i, column in enumerate(model.format.columns) if column.name in TAGS and self._fill[i]]
        self._model = model

    def _loaded_model(self) -> Model:
        """The model, from its file if it was not there before."""
        if self._model is None:
            if not self._path:
                raise UsageError(f'{self.name} has no model; add it with config={{"model": PATH}}')
            self.model = load_model(self._path)
        assert self._model is not None
        return self._model

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the model knows."""
        if self._model is None:
            return ()
        table = self._model.tables[self._model.format.label_columns[0]]
        return tuple(sorted(symbol for _, symbol in table.symbols()))

    def __call__(self, doc: Doc) -> Doc:
        """Parse one text."""
        self.parse([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = BATCH) -> Iterator[Doc]:
        """Parse texts, so many at once."""
        for docs in util.minibatch(stream, size=batch_size):
            try:
                self.parse(docs)
            except Exception as error:
                self.get_error_handler()(self.name, self, docs, error)
            else:
                yield from docs

    def parse(self, docs: list[Doc]) -> None:
        """Set the heads, the labels and the beginnings of sentences of texts."""
        model = self._loaded_model()
        texts = [list(_sentences(doc, model)) for doc in docs]
        lines = "".join(self._lines(words) for sentences in texts for words in sentences)
        parsed = model.parse(lines) if lines else iter(())
        for doc, sentences in zip(docs, texts, strict=True):
            trees = [(words, next(parsed)) for words in sentences]
            if model.text is not None:
                for words, tree in trees:
                    set_tags(words, tree)
            _set_arcs(doc, trees)

    def _lines(self, words: list[Token]) -> str:
        """A sentence in the model's format."""
        rows = [
            [str(number) if getters is None else _field(word, getters) for getters in self._fill]
            for number, word in enumerate(words, 1)
        ]
        tagged = self._model is not None and self._model.text is not None  # by the model itself
        if (
            self._tags
            and not tagged
            and not self._warned
            and all(row[place] == "_" for row in rows for place in self._tags)
        ):
            self._warned = True
            logger.warning("warning: %s: the words have no tags; put what tags them before it", self.name)
        return "".join("\t".join(row) + "\n" for row in rows) + "\n"

    # Saving: the model's file is a part of the pipeline.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The component with its model."""
        parts = {"columns": lambda: json.dumps(self.columns), FILE: lambda: self._loaded_model().content()}
        data: bytes = util.to_bytes(parts, exclude)
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "Malt":
        """Become what `to_bytes` gave."""
        util.from_bytes(data, {"columns": self._read_columns, FILE: self._read_file}, exclude)
        return self._read()

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Write the component to a folder; the model in it is a file as any other."""
        writers = {
            "columns": lambda place: place.write_text(json.dumps(self.columns), encoding="utf-8"),
            FILE: lambda place: place.write_bytes(self._loaded_model().content()),
        }
        util.to_disk(Path(path), writers, exclude)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> "Malt":
        """Become what `to_disk` wrote."""
        readers = {
            "columns": lambda place: self._read_columns(place.read_text(encoding="utf-8")),
            FILE: lambda place: self._read_file(place.read_bytes()),
        }
        util.from_disk(Path(path), readers, exclude)
        return self._read()

    def _read_columns(self, text: str) -> None:
        try:
            columns = json.loads(text)
        except (ValueError, RecursionError):
            columns = None
        if not isinstance(columns, dict) or not all(isinstance(name, str) for name in columns.values()):
            raise DataError(f"the columns of {self.name}: expected JSON, an object of texts, not {quoted(str(text))}")
        for column, attribute in columns.items():
            _check(column, attribute)
        self.columns = columns

    def _read_file(self, file: bytes) -> None:
        self._model = unpickled(file, f"the model of {self.name}")

    def _read(self) -> "Malt":
        if self._model is not None:
            self.model = self._model  # by the columns that were read
        return self


def make_malt(nlp: Language, name: str, model: str | None, columns: dict[str, str]) -> Malt:
    """What `nlp.add_pipe("malt")` calls."""
    return Malt(name, model, columns)


Language.factory(
    "malt",
    default_config={"model": None, "columns": {}},
    assigns=["token.dep", "token.head", "token.is_sent_start", "doc.sents"],
    func=make_malt,
)


def _sentences(doc: Doc, model: Model) -> Iterator[list[Token]]:
    """The words of each sentence; white space is none."""
    spans: Iterable[Iterable[Token]] = [doc]
    if doc.has_annotation("SENT_START"):
        spans = doc.sents
    elif model.text is not None:
        starts = sentence_starts(model, doc.text)
        numbers = [bisect_right(starts, token.idx) for token in doc]
        spans = [[doc[i] for i in places] for _, places in groupby(range(len(doc)), numbers.__getitem__)]
    for span in spans:
        if words := [token for token in span if not token.is_space]:
            yield words


def _set_arcs(doc: Doc, parsed: list[tuple[list[Token], Sentence]]) -> None:
    """Write trees into a text. White space hangs on the word before it, or else on the first one."""
    first = next((token.i for token in doc if not token.is_space), 0)
    heads = [first] * len(doc)
    labels = [SPACE] * len(doc)
    for words, tree in parsed:
        for word, head, label in zip(words, tree.heads, tree.labels, strict=True):
            heads[word.i] = words[head - 1].i if head > 0 else word.i
            labels[word.i] = label or SPACE
    last = first
    for token in doc:
        if not token.is_space:
            last = token.i
        elif token.i > first:
            heads[token.i] = last
    if heads:
        offsets = numpy.array(heads) - numpy.arange(len(doc))
        names = numpy.array([doc.vocab.strings.add(label) for label in labels], numpy.uint64)
        doc.from_array([HEAD, DEP], numpy.stack([offsets.astype(numpy.uint64), names], axis=1))


def _field(word: Token, getters: Getters) -> str:
    """What is in one column: of the attributes that may fill it, the first that the word has."""
    for getter in getters:
        value = getter(word)
        if value is not None and (text := _UNFIT.sub(" ", str(value)).strip()):
            return text
    return "_"


def _check(column: str, attribute: str) -> None:
    """Refuse an attribute that no token has, and a number where its text is meant."""
    first = attribute.split(".")[0]
    if first and not hasattr(Token, first):
        hint = nearest(first, dir(Token)) or "; expected an attribute such as tag_, lemma_ or _.name"
        raise UsageError(f"columns: {column}: {quoted(attribute)} is no attribute of a token{hint}")
    if attribute and hasattr(Token, f"{attribute}_"):
        raise UsageError(f"columns: {column}: {attribute} is a number; for its text give {attribute}_")
