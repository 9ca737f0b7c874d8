"""What the service does: models by their names, and one request after another, from its parameters to its answer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from threading import BoundedSemaphore, Event, Lock

from malt.data.block import Block
from malt.data.formats.dataformat import find_format
from malt.data.sentence import sentences_of
from malt.data.treebank import Treebank, read_text
from malt.errors import DataError, MaltError, UsageError, counted, quoted, utf8
from malt.mco.container import model_name
from malt.model import Model
from malt.parsing.textworker import Output
from malt.serving.form import BUSY, Refused, bad
from malt.serving.ranges import Ranges, normalize_spaces
from malt.text.annotator import Annotator
from malt.text.source import COLUMNS, LINES, TEXT, TextSource
from malt.text.tokenised import HORIZONTAL, VERTICAL
from malt.version import __version__

ACKNOWLEDGEMENTS = [f"maltkit {__version__}"]
CONLLU = "conllu"
INPUTS = {CONLLU: COLUMNS, HORIZONTAL: HORIZONTAL, VERTICAL: VERTICAL, "generic_tokenizer": TEXT}
OUTPUTS = (CONLLU, HORIZONTAL, VERTICAL)
PRESEGMENTED, RANGES, NORMALIZED = TOKENIZERS = ("presegmented", "ranges", "normalized_spaces")  # options of tokenizers
NONE = "none"  # a step that is not wanted, as if it were not named
NAME = "data"  # what errors call the text


class Deadline(Event):
    """A moment after which nobody waits for the work any more, or the end of the service."""

    def __init__(self, seconds: float, ending: Event) -> None:
        super().__init__()
        self._end, self._ending = time.monotonic() + seconds, ending

    @property
    def left(self) -> float:
        """The seconds until then."""
        return max(0.0, self._end - time.monotonic())

    def is_set(self) -> bool:
        """Whether it is over."""
        return self._ending.is_set() or time.monotonic() >= self._end


@dataclass
class Served:
    """A model, and what each thread that uses it needs."""

    name: str
    model: Model
    _idle: list[Annotator] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @property
    def steps(self) -> list[str]:
        """What it can do."""
        text = self.model.text
        tags = text is not None and (text.tagger is not None or text.lemmatizer is not None)
        return [*(["tokenizer"] * (text is not None)), *(["tagger"] * tags), "parser"]

    @contextmanager
    def annotator(self) -> Iterator[Annotator]:
        """What replaces tags and lemmas; no other thread has it."""
        assert self.model.text is not None
        with self._lock:
            annotator = self._idle.pop() if self._idle else Annotator(self.model.text, retag=True)
        try:
            yield annotator
        finally:
            with self._lock:
                self._idle.append(annotator)


class Service:
    """Models that parse what is asked for, in so many threads at a time, each request within so many seconds."""

    def __init__(self, models: Sequence[Model], jobs: int, seconds: float) -> None:
        self.models: dict[str, Served] = {}
        self._seconds, self._slots = seconds, BoundedSemaphore(jobs)
        self.ending = Event()  # set: whatever is under way is given up
        for model in models:
            name = model_name(model.path)
            if model.format.names != find_format(CONLLU).names:
                raise UsageError(f"{model.path} is for {model.format.name}; a service needs models of CoNLL-U")
            if name in self.models:
                raise UsageError(f"there are two models named {name}; a request could not tell which it means")
            self.models[name] = Served(name, model)
            with model.parser():  # made now, so that what is wrong with it is told at once
                pass
        self.default = next(iter(self.models))

    def list(self) -> dict[str, object]:
        """The models and what they can do."""
        models = {name: served.steps for name, served in self.models.items()}
        return {"models": models, "default_model": self.default}

    def process(self, given: Mapping[str, str]) -> dict[str, object]:
        """The answer to a request."""
        if "data" not in given:
            raise bad("the parameter data is missing")
        served = self._find(given.get("model", ""))
        wishes = _wishes(given)
        kind = _kind(given, wishes)
        output = given.get("output", "") or CONLLU
        if output not in OUTPUTS:
            raise bad(f"output: expected {', '.join(OUTPUTS)}, not {quoted(output)}")
        wanted = [step for step in ("tagger", "parser") if given.get(step, NONE) != NONE]
        for step in ["tokenizer"] * (kind != COLUMNS) + wanted:
            if step not in served.steps:
                raise bad(f"the model {served.name} has no {step}; `malt train --text` makes models that have")
        deadline = Deadline(self._seconds, self.ending)
        if not self._slots.acquire(timeout=deadline.left):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, BUSY)
        try:
            result = self._run(served, utf8(given["data"], NAME), kind, wanted, output, deadline)
        except KeyboardInterrupt:  # what the kernel raises when it is told to stop
            raise self._late() from None
        except DataError as error:
            raise bad(str(error)) from None
        except (MaltError, MemoryError) as error:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, str(error) or "there is not enough memory") from None
        finally:
            self._slots.release()
        if RANGES in wishes and output == CONLLU:
            result = Ranges(given["data"]).add(result)
        if NORMALIZED in wishes and output == CONLLU:
            result = normalize_spaces(result)
        return {"model": served.name, "acknowledgements": ACKNOWLEDGEMENTS, "result": result}

    def _find(self, name: str) -> Served:
        """The model of this name, or, as UDPipe has it, the first whose name goes on with a hyphen after it."""
        found = [name, *(other for other in self.models if other.startswith(f"{name}-"))] if name else [self.default]
        for one in found:
            if one in self.models:
                return self.models[one]
        raise bad(f"there is no model {quoted(name)}; there is {', '.join(self.models)}")

    def _run(
        self, served: Served, data: bytes, kind: str, wanted: Sequence[str], output: str, deadline: Deadline
    ) -> str:
        model, written = served.model, []
        treebank = read_text(data, model.format, NAME, model.tables, frozen=True)
        source: Treebank | TextSource = treebank
        if kind != COLUMNS:
            assert model.text is not None
            source = TextSource(model.text, treebank, kind, model.tables)
        writer = Output(model.format, model.format, "utf-8", parsed="parser" in wanted).make_writer(model)
        for block in source:
            if "tagger" in wanted:
                with served.annotator() as annotator:
                    block = annotator.annotate(block)
            if "parser" in wanted:
                with model.parser() as parser:
                    block = parser.parse(block, deadline)
            written.append(writer.write(block).decode() if output == CONLLU else "".join(_forms(block, output)))
            if deadline.is_set():
                raise self._late()
        return "".join(written)

    def _late(self) -> Refused:
        seconds = counted(int(self._seconds), "second")
        reason = (
            "the service ends" if self.ending.is_set() else f"this takes longer than {seconds}; send less at a time"
        )
        return Refused(HTTPStatus.SERVICE_UNAVAILABLE, reason)


def _wishes(given: Mapping[str, str]) -> list[str]:
    """What is asked of the tokenizer."""
    wishes = [wish for wish in given.get("tokenizer", "").split(";") if wish]
    for wish in wishes:
        if wish not in TOKENIZERS:
            raise bad(f"tokenizer: expected nothing or {', '.join(TOKENIZERS)}, not {quoted(wish)}")
    return wishes


def _kind(given: Mapping[str, str], wishes: Sequence[str]) -> str:
    """What the data is."""
    if "tokenizer" in given:
        return LINES if PRESEGMENTED in wishes else TEXT
    name = given.get("input", "") or CONLLU
    if name not in INPUTS:
        raise bad(f"input: expected {', '.join(INPUTS)}, not {quoted(name)}")
    return INPUTS[name]


def _forms(block: Block, output: str) -> Iterator[str]:
    """The words of sentences; a blank in a word is written as one that does not divide words."""
    between, end = (" ", "\n") if output == HORIZONTAL else ("\n", "\n\n")
    for sentence in sentences_of(block):
        yield between.join((form or "_").replace(" ", "\u00a0") for form in sentence.forms) + end
