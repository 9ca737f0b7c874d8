"""The command line: MaltParser's own, and `malt COMMAND [options] [FILE...]`, read by one scanner.

MaltParser's grammar: `-flag value`, where the next argument is the value whatever it looks like, and `--name=value` or
`--group-name=value`. The commands also take `--name value`, arguments that are no options, `-` (standard input), and
`--`, after which nothing is an option.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field

from malt.errors import UsageError, nearest, quoted
from malt.settings.catalogue import Catalogue, Command, catalogue
from malt.settings.maltoptimizer import is_maltoptimizers, translate
from malt.settings.option import Option, Value, ambiguous_error, unknown_error
from malt.settings.settings import Settings


@dataclass
class Arguments:
    """What was found on a command line."""

    values: dict[str, Value] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    repeated: dict[str, list[str]] = field(default_factory=dict)

    def add(self, option: Option, text: str, shown: str) -> None:
        """Take an option's value; the last one counts."""
        value = option.read(text, shown)
        if option.several:
            self.repeated.setdefault(option.key, []).append(text)
        elif option.key in self.values and option.type != "unary":
            self.warnings.append(f"{shown} is given more than once; the last one, {quoted(text)}, counts")
        self.values[option.key] = value


def read(argv: Sequence[str], program: str = "malt", options: Catalogue | None = None) -> tuple[Settings, list[str]]:
    """The settings of a command line, and warnings about it.

    >>> settings, _ = read(["sample", "-n", "5", "--seed=7"])
    >>> settings.command.name, settings["sample.number"], settings["sample.seed"], settings["sample.illnested"]
    ('sample', 5, 7, 0.01)
    >>> settings, _ = read(["-c", "model", "-m", "convert", "-lo", "-s_4_-c_0.1"])
    >>> settings.command.name, settings["config.flowchart"], settings["lib.options"]
    ('convert', 'convert', '-s_4_-c_0.1')
    >>> read(["smaple"])
    Traceback (most recent call last):
    malt.errors.UsageError: there is no command 'smaple'; did you mean sample?
    """
    options = options or catalogue()
    commands = options.programs[program].commands
    argv = _command_first(argv, commands, options)
    if program == "malt" and argv[0].startswith("-"):
        return _maltparser(argv, options)
    notes: list[str] = []
    if program == "maltopt" and is_maltoptimizers(argv):
        argv, notes = translate(argv)
    if argv[0] not in commands:
        hint = nearest(argv[0], commands) or f"; {program} has {', '.join(commands)}"
        raise UsageError(f"there is no command {quoted(argv[0])}{hint}")
    command = commands[argv[0]]
    found = _friendly(argv[1:], command, options)
    # So that a command can tell that it is not run as a mode of MaltParser.
    return _settings(command, found, options).derive({"config.flowchart": ""}), [*notes, *found.warnings]


def _command_first(argv: Sequence[str], commands: Container[str], options: Catalogue) -> Sequence[str]:
    """What every command takes may as well stand before the command: `malt -q parse` is `malt parse -q`."""
    common = {word for option in options.common for word in (option.flag, f"--{option.name}")}
    before = list(itertools.takewhile(common.__contains__, argv))
    at = len(before)
    return [argv[at], *before, *argv[at + 1 :]] if argv[at:] and argv[at] in commands else argv


def _maltparser(argv: Sequence[str], options: Catalogue) -> tuple[Settings, list[str]]:
    """MaltParser's own command line: the mode (-m) picks the command."""

    def find(word: str) -> Option:
        if not word.startswith("--"):
            return options.by_flag(word)
        group, dash, name = word[2:].partition("-")
        return options.by_name(name, group) if dash else options.by_name(group)

    found = Arguments()
    rest = iter(argv)
    for word in rest:
        if len(word.strip("-")) == 0 or not word.startswith("-"):
            hint = f"; put the command first: malt {word} ..." if word in options.programs["malt"].commands else ""
            raise UsageError(f"{quoted(word)} is not an option: expected -flag value, or --name=value{hint}")
        _option(word, rest, find, found, spaced=False)
    settings = _settings(None, found, options)
    if settings["system.help"] or settings["common.version"]:
        return settings, found.warnings
    if not settings.given("config.flowchart") and settings.given("singlemalt.mode"):
        settings = settings.derive({"config.flowchart": settings["singlemalt.mode"]})
    settings.command = options.flowcharts[settings["config.flowchart"]]
    return settings, found.warnings


