"""The transition system that the options of a command choose."""

from __future__ import annotations

from malt.settings.settings import Settings
from malt.systems import find_system
from malt.systems.language import Definition

KEYS = {
    "-nr": "nivre.allow_root",
    "-ne": "nivre.allow_reduce",
    "-nt": "nivre.enforce_tree",
    "-cr": "covington.allow_root",
    "-cs": "covington.allow_shift",
    "-prh": "multiplanar.planar_root_handling",
    "-pcov": "planar.no_covered_roots",
    "-pacy": "planar.acyclicity",
    "-pcon": "planar.connectedness",
    "-2pr": "2planar.reduceonswitch",
}


def system_of(options: Settings, *, parsing: bool = False) -> Definition:
    """The definition; a tree is enforced (-nt) only when parsing, as in MaltParser."""
    values = {flag: options[key] for flag, key in KEYS.items()}
    values["-nt"] = parsing and values["-nt"]
    return find_system(options["singlemalt.parsing_algorithm"], values)
