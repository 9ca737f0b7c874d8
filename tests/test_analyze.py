"""`malt analyze`: what treebanks are like, against exact counts and the papers' own tables."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from malt.commands import malt
from malt.commands.analyze import profile, table
from malt.trees.profile import Profile, total

Heads = list[int | None]

# Of each tree the heads; the labels are made up from them.
TREES: list[Heads] = [[2, 0, 2], [0, 4, 1, 1], [0, 5, 6, 1, 1, 1], [0, 0, 1, 2], [3, 0, 2]]
CYCLE: Heads = [2, 1, 0]
BLIND: Heads = [None, None]
HALF: Heads = [0, None]


def conllx(trees: list[Heads]) -> str:
    """Sentences in CoNLL-X."""
    sentences = []
    for heads in trees:
        rows = [
            [str(word), f"w{word}", "_", "A" if head else "V", "X", "_", *_arc(head), "_", "_"]
            for word, head in enumerate(heads, 1)
        ]
        sentences.append("".join("\t".join(row) + "\n" for row in rows))
    return "\n".join(sentences) + "\n"


def _arc(head: int | None) -> list[str]:
    return ["_", "_"] if head is None else [str(head), f"to{head}" if head else "ROOT"]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A file of five trees, each of another kind."""
    path = tmp_path / "five.conll"
    path.write_text(conllx(TREES))
    return path


def test_counts(sample: Path) -> None:
    found = profile(str(sample)).as_json()
    assert found["sentences"] == found["trees"] == 5
    assert (found["tokens"], found["longest"], found["tokens_mean"]) == (20, 6, 4.0)
    assert (found["nonproj"], found["nonplanar"], found["nonplanar_root"], found["not2planar"]) == (4, 3, 4, 1)
    assert found["planarity"] == {"1": 2, "2": 2, "3": 1}
    assert found["gap_degree"] == {"0": 1, "1": 4}
    assert (found["ill_nested"], found["ill_nested_strict"], found["multi_root"]) == (1 + 1, 1, 1)
    assert (found["well_nested_nonproj"], found["ill_nested_mildly"], found["ill_nested_strongly"]) == (2, 2, 0)
    assert found["mildness"] == {"1": 2}
    assert found["covered_roots"] == found["trees_with_covered_root"] == 2
    assert (found["word_arcs"], found["left_arcs"]) == (14, 5)
    assert found["arc_lengths"] == {"1": 3, "2": 5, "3-6": 6, "7+": 0}
    assert found["vocabulary"] == {"FORM": 6, "LEMMA": 0, "CPOSTAG": 2, "POSTAG": 1, "FEATS": 0}
    assert found["root_labels"] == {"ROOT": 6}
    assert found["deprels"] == 7


def test_sentences_that_are_no_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.conll"
    path.write_text(conllx([[2, 0, 2], CYCLE, BLIND, HALF]))
    assert malt(["analyze", "--json", str(path)]) == 0
    output = capsys.readouterr()
    found = json.loads(output.out)[str(path)]
    assert (found["sentences"], found["trees"], found["bad"], found["blind"]) == (4, 1, 2, 1)
    assert found["bad_reasons"] == {"no head": 1, "cycle": 1}
    assert (found["tokens"], found["word_arcs"]) == (10, 2)
    assert found["root_labels"] == {"ROOT": 1}
    assert "line 5: the heads run in a circle; sentences that are no trees: 2" in output.err


