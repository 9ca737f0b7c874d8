"""`malt.nltk` against the real NLTK: the interface of its own MaltParser, and graphs as it makes them."""

from __future__ import annotations

import inspect
import pickle
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import malt

pytest.importorskip("nltk", reason="NLTK is absent: pip install 'maltkit[nltk]'")

from nltk.data import FileSystemPathPointer, ZipFilePathPointer
from nltk.parse import DependencyGraph
from nltk.parse import malt as theirs
from nltk.parse.api import ParserI

from malt.data.formats.dataformat import find_format
from malt.nltk import MaltParser, conll_of, graph_of

TRAIN, TEST = malt.read("".join(malt.sample.text(40))), malt.read("".join(malt.sample.text(12, seed=9)))
TAGGED = [[(row["FORM"], row["POSTAG"]) for row in sentence.rows] for sentence in TEST]
SEES = """\
1 John _ NNP _ _ 2 SUBJ _ _
2 sees _ VB _ _ 0 ROOT _ _
3 a _ DT _ _ 4 SPEC _ _
4 dog _ NN _ _ 2 OBJ _ _
5 . _ . _ _ 2 PUNCT _ _
"""
WALKS = "1 John _ NNP _ _ 2 SUBJ _ _\n2 walks _ VB _ _ 0 ROOT _ _\n3 . _ . _ _ 2 PUNCT _ _\n"


@pytest.fixture(scope="module")
def parser() -> MaltParser:
    parser = MaltParser()
    parser.train([graph_of(sentence) for sentence in TRAIN])
    return parser


def graphs(found: Iterator[Iterator[DependencyGraph]]) -> list[DependencyGraph]:
    return [graph for [graph] in found]


def nodes(graph: DependencyGraph) -> dict[int, dict[str, object]]:
    """What a graph says; that someone looked for a label that is not there leaves an empty list."""
    return {
        address: {**node, "deps": {label: below for label, below in node["deps"].items() if below}}
        for address, node in graph.nodes.items()
    }


# -- the same interface


def test_interface() -> None:
    assert issubclass(MaltParser, ParserI)
    for name in ("__init__", "parse_sents", "parse_tagged_sents", "train", "train_from_file"):
        expected = inspect.signature(getattr(theirs.MaltParser, name)).parameters
        found = inspect.signature(getattr(MaltParser, name)).parameters
        assert list(found)[: len(expected)] == list(expected)
        assert [p.default for p in found.values()][: len(expected)] == [p.default for p in expected.values()]


def test_the_example_of_nltk() -> None:
    parser = MaltParser("maltparser-1.9.2", tagger=None, additional_java_args=["-Xmx1024m"])
    parser.train([DependencyGraph(SEES), DependencyGraph(WALKS)])
    one, two = ["John", "sees", "Mary", "."], ["John", "walks", "a", "dog", "."]
    assert str(parser.parse_one(one).tree()) == "(sees John Mary .)"
    assert str(parser.parse_one(two).tree()) == "(walks John (dog a) .)"
    found = parser.parse_sents([one, two])
    assert [str(next(next(found)).tree()) for _ in range(2)] == ["(sees John Mary .)", "(walks John (dog a) .)"]
    assert [str(graph.tree()) for graph in parser.parse_all(one)] == ["(sees John Mary .)"]
    assert next(parser.parse(one)).nodes[1]["tag"] == theirs.malt_regex_tagger()(one)[0][1]


def test_graphs_are_those_of_the_model(parser: MaltParser) -> None:
    """As if the model's output was read by NLTK, which is what its own class does."""
    assert parser.model is not None
    model = malt.train("".join(str(s) for s in TRAIN))  # from the treebank itself
    plain = [[{"FORM": word, "CPOSTAG": tag, "POSTAG": tag} for word, tag in sentence] for sentence in TAGGED]
    found = graphs(parser.parse_tagged_sents(TAGGED, top_relation_label="ROOT"))
    assert len(found) == len(TAGGED)
    for graph, words in zip(found, plain, strict=True):
        expected = DependencyGraph(str(model.parse_tokens(words)), top_relation_label="ROOT")
        assert nodes(graph) == nodes(expected)
        assert graph.root == expected.root
        assert graph.tree() == expected.tree()
        assert list(graph.triples()) == list(expected.triples())


