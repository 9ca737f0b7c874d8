"""A parser for NLTK: what `nltk.parse.malt.MaltParser` does, with the same arguments and results, without Java.

>>> from nltk.parse import DependencyGraph
>>> graphs = [DependencyGraph("John NNP 2 SUBJ\\nwalks VB 0 ROOT\\n. . 2 PUNCT")]
>>> parser = MaltParser()
>>> parser.train(graphs)
>>> print(parser.parse_one(["Mary", "walks", "."]).tree())
(walks Mary .)
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from malt.data.sentence import Row, Sentence
from malt.data.source import Source
from malt.errors import DataError, MaltError, UsageError, quoted
from malt.library import load, settings_of, train
from malt.mco.container import model_path
from malt.model import Model
from malt.running.log import logger

try:
    from nltk.data import PathPointer
    from nltk.parse.api import ParserI
    from nltk.parse.dependencygraph import DependencyGraph
    from nltk.parse.malt import malt_regex_tagger
except ModuleNotFoundError as error:
    if error.name != "nltk":
        raise
    raise ModuleNotFoundError("malt.nltk needs NLTK: pip install 'maltkit[nltk]'", name="nltk") from None

__all__ = ["MaltParser"]

Tagger = Callable[[list[str]], Iterable[Row]]
Words = Iterable[str]
Tagged = Iterable[Row]  # pairs of a word and its tag, or whole rows

# The columns of a treebank that become the fields of a node, best first.
FIELDS = {
    "lemma": ("LEMMA",),
    "ctag": ("CPOSTAG", "UPOSTAG", "POSTAG", "XPOSTAG"),
    "tag": ("POSTAG", "XPOSTAG", "CPOSTAG", "UPOSTAG"),
    "feats": ("FEATS",),
}
Item = TypeVar("Item")
MODELS = "MALT_MODEL"  # as in NLTK: the variable that names a model, or folders with models


class MaltParser(ParserI):  # type: ignore[misc]
    """A dependency parser, as NLTK has parsers: `parse_one(words)`, `parse_sents(sentences)`, `train(graphs)`.

    `model_filename` is a model of ours or of MaltParser's: a path, or a name that is looked for in the folders of the
    environment variable MALT_MODEL. Without it the parser has to be trained first. `tagger` gives the words of a
    sentence their tags, as `nltk.pos_tag` does; without it NLTK's small tagger for English is used. `options` are those
    of `malt.train`, for training: `MaltParser(algorithm="2planar")`.

    `parser_dirname` and `additional_java_args` are accepted, so that programs need not be changed, and not looked at.
    """

    def __init__(
        self,
        parser_dirname: str | os.PathLike[str] = "",
        model_filename: str | os.PathLike[str] | None = None,
        tagger: Tagger | None = None,
        additional_java_args: Iterable[str] | None = None,
        **options: Any,
    ) -> None:
        if parser_dirname or additional_java_args:
            logger.info("malt.nltk: parser_dirname and additional_java_args are not used, as there is no Java")
        named = {name: value for name, value in options.items() if name not in ("cost", "options")}
        more = options.get("options")
        more = more if isinstance(more, Mapping) else {}
        settings_of([*named.items(), *more.items()])  # so that what is misspelt is said here
        if tagger is not None and not callable(tagger):
            raise UsageError(f"tagger: expected a function such as nltk.pos_tag, not {type(tagger).__name__}")
        self.options = options
        self.tagger: Tagger = tagger if tagger is not None else malt_regex_tagger()
        self.model: Model | None = None if model_filename is None else load(find_model(model_filename))

    def parse_sents(
        self, sentences: Iterable[Words], verbose: bool = False, top_relation_label: str = "null"
    ) -> Iterator[Iterator[DependencyGraph]]:
        """Tag and parse sentences, each a list of words. See `parse_tagged_sents`."""
        tagged = (self.tagger(_words(sentence)) for sentence in sentences)
        return self.parse_tagged_sents(tagged, verbose, top_relation_label)

    def parse_tagged_sents(
        self, sentences: Iterable[Tagged], verbose: bool = False, top_relation_label: str = "null"
    ) -> Iterator[Iterator[DependencyGraph]]:
        """Parse sentences whose words are pairs of a form and its tag: for each, an iterator over its one graph.

        A tag goes into every column of tags that the model has. A word may also be a row in full, for models that look
        at more than that (see `malt.Sentence.from_rows`). Sentences are taken and parsed as graphs are asked for.

        The root of a graph is the first word that hangs on the artificial root with `top_relation_label`, or with
        whatever label if there is none.
        """
        if self.model is None:
            raise MaltError("the parser has no model; call train() first, or give it one as model_filename")
        return (iter([graph]) for graph in self._graphs(self.model, sentences, verbose, top_relation_label))

    def _graphs(self, model: Model, sentences: Iterable[Tagged], verbose: bool, top: str) -> Iterator[DependencyGraph]:
        begin, count = time.perf_counter(), 0
        filled: deque[bool] = deque()  # of the sentences that were taken but not yet given back: has it words?

        def take() -> Iterator[Sentence]:
            for sentence in sentences:
                rows = _words(sentence)
                for row in rows:
                    if isinstance(row, str) and "\t" not in row:
                        reason = "expected pairs of a word and its tag in a list of sentences"
                        raise UsageError(f"{reason}, not {quoted(row)}; parse_sents is for words without tags")
                filled.append(bool(rows))
                if rows:
                    yield Sentence.from_rows(rows, model.format)

        for parsed in model.parse(take()):
            while not filled.popleft():
                yield DependencyGraph()
            count += 1
            yield graph_of(parsed, top)
        for _ in filled:
            yield DependencyGraph()
        if verbose:
            _say(f"parsed {count} sentences in {time.perf_counter() - begin:.1f} s")

    def train(self, depgraphs: Iterable[DependencyGraph], verbose: bool = False) -> None:
        """Learn from graphs. The model is then `parser.model`; `parser.model.save(NAME)` keeps it."""
        if isinstance(depgraphs, (str, DependencyGraph)):
            raise UsageError("expected a list of graphs; train_from_file is for a file")
        self._train((conll_of(graph, number) for number, graph in enumerate(depgraphs, 1)), verbose, format="conllx")

    def train_from_file(self, conll_file: str | os.PathLike[str], verbose: bool = False) -> None:
        """Learn from a treebank file, or from a file in one of NLTK's archives. Its format is recognised."""
        if isinstance(conll_file, PathPointer) and not isinstance(conll_file, str):
            with conll_file.open() as stream:
                text = stream.read()
            self._train(text.decode() if isinstance(text, bytes) else text, verbose)
        else:
            self._train(conll_file, verbose)

    def _train(self, source: Source, verbose: bool, **options: str) -> None:
        begin = time.perf_counter()
        self.model = train(source, **(self.options | options))
        if verbose:
            _say(f"learned {self.model.algorithm} in {time.perf_counter() - begin:.1f} s")


