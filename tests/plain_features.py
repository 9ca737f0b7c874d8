"""The values of features by their definitions, in plain Python: what the kernel's must equal."""

from __future__ import annotations

from malt.features import Address, Feature
from malt.features.program import splitter
from malt.systems.configuration import NOTHING, Configuration

NULL = "#null#"
Value = tuple[list[str], bool]  # the symbols, and whether it is a null value; no symbol: absent


class PlainFeatures:
    """The features of a configuration. `rows` has the columns of each word, and `seen` all words that ever were on a
    stack."""

    def __init__(self, c: Configuration, rows: list[dict[str, str]], seen: set[int]) -> None:
        self.c, self.rows, self.seen = c, rows, seen

    def node(self, address: Address) -> int:
        c, argument = self.c, address.argument
        if isinstance(argument, Address):
            return self.step(address.function, self.node(argument))
        kind, stack = c.system.structures[address.function]
        between = [w for w in range(c.left + 1, c.right) if not (c.left <= c.H(w) <= c.right or c.H(w) == c.B(0))]
        lists = {
            "swapped": [w for w in c.buffer if w in self.seen],
            "lookahead": [w for w in c.buffer if w not in self.seen],
            "left context": between,
            "right context": between[::-1],
        }
        if kind in lists:
            return lists[kind][argument] if argument < len(lists[kind]) else NOTHING
        return c.S(argument, stack) if kind in ("stack", "next stacks", "left") else c.B(argument)

    def step(self, name: str, node: int) -> int:
        if node == NOTHING:
            return NOTHING
        if name in ("pred", "succ"):
            other = node - 1 if name == "pred" else node + 1
            return other if node > 0 and 0 < other <= len(self.rows) else NOTHING
        if name == "head":
            return self.c.H(node)
        if name in ("ldep", "rdep"):
            found = self.dependents(node, "ldeps" if name == "ldep" else "rdeps")
            return NOTHING if not found else found[0] if name == "ldep" else found[-1]
        head = self.c.H(node)
        same = [] if head == NOTHING else self.dependents(head, "ldeps" if node < head else "rdeps")
        later = [w for w in same if w > node] if name == "rsib" else [w for w in reversed(same) if w < node]
        return later[0] if later else NOTHING

    def dependents(self, node: int, relation: str) -> list[int]:
        every = [w for w in range(1, len(self.rows) + 1) if self.c.H(w) == node]
        return [w for w in every if relation == "deps" or (w < node) == (relation == "ldeps")]

    def crossings(self, left: int, right: int) -> int:
        words = list(range(left + 1, right))
        inside = {*words} if len(words) <= 32 else {*words[:16], *words[-16:]}
        outside = {*range(len(self.rows) + 1)} - {*range(left, right + 1)}
        return sum({head, word} & inside != set() != {head, word} & outside for head, word in self.c.arcs)

    def label(self, node: int) -> str:
        return self.c.labels[self.c.H(node), node]

    def value(self, feature: Feature) -> Value:
        name, arguments = feature.function, feature.arguments
        nodes = [self.node(a) for a in arguments if isinstance(a, Address)]
        inner = [self.value(a) for a in arguments if isinstance(a, Feature)]
        if name == "InputColumn":
            return ([self.rows[nodes[0] - 1][str(arguments[0])]], False) if nodes[0] > 0 else ([NULL], True)
        if name == "OutputColumn":
            known = nodes[0] > 0 and self.c.H(nodes[0]) != NOTHING
            return ([self.label(nodes[0])], False) if known else ([NULL], True)
        if name in ("Distance", "NumOf", "Crossings"):
            numbers = [int(number) for number in str(arguments[2]).split("|")]
            if min(nodes) < (0 if name == "NumOf" else 1):
                return [NULL], True
            if name == "NumOf":
                count = len(self.dependents(nodes[0], str(arguments[1])))
            else:
                count = abs(nodes[0] - nodes[1]) if name == "Distance" else self.crossings(min(nodes), max(nodes))
            return [f">={max(number for number in numbers if number <= count)}"], False
        if name == "OutputArc":
            one, other = nodes
            found = "LEFT" if one > 0 and self.c.H(one) == other >= 0 else ""
            found = found or ("RIGHT" if other > 0 and self.c.H(other) == one >= 0 else "")
            return [found or NULL], not found
        if name == "LabelSet":
            found = {self.label(w) for w in self.dependents(nodes[0], str(arguments[2]))} if nodes[0] >= 0 else set()
            return ["|".join(sorted(found)) or NULL], not found
        if name == "Between":
            words = list(range(min(nodes) + 1, max(nodes))) if min(nodes) >= 0 else []
            near = words if len(words) <= 16 else words[:8] + words[-8:]
            return (sorted({self.rows[w - 1][str(arguments[0])] for w in near}) or [NULL]), not words
        if name in ("Split", "Suffix"):
            symbols, null = inner[0]
            if null:
                return symbols, null
            if name == "Split":
                return sorted(set(splitter(str(arguments[1]))(symbols[0]))), False
            units = symbols[0].encode("utf-16-le")[-2 * int(str(arguments[1])) :]  # as Java counts
            return [units.decode("utf-16-le", "ignore") or symbols[0]], False
        assert name in ("Merge", "Merge3", "Join")
        if all(null for _, null in inner):
            return [], True
        found = [""]
        for place, (symbols, _) in enumerate(inner):
            # A conjunction of nothing has no symbol; one that contains it takes the first of its own parts.
            found = [f"{text}{'~' if place else ''}{symbol}" for text in found for symbol in symbols or [NULL]]
        return sorted(found), False
