"""`malt help`: pages made from the catalogue, wrapped to the width of the terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable

from malt.errors import UsageError, nearest, quoted
from malt.settings.catalogue import Catalogue, Command, catalogue
from malt.settings.commandline import options_of
from malt.settings.option import NO_EFFECT, USAGE, Option
from malt.settings.reference import markdown
from malt.settings.settings import Settings

MALTPARSER = "MaltParser's own command line works as it is: malt -c NAME -m MODE -flag VALUE --name=VALUE ..."
MORE = """`{0} help COMMAND` explains a command; `{0} help -i`, `{0} help root_label` and `{0} help input` explain an
option or a group of options; `{0} help options` lists all of them; `{0} help files` explains option files."""


class Page:
    """Lines of text for a terminal.

    >>> page = Page(30)
    >>> page.table([("-i FILE", "File to read, or nothing at all.")])
    >>> print("\\n".join(page.lines))
      -i FILE  File to read, or
               nothing at all.
    """

    def __init__(self, width: int = 0) -> None:
        self.width = width or min(max(shutil.get_terminal_size().columns, 40), 100)
        self.lines: list[str] = []

    def text(self, text: str, indent: int = 0) -> None:
        """Paragraphs, wrapped."""
        for part in text.strip("\n").split("\n\n"):
            self.space()
            self._fill(" ".join(part.split()), " " * indent, " " * indent)

    def literal(self, text: str) -> None:
        """Lines that stay as they are."""
        self.lines += text.rstrip("\n").split("\n")

    def table(self, rows: Iterable[tuple[str, str]], indent: int = 2) -> None:
        """Two columns, of which the second is wrapped. Where the first is too wide the second begins below it."""
        rows = list(rows)
        deep = indent + 2 + max((len(left) for left, _ in rows if len(left) <= 24), default=4)
        for left, right in rows:
            start = " " * indent + left
            if len(start) + 2 > deep:
                self.lines.append(start)
                start = ""
            self._fill(right, start.ljust(deep), " " * deep)

    def space(self) -> None:
        """A blank line, unless there is one, or the page begins here."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def _fill(self, text: str, first: str, others: str) -> None:
        width = max(self.width, len(others) + 20)
        self.lines += textwrap.wrap(
            text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
        ) or [first.rstrip()]

    def show(self) -> int:
        """Print the page. The exit code is that of success."""
        print("\n".join(self.lines))
        return 0


def run(options: Settings) -> int:
    """Show the page that was asked for."""
    if options.get("help.markdown"):
        print(markdown(catalogue()), end="")
        return 0
    assert options.command is not None
    program = options.command.program
    return topic(options.files[0], program, catalogue()).show() if options.files else overview(program)


def short(program: str) -> int:
    """What is shown without arguments: where to begin."""
    page, content = Page(), catalogue().programs[program]
    page.text(f"{content.name}: {content.summary}")
    page.space()
    page.literal(content.short)
    return page.show()


def overview(program: str) -> int:
    """What is shown for --help."""
    page, content = Page(), catalogue().programs[program]
    page.text(f"{content.name}: {content.summary}\n\nUsage: {content.name} COMMAND [options] [FILE...]\n\nCommands:")
    page.table((command.name, command.summary) for command in content.commands.values())
    page.text("Every command takes:")
    file, verbosity, asking = (catalogue().options[f"system.{name}"] for name in ("option_file", "verbosity", "help"))
    every = (asking, *catalogue().common, verbosity, file)
    page.table((catalogue().syntax(option), option.summary) for option in every)
    if program == "malt":
        page.text(MALTPARSER)
    page.text(MORE.format(program))
    return page.show()


def command(content: Command) -> int:
    """What is shown for COMMAND --help."""
    return _command(content).show()


def topic(word: str, program: str, options: Catalogue) -> Page:
    """The page about a command, a group, an option, or a topic of its own."""
    commands, every, page = options.programs[program].commands, list(options.options.values()), Page()
    if word in commands:
        return _command(commands[word])
    if word in options.topics:
        page.literal(options.topics[word])
        return page
    if word == "options" or word.lower() in options.titles:
        for group in options.titles if word == "options" else [word.lower()]:
            _group(page, group, options)
        return page
    if word in options.retired:
        page.text(options.retired[word])
        return page
    name = word.partition("=")[0].removeprefix("--").lower()
    names = {name, name.replace("-", "_"), name.replace("-", ".", 1)}
    found = [option for option in every if word in (option.flag, *option.old)]
    found = found or [option for option in every if option.name in names or option.key in names]
    if not found:
        words = [
            *commands,
            "options",
            *options.topics,
            *options.groups,
            *(o.flag for o in every),
            *(o.name for o in every),
        ]
        raise UsageError(f"there is no help on {quoted(word)}{nearest(word, words) or f'; see `{program} help`'}")
    for option in found:
        _option(page, option)
        _otherwise(page, option, commands.values())
    return page


