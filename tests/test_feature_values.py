"""The values of features in configurations of every system: the kernel's against their definitions in plain Python."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest
from plain_features import NULL, PlainFeatures
from structure import is_tree

import malt
from malt.commands import malt as command
from malt.commands.parserwalk import ParserWalk
from malt.commands.trace import OracleWalk
from malt.data.formats.dataformat import find_format
from malt.data.sentence import Sentence, sentences_of
from malt.data.source import open_source
from malt.drawing.reports.steps import DerivationStep
from malt.features import Columns, default_features, parse_feature
from malt.settings import commandline
from malt.systems import ALGORITHMS
from malt.systems.configuration import Configuration
from malt.systems.language import Definition

FORMAT = find_format("conllx")
COLUMNS = Columns(FORMAT)
parsed = cache(parse_feature)  # one text stands in thousands of configurations
LABELS = [f"l{i}" for i in range(9)]  # in the order of their codes, since the first sentence has them all


def tree(n: int, dice: random.Random) -> list[int]:
    while not is_tree(heads := [dice.choice([0, *range(max(1, i - 5), min(n, i + 5) + 1)]) for i in range(1, n + 1)]):
        pass
    return heads


def treebank(seed: int) -> str:
    """Sentences with random words and trees; one is so long that not all words between two can be looked at."""
    dice = random.Random(seed)
    trees = [[*range(9)], *(tree(dice.randint(1, 11), dice) for _ in range(12)), [22, *[1] * 20, 0, *[22] * 18]]
    trees += [[3, 3, 0, 6, 6, 3, 6, 6, 3], [5, 5, 2, 2, 0, 8, 8, 5, 8, 8, 10]]
    lines = []
    for heads in trees:
        for i, head in enumerate(heads, 1):
            form, tag = "".join(dice.choices("abcd", k=dice.randint(1, 4))), dice.choice("NVAPDC")
            feats = "|".join(dice.sample(["c=1", "c=2", "n=1", "n=2", "g=1"], k=dice.randint(0, 3))) or "_"
            label = LABELS[i - 1] if len(lines) < 9 else dice.choice(LABELS)
            lines.append(f"{i}\t{form}\t{form[0]}\t{tag.lower()}\t{tag}\t{feats}\t{head}\t{label}\t_\t_\n")
        lines[-1] += "\n"
    return "".join(lines)


def expectations(
    definition: Definition, sentence: Sentence, steps: list[DerivationStep]
) -> list[tuple[str, str, list[str]]]:
    """Of each choice and feature: the value that was shown, and the symbols that it should have."""
    columns = ("FORM", "LEMMA", "CPOSTAG", "POSTAG", "FEATS")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*(sentence[name] for name in columns), strict=True)]
    c, seen = Configuration(definition, len(rows)), set[int]()
    found = []
    for step in steps:
        seen |= {node for stack in c.stacks for node in stack}
        plain = PlainFeatures(c, rows, seen)
        found += [(text, shown, plain.value(parsed(text))[0]) for text, shown in step.values]
        c.apply(step.text, force=True)
    return found


def shown_values(text: str, shown: str) -> list[str]:
    """The symbols of a value as they are shown; those of labels have a | without blanks."""
    several = COLUMNS.value(parsed(text)).multiple
    return sorted(shown.split(" | ")) if several else [shown]


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "4planar"])
def test_templates_mean_what_they_say(algorithm: str, tmp_path: Path) -> None:
    features, more = tmp_path / "f.xml", "<feature>Join(OutputColumn(DEPREL,{0}),{1},{1},Merge({1},{1}))</feature>"
    data = default_features(algorithm, "perceptron", FORMAT).data.decode()
    first = next(iter(malt.find_system(algorithm).structures))
    more = more.format(f"rdep({first}[0])", f"LabelSet(DEPREL,{first}[0],deps)")
    features.write_text(data.replace("</featuremodel>", f"{more}</featuremodel>"))
    settings, _ = commandline.read(["trace", "-a", algorithm, "-F", str(features), "--features"])
    walk = OracleWalk(settings)
    checked = set()
    with open_source(treebank(len(algorithm)), tables=walk.tables_of) as blocks:
        for block in blocks:
            for sentence in sentences_of(block):
                walked = walk.walk(block.only(sentence.index), sentence)
                assert walked is not None
                for text, shown, symbols in expectations(walk.definition, sentence, walked.steps):
                    assert shown_values(text, shown) == (symbols or ["-"]), text
                    checked |= {text} if set(symbols) - {NULL} else set()
    # No template looks for what a system never has.
    assert {str(feature) for feature in default_features(algorithm, "perceptron", FORMAT).model().main} <= checked


@pytest.mark.parametrize("algorithm", ["nivreeager", "stacklazy", "covnonproj", "2planar"])
def test_a_parser_sees_the_same(algorithm: str, tmp_path: Path) -> None:
    """In configurations that no oracle goes through, and with symbols that a model does not know."""
    features, train = tmp_path / "f.xml", tmp_path / "train.conll"
    features.write_bytes(default_features(algorithm, "perceptron", FORMAT).data)
    train.write_text(treebank(1))
    assert command(["train", "-a", algorithm, "-F", str(features), "-c", str(tmp_path / "m"), str(train)]) == 0
    model = malt.load(tmp_path / "m.mco")
    walk, unknown = ParserWalk(model, features=True), 0
    with open_source(treebank(2).replace("\tb", "\te"), tables=lambda _: model.tables) as blocks:
        for block in blocks:
            for sentence in sentences_of(block):
                for text, shown, symbols in expectations(
                    walk.definition, sentence, walk.walk(block.only(sentence.index), sentence).steps
                ):
                    table = COLUMNS.value(parsed(text)).table
                    assert table is not None
                    known = [s for s in symbols if table.name in FORMAT.names or model.tables[table.name].code(s) >= 0]
                    unknown += len(known) < len(symbols)
                    assert [s for s in shown_values(text, shown) if s not in ("-", "")] == known, text
    assert unknown > 100
