"""Parsing from text to text: what a process does that has a model, and gets parts of a file from another one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from malt.data.block import Block
from malt.data.charsets import find_charset
from malt.data.formats.dataformat import DataFormat, find_format
from malt.data.formats.writer import TextWriter, keeper, malt_writer
from malt.data.treebank import read_text
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
    remark: str = ""  # what the user is to be told

    def __len__(self) -> int:
        return self.sentences


class TextWorker:
    r"""Turns text of whole sentences, in UTF-8, into the text of an output. It can be pickled; threads may share it.

    >>> import malt
    >>> parser = TextWorker(malt.train(malt.sample.text(50)), "in.conll", keep=True)
    >>> parser.parse(b"1\tla\t_\tDET\tDa\t_\t_\t_\n2\tkasta\t_\tNOUN\tNc\t_\t_\t_\n", 1).words
    2
    """

    def __init__(self, model: Model, name: str, *, keep: bool, target: DataFormat | None = None) -> None:
        """`name` is what errors call the file. `target` is the format of the output, if it is not at hand by name."""
        self.model, self.name, self.keep = model, name, keep
        wanted = model.settings["output.format"]
        self._target = target or (find_format(wanted) if wanted else model.format)
        make_writer(model, keep=keep, target=self._target)  # so that what is wrong is told at once

    def __reduce__(self) -> tuple[Any, ...]:
        settings = self.model.settings
        given = {key: settings[key] for key in settings if settings.source(key) in ("command line", "option file")}
        return _text_worker, (
            self.model.content(),
            self.model.path,
            settings.command,
            given,
            self.name,
            self.keep,
            self._target,
        )

    def parse(self, text: bytes, first_line: int) -> Parsed:
        """Parse a part of a file that begins with this line."""
        model = self.model
        writer = make_writer(model, keep=self.keep, target=self._target)
        blocks: Iterable[Block] = read_text(
            text, model.format, self.name, model.tables, frozen=True, first_line=first_line
        )
        if first_line == 1:
            blocks = explain_misfit(blocks, model.format)
        else:
            writer.go_on()
        written, sentences, words, remark = [], 0, 0, ""
        for block in blocks:
            with model.parser() as parser:
                written.append(writer.write(parser.parse(block)))
            sentences += len(block)
            words += len(block.heads)
            remark = remark or model.strangers.add(block)
        return Parsed(b"".join(written), sentences, words, remark)


def _text_worker(
    file: bytes,
    path: str,
    command: Command | None,
    given: dict[str, Any],
    name: str,
    keep: bool,
    target: DataFormat,
) -> TextWorker:
    settings = Settings(command, command_line=given).derive({"config.flowchart": ""})
    return TextWorker(model_of(file, path, settings), name, keep=keep, target=target)


def make_writer(model: Model, *, keep: bool, target: DataFormat | None = None) -> TextWriter:
    """What is written: MaltParser's layout, or with `keep` the input's own text with new heads and labels."""
    format, labels, options = model.format, model.specification.root_labels, model.settings
    wanted = find_charset(options["output.charset"])
    if keep:
        writer = keeper(format, wanted, labels)
    else:
        if target is None:
            target = find_format(options["output.format"]) if options["output.format"] else format
        writer = malt_writer(format, target, labels, wanted)
    writer.advice = "that is the model's charset: train it again with another, for example -oc UTF-8"
    return writer


def explain_misfit(blocks: Iterable[Block], format: DataFormat) -> Iterator[Block]:
    """The blocks of a file; if not even the first can be read, it may have other columns than those of the model."""
    begun = False
    try:
        for block in blocks:
            begun = True
            yield block
    except DataError as error:
        if begun or not error.misfit:
            raise
        hint = f"{error.message}; the model is for {format.name}, with the columns {', '.join(format.names)}"
        raise DataError(hint, error.file, error.line, error.column) from None
