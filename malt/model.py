"""A trained model: a specification with its symbol tables and classifiers, kept in a .mco file."""

from __future__ import annotations

import hashlib
import io
import os
import re
import threading
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from malt.blending.parser import BlendParser
from malt.blending.voting import Vote, check_decoder
from malt.blending.weights import equal_weights
from malt.charts import is_chart
from malt.data.block import Block
from malt.data.charsets import find_charset
from malt.data.formats.dataformat import DataFormat, parse_format
from malt.data.formats.writer import keeper
from malt.data.sentence import Row, Sentence
from malt.data.source import Source, blocks_of
from malt.data.symbols import Tables
from malt.data.treebank import read_text
from malt.data.web import fetch, is_web
from malt.errors import DataError, MaltError, UsageError, warn_caller
from malt.kernel.guide import Guide
from malt.kernel.structured import StructuredPolicy
from malt.kernel.walk import Changes, Sink
from malt.kernel.weights import UNIT
from malt.learning.classifier import CLASSIFIERS, Classifier
from malt.mco import additions, datasplit, info, savedoptions, weights
from malt.mco import blend as blends
from malt.mco import tables as symbols
from malt.mco.container import (
    Container,
    model_name,
    model_path,
    open_container,
    pack,
    read_container,
    write_container,
)
from malt.parsing.decoders import ITEMS, Tally
from malt.parsing.guide import Classifiers, make_guide
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser
from malt.parsing.sources import Sources, find_sources
from malt.parsing.specification import Specification
from malt.parsing.strangers import Strangers
from malt.parsing.structured import MEMORY, StructuredModel
from malt.parsing.tables import complete_tables
from malt.settings.settings import Settings
from malt.systems import GRAPHS
from malt.systems.language import MANY
from malt.text.annotator import Annotator
from malt.text.entries import ENTRIES, TOKENIZER, TextModel, read_text_model
from malt.text.source import LINES, TEXT, TEXT_KINDS, Text, TextSource, open_text
from malt.text.surface import read_surface, word_offsets

