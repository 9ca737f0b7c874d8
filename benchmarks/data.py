"""The treebanks that benchmarks run on."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from malt.sample import text


def treebanks(files: list[str]) -> list[tuple[str, str]]:
    """Names and paths: the files given, else the training sets of MALT_SHARED, else a sample of 10,000 sentences."""
    if files:
        return [(Path(file).name, file) for file in files]
    shared = Path(os.environ.get("MALT_SHARED") or Path(__file__).resolve().parent.parent.parent / "shared")
    found = [(language, shared / "data" / language / "train.conll") for language in ("danish", "swedish")]
    if all(path.exists() for _, path in found):
        return [(language, str(path)) for language, path in found]
    path = Path(tempfile.mkdtemp()) / "sample.conll"
    path.write_text("".join(text(10_000)), encoding="utf-8")
    return [("sample", str(path))]
