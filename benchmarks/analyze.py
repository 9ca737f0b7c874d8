"""How fast trees are measured: sentences a second of the kernel, and of the whole `malt analyze`, reading included.

    python benchmarks/analyze.py [SENTENCES]

The data is that of `malt sample`: some thousand sentences, repeated until there are enough.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import time
from pathlib import Path

import numpy

from malt.commands import malt
from malt.data.treebank import open_treebank
from malt.kernel.structure import measure
from malt.sample import text

DIFFERENT = 5_000  # sentences that are generated


def main(sentences: int) -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.conll"
        once = "".join(text(min(sentences, DIFFERENT), format="conllx"))
        copies = max(1, sentences // DIFFERENT)
        path.write_text(once * copies, encoding="utf-8")
        sentences = min(sentences, DIFFERENT) * copies

        with open_treebank(str(path)) as treebank:
            blocks = [(block.heads, block.starts) for block in treebank]
        tokens = sum(len(heads) for heads, _ in blocks)
        begin = time.perf_counter()
        for heads, starts in blocks:
            measure(heads, starts)
        show("kernel, measures only", sentences, tokens, time.perf_counter() - begin)

        begin = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = malt(["analyze", str(path)])
        show("malt analyze", sentences, tokens, time.perf_counter() - begin)
        if code:
            raise SystemExit(code)

    words = 100_000
    generator = numpy.random.default_rng(1)
    order = generator.permutation(words).astype(numpy.int32) + 1
    heads = numpy.zeros(words, dtype=numpy.int32)
    heads[order[1:] - 1] = order[(generator.random(words - 1) * numpy.arange(1, words)).astype(int)]
    begin = time.perf_counter()
    measures, _ = measure(heads, [0, words])
    seconds = time.perf_counter() - begin
    print(f"{'one random tree':22} {words:10,} tokens {int(measures['crossings'][0]):15,} crossings {seconds:8.2f} s")


def show(what: str, sentences: int, tokens: int, seconds: float) -> None:
    """Print one line."""
    print(
        f"{what:22} {sentences:10,} sentences {tokens:12,} tokens {seconds:8.2f} s"
        f" {sentences / seconds:12,.0f} sentences/s {tokens / seconds:12,.0f} tokens/s"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