IN_MEMORY = "a model that is not saved"
INFO = "_singlemalt.info"
KEPT = 4  # models that a process keeps
_CLASSIFIER = re.compile(r"((?:odm|sdm|bdm)[0-9]+[^.]*)(?:\.([0-9]{1,9}))?\.(\w+)\.moo")
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
    settings: Settings
    specification: Specification
    tables: Tables
    classifiers: Classifiers
    about: info.Info
    sizes: dict[str, int] = field(default_factory=dict)  # the bytes of each entry of the file
    symbols: dict[str, int] = field(default_factory=dict)  # the number of symbols of each table in the file
    added: additions.Additions | None = None  # what MaltParser does not know of it
    file: bytes = b""  # the .mco file, if it is kept
    structured: StructuredModel | None = None  # in place of classifiers (-l perceptron)
    beam: int = 0  # how wide a structured model searches; 0: as it was trained
    memory: int = MEMORY  # megabytes that the arcs of a sentence may take
    items: int = ITEMS  # of a chart, for models of arcs
    text_entries: Mapping[str, bytes] = field(default_factory=dict)  # what makes words of text (--text), if it has it
    retag: bool = False  # are tags replaced that the input has?
    _text: list[TextModel | None] = field(default_factory=list, init=False)
    _idle: list[Parser] = field(default_factory=list, init=False)  # parsers, each for one thread at a time
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _text_lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        strange = self.added.strange if self.added is not None else None
        self.strangers = Strangers(self.specification, self.tables, strange)

    @property
    def format(self) -> DataFormat:
        """The columns of the treebank that it was trained on, and of what it parses."""
        return self.specification.format

    @property
    def algorithm(self) -> str:
        """The parsing algorithm."""
        return self.specification.definition.name

    @property
    def decoder(self) -> str:
        """What finds its trees over scores of arcs, if anything does."""
        return self.specification.definition.decoder

    @property
    def charted(self) -> bool:
        """Whether a chart finds its trees."""
        return is_chart(self.decoder)

    def decoded_by(self, decoder: str) -> Model:
        """The same model of arcs with another decoder, and so with trees of another class."""
        if not self.decoder:
            raise UsageError(f"--decoder is for models that score arcs and for votes, and {self.path} is neither")
        assert self.structured is not None
        definition = replace(self.specification.definition, decoder=check_decoder(decoder))
        return replace(
            self,
            specification=replace(self.specification, definition=definition),
            structured=replace(self.structured, decoders=[]),
        )

    @property
    def backwards(self) -> bool:
        """Whether it reads sentences from their last word to their first (--reverse)."""
        return self.added is not None and self.added.reverse

    @property
    def text(self) -> TextModel | None:
        """What makes words of text, and tags and lemmatizes them, if it was trained for text."""
        with self._text_lock:
            if not self._text:
                self._text.append(read_text_model(self.text_entries, self.path))
            return self._text[0]

    @property
    def reads_text(self) -> bool:
        """Whether it was trained for text."""
        return TOKENIZER in self.text_entries

    @property
    def options(self) -> dict[str, str]:
        """The options that it was trained with, by `group.name`."""
        return self.settings.save()

    def parse(self, sentences: Source, charset: str = "UTF-8") -> Iterator[Sentence]:
        """The sentences with the heads and labels that are predicted, one after another; all else is as it was.

        They may be given as sentences, as text, or as the path of a file, in the format that the model was trained on.
        A file of any length is read and parsed bit by bit; that there is none is told at once.
        """
        return self._parse(blocks_of(sentences, self.format, charset, self.tables))

    def _parse(self, blocks: Iterator[Block]) -> Iterator[Sentence]:
        for block in blocks:
            if len(block):
                with self.parser() as parser:
                    block = parser.parse(block)
                if line := self.strangers.add(block):
                    warn_caller(f"{self.path}: {line}")
                # What comes out is what reading a parsed file would give: text and numbers agree.
                labels = None if self.specification.definition.many else self.specification.root_labels
                text = keeper(block.format, labels=labels).write(block)
                yield from read_text(
                    text, block.format, block.name, self.tables, frozen=True, first_line=block.first_line
                ).sentences()

    def __call__(self, text: Text, *, input: str = TEXT) -> Iterator[Sentence]:
        r"""The sentences of a text, with tags, lemmas and trees, one after another, if it was trained for text.

        A text is a str, the path of a file, or an iterable of its parts; it may be of any length, as it is read bit by
        bit. `input` is text, lines (each a sentence), horizontal or vertical (tokenised already). The `offsets`
        of a sentence say where its words are.

        >>> import malt
        >>> model = malt.train("".join(malt.sample.text(100, "conllu")), text=True, passes=2, jackknife=2)
        >>> for sentence in model("La kasta domé. Mira vidé kastan."):
        ...     print(sentence.forms, sentence.offsets[0])
        ['La', 'kasta', 'domé', '.'] (0, 2)
        ['Mira', 'vidé', 'kastan', '.'] (15, 19)
        """
        if self.text is None:
            raise UsageError(f"{self.path} knows nothing of text; malt.train(..., text=True) makes a model that does")
        if input not in TEXT_KINDS:
            raise UsageError(f"input: expected {', '.join(TEXT_KINDS)}, not {input!r}")
        return self._of_text(self.text, text, input)

    def _of_text(self, model: TextModel, text: Text, kind: str) -> Iterator[Sentence]:
        at = int(isinstance(text, str) and text.startswith("\ufeff"))  # a mark is no part of the first word
        with open_text(text, self.format, self.tables) as treebank:
            for sentence in self._parse(iter(TextSource(model, treebank, kind, self.tables))):
                if kind in (TEXT, LINES):
                    [surface] = read_surface([str(sentence)])
                    sentence.offsets, at = word_offsets(surface, at)
                yield sentence

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
        [sentence] = self.parse([Sentence.from_rows(tokens, self.format)])
        return sentence

    def parse_bag(self, bag: Any) -> Any:
        """A dask.bag of the sentences of one, parsed: of `Sentence`s, or of texts of one sentence each.

        The model is sent to a worker once, and not with every partition. See docs/scale.md.
        """
        from dask import delayed
        from dask.bag import Bag

        from malt.parsing.batches import parse_list

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
        renamed = {f"{name}{INFO}": _NAME.sub(lambda match: match[1] + name.encode(), entries.pop(about), count=1)}
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
        with self._lock:
            parser = self._idle.pop() if self._idle else self.make_parser()
        try:
            yield parser
        finally:
            with self._lock:
                self._idle.append(parser)

    def make_parser(
        self, *, recording: bool = False, sink: Sink | None = None, changes: Changes | None = None
    ) -> Parser:
        """A new parser, whose actions can be looked at if they are recorded."""
        machine = Machine(self.specification, self.tables)
        if self.structured is not None:
            chooses: StructuredPolicy | Guide = self.structured.make_policy(machine, self.beam, self.memory, self.items)
        else:
            chooses = make_guide(machine, self.classifiers, self.path)
        annotator = Annotator(self.text, retag=self.retag) if self.text is not None else None
        return Parser(
            machine,
            chooses,
            recording=recording,
            sink=sink,
            changes=changes,
            backwards=self.backwards,
            annotator=annotator,
        )

    def tally(self) -> Tally:
        """How the trees of all sentences so far were found, if a chart finds them."""
        return Tally.of(self.structured.decoders, UNIT) if self.structured is not None else Tally()

    def __repr__(self) -> str:
        return f"<Model {self.path}: {self.algorithm}, {self.settings['guide.learner']}, {self.format.name}>"

    def _repr_html_(self) -> str:
        from malt.drawing.page.notebook import facts_table

        classes = [len(classifier.codes) for codes in self.classifiers.values() for classifier in codes.values()]
        learned = f"{len(classes):,} with {sum(classes):,} classes"
        if self.structured is not None:
            found = self.structured.found
            learned = f"structured, {len(found.codes):,} classes, {len(found.keys):,} features"
        facts = {
            "algorithm": f"{self.algorithm}: {self.specification.definition.title}",
            "learner": f"{self.settings['guide.learner']} {self.settings['lib.options']}".rstrip(),
            "format": f"{self.format.name}: {', '.join(self.format.names)}",
            "features": f"{sum(map(len, self.specification.features.vectors.values())):,}",
            "classifiers": learned,
        }
        return facts_table(facts, self.path)

    def __reduce__(self) -> tuple[Any, ...]:
        return unpickled, (self.content(), self.path, self.beam, self.memory, self.items, self.decoder)


