"""One sentence of a block, for people: words, heads and labels as Python sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from malt.treebank import Block


class Sentence:
    """A view of a sentence; nothing is copied before it is asked for."""

    def __init__(self, block: Block, index: int) -> None:
        self.block, self.index = block, index
        self._words = slice(int(block.starts[index]), int(block.starts[index + 1]))

    def __len__(self) -> int:
        return self._words.stop - self._words.start

    def __getitem__(self, column: str) -> list[str | None]:
        """The values of a column, None where a field is missing."""
        coded = self.block.format.coded
        if column not in coded:
            hint = "; heads are numbers: see .heads" if column == "HEAD" else ""
            raise KeyError(f"{column} is no column with values here; there are {', '.join(coded)}{hint}")
        table = self.block.tables[column]
        return [table.symbol(int(code)) for code in self.block.codes(column)[self._words]]

    @property
    def forms(self) -> list[str | None]:
        """The word forms."""
        return self["FORM"]

    @property
    def heads(self) -> list[int]:
        """The head of each word: a position from 1, 0 for the artificial root, -1 where there is none."""
        return [int(head) for head in self.block.heads[self._words]]

    @property
    def labels(self) -> list[str | None]:
        """The label of each word's arc to its head."""
        return self[self.block.format.label_columns[0]]

    @property
    def text(self) -> str:
        """The lines of the file, comments included."""
        begin, end = self.block.bounds[self.index : self.index + 2]
        return self.block.text[begin:end].decode()

    @property
    def line(self) -> int:
        """The number in the file of the line of the first word."""
        return self.block.line_number(int(self.block.word_lines[self._words.start]))

    def __repr__(self) -> str:
        return f"<Sentence at line {self.line}: {len(self)} words>"
