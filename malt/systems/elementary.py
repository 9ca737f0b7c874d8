"""Derivations as chains of elementary transitions (article, definitions 8 to 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from malt.systems.configuration import NOTHING, Configuration
from malt.systems.language import Definition


def elementary_chain(
    definition: Definition, words: int, transitions: Iterable[str]
) -> Iterator[list[tuple[str, list[int]]]]:
    """For each transition its elementary ones, each with what it does to a configuration: numbers as those of
    `malt.kernel.walk.Changes`. What is not defined where a transition is forced is left out.

    >>> from malt.systems import find_system
    >>> chain = elementary_chain(find_system("nivreeager"), 2, ["SH", "LA"])
    >>> [[operation for operation, _ in part] for part in chain]
    [['SHIFT'], ['LEFT-ARC', 'REDUCE']]
    """
    c = Configuration(definition, words)
    for transition in transitions:
        found = []
        for operation, done in c.steps_of(transition):
            if done is not None:
                found.append((operation, _change(operation, done, c)))
        yield found


def _change(operation: str, before: tuple[int, int, int], after: Configuration) -> list[int]:
    """What an operation did; before it, these were the top, the second and the front."""
    top, second, front = before
    word, head = NOTHING, NOTHING
    if "ARC" in operation:
        left = second if operation.endswith("-2") else top
        word, head = (left, front) if operation.startswith("LEFT") else (front, left)
    if not after.stacks:
        return [word, head, after.left, after.right]
    numbers = [word, head, after.active]
    for place in range(len(after.stacks)):
        here = place == after.active
        if operation == "SHIFT":
            numbers += [0, 1, front]
        elif here and operation in ("REDUCE", "UNSHIFT"):
            numbers += [1, 0]
        elif here and operation in ("REDUCE-2", "SWAP"):
            numbers += [2, 1, top]
        else:
            numbers += [0, 0]
    back = {"UNSHIFT": [top], "SWAP": [second]}.get(operation, [])
    return [*numbers, int(operation == "SHIFT"), len(back), *back]
