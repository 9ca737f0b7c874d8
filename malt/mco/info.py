"""NAME_singlemalt.info, or NAME_pseudo.info: what a model is, for people. MaltParser looks at the version only."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass

from malt.errors import DataError
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings
from malt.version import __version__

LIMIT = 16 << 20
VERSION = "1.9.2"  # of MaltParser, whose models these are
READABLE = ("1.7", "1.8", "1.9")
_VERSION = f"{'Version:':<31}"
_OURS = f"{'Written by:':<31}"  # a line that MaltParser does not write


@dataclass
class Info:
    """What is read from it."""

    version: str
    maker: str = ""  # the program that wrote it, where that is not MaltParser


def write_info(name: str, kind: str, options: Settings, rest: str = "", *, dated: bool = True) -> bytes:
    """The file's content. `kind` is singlemalt or pseudo; `rest` is what training adds at the end. Without `dated`
    there is nothing of the day and the machine in it, so that the same model is the same bytes."""
    lines = [
        "CONFIGURATION",
        f"Configuration name:   {name}",
        f"Configuration type:   {kind}",
        *(_circumstances() if dated else ()),
        "",
        "MALTPARSER",
        f"{_VERSION}{VERSION}",
        f"{_OURS}maltkit {__version__}",
        "",
        "SETTINGS",
    ]
    group = ""
    for option in sorted(catalogue().maltparser, key=lambda option: option.group):
        if option.group == "system":
            continue
        if option.group != group:
            group = option.group
            lines.append(group)
        value = option.write(options[option.key]) if option.key in options else ""
        lines.append(f"  {option.name} ({option.flag:>4}){' ' * max(1, 30 - len(option.name))} {value}")
    return ("\n".join([*lines, ""]) + rest).encode("utf-8", "replace")


def _circumstances() -> list[str]:
    return [
        f"Created:              {time.strftime('%a %b %d %H:%M:%S UTC %Y', time.gmtime())}",
        "",
        "SYSTEM",
        f"Operating system architecture: {platform.machine()}",
        f"Operating system name:         {platform.system()}",
        f"Python version number:         {platform.python_version()}",
    ]


def read_info(data: bytes, file: str) -> Info:
    """Read it, and refuse models of versions that MaltParser 1.9.2 refuses too."""
    info = Info("")
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith(_VERSION) and not info.version:
            info.version = line.removeprefix(_VERSION).strip()
        elif line.startswith(_OURS) and not info.maker:
            info.maker = line.removeprefix(_OURS).strip()
        elif line == "SETTINGS":
            break
    if not info.version.startswith(READABLE):
        found = f"of MaltParser {info.version}" if info.version else "without a version"
        raise DataError(f"it is a model {found}; only those of 1.7, 1.8 and 1.9 can be read: train it again", file)
    return info
