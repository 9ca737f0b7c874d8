"""A program in which a module is absent."""

from __future__ import annotations


def without(module: str, then: str) -> str:
    """The text of a program that does something where a module cannot be found."""
    return f"""\
import sys
class Absent:
    def find_spec(self, name, *_):
        if name == "{module}":
            raise ModuleNotFoundError(name=name)
sys.meta_path.insert(0, Absent())
{then}
"""
