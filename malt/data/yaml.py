"""YAML as a user may hand it to us: events with line numbers, every value a text, without anchors, aliases and tags.

Events, not a tree: what has no place in a file is refused where it begins, so nothing deep or endless is ever built.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from malt.errors import DataError

if TYPE_CHECKING:
    from yaml import Event


DEEPEST = 24


@dataclass(frozen=True)
class YamlNode:
    """A value with its line: a text, a list, or a mapping."""

    line: int
    value: str | list[YamlNode] | dict[str, YamlNode]


class YamlReader:
    """Walks through one YAML document.

    >>> reader = YamlReader(b"a: 1\\nb: [x, y]", "f", "an example")
    >>> _ = reader.first()
    >>> for line, key, event in reader.pairs("a name"):
    ...     print(line, key, event.value if reader.is_text(event) else [text for _, text in reader.texts("a word")])
    1 a 1
    2 b ['x', 'y']
    """

    def __init__(self, data: bytes, file: str, what: str, wrong: str = "neither XML nor YAML") -> None:
        """`what` is what the file is, in words, for the error lines; `wrong` what is said if it is no YAML."""
        self.file, self.what, self.wrong = file, what, wrong
        self._events = self._parse(data)

    def _parse(self, data: bytes) -> Iterator[Any]:
        import yaml

        try:
            yield from yaml.parse(data, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            place = (mark.line + 1, mark.column + 1) if mark else (0, 0)
            raise DataError(f"{self.wrong}: {error.problem or error.context}", self.file, *place) from None
        except (yaml.YAMLError, UnicodeError) as error:
            raise DataError(f"{self.wrong}: {str(error).splitlines()[0]}", self.file) from None

    def first(self) -> Event | None:
        """The event with which the content begins; nothing if there is none."""
        event = [next(self._events, None) for _ in range(3)][2]  # after the start of the stream and of the document
        if event is not None:
            self._refuse_references(event)
        return event

    def pairs(self, key_kind: str) -> Iterator[tuple[int, str, Any]]:
        """The keys of a mapping up to its end, each with its line and the event with which its value begins."""
        import yaml

        seen: dict[str, int] = {}
        for key in self._events:
            if isinstance(key, yaml.MappingEndEvent):
                return
            line = self.line(key)
            if not self.is_text(key):
                raise DataError(f"expected {key_kind}", self.file, line)
            value = next(self._events)
            self._refuse_references(key)
            self._refuse_references(value)
            if key.value.lower() in seen:
                first = seen[key.value.lower()]
                raise DataError(f"{key.value} is given more than once, first in line {first}", self.file, line)
            seen[key.value.lower()] = line
            yield line, key.value, value

    def texts(self, item_kind: str) -> Iterator[tuple[int, str]]:
        """The items of a list up to its end, each with its line; all must be texts."""
        import yaml

        for item in self._events:
            if isinstance(item, yaml.SequenceEndEvent):
                return
            self._refuse_references(item)
            if not self.is_text(item):
                raise DataError(f"expected {item_kind}", self.file, self.line(item))
            yield self.line(item), item.value

    def tree(self, first: Any, depth: int = 0) -> YamlNode:
        """The whole value that begins with an event.

        >>> reader = YamlReader(b"a:\\n  - x\\n  - {b: y}", "f", "an example")
        >>> reader.tree(reader.first()).value["a"].value[1]
        YamlNode(line=3, value={'b': YamlNode(line=3, value='y')})
        """
        import yaml

        line = self.line(first)
        if depth > DEEPEST:
            raise DataError(f"{self.what} is nested more than {DEEPEST} deep", self.file, line)
        if self.is_mapping(first):
            return YamlNode(line, {key: self.tree(value, depth + 1) for _, key, value in self.pairs("a name")})
        if self.is_list(first):
            items: list[YamlNode] = []
            for item in self._events:
                if isinstance(item, yaml.SequenceEndEvent):
                    break
                self._refuse_references(item)
                items.append(self.tree(item, depth + 1))
            return YamlNode(line, items)
        if not self.is_text(first):
            raise DataError("anchors (&) and aliases (*) have no place here; remove them", self.file, line)
        return YamlNode(line, first.value)

    def finish(self) -> None:
        """Make sure that nothing follows."""
        import yaml

        if [type(event) for event in self._events] != [yaml.DocumentEndEvent, yaml.StreamEndEvent]:
            raise DataError(f"there is more than one YAML document; {self.what} has one", self.file)

    def is_text(self, event: Any) -> bool:
        """Whether an event is a value by itself."""
        import yaml

        return isinstance(event, yaml.ScalarEvent)

    def is_mapping(self, event: Any) -> bool:
        """Whether an event begins a mapping."""
        import yaml

        return isinstance(event, yaml.MappingStartEvent)

    def is_list(self, event: Any) -> bool:
        """Whether an event begins a list."""
        import yaml

        return isinstance(event, yaml.SequenceStartEvent)

    @staticmethod
    def line(event: Any) -> int:
        """Where an event begins."""
        return int(event.start_mark.line) + 1

    def _refuse_references(self, event: Any) -> None:
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise DataError(
                f"anchors (&), aliases (*) and tags (!) have no place in {self.what}; remove them",
                self.file,
                self.line(event),
            )
