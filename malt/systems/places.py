"""Where every word is, step by step: the stacks and the buffer, or the lists, from what the kernel says of each step.

A configuration is not copied for any step, so that sentences may be long.
"""

from __future__ import annotations

from collections.abc import Sequence

from malt.systems.configuration import ROOT
from malt.systems.language import Definition


class Places:
    """Where every word is.

    >>> from malt.systems import find_system
    >>> places = Places(find_system("nivreeager"), 2)
    >>> places.make([-1, -1, 0, 0, 1, 1, 1, 0])  # as `malt.kernel.walk.Changes` has a step
    >>> places.stacks, list(places.rest)
    ([[0, 1]], [2])
    """

    def __init__(self, definition: Definition, words: int) -> None:
        self.words, self.first_left = words, definition.left
        self.stacks = [[] if definition.root_last else [ROOT] for _ in range(definition.stacks)]
        self.last = [ROOT] if definition.root_last else []  # what comes after all words
        self.active = 0
        self.back: list[int] = []  # words that were put back into the buffer, its front last
        self.rest = range(1, words + 1)  # those that never left it
        self.left, self.right = definition.left, definition.left + 1

    @property
    def lists(self) -> list[tuple[range, list[int]]]:
        """Covington's: those on the left, those between the pair, those on the right; of each its words, and the
        root if it is last and there."""
        stop = self.words + 1  # where the root is if it is last
        begins = (self.first_left, self.left + 1, self.right)
        ends = (self.left + 1, self.right, stop + len(self.last))
        return [
            (range(begin, min(end, stop)), self.last if begin <= stop < end else [])
            for begin, end in zip(begins, ends, strict=True)
        ]

    def make(self, change: Sequence[int]) -> tuple[int, int] | None:
        """Make a step, which may make an arc: its head and its dependent."""
        word, head, *numbers = change
        arc = (head, word) if word > 0 else None
        if not self.stacks:
            self.left, self.right = numbers
            return arc
        self.active, at = numbers[0], 1
        for stack in self.stacks:
            gone, come = numbers[at : at + 2]
            del stack[len(stack) - gone :]
            stack += numbers[at + 2 : at + 2 + come]
            at += 2 + come
        gone, come = numbers[at : at + 2]
        for _ in range(gone):
            if self.back:
                self.back.pop()
            else:
                self.rest = self.rest[1:]
        self.back += numbers[at + 2 : at + 2 + come]
        return arc
