"""A trained model: a recipe with classifiers, kept in a .mco file."""

from __future__ import annotations

import hashlib
import io
import os
import re
import threading
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from malt.data.charsets import find_charset
from malt.data.files import fetch, is_web
from malt.data.formats.dataformat import DataFormat, parse_format
from malt.errors import DataError, MaltError, UsageError
from malt.learning.classifier import LinearClassifier, VectorClassifier
from malt.mco import datasplit, info, savedoptions
from malt.mco import tables as symbols
from malt.mco.container import Container, model_name, model_path, open_container, read_container, write_container
from malt.parsing.recipe import Recipe, make_recipe
from malt.settings.settings import Settings

if TYPE_CHECKING:
    from malt.data.sentence import Row, Sentence
    from malt.data.source import Source
    from malt.parsing.parser import Parser

Classifier = LinearClassifier | VectorClassifier

IN_MEMORY = "a model that is not saved"
INFO = "_singlemalt.info"
_CLASSIFIER = re.compile(r"((?:odm|sdm|bdm)[0-9]+[^.]*)(?:\.([0-9]+))?\.(liblinear|libsvm)\.moo")
_NAME = re.compile(rb"^(Configuration name: *)[^\r\n]*", re.MULTILINE)


@dataclass(repr=False, eq=False)
class Model:
    """What is needed to parse. `malt.train` and `malt.load` make one; any number of threads may use it at once.

    >>> import malt
    >>> model = malt.train(malt.sample.text(50), algorithm="2planar")
    >>> [sentence] = model.parse(malt.sample.text(1, seed=5))
    >>> sentence.forms, sentence.heads
    (['An', 'ila', 'por', 'lo', 'jehalako', 'loré', '?'], [6, 6, 5, 5, 6, 0, 6])
    """

    path: str
    recipe: Recipe
    classifiers: dict[str, dict[int | None, Classifier]]  # by MaltParser's names, then by the code of a data split
    about: info.Info
    sizes: dict[str, int] = field(default_factory=dict)  # the bytes of each entry of the file
    file: bytes = b""  # the .mco file, if it is kept
    _idle: list[Parser] = field(default_factory=list, init=False)  # parsers, each for one thread at a time
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def format(self) -> DataFormat:
        """The columns of the treebank that it was trained on, and of what it parses."""
        return self.recipe.format

    @property
    def algorithm(self) -> str:
        """The parsing algorithm."""
        return self.recipe.definition.name

    @property
    def options(self) -> dict[str, str]:
        """The options that it was trained with, by `group.name`."""
        return self.recipe.settings.save()

    def parse(self, sentences: Source, charset: str = "UTF-8") -> Iterator[Sentence]:
        """The sentences with the heads and labels that are predicted, one after another; all else is as it was.

        They may be given as sentences, as text, or as the path of a file, in the format that the model was trained on.
        A file of any length is read and parsed bit by bit.
        """
        from malt.data.formats.writer import keeper
        from malt.data.source import blocks_of
        from malt.data.treebank import read_text

        recipe = self.recipe
        with self.parser():
            pass  # the first one has its last words in the symbol tables before anything is read with them
        for block in blocks_of(sentences, recipe.format, charset, recipe.tables):
            if len(block):
                with self.parser() as parser:
                    block = parser.parse(block)
                # What comes out is what reading a parsed file would give: text and numbers agree.
                text = keeper(recipe.format, labels=recipe.root_labels).write(block)
                line = block.first_line
                parsed = read_text(text, recipe.format, block.name, recipe.tables, frozen=True, first_line=line)
                yield from parsed.sentences()

    def parse_tokens(self, tokens: Iterable[Row]) -> Sentence:
        r"""Parse one sentence, given as its words.

        A word is a pair of the form and its tag, or a row in full: as text with TABs between, as MaltParserService has
        it, as a list of fields, or as a dict by the names of columns (see `Sentence.from_rows`). The tag of a pair goes
        into every column of tags; where these differ, only a row in full says all that the model wants to know.

        >>> import malt
        >>> model = malt.train(malt.sample.text(50))
        >>> sentence = model.parse_tokens([("la", "Da"), ("kasta", "Nc"), ("domé", "Vf")])
        >>> sentence.heads
        [2, 3, 0]
        >>> model.parse_tokens([{"FORM": "domé", "CPOSTAG": "VERB"}]).labels
        ['ROOT']
        """
        from malt.data.sentence import Sentence

        [sentence] = self.parse([Sentence.from_rows(tokens, self.format)])
        return sentence

    def parse_bag(self, bag: Any) -> Any:
        """A dask.bag of the sentences of one, parsed: of `Sentence`s, or of texts of one sentence each.

        The model is sent to a worker once, and not with every partition. See docs/scale.md.
        """
        from dask import delayed
        from dask.bag import Bag

        from malt.integrations.partitions import parse_list

        if not isinstance(bag, Bag):
            raise UsageError(
                f"expected a dask.bag of sentences, not {type(bag).__name__}; dask.bag.from_sequence makes one"
            )
        name = f"malt-model-{hashlib.sha256(self.content()).hexdigest()[:16]}"
        return bag.map_partitions(parse_list, delayed(self, name=name, traverse=False))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, NAME.mco, which `malt.load` and `malt parse -c NAME` open, and MaltParser too."""
        target = model_path(os.fspath(path))
        name = model_name(target)
        with self._container() as container:
            entries = {entry: container.read(entry) for entry in container.names}
        about = container.find(INFO)
        renamed = {f"{name}{INFO}": _NAME.sub(rb"\g<1>" + name.encode(), entries.pop(about), count=1)}
        write_container(target, renamed | entries)

    def content(self) -> bytes:
        """The bytes of its file."""
        if self.file:
            return self.file
        with fetch(self.path) if is_web(self.path) else open(self.path, "rb") as stream:
            return stream.read()

    @contextmanager
    def _container(self) -> Iterator[Container]:
        if self.file:
            with zipfile.ZipFile(io.BytesIO(self.file)) as archive:
                yield Container(self.path, archive)
        else:
            with open_container(self.path) as container:
                yield container

    @contextmanager
    def parser(self) -> Iterator[Parser]:
        """A parser that no other thread has."""
        from malt.parsing.parser import Parser

        with self._lock:
            parser = self._idle.pop() if self._idle else Parser(self)
        try:
            yield parser
        finally:
            with self._lock:
                self._idle.append(parser)

    def __repr__(self) -> str:
        return f"<Model {self.path}: {self.algorithm}, {self.recipe.settings['guide.learner']}, {self.format.name}>"

    def _repr_html_(self) -> str:
        from malt.drawing.page.notebook import model_table

        return model_table(self)

    def __reduce__(self) -> tuple[Any, ...]:
        from malt.integrations.partitions import unpickled

        return unpickled, (self.content(), self.path)


def read_model(path: str, settings: Settings) -> Model:
    """Open a model file of ours or of MaltParser's. The options that it was trained with go into the settings."""
    with open_container(path) as container:
        return _model(container, settings)


