"""Files that are installed with the code: the catalogue of options, transition systems, feature models, styles.

They lie beside the modules, which are compiled in part and cannot be in an archive. importlib.resources would read them
from there, too, and takes 4 ms to be imported.
"""

from __future__ import annotations

import os
from importlib import import_module


def read_own(package: str, *names: str) -> bytes:
    """The bytes of a file of a package.

    >>> read_own("malt.systems", "nivreeager.txt")[:6]
    b'title:'
    """
    with open(os.path.join(own_folder(package), *names), "rb") as stream:
        return stream.read()


def own_folder(package: str) -> str:
    """The folder of a package."""
    return str(import_module(package).__path__[0])