def _otherwise(page: Page, option: Option, commands: Iterable[Command]) -> None:
    """What commands do with an option of MaltParser that MaltParser does not."""
    texts: dict[str, list[str]] = {}
    for command in commands:
        for other in command.takes:
            if other.key == option.key and other.help != option.help:
                texts.setdefault(other.help, []).append(f"`{command.program} {command.name}`")
    for text, names in texts.items():
        page.text(f"With {', '.join(names)}: {text}", 2)


def _command(content: Command) -> Page:
    page = Page()
    page.text(f"{content.program} {content.name}: {content.summary}\n\nUsage: {content.program} {content.usage}")
    page.text(content.help)
    if content.most != 0:
        page.text("Arguments:")
        page.table([(content.argument, content.argument_help)])
    for title, options in sorted_options(content, catalogue()).items():
        page.text(title)
        page.table((catalogue().syntax(option), summary(option)) for option in options)
    if content.flowcharts:
        page.text(
            f"As a mode of MaltParser: {', '.join(f'{content.program} -m {name} ...' for name in content.flowcharts)}"
        )
    page.text("Examples:")
    for line, meaning in content.examples.items():
        page.literal(f"  {line}\n      {meaning}")
    return page


def sorted_options(content: Command, options: Catalogue) -> dict[str, list[Option]]:
    """The options of a command under the headings that the help has: where there are very many, those that most people
    need come first, and then MaltParser's groups."""
    every = options_of(content, options)
    if not content.first:
        return {"Options:": list(every)}
    first = [option for flag in content.first for option in every if option.flag == flag]
    found = {"Common options:": [*first, *content.own]}
    for option in every:
        if option not in found["Common options:"]:
            title = options.titles["system" if option.group == "common" else option.group]
            found.setdefault(f"{title.removesuffix('.')}:", []).append(option)
    last = f"{options.groups['system'].removesuffix('.')}:"
    return {**{title: rest for title, rest in found.items() if title != last}, last: found[last]}


def _option(page: Page, option: Option) -> None:
    page.space()
    page.literal(catalogue().syntax(option, long=True))
    first, _, rest = option.help.partition("\n")
    page.text(f"{first}\n\n{rest}" if rest else first, 2)
    if option.values:
        page.text("Names:" if option.type == "stringenum" else "Values:", 2)
        page.table(option.values.items(), 4)
    page.text(" ".join(facts(option)), 2)


def _group(page: Page, name: str, options: Catalogue) -> None:
    page.text(f"{name}: {options.titles[name]}")
    every = (*options.maltparser, *options.ours)
    page.table((catalogue().syntax(option), summary(option)) for option in every if option.group == name)


def facts(option: Option) -> list[str]:
    """What is to be said of an option besides its help."""
    limits = [f"at least {option.show_number(option.minimum)}"] if option.minimum is not None else []
    limits += [f"at most {option.show_number(option.maximum)}"] if option.maximum is not None else []
    default = shown_default(option)
    lines = [
        f"Group: {option.group}.",
        f"Default: {default}." if default else "",
        f"A number of {' and '.join(limits)}." if limits else "",
        f"Older names: {', '.join(option.old)}." if option.old else "",
        "" if option.effect else NO_EFFECT,
        USAGE[option.usage],
    ]
    return [line for line in lines if line]


def summary(option: Option) -> str:
    """One line about an option, with its default."""
    default, text = shown_default(option), option.summary.removesuffix(".")
    told = set(text.replace(",", " ").split())
    choices = "" if told.issuperset(option.values) else f" ({', '.join(option.values)})"
    return text + choices + (f" [{default}]" if default else "") + ("" if option.effect else " (no effect)")


def shown_default(option: Option) -> str:
    """The default as text; nothing where there is none to speak of."""
    if option.source:
        return option.source
    return "" if option.default is None or option.type == "unary" else option.write(option.default)
