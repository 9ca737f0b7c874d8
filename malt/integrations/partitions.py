r"""Partitions of a large collection of sentences, as Spark, Dask and pandas have them: each is parsed where it is.

The model is loaded once a process, however many partitions come to it.

>>> import tempfile
>>> from pathlib import Path
>>> import malt
>>> path = Path(tempfile.mkdtemp()) / "tiny.mco"
>>> malt.train(malt.sample.text(50)).save(path)
>>> list(parse_partition(["1\tla\t_\tDET\tDa\t_\t_\t_\n2\tkasta\t_\tNOUN\tNc\t_\t_\t_\n\n"], path))
['1\tla\t_\tDET\tDa\t_\t2\tdet\n2\tkasta\t_\tNOUN\tNc\t_\t0\tROOT\n\n']
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from malt.data.sentence import Sentence
from malt.errors import DataError, UsageError
from malt.mco.container import model_path

if TYPE_CHECKING:
    from malt.model import Model

MOST = 256  # sentences that are parsed together
KEPT = 4  # models that a process keeps
_models: OrderedDict[Hashable, Model] = OrderedDict()
_lock = threading.Lock()

Text = TypeVar("Text", str, Sentence)


def parse_partition(partition: Iterable[Text], model: str | os.PathLike[str] | Model) -> Iterator[Text]:
    """The sentences of a partition with the heads and labels that are predicted, one for each, in their order.

    They are texts of one sentence each, or `Sentence`s, and come back as what they are. The model is one, or the path
    of its file, which then has to be there on every machine.
    """
    opened = open_model(model)
    rest, number = iter(partition), 0
    while group := list(islice(rest, MOST)):
        try:
            parsed = _parsed(opened, group)
        except DataError:
            parsed = []
        if len(parsed) != len(group):
            for place, sentence in enumerate(group, number + 1):
                _check(opened, sentence, place)
        for given, found in zip(group, parsed, strict=True):
            yield found if isinstance(given, Sentence) else found.text
        number += len(group)


def _check(model: Model, sentence: Text, place: int) -> None:
    """Say which sentence is wrong, by its place."""
    try:
        count = len(_parsed(model, [sentence]))
    except DataError as error:
        raise DataError(f"sentence {place} of the partition: {error}") from None
    if count != 1:
        raise DataError(f"sentence {place} of the partition: expected one sentence; there are {count} in it")


def parse_list(partition: Iterable[Text], model: str | os.PathLike[str] | Model) -> list[Text]:
    """The same as a list, which can be sent to another process."""
    return list(parse_partition(partition, model))


def _parsed(model: Model, group: list[Text]) -> list[Sentence]:
    for sentence in group:
        if not isinstance(sentence, (str, Sentence)):
            raise UsageError(f"expected the text of a sentence, or a Sentence, not {type(sentence).__name__}")
    return list(model.parse(sentence for sentence in group if isinstance(sentence, Sentence) or sentence.strip()))


def open_model(model: str | os.PathLike[str] | Model) -> Model:
    """A model by its path, which is loaded once as long as the file stays as it is; a model is what it is."""
    if not isinstance(model, (str, os.PathLike)):
        return model
    from malt.library import load

    path = Path(model_path(os.fspath(model)))
    try:
        status = path.stat()
        key = (str(path.resolve()), status.st_mtime_ns, status.st_size)
    except OSError:
        return load(path)  # which tells what is wrong
    return _kept(key, lambda: load(path))


def unpickled(file: bytes, path: str) -> Model:
    """A model that came from another process; those of the same file are one."""
    from malt.model import model_of

    return _kept(hashlib.sha256(file).digest(), lambda: model_of(file, path))


def _kept(key: Hashable, make: Callable[[], Model]) -> Model:
    with _lock:
        if key not in _models:
            _models[key] = make()
            while len(_models) > KEPT:
                _models.popitem(last=False)
        _models.move_to_end(key)
        return _models[key]
