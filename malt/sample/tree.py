"""A word in the making: who governs it, and where it stands, kept apart.

`head` is the governor. `before` and `after` say which words, each with all that stands around it, come left and right
of this one. In a projective tree every word stands in a list of its head; moving a word into a list of another word,
its head unchanged, is what makes a tree non-projective.
"""

from __future__ import annotations

from collections.abc import Iterator


class Node:
    """A word, its dependency, and its place."""

    __slots__ = (
        "after",
        "animate",
        "before",
        "case",
        "deprel",
        "feats",
        "form",
        "gap",
        "gender",
        "head",
        "lemma",
        "number",
        "person",
        "prefers",
        "upos",
        "xpos",
    )

    def __init__(self, form: str, lemma: str, tag: str, feats: str = "_", deprel: str = "") -> None:
        self.form, self.lemma, self.feats, self.deprel = form, lemma, feats, deprel
        self.upos, self.xpos = tag.split("/")
        self.head: Node | None = None
        self.before: list[Node] = []
        self.after: list[Node] = []
        self.gender, self.number, self.person, self.case, self.prefers = "Masc", "Sing", 3, "", ""
        self.animate = True
        self.gap: Node | None = None  # the verb that is understood after this word (gapping)

    def left(self, child: Node, deprel: str = "") -> Node:
        """Governs the child, which stands left, nearer than those before it."""
        child.head, child.deprel = self, deprel or child.deprel
        self.before.append(child)
        return child

    def right(self, child: Node, deprel: str = "") -> Node:
        """Governs the child, which stands right, farther than those before it."""
        child.head, child.deprel = self, deprel or child.deprel
        self.after.append(child)
        return child

    def first(self, child: Node, deprel: str = "") -> Node:
        """Governs the child, which stands left of everything here."""
        child.head, child.deprel = self, deprel or child.deprel
        self.before.insert(0, child)
        return child

    def walk(self) -> Iterator[Node]:
        """The words in the order in which they are said."""
        for child in self.before:
            yield from child.walk()
        yield self
        for child in self.after:
            yield from child.walk()

    def children(self) -> list[Node]:
        """Those that this word governs and that stand with it."""
        return [child for child in (*self.before, *self.after) if child.head is self]


def comma() -> Node:
    """A comma."""
    return Node(",", ",", "PUNCT/Fc", deprel="punct")


def fence(node: Node) -> Node:
    """Puts commas around what the word governs. Those that meet another mark are left out in the end."""
    node.first(comma())
    node.right(comma())
    return node
