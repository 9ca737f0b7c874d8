"""Rough trials: what they rule out is not tried, what is kept was tried exactly, and nothing depends on the order."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import Scorer, carried, rough_scorer, study_of

import malt
from malt.data.formats.dataformat import find_format
from malt.errors import DataError
from malt.features.defaults import default_features
from malt.features.model import MAIN
from malt.kernel.instances import Instances
from malt.kernel.solver import DualVariables, Random, crammer_singer
from malt.learning.trials import NotWanted
from malt.optimizer import Outcome, Study, Trial, find_plan
from malt.optimizer.plan.reader import parse_plan, plan_names
from malt.optimizer.trial.corpus import Corpus
from malt.optimizer.trial.setup import PASSES, Lineage, Setup, starts_from
from malt.optimizer.trial.workbench import Workbench

PLAN = parse_plan(
    b"""
like: default
screen: 0.3
phase1: []
phase2:
  - try: stackproj
  - {for: nivreeager, try: {nivre.allow_root: false}}
phase3:
  - {window: POSTAG, of: [S, B], templates: trigrams}
  - {remove: {merged: DEPREL}}
  - {add: ["InputColumn(LEMMA,{left})", "InputColumn(LEMMA,{right})", "InputColumn(CPOSTAG,{left})"], stop: false}
  - {add: "Merge(InputColumn(POSTAG,{x}),InputColumn(FORM,{x}))", each: "InputColumn(FORM,{x})", stop: false}
  - try: {lib.options: -s_4_-c_0.2}
    then: [{try: {lib.options: -s_4_-c_0.4}}]
    else: [{try: {lib.options: -s_4_-c_0.05}}]
""",
    "screened.yaml",
)


def rough_study(folds: int = 3) -> Study:
    return study_of(PLAN, folds, rough=True)


def summary(study: Study) -> object:
    return [replace(attempt) for attempt in study.attempts], study.results, study.best, study.taken


# -- the search


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("folds", [1, 3])
def test_what_is_kept_was_tried_exactly(seed: int, folds: int) -> None:
    study = rough_study(folds)
    asked = carried(study, rough_scorer(seed))
    ruled_out = [attempt for attempt in study.attempts if attempt.verdict.rough]
    assert ruled_out
    assert any(trial.rough for trial in asked)
    for attempt in study.attempts:
        if attempt.kept:
            assert study.measured(attempt.setup), "a step was kept that has no exact outcome"
            assert not attempt.verdict.rough
    for attempt in ruled_out:
        assert not attempt.kept
        assert attempt.verdict.p is not None
    assert all(not outcome.rough for known in study.outcomes.values() for outcome in known.values())
    assert all(outcome.rough for known in study.roughs.values() for outcome in known.values())
    # What is tried exactly was either promising, or not one that can be tried roughly.
    exact = [trial for trial in asked if not trial.rough]
    assert len({trial.place for trial in asked}) == len(asked)
    assert len(exact) < len(asked)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("at_a_time", [2, 3, 8, 1000])
def test_the_number_of_trials_at_a_time_changes_nothing(seed: int, at_a_time: int) -> None:
    score, expected = rough_scorer(seed), rough_study()
    few = carried(expected, score)
    for order in (None, random.Random(at_a_time), random.Random(-at_a_time)):
        study = rough_study()
        asked = carried(study, score, at_a_time, order)
        assert summary(study) == summary(expected)
        places = [trial.place for trial in asked]
        assert len(set(places)) == len(places), "asked for twice"
        assert {trial.place for trial in few} <= set(places)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 3), st.integers(0, 1 << 30), st.data())
def test_kills_change_nothing(seed: int, at_a_time: int, folds: int, dice: int, data: st.DataObject) -> None:
    """Killed at any moment, with trials that were given up or not, a study comes to the same end."""
    score, whole, chance = rough_scorer(seed), rough_study(folds), random.Random(dice)
    done = carried(whole, score)
    lost, told, running = rough_study(folds), list[Trial](), list[Trial]()
    for _ in range(data.draw(st.integers(0, len(done)))):
        running += lost.ask(at_a_time - len(running))
        running = [trial for trial in running if chance.random() < 0.5 or lost.wants(trial)]
        if not running:
            continue
        told.append(running.pop(chance.randrange(len(running))))
        lost.tell(told[-1], score(told[-1]))
    again = rough_study(folds)
    again.replay([(trial.setup, trial.fold, score(trial)) for trial in told])
    later = carried(again, score, at_a_time, chance)
    assert summary(again) == summary(whole)
    assert not {trial.place for trial in told} & {trial.place for trial in later}


def scored(exact: dict[str, float], rough: dict[str, float]) -> Scorer:
    """Scores of features: by what is added to a score of 80 where they are there."""

    def score(trial: Trial) -> Outcome:
        gains = rough if trial.rough else exact
        found = 80 + sum(gain for feature, gain in gains.items() if feature in trial.setup.features)
        return Outcome((round(100 * found),), (10_000,), rough=trial.rough)

    return score


def test_both_kinds_of_trials_decide() -> None:
    plan = parse_plan(
        b"""
