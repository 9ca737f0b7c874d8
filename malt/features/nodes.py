"""The nodes that a feature consists of. Equal nodes are equal features, whatever the spacing in a file was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Address:
    """A word of a configuration: a place in a data structure, or a step from another word.

    >>> print(Address("head", Address("Stack", 0)))
    head(Stack[0])
    """

    function: str
    argument: Address | int

    def __str__(self) -> str:
        brackets = "[]" if isinstance(self.argument, int) else "()"
        return f"{self.function}{brackets[0]}{self.argument}{brackets[1]}"


@dataclass(frozen=True)
class Feature:
    """A value of a configuration.

    >>> print(Feature("InputColumn", ("POSTAG", Address("Stack", 0))))
    InputColumn(POSTAG,Stack[0])
    """

    function: str
    arguments: tuple[Feature | Address | str | int, ...]

    def __str__(self) -> str:
        return f"{self.function}({','.join(map(str, self.arguments))})"


Node = Feature | Address
CONJUNCTIONS = ("Merge", "Merge3", "Join")


def conjuncts(feature: Feature) -> tuple[Feature, ...]:
    """The features that a conjunction consists of, however it is nested; any other feature consists of itself.

    >>> a, b, c = (Feature("InputColumn", ("POSTAG", Address("Stack", i))) for i in range(3))
    >>> conjuncts(Feature("Merge", (Feature("Merge", (a, b)), c))) == conjuncts(Feature("Join", (a, b, c))) == (a, b, c)
    True
    >>> conjuncts(a) == (a,)
    True
    """
    if feature.function not in CONJUNCTIONS:
        return (feature,)
    return tuple(
        part for argument in feature.arguments if isinstance(argument, Feature) for part in conjuncts(argument)
    )


def nodes_of(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order in which MaltParser creates them: from right to left.

    >>> a, b = (Feature("InputColumn", ("POSTAG", Address("Stack", i))) for i in (0, 1))
    >>> print(*nodes_of(Feature("Merge", (a, b))), sep="; ")
    Stack[1]; InputColumn(POSTAG,Stack[1]); Stack[0]; InputColumn(POSTAG,Stack[0]); \
Merge(InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Stack[1]))
    """
    arguments = node.arguments if isinstance(node, Feature) else (node.argument,)
    for argument in reversed(arguments):
        if isinstance(argument, (Feature, Address)):
            yield from nodes_of(argument)
    yield node


def structures_of(node: Node) -> frozenset[str]:
    """The data structures that a node looks at.

    >>> sorted(structures_of(Feature("Exists", (Address("head", Address("Stack", 0)),))))
    ['Stack']
    """
    return frozenset(
        part.function for part in nodes_of(node) if isinstance(part, Address) and isinstance(part.argument, int)
    )
