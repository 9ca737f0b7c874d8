"""A cache: what was computed and may be needed again, as long as there is room."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from threading import Condition
from typing import Any


class Cache:
    """Keeps things, whose `size` is in bytes, by their keys; those that were not asked for the longest go first.

    Any number of threads may use it: each thing is made by one of them, and the others wait for it.

    >>> cache = Cache(100)
    >>> class Text(str):
    ...     size = 60
    >>> cache.take(["a", "b"], lambda keys: [Text(key.upper()) for key in keys])
    ['A', 'B']
    >>> "a" in cache, "b" in cache, cache.used, cache.made
    (False, True, 60, 2)
    """

    def __init__(self, room: int) -> None:
        self.room = room
        self.used = 0
        self.made = 0  # how many things were made
        self._things: OrderedDict[Hashable, Any] = OrderedDict()
        self._awaited: set[Hashable] = set()  # those that are being made
        self._changed = Condition()

    def __contains__(self, key: object) -> bool:
        return key in self._things

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """One thing, which is made if it is not there."""
        return self.take([key], lambda _: [make()])[0]

    def put(self, key: Hashable, thing: Any) -> None:
        """Keep a thing that was made on the way, unless there is one of this key, or someone makes it."""
        with self._changed:
            if key not in self._things and key not in self._awaited:
                self._keep({key: thing})

    def take(self, keys: Sequence[Hashable], make: Callable[[list[Any]], Sequence[Any]]) -> list[Any]:
        """The things of some keys; those that are not there are made together."""
        found: dict[Hashable, Any] = {}
        while len(found) < len(set(keys)):
            with self._changed:
                for key in keys:
                    if key not in found and key in self._things:
                        self._things.move_to_end(key)
                        found[key] = self._things[key]
                missing = [key for key in dict.fromkeys(keys) if key not in found]
                mine = [key for key in missing if key not in self._awaited]
                if missing and not mine:
                    self._changed.wait()
                    continue
                self._awaited.update(mine)
            if mine:
                found.update(self._make(mine, make))
        return [found[key] for key in keys]

    def _make(self, keys: list[Hashable], make: Callable[[list[Any]], Sequence[Any]]) -> dict[Hashable, Any]:
        things: dict[Hashable, Any] = {}
        try:
            things = dict(zip(keys, make(keys), strict=True))
        finally:
            with self._changed:
                self._awaited.difference_update(keys)
                self._keep(things)
                self.made += len(things)
                self._changed.notify_all()
        return things

    def _keep(self, things: dict[Hashable, Any]) -> None:
        for key, thing in things.items():
            self._things[key] = thing
            self.used += thing.size
        while self.used > self.room and self._things:
            _, old = self._things.popitem(last=False)
            self.used -= old.size
