"""What follows from a definition by the propositions of the article (Gómez-Rodríguez and Nivre 2013, section 3.2, and
section 5.1 for several stacks).

A transition is a chain of operations on a few nodes at the top of the stack and the front of the buffer. The chain is
run on nodes of which only that is known which the restrictions and some invariants say; what then holds at every arc
and every REDUCE decides the propositions. An invariant is used only if all transitions keep it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from malt.systems.language import Atom, Case, Definition

_PAYS = "every transition adds an arc, removes a node or shortens the buffer"
ELEMENTARY = ("SHIFT", "UNSHIFT", "REDUCE", "LEFT-ARC", "RIGHT-ARC")


@dataclass(frozen=True)
class Invariants:
    """What may hold in every configuration."""

    buffer_headless: bool  # no node of the buffer has a head
    stack_headless: bool
    buffer_apart: bool  # no node of the buffer is connected with another node of stack or buffer
    stack_apart: bool  # no two nodes of the stack are connected
    headless_apart: bool  # a node of the stack without a head is not connected with a node below it


@dataclass(frozen=True)
class Theory:
    """What is derived of a system; `reasons` has a line per property."""

    divisible: bool
    planar: bool
    single_head: bool
    acyclic: bool
    no_covered_roots: bool
    robust: bool
    bounded: bool
    length: str  # a bound on the number of transitions, empty if none is derived
    reasons: tuple[str, ...]
    planes: int = 0  # of several stacks: the graphs are planar in as many planes

    @property
    def projective(self) -> bool:
        """Planar, single-headed, acyclic and without covered roots (article, example 9)."""
        return self.planar and self.single_head and self.acyclic and self.no_covered_roots


def derive_theory(definition: Definition) -> Theory:
    """Apply Propositions 1 to 9.

    >>> from malt.systems import find_system
    >>> eager = derive_theory(find_system("nivreeager"))
    >>> eager.divisible, eager.projective, eager.length
    (True, True, '2n')
    >>> derive_theory(find_system("planar")).projective
    False
    """
    cases = possible_cases(definition)
    operations = {operation for case in cases for operation in case.operations}
    permitted = [case for case in cases if not case.forced]
    if definition.stacks > 1 and operations <= {*ELEMENTARY, "SWITCH"} - {"UNSHIFT"}:
        return _of_planes(definition, permitted)
    # What runs on one stack can be followed, be it divisible or not; with lists nothing is known.
    followed = permitted if definition.stacks == 1 else []
    invariants = _invariants(followed)
    runs = [_Run(case, invariants) for case in followed]
    single = bool(runs) and all(run.arcs_headless for run in runs)
    acyclic = bool(runs) and all(run.arcs_apart or run.arcs_onward for run in runs)
    if definition.stacks != 1 or not operations <= set(ELEMENTARY):
        foreign = sorted(operations - set(ELEMENTARY))
        why = f"it uses {', '.join(foreign)}" if foreign else "it has several stacks"
        return Theory(False, False, single, acyclic, False, False, False, "", (f"not divisible: {why} (definition 7)",))
    covered = all(run.reduces_headed for run in runs)
    # The proof of proposition 5 needs that nothing but an empty buffer ends a derivation.
    ends = [[(atom.predicate, atom.negated) for atom in rule.restriction] for rule in definition.rules["end"]]
    ends_with_buffer = [("empty(buffer)", False)] in ends
    robust = ends_with_buffer and any(c.operations == ("SHIFT",) and not c.restriction for c in permitted)
    effects = [_effect(case) for case in permitted]
    bounded = all(a > 0 or p > 0 or b > 0 for a, p, b in effects)
    length = _length(effects, single) if bounded else ""
    apart = all(run.arcs_apart for run in runs)
    why = "joins nodes that are connected (proposition 3)" if apart else "goes back along a path (section 3.3.2)"
    told = [
        (True, "planar: every divisible system is (proposition 4)"),
        (single, "single head: no arc goes to a node that has a head (proposition 2)"),
        (acyclic, f"acyclic: no arc {why}"),
        (covered, "no covered roots: only nodes with a head are reduced (proposition 1)"),
        (robust, "robust: SHIFT is always there (proposition 5)"),
        (bounded, f"bounded: {_PAYS} (proposition 6)"),
        (bool(length), f"length: at most {length} transitions for n words (propositions 8 and 9)"),
    ]
    reasons = tuple(text for holds, text in told if holds)
    return Theory(True, True, single, acyclic, covered, robust, bounded, length, reasons)


def _of_planes(definition: Definition, cases: list[Case]) -> Theory:
    """Several stacks, of which SWITCH chooses one (section 5.1). Whoever looks at one stack alone sees a divisible
    system; what is asked of a node when it gets an arc holds whatever the other stacks do."""
    k = definition.stacks
    runs = [_Run(case, Invariants(False, False, False, False, False), k) for case in cases]
    single = all(run.arcs_headless for run in runs)
    acyclic = all(run.arcs_apart or run.arcs_onward for run in runs)
    switches = [case for case in cases if case.operations == ("SWITCH",)]
    others = [_effect(case) for case in cases if case not in switches]
    bounded = all(a > 0 or p > 0 or b > 0 for a, p, b in others) and all(
        Atom("switched", negated=True) in case.restriction for case in switches
    )
    arcs = "n" if single else f"{k}(4n - 6)"
    length = f"n + {k}n + {arcs}"  # nodes that are shifted and reduced, and arcs: a transition has one of them at least
    if switches:
        length = f"{k}({length}) + {k - 1}"
    then = f", but for SWITCH, at most {k - 1} in a row" if switches else ""
    told = [
        (True, "not divisible: it uses SWITCH (definition 7)"),
        (True, f"{k} planes: each stack by itself is that of a divisible system (lemma 6)"),
        (single, "single head: no arc goes to a node that has a head (proposition 2)"),
        (acyclic, "acyclic: no arc joins nodes that are connected (proposition 3)"),
        (bounded, f"bounded: {_PAYS}{then} (proposition 11)"),
        (bounded, f"length: at most {length} transitions for n words (proposition 11)"),
    ]
    reduces = [case for case in cases if "REDUCE" in case.operations]
    if reduces and all(run.reduces_headed for run, case in zip(runs, cases, strict=True) if case in reduces):
        few = ": of the 125 trees of four words, 83 with two stacks" if k == 2 else ""
        why = "a node may have to leave one stack before it gets its head from another, and only nodes with a head do"
        told.append((True, f"not complete: {why}; not all that oracles derive can be reached (section 5.1.2){few}"))
    reasons = tuple(text for holds, text in told if holds)
    return Theory(False, False, single, acyclic, False, False, bounded, length if bounded else "", reasons, k)


def possible_cases(definition: Definition) -> list[Case]:
    """The cases of transitions that may ever be made."""
    musts = {rule.transition for rule in definition.rules["must"]}
    return [c for name, cases in definition.transitions.items() for c in cases if name in musts or not _never(c)]


def _never(case: Case) -> bool:
    return any(atom.predicate == "never" and not atom.negated for atom in case.restriction)


def _invariants(cases: list[Case]) -> Invariants:
    """The strongest invariants that all transitions keep: those that some transition breaks, assuming all that are
    left, are dropped until none is broken."""
    held = dict.fromkeys(Invariants.__dataclass_fields__, True)
    while True:
        invariants = Invariants(**held)
        broken = {name for case in cases for name in _Run(case, invariants).broken}
        if not broken:
            return invariants
        held |= dict.fromkeys(broken, False)


def _effect(case: Case) -> tuple[int, int, int]:
    """A(t), Π(t) and β(t) of the article: arcs added, nodes removed, and how much the buffer shrinks."""
    count = case.operations.count
    return count("LEFT-ARC") + count("RIGHT-ARC"), count("REDUCE"), count("SHIFT") - count("UNSHIFT")


def _length(effects: list[tuple[int, int, int]], single_head: bool) -> str:
    """A bound a·arcs + p·nodes + b·buffer with the least coefficients that every transition pays at least 1 of."""
    best: int | None = None  # in halves, as all coefficients are
    arcs = 1 if single_head else 4  # a word has one head, or there are at most 4n - 6 arcs (lemma 4)
    for a, p, b in product(range(9), repeat=3):
        cost = a * arcs + p + b
        if (best is None or cost < best) and all(a * x + p * y + b * z >= 2 for x, y, z in effects):
            best = cost
    return "" if best is None else f"{Fraction(best, 2)}n"


class _Run:
    """A chain of operations run on nodes s0 (the top), s1 ... and b0 (the front), b1 ...

    An operation goes no further than two nodes; more stand for those that no chain reaches. With several stacks, what
    is below the top is not followed, and after SWITCH other nodes are there.
    """

    def __init__(self, case: Case, invariants: Invariants, stacks: int = 1) -> None:
        far = len(case.operations) + 3
        self.stack, self.buffer = ([f"{place}{i}" for i in range(far)] for place in "sb")
        # Those of the next stacks; there may be none.
        self.others = [[f"{place}{i}" for i in range(far)] for place in range(far if stacks > 1 else 0)]
        self.nodes = (*self.stack, *self.buffer)
        self.invariants = invariants
        self.headed: dict[str, bool] = {}  # what is known
        self.apart: set[frozenset[str]] = set()
        self.joined: set[frozenset[str]] = set()  # what an arc of this transition may have connected
        self.arcs_headless = self.arcs_apart = self.arcs_onward = self.reduces_headed = True
        self._assume()
        guards = case.guards or (case.restriction, *((),) * (len(case.operations) - 1))
        for number, (operation, guard) in enumerate(zip(case.operations, guards, strict=True)):
            self._learn({atom.predicate: not atom.negated for atom in guard})
            if number == 0:
                self._keep_apart()
            self._do(operation)
        self.broken = self._broken()

    def _assume(self) -> None:
        """What the invariants say."""
        for node in self.stack + self.buffer:
            if self.invariants.stack_headless if node in self.stack else self.invariants.buffer_headless:
                self.headed[node] = False

    def _keep_apart(self) -> None:
        for i, one in enumerate(self.stack + self.buffer):
            for two in (self.stack + self.buffer)[i + 1 :]:
                in_buffer = one in self.buffer or two in self.buffer
                # Everything that is on the stack twice is ordered: `one` is above `two`.
                if (
                    (in_buffer and self.invariants.buffer_apart)
                    or (not in_buffer and self.invariants.stack_apart)
                    or (not in_buffer and self.invariants.headless_apart and self.headed.get(one) is False)
                ):
                    self.apart.add(frozenset((one, two)))

    def _learn(self, known: dict[str, bool]) -> None:
        """What a restriction says of the nodes where they are now."""
        top, second, front = self.stack[0], self.stack[1], self.buffer[0]
        self.onward = known
        for predicate, node in (("headed(top)", top), ("headed(second)", second), ("headed(front)", front)):
            if predicate in known:
                self.headed[node] = known[predicate]
        if "headed(other)" in known and self.others:
            self.headed[self.others[0][0]] = known["headed(other)"]
        for predicate, node in (("connected(top,front)", top), ("connected(second,front)", second)):
            if known.get(predicate) is False:
                self.apart.add(frozenset((node, front)))

    def _do(self, operation: str) -> None:
        depth = 1 if operation.endswith("-2") else 0
        if operation == "SHIFT":
            self.stack.insert(0, self.buffer.pop(0))
        elif operation == "UNSHIFT":
            self.buffer.insert(0, self.stack.pop(0))
        elif operation == "SWAP":
            self.buffer.insert(0, self.stack.pop(1))
        elif operation == "SWITCH":
            self.stack = self.others.pop(0)
        elif operation.startswith("REDUCE"):
            self.reduces_headed &= self.headed.get(self.stack.pop(depth)) is True
        else:
            left, front = self.stack[depth], self.buffer[0]
            dependent, path = (left, "path(top,front)") if operation.startswith("LEFT") else (front, "path(front,top)")
            self.arcs_headless &= self.headed.get(dependent) is False
            self.arcs_apart &= frozenset((left, front)) in self.apart
            self.arcs_onward &= depth == 0 and self.onward.get(path) is False
            self.headed[dependent] = True
            self._join(left, front)

    def _near(self, node: str) -> set[str]:
        """The nodes that may be connected with a node."""
        return {other for other in self.nodes if other == node or frozenset((node, other)) not in self.apart}

    def _join(self, one: str, two: str) -> None:
        near_one, near_two = self._near(one), self._near(two)
        joined = {frozenset((a, b)) for a in near_one for b in near_two}
        self.apart -= joined
        self.joined |= joined

    def _broken(self) -> set[str]:
        """The invariants that do not hold again. Nodes at the far ends stand for all that are not followed."""
        rules, broken = self.invariants, set()
        if any(self.headed.get(node) is not False for node in self.buffer):
            broken.add("buffer_headless")
        if any(self.headed.get(node) is not False for node in self.stack):
            broken.add("stack_headless")
        for i, one in enumerate(self.stack + self.buffer):
            for two in (self.stack + self.buffer)[i + 1 :]:
                if frozenset((one, two)) in self.apart:
                    continue
                if one in self.buffer or two in self.buffer:
                    broken.add("buffer_apart")
                    continue
                broken.add("stack_apart")
                if self.headed.get(one) is not True and (
                    "b" in one + two or one in self.headed or frozenset((one, two)) in self.joined
                ):
                    broken.add("headless_apart")
        return {name for name in broken if getattr(rules, name)}
