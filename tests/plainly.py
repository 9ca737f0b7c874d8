"""Pseudo-projective transformations in plain Python, word for word as they are defined: slow, and easy to check by eye.

A tree is a list of heads with an element for each position; position 0 is the artificial root. `None` is no node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass
class Lifted:
    """What projectivization gives: the new heads, and what was done to each word."""

    heads: list[int]
    origins: list[int]  # the head before the first lift, 0 if there was none
    paths: list[bool]
    covered: list[bool]


def climb(head: list[int], node: int) -> list[int]:
    """The node and all above it, the artificial root last."""
    return [node] if node == 0 else [node, *climb(head, head[node])]


def is_projective(head: list[int], word: int) -> bool:
    """Arcs of the root always are; others if their head dominates all words between their ends."""
    above = head[word]
    between = range(min(word, above) + 1, max(word, above))
    return above == 0 or all(above in climb(head, other) for other in between)


def projectivize(heads: Sequence[int], order: str, covered_root: str, lifting: bool = True) -> Lifted:
    """Lift the shortest or the deepest non-projective arc, the first of several, until there is none."""
    head = [0, *heads]
    words = range(1, len(head))
    length = [abs(word - above) for word, above in enumerate(head)]
    origin, path, covered = [0] * len(head), [False] * len(head), [False] * len(head)

    def attach_covered(word: int) -> bool:
        left, right = sorted((word, head[word]))
        found = False
        for other in range(left + 1, right):
            below = [x for x in words if x != other and other in climb(head, x)] or [other]
            if head[word] and head[other] == 0 and not origin[other] and left < min(below) and max(below) < right:
                head[other] = {"left": left, "right": right}.get(covered_root, head[word])
                covered[other] = found = True
        return found

    if covered_root in ("left", "right", "head"):
        for word in words:
            attach_covered(word)
    while lifting and (crossing := [word for word in words if not is_projective(head, word)]):
        if order == "shortest":
            word = min(crossing, key=lambda word: length[word])
        else:
            word = max(crossing, key=lambda word: len(climb(head, word)))
        if covered_root == "ignore" and attach_covered(word):
            continue
        origin[word] = origin[word] or head[word]
        path[head[word]] = True
        head[word] = head[head[word]]
    if covered_root == "ignore":
        head = [0 if covered[word] else above for word, above in enumerate(head)]
    return Lifted(head[1:], origin[1:], path[1:], covered[1:])


def deprojectivize(
    heads: Sequence[int],
    labels: Sequence[object],
    wanted: Sequence[object],
    lifted: Sequence[bool],
    paths: Sequence[bool],
    strategy: str,
    limit: int = 10_000,
) -> list[int]:
    """Put lifted words back where a search below their heads finds the label that is wanted, or the end of a path."""
    head, label, want = [0, *heads], [None, *labels], [None, *wanted]
    is_lifted, path = [False, *lifted], [False, *paths]
    calls = 0

    def dependents(above: int, word: int, only_path: bool) -> list[int]:
        found = [x for x in range(1, len(head)) if head[x] == above]
        for i in range(len(found)):  # a selection sort, as the order of equal distances depends on it
            least = min(range(i, len(found)), key=lambda k: abs(found[k] - word))
            found[i], found[least] = found[least], found[i]
        return [x for x in found if x != word and (path[x] or not only_path)]

    def search_head(word: int) -> int | None:
        queue = dependents(head[word], word, False)
        while queue:
            x = queue.pop(0)
            if label[x] == want[word]:
                return x
            queue += dependents(x, word, False)
        return None

    def search_path(word: int) -> int | None:
        queue = dependents(head[word], word, True)
        while queue:
            x = queue.pop(0)
            new = dependents(x, word, True)
            if not new:
                return x
            queue += new
        return None

    def search_both(word: int) -> int | None:
        queue = dependents(head[word], word, True)
        remembered = []
        while queue:
            x = queue.pop(0)
            new = dependents(x, word, True)
            if label[x] == want[word]:
                if not new:
                    return x
                remembered.append(x)
            queue += new
        return remembered[0] if remembered else None

    search: Callable[[int], int | None] = {"head": search_head, "path": search_path, "head+path": search_both}[strategy]

    def put_back(word: int) -> bool:
        found = search(word)
        if found is not None:
            head[word] = found
            is_lifted[word] = False
        return found is not None

    def visit(node: int) -> bool:
        nonlocal calls
        attempts = 2 if calls < limit else 1
        calls += 1
        ok = True
        if is_lifted[node] and path[node] and strategy != "head":
            ok = put_back(node)
        if is_lifted[node]:
            ok = put_back(node) and ok
        all_ok = False
        while not all_ok and attempts > 0:
            all_ok = True
            below = [x for x in range(1, len(head)) if head[x] == node]
            for x in [x for x in below if x < node] + [x for x in reversed(below) if x > node]:
                all_ok = visit(x) and all_ok
            attempts -= 1
        return all_ok and ok

    visit(0)
    return head[1:]
