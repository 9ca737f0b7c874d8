"""Graphs from file to file: DEPS and SDP, training, parsing, scores, pictures, traces, and what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from refusals import error

import malt
from malt.commands import malt as main
from malt.data.deps import read_deps, write_deps
from malt.data.formats.dataformat import find_format
from malt.data.formats.sdp import from_conllu, to_conllu
from malt.data.treebank import read_text
from malt.drawing.trees.layout import lay_out
from malt.drawing.trees.tree import graphs_of
from malt.errors import MaltError
from malt.evaluation.graphs import evaluate_graph_files
from malt.mco.additions import read_additions
from malt.parsing.machine import Machine
from malt.parsing.parser import Parser


def conllu(*sentences: str) -> str:
    """Sentences of words with ID, FORM, HEAD, DEPREL and DEPS, words apart by blanks."""
    lines = []
    for sentence in sentences:
        for word in sentence.split():
            number, form, head, label, deps = word.split("/")
            lines.append("\t".join([number, form, form.lower(), "X", "x", "_", head, label, deps, "_"]))
        lines.append("")
    return "\n".join([*lines, ""])


GOLD = conllu(
    "1/Ann/2/nsubj/2:nsubj|4:nsubj 2/sang/0/root/0:root 3/and/4/cc/4:cc 4/Bo/2/conj/2:conj:and|4.1:nsubj "
    "4.1/played/_/_/2:conj:and 5/songs/2/obj/2:obj|4.1:obj",
    "1/songs/0/root/0:root|3:obj 2/that/3/obj/1:ref 3/play/1/acl/1:acl:relcl 4/here/3/advmod/3:advmod|3:obl:in",
)
SYSTEM = conllu(
    "1/Ann/2/nsubj/2:nsubj 2/sang/0/root/0:root 3/and/4/cc/4:cc|2:cc 4/Bo/2/conj/2:conj:or|2:conj:and>nsubj "
    "5/songs/2/obj/2:obj|2:conj>obj",
    "1/songs/0/root/0:root 2/that/3/obj/3:obj 3/play/1/acl/1:acl 4/here/3/advmod/3:obl:in",
)
SDP_2015 = """\
#SDP 2015
#20001001
1\tAnn\tann\tNNP\t-\t-\t_\tARG1\tARG1
2\tsang\tsing\tVBD\t+\t+\tv:e-i\t_\t_
3\tand\tand\tCC\t-\t-\t_\t_\t_
4\tplayed\tplay\tVBD\t-\t+\t_\t_and_c\t_