like: default
screen: 0.3
phase1: []
phase2: []
phase3: [{add: ["InputColumn(LEMMA,{left})", "InputColumn(LEMMA,{right})", "InputColumn(CPOSTAG,{left})"], stop: false}]
""",
        "p.yaml",
    )
    left, right, coarse = "InputColumn(LEMMA,Stack[0])", "InputColumn(LEMMA,Input[0])", "InputColumn(CPOSTAG,Stack[0])"
    study = study_of(plan, 1, rough=True)
    asked = carried(study, scored({left: 1, right: 1, coarse: 0.01}, {left: 0.9, right: 0.03, coarse: 1}))
    first, *attempts = study.attempts
    assert [(attempt.kept, attempt.verdict.rough) for attempt in attempts] == [
        (True, False),
        (False, True),
        (False, False),
    ]
    # Beside the exact score of what was kept, as that is known: 80.93 and 81, not 80.93 and 80.9.
    assert [attempt.gain for attempt in attempts] == [1.0, -0.07, 0.01]
    assert study.best.score == 81
    kinds = [(bool(trial.rough), trial.setup.features[-1]) for trial in asked[1:]]
    assert kinds == [(True, left), (False, left), (True, right), (True, coarse), (False, coarse)]
    # What follows starts from where a rough trial of what was kept has come to.
    before = asked[3].lineage and asked[3].lineage.before
    assert before == asked[1].lineage
    assert before is not None
    assert before.before == Lineage(first.setup)
    # Without rough trials all of it is tried, and so it is by plans that do not have any.
    for other in (study_of(plan, 1), study_of(replace(plan, screen=None), 1, rough=True)):
        assert not any(trial.rough for trial in carried(other, scored({left: 1}, {})))


def test_what_is_promised_is_assumed() -> None:
    """While an exact trial runs, others start from what is promised; they are given up if that does not come true."""
    plan = parse_plan(
        b"""
like: default
phase1: []
phase2: []
phase3: [{add: ["InputColumn(LEMMA,{left})", "InputColumn(LEMMA,{right})"], stop: false}]
""",
        "p.yaml",
    )
    left = "InputColumn(LEMMA,Stack[0])"
    score = scored({left: -1}, {left: 1})
    study = study_of(plan, 1, rough=True)
    [begin] = study.ask(2)
    study.tell(begin, score(begin))
    one, meanwhile = study.ask(2)
    assert left in one.setup.features
    assert left not in meanwhile.setup.features, "it is assumed that a rough trial rules its change out"
    study.tell(one, score(one))
    assert not study.wants(meanwhile)
    exact, following = study.ask(2)
    assert (exact.setup, exact.lineage) == (one.setup, None)
    assert following.lineage is not None
    assert following.lineage.before == one.lineage
    study.tell(exact, score(exact))
    assert not study.wants(following)
    carried(study, score)
    assert [attempt.kept for attempt in study.attempts] == [True, False, False]


@pytest.mark.parametrize("at_a_time", [1, 5])
def test_the_best_so_far_is_not_tried_again(at_a_time: int) -> None:
    """Its exact score is known, whatever a rough look at it would say."""
    plan = parse_plan(
        b"""
