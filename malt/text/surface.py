"""The text of a treebank: what stood there before somebody cut it into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy

from malt.mco.arrays import Array

_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_ESCAPED = re.compile(r"\\(?:x([0-9A-F]{2})|(.))")
_MEANING = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}


@dataclass
class SurfaceToken:
    """A token: its form, the words that it is, if they are several, and the blanks after it and before it."""

    form: str
    words: tuple[str, ...]
    blanks: str
    before: str = ""


@dataclass
class SurfaceSentence:
    """The tokens of a sentence, and whether a paragraph begins with it."""

    tokens: list[SurfaceToken] = field(default_factory=list)
    text: str = ""
    begins: bool = False


@dataclass(frozen=True)
class Surface:
    """Text in UTF-8, and where each token ends in it; 1 where its sentence ends, too."""

    text: bytes
    ends: Array
    last: Array


def blanks_of(misc: str, where: str = "SpacesAfter") -> str:
    r"""The blanks that follow a token, or those before it (SpacesBefore).

    >>> blanks_of("SpaceAfter=No"), blanks_of("_"), blanks_of(r"SpacesAfter=\s\n")
    ('', ' ', ' \n')
    """
    for item in misc.split("|"):
        name, _, value = item.partition("=")
        if name == "SpaceAfter" and value == "No" and where == "SpacesAfter":
            return ""
        if name == where:
            return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else _MEANING.get(m[2], m[2]), value)
    return " " if where == "SpacesAfter" else ""


def read_surface(texts: Iterable[str]) -> Iterator[SurfaceSentence]:
    """The sentences of CoNLL-U as tokens."""
    for text in texts:
        sentence, until = SurfaceSentence(), 0
        for line in re.split("\r\n|\n|\r", text):
            if not line.strip():
                if sentence.tokens:
                    yield sentence
                sentence, until = SurfaceSentence(), 0
            elif line.startswith("#"):
                name, _, value = line[1:].partition("=")
                if name.strip() == "text":
                    sentence.text = value.strip()
                elif name.split()[:1] in (["newpar"], ["newdoc"]):
                    sentence.begins = True
            else:
                fields = line.split("\t")
                if len(fields) < 2 or "." in fields[0]:
                    continue
                misc = fields[9] if len(fields) > 9 else "_"
                if match := _RANGE.fullmatch(fields[0]):
                    until = int(match[2])
                    sentence.tokens.append(
                        SurfaceToken(fields[1], (), blanks_of(misc), blanks_of(misc, "SpacesBefore"))
                    )
                elif fields[0].isdigit() and int(fields[0]) <= until:
                    sentence.tokens[-1].words += (fields[1],)
                else:
                    sentence.tokens.append(
                        SurfaceToken(fields[1], (), blanks_of(misc), blanks_of(misc, "SpacesBefore"))
                    )
        if sentence.tokens:
            yield sentence


def make_surface(sentences: Iterable[SurfaceSentence]) -> Surface:
    """The running text of sentences: what their comments say, if their tokens stand there, or else their tokens with
    the blanks that follow them. A paragraph begins after an empty line."""
    text, ends, last, length = [], [], [], 0
    for sentence in sentences:
        if sentence.begins and length:
            text.append(b"\n\n")
            length += 2
        places = _places(sentence)
        written = b""
        if places is not None:
            written = sentence.text.encode()
            ends += [length + len(sentence.text[:end].encode()) for end in places]
        else:
            for number, token in enumerate(sentence.tokens):
                written += token.form.encode()
                ends.append(length + len(written))
                if number + 1 < len(sentence.tokens):
                    written += token.blanks.encode()
        last += [0] * (len(sentence.tokens) - 1) + [1]
        blanks = sentence.tokens[-1].blanks.encode()
        text += [written, blanks]
        length += len(written) + len(blanks)
    return Surface(b"".join(text), numpy.array(ends, numpy.int64), numpy.array(last, numpy.uint8))


def _places(sentence: SurfaceSentence) -> list[int] | None:
    """Where tokens end in the text that a comment has; None if it is not theirs."""
    at, places = 0, []
    for token in sentence.tokens:
        while at < len(sentence.text) and sentence.text[at].isspace():
            at += 1
        if not sentence.text.startswith(token.form, at):
            return None
        at += len(token.form)
        places.append(at)
    return places if at == len(sentence.text) else None


def word_offsets(sentence: SurfaceSentence, begin: int) -> tuple[list[tuple[int, int]], int]:
    """Where each word of a sentence is in the text, by characters, and where the next sentence begins; words of one
    token are in the same place."""
    found: list[tuple[int, int]] = []
    for token in sentence.tokens:
        begin += len(token.before)
        found += [(begin, begin + len(token.form))] * max(1, len(token.words))
        begin += len(token.form) + len(token.blanks)
    return found, begin