@dataclass(repr=False, eq=False)
class Blend(Model):
    """Models that vote, as one. `malt.blend` makes one, and so does `malt.load`, from the file of one. What it is asked
    for beside parsing, such as its format, its first model says."""

    members: tuple[Model, ...] = ()
    vote: Vote = field(default_factory=lambda: Vote(equal_weights(())))

    @property
    def algorithm(self) -> str:
        """The decoder of the votes."""
        return self.vote.decoder

    @property
    def decoder(self) -> str:
        """The decoder of the votes."""
        return self.vote.decoder

    @property
    def charted(self) -> bool:
        """Whether a chart finds trees, of the votes or of one of the models."""
        return is_chart(self.decoder) or any(model.charted for model in self.members)

    def decoded_by(self, decoder: str) -> Blend:
        """The same models and weights, with trees of another class."""
        return replace(self, vote=replace(self.vote, decoder=check_decoder(decoder), tallies=[]), file=b"")

    def make_parser(
        self, *, recording: bool = False, sink: Sink | None = None, changes: Changes | None = None
    ) -> Parser:
        """A new parser."""
        if recording:
            raise UsageError(f"{self.path} is a blend, which votes over whole trees; look at one of its models")
        return BlendParser([model.make_parser() for model in self.members], self.vote)

    def content(self) -> bytes:
        """The bytes of its file."""
        if not self.file:
            stream = io.BytesIO()
            pack(stream, "blend", self._entries())
            self.file = stream.getvalue()
        return self.file

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, NAME.mco, which `malt.load` and `malt parse -c NAME` open."""
        write_container(model_path(os.fspath(path)), self._entries())

    def _entries(self) -> dict[str, bytes]:
        models = {blends.member(number): model.content() for number, model in enumerate(self.members, 1)}
        return {blends.ENTRY: blends.write_blend(self.vote), **models}

    def tally(self) -> Tally:
        """How the trees of all sentences so far were found, if a chart finds them."""
        return sum((model.tally() for model in self.members), sum(self.vote.tallies, Tally()))

    def __repr__(self) -> str:
        return f"<Blend {self.path}: {len(self.members)} models, {self.algorithm}, {self.format.name}>"

    def _repr_html_(self) -> str:
        from malt.drawing.page.notebook import facts_table

        facts = {f"model {number}": repr(model) for number, model in enumerate(self.members, 1)}
        return facts_table(facts, self.path)


def blend_models(models: Sequence[Model], vote: Vote, path: str = IN_MEMORY) -> Blend:
    """Models as one that votes; all must have the same columns."""
    first = models[0]
    for model in models:
        if isinstance(model, Blend):
            raise UsageError(f"{model.path} is a blend itself; name its models")
        if model.specification.definition.many:
            raise UsageError(f"{model.path} derives graphs, and only trees are voted on")
        if model.format.names != first.format.names:
            raise UsageError(f"{model.path} is for {model.format.name}, and {first.path} for {first.format.name}")
    if not first.format.label_columns:
        raise UsageError(f"{first.path}: the format {first.format.name} has no column of labels to vote on")
    return Blend(
        path,
        first.settings,
        first.specification,
        first.tables,
        {},
        first.about,
        added=first.added,
        memory=vote.memory,
        items=vote.items,
        text_entries=first.text_entries,
        retag=first.retag,
        members=tuple(models),
        vote=vote,
    )


def read_model(path: str, settings: Settings) -> Model:
    """Open a model file of ours or of MaltParser's. These settings get the options that it was trained with."""
    with open_container(path) as container:
        return _model(container, settings)


