"""The transitions of each sentence as a line of text: MaltParser's diagnostics (-di, -dif)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from malt.data.files import open_output
from malt.data.symbols import Tables
from malt.errors import MaltError, printable
from malt.parsing.parser import Action
from malt.parsing.specification import Specification
from malt.running import progress
from malt.settings.settings import Settings
from malt.systems.language import makes_arc

STREAMS = ("stdout", "stderr")


class Diagnostics:
    """Writes them, and counts the sentences. On a terminal, labels do nothing to it, unless all is to be exact."""

    def __init__(self, specification: Specification, tables: Tables, stream: BinaryIO, *, exact: bool) -> None:
        self._names = specification.transitions
        self._tables = [tables[name] for name in specification.labels]
        self._makes_arc = [makes_arc(cases) for cases in specification.definition.transitions.values()]
        self._usual = [specification.root_labels.get(name, "") for name in specification.labels]
        self._stream, self._number, self._safe = stream, 0, stream.isatty() and not exact

    def write(self, sentences: Iterable[list[Action]]) -> None:
        """The lines of some sentences: the number of each, and its actions; a star before one that was no choice."""
        for actions in sentences:
            self._number += 1
            shown = [
                f"{'' if choice else '* '}{self._shown(transition, labels)}" for transition, choice, labels in actions
            ]
            line = " ".join([str(self._number), *shown])
            self._stream.write(f"{printable(line) if self._safe else line}\n".encode())
        self._stream.flush()

    def _shown(self, transition: int, labels: list[int]) -> str:
        name = self._names[transition] if transition >= 0 else "null"  # nothing was predicted
        shown = [table.symbol(code) or "" for table, code in zip(self._tables, labels, strict=True) if code >= 0]
        if transition >= 0 and self._makes_arc[transition] and not shown:  # by default: the arc has the usual labels
            shown = [label for label in self._usual if label]
        return "+".join([name, *shown])


@contextlib.contextmanager
def open_diagnostics(specification: Specification, tables: Tables, options: Settings) -> Iterator[Diagnostics | None]:
    """Where they go, if they are asked for (-di): standard output, which they share with the results, or a file."""
    if not options["singlemalt.diagnostics"]:
        yield None
        return
    name, exact = options["singlemalt.diafile"], bool(options["config.flowchart"])
    if name not in STREAMS:
        with open_output(name) as stream:
            yield Diagnostics(specification, tables, stream, exact=exact)
        return
    standard = getattr(sys, name)
    if standard is None:
        raise MaltError(f"{name} is closed; name a file for diagnostics with -dif")
    with progress.hide_bars(standard):
        yield Diagnostics(specification, tables, standard.buffer, exact=exact)