like: default
screen: 0.3
phase1: [{add: "InputColumn(LEMMA,{left})"}]
phase2: [{try: {nivre.allow_root: true}}, {try: stackproj}]
phase3: [{try: {lib.options: -s_4_-c_0.2}}]
""",
        "p.yaml",
    )
    score = rough_scorer(4)
    study = study_of(plan, 3, rough=True)
    asked = carried(study, score, at_a_time)
    added, same, *_ = study.attempts[1:]
    best = added if added.kept else study.attempts[0]
    assert (same.setup, same.gain, same.kept) == (best.setup, 0.0, False)
    assert (same.verdict.score, same.verdict.folds) == (best.verdict.score, 3)
    assert not same.verdict.rough
    assert not same.verdict.hopeless
    assert not [trial for trial in asked if trial.rough and trial.setup == study.attempts[0].setup]


def test_rough_trials_that_fail_decide_nothing() -> None:
    score = rough_scorer(1)

    def failing(trial: Trial) -> Outcome:
        return Outcome(error="no memory", rough=trial.rough) if trial.rough else score(trial)

    study, exact = rough_study(), study_of(PLAN)
    carried(study, failing, 3)
    carried(exact, score)
    assert summary(study) == summary(exact)


def test_time() -> None:
    study, score = rough_study(1), rough_scorer(2)
    for _ in range(12):
        for trial in study.ask(2):
            study.tell(trial, score(trial))
    study.close()
    study.look()
    assert study.done
    assert not study.ask(2)
    assert all(study.measured(attempt.setup) for attempt in study.attempts if attempt.kept)


def test_plans() -> None:
    screened = ("default", "thorough", "best", "blend")
    assert [name for name in plan_names() if find_plan(name).screen is not None] == sorted(
        screened, key=lambda name: plan_names().index(name)
    )
    assert parse_plan(b"like: default\nscreen: none", "p.yaml").screen is None
    for wrong in (b"-1", b"1.5", b"some", b"[1]"):
        with pytest.raises(DataError, match=r"p\.yaml, line 2: "):
            parse_plan(b"like: default\nscreen: " + wrong, "p.yaml")


def test_what_can_start_from_what() -> None:
    one = Setup.of({"lib.options": "-s_4_-c_0.1"}, ["InputColumn(FORM,Stack[0])"])
    assert starts_from(one.with_features([]), one)
    assert starts_from(one.having({"lib.options": "-s_4_-c_0.2"}), one)
    for options in (
        {"lib.options": "-s_2"},
        {"guide.learner": "libsvm", "lib.options": None},
        {"guide.learner": "perceptron", "lib.options": None},
        {"nivre.allow_root": "false"},
        {"pproj.marking_strategy": "head"},
    ):
        other = one.having(options)
        assert not starts_from(other, one)
        assert not starts_from(one, other)


# -- the trials

CORPUS = Corpus.read("".join(malt.sample.text(60, nonprojective=0.4, seed=3)))
FEATURES = [one.text for one in default_features("nivreeager", "liblinear", find_format("conllx")).submodels[MAIN]]
FIRST = Setup.of({"lib.options": "-s_4_-c_0.1"}, FEATURES)
SECOND = FIRST.with_features(
    [*FEATURES, "Split(InputColumn(FEATS,Stack[0]),\\|)", "Suffix(InputColumn(FORM,Input[0]),2)"]
)
THIRD = SECOND.with_features([feature for feature in SECOND.features if feature != "InputColumn(FORM,Stack[0])"])
FOURTH = THIRD.having({"lib.options": "-s_4_-c_0.4"})


def lineage_of(*setups: Setup) -> Lineage:
    found = Lineage(setups[0])
    for setup in setups[1:]:
        found = Lineage(setup, found)
    return found


TRIALS = [
    Trial(chain[-1], fold, lineage_of(*chain))
    for chain in ([FIRST, SECOND], [FIRST, SECOND, THIRD], [FIRST, SECOND, THIRD, FOURTH], [FIRST, THIRD])
    for fold in (0, 1)
]


def test_a_rough_outcome_depends_on_its_lineage_alone() -> None:
    """Whether what it starts from is known, was forgotten or is in another process."""
    folds = CORPUS.folds(2)
    one_by_one = [Workbench(folds, "conllx").attempt(trial)[1] for trial in TRIALS]
    assert [outcome.rough for outcome in one_by_one] == [trial.rough for trial in TRIALS]
    assert not any(outcome.error for outcome in one_by_one)
    for memory in (1 << 30, 100_000, 0):
        bench = pickle.loads(pickle.dumps(Workbench(folds, "conllx", memory=memory)))
        bench.run(FIRST, 0)
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda trial, bench=bench: bench.attempt(trial)[1], TRIALS))
        assert [outcome.right for outcome in found] == [outcome.right for outcome in one_by_one]
        assert bench._cache.used <= memory


def test_exact_outcomes_do_not_depend_on_rough_ones() -> None:
    folds = CORPUS.folds(2)
    bench = Workbench(folds, "conllx")
    for trial in TRIALS:
        bench.attempt(trial)
    for setup in (FIRST, SECOND, THIRD, FOURTH):
        outcome = bench.run(setup, 0)
        assert outcome.right == Workbench(folds, "conllx").run(setup, 0).right
        assert not outcome.rough


def test_what_a_rough_trial_starts_from_is_kept() -> None:
    bench = Workbench(CORPUS.folds(2), "conllx")
    bench.run(FIRST, 0)
    asked: list[int] = []

    def wanted() -> bool:
        asked.append(1)
        return True

    bench.attempt(TRIALS[0], wanted)
    few = len(asked)
    assert few == PASSES, "the first setup was trained again"
    bench.attempt(TRIALS[2], wanted)
    assert len(asked) == 2 * few
    with pytest.raises(NotWanted):
        bench.attempt(TRIALS[4], lambda: False)
    assert bench.attempt(TRIALS[4])[1].right == Workbench(CORPUS.folds(2), "conllx").attempt(TRIALS[4])[1].right


def test_what_cannot_be_learned_roughly() -> None:
    bench = Workbench([CORPUS.split()], "conllx")
    parts = FIRST.with_features([*FEATURES, "Between(POSTAG,Stack[0],Input[0])"])
    assert "cannot be learned roughly" in bench.run(parts, 0, lineage=lineage_of(FIRST, parts)).error
    assert not bench.run(parts, 0).error


# -- the solver


def generated(classes: int, features: int, count: int, seed: int, less: int = 0) -> Instances:
    """Instances whose features are rows, without those from `features - less` on."""
    dice, instances = random.Random(seed), Instances()
    for _ in range(count):
        code = dice.randrange(classes)
        rows = {dice.randrange(features) for _ in range(4)} | {code % features, (7 * code) % features}
        instances.add(code + 3, sorted(row for row in rows if row < features - less))
    return instances


def weights_of(*arguments: object, features: int, **more: object) -> numpy.typing.NDArray[numpy.float64]:
    codes, starts, places, weights = crammer_singer(*arguments, **more)  # type: ignore[arg-type]
    found = numpy.zeros((features, len(codes)))
    found[numpy.repeat(numpy.arange(features), numpy.diff(starts)), places] = weights
    return found


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([3, 9, 40, 70]), st.sampled_from([10, 60]), st.integers(0, 99), st.sampled_from([0.05, 0.1, 0.4])
)
def test_from_wherever_it_starts_the_optimum_is_the_same(classes: int, features: int, seed: int, cost: float) -> None:
    fewer, all_of_them = generated(classes, features, 150, seed, 4), generated(classes, features, 150, seed)
    left, same = DualVariables(), DualVariables()
    crammer_singer(fewer, features, 0.1, 0.1, Random(), None, None, left)
    expected = weights_of(all_of_them, features, cost, 1e-7, Random(), features=features)
    found = weights_of(all_of_them, features, cost, 1e-7, Random(), None, left, same, features=features)
    assert numpy.allclose(found, expected, atol=1e-4)
    for _ in range(30):  # roughly, again and again
        many = weights_of(all_of_them, features, cost, 0.1, Random(), None, left, left, 40, features=features)
    assert numpy.allclose(many, expected, atol=2e-3)
    # At the optimum there is nothing to do, and weights are the sums of the dual variables.
    again = weights_of(all_of_them, features, cost, 0.1, Random(), None, same, None, 4, features=features)
    assert numpy.allclose(again, expected, atol=1e-4)
    assert 0 < same.size < 1 << 20


def test_other_classes_are_refused() -> None:
    left = DualVariables()
    crammer_singer(generated(3, 10, 50, 1), 10, 0.1, 0.1, Random(), None, None, left)
    for start in (left, DualVariables()):
        with pytest.raises(ValueError, match="other classes"):
            crammer_singer(generated(3, 10, 50, 2), 10, 0.1, 0.1, Random(), None, start)


def test_leaving_dual_variables_changes_no_bit() -> None:
    instances = generated(9, 60, 200, 5)
    plain, kept = (
        crammer_singer(instances, 60, 0.1, 0.1, Random(), None, None, left) for left in (None, DualVariables())
    )
    assert all(numpy.array_equal(a, b) for a, b in zip(plain, kept, strict=True))