def _friendly(argv: Sequence[str], command: Command, options: Catalogue) -> Arguments:
    """The arguments of a command."""
    known = options_of(command, options)
    found = Arguments()
    if not {"-h", "--help"}.isdisjoint(itertools.takewhile(lambda word: word != "--", argv)):
        found.values["system.help"] = True  # whatever else is there, and be it wrong: who asks for help gets it
        return found

    def find(word: str) -> Option:
        return _own(word, known, command, options)

    rest = iter(argv)
    for word in rest:
        if word == "--":
            found.files.extend(rest)
        elif word == "-" or not word.startswith("-") or (command.literal and not _takes(word, command)):
            found.files.append(word)
        else:
            _option(word, rest, find, found, spaced=True)
    if found.files and "input.infile" in found.values:
        raise UsageError(f"the input is given twice, as {quoted(found.files[0])} and with -i; give it once")
    if command.most is not None and len(found.files) > command.most:
        allowed = f"at most {command.most} {command.argument}" if command.most else f"no {command.argument}"
        extra = quoted(found.files[command.most])
        raise UsageError(f"{command.name} takes {allowed}; {extra} is one too many")
    return found


def _option(word: str, rest: Iterator[str], find: Callable[[str], Option], found: Arguments, spaced: bool) -> None:
    """Take the option that a word begins."""
    shown, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
    option = find(shown)
    if option.type == "unary":
        if equals and spaced:  # MaltParser lets it pass
            raise UsageError(f"{shown} takes no value")
    elif not equals:
        after = None if shown.startswith("--") and not spaced else next(rest, None)
        if after is None:
            example = f"{shown}=VALUE" if shown.startswith("--") else f"{shown} VALUE"
            raise UsageError(f"{shown} needs a value: {example}")
        text = after
    found.add(option, text, shown)


def options_of(command: Command, options: Catalogue) -> tuple[Option, ...]:
    """The options of a command: its own, those of MaltParser that it takes, and -f, as a file can hold all of them."""
    known = (*command.own, *command.takes)
    file = options.options["system.option_file"]
    return known if command.literal or any(option.key == file.key for option in known) else (*known, file)


def _takes(word: str, command: Command) -> bool:
    """Whether a literal command has an option of its own, or help, by just this name."""
    names = {name for option in (*command.own, *command.takes) for name in (option.flag, f"--{option.name}")}
    return word.partition("=")[0] in names - {"-v", "-q"}


def _own(word: str, known: Sequence[Option], command: Command, options: Catalogue) -> Option:
    """The option of a command that a word names. A name in a group of its own may be written --group-name."""
    found = [option for option in known if word in (option.flag, *option.old)]
    if word.startswith("--"):
        name = word[2:].lower().replace("-", "_")
        found = [option for option in known if option.name == name]
        found = found or [option for option in known if option.key.replace(".", "_", 1) == name]
    if len(found) > 1:
        own = [option for option in found if option in command.own]
        if len(own) == 1:  # what a command calls its own comes first
            return own[0]
        raise ambiguous_error(word, found)
    if found:
        return found[0]
    where = f"{command.program} {command.name} --help"
    for option in options.maltparser:
        if word in (option.flag, *option.old, f"--{option.name}", f"--{option.group}-{option.name}"):
            raise UsageError(f"{command.name} does not take {word} ({option.key}); `{where}` shows what it takes")
    raise unknown_error(word, known, where)


def _settings(command: Command | None, found: Arguments, options: Catalogue) -> Settings:
    """Settings with what the option file (-f) adds."""
    path = str(found.values.get("system.option_file", ""))
    from_file: dict[str, Value] = {}
    if path:
        from malt.settings import optionfile

        from_file, warnings = optionfile.read(path, options, found.values)
        found.warnings.extend(warnings)
    return Settings(
        command,
        command_line=found.values,
        option_file=from_file,
        files=found.files,
        options=options,
        repeated=found.repeated,
    )
