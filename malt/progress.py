"""Progress on standard error, where that is a terminal; nothing otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator

from malt.treebank import Block, Treebank


def blocks(treebank: Treebank, what: str) -> Iterator[Block]:
    """The blocks of a treebank, with a bar over the bytes of its file."""
    from tqdm import tqdm

    try:
        size = os.path.getsize(treebank.name) or None
    except OSError:
        size = None  # a pipe has no size: only a count is shown
    with tqdm(desc=what, total=size, unit="B", unit_scale=True, disable=None, leave=False) as bar:
        for block in treebank:
            yield block
            bar.update(treebank.bytes_read - bar.n)
