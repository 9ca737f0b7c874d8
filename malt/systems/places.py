"""Where every word is, step by step: the stacks and the buffer, or the lists, from what the kernel says of each step.

A configuration is not copied for any step, so that sentences may be long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from malt.systems.configuration import ROOT
from malt.systems.language import Definition


@dataclass(frozen=True)
class Move:
    """What a step does. Nodes that leave a place and come to it again have not moved."""

    arc: tuple[int, int] | None  # head and dependent
    plane: int  # the stack that was active before
    shifted: list[int]  # from the buffer
    returned: list[int]  # to the buffer
    reduced: list[list[int]]  # from each stack, and not to the buffer


class Places:
    """Where every word is.

    >>> from malt.systems import find_system
    >>> places = Places(find_system("nivreeager"), 2)
    >>> move = places.make([-1, -1, 0, 0, 1, 1, 1, 0])  # as `malt.kernel.walk.Changes` has a step
    >>> places.stacks, list(places.rest), move.shifted
    ([[0, 1]], [2], [1])
    """

    def __init__(self, definition: Definition, words: int) -> None:
        self.words, self.first_left = words, definition.left
        self.stacks = [[ROOT] for _ in range(definition.stacks)]
        self.active = 0
        self.back: list[int] = []  # words that were put back into the buffer, its front last
        self.rest = range(1, words + 1)  # those that never left it
        self.left, self.right = definition.left, definition.left + 1

    @property
    def lists(self) -> tuple[range, range, range]:
        """Covington's: those on the left, those between the pair, those on the right."""
        last = self.words + 1
        return (
            range(self.first_left, self.left + 1),
            range(self.left + 1, min(self.right, last)),
            range(self.right, last),
        )

    def make(self, change: Sequence[int]) -> Move:
        """Make a step."""
        word, head, *numbers = change
        arc, plane = ((head, word) if word > 0 else None), self.active
        if not self.stacks:
            self.left, self.right = numbers
            return Move(arc, 0, [], [], [])
        self.active, at = numbers[0], 1
        exchanged = []
        for stack in self.stacks:
            gone, come = numbers[at : at + 2]
            new = numbers[at + 2 : at + 2 + come]
            old = stack[len(stack) - gone :]
            del stack[len(stack) - gone :]
            stack += new
            exchanged.append((old, new))
            at += 2 + come
        gone, come = numbers[at : at + 2]
        back, shifted = numbers[at + 2 : at + 2 + come], []
        for _ in range(gone):
            if self.back:
                shifted.append(self.back.pop())
            else:
                shifted.append(self.rest[0])
                self.rest = self.rest[1:]
        self.back += back
        reduced = [[node for node in old if node not in new and node not in back] for old, new in exchanged]
        return Move(
            arc,
            plane,
            [node for node in shifted if node not in back],
            [node for node in reversed(back) if node not in shifted],
            reduced,
        )
