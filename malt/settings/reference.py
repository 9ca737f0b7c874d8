"""docs/options.md: the catalogue as a reference page in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from malt.settings.catalogue import Catalogue, Command, catalogue
from malt.settings.option import NO_EFFECT, USAGE, Option

HEAD = """# Commands and options

This page is made by `malt help --markdown` from the catalogue in `options/`; edit the catalogue, not the page.
"""


def markdown(options: Catalogue) -> str:
    """The whole page.

    >>> markdown(catalogue()).splitlines()[0]
    '# Commands and options'
    """
    return "\n".join(_lines(options)).rstrip("\n") + "\n"


def _lines(options: Catalogue) -> Iterator[str]:
    yield HEAD
    for program in options.programs.values():
        yield f"## {program.name}\n\n{program.summary[0].upper()}{program.summary[1:]}.\n"
        for command in program.commands.values():
            yield from _command(command)
    yield "## Every command\n"
    for option in options.common:
        yield from _option(option)
    yield "## Options of several commands\n"
    for option in options.ours:
        yield from _option(option)
    yield "## Options of MaltParser\n"
    yield "| flag | name | default | |\n|---|---|---|---|"
    for option in options.maltparser:
        yield f"| `{option.flag}` | {option.key} | {_default(option)} | {_text(option.summary)} |"
    yield ""
    for group, text in options.groups.items():
        yield f"### Group {group}\n\n{_text(text)}\n"
        for option in options.maltparser:
            if option.group == group:
                yield from _option(option)
    for title, text in (topic.split("\n", 1) for topic in options.topics.values()):
        yield f"## {title}\n\n{_blocks(text)}"


def _command(command: Command) -> Iterator[str]:
    yield f"### {command.program} {command.name}\n\n    {command.program} {command.usage}\n\n{_text(command.help)}\n"
    if command.most != 0:
        yield f"`{command.argument}`: {_text(command.argument_help)}.\n"
    if taken := [option for option in command.takes if option.group not in ("system", "common")]:
        yield f"Takes {', '.join(f'`{option.spelling}`' for option in taken)}.\n"
    for option in command.own:
        yield from _option(option)
    yield "Examples:\n"
    for line, meaning in command.examples.items():
        yield f"    {line.ljust(max(map(len, command.examples)))}   # {meaning}"
    yield ""


def _option(option: Option) -> Iterator[str]:
    first, _, rest = option.help.partition("\n")
    yield f"#### `{catalogue().syntax(option, long=True)}`\n\n{_text(first)}\n"
    if rest:
        yield f"{_text(rest)}\n"
    for value, meaning in option.values.items():
        yield f"- `{value}`: {_text(meaning)}"
    if option.values:
        yield ""
    facts = [f"Type {option.type}", f"default {_default(option)}"] if option.type != "unary" else []
    facts += [f"at least {option.show_number(option.minimum)}"] if option.minimum is not None else []
    facts += [f"at most {option.show_number(option.maximum)}"] if option.maximum is not None else []
    facts += [f"older flags {', '.join(f'`{flag}`' for flag in option.old)}"] if option.old else []
    lines = [f"{'; '.join(facts)}."] if facts else []
    lines += [] if option.effect else [f"**{NO_EFFECT}**"]
    lines += [USAGE[option.usage]] if USAGE[option.usage] else []
    if lines:
        yield f"{' '.join(lines)}\n"


def _default(option: Option) -> str:
    if option.type == "unary":
        return ""
    if option.default is None:
        return "none"
    return f"`{option.write(option.default)}`" if option.default != "" else "empty"


def _text(text: str) -> str:
    """Prose; what Markdown would take for a mark of its own is escaped, except in `code`."""
    parts = text.strip().split("`")
    plain = (
        part if number % 2 else part.replace("_", "\\_").replace("*", "\\*").replace("|", "\\|")
        for number, part in enumerate(parts)
    )
    return "`".join(plain).replace("<", "&lt;")


def _blocks(text: str) -> str:
    """Prose and indented examples; the examples are indented further, as Markdown wants it."""
    return "\n".join(f"  {line}" if line.startswith("  ") else line for line in text.strip("\n").splitlines()) + "\n"
