"""Parsing from text to text: what a process does that has a model, and gets parts of a file from another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from malt.data.block import Block
from malt.data.formats.dataformat import DataFormat
from malt.data.formats.writer import Losses, TextWriter, converter, malt_writer
from malt.data.treebank import read_text
from malt.data.treebanks import Piece
from malt.errors import DataError
from malt.model import Model, model_of
from malt.settings.settings import Settings

if TYPE_CHECKING:
    from malt.settings.catalogue import Command


@dataclass(frozen=True)
class Parsed:
    """Some sentences as they are to be written. Its length is their number."""

    text: bytes
    sentences: int
    words: int
    losses: Losses = field(default_factory=Losses)
    remark: str = ""  # what the user is to be told
    name: str = ""  # of which file

    def __len__(self) -> int:
        return self.sentences


@dataclass(frozen=True)
class Output:
    """How parsed sentences are written: the format of what is read, that of what is written, and its charset.

    as_maltparser: in MaltParser's layout, and not as the text of the input with new heads and labels.
    parsed: with heads and labels that were found, and not as they were.
    """

    source: DataFormat
    target: DataFormat
    charset: str
    as_maltparser: bool = False
    parsed: bool = True

    def make_writer(self, model: Model) -> TextWriter:
        """What writes the sentences that a model has parsed."""
        labels, made = model.specification.root_labels, model.specification.labels
        if self.as_maltparser:
            writer = malt_writer(self.source, self.target, labels, self.charset, made)
            writer.advice = "that is the model's charset: train it again with another, for example -oc UTF-8"
            return writer
        # A graph is written beside the tree of the input, whatever that is.
        trees = self.parsed and not model.specification.definition.many
        return converter(self.source, self.target, self.charset, labels if trees else None)


class TextWorker:
    r"""Turns text of whole sentences, in UTF-8, into the text of an output. It can be pickled; threads may share it.

    >>> import malt
    >>> model = malt.train(malt.sample.text(50))
    >>> parser = TextWorker(model, Output(model.format, model.format, "utf-8"))
    >>> parser.parse(Piece(b"1\tla\t_\tDET\tDa\t_\t_\t_\n2\tkasta\t_\tNOUN\tNc\t_\t_\t_\n", 1, "in.conll", True)).words
    2
    """

    def __init__(self, model: Model, output: Output) -> None:
        self.model, self.output = model, output
        output.make_writer(model)  # so that what is wrong is told at once

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self.model.settings
        given = {key: settings[key] for key in settings if settings.source(key) in ("command line", "option file")}
        return _text_worker, (self.model.content(), self.model.path, settings.command, given, self.output)

    def parse(self, piece: Piece) -> Parsed:
        """Parse a part of a file."""
        model, format = self.model, self.output.source
        writer = self.output.make_writer(model)
        blocks: Iterable[Block] = read_text(
            piece.text, format, piece.name, model.tables, frozen=True, first_line=piece.line
        )
        if piece.begins:
            blocks = explain_misfit(blocks, format)
        else:
            writer.go_on()
        written, sentences, words, remark = [], 0, 0, ""
        for block in blocks:
            with model.parser() as parser:
                block = parser.parse(block)
            written.append(writer.write(block))
            sentences += len(block)
            words += len(block.heads)
            remark = remark or model.strangers.add(block)
        return Parsed(b"".join(written), sentences, words, writer.take_losses(), remark, piece.name)


def _text_worker(file: bytes, path: str, command: Command | None, given: dict[str, Any], output: Output) -> TextWorker:
    settings = Settings(command, command_line=given).derive({"config.flowchart": ""})
    model = model_of(file, path, settings)
    return TextWorker(model.decoded_by(settings["parse.decoder"]) if "parse.decoder" in given else model, output)


def explain_misfit(blocks: Iterable[Block], format: DataFormat) -> Iterator[Block]:
    """The blocks of a file; if not even the first can be read, it may have other columns than those of the model."""
    rest = iter(blocks)
    try:
        first = next(rest, None)
    except DataError as error:
        if not error.misfit:
            raise
        hint = f"{error.message}; the model is for {format.name}, with the columns {', '.join(format.names)}"
        raise DataError(hint, error.file, error.line, error.column) from None
    # Nothing is caught around a `yield`: where a command is interrupted, that may be left when Python itself is ending,
    # and what was to be caught is gone.
    if first is not None:
        yield first
        yield from rest
