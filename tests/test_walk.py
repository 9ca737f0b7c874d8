"""The walk: the one loop over configurations, with its policies and observers."""

from __future__ import annotations

import numpy
import pytest

import malt
from malt.data.treebank import read_text
from malt.kernel.features import MissingValue
from malt.kernel.walk import CopyObserver, OraclePolicy, Record, ReplayPolicy, Walk
from malt.parsing.parser import Parser
from malt.parsing.trainer import Trainer
from malt.parsing.trees import gold_trees
from malt.settings.settings import Settings
from malt.systems import ALGORITHMS
from malt.systems.compiler import compile_system

HEADS = numpy.array([2, 0, 2, 3, 0], numpy.int32)
STARTS = numpy.array([0, 3, 3, 5], numpy.int32)  # the second sentence is empty


def integers(*numbers: int) -> numpy.typing.NDArray[numpy.int32]:
    return numpy.array(numbers, numpy.int32)


@pytest.fixture(scope="module", params=ALGORITHMS)
def trainer(request: pytest.FixtureRequest) -> Trainer:
    options = {"singlemalt.parsing_algorithm": request.param}
    trainer = Trainer(Settings(command_line=options))
    trainer.prepare(malt.read("".join(malt.sample.text(1)))[0].format)
    return trainer


def test_a_copy_is_the_whole_configuration(trainer: Trainer) -> None:
    machine = trainer.machine
    text = "".join(malt.sample.text(30)).encode()
    [block] = read_text(text, trainer.specification.format, "sample", machine.tables)
    oracle = machine.oracle()
    oracle.follow(*gold_trees(machine, block))
    heads, labels = machine.walk.run(oracle, block.starts)
    again, labels_again = machine.walk.run(oracle, block.starts, observer=CopyObserver())
    assert (again == heads).all()
    assert (labels_again == labels).all()
    assert (heads == block.heads).mean() > 0.9


def test_a_record_can_be_played_again(trainer: Trainer) -> None:
    machine = trainer.machine
    text = "".join(malt.sample.text(30)).encode()
    [block] = read_text(text, trainer.specification.format, "sample", machine.tables)
    heads, labels = gold_trees(machine, block)
    oracle, record = machine.oracle(), Record(machine.actions)
    oracle.follow(heads, labels)
    derived = machine.walk.run(oracle, block.starts, observer=record)
    choices, bounds, classes = record.choices_made()
    assert len(choices) == len(classes) == bounds[-1]
    replay, second = ReplayPolicy(choices, bounds), Record(machine.actions)
    replay.follow(heads, labels)
    again = machine.walk.run(replay, block.starts, observer=second)
    for one, two in zip((*derived, *record.derivations()), (*again, *second.derivations()), strict=True):
        assert (one == two).all()
    assert list(record.actions()) == list(second.actions())


def test_a_parser_without_a_guide_never_errs() -> None:
    trainer = Trainer(Settings(command_line={"singlemalt.parsing_algorithm": "2planar"}))
    text = "".join(malt.sample.text(20)).encode()
    [block] = read_text(text, (format := malt.read(text.decode())[0].format), "sample", trainer.prepare(format))
    parser = Parser(trainer.machine, recording=True)
    parsed = parser.parse(block)
    assert (numpy.maximum(parsed.heads, 0) == block.heads).all()
    names = trainer.specification.transitions
    first = next(parser.actions())
    assert {names[transition] for transition, _, _ in first} <= set(names)
    assert sum(len(actions) for actions in parser.actions()) > len(block.heads)


def test_sentences_without_words() -> None:
    system = compile_system(malt.find_system("nivreeager"))
    walk, oracle, record = Walk(system), OraclePolicy(system), Record()
    oracle.follow(integers(2, 0, 2, 2, 0))
    heads, labels = walk.run(oracle, STARTS, observer=record)
    assert heads.tolist() == [2, 0, 2, 2, 0]
    assert labels.shape == (5, 0)
    assert record.derivations()[2].tolist() == [0, 4, 4, 7]
    oracle.follow(integers())
    assert [array.tolist() for array in walk.run(oracle, integers(0))] == [[], []]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"values": numpy.zeros((4, 1), numpy.int32)}, "do not fit together"),
        ({"given": integers(0, 0)}, "do not fit together"),
        ({"input_heads": integers(0)}, "do not fit together"),
        ({"starts": integers()}, "do not fit together"),
        ({"starts": integers(0, 3, 2, 5)}, "do not fit together"),
        ({"starts": integers(1, 5)}, "do not fit together"),
        ({"starts": integers(0, 7)}, "do not fit together"),
    ],
)
def test_arrays_that_do_not_fit(arrays: dict[str, object], message: str) -> None:
    system = compile_system(malt.find_system("planar"))
    oracle = OraclePolicy(system)
    oracle.follow(integers(2, 0, 2, 2, 0))
    with pytest.raises(ValueError, match=message):
        Walk(system).run(oracle, **{"starts": STARTS, **arrays})  # type: ignore[arg-type]


def test_heads_that_are_no_nodes() -> None:
    system = compile_system(malt.find_system("planar"))
    oracle = OraclePolicy(system)
    for wrong in (4, -1):
        oracle.follow(integers(2, wrong, 2))
        with pytest.raises(ValueError, match="the head of word 1 of the block is no node of its sentence"):
            Walk(system).run(oracle, integers(0, 3))


def test_a_missing_value_is_told_with_its_place() -> None:
    fault = MissingValue(7, 2)
    assert (fault.word, fault.column) == (7, 2)
    assert str(fault) == "word 7 of the block has no value in column 2"


@pytest.mark.parametrize("name", ["2planar", "3planar"])
def test_words_that_are_their_own_heads(name: str) -> None:
    """They have no link that could cross another; nothing of one sentence is left over in the next."""
    oracle = malt.Oracle(malt.find_system(name))
    heads = integers(1, 3, 4, 4, 0, 2, 0, 1, 2, 2, 0)
    found = oracle.derive(heads, integers(0, 4, 7, 11))
    own = numpy.array([True, False, False, True, False, True, False, True, True, False, False])
    assert (found.heads[~own] == heads[~own]).all()


def test_given_arcs_that_run_in_a_circle() -> None:
    oracle = malt.Oracle(malt.find_system("stacklazy"))
    heads = integers(6, 5, 1, 3, 4, 0, 0)
    for given in (integers(4, 0, 0, 1, 0, 0, 0), integers(1, 0, 0, 0, 0, 0, 0)):
        assert len(oracle.derive(heads, integers(0, 7), given).heads) == 7
    with pytest.raises(ValueError, match="the head that is given to word 2 of the block is too large"):
        malt.Oracle(malt.find_system("covnonproj")).derive(integers(2, 0, 2), integers(0, 3), integers(2, 0, 99))