def own_charsets(settings: Settings) -> tuple[dict[str, str], Settings]:
    """The charsets that the user gives, of what is read and written (-ic, -oc), and the settings without them: in those
    of a model they are the charsets of the file that it was trained on, in which its symbol tables are kept."""
    found = {name: str(settings[name]) for name in ("input.charset", "output.charset") if settings.given(name)}
    return found, settings.without(found)


def model_of(file: bytes, path: str = IN_MEMORY, settings: Settings | None = None) -> Model:
    """A model from the bytes of its file, which it keeps."""
    settings = settings or Settings().derive({"config.flowchart": ""})  # no mode of MaltParser's
    model = _model(read_container(io.BytesIO(file), path), settings)
    model.file = file
    return model


_kept: OrderedDict[Hashable, Model] = OrderedDict()
_lock = threading.Lock()


def keep_model(key: Hashable, make: Callable[[], Model]) -> Model:
    """A model of this process, which is made if it is not at hand; the few that were asked for last are kept."""
    with _lock:
        if key not in _kept:
            _kept[key] = make()
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return _kept[key]


def unpickled(
    file: bytes, path: str, beam: int = 0, memory: int = MEMORY, items: int = ITEMS, decoder: str = ""
) -> Model:
    """A model that came from another process; those of the same file, with the same bounds, are one."""

    def make() -> Model:
        bounds = {"perceptron.memory": memory, "perceptron.items": items}
        model = model_of(file, path, Settings().derive({"config.flowchart": "", **bounds}))
        model.beam = beam
        return model.decoded_by(decoder) if decoder not in ("", model.decoder) else model

    return keep_model((hashlib.sha256(file).digest(), beam, memory, items, decoder), make)


@dataclass
class Parts:
    """What a model file says, but for its classifiers."""

    about: info.Info
    settings: Settings
    format: DataFormat
    sources: Sources
    tables: Tables
    added: additions.Additions | None = None

    def specify(self, *, parsing: bool = True) -> tuple[Specification, Tables]:
        """Its specification and its whole tables; without `parsing`, those for training instances."""
        specification = self.sources.specify(self.settings, self.format, parsing=parsing)
        if self.added is not None:
            specification = replace(specification, together=frozenset(self.added.together))
        return specification, complete_tables(specification, self.tables)


def _blend(container: Container, settings: Settings) -> Blend:
    """The models of a blend, which vote."""
    if settings["config.flowchart"]:
        raise DataError(
            "it holds several models that vote, which MaltParser does not know; say `malt parse`", container.path
        )
    with blaming(container):
        vote = blends.read_blend(container.read(blends.ENTRY, blends.LIMIT), container.path)
        models = []
        for number, voter in enumerate(vote.weights.voters, 1):
            name, file = f"{container.path}: {voter.name}", container.read(blends.member(number))
            inner = read_container(io.BytesIO(file), name)
            if blends.ENTRY in inner.names:
                raise DataError("it is damaged: it holds another blend", name)
            models.append(_model(inner, settings))
            models[-1].file = file
        found = blend_models(
            models,
            replace(vote, memory=settings["perceptron.memory"], items=settings["perceptron.items"]),
            container.path,
        )
    found.sizes = container.sizes
    return found


