"""How fast trees are made projective and put back: sentences a second of the kernel, of `malt proj` and `malt deproj`.

    python benchmarks/pseudo.py [SENTENCES]

The data is that of `malt sample`, with more crossing arcs than most languages have: some thousand sentences, repeated
until there are enough. The last lines are single sentences that no language has.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import time
from pathlib import Path

import numpy
import numpy.typing

from malt.commands import malt
from malt.data.block import Integers
from malt.data.treebank import open_treebank
from malt.kernel import projectivity
from malt.sample import text
from malt.trees.pseudoprojectivity import COVERED_ROOT, PseudoProjectivity

DIFFERENT = 5_000  # sentences that are generated


def main(sentences: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path, projective, back = (str(Path(folder) / name) for name in ("in.conll", "projective.conll", "back.conll"))
        once = "".join(text(min(sentences, DIFFERENT), nonprojective=0.4, nonplanar=0.35, format="conllx"))
        copies = max(1, sentences // DIFFERENT)
        Path(path).write_text(once * copies, encoding="utf-8")
        sentences = min(sentences, DIFFERENT) * copies
        kernel(path, sentences)
        for arguments in (["proj", path, "-o", projective], ["deproj", projective, "-o", back]):
            begin = time.perf_counter()
            with contextlib.redirect_stderr(io.StringIO()):
                code = malt([arguments[0], "-pp", "head+path", *arguments[1:]])
            if code:
                raise SystemExit(code)
            show(f"malt {arguments[0]} -pp head+path", sentences, time.perf_counter() - begin)
    for name, heads in {"random tree": random_tree(20_000), "random chain": random_chain(20_000)}.items():
        hostile(name, heads)


def kernel(path: str, sentences: int) -> None:
    """Time the transformations alone."""
    with open_treebank(path) as treebank:
        blocks = list(treebank)
    for order in ("shortest", "deepest"):
        for covered_root in COVERED_ROOT:
            pseudo = PseudoProjectivity("head+path", covered_root, order)
            begin = time.perf_counter()
            tables = {**blocks[0].tables, **pseudo.make_tables()}
            done = [pseudo.projectivize(block, tables) for block in blocks]
            show(f"projectivize, {order}, {covered_root}", sentences, time.perf_counter() - begin)
    begin = time.perf_counter()
    for block, projected in zip(blocks, done, strict=True):
        pseudo.deprojectivize(block.starts, projected.heads, block.codes("DEPREL"), projected.marks, tables)
    show("deprojectivize", sentences, time.perf_counter() - begin)


def hostile(name: str, heads: Integers) -> None:
    """Time one sentence with every arc out of place."""
    words, labels = len(heads), numpy.arange(len(heads), dtype=numpy.int32) % 40
    for order in (False, True):
        begin = time.perf_counter()
        new, origins, paths, _, _ = projectivity.projectivize([0, words], heads, order)
        middle = time.perf_counter()
        wanted = numpy.where(origins > 0, labels[origins - 1], -1)
        projectivity.deprojectivize([0, words], new, labels, wanted, origins > 0, paths, projectivity.SEARCH_BOTH)
        what = f"one {name}, {'deepest' if order else 'shortest'}"
        print(f"{what:32} {words:10,} words {middle - begin:8.2f} s, and back {time.perf_counter() - middle:8.2f} s")


def random_tree(words: int) -> Integers:
    """Each word on one that came before it in a random order of the words."""
    generator = numpy.random.default_rng(1)
    order = generator.permutation(words) + 1
    heads = numpy.zeros(words, numpy.int32)
    heads[order[1:] - 1] = order[(generator.random(words - 1) * numpy.arange(1, words)).astype(int)]
    return heads


def random_chain(words: int) -> Integers:
    """Each word on the one just before it in a random order of the words."""
    order = numpy.random.default_rng(1).permutation(words) + 1
    heads = numpy.zeros(words, numpy.int32)
    heads[order[1:] - 1] = order[:-1]
    return heads


def show(what: str, sentences: int, seconds: float) -> None:
    """Print one line."""
    print(f"{what:32} {sentences:10,} sentences {seconds:8.2f} s {sentences / seconds:12,.0f} sentences a second")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