def model_of(file: bytes, path: str = IN_MEMORY, settings: Settings | None = None) -> Model:
    """A model from the bytes of its file, which it keeps."""
    model = _model(read_container(io.BytesIO(file), path), settings or Settings())
    model.file = file
    return model


def _model(container: Container, settings: Settings) -> Model:
    recipe, about = read_recipe(container, settings)
    classifiers = _classifiers(container, settings["guide.learner"], recipe.model.divide is not None)
    return Model(container.path, recipe, classifiers, about, container.sizes)


def read_recipe(container: Container, settings: Settings, *, parsing: bool = True) -> tuple[Recipe, info.Info]:
    """What a model file says, but for its classifiers. Without `parsing`, for training instances by its tables."""
    path = container.path
    about = info.read_info(container.read(container.find(INFO), info.LIMIT), path)
    try:
        settings.load_saved(savedoptions.read_saved(container.read(savedoptions.ENTRY, savedoptions.LIMIT), path))
        for option in ("input.charset", "output.charset"):
            find_charset(settings[option])
        content, written = container.read(symbols.ENTRY), settings["output.charset"]
        tables = symbols.read_tables(content, settings["input.charset"], path, written)
        format_name = settings["input.format"]
        format = parse_format(container.read(format_name, 1 << 20), f"{path}: {format_name}")
        names = {"feature model": settings["guide.features"], "propagation file": settings["singlemalt.propagation"]}
        files = {name: container.read(name, 1 << 20) for name in names.values() if name in container.names}
        for what, name in names.items():  # nothing outside the model is looked at
            if name not in files and (name or what == "feature model"):
                raise DataError(f"the {what} {name!r} is missing", path)
        return make_recipe(settings, format, parsing=parsing, tables=tables, files=files), about
    except MaltError as error:  # it is the model that is wrong, not the command line
        raise error if str(error).startswith(path) else DataError(str(error), path) from None


def _classifiers(container: Container, learner: str, divided: bool) -> dict[str, dict[int | None, Classifier]]:
    found: dict[str, dict[int | None, Classifier]] = {}
    for entry in container.names:
        match = _CLASSIFIER.fullmatch(entry)
        if match and match[3] == learner:
            code = int(match[2]) if match[2] else None
            name = entry.removesuffix(".moo")
            kind = LinearClassifier if match[3] == "liblinear" else VectorClassifier
            found.setdefault(match[1], {})[code] = kind.read(
                container.read(entry), container.read(f"{name}.map"), f"{container.path}: {name}"
            )
    if not found:
        raise DataError(f"there is no classifier of {learner} in it", container.path)
    for name, codes in found.items() if divided else ():
        datasplit.check(container.read(f"{name}.dsm", datasplit.LIMIT), codes, f"{container.path}: {name}.dsm")
    return found
