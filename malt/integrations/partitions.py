r"""Partitions of a large collection of sentences, as Spark, Dask and pandas have them: each is parsed where it is.

The model is loaded once per process, however many partitions come to it.

>>> import tempfile
>>> from pathlib import Path
>>> import malt
>>> path = Path(tempfile.mkdtemp()) / "tiny.mco"
>>> malt.train(malt.sample.text(50)).save(path)
>>> list(parse_partition(["1\tla\t_\tDET\tDa\t_\t_\t_\n2\tkasta\t_\tNOUN\tNc\t_\t_\t_\n\n"], path))
['1\tla\t_\tDET\tDa\t_\t2\tdet\n2\tkasta\t_\tNOUN\tNc\t_\t0\tROOT\n\n']
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from malt.library import load
from malt.mco.container import model_path
from malt.model import Model, keep_model
from malt.parsing.batches import Text, parse_sentences


def parse_partition(partition: Iterable[Text], model: str | os.PathLike[str] | Model) -> Iterator[Text]:
    """The sentences of a partition with the heads and labels that are predicted, one for each, in their order.

    They are texts of one sentence each, or `Sentence`s, and come back as what they are. The model is one, or the path
    of its file, which then has to be there on every machine.
    """
    return parse_sentences(partition, open_model(model))


def open_model(model: str | os.PathLike[str] | Model) -> Model:
    """A model by its path, which is loaded once as long as the file stays as it is; a model is what it is."""
    if not isinstance(model, (str, os.PathLike)):
        return model
    path = Path(model_path(os.fspath(model)))
    try:
        status = path.stat()
        key = (str(path.resolve()), status.st_mtime_ns, status.st_size)
    except OSError:
        return load(path)  # which tells what is wrong
    return keep_model(key, lambda: load(path))
