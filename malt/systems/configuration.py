"""A configuration of a transition system in plain Python: for tests, for `malt trace`, and for people who learn.

It runs the same definitions as the kernel, one line of Python an operation, with arcs as a set, so that systems that
allow a word several heads can be studied too.

>>> c = Configuration("nivreeager", "She sings songs".split())
>>> c.apply("SH").apply("LA~subj").apply("RA~root").legal()
['SH', 'RE', 'RA']
>>> c.apply("RA~obj").terminal, c.arcs == {(2, 1), (0, 2), (2, 3)}, c.H(3)
(True, True, 2)
>>> c.history
['SH', 'LA~subj', 'RA~root', 'RA~obj']

What a transition loses of a gold tree, where the text of a system says how that is counted:

>>> c = Configuration("nivreeager", "She sings songs".split())
>>> {transition: c.cost(transition, [2, 0, 2]) for transition in c.legal()}
{'SH': 0, 'RA': 1}
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from malt.errors import MaltError
from malt.systems import find_system
from malt.systems.language import NO_COSTS, Atom, Case, Definition, Options, Rule

ROOT = 0
NOTHING = -1
AT_AN_END = 100  # nodes that are shown of a long row


class Configuration:
    """Stacks (or Covington's lists), a buffer, and arcs (head, dependent).

    `words` are the words, or their number. Without `root`, as in the article, stacks begin empty.
    """

    def __init__(
        self,
        system: str | Definition,
        words: Sequence[str] | int,
        options: Options | None = None,
        *,
        root: bool = True,
    ) -> None:
        self.system = find_system(system, options) if isinstance(system, str) else system
        self.words = [str(i + 1) for i in range(words)] if isinstance(words, int) else list(words)
        first, last = ([], [ROOT]) if self.system.root_last else ([ROOT], [])
        self.stacks = [list(first) if root else [] for _ in range(self.system.stacks)]
        self.active = 0
        self.buffer = [*range(1, len(self.words) + 1), *(last if root else [])]
        self.left, self.right = self.system.left, self.system.left + 1
        self._right_stop = len(self.words) + self.system.root_last  # the last place of the right list
        self.arcs: set[tuple[int, int]] = set()
        self._heads: dict[int, int] = {}  # the first head of each node
        self._joined: dict[int, int] = {}  # union-find over the arcs
        self._before: set[tuple[int, int]] = set()  # of a preview: the arcs that were there
        self.labels: dict[tuple[int, int], str] = {}
        self.history: list[str] = []
        self.ended = False
        self.switches = 0

    # Nodes

    def S(self, i: int, stack: int = 0) -> int:
        """Node i of a stack, 0 at the top; stack 0 is the active one, 1 the one that SWITCH leads to. -1: none."""
        if not self.stacks:
            return self.left - i if self.left - i >= 0 else NOTHING
        nodes = self.stacks[(self.active + stack) % len(self.stacks)]
        return nodes[-1 - i] if i < len(nodes) else NOTHING

    def B(self, i: int) -> int:
        """Node i of the buffer, 0 at the front; -1: none."""
        if not self.stacks:
            return self._node_at(self.right + i)
        return self.buffer[i] if i < len(self.buffer) else NOTHING

    def _node_at(self, place: int) -> int:
        """The node at a place of the lists, whose last one may be the root's."""
        return place if place <= len(self.words) else ROOT if place == self._right_stop else NOTHING

    def H(self, i: int) -> int:
        """The head of a node (the first, if it has several); -1: none."""
        return self._heads.get(i, NOTHING)

    def connected(self, one: int, two: int) -> bool:
        """Whether arcs, taken as undirected, lead from one node to another."""
        return self._component(one) == self._component(two)

    def reaches(self, one: int, two: int) -> bool:
        """Whether arcs lead from one node, from heads to dependents, to another."""
        reached, waiting = {one}, [one]
        while waiting:
            node = waiting.pop()
            new = {dependent for head, dependent in self.arcs if head == node} - reached
            reached |= new
            waiting += new
        return NOTHING not in (one, two) and two in reached

    def _component(self, node: int) -> int:
        while (above := self._joined.get(node, node)) != node:
            self._joined[node] = self._joined.get(above, above)
            node = above
        return node

    # Transitions

    @property
    def terminal(self) -> bool:
        """Whether the sentence is done."""
        if not self.stacks:
            return self.right > self._right_stop
        return any(self._holds(rule.restriction) for rule in self.system.rules["end"])

    def legal(self) -> list[str]:
        """The transitions that are permissible."""
        if self.terminal:
            return []
        musts = [r.transition for r in self.system.rules["must"] if self._holds(r.restriction)]
        if musts:
            return musts[:1]
        return [
            name
            for name, cases in self.system.transitions.items()
            if any(not case.forced and self._defined(case) for case in cases)
        ]

    def apply(self, transition: str, *, force: bool = False) -> Configuration:
        """Make a transition, such as `SH` or `LA~subj`; `force` makes one that is not permissible, as oracles may."""
        name, _, label = transition.partition("~")
        if name not in self.system.transitions:
            raise MaltError(
                f"{self.system.name} has no transition {name!r}; it has {', '.join(self.system.transitions)}"
            )
        if not force and name not in self.legal():
            raise MaltError(
                f"{name} is not permissible here; permissible: {', '.join(self.legal()) or 'nothing, the end'}"
            )
        cases = self.system.transitions[name]
        case = next((case for case in cases if self._defined(case)), cases[-1])
        before = set(self.arcs)
        self._run(case)
        for arc in self.arcs - before:
            self.labels[arc] = label
        self.switches = self.switches + 1 if case.operations[0] == "SWITCH" else 0
        self.history.append(transition)
        return self

    def steps_of(self, transition: str) -> Iterator[tuple[str, tuple[int, int, int] | None]]:
        """Make a transition, permissible or not, operation by operation; after each, its name and what the top, the
        second and the front were before it, or None where it was not defined."""
        cases = self.system.transitions[transition]
        case = next((case for case in cases if self._defined(case)), cases[-1])
        for operation in case.operations:
            before = self.S(0), self.S(1), self.B(0)
            yield operation, before if _OPERATIONS[operation](self) else None
        self.switches = self.switches + 1 if case.operations[0] == "SWITCH" else 0
        self.history.append(transition)

    def default(self) -> Rule:
        """The transition for when nothing that was predicted is permissible."""
        return next(rule for rule in self.system.rules["default"] if self._holds(rule.restriction))

    def _defined(self, case: Case) -> bool:
        """Whether the restriction holds and every operation of the chain can be done."""
        if not self._holds(case.restriction):
            return False
        twin = self.copy() if case.guards else self._preview(len(case.operations) + 1)
        return twin._follow(case)

    def _preview(self, reach: int) -> Configuration:
        """As much of this configuration as a transition can touch, to see whether it could be made: an operation moves
        one node, and looks at no more than two."""
        twin = copy.copy(self)
        twin.stacks, twin.buffer = [stack[-reach:] for stack in self.stacks], self.buffer[:reach]
        twin.arcs, twin._before = set(), self.arcs
        twin._heads, twin._joined = {}, {}
        return twin

    def _run(self, case: Case) -> bool:
        """Do all operations, also after one that cannot be done, as the kernel does."""
        done = [_OPERATIONS[operation](self) for operation in case.operations]
        return all(done)

    def _follow(self, case: Case) -> bool:
        """Do one operation after the other, as long as each is defined and its restriction holds."""
        guards = case.guards or ((),) * len(case.operations)
        return all(
            self._holds(guard) and _OPERATIONS[operation](self)
            for operation, guard in zip(case.operations, guards, strict=True)
        )

    def copy(self) -> Configuration:
        """A configuration of its own that is equal to this one."""
        twin = copy.copy(self)
        twin.stacks, twin.buffer = [list(stack) for stack in self.stacks], list(self.buffer)
        twin.arcs, twin.labels, twin.history = set(self.arcs), dict(self.labels), list(self.history)
        twin._heads, twin._joined = dict(self._heads), dict(self._joined)
        return twin

    def _holds(self, restriction: tuple[Atom, ...]) -> bool:
        return all(_PREDICATES[atom.predicate](self) != atom.negated for atom in restriction)

    # Costs

    def loss(self, heads: Sequence[int]) -> int:
        """How much of a gold tree is lost: the arcs that are not there and can no longer be made, and one for every
        cycle in what is left of it, if arcs may not close cycles."""
        lost, above = 0, {}
        for word, head in enumerate(heads, 1):
            above[word] = self.H(word)
            if above[word] == NOTHING and any(_PAIRS[pair](self, head, word) for pair in self.system.pairs):
                above[word] = head
            lost += above[word] != head
        if self.system.acyclic:
            lost += len({cycle for word in above if word in (cycle := _upwards(above, word))})
        return lost

    def cost(self, transition: str, heads: Sequence[int]) -> int:
        """What a transition loses of a gold tree."""
        if self.system.costs == NO_COSTS:
            raise MaltError(f"{self.system.name} has a static oracle only: the costs of its transitions are not known")
        return self.copy().apply(transition).loss(heads) - self.loss(heads)

    def _stacked(self, node: int) -> bool:
        return any(node in stack for stack in self.stacks)

    def _open(self, low: int, high: int) -> bool:
        """Whether no node without a head between a node of the stack and one of the buffer is connected with them: it
        can get a head and be reduced, and then the two are not connected."""
        line = self.stacks[0] + self.buffer
        return not any(
            self.H(node) == NOTHING and (self.connected(node, low) or self.connected(node, high))
            for node in line[line.index(low) + 1 : line.index(high)]
        )

    def _meet(self, left: int, right: int) -> bool:
        """Whether two nodes can still be the left and the right one of the lists at a time."""
        left, right = (self._right_stop if self.system.root_last and node == ROOT else node for node in (left, right))
        return self.system.left <= left < right and (right > self.right or (right == self.right and left <= self.left))

    def _on_spine(self, left: int, right: int) -> bool:
        """Whether heads, or steps over components that are given a head, lead back to the left node. If the root is
        last, BACK leads from there to all words that have no head."""
        if right == ROOT:
            return True
        spine, node = set(), self.left if right == self.right else self.right
        while node >= self.system.left and node not in spine:
            spine.add(node)
            above = self.H(node)
            node = above if above != NOTHING else max(i for i in range(-1, node) if not self.connected(i, node))
        return left >= self.right or left in spine

    # Operations

    # Each does nothing and gives False where it is not defined.

    def _arc(self, head: int, dependent: int) -> bool:
        # An arc that is there already cannot be made again (article, section 3).
        arc = (head, dependent)
        if head == NOTHING or dependent in (NOTHING, ROOT) or arc in self.arcs or arc in self._before:
            return False
        self.arcs.add(arc)
        self._heads.setdefault(dependent, head)
        self._joined[self._component(head)] = self._component(dependent)
        return True

    def _shift(self) -> bool:
        if not self.buffer:
            return False
        node = self.buffer.pop(0)
        for stack in self.stacks:
            stack.append(node)
        self.ended = self.ended or not self.buffer
        return True

    def _unshift(self) -> bool:
        if not self.stacks[self.active]:
            return False
        self.buffer.insert(0, self.stacks[self.active].pop())
        return True

    def _reduce(self, depth: int = 0) -> bool:
        if self.S(depth) == NOTHING:
            return False
        del self.stacks[self.active][-1 - depth]
        return True

    def _switch(self) -> bool:
        self.active = (self.active + 1) % len(self.stacks)
        return True

    def _swap(self) -> bool:
        if self.S(1) in (NOTHING, ROOT):
            return False
        self.buffer.insert(0, self.stacks[self.active].pop(-2))
        return True

    def _go(self, left: int) -> bool:
        """Continue the lists with another left node, or with the next right one."""
        self.left = left
        if left < self.system.left:
            self.right += 1
            self.left = self.right - 1
        return True

    def _back_out(self) -> bool:
        left = self.left - 1
        while left >= self.system.left and self.connected(left, self.B(0)):
            left -= 1
        return self._go(left)

    def _further_left(self) -> int:
        """The next node to the left that may be linked with the right one."""
        front, left = self.B(0), self.left - 1
        closed = front == ROOT or self.H(front) != NOTHING
        while left >= self.system.left and (self.connected(left, front) or (closed and self.H(left) != NOTHING)):
            left -= 1
        return left

    # Pictures

    def __str__(self) -> str:
        if not self.stacks:
            ends = (self.system.left, self.left + 1, self.right, self._right_stop + 1)
            lists = [map(self._node_at, range(begin, end)) for begin, end in itertools.pairwise(ends)]
            return "  ".join(show_nodes([*nodes]) for nodes in lists)
        return "  ".join([*map(show_nodes, self._in_order()), show_nodes(self.buffer)])

    def _in_order(self) -> list[list[int]]:
        return self.stacks[self.active :] + self.stacks[: self.active]


def show_nodes(nodes: Sequence[int], rest: range = range(0), last: Iterable[int] = ()) -> str:
    """Nodes as the article writes them; `rest` are those after them, and then comes the `last`. Of very many, those in
    the middle are counted: what is shown of a long sentence does not grow with the square of its length.

    >>> show_nodes([1, 2, 3, 4, 7]), show_nodes([3, 4]), show_nodes([], range(0)), show_nodes([2], range(3, 100))
    ('[1, ..., 4, 7]', '[3, 4]', '[]', '[2, ..., 99]')
    >>> show_nodes(range(3, 1000))
    '[3, ..., 102, (797 more), 900, ..., 999]'
    """
    few = len(nodes) <= 2 * AT_AN_END
    runs = _runs(nodes if few else nodes[-AT_AN_END:])
    if rest and runs and rest[0] == runs[-1][1] + 1:
        runs[-1][1] = rest[-1]
    elif rest:
        runs.append([rest[0], rest[-1]])
    runs += [[node, node] for node in last]
    shown = [*map(_show_run, runs)]
    if not few:
        shown = [*map(_show_run, _runs(nodes[:AT_AN_END])), f"({len(nodes) - 2 * AT_AN_END:,} more)", *shown]
    return f"[{', '.join(shown)}]"


def _runs(nodes: Iterable[int]) -> list[list[int]]:
    """The first and the last of nodes that follow each other."""
    runs: list[list[int]] = []
    for node in nodes:
        if runs and node == runs[-1][1] + 1:
            runs[-1][1] = node
        else:
            runs.append([node, node])
    return runs


def _show_run(run: list[int]) -> str:
    begin, end = run
    return ", ".join(map(str, range(begin, end + 1))) if end - begin < 3 else f"{begin}, ..., {end}"


def _upwards(above: dict[int, int], word: int) -> frozenset[int]:
    """The nodes that are reached from a word."""
    found: set[int] = set()
    while (word := above.get(word, NOTHING)) not in found:
        found.add(word)
    return frozenset(found)


_OPERATIONS: dict[str, Callable[[Configuration], bool]] = {
    "SHIFT": Configuration._shift,
    "UNSHIFT": Configuration._unshift,
    "REDUCE": Configuration._reduce,
    "LEFT-ARC": lambda c: c._arc(c.B(0), c.S(0)),
    "RIGHT-ARC": lambda c: c._arc(c.S(0), c.B(0)),
    "SWITCH": Configuration._switch,
    "SWAP": Configuration._swap,
    "REDUCE-2": lambda c: c._reduce(1),
    "LEFT-ARC-2": lambda c: c._arc(c.B(0), c.S(1)),
    "RIGHT-ARC-2": lambda c: c._arc(c.S(1), c.B(0)),
    "NEXT": lambda c: c._go(NOTHING),
    "BACK": lambda c: c._go(c._further_left()),
    "BACK-OUT": Configuration._back_out,
    "BACK-TO-HEAD": lambda c: c._go(c.H(c.left)),
}

_PREDICATES: dict[str, Callable[[Configuration], bool]] = {
    "never": lambda _: False,
    "empty(stack)": lambda c: c.S(0) == NOTHING,
    "single(stack)": lambda c: c.S(1) == NOTHING if c.stacks else c._further_left() < c.system.left,
    "empty(buffer)": lambda c: c.B(0) == NOTHING,
    "root(top)": lambda c: c.S(0) == ROOT,
    "root(second)": lambda c: c.S(1) == ROOT,
    "root(other)": lambda c: c.S(0, 1) == ROOT,
    "headed(top)": lambda c: c.S(0) != NOTHING and c.H(c.S(0)) != NOTHING,
    "headed(front)": lambda c: c.B(0) != NOTHING and c.H(c.B(0)) != NOTHING,
    "headed(other)": lambda c: c.S(0, 1) != NOTHING and c.H(c.S(0, 1)) != NOTHING,
    "connected(top,front)": lambda c: NOTHING not in (c.S(0), c.B(0)) and c.connected(c.S(0), c.B(0)),
    "attached(top)": lambda c: (
        c.S(0) != NOTHING and any(i != NOTHING and c.connected(c.S(0), i) for i in (c.B(0), c.S(1)))
    ),
    "connects all": lambda c: len(c.buffer) != 1 or c.connected(1, c.B(0)),
    "ordered(second,top)": lambda c: NOTHING != c.S(1) < c.S(0),
    "ended": lambda c: c.ended,
    "switched": lambda c: c.switches >= len(c.stacks) - 1,
    "end of lists": lambda c: c.right > c._right_stop,
    "full(top)": lambda c: c.S(0) == ROOT and any(head == ROOT for head, _ in c.arcs),
    "single(buffer)": lambda c: c.B(1) == NOTHING,
    "root(front)": lambda c: c.B(0) == ROOT,
    "full(front)": lambda c: c.B(0) == ROOT and any(head == ROOT for head, _ in c.arcs),
    "headed(second)": lambda c: c.S(1) != NOTHING and c.H(c.S(1)) != NOTHING,
    "connected(second,front)": lambda c: NOTHING not in (c.S(1), c.B(0)) and c.connected(c.S(1), c.B(0)),
    "built(front,top)": lambda c: (c.B(0), c.S(0)) in c.arcs,
    "built(top,front)": lambda c: (c.S(0), c.B(0)) in c.arcs,
    "built(front,other)": lambda c: (c.B(0), c.S(0, 1)) in c.arcs,
    "built(other,front)": lambda c: (c.S(0, 1), c.B(0)) in c.arcs,
    "path(front,top)": lambda c: c.reaches(c.B(0), c.S(0)),
    "path(top,front)": lambda c: c.reaches(c.S(0), c.B(0)),
    "first(stack)": lambda c: c.active == 0,
    "empty(other)": lambda c: c.S(0, 1) == NOTHING,
}

# Where a head and a dependent are that can still be joined, if the dependent has no head.
_PAIRS: dict[str, Callable[[Configuration, int, int], bool]] = {
    "root -> word": lambda c, head, _: head == ROOT,
    "stack -> buffer": lambda c, head, dependent: c._stacked(head) and dependent in c.buffer,
    "buffer -> stack": lambda c, head, dependent: c._stacked(dependent) and head in c.buffer,
    "buffer -> buffer": lambda c, head, dependent: head in c.buffer and dependent in c.buffer,
    "below -> stack": lambda c, head, dependent: (head, dependent) in zip(c.stacks[0], c.stacks[0][1:], strict=False),
    "open -> buffer": lambda c, head, dependent: (
        c._stacked(head) and dependent in c.buffer and c._open(head, dependent)
    ),
    "buffer -> open": lambda c, head, dependent: (
        c._stacked(dependent) and head in c.buffer and c._open(dependent, head)
    ),
    "left -> right": lambda c, head, dependent: c._meet(head, dependent),
    "right -> left": lambda c, head, dependent: c._meet(dependent, head),
    "spine -> right": lambda c, head, dependent: c._meet(head, dependent) and c._on_spine(head, dependent),
    "right -> spine": lambda c, head, dependent: c._meet(dependent, head) and c._on_spine(dependent, head),
    "stack -> stack": lambda c, head, dependent: c._stacked(head) and c._stacked(dependent),
}
