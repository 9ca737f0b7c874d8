"""Whether trees are valid in Universal Dependencies, as far as their shape and their roots go."""

from __future__ import annotations

from dataclasses import dataclass

from malt.errors import counted
from malt.evaluation.alignment import Stretch
from malt.evaluation.attachment import count_by_sentence
from malt.evaluation.shape import Shape

ROOT = "root"  # the label of the one word on the root, and of no other


@dataclass
class Validity:
    """What is wrong with the trees of a file."""

    roots: int = 0  # sentences without exactly one word on the root
    cycles: int = 0  # sentences with a cycle
    labels: int = 0  # words on the root that have another label, and other words that have this one

    def add(self, stretch: Stretch, found: Shape) -> None:
        """Take in some sentences."""
        on_root = stretch.heads == 0
        labels = stretch.block.tables[stretch.block.format.label_columns[0]]
        self.roots += int((count_by_sentence(on_root, stretch.starts) != 1).sum())
        whole = count_by_sentence(stretch.heads < 0, stretch.starts) == 0  # else a word may hang on one without a head
        self.cycles += int((whole & (count_by_sentence(found.depth < 0, stretch.starts) > 0)).sum())
        named = stretch.labels == labels.code(ROOT)
        self.labels += int(((on_root != named) & (stretch.heads >= 0)).sum())

    def __str__(self) -> str:
        """What is wrong, in words; nothing if nothing is."""
        told = {
            f"{counted(self.roots, 'sentence')} without exactly one word on the root": self.roots,
            f"{counted(self.cycles, 'sentence')} with a cycle": self.cycles,
            f"{counted(self.labels, 'word')} on the root without the label {ROOT}, or with it elsewhere": self.labels,
        }
        return ", ".join(text for text, number in told.items() if number)
