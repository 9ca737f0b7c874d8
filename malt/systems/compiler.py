"""From the text of a transition system to the kernel's tables."""

from __future__ import annotations

from malt.kernel.system import Prospect, System
from malt.systems.chains import arc_places, demand
from malt.systems.language import (
    ANY,
    BUFFER_SEEN,
    COSTS,
    OPERATIONS,
    PAIRS,
    PREDICATES,
    QUESTIONS,
    STACK_SEEN,
    Atom,
    Case,
    Definition,
    is_tried,
)
from malt.systems.theory import derive_theory, possible_cases

_Compiled = tuple[int, int, int, list[int]]


def compile_system(definition: Definition) -> System:
    """The tables of a definition."""
    names = list(definition.transitions)

    def bits(restriction: tuple[Atom, ...]) -> tuple[int, int]:
        mask = want = 0
        for atom in restriction:
            bit = PREDICATES.get(atom.predicate, 0)
            mask |= bit
            want |= 0 if atom.negated else bit
        return mask, want

    def rules(kind: str) -> list[_Compiled]:
        compiled = []
        for rule in definition.rules[kind]:
            questions = [2 * QUESTIONS[a.predicate] + a.negated for a in rule.restriction if a.predicate in QUESTIONS]
            transition = names.index(rule.transition) if rule.transition else -1
            compiled.append((transition, *bits(rule.restriction), questions))
        return compiled

    transitions = []
    for name, cases in definition.transitions.items():
        compiled = []
        for case in cases:
            implied = _implied(case) if definition.stacks else []
            guards = case.guards or ((),) * len(case.operations) if is_tried(case, definition.stacks) else ()
            operations = [OPERATIONS[operation] for operation in case.operations]
            compiled.append((*bits((*case.restriction, *implied)), case.forced, operations, [*map(bits, guards)]))
        transitions.append((name, max((arc_places(case.operations) for case in cases), key=max), compiled))
    return System(
        definition.stacks,
        definition.left,
        definition.all_words,
        transitions,
        rules("end"),
        rules("must"),
        rules("default"),
        rules("oracle"),
        _unpredicted(definition),
        definition.roots != ANY,
        COSTS[definition.costs],
        sum(PAIRS[pair] for pair in definition.pairs),
        definition.acyclic,
        definition.root_last,
        prospects(definition) if definition.searches else 0,
        definition.many,
        definition.bottom_up,
    )


def _unpredicted(definition: Definition) -> int:
    """What is done when nothing is predicted: the transition that shifts; in lists, as in MaltParser, the move after an
    arc to the left, and no arc."""
    if definition.stacks:
        return list(definition.transitions).index(definition.shift) if definition.shift else -1
    chains = (cases[0].operations for cases in definition.transitions.values())
    moves = (chain[-1] for chain in chains if len(chain) > 1 and chain[0] == "LEFT-ARC")
    return OPERATIONS[next(moves, "NEXT")]


def prospects(definition: Definition) -> int:
    """What a search for derivations may hope for: bits of the kernel's."""
    theory, cases = derive_theory(definition), possible_cases(definition)
    operations = {operation for case in cases for operation in case.operations}
    checked = all(_checked(case) for case in cases)
    beyond = [case for case in cases if case.forced and Atom("empty(buffer)") not in case.restriction]
    holds = {
        "RIGHTWARD": bool(operations & {"RIGHT-ARC", "RIGHT-ARC-2"}),
        "LEFTWARD": bool(operations & {"LEFT-ARC", "LEFT-ARC-2"}),
        "RETURNS": bool(operations & {"UNSHIFT", "SWAP"}),
        "REHEADS": not (theory.single_head or checked),
        "PLANAR": theory.planar,
        "COVERS": theory.planar and theory.no_covered_roots and not beyond,
    }
    return sum(int(Prospect[name]) for name, holding in holds.items() if holding)


def _checked(case: Case) -> bool:
    """Whether a case asks if the dependent of its arc has no head."""
    restrictions = case.guards or (case.restriction, *((),) * len(case.operations))
    for place, operation in enumerate(case.operations):
        if "ARC" in operation:
            node = "front" if operation.startswith("RIGHT") else "second" if operation.endswith("-2") else "top"
            asked = restrictions[place] if case.guards else case.restriction if place == 0 else ()
            if Atom(f"headed({node})", negated=True) not in asked:
                return False
    return True


def _implied(case: Case) -> list[Atom]:
    """The restrictions that the operations themselves make, as far as there are predicates for them."""
    stack, buffer = demand(case.operations)
    if stack > STACK_SEEN or buffer > BUFFER_SEEN:
        return []  # it is tried
    atoms = [Atom("empty(stack)", True)] if stack == 1 else [Atom("single(stack)", True)] if stack == 2 else []
    return atoms + ([Atom("empty(buffer)", True)] if buffer else [])
