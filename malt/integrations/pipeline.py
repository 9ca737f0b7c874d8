"""A model for text as a whole pipeline of spaCy: its tokenizer, and what its component writes of tags and lemmas.

Importing this needs spaCy; users import `malt.spacy`.
"""

# Without `from __future__ import annotations`: spaCy checks a configuration by the types of make_tokenizer as they are.

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import spacy
from spacy import util
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Token
from spacy.vocab import Vocab

from malt.data.sentence import Sentence
from malt.errors import UsageError
from malt.library import load as load_model
from malt.model import Model, unpickled
from malt.text.source import TEXT, TextSource, open_text
from malt.text.surface import SurfaceSentence, read_surface

FILE = "model.mco"
TOKENIZER = "malt.Tokenizer.v1"


def surfaces(model: Model, text: str) -> Iterator[SurfaceSentence]:
    """The sentences of a text as tokens."""
    if model.text is None:
        raise UsageError(f"{model.path} knows nothing of text; malt.train(..., text=True) makes a model that does")
    with open_text(text, model.format, model.tables) as treebank:
        for piece in TextSource(model.text, treebank, TEXT, model.tables).texts(0):
            yield from read_surface([piece.text.decode()])


def sentence_starts(model: Model, text: str) -> list[int]:
    """Where the sentences of a text begin, by characters."""
    sizes = [
        sum(len(token.before) + len(token.form) + len(token.blanks) for token in sentence.tokens)
        for sentence in surfaces(model, text)
    ]
    return [0, *accumulate(sizes)]


class Tokenizer:
    """The tokenizer of a pipeline, by a model for text. It marks where sentences begin.

    The tokens of spaCy are the words of trees. Where the words of a token do not spell it out, as `de` and `el` for
    `del`, the text of the document has the words; everywhere else it is the text that was given.
    """

    def __init__(self, vocab: Vocab, model: Model | None = None, path: str = "") -> None:
        self.vocab, self.model, self._path = vocab, model, path

    def loaded_model(self) -> Model:
        """The model, from its file if it was not there before."""
        if self.model is None:
            if not self._path:
                raise UsageError(
                    f"the tokenizer has no model; give {TOKENIZER} the path of one, or use malt.spacy.load"
                )
            self.model = load_model(self._path)
        return self.model

    def __call__(self, text: str) -> Doc:
        """The words of a text, and its white space, as spaCy has it."""
        words: list[str] = []
        spaces: list[bool] = []
        starts: list[bool] = []

        def blank(between: str) -> None:
            """White space: one blank belongs to the word before it, all else is a token of its own."""
            if between.startswith(" ") and words:
                spaces[-1], between = True, between[1:]
            if between:
                words.append(between)
                spaces.append(False)
                starts.append(False)

        for sentence in surfaces(self.loaded_model(), text):
            begins = True
            for token in sentence.tokens:
                blank(token.before)
                for word in token.words or (token.form,):
                    words.append(word)
                    spaces.append(False)
                    starts.append(begins)
                    begins = False
                blank(token.blanks)
        if not words and text:
            blank(text)
        # What stands before the first sentence is a part of it.
        first = starts.index(True) if True in starts else 0
        starts[: first + 1] = [True, *[False] * first][: len(starts)]
        return Doc(self.vocab, words=words, spaces=spaces, sent_starts=starts or None)

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """The same of several."""
        return map(self, texts)

    # Saving: the model's file is a part of the pipeline.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The tokenizer with its model."""
        data: bytes = util.to_bytes({FILE: lambda: self.loaded_model().content()}, exclude)
        return data

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "Tokenizer":
        """Become what `to_bytes` gave."""
        util.from_bytes(data, {FILE: self._read}, exclude)
        return self

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Write the model to a file of a pipeline."""
        Path(path).write_bytes(self.loaded_model().content())

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> "Tokenizer":
        """Become what `to_disk` wrote."""
        self._read(Path(path).read_bytes())
        return self

    def _read(self, file: bytes) -> None:
        self.model = unpickled(file, "the model of the tokenizer")


def make_tokenizer(model: str | None = None) -> Callable[[Language], Tokenizer]:
    """What the configuration of a pipeline calls."""

    def create(nlp: Language) -> Tokenizer:
        return Tokenizer(nlp.vocab, path=model or "")

    return create


spacy.registry.tokenizers(TOKENIZER, func=make_tokenizer)


def load(path: str | os.PathLike[str], lang: str = "xx") -> Language:
    """A pipeline of spaCy that is one model of `malt train --text`: words, sentences, tags, lemmas, trees."""
    place = os.fspath(path)
    model = load_model(place)
    if model.text is None:
        raise UsageError(f"{model.path} knows nothing of text; malt.train(..., text=True) makes a model that does")
    nlp = spacy.blank(lang, config={"nlp": {"tokenizer": {"@tokenizers": TOKENIZER, "model": place}}})
    nlp.tokenizer.model = model
    nlp.add_pipe("malt").model = model
    return nlp


def set_tags(words: Sequence[Token], sentence: Sentence) -> None:
    """Give words the tags, lemmas and features that the model found, where they have none."""
    columns = [sentence[name] for name in ("UPOSTAG", "XPOSTAG", "FEATS", "LEMMA")]
    for word, upos, xpos, feats, lemma in zip(words, *columns, strict=True):
        if not word.pos and upos in IDS:
            word.pos_ = upos
        if not word.tag and (tag := _value(xpos) or _value(upos)):
            word.tag_ = tag
        if not word.has_morph() and (_value(upos) or _value(xpos)):
            word.set_morph(_value(feats))
        if not word.lemma and _value(lemma):
            word.lemma_ = lemma


def _value(field: str | None) -> str:
    return "" if field is None or field == "_" else field