def test_several_files_have_a_total(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.conll"
    other.write_text(conllx([[2, 0, 2], [2, 3, 4, 0]]))
    assert malt(["analyze", "--json", str(sample), str(other)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [str(sample), str(other), "total"]
    assert found["total"]["trees"] == 7
    assert found["total"]["vocabulary"]["FORM"] == 6  # not 6 + 4
    assert malt(["analyze", str(sample), str(other)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["five.conll", "other.conll", "total"]
    assert next(line for line in lines if "not projective" in line).split()[2:] == [
        "4",
        "80.00",
        "%",
        "0",
        "4",
        "57.14",
        "%",
    ]


def test_unrelated_treebanks_have_no_total(sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.conll"
    other.write_text(sample.read_text().replace("\tto", "\tSS").replace("ROOT", "RR"))
    assert malt(["analyze", "--json", str(sample), str(other)]) == 0
    assert list(json.loads(capsys.readouterr().out)) == [str(sample), str(other)]


def test_a_file_called_total(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("total", "two"):
        Path(name).write_text(conllx(TREES[:2]))
    assert malt(["analyze", "--json", "total", "two"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {name: counts["trees"] for name, counts in found.items()} == {"total": 2, "two": 2, "total of all": 4}


def test_a_name_stands_above_its_numbers() -> None:
    found = Profile("a", "conllx")
    found.measure([2, 0, 2, 0, 4, 1, 1], [0, 3, 7])
    lines = list(table([found]))
    row = next(line for line in lines if line.startswith("  not projective"))
    assert lines[0].index("a") == row.index(" 1 ") + 1


def test_a_total_is_what_one_file_of_all_would_be(sample: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.conll"
    both.write_text(sample.read_text() + "\n" + conllx([CYCLE, [0, 1, 2, 3, 4, 5, 6, 7, 8]]))
    other = tmp_path / "other.conll"
    other.write_text(conllx([CYCLE, [0, 1, 2, 3, 4, 5, 6, 7, 8]]))
    assert total([profile(str(sample)), profile(str(other))]).as_json() == profile(str(both)).as_json()


def test_table_fits_the_terminal(sample: Path) -> None:
    profiles = [profile(str(sample)) for _ in range(6)]
    for place, one in enumerate(profiles):
        one.name = f"folder/{place}.conll"
    lines = "\n".join(table(profiles, width=80)).splitlines()
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("sentences") for line in lines) == 2


def test_bounds_are_said_as_such() -> None:
    found = Profile("hard")
    found.planarity[3, 5] += 1
    found.planarity[2, 2] += 1
    found.states["tree"] += 2
    assert (found.not_planar(2), found.not_planar(3), found.undecided(), found.exact()) == (1, 0, {"3-5": 1}, {2: 1})
    assert any("3-5, not settled" in line for line in table([found]))


def test_nothing_to_analyze(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "empty.conll"
    path.write_text("")
    assert malt(["analyze", str(path)]) == 0
    assert "no sentences were found" in capsys.readouterr().err
    assert malt(["analyze", str(path), str(path)]) == 2
    assert malt(["analyze", str(tmp_path / "none.conll")]) == 1


# -- real treebanks


def test_real_treebanks(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every count that was recorded, of every file."""
    expected = json.loads((shared / "data" / "analysis.json").read_text())
    files = [str(shared / "data" / name) for name in expected]
    assert malt(["analyze", "--json", *files]) == 0
    found = json.loads(capsys.readouterr().out)
    for file, counts in zip(files, expected.values(), strict=True):
        assert {name: found[file][name] for name in counts} == counts, file
        assert not found[file]["planarity_bounds"]
        assert not found[file]["planarity_root_bounds"]


def test_danish_as_in_table_1_of_acl_2010(shared: Path) -> None:
    """Trees, non-projective, not planar, not 2-planar, not 3-planar, not 4-planar, ill-nested."""
    danish = total(profile(str(shared / "data" / "danish" / name)) for name in ("train.conll", "test.conll")).as_json()
    names = ("trees", "nonproj", "nonplanar", "not2planar", "not3planar", "not4planar", "ill_nested")
    assert [danish[name] for name in names] == [5512, 853, 827, 1, 1, 0, 6]


def test_danish_has_no_strongly_ill_nested_tree(shared: Path) -> None:
    danish = profile(str(shared / "data" / "danish" / "train.conll")).as_json()
    assert [danish[name] for name in ("ill_nested", "ill_nested_mildly", "ill_nested_strongly")] == [6, 6, 0]


def test_swedish_as_in_table_1_of_eacl_2009(shared: Path) -> None:
    """Trees, non-projective; by gap degree 1, 2, 3 and more; of the non-projective, well-nested and ill-nested."""
    swedish = profile(str(shared / "data" / "swedish" / "train.conll"))
    gaps = swedish.gap_degree
    nonprojective, ill_nested = swedish.counts["nonproj"], swedish.counts["ill_nested"]
    assert (swedish.trees, nonprojective) == (11042, 1079)
    assert [gaps[1], gaps[2], gaps[3], sum(n for degree, n in gaps.items() if degree > 3)] == [1048, 19, 7, 5]
    found = swedish.as_json()
    assert (found["well_nested_nonproj"], ill_nested) == (1008, 71)
    assert (found["ill_nested_mildly"], found["ill_nested_strongly"]) == (71, 0)


def test_strongly_ill_nested_trees_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "strong.conll"
    path.write_text(conllx([[0, 0, 0, 1, 0, 2, 0, 3, 5, 7], [0, 1, 1, 2, 3], [2, 0, 2]]))
    found = profile(str(path)).as_json()
    assert (found["ill_nested"], found["ill_nested_mildly"], found["ill_nested_strongly"]) == (2, 1, 1)
    assert found["mildness"] == {"1": 1, "2": 1}
    assert malt(["analyze", str(path)]) == 0
    rows = {
        " ".join(line.split()[:-2]): line.split()[-3] for line in capsys.readouterr().out.splitlines() if "%" in line
    }
    assert [rows[name] for name in ("mildly 1", "strongly 1", "ill-nested 2")] == ["1", "1", "2"]


def test_a_format_of_many_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = "".join(f'<column name="C{i}" category="INPUT" type="STRING"/>' for i in range(12_000))
    heads = '<column name="HEAD" category="HEAD" type="INTEGER"/>'
    labels = '<column name="DEPREL" category="DEPENDENCY_EDGE_LABEL" type="STRING"/>'
    (tmp_path / "wide.xml").write_text(f'<dataformat name="wide">{heads}{labels}{columns}</dataformat>')
    line = "0\tROOT" + "\tx" * 12_000 + "\n\n"
    (tmp_path / "wide.txt").write_text(line * 20)
    begin = time.process_time()
    assert malt(["analyze", "-if", str(tmp_path / "wide.xml"), str(tmp_path / "wide.txt")]) == 0
    assert time.process_time() - begin < 5  # each column was looked for among all
    assert "\n  C11999 " in capsys.readouterr().out