def test_root(parser: MaltParser) -> None:
    """Any label will do at the root, where NLTK would have none, and warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for label in ("null", "ROOT", "nsubj"):
            [graph] = graphs(parser.parse_tagged_sents(TAGGED[:1], top_relation_label=label))
            assert graph.root["head"] == 0
            assert graph.top_relation_label == "ROOT"
    text = "1\tx\t_\tX\tX\t_\t0\tROOT\n2\ty\t_\tY\tY\t_\t0\tnull\n"
    assert [graph_of(malt.read(text)[0], label).root["word"] for label in ("null", "ROOT", "top")] == ["y", "x", "x"]


# -- sentences


def test_sentences_are_taken_as_needed(parser: MaltParser) -> None:
    taken = []

    def endless() -> Iterator[list[tuple[str, str]]]:
        while True:
            taken.append(1)
            yield from TAGGED

    found = parser.parse_tagged_sents(endless())
    assert len(next(next(found)).nodes) == len(TAGGED[0]) + 1
    assert len(taken) == 1


def test_empty_sentences(parser: MaltParser) -> None:
    """They keep their places."""
    mixed = [[], TAGGED[0], [], [], TAGGED[1], []]
    found = graphs(parser.parse_tagged_sents(mixed))
    assert [len(graph.nodes) - 1 for graph in found] == [len(sentence) for sentence in mixed]
    assert len(parser.parse_one([]).nodes) == 1
    assert list(parser.parse_sents([])) == []


def test_tagger(parser: MaltParser) -> None:
    tags = dict(pair for sentence in TAGGED for pair in sentence)
    other = MaltParser(tagger=lambda words: [(word, tags[word]) for word in words])
    other.model = parser.model
    words = [[word for word, _ in sentence] for sentence in TAGGED]
    for graph, sentence in zip(graphs(other.parse_sents(words)), TAGGED, strict=True):
        assert [graph.nodes[i + 1]["tag"] for i in range(len(sentence))] == [tags[word] for word, _ in sentence]


def test_rows_in_full(parser: MaltParser) -> None:
    assert parser.model is not None
    expected = [sentence.heads for sentence in parser.model.parse(TEST)]
    found = graphs(parser.parse_tagged_sents(sentence.rows for sentence in TEST))
    assert [[g.nodes[i]["head"] for i in range(1, len(g.nodes))] for g in found] == expected
    assert found[0].nodes[1]["lemma"] == TEST[0].rows[0]["LEMMA"]


def test_words_of_all_kinds(parser: MaltParser) -> None:
    words = ["New York", "#", "1-2", "<a>", "🙂", "_", "null", "שלום"]
    graph = parser.parse_one(words)
    assert [graph.nodes[i + 1]["word"] for i in range(len(words))] == words
    for bad, message in (
        ("a\tb", "word 1: .* cannot be a field"),
        ("a\nb", "word 1: .* cannot be a field"),
        ("", "word 1 has an empty field"),
    ):
        with pytest.raises(malt.DataError, match=message):
            parser.parse_one([bad])


@pytest.mark.parametrize("format", ["conllu", "malttab", "conll2009"])
def test_formats(format: str) -> None:
    wanted = {*find_format(format).names} & {*TRAIN[0].rows[0]}
    rows = [[{name: row[name] for name in wanted} for row in sentence.rows] for sentence in TRAIN[:30]]
    parser = MaltParser()
    parser.model = malt.train([malt.Sentence.from_rows(words, format) for words in rows])
    [graph] = graphs(parser.parse_tagged_sents(TAGGED[:1]))
    assert [(graph.nodes[i + 1]["word"], graph.nodes[i + 1]["tag"]) for i in range(len(TAGGED[0]))] == TAGGED[0]
    assert graph.root["head"] == 0


# -- training


def test_train_from_file(parser: MaltParser, tmp_path: Path) -> None:
    text = "".join(str(sentence) for sentence in TRAIN)
    path, archive = tmp_path / "train.conll", tmp_path / "corpus.zip"
    path.write_text(text, encoding="utf-8")
    with zipfile.ZipFile(archive, "w") as stream:
        stream.write(path, "corpus/train.conll")
    expected = [nodes(graph) for graph in graphs(parser.parse_tagged_sents(TAGGED))]
    for source in (path, str(path), FileSystemPathPointer(str(path))):
        other = MaltParser()
        other.train_from_file(source)
        assert [nodes(graph) for graph in graphs(other.parse_tagged_sents(TAGGED))] == expected
    other = MaltParser()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nltk.data.path", [str(tmp_path)])  # the only places where NLTK opens archives
        other.train_from_file(ZipFilePathPointer(str(archive), "corpus/train.conll"))
    assert [nodes(graph) for graph in graphs(other.parse_tagged_sents(TAGGED))] == expected


def test_options() -> None:
    parser = MaltParser(algorithm="2planar", cost=0.3, prh="relaxed")
    parser.train([DependencyGraph(SEES)])
    assert parser.model is not None
    assert parser.model.algorithm == "2planar"
    assert parser.model.options["multiplanar.planar_root_handling"] == "relaxed"
    with pytest.raises(malt.UsageError, match="did you mean algorithm"):
        MaltParser(algoritm="2planar")


def test_graphs_to_learn_from() -> None:
    """Graphs of three and four columns have empty fields, and a graph that was looked into has nodes of no word."""
    graph = DependencyGraph("John N 2\nsleeps V 0")
    graph.nodes[9]["word"]
    assert conll_of(graph) == "1\tJohn\tJohn\tN\tN\t_\t2\t_\t_\t_\n2\tsleeps\tsleeps\tV\tV\t_\t0\t_\t_\t_\n\n"
    assert conll_of(graph_of(TRAIN[3])) == str(TRAIN[3])
    with pytest.raises(malt.DataError, match="graph 2 has no words"):
        MaltParser().train([DependencyGraph(SEES), DependencyGraph()])
    with pytest.raises(malt.MaltError, match="the treebank has no sentences"):
        MaltParser().train([])
    graph.nodes[1]["head"] = None
    with pytest.raises(malt.DataError, match="graph 1, word 1: it has no head"):
        MaltParser().train([graph])


def test_verbose(capfd: pytest.CaptureFixture[str]) -> None:
    parser = MaltParser()
    parser.train([DependencyGraph(SEES)])
    list(parser.parse_sents([["John"]]))
    assert capfd.readouterr() == ("", "")
    parser.train([DependencyGraph(SEES)], verbose=True)
    list(parser.parse_sents([["John"]], verbose=True))
    out, err = capfd.readouterr()
    assert (out, [line.split(" in ")[0] for line in err.splitlines()]) == (
        "",
        ["malt: learned nivreeager", "malt: parsed 1 sentences"],
    )


# -- models


def test_models(parser: MaltParser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parser.model is not None
    parser.model.save(tmp_path / "sample.mco")
    expected = [nodes(graph) for graph in graphs(parser.parse_tagged_sents(TAGGED))]
    monkeypatch.chdir(tmp_path.parent)
    for variable, name in (
        ("", tmp_path / "sample.mco"),
        ("", str(tmp_path / "sample")),
        (str(tmp_path), "sample.mco"),
        (f"/no/such/place:{tmp_path}", "sample"),
        (str(tmp_path / "sample.mco"), "sample.mco"),
    ):
        monkeypatch.setenv("MALT_MODEL", variable)
        loaded = MaltParser(model_filename=name)
        assert [nodes(graph) for graph in graphs(loaded.parse_tagged_sents(TAGGED))] == expected
    with pytest.raises(malt.MaltError, match=r"other.mco: no such model; .* MALT_MODEL"):
        MaltParser(model_filename="other.mco")
    with pytest.raises(malt.MaltError, match="no model; call train"):
        MaltParser().parse_one(["John"])


def noun(words: list[str]) -> list[tuple[str, str]]:
    return [(word, "Nc") for word in words]


def test_pickle(parser: MaltParser) -> None:
    tagging = MaltParser(tagger=noun)
    tagging.model = parser.model
    copy = pickle.loads(pickle.dumps(tagging))
    words = [word for word, _ in TAGGED[0]]
    assert nodes(copy.parse_one(words)) == nodes(tagging.parse_one(words))


def test_mistakes(parser: MaltParser) -> None:
    """What would be taken for something else is refused."""
    graph = DependencyGraph("Hunde N 2\ngør V 0")
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: parser.parse_one("la kasta"), "expected a list of words, not the text 'la kasta'"),
        (lambda: list(parser.parse_tagged_sents(["la kasta"])), "expected a list of words, not the text"),
        (lambda: list(parser.parse_tagged_sents([("la", "Da"), ("kasta", "Nc")])), "expected pairs .*, not 'la'"),
        (lambda: parser.train(graph), "expected a list of graphs"),
        (lambda: parser.train("train.conll"), "expected a list of graphs; train_from_file is for a file"),
        (lambda: parser.train(["train.conll"]), "graph 1: expected a DependencyGraph, not str"),
        (lambda: MaltParser(tagger="english"), "tagger: expected a function such as nltk.pos_tag, not str"),
        (lambda: MaltParser(options={"ppp": "head"}), "unknown option 'ppp'"),
    ]
    for call, message in cases:
        with pytest.raises(malt.UsageError, match=message):
            call()
