"""From the text of a feature to its nodes, as MaltParser reads it.

A text is cut at each of ( ) [ ] and the comma; what is left is prefix notation, read from right to left. The brackets
are there for people: they are looked at only to say what is wrong, and to count the arguments of Join, which is ours.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from malt.errors import DataError, MaltError, nearest, quoted
from malt.features.functions import FEATURE, FUNCTIONS, LARGEST, NUMBERS, Function, Kind, find_function
from malt.features.nodes import Address, Feature, Node
from malt.kernel.features import Side

DEEPEST = 50  # functions in functions
LONGEST = 10_000  # characters

_MARKS = re.compile(r"([()\[\],])")
_SPACE = re.compile(r"[ \t\n\x0b\f\r]+")  # what Java takes for white space
_NUMBER = re.compile(r"[+-]?[0-9]+")

Item = Node | str | int


class FeatureError(MaltError):
    """What is wrong with a feature; the place is added by whoever knows it."""


@dataclass(frozen=True)
class FeatureText:
    """A feature as it stands in a file: its text without white space, and its place."""

    text: str
    file: str = ""
    line: int = 0

    def error(self, message: str) -> DataError:
        """A report of what is wrong with it."""
        return DataError(f"{excerpt(self.text)}: {message}", self.file, self.line)


def strip_blanks(text: str) -> str:
    """A text without white space, as features are compared.

    >>> strip_blanks(" InputColumn( POSTAG, Stack[0] ) ")
    'InputColumn(POSTAG,Stack[0])'
    """
    return _SPACE.sub("", text)


def java_order(text: str) -> bytes:
    """The key by which Java sorts texts: their UTF-16 code units.

    >>> sorted(["ldep", "\\uff21", "Stack", "\\U0001d538"], key=java_order)
    ['Stack', 'ldep', '𝔸', 'Ａ']
    """
    return text.encode("utf-16-be", "surrogatepass")


def excerpt(text: str) -> str:
    """A feature in an error line."""
    return text if len(text) <= 200 else f"{text[:160]}..."


def parse_feature(text: str, nodes: dict[Node, Node] | None = None) -> Feature:
    """The nodes of a feature. Nodes that are in `nodes` already are used again, new ones are added to it.

    >>> parse_feature("Exists(Stack[0])")
    Feature(function='Exists', arguments=(Address(function='Stack', argument=0),))
    >>> parse_feature("InputColum(POSTAG,Stack[0])")
    Traceback (most recent call last):
    malt.features.syntax.FeatureError: there is no function InputColum; did you mean InputColumn?
    >>> parse_feature("Merge(Exists(Stack[0]))")
    Traceback (most recent call last):
    malt.features.syntax.FeatureError: Merge takes 2 arguments, Merge(FEATURE, FEATURE), but has 1 here
    """
    nodes = {} if nodes is None else nodes
    if len(text) > LONGEST:
        raise FeatureError(f"the feature has more than {LONGEST} characters")
    stack: list[tuple[Item, int]] = []  # each with how deep it is
    heights: list[int] = []  # of the stack where each bracket ends
    inside = 0  # how much stands in the brackets after a name
    for token in filter(None, reversed(_MARKS.split(text))):
        if token in "()[],":
            inside = len(stack) - heights.pop() if token in "([" and heights else 0
            heights += [len(stack)] if token in ")]" else []
            continue
        function = find_function(token)
        if function is None:
            stack.append((token, 0))
            continue
        kinds = function.arguments
        count = max(len(kinds), inside) if function.repeats else len(kinds)
        taken = [stack.pop() for _ in range(min(count, len(stack)))]
        arguments = [_converted(item, kinds[min(i, len(kinds) - 1)]) for i, (item, _) in enumerate(taken)]
        if len(arguments) < count or any(argument is None for argument in arguments):
            raise FeatureError(_explained(text, function, taken))
        depth = 1 + max(depth for _, depth in taken)
        if depth > DEEPEST:
            raise FeatureError(f"functions are nested more than {DEEPEST} deep")
        node = _node(function, arguments)
        stack.append((nodes.setdefault(node, node), depth))
    found = stack.pop()[0] if len(stack) == 1 else None
    if not isinstance(found, Feature):
        raise FeatureError(_explained(text))
    return found


def _node(function: Function, arguments: list[Item | None]) -> Node:
    if function.kind == FEATURE:
        return Feature(function.name, tuple(argument for argument in arguments if argument is not None))
    argument = arguments[0]
    assert isinstance(argument, (Address, int))
    return Address(function.name, argument)


def _converted(item: Item, kind: Kind) -> Item | None:
    """An item as an argument of a kind, or nothing if it is none."""
    if kind is Kind.ADDRESS:
        return item if isinstance(item, Address) else None
    if kind is Kind.FEATURE:
        return item if isinstance(item, Feature) else None
    if kind is Kind.INPUT_COLUMN:
        return item if isinstance(item, Feature) and item.function == "InputColumn" else None
    if not isinstance(item, str):
        return None
    if kind in NUMBERS:
        least = 0 if kind is Kind.INDEX else 1
        if not _NUMBER.fullmatch(item) or len(item) > 9 or not least <= int(item) <= LARGEST:
            return None
        return int(item)
    if kind is Kind.BUCKETS:
        return item if buckets(item) else None
    if kind in (Kind.RELATION, Kind.COUNTED):
        known = item.upper() in Side.__members__ and (kind is Kind.COUNTED or item.upper() != "HEADS")
        return item if known else None
    return item


def buckets(text: str) -> tuple[int, ...]:
    """The numbers of Distance and NumOf; none if they do not ascend, or do not begin with 0.

    >>> buckets("0|1|5"), buckets("1|2"), buckets("0|2|2")
    ((0, 1, 5), (), ())
    """
    items = text.rstrip("|").split("|")
    if items[0] != "0" or not all(_NUMBER.fullmatch(item) and len(item) < 10 for item in items):
        return ()
    numbers = tuple(map(int, items))
    return numbers if all(low < high for low, high in itertools.pairwise(numbers)) else ()


def _explained(text: str, function: Function | None = None, taken: list[tuple[Item, int]] | None = None) -> str:
    """What is wrong with a text, judged by its brackets or, if these tell nothing, by what a function did not get."""
    message = _by_brackets(text)
    if not message and function is not None and taken is not None:
        found = f"{', '.join(excerpt(str(item)) for item, _ in taken)}" or "nothing"
        message = f"{function.name} needs its arguments, {function.signature}, but finds {found} after it"
    return message or "this is not one feature; expected for example InputColumn(POSTAG,Stack[0])"


@dataclass
class _Part:
    """A part of a text by its brackets: a name with arguments, or a plain text."""

    name: str
    arguments: list[_Part] | None = None


def _by_brackets(text: str) -> str:
    """The first mistake that the brackets of a text show, from left to right."""
    top = _Part("", [])
    open_parts, name, closed = [top], "", False
    brackets: list[str] = []
    for token in [token for token in _MARKS.split(text) if token]:
        if token in "([":
            if not name:
                return f"a function is missing before {token}"
            part = _Part(name, [])
            _arguments(open_parts[-1]).append(part)
            open_parts.append(part)
            if len(open_parts) > DEEPEST:
                return f"functions are nested more than {DEEPEST} deep"
            brackets.append(token)
            name = ""
        elif token in ")],":
            if name:
                _arguments(open_parts[-1]).append(_Part(name))
            elif not closed:
                return f"something is missing before {token}"
            if token != "," and (not brackets or brackets.pop() + token not in ("()", "[]")):
                return f"{token} closes nothing" if len(open_parts) == 1 else f"{token} does not fit the open bracket"
            if token == "," and not brackets:
                return "a comma stands outside of all brackets"
            if token != ",":
                open_parts.pop()
            name, closed = "", token != ","
            continue
        elif closed:
            return f"unexpected {quoted(token)} after a bracket"
        else:
            name = token
        closed = False
    if brackets:
        return f"{brackets[-1]} is not closed"
    if name:
        _arguments(top).append(_Part(name))
    parts = _arguments(top)
    return _misfit(parts[0], Kind.FEATURE, "") if len(parts) == 1 else ""


def _arguments(part: _Part) -> list[_Part]:
    assert part.arguments is not None
    return part.arguments


def _misfit(part: _Part, kind: Kind, where: str) -> str:
    """Why a part is not an argument of a kind, or nothing if it is."""
    function = find_function(part.name)
    if part.arguments is None:
        if function is not None:
            return f"{part.name} is a function and needs its arguments: {function.signature}"
        fits = kind not in (Kind.ADDRESS, Kind.FEATURE, Kind.INPUT_COLUMN) and _converted(part.name, kind) is not None
        return "" if fits else _expected(part.name, kind, where)
    if function is None:
        return f"there is no function {part.name}{nearest(part.name, FUNCTIONS) or _all(kind)}"
    kinds, count = function.arguments, len(part.arguments)
    wanted = len(kinds)
    if count < wanted or (count > wanted and not function.repeats):
        least, s = "at least " if function.repeats else "", "" if wanted == 1 else "s"
        return f"{part.name} takes {least}{wanted} argument{s}, {function.signature}, but has {count} here"
    for number, argument in enumerate(part.arguments, 1):
        place = f"argument {number} of {part.name}" if wanted > 1 else f"the argument of {part.name}"
        if message := _misfit(argument, kinds[min(number, wanted) - 1], place):
            return message
    right = part.name == "InputColumn" if kind is Kind.INPUT_COLUMN else function.kind.upper() == kind.name
    return "" if right else _expected(f"{part.name}{'[...]' if function.structure else '(...)'}", kind, where)


def _expected(found: str, kind: Kind, where: str) -> str:
    if not where:
        return f"{excerpt(found)} is not a feature; expected for example InputColumn(POSTAG,Stack[0])"
    return f"{where} is {quoted(found)}; expected {kind.value}"


def _all(kind: Kind) -> str:
    wanted = "feature" if kind is Kind.INPUT_COLUMN else kind.name.lower()
    names = [function.name for function in FUNCTIONS.values() if function.kind == wanted]
    return f"; there are {', '.join(names or FUNCTIONS)}"