def _model(container: Container, settings: Settings) -> Model:
    if blends.ENTRY in container.names:
        return _blend(container, settings)
    parts = read_parts(container, settings)
    counts = {name: len(table) for name, table in parts.tables.items()}
    with blaming(container):
        specification, tables = parts.specify()
    structured, classifiers = None, {}
    if settings.given("perceptron.beam") and not specification.structured:
        learner = parts.settings["guide.learner"]
        raise UsageError(f"--beam is for models of -l perceptron, and {container.path} is of -l {learner}")
    if settings.given("perceptron.beam") and specification.definition.structured:
        algorithm = specification.definition.name
        if specification.definition.decoder or settings["perceptron.beam"] > 1:
            what = "scores arcs" if specification.definition.decoder else "makes the best arc first"
            raise UsageError(f"--beam is for derivations, and {container.path} {what} (-a {algorithm})")
    if specification.structured:
        structured = StructuredModel(
            weights.read_weights(container.read(weights.ENTRY), container.path),
            container.path,
            specification.definition.structured,
        )
    else:
        divided = specification.features.divide is not None
        classifiers = _classifiers(container, parts.settings["guide.learner"], divided)
    return Model(
        container.path,
        parts.settings,
        specification,
        tables,
        classifiers,
        parts.about,
        container.sizes,
        counts,
        added=parts.added,
        structured=structured,
        beam=settings["perceptron.beam"] if settings.given("perceptron.beam") else 0,
        memory=settings["perceptron.memory"],
        items=settings["perceptron.items"],
        retag=settings.get("parse.retag", False),
        text_entries={name: container.read(name) for name in ENTRIES if name in container.names},
    )


def read_parts(container: Container, settings: Settings) -> Parts:
    """Read all of a model but its classifiers; the settings get the options that it was trained with."""
    path = container.path
    about = info.read_info(container.read(container.find(INFO), info.LIMIT), path)
    with blaming(container):
        settings = settings.load_saved(
            savedoptions.read_saved(container.read(savedoptions.ENTRY, savedoptions.LIMIT), path)
        )
        added = None
        if additions.ENTRY in container.names:
            added = additions.read_additions(container.read(additions.ENTRY, additions.LIMIT), path)
            if not settings["config.flowchart"]:  # MaltParser's modes do what MaltParser does
                settings = settings.derive(
                    {
                        "tree.roots": added.roots,
                        "tree.root": added.root,
                        "tree.heads": added.heads,
                        "tree.acyclic": added.acyclic,
                        "own.system": added.system,
                    }
                )
            elif added.heads == MANY or settings["singlemalt.parsing_algorithm"] in GRAPHS:
                raise DataError("it derives graphs, which MaltParser does not; say `malt parse`", path)
            elif added.reverse:
                raise DataError(
                    "it reads from right to left (--reverse), which MaltParser does not; say `malt parse`", path
                )
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
        return Parts(about, settings, format, find_sources(settings, format, files=files), tables, added)


@contextmanager
def blaming(container: Container) -> Iterator[None]:
    """Whatever is wrong, it is the model that is wrong, and not the command line."""
    try:
        yield
    except MaltError as error:
        raise error if str(error).startswith(container.path) else DataError(str(error), container.path) from None


def _classifiers(container: Container, learner: str, divided: bool) -> dict[str, dict[int | None, Classifier]]:
    found: dict[str, dict[int | None, Classifier]] = {}
    for entry in container.names:
        match = _CLASSIFIER.fullmatch(entry)
        if match and match[3] == learner:
            code = int(match[2]) if match[2] else None
            name = entry.removesuffix(".moo")
            found.setdefault(match[1], {})[code] = CLASSIFIERS[learner].read(
                container.read(entry), container.read(f"{name}.map"), f"{container.path}: {name}"
            )
    if not found:
        raise DataError(f"there is no classifier of {learner} in it", container.path)
    for name, codes in found.items() if divided else ():
        datasplit.check(container.read(f"{name}.dsm", datasplit.LIMIT), codes, f"{container.path}: {name}.dsm")
    return found