#20001002
1\tOh\toh\tUH\t-\t-\t_\t_
2\tno\tno\tUH\t+\t+\tn|x\t_

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Treebanks of graphs: the trees of the sample, with an arc from each noun's grandparent and a second one from its
    parent."""
    place = tmp_path_factory.mktemp("graphs")
    for name, number, seed in (("train", 80, 1), ("dev", 30, 5)):
        lines = []
        for text in malt.sample.text(number, "conllu", seed=seed):
            sentence = malt.Sentence.from_text(text)
            heads, labels = sentence.heads, sentence.labels
            for word, row in enumerate(sentence.rows, 1):
                head = heads[word - 1]
                arcs = {(head, str(labels[word - 1]))}
                if head and heads[head - 1] and row["UPOSTAG"] == "NOUN":
                    arcs.add((heads[head - 1], "over"))
                    arcs.add((head, "again"))
                row["DEPS"] = "|".join(f"{head}:{label}" for head, label in sorted(arcs))
                lines.append("\t".join(row.values()))
            lines.append("")
        (place / f"{name}.conllu").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (place / "gold.conllu").write_text(GOLD, encoding="utf-8")
    (place / "system.conllu").write_text(SYSTEM, encoding="utf-8")
    return place


def run(*words: object) -> None:
    assert main([str(word) for word in words]) == 0


def arcs(text: str) -> list[list[list[tuple[int, str]]]]:
    [block] = read_text(text.encode(), find_format("conllu"), "the text")
    return [malt.Sentence(block, place).graph for place in range(len(block))]


# Reading and writing


def test_paths_over_empty_nodes_are_arcs() -> None:
    first, second = arcs(GOLD)
    assert first[3] == [(2, "conj:and"), (2, "conj:and>nsubj")]
    assert first[4] == [(2, "conj:and>obj"), (2, "obj")] or first[4] == [(2, "obj"), (2, "conj:and>obj")]
    assert second[0] == [(0, "root"), (3, "obj")]


def test_a_chain_and_a_circle_of_empty_nodes_come_to_an_end() -> None:
    text = conllu("1/A/0/r/0:r|1.2:z 1.1/_/_/_/1:x|1.2:u 1.2/_/_/_/1.1:y")
    assert arcs(text) == [[[(0, "r"), (1, "x>y>z")]]]


def test_what_is_written_is_what_was_read() -> None:
    [block] = read_text(GOLD.encode(), find_format("conllu"), "the text")
    written = write_deps(GOLD.encode(), replace(block, graph=read_deps(block)), block.format).decode()
    assert "\n4.1\t" not in written  # the graphs have no empty nodes
    assert arcs(written) == arcs(GOLD)


def test_empty_nodes_survive_a_conversion(folder: Path) -> None:
    run("convert", "-v", "off", "-of", "conllu", "-o", folder / "same.conllu", folder / "gold.conllu")
    assert (folder / "same.conllu").read_text(encoding="utf-8") == GOLD


@pytest.mark.parametrize(
    ("deps", "message"),
    [
        ("2", "DEPS has '2'; expected HEAD:LABEL, with | between them"),
        ("x:y", "DEPS has 'x:y'; expected HEAD:LABEL, with | between them"),
        ("0:root|", "DEPS has ''; expected HEAD:LABEL, with | between them"),
        ("7:y", "DEPS has the head 7, which is no word of the sentence"),
        ("1.1:y", "DEPS has the head 1.1, which is no word of the sentence"),
    ],
)
def test_a_fault_in_deps_has_a_place(
    deps: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(conllu("1/A/0/r/0:r", f"1/B/0/r/0:r 2/C/1/x/{deps}"), encoding="utf-8")
    assert error(capsys, "analyze", "-v", "warn", "--graphs", path) == f"malt: {path}, line 4: {message}\n"


# SDP


def test_sdp_is_read_as_the_conllu_that_says_the_same() -> None:
    text = to_conllu(SDP_2015.encode(), "x", 1).decode()
    assert [row.split("\t")[8] for row in text.splitlines() if "\t" in row] == [
        *("2:ARG1|4:ARG1", "0:top", "_", "2:_and_c"),
        *("_", "0:top"),
    ]
    written, lost, dropped = from_conllu(text.encode())
    assert (written.decode(), lost, dropped) == (SDP_2015, set(), 0)


def test_sdp_of_2014_has_no_frames() -> None:
    rows = [line.split("\t") for line in SDP_2015.splitlines()]
    text = "\n".join("\t".join(row[:6] + row[7:]) for row in rows) + "\n"
    written, _, _ = from_conllu(to_conllu(text.encode(), "x", 1))
    assert written.decode() == SDP_2015.replace("v:e-i", "_").replace("n|x", "_")


def test_commands_read_and_write_sdp(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "a.sdp"
    path.write_text(SDP_2015, encoding="utf-8")
    run("convert", "-v", "off", "-of", "conllu", "-o", folder / "a.conllu", path)
    assert arcs((folder / "a.conllu").read_text(encoding="utf-8"))[0][0] == [(2, "ARG1"), (4, "ARG1")]
    run("convert", "-v", "off", "-of", "sdp", "-o", folder / "b.sdp", folder / "a.conllu")
    assert (folder / "b.sdp").read_text(encoding="utf-8") == SDP_2015
    run("convert", "-of", "sdp", "-o", folder / "c.sdp", folder / "train.conllu")
    assert "sdp has no column for DEPREL, FEATS, HEAD, MISC, UPOSTAG: left out" in capsys.readouterr().err
    learner = ("-a", "2planar", "-hd", "many", "-l", "perceptron", "--beam", "4", "--passes", "30")
    run("train", "-v", "off", "-c", folder / "sdp", *learner, path)
    run("parse", "-v", "off", "-c", folder / "sdp", "-of", "sdp", "-o", folder / "parsed.sdp", path)
    assert (folder / "parsed.sdp").read_text(encoding="utf-8") == SDP_2015  # it was learned by heart
    path.write_text(SDP_2015.replace("\t-\t_\tARG1\tARG1", "\t-\t_\tARG1"), encoding="utf-8")
    told = error(capsys, "analyze", "-v", "warn", "--graphs", path)
    assert told.startswith(f"malt: {path}, line 3: the word has 8 columns; expected ID, FORM, LEMMA, POS, TOP and PRED")


# Training and parsing


@pytest.mark.parametrize(
    "algorithm",
    [["planar", "-hd", "many"], ["2planar", "-hd", "many"], ["3planar", "-hd", "many"], ["dageager"], ["dagstandard"]],
)
@pytest.mark.parametrize(
    "learner",
    [["perceptron", "--passes", 6], pytest.param(["perceptron", "--beam", 3], marks=pytest.mark.slow), ["liblinear"]],
)
def test_graphs_are_learned_and_parsed(algorithm: list[str], learner: list[object], folder: Path) -> None:
    model = folder / "m"
    run("train", "-v", "off", "-c", model, "-a", *algorithm, "-l", *learner, folder / "train.conllu")
    run("parse", "-v", "off", "-c", model, "-o", folder / "out.conllu", folder / "dev.conllu")
    result = evaluate_graph_files(str(folder / "dev.conllu"), [str(folder / "out.conllu")], "conllu")
    [scores] = result.systems.values()
    assert (scores.labelled.f or 0) > 0.55  # 0.59 to 0.75, from 80 sentences
    # All but DEPS is what it was, the tree included.
    before, after = (
        [line.split("\t") for line in (folder / name).read_text(encoding="utf-8").splitlines()]
        for name in ("dev.conllu", "out.conllu")
    )
    assert [row[:8] + row[9:] for row in before] == [row[:8] + row[9:] for row in after]
    found = malt.load(model).parse(folder / "dev.conllu")
    written = arcs((folder / "out.conllu").read_text(encoding="utf-8"))
    assert [[sorted(heads) for heads in sentence.graph] for sentence in found] == [
        [sorted(heads) for heads in sentence] for sentence in written
    ]
    # Two arcs from one word to another have labels that two such arcs have in the training data.
    for sentence in written:
        for heads in sentence:
            labels = [label for head, label in heads if [one for one, _ in heads].count(head) > 1]
            assert not labels or "again" in labels
            assert all([one for one, _ in heads].count(head) <= 2 for head, _ in heads)


def test_two_arcs_between_the_same_words_are_derived_with_their_labels(folder: Path) -> None:
    model = folder / "double"
    run("train", "-v", "off", "-c", model, "-a", "2planar", "-hd", "many", "-l", "perceptron", folder / "train.conllu")
    loaded = malt.load(model)
    oracle = Parser(Machine(loaded.specification, loaded.tables))
    text = conllu("1/A/0/nsubj/0:nsubj 2/B/1/over/1:again|1:over 3/C/1/x/1:over|2:again|4:over 4/D/0/x/3:over")
    [block] = read_text(text.encode(), loaded.format, "x", loaded.tables, frozen=True)
    graph, gold = oracle.parse(block).graph, read_deps(block)
    assert graph is not None
    assert [one.tolist() for one in (graph.starts, graph.heads, graph.labels)] == [
        one.tolist() for one in (gold.starts, gold.heads, gold.labels)
    ]


def test_a_model_remembers_that_it_derives_graphs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = folder / "r"
    options = ("-a", "planar", "-hd", "many", "-ac", "true", "-l", "perceptron", "--passes", 1)
    run("train", "-v", "off", "-c", model, *options, "--dev", folder / "dev.conllu", folder / "train.conllu")
    loaded = malt.load(model)
    assert loaded.specification.definition.many
    assert loaded.specification.definition.options["-ac"]
    assert malt.load(folder / "r").specification == loaded.specification
    assert "it derives graphs, which MaltParser does not; say `malt parse`" in error(
        capsys, "-c", "r", "-w", folder, "-m", "parse", "-i", folder / "dev.conllu", "-o", folder / "x"
    )


@pytest.mark.parametrize("together", ['"x"', '[["a"]]', '[["a", 1]]', '[["a", "b", "c"]]'])
def test_damaged_pairs_of_labels_are_refused(together: str) -> None:
    with pytest.raises(MaltError, match="it is damaged: 'together' is not as it should be"):
        read_additions(f'{{"version": 1, "together": {together}}}'.encode(), "x.mco")


def test_graphs_are_not_voted_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = folder / "v"
    run("train", "-v", "off", "-c", model, "-a", "dageager", "-l", "perceptron", "--passes", 1, folder / "train.conllu")
    told = error(capsys, "parse", "-v", "warn", "-c", model, "-c", model, folder / "dev.conllu")
    assert "derives graphs, and only trees are voted on" in told
    run("info", model)
    assert "heads       many: a word may have any number of heads" in capsys.readouterr().out


def test_maltparsers_own_command_learns_no_graphs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-c", "g", "-w", folder, "-m", "learn", "-a", "dageager", "-if", "conllu", "-i", folder / "train.conllu")
    assert "MaltParser has no graphs, which dageager derives here; `malt train` learns them" in error(capsys, *words)


def test_learning_goes_on_from_a_model_of_graphs(folder: Path) -> None:
    first, second = folder / "first", folder / "second"
    words = ("-l", "perceptron", "--passes", 1, folder / "train.conllu")
    run("train", "-v", "off", "-c", first, "-a", "planar", "-hd", "many", *words)
    run("train", "-v", "off", "-c", second, "--from", first, "--passes", 1, folder / "train.conllu")
    before, after = (malt.load(model).specification for model in (first, second))
    assert after.definition == before.definition
    assert after.together == before.together != frozenset()


def test_the_pass_with_the_best_arcs_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("-a", "planar", "-hd", "many", "-l", "perceptron", "--passes", 2, "--dev", folder / "dev.conllu")
    run("train", "-c", folder / "b", *words, folder / "train.conllu")
    assert re.search(r"pass 2: [\d,]+ updates, F of labelled arcs \d+\.\d+ on the dev", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-pp", "head"], "-pp and -pcr transform trees, and planar derives graphs here (-hd many)"),
        (["-up", "true"], "-up gives arcs of trees"),
        (["--reverse"], "--reverse turns trees round"),
        (["-rt", "one"], "-rt one is for trees, and graphs have any number of roots; leave it out"),
        (["-if", "conllx"], "conllx has no columns ID, DEPREL and DEPS for graphs; conllu has them"),
    ],
)
def test_what_is_for_trees_is_refused(
    more: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("train", "-v", "warn", "-c", folder / "n", "-a", "planar", "-hd", "many", "-l", "perceptron")
    assert message in error(capsys, *words, *more, folder / "train.conllu")


def test_graphs_cannot_be_learned_from_a_file_without_any(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "blind.conllu"
    path.write_text(re.sub(r"\t[^\t]*\t_$", "\t_\t_", GOLD, flags=re.MULTILINE), encoding="utf-8")
    words = ("train", "-v", "warn", "-c", folder / "n", "-a", "planar", "-hd", "many", "-l", "perceptron", path)
    assert "the treebank has no graphs, as DEPS has no arcs" in error(capsys, *words)


# Scores


def test_elas_is_that_of_the_shared_task(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The counts that the scorer of IWPT 2020 has for these two files, once empty nodes are collapsed."""
    run("eval", "-v", "off", "--graphs", "--json", folder / "gold.conllu", folder / "system.conllu")
    [scores] = json.loads(capsys.readouterr().out)["systems"].values()
    counts = {name: [scores[name][key] for key in ("gold", "system", "right")] for name in ("ELAS", "EULAS")}
    assert counts == {"ELAS": [14, 12, 7], "EULAS": [14, 12, 10]}
    assert scores["ELAS"]["F"] == pytest.approx(0.5384615384615384)
    assert scores["EULAS"]["F"] == pytest.approx(0.7692307692307693)
    assert [scores["unlabelled"][key] for key in ("gold", "system", "right")] == [11, 10, 8]
    run("eval", "-v", "off", "--graphs", folder / "gold.conllu", folder / "gold.conllu")
    assert re.search(r"whole graphs +2 +100\.00", capsys.readouterr().out)


