"""Every option and every command, as options/*.yaml describes them: what the command line and the help are made of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from malt.errors import UsageError
from malt.ownfiles import read_own
from malt.settings.option import Option, ambiguous_error, unknown_error


@dataclass(frozen=True)
class Command:
    """A sub-command: what it is for, and which options and arguments it takes."""

    program: str
    name: str
    summary: str
    usage: str
    help: str
    argument: str  # what an argument that is no option is called, such as FILE
    argument_help: str
    most: int | None  # how many of them, at most
    literal: bool
    takes: tuple[Option, ...]  # options of MaltParser, and those of ours that several commands have
    own: tuple[Option, ...]
    first: tuple[str, ...]  # flags of the options that most people need, if these are told apart
    flowcharts: tuple[str, ...]
    examples: Mapping[str, str] = field(hash=False)


@dataclass(frozen=True)
class Executable:
    """malt or maltopt."""

    name: str
    summary: str
    short: str
    commands: Mapping[str, Command] = field(hash=False)


class Catalogue:
    """All options by key (`options`), MaltParser's groups with their help (`titles` has ours, too), the programs and
    their commands; options of our own that several commands take (`ours`); and by flag the options that the text of a
    transition system may ask for (`of_systems`).

    >>> catalogue().by_flag("-F").key, catalogue().by_name("root_label", "whatever").key
    ('guide.features', 'graph.root_label')
    >>> catalogue().by_name("format")
    Traceback (most recent call last):
    malt.errors.UsageError: --format is in more than one group; write --input-format or --output-format
    """

    def __init__(self, options: Mapping[str, Any], commands: Mapping[str, Any]) -> None:
        self.groups: dict[str, str] = {name: group["help"] for name, group in options["groups"].items()}
        self.retired: Mapping[str, str] = options["retired"]
        self.topics: Mapping[str, str] = commands["topics"]
        self.maltparser = tuple(
            _option(group, name, entry)
            for group, content in options["groups"].items()
            for name, entry in content["options"].items()
        )
        self.options: dict[str, Option] = {option.key: option for option in self.maltparser}
        self._flags = {flag: option for option in self.maltparser for flag in (option.flag, *option.old)}
        self.ours = tuple(
            _option(group, name, entry)
            for group, content in commands["groups"].items()
            for name, entry in content["options"].items()
        )
        self.titles = {**self.groups, **{name: group["help"] for name, group in commands["groups"].items()}}
        self.options.update((option.key, option) for option in self.ours)
        self.of_systems = {
            option.flag: option
            for option in (*self.maltparser, *self.ours)
            if option.group in (*options["systems"], *commands["systems"])
        }
        self.common = tuple(_option("common", name, entry) for name, entry in commands["common"].items())
        self._flags.update((option.flag, option) for option in self.common if option.flag)
        self.options.update((option.key, option) for option in self.common)
        self.programs = {name: self._program(name, entry) for name, entry in commands["programs"].items()}

    def _program(self, name: str, entry: Mapping[str, Any]) -> Executable:
        commands = {word: self._command(name, word, content) for word, content in entry["commands"].items()}
        return Executable(name, entry["summary"], entry["short"], commands)

    def _command(self, program: str, name: str, entry: Mapping[str, Any]) -> Command:
        own = tuple(_option(name, word, content) for word, content in entry.get("options", {}).items())
        self.options.update((option.key, option) for option in own)
        known = {**self._flags, **{option.flag or f"--{option.name}": option for option in self.ours}}
        takes = tuple(_narrow(known[flag], limits or {}) for flag, limits in entry.get("takes", {}).items())
        files = entry["files"]
        return Command(
            program=program,
            name=name,
            summary=entry["summary"],
            usage=entry["usage"],
            help=entry["help"],
            argument=files["name"],
            argument_help=files["help"],
            most=int(files["most"]) if "most" in files else None,
            literal=entry.get("literal") == "true",
            takes=(*takes, self.options["system.verbosity"], self.options["system.help"], *self.common),
            own=own,
            first=tuple(entry.get("first", ())),
            flowcharts=tuple(entry.get("flowcharts", ())),
            examples=entry["examples"],
        )

    @cached_property
    def flowcharts(self) -> dict[str, Command]:
        """The command that each value of -m runs."""
        return {name: command for command in self.programs["malt"].commands.values() for name in command.flowcharts}

    @cached_property
    def ambiguous(self) -> frozenset[str]:
        """The names of MaltParser that are in more than one group."""
        names = [option.name for option in self.maltparser]
        return frozenset(name for name in names if names.count(name) > 1)

    def by_flag(self, flag: str) -> Option:
        """The option of MaltParser with a flag; flags of its earlier versions are understood."""
        if flag in self.retired:
            raise UsageError(self.retired[flag])
        if flag not in self._flags:
            raise unknown_error(flag, (*self.maltparser, *(option for option in self.common if not option.flag)))
        return self._flags[flag]

    def by_name(self, name: str, group: str = "", *, dotted: bool = False) -> Option:
        """The option of MaltParser with a name. As there, the group counts only for a name that is in several groups.

        The error line spells names as on the command line (--input-format) or, dotted, as in a file (input.format).
        """
        options = (*self.maltparser, *self.common)
        found = [option for option in options if option.name == name.lower()]
        if len(found) > 1:
            found = [option for option in found if option.group == group.lower()] or found
        if len(found) > 1:
            raise ambiguous_error(name if dotted else f"--{name}", found)
        if not found:
            group = group and group + ("." if dotted else "-")
            raise unknown_error(f"{group}{name}" if dotted else f"--{group}{name}", options)
        return found[0]

    def syntax(self, option: Option, long: bool = False) -> str:
        """How an option is written: in a list briefly, otherwise in every way.

        >>> [catalogue().syntax(catalogue().options["input.format"], long) for long in (False, True)]
        ['-if FORMAT', '-if FORMAT, --input-format=FORMAT']
        >>> catalogue().syntax(catalogue().options["sample.number"])
        '-n, --number NUMBER'
        """
        value = option.value or {"unary": "", "bool": "BOOL", "integer": "NUMBER", "float": "NUMBER"}.get(option.type)
        if value is None:
            value = next((word for word in ("format", "file", "charset") if word in option.name), "value").upper()
        name = f"--{option.group}-{option.name}" if option.name in self.ambiguous else f"--{option.name}"
        if option.group not in self.groups:  # MaltParser writes names with _, which is understood for ours, too
            name = name.replace("_", "-")
        if not option.flag:
            return f"{name} {value}".rstrip()
        if long and value:
            return f"{option.flag} {value}, {name}={value}"
        own = option.type == "unary" or option.group not in self.groups
        return f"{option.flag}, {name} {value}".rstrip() if own else f"{option.flag} {value}"


def _option(group: str, name: str, entry: Mapping[str, Any]) -> Option:
    option = Option(
        group=group,
        name=name,
        type=entry["type"],
        help=entry["help"].rstrip("\n"),
        flag=entry.get("flag", ""),
        old=tuple(entry.get("old", ())),
        values=entry.get("values", {}),
        usage=entry.get("usage", ""),
        minimum=float(entry["minimum"]) if "minimum" in entry else None,
        maximum=float(entry["maximum"]) if "maximum" in entry else None,
        effect=entry.get("effect") != "none",
        pattern=entry.get("pattern", ""),
        value=entry.get("value", ""),
    )
    return _with_default(option, entry.get("default"))


def _with_default(option: Option, text: str | None) -> Option:
    """Unary options are off by default; an enum whose default is not among its values has none."""
    if option.type == "unary":
        return replace(option, default=False)
    if text is None or (option.type in ("enum", "class") and text not in option.values):
        return option
    return replace(option, default=option.read(text))


def _narrow(option: Option, limits: Mapping[str, Any]) -> Option:
    """An option of MaltParser as one command takes it: with fewer values or with another default."""
    if not limits:
        return option
    if "values" in limits:
        option = replace(option, type="enum", values={value: option.values[value] for value in limits["values"]})
    if "help" in limits:
        option = replace(option, help=limits["help"].rstrip("\n"))
    option = replace(option, source=limits.get("source", ""), several=option.several or "several" in limits)
    return _with_default(option, limits["default"]) if "default" in limits else option


@cache
def catalogue() -> Catalogue:
    """The catalogue, read once, when first asked for."""
    content = _load()
    return Catalogue(content["maltparser.yaml"], content["commands.yaml"])


def _load() -> Any:
    """What the YAML says: as the build has written it down (setup.py), or if that was made of other texts, as they are.

    JSON takes 1 ms, libyaml 12 and 10 more to be imported.
    """
    texts = {name: read_own("malt.options", name).decode() for name in ("commands.yaml", "maltparser.yaml")}
    try:
        compiled = json.loads(read_own("malt.options", "compiled.json"))
    except (OSError, ValueError):  # nothing was built here, or not to its end
        compiled = {}
    if compiled.get("texts") == texts:
        return compiled["content"]
    import yaml

    # A base loader leaves every value a text, so that `off` and `none` are what they look like.
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    return {name: yaml.load(text, Loader=loader) for name, text in texts.items()}
