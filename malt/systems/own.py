"""Systems of the user's own, from files."""

from __future__ import annotations

from pathlib import PurePath

from malt.data.files import read_small
from malt.errors import DataError, UsageError, quoted
from malt.settings.settings import Settings
from malt.systems import find_system, is_own, options_of
from malt.systems.compiler import compile_system
from malt.systems.language import MOST_CHARACTERS, Definition, Options, parse_system

ALGORITHM, TEXT = "singlemalt.parsing_algorithm", "own.system"


def read_system(path: str, options: Options | None = None) -> tuple[Definition, str]:
    """A definition from a file, which is called like the file without its folder, and its text."""
    data = read_small(path, "transition system", 4 * MOST_CHARACTERS)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError("expected text in UTF-8", path, line) from None
    if "\0" in text:
        raise DataError("expected text without NUL", path, text.count("\n", 0, text.index("\0")) + 1)
    parse_system(text, path, options)  # so that what is wrong is told with the whole path
    name = PurePath(path).name
    definition = find_system(name if "." in name else f"{name}.txt", options, text)
    compile_system(definition)
    return definition, text


def with_system(settings: Settings) -> Settings:
    """The settings with the text of the file that -a names, if it names one. From then on nobody needs the file."""
    path = settings[ALGORITHM]
    if not is_own(path) or not settings.given(ALGORITHM):
        return settings
    if settings["config.flowchart"]:
        raise UsageError(f"MaltParser has no systems from files; `malt train -a {quoted(path)}` learns with one")
    if settings[TEXT]:
        return settings
    definition, text = read_system(path, options_of(settings))
    return settings.derive({ALGORITHM: definition.name, TEXT: text})