def test_trees_have_their_own_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("eval", "-v", "warn", "--graphs", "--by", "label", folder / "gold.conllu", folder / "system.conllu")
    assert "--by is for trees, and --graphs for graphs; leave one out" in error(capsys, *words)


# What graphs are like


def test_analyze_counts_heads_roots_cycles_and_planes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("analyze", "-v", "off", "--json", "-a", "planar", "-hd", "many", folder / "gold.conllu")
    [found] = json.loads(capsys.readouterr().out).values()
    assert found["heads"] == {"1": 4, "2": 5}
    assert found["roots"] == {"1": 2}
    assert (found["several_heads"], found["cycles"], found["empty_nodes"], found["arcs"]) == (2, 1, 1, 14)
    assert (found["crossings"], found["planarity"]) == (1, {"1": 1, "2": 1})
    assert (found["arcs_not_derived"], found["crossings_root"]) == (
        1,
        2,
    )  # an arc also passes over the word on the root
    run("analyze", "-v", "off", "--graphs", folder / "gold.conllu")
    assert re.search(r"with a word with several heads +2 +100\.00 %", capsys.readouterr().out)


@pytest.mark.slow
def test_english_has_the_graphs_that_it_has(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("analyze", "-v", "off", "--json", "-a", "2planar", "-hd", "many", shared / "data/english/train.conllu")
    [found] = json.loads(capsys.readouterr().out).values()
    counts = {name: found[name] for name in ("sentences", "several_heads", "cycles", "empty_nodes")}
    assert counts == {"sentences": 12544, "several_heads": 5660, "cycles": 1795, "empty_nodes": 37}
    assert found["graphs_not_derived"] == 102


# Pictures and traces


def test_a_picture_has_all_arcs_of_a_graph(folder: Path) -> None:
    [block] = read_text(GOLD.encode(), find_format("conllu"), "x")
    first, second = graphs_of([malt.Sentence(block, place) for place in range(2)])
    assert [(arc.head, arc.word, arc.label) for arc in second.arcs if arc.word == 4] == [
        (3, 4, "advmod"),
        (3, 4, "obl:in"),
    ]
    assert len(first.arcs) == 8
    crossed = graphs_of([malt.Sentence.from_text(conllu("1/A/0/r/3:x 2/B/0/r/4:y 3/C/1/z/1:z 4/D/2/v/_"))])[0]
    assert crossed.planes == 2
    assert {tuple(sorted((crossed.arcs[a].word, crossed.arcs[b].word))) for a, b in crossed.crossings} == {
        (1, 2),
        (2, 3),
    }
    assert len(lay_out(crossed).crossings()) == 2
    run("draw", "-v", "off", "--graphs", "-o", folder / "picture.txt", folder / "gold.conllu")
    assert "2  nsubj  4 nsubj" in (folder / "picture.txt").read_text(encoding="utf-8")
    for suffix in ("txt", "svg", "html", "tex"):
        run("draw", "-v", "off", "--graphs", "-o", folder / f"picture.{suffix}", folder / "gold.conllu")
        drawn = (folder / f"picture.{suffix}").read_text(encoding="utf-8")
        assert re.search(r"conj:and.{1,20}nsubj", drawn)


def test_a_trace_shows_the_arcs_of_graphs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("trace", "-v", "off", "-if", "conllu", "-a", "2planar", "-hd", "many", folder / "gold.conllu")
    told = capsys.readouterr().out
    assert "{(3, 1)}  obj" in told
    assert "{(3, 4)}  advmod | obl:in" in told
    assert "not derived" not in told
    run("trace", "-v", "off", "-if", "conllu", "-a", "dageager", folder / "gold.conllu")
    assert "not derived: (1, 3)" in capsys.readouterr().out  # it does not join two words both ways
    model = folder / "t"
    run("train", "-v", "off", "-c", model, "-a", "planar", "-hd", "many", "-l", "perceptron", folder / "train.conllu")
    run("trace", "-v", "off", "-c", model, "--html", folder / "trace.html", folder / "dev.conllu")
    run("trace", "-v", "off", "-c", model, "--sentences", 1, folder / "gold.conllu")
    assert "only in the file: " in capsys.readouterr().out
