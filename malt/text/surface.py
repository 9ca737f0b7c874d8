"""The text of a treebank: what stood there before somebody cut it into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy

from malt.data.block import Block
from malt.mco.arrays import Array

_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_ESCAPED = re.compile(r"\\(?:x([0-9A-F]{2})|(.))")
_MEANING = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}


@dataclass
class SurfaceToken:
    """A token: its form, the words that it is, if they are several, and the blanks after it."""

    form: str
    words: tuple[str, ...]
    blanks: str


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


def blanks_of(misc: str) -> str:
    r"""The blanks that follow a token.

    >>> blanks_of("SpaceAfter=No"), blanks_of("_"), blanks_of(r"SpacesAfter=\s\n")
    ('', ' ', ' \n')
    """
    for item in misc.split("|"):
        name, _, value = item.partition("=")
        if name == "SpaceAfter" and value == "No":
            return ""
        if name == "SpacesAfter":
            return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else _MEANING.get(m[2], m[2]), value)
    return " "


def read_surface(blocks: Iterable[Block]) -> Iterator[SurfaceSentence]:
    """The sentences of CoNLL-U as tokens."""
    for block in blocks:
        sentence, until = SurfaceSentence(), 0
        for line in block.text.decode().splitlines() if block.text else ():
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
                    sentence.tokens.append(SurfaceToken(fields[1], (), blanks_of(misc)))
                elif fields[0].isdigit() and int(fields[0]) <= until:
                    sentence.tokens[-1].words += (fields[1],)
                else:
                    sentence.tokens.append(SurfaceToken(fields[1], (), blanks_of(misc)))
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
