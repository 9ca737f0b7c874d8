"""What follows from a definition by the propositions of the article (Gómez-Rodríguez and Nivre 2013, section 3.2).

A transition is a chain of operations on a few nodes at the top of the stack and the front of the buffer. The chain is
run on nodes of which only that is known which the restrictions and some invariants say; what then holds at every arc
and every REDUCE decides the propositions. An invariant is used only if all transitions keep it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from malt.systems.language import Case, Definition

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
    musts = {rule.transition for rule in definition.rules["must"]}
    cases = [c for name, cases in definition.transitions.items() for c in cases if name in musts or not _never(c)]
    operations = {operation for case in cases for operation in case.operations}
    divisible = definition.stacks == 1 and operations <= set(ELEMENTARY)
    if not divisible:
        foreign = sorted(operations - set(ELEMENTARY))
        why = f"it uses {', '.join(foreign)}" if foreign else "it has several stacks"
        return Theory(False, False, False, False, False, False, False, "", (f"not divisible: {why} (definition 7)",))
    permitted = [case for case in cases if not case.forced]
    runs = [_Run(case, invariants) for invariants in [_invariants(permitted)] for case in permitted]
    single = all(run.arcs_headless for run in runs)
    acyclic = all(run.arcs_apart for run in runs)
    covered = all(run.reduces_headed for run in runs)
    # The proof of proposition 5 needs that nothing but an empty buffer ends a derivation.
    ends = [[(atom.predicate, atom.negated) for atom in rule.restriction] for rule in definition.rules["end"]]
    ends_with_buffer = [("empty(buffer)", False)] in ends
    robust = ends_with_buffer and any(c.operations == ("SHIFT",) and not c.restriction for c in permitted)
    effects = [_effect(case) for case in permitted]
    bounded = all(a > 0 or p > 0 or b > 0 for a, p, b in effects)
    length = _length(effects, single) if bounded else ""
    told = [
        (True, "planar: every divisible system is (proposition 4)"),
        (single, "single head: no arc goes to a node that has a head (proposition 2)"),
        (acyclic, "acyclic: no arc joins nodes that are connected (proposition 3)"),
        (covered, "no covered roots: only nodes with a head are reduced (proposition 1)"),
        (robust, "robust: SHIFT is always there (proposition 5)"),
        (bounded, "bounded: every transition adds an arc, removes a node or shortens the buffer (proposition 6)"),
        (bool(length), f"length: at most {length} transitions for n words (propositions 8 and 9)"),
    ]
    reasons = tuple(text for holds, text in told if holds)
    return Theory(True, True, single, acyclic, covered, robust, bounded, length, reasons)


def _never(case: Case) -> bool:
    return any(atom.predicate == "never" and not atom.negated for atom in case.restriction)


def _invariants(cases: list[Case]) -> Invariants:
    """The strongest invariants that all transitions keep."""
    for values in sorted(product((True, False), repeat=5), key=sum, reverse=True):
        invariants = Invariants(*values)
        if all(_Run(case, invariants).keeps for case in cases):
            return invariants
    return Invariants(False, False, False, False, False)


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

    An operation goes no further than one node; two more stand for those that no chain reaches.
    """

    def __init__(self, case: Case, invariants: Invariants) -> None:
        self.stack, self.buffer = ([f"{place}{i}" for i in range(len(case.operations) + 2)] for place in "sb")
        self.nodes = (*self.stack, *self.buffer)
        self.invariants = invariants
        self.headed: dict[str, bool] = {}  # what is known
        self.apart: set[frozenset[str]] = set()
        self.joined: set[frozenset[str]] = set()  # what an arc of this transition may have connected
        self.arcs_headless = self.arcs_apart = self.reduces_headed = True
        self._assume(case)
        for operation in case.operations:
            self._do(operation)
        self.keeps = self._kept()

    def _assume(self, case: Case) -> None:
        known = {atom.predicate: not atom.negated for atom in case.restriction}
        for node in self.stack + self.buffer:
            if self.invariants.stack_headless if node in self.stack else self.invariants.buffer_headless:
                self.headed[node] = False
        for predicate, node in (("headed(top)", "s0"), ("headed(front)", "b0")):
            if predicate in known:
                self.headed[node] = known[predicate]
        for i, one in enumerate(self.stack + self.buffer):
            for two in (self.stack + self.buffer)[i + 1 :]:
                in_buffer = one in self.buffer or two in self.buffer
                # Everything that is on the stack twice is ordered: `one` is above `two`.
                if (
                    (in_buffer and self.invariants.buffer_apart)
                    or (not in_buffer and self.invariants.stack_apart)
                    or (not in_buffer and self.invariants.headless_apart and self.headed.get(one) is False)
                    or ({one, two} == {"s0", "b0"} and known.get("connected(top,front)") is False)
                ):
                    self.apart.add(frozenset((one, two)))

    def _do(self, operation: str) -> None:
        if operation == "SHIFT":
            self.stack.insert(0, self.buffer.pop(0))
        elif operation == "UNSHIFT":
            self.buffer.insert(0, self.stack.pop(0))
        elif operation == "REDUCE":
            self.reduces_headed &= self.headed.get(self.stack.pop(0)) is True
        else:
            top, front = self.stack[0], self.buffer[0]
            dependent = top if operation == "LEFT-ARC" else front
            self.arcs_headless &= self.headed.get(dependent) is False
            self.arcs_apart &= frozenset((top, front)) in self.apart
            self.headed[dependent] = True
            self._join(top, front)

    def _near(self, node: str) -> set[str]:
        """The nodes that may be connected with a node."""
        return {other for other in self.nodes if other == node or frozenset((node, other)) not in self.apart}

    def _join(self, one: str, two: str) -> None:
        near_one, near_two = self._near(one), self._near(two)
        joined = {frozenset((a, b)) for a in near_one for b in near_two}
        self.apart -= joined
        self.joined |= joined

    def _kept(self) -> bool:
        """Whether the invariants hold again. Nodes at the far ends stand for all that are not followed."""
        rules = self.invariants
        if rules.buffer_headless and any(self.headed.get(node) is not False for node in self.buffer):
            return False
        if rules.stack_headless and any(self.headed.get(node) is not False for node in self.stack):
            return False
        for i, one in enumerate(self.stack + self.buffer):
            for two in (self.stack + self.buffer)[i + 1 :]:
                if frozenset((one, two)) in self.apart:
                    continue
                if one in self.buffer or two in self.buffer:
                    if rules.buffer_apart:
                        return False
                elif rules.stack_apart or (
                    rules.headless_apart
                    and self.headed.get(one) is not True
                    and ("b" in one + two or one in self.headed or frozenset((one, two)) in self.joined)
                ):
                    return False
        return True
