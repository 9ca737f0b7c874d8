"""From the text of a transition system to the kernel's tables."""

from __future__ import annotations

from malt.errors import DataError
from malt.kernel.system import FRONT, NO_ARC, SECOND, TOP, System
from malt.systems.language import ANY, COSTS, OPERATIONS, PAIRS, PREDICATES, QUESTIONS, Atom, Case, Definition

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
            needed = case.restriction + tuple(_implied(case, name, definition))
            operations = [OPERATIONS[operation] for operation in case.operations]
            compiled.append((*bits(needed), case.forced, operations))
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
        names.index(definition.shift) if definition.shift else -1,
        definition.roots != ANY,
        COSTS[definition.costs],
        sum(PAIRS[pair] for pair in definition.pairs),
        definition.acyclic,
        definition.root_last,
        definition.many,
    )


def arc_places(operations: tuple[str, ...]) -> tuple[int, int]:
    """Where the head and the dependent of the arc that a chain makes are before.

    >>> arc_places(("REDUCE",)) == (NO_ARC, NO_ARC), arc_places(("UNSHIFT", "LEFT-ARC", "REDUCE")) == (TOP, SECOND)
    (True, True)
    """
    nothing = [NO_ARC] * len(operations)
    stack, buffer = [*nothing, SECOND, TOP], [FRONT, *nothing]
    for operation in operations:
        if "ARC" in operation:
            pair = buffer[0], stack[-2 if operation.endswith("-2") else -1]
            return pair if operation.startswith("LEFT") else pair[::-1]
        if operation == "SHIFT":
            stack.append(buffer.pop(0))
        elif operation == "UNSHIFT":
            buffer.insert(0, stack.pop())
        elif operation in ("REDUCE", "SWITCH"):  # what is below is not looked at any more
            stack.pop()
    return NO_ARC, NO_ARC


def demand(operations: tuple[str, ...]) -> tuple[int, int]:
    """How many nodes a chain of operations needs on the stack and in the buffer to be defined.

    >>> demand(("LEFT-ARC", "REDUCE")), demand(("UNSHIFT", "RIGHT-ARC", "SHIFT", "REDUCE"))
    ((1, 1), (2, 0))
    """
    uses = {
        "SHIFT": (0, 1, 1, -1),  # needs of stack and buffer, effect on stack and buffer
        "UNSHIFT": (1, 0, -1, 1),
        "REDUCE": (1, 0, -1, 0),
        "LEFT-ARC": (1, 1, 0, 0),
        "RIGHT-ARC": (1, 1, 0, 0),
        "SWAP": (2, 0, -1, 1),
        "REDUCE-2": (2, 0, -1, 0),
        "LEFT-ARC-2": (2, 1, 0, 0),
        "RIGHT-ARC-2": (2, 1, 0, 0),
    }
    stack = buffer = needed_stack = needed_buffer = 0
    for operation in operations:
        if operation == "SWITCH":  # from here on another stack is used, of which nothing is known
            break
        need = uses[operation]
        needed_stack = max(needed_stack, need[0] - stack)
        needed_buffer = max(needed_buffer, need[1] - buffer)
        stack, buffer = stack + need[2], buffer + need[3]
    return needed_stack, needed_buffer


def _implied(case: Case, name: str, definition: Definition) -> list[Atom]:
    """The restrictions that the operations themselves make."""
    if not definition.stacks:
        return []
    stack, buffer = demand(case.operations)
    if stack > 2 or buffer > 1:
        raise DataError(
            f"transition {name} needs more than two nodes of the stack or one of the buffer", definition.name
        )
    atoms = [Atom("empty(stack)", True)] if stack == 1 else [Atom("single(stack)", True)] if stack == 2 else []
    return atoms + ([Atom("empty(buffer)", True)] if buffer else [])