def find_model(name: str | os.PathLike[str]) -> str:
    """The path of a model file: as it is, or in a folder of MALT_MODEL.

    >>> find_model("no/such.mco")
    Traceback (most recent call last):
    malt.errors.MaltError: no/such.mco: no such model; give its path, or name its folder in MALT_MODEL
    """
    name = os.fspath(name)
    for path in os.environ.get(MODELS, "").split(os.pathsep):
        places = [name, os.path.join(path, name)]
        if path and os.path.basename(path) == os.path.basename(name):
            places.append(path)
        for place in map(model_path, places):
            if os.path.isfile(place):
                return place
    raise MaltError(f"{model_path(name)}: no such model; give its path, or name its folder in {MODELS}")


def graph_of(sentence: Sentence, top_relation_label: str = "null") -> DependencyGraph:
    r"""A sentence as NLTK's graph.

    >>> graph = graph_of(Sentence.from_rows(["1\tHunde\t_\tN\tNN\t_\t2\tsubj", "2\tgør\t_\tV\tVB\t_\t0\tROOT"]))
    >>> graph.root["word"], list(graph.triples())
    ('gør', [(('gør', 'V'), 'subj', ('Hunde', 'N'))])
    """
    names = sentence.format.names
    rows, heads, labels = sentence.rows, sentence.heads, sentence.labels
    lines = []
    for i, (form, row) in enumerate(zip(sentence.forms, rows, strict=True)):
        fields = {field: next((row[c] for c in columns if c in names), "_") for field, columns in FIELDS.items()}
        lines.append("\t".join([str(i + 1), form or "_", *fields.values(), str(heads[i]), labels[i] or "_", "_", "_"]))
    tops = [label or "_" for label, head in zip(labels, heads, strict=True) if head == 0]
    top = top_relation_label if top_relation_label in tops or not tops else tops[0]
    return DependencyGraph("\n".join(lines), cell_separator="\t", top_relation_label=top)


def conll_of(graph: DependencyGraph, number: int = 1) -> str:
    r"""A graph as text in CoNLL-X; `number` is what an error calls it. What the graph does not say is `_`.

    >>> conll_of(DependencyGraph("Hunde N 2\ngør V 0"))
    '1\tHunde\tHunde\tN\tN\t_\t2\t_\t_\t_\n2\tgør\tgør\tV\tV\t_\t0\t_\t_\t_\n\n'
    """
    if not isinstance(graph, DependencyGraph):
        raise UsageError(f"graph {number}: expected a DependencyGraph, not {type(graph).__name__}")
    rows = []
    for address, node in sorted((a, node) for a, node in graph.nodes.items() if node["address"]):
        if node["head"] is None:
            raise DataError(f"graph {number}, word {address}: it has no head, so there is nothing to learn from")
        texts = [node[field] for field in ("word", "lemma", "ctag", "tag", "feats")]
        rows.append([address, *(text or "_" for text in texts), node["head"], node["rel"] or "_", "_", "_"])
    if not rows:
        raise DataError(f"graph {number} has no words, so there is nothing to learn from")
    return str(Sentence.from_rows(rows))


def _words(sentence: Iterable[Item]) -> list[Item]:
    """The words of a sentence. A text is none: its letters would be taken for words."""
    if isinstance(sentence, str):
        raise UsageError(f"expected a list of words, not the text {quoted(sentence)}; text.split() makes one")
    return list(sentence)


def _say(text: str) -> None:
    print(f"malt: {text}", file=sys.stderr)
