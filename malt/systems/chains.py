"""What chains of operations need and do, and what follows from them where a text says no more.

Nodes have numbers here: those of the stack -1 (the top), -2 and so on, those of the buffer 0 (the front), 1 and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from malt.kernel.system import FRONT, FURTHER, NO_ARC, SECOND, TOP

Chain = tuple[str, ...]

TOP_NODE, SECOND_NODE, FRONT_NODE = -1, -2, 0


def follow(operations: Chain) -> Iterator[tuple[int | None, int | None, int]]:
    """Before each operation, where the top, the second and the front were before the first; None: on another stack.

    >>> list(follow(("UNSHIFT", "LEFT-ARC", "REDUCE")))
    [(-1, -2, 0), (-2, -3, -1), (-2, -3, -1)]
    """
    far = len(operations) + 2
    stack: list[int | None] = list(range(-far, 0))
    buffer: list[int | None] = list(range(far))
    for operation in operations:
        front = buffer[0]
        yield stack[-1], stack[-2], front if front is not None else 0
        if operation == "SHIFT":
            stack.append(buffer.pop(0))
        elif operation == "UNSHIFT":
            buffer.insert(0, stack.pop())
        elif operation == "REDUCE":
            stack.pop()
        elif operation == "REDUCE-2":
            stack.pop(-2)
        elif operation == "SWAP":
            buffer.insert(0, stack.pop(-2))
        elif operation == "SWITCH":
            stack = [None] * len(stack)


def arcs(operations: Chain) -> list[tuple[int | None, int | None]]:
    """The arcs that a chain makes: where the head and the dependent are before.

    >>> arcs(("UNSHIFT", "LEFT-ARC", "REDUCE", "SHIFT"))
    [(-1, -2)]
    """
    found: list[tuple[int | None, int | None]] = []
    for operation, (top, second, front) in zip(operations, follow(operations), strict=True):
        if "ARC" in operation:
            left = second if operation.endswith("-2") else top
            found.append((front, left) if operation.startswith("LEFT") else (left, front))
    return found


def arc_places(operations: Chain) -> tuple[int, int]:
    """Where the head and the dependent of the arc that a chain makes are before, as the kernel has it.

    >>> arc_places(("REDUCE",)) == (NO_ARC, NO_ARC), arc_places(("UNSHIFT", "LEFT-ARC", "REDUCE")) == (TOP, SECOND)
    (True, True)
    """
    found = arcs(operations)
    return (_place(found[0][0]), _place(found[0][1])) if found else (NO_ARC, NO_ARC)


def _place(node: int | None) -> int:
    usual: dict[int | None, int] = {None: NO_ARC, TOP_NODE: TOP, SECOND_NODE: SECOND, FRONT_NODE: FRONT}
    if node is None or node in usual:
        return usual[node]
    return FURTHER + 2 * node + 1 if node > 0 else FURTHER + 2 * (-1 - node)


def demand(operations: Chain) -> tuple[int, int]:
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


def root_needs(operations: Chain, *, one_root: bool = False) -> list[tuple[int, str]]:
    """What must not hold before operations of a chain, for the artificial root to stay where it is, without a head and,
    with `one_root`, with one dependent: the number of the operation, and a predicate.

    >>> root_needs(("UNSHIFT", "RIGHT-ARC", "SHIFT", "REDUCE")), root_needs(("UNSHIFT", "LEFT-ARC", "REDUCE", "SHIFT"))
    ([(0, 'root(top)')], [(0, 'root(top)'), (0, 'root(second)')])
    """
    found: list[tuple[int, str]] = []
    for number, (operation, (top, second, _)) in enumerate(zip(operations, follow(operations), strict=True)):
        asks, node, name = "root", top, "top"
        if operation in ("REDUCE-2", "LEFT-ARC-2", "SWAP"):
            node, name = second, "second"
        elif operation == "RIGHT-ARC" and one_root:
            asks = "full"
        elif operation not in ("REDUCE", "UNSHIFT", "LEFT-ARC"):
            continue
        if node is not None and node >= FRONT_NODE:  # a word
            continue
        if node == TOP_NODE or (node == SECOND_NODE and asks == "root"):
            found.append((0, f"{asks}({'top' if node == TOP_NODE else 'second'})"))
        else:
            found.append((number, f"{asks}({name})"))
    return list(dict.fromkeys(found))


def usual_model(chains: Iterable[Chain], stacks: int) -> tuple[str, str]:
    """The default feature model of a system with these chains, and the names by which its features look.

    >>> usual_model([("SHIFT",), ("REDUCE",), ("LEFT-ARC", "REDUCE"), ("RIGHT-ARC", "SHIFT")], 1)
    ('NivreEager', 'Stack = stack, Input = buffer')
    >>> usual_model([("SHIFT",), ("REDUCE",), ("LEFT-ARC",), ("RIGHT-ARC",)], 1)[0]
    'PlanarEager'
    """
    chains = list(chains)
    operations = {operation for chain in chains for operation in chain}
    made = {pair for chain in chains for pair in arcs(chain)} if stacks == 1 else set()
    if not stacks:
        names = "Left = left, Right = right, LeftContext = left context, RightContext = right context"
        return "CovingtonNonProjective", names
    if stacks > 1:
        return "2PlanarEager", "ActiveStack = stack, InactiveStack = next stacks, Input = buffer"
    if "SWAP" in operations:
        return "StackSwap", "Stack = stack, Input = swapped, Lookahead = lookahead"
    plain = "Stack = stack, Input = buffer"
    within = {frozenset(pair) == {TOP_NODE, SECOND_NODE} for pair in made}
    if within == {True}:
        return "StackProjective", f"{plain}, Lookahead = buffer"
    if within == {True, False}:
        return "ArcHybrid", plain
    if any(node is not None and node < TOP_NODE for pair in made for node in pair):
        return "Attardi", plain
    rightward = [chain for chain in chains if "RIGHT-ARC" in chain and "SHIFT" in chain]
    if any("REDUCE" in chain for chain in rightward):
        return "NivreStandard", plain
    return ("NivreEager" if rightward else "PlanarEager"), plain


def usual_pairs(chains: Iterable[Chain], *, leaves_words: bool) -> list[str]:
    """Which nodes of stack and buffer can still be joined, if that follows from the chains: not if nodes come back."""
    operations = {operation for chain in chains for operation in chain}
    if operations & {"UNSHIFT", "SWAP", "NEXT", "BACK", "BACK-OUT", "BACK-TO-HEAD"}:
        return []
    rightward = ["stack -> buffer"] * bool(operations & {"RIGHT-ARC", "RIGHT-ARC-2"})
    leftward = ["buffer -> stack"] * bool(operations & {"LEFT-ARC", "LEFT-ARC-2"})
    if not rightward + leftward:
        return []
    return ["root -> word"] * leaves_words + rightward + leftward + ["buffer -> buffer"]
