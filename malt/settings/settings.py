"""The values of all options for one run, and where each comes from."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from malt.errors import MaltError, UsageError
from malt.running.log import logger
from malt.settings.catalogue import Catalogue, Command, catalogue
from malt.settings.option import Value

# MaltParser's precedence, strongest first: what a model was trained with, what the program itself has settled, and then
# what the user said.
LEVELS = ("saved", "derived", "command line", "option file", "default")
GIVEN = ("saved", "command line", "option file")


class Settings(Mapping[str, Any]):
    """A mapping from `group.name` to a value of the option's type: bool, int, float or str.

    >>> settings = Settings(command_line={"guide.kbest": 3}, option_file={"guide.kbest": 5, "graph.root_label": "TOP"})
    >>> settings["guide.kbest"], settings["graph.root_label"], settings["nivre.allow_root"]
    (3, 'TOP', True)
    >>> settings.source("guide.kbest"), settings.given("nivre.allow_root")
    ('command line', False)
    """

    def __init__(
        self,
        command: Command | None = None,
        *,
        command_line: Mapping[str, Value] | None = None,
        option_file: Mapping[str, Value] | None = None,
        files: Sequence[str] = (),
        options: Catalogue | None = None,
        repeated: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.command = command
        self.repeated = dict(repeated or {})  # all values of options that may be given several times
        self.files = tuple(files)
        self._catalogue = options or catalogue()
        self._options = self._catalogue.options
        if command is not None:  # a command may take an option with fewer values or another default
            self._options = {**self._options, **{option.key: option for option in (*command.takes, *command.own)}}
        self._levels: dict[str, dict[str, Value]] = {level: {} for level in LEVELS}
        self._levels["command line"].update(command_line or {})
        self._levels["option file"].update(option_file or {})

    def __getitem__(self, name: str) -> Any:
        option = self._options[name]
        for level in self._levels.values():
            if name in level:
                return level[name]
        if option.default is None:
            raise UsageError(f"{option.spelling} ({option.name}) is needed: expected {option.expected}")
        return option.default

    def __contains__(self, name: object) -> bool:
        return name in self._options and (
            self._options[str(name)].default is not None or self.source(str(name)) != "default"
        )

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._options if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def source(self, name: str) -> str:
        """Where a value comes from: one of LEVELS."""
        return next((level for level, values in self._levels.items() if name in values), "default")

    def given(self, name: str) -> bool:
        """Whether the user gave it, on the command line, in an option file, or when the model was trained."""
        return any(name in self._levels[level] for level in GIVEN)

    def derive(self, values: Mapping[str, Value]) -> Settings:
        """The same settings with some values settled that follow from others; they beat what the user gave, and are
        what is saved. These here stay as they are.

        >>> settings = Settings()
        >>> derived = settings.derive({"guide.decision_settings": "T.TRANS+A.DEPREL+A.PPLIFTED"})
        >>> derived.save()["guide.decision_settings"], settings["guide.decision_settings"]
        ('T.TRANS+A.DEPREL+A.PPLIFTED', 'T.TRANS+A.DEPREL')
        """
        derived = copy.copy(self)
        derived._levels = {level: dict(known) for level, known in self._levels.items()}
        derived._levels["derived"].update({self._options[name].key: value for name, value in values.items()})
        return derived

    def without(self, names: Iterable[str]) -> Settings:
        """The same settings as if the user had not given some options."""
        left = self.derive({})
        for level in ("command line", "option file"):
            for name in names:
                left._levels[level].pop(name, None)
        return left

    def save(self) -> dict[str, str]:
        """The options that a model keeps (usage: save), as texts, in the order of the catalogue."""
        return {
            name: option.write(self[name])
            for name, option in self._options.items()
            if option.usage == "save" and name in self
        }

    def load_saved(self, saved: Mapping[str, str]) -> Settings:
        """The same settings with what a model was trained with. It beats the command line, with a warning where the two
        differ.

        >>> settings = Settings().load_saved({"graph.root_label": "TOP", "guide.kbest": "3"})
        >>> settings["graph.root_label"], settings["guide.kbest"]
        ('TOP', 3)
        """
        loaded = self.derive({})
        for key, text in saved.items():
            group, _, name = key.partition(".")
            try:
                option = self._options[self._catalogue.by_name(name, group, dotted=True).key]
                value = option.read(text, option.key)
            except UsageError as error:
                raise MaltError(f"the options that the model was saved with: {error}") from None
            given = self._levels["command line"].get(option.key, value)
            if not _same(given, value):
                logger.warning(
                    "warning: %s %s is ignored: the model was trained with %s",
                    option.spelling,
                    option.write(given),
                    option.write(value) or "none",
                )
            loaded._levels["saved"][option.key] = value
        return loaded


def _same(given: Value, saved: Value) -> bool:
    """Whether two values mean the same. Of files a model keeps base names: conllx.xml for conllx, x.xml for a/x.xml."""
    if isinstance(given, str) and isinstance(saved, str):
        return os.path.basename(given).removesuffix(".xml") == os.path.basename(saved).removesuffix(".xml")
    return given == saved
