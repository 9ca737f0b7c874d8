"""Ask and tell: what comes out depends on the outcomes alone, and nothing is asked for twice."""

from __future__ import annotations

import random
import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import SENTENCES, WORDS, Scorer, carried, even, facts_of, scorer, study_of

from malt.errors import MaltError, UsageError
from malt.optimizer import Outcome, Study, Trial, find_plan
from malt.optimizer.plan.reader import parse_plan, plan_names
from malt.optimizer.search.comparison import CHANCE, is_hopeless, paired_test
from malt.optimizer.search.estimate import Luck, expect, luck_of
from malt.optimizer.trial.attempt import leading
from malt.optimizer.trial.setup import ALGORITHM, Setup

SMALL = b"""
like: default
phase1: []
phase2:
  - name: trees
    tree: t
    steps: [{try: stackproj, then: [{try: nivrestandard}], else: [{try: planar}]}, {try: covproj}]
  - {for: nivrestandard, try: {nivre.allow_root: false}}
phase3:
  - {window: POSTAG, of: [S, B], templates: trigrams}
  - {remove: {merged: DEPREL}}
  - {add: ["InputColumn(LEMMA,{left})", "InputColumn(LEMMA,{right})"], stop: false}
  - {try: {lib.options: -s_4_-c_0.2}}
"""
PLAN = parse_plan(SMALL, "small.yaml")


def summary(study: Study) -> object:
    """All that was decided, and why."""
    return [replace(attempt) for attempt in study.attempts], study.results, study.best, study.taken


@pytest.fixture(scope="module", params=range(3))
def alone(request: pytest.FixtureRequest) -> tuple[Scorer, Study, list[Trial]]:
    score = scorer(request.param)
    study = study_of(PLAN)
    return score, study, carried(study, score)


@pytest.mark.parametrize("at_a_time", [2, 3, 8, 1000])
def test_the_number_of_trials_at_a_time_changes_nothing(
    alone: tuple[Scorer, Study, list[Trial]], at_a_time: int
) -> None:
    score, expected, few = alone
    for order in (None, random.Random(at_a_time), random.Random(-at_a_time)):
        study = study_of(PLAN)
        asked = carried(study, score, at_a_time, order)
        assert summary(study) == summary(expected)
        keys = [(trial.setup.key, trial.fold) for trial in asked]
        assert len(set(keys)) == len(keys), "asked for twice"
        assert {(trial.setup.key, trial.fold) for trial in few} <= set(keys)


@pytest.mark.slow
@pytest.mark.parametrize("name", plan_names())
def test_every_plan(name: str) -> None:
    score, plan, facts = scorer(7), find_plan(name), facts_of(columns="LEMMA")
    one, many = study_of(plan, 2, facts), study_of(plan, 2, facts)
    trials = carried(one, score)
    carried(many, score, 5, random.Random(1))
    assert summary(one) == summary(many)
    assert len({(trial.setup.key, trial.fold) for trial in trials}) == len(trials)
    assert one.results[-1].setup == one.best.setup
    assert [phase.name for phase in one.results] == ["phase1", "phase2", "phase3"]


@settings(max_examples=12)
@given(st.integers(0, 1000), st.integers(1, 6), st.integers(0, 1 << 30), st.data())
def test_replays(seed: int, at_a_time: int, dice: int, data: st.DataObject) -> None:
    """A run that was killed at any moment and goes on comes to the same end, and asks for nothing that is known."""
    score, whole = scorer(seed), study_of(PLAN, 2)
    done = carried(whole, score)
    lost = study_of(PLAN, 2)
    told: list[Trial] = []
    running: list[Trial] = []
    for _ in range(data.draw(st.integers(0, len(done)))):
        running += lost.ask(at_a_time - len(running))
        if not running:
            break
        told.append(running.pop(random.Random(dice).randrange(len(running))))
        lost.tell(told[-1], score(told[-1]))
    again = study_of(PLAN, 2)
    again.replay([(trial.setup, trial.fold, score(trial)) for trial in told])
    later = carried(again, score, at_a_time, random.Random(dice))
    assert summary(again) == summary(whole)
    assert not set(told) & set(later)


@pytest.mark.parametrize("at_a_time", [2, 5])
def test_trials_that_nothing_depends_on_are_given_up(alone: tuple[Scorer, Study, list[Trial]], at_a_time: int) -> None:
    score, expected, few = alone
    study, dice = study_of(PLAN), random.Random(at_a_time)
    running: list[Trial] = []
    told: list[Trial] = []
    given_up: list[Trial] = []
    while True:
        running += study.ask(at_a_time - len(running))
        if not running:
            break
        told.append(running.pop(dice.randrange(len(running))))
        study.tell(told[-1], score(told[-1]))
        given_up += [trial for trial in running if not study.wants(trial)]
        running = [trial for trial in running if study.wants(trial)]
    assert study.done
    assert summary(study) == summary(expected)
    assert given_up
    assert not set(given_up) & set(few)
    assert len(set(told)) == len(told)
    assert set(few) <= set(told)
    assert not study.running


def test_threads() -> None:
    score, expected = scorer(11), study_of(PLAN)
    carried(expected, score)
    study, seen = study_of(PLAN), []

    def work() -> None:
        while not study.done:
            for trial in study.ask():
                seen.append(trial)
                study.tell(trial, score(trial))
            study.look()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert summary(study) == summary(expected)
    assert len(set(seen)) == len(seen)


def test_hopeless_trials_are_stopped() -> None:
    """The verdict after the first fold is the same if the others were run meanwhile, and even if these are good."""

    def score(trial: Trial) -> Outcome:
        bad = trial.setup.algorithm == "stackproj" and trial.fold == 0
        return Outcome(tuple(10 - bad * (i % 3) for i in range(40)), (12,) * 40)

    few, many = study_of(PLAN), study_of(PLAN)
    asked = carried(few, score)
    assert len(carried(many, score, 100)) > len(asked)
    assert summary(few) == summary(many)
    verdict = next(attempt.verdict for attempt in few.attempts if attempt.name == "stackproj")
    assert (verdict.hopeless, verdict.folds, verdict.p is not None and verdict.p < 0.01) == (True, 1, True)
    tried = {trial.fold for trial in asked if trial.setup.algorithm == "stackproj"}
    assert tried == {0}


def test_a_hopeless_trial_is_never_kept() -> None:
    """Long sentences in the first fold: by words it would win, by sentences it has no chance."""
    plan = parse_plan(
        b"like: default\nrules: {option: '> 20'}\nphase1: []\nphase2: [{try: stackproj}]\nphase3: []", "p"
    )

    def score(trial: Trial) -> Outcome:
        better = trial.setup.algorithm == "stackproj"
        sizes = (4, 4) if trial.fold == 0 else (400, 400)
        return Outcome(tuple(size // 4 + (better and size == 4) for size in sizes), sizes)

    study = study_of(plan, 2)
    carried(study, score)
    [_, attempt] = study.attempts
    assert attempt.verdict.hopeless
    assert attempt.gain > 20
    assert not attempt.kept


@pytest.mark.parametrize(
    ("rule", "before", "after", "kept"),
    [
        ("> 0", 80.0, 80.0, False),
        ("> 0", 80.0, 80.01, True),
        (">= 0", 80.0, 80.0, True),
        (">= 0", 80.0, 79.99, False),
        ("> 0.05", 80.0, 80.04, False),
        ("> 0.05", 80.0, 80.06, True),
        ("> 0.05", 82.34, 82.39, False),  # MaltOptimizer's run on WSJ00
        ("> 0.05", 80.00, 80.05, False),
        ("> 0.05", 60.01, 60.06, True),  # in binary numbers, as MaltOptimizer adds them
    ],
)
def test_margins(rule: str, before: float, after: float, kept: bool) -> None:
    text = f"like: default\nrules: {{option: '{rule}'}}\nphase1: []\nphase2: [{{try: stackproj}}]\nphase3: []\n"
    study = study_of(parse_plan(text.encode(), "p.yaml"), 2)
    carried(study, even(lambda one: after if one.algorithm == "stackproj" else before))
    assert [attempt.kept for attempt in study.attempts] == [True, kept]
    assert study.best.score == (after if kept else before)
    assert f"2 decisions, best {study.best.score:.2f}, done" in repr(study)


def test_a_gain_of_exactly_the_margin() -> None:
    """Kept for 29 % of the scores, as the specification says (section 2)."""
    margin = PLAN.margins["add"]
    kept = sum(margin.keeps(round(base / 100 + 0.05, 2), base / 100) for base in range(3000, 9990))
    assert (kept, margin.strict, margin.points) == (1997, True, 0.05)


def test_failures_are_recorded_and_the_search_goes_on() -> None:
    def score(trial: Trial) -> Outcome:
        if trial.setup.algorithm == "stackproj" and trial.fold == 1:
            return Outcome(error="it broke")
        return Outcome((8,) * 30, (10,) * 30)

    for at_a_time in (1, 9):
        study = study_of(PLAN)
        carried(study, score, at_a_time)
        [attempt] = [one for one in study.attempts if one.name == "stackproj"]
        assert (attempt.verdict.error, attempt.verdict.score, attempt.verdict.folds) == ("it broke", 0.0, 2)
        assert not attempt.kept
        assert any(one.name == "planar" for one in study.attempts), "the other branch"
        assert study.best.setup.algorithm == "nivreeager"


def test_the_first_one_fails() -> None:
    study = study_of(PLAN)
    carried(
        study,
        lambda trial: Outcome(error="never") if trial.setup.algorithm == "nivreeager" else Outcome((1,), (2,)),
    )
    assert study.attempts[0].verdict.error == "never"


def test_closed() -> None:
    score, study = scorer(3), study_of(PLAN)
    for _ in range(12):
        for trial in study.ask():
            study.tell(trial, score(trial))
    best, known = study.best, len(study.attempts)
    study.close()
    study.look()
    assert study.done
    assert study.ask() == []
    assert study.best == best
    assert not study.waiting()
    assert len(study.attempts) > known
    assert all(attempt.verdict.error and not attempt.kept for attempt in study.attempts[known:])
    assert [phase.name for phase in study.results] == ["phase1", "phase2", "phase3"]


def test_closed_before_the_algorithm_that_was_asked_for() -> None:
    study = study_of(PLAN, 1, algorithm="2planar")
    [first] = study.ask()
    study.tell(first, Outcome((1,), (2,)))
    study.close()
    with pytest.raises(MaltError, match="-a 2planar: the time was up"):
        study.look()


def test_forced_algorithms() -> None:
    for nonprojective, expected in ((0.0, "none"), (3.0, "head")):
        study = study_of(PLAN, 1, facts_of(nonprojective), algorithm="planar")
        trials = carried(study, even(lambda one: 50.0 if one.algorithm == "planar" else 80.0))
        assert {trial.setup.algorithm for trial in trials[1:]} == {"planar"}
        assert study.best.setup.options.get("pproj.marking_strategy", "none") == expected
        assert (study.best.setup.algorithm, study.best.score) == ("planar", 50.0)
    study = study_of(find_plan("thorough"), 1, facts_of(0.0), algorithm="2planar")
    trials = carried(study, even(lambda one: 50.0 if one.algorithm == "2planar" else 80.0))
    assert study.best.setup.algorithm == "2planar"


def test_an_algorithm_without_words() -> None:
    for study in (study_of(PLAN, 1, algorithm="3planar"), study_of(PLAN, 1, start={ALGORITHM: "3planar"})):
        with pytest.raises(
            UsageError, match="-a 3planar: the plan small does not know this algorithm; it knows nivreeager"
        ):
            carried(study, scorer(1))


def test_another_beginning() -> None:
    features = ["InputColumn(FORM,Left[0])", "InputColumn(POSTAG, Left[0])", "InputColumn(POSTAG,Right[0])"]
    study = study_of(PLAN, 1, phases=("phase3",), start={ALGORITHM: "covproj"}, features=features)
    [first] = study.ask()
    assert first.setup.algorithm == "covproj"
    assert first.setup.features == tuple(feature.replace(" ", "") for feature in features)
    study.tell(first, Outcome((5,), (10,)))
    [second] = study.ask()
    assert second.setup.features == ("InputColumn(FORM,Left[0])", "InputColumn(POSTAG,Right[0])")


def test_a_competition() -> None:
    """The entrants are measured to the end, go through the same steps, and the best one wins."""
    text = b"""
like: default
phase1: []
phase2: [{try: stackproj}, {try: covproj}, {try: planar}]
phase3:
  - compete: 3
    steps: [{add: "InputColumn(LEMMA,{left})"}]
"""  # whose steps have no name

    def score(trial: Trial) -> Outcome:
        scores = {"nivreeager": 80, "stackproj": 76, "covproj": 75, "planar": 50}
        found = scores[trial.setup.algorithm]
        found += 10 * (trial.setup.algorithm == "covproj" and any("LEMMA" in one for one in trial.setup.features))
        return Outcome(tuple(found // 4 + i % 2 for i in range(30)), (25,) * 30)

    plan = parse_plan(text, "p.yaml")
    one, many = study_of(plan), study_of(plan)
    asked = carried(one, score)
    carried(many, score, 50, random.Random(2))
    assert summary(one) == summary(many)
    assert one.best.setup.algorithm == "covproj"
    whole = {
        trial.fold for trial in asked if trial.setup.algorithm == "covproj" and trial.setup.features[-1:] != ("x",)
    }
    assert whole == {0, 1, 2}
    with_lemma = {trial.setup.algorithm for trial in asked if any("LEMMA" in f for f in trial.setup.features)}
    assert with_lemma == {"nivreeager", "stackproj", "covproj"}
    # What the choice adds is what the winner has over the best so far, after the same steps.
    choice = one.attempts[-1]
    led = [attempt for attempt in one.attempts if attempt.contest == "nivreeager"]
    assert (choice.before, choice.gain) == (led[-1].before, round(one.best.score - led[-1].before, 2))
    assert not any(attempt.kept for attempt in led)
    assert {attempt.step for attempt in led} == {"nivreeager"}


def test_a_competition_that_there_was_no_time_for() -> None:
    """Who was not tried does not compete."""
    text = b"""
like: default
phase1: []
phase2: [{try: stackproj}]
phase3: [{compete: 2, steps: [{add: "InputColumn(LEMMA,{left})"}]}]
"""
    study = study_of(parse_plan(text, "p.yaml"))
    for trial in study.ask(3):
        study.tell(trial, even(lambda setup: 80)(trial))
    [hopeless] = study.ask()
    study.tell(hopeless, Outcome((1000,), (10_000,)))
    study.close()
    study.look()
    assert study.best.setup.algorithm == "nivreeager"
    assert study.attempts[-1].what == "nivreeager"


def test_steps_of_those_who_lost_lead_nowhere() -> None:
    """They are no part of the way to what was chosen, nor of its gain."""
    text = b"""
like: default
phase1: []
phase2: [{try: stackproj}]
phase3: [{compete: 2, steps: [{add: ["InputColumn(LEMMA,{left})", "InputColumn(LEMMA,{right})"], stop: false}]}]
"""

    def score(setup: Setup) -> float:
        left = setup.algorithm == "stackproj"
        return 70 + 5 * left + sum("LEMMA" in feature for feature in setup.features)

    study = study_of(parse_plan(text, "p.yaml"))
    carried(study, even(score))
    kept = [attempt for attempt in study.attempts if attempt.kept]
    assert [attempt.contest for attempt in kept] == ["", "", *["stackproj"] * 2, *["nivreeager"] * 2, ""]
    on_the_way = [attempt for attempt, led in zip(study.attempts, leading(study.attempts), strict=True) if led]
    assert [attempt.contest for attempt in on_the_way] == ["", "", "stackproj", "stackproj", ""]
    luck = luck_in(study)
    assert luck is not None
    assert (luck.kept, luck.gain) == (3, 7.0)


def test_outcomes_that_do_not_fit() -> None:
    study = study_of(PLAN, 2)
    [trial, *_] = study.ask()
    study.tell(trial, Outcome((1, 2), (3, 3)))
    for wrong in (Outcome((1,), (3,)), Outcome((1, 2), (3, 4))):
        with pytest.raises(UsageError, match="other sentences"):
            study.tell(Trial(trial.setup, 0), wrong)
    for fold in (-1, 2):
        with pytest.raises(UsageError, match="there are 2"):
            study.tell(Trial(trial.setup, fold), Outcome((1,), (1,)))
    study.tell(trial, Outcome((0, 0), (3, 3)))  # what is known stays as it is
    assert study.outcomes[trial.setup.key][0].right == (1, 2)
    with pytest.raises(MaltError, match="nothing has been tried yet"):
        _ = study.best


def test_waiting() -> None:
    study, score = study_of(PLAN, 2), scorer(1)
    first = study.waiting()
    assert len(first) > 10
    assert study.attempts == []
    trials = carried(study, score)
    assert not study.waiting()
    assert len(trials) >= len(first)


def test_a_test_of_pairs() -> None:
    assert paired_test([]) == paired_test([0] * 9) == 1.0
    assert paired_test([1, -1] * 50) == 1.0
    assert paired_test([1] * 100) < 1e-20
    assert paired_test([5] + [0] * 99) == pytest.approx(0.317, abs=0.001)
    assert is_hopeless([], 10, 0) is is_hopeless([-5], 10, 0) is is_hopeless([-5, -5], 0, 0) is False
    assert is_hopeless([0] * 1000, 4000, 50)  # 0.05 % of 100,000 words
    assert not is_hopeless([0] * 6, 24, 0.2)  # of 400 words: six sentences say little of the others
    assert not is_hopeless([0] * 1000, 4000, 0)
    # How often a trial that would have won in the end is stopped half way: less often than CHANCE.
    dice, lost, won = random.Random(1), 0, 0
    for _ in range(3000):
        differences = [dice.choice((-2, -1, 0, 0, 0, 0, 1, 2)) for _ in range(80)]
        if sum(differences) > 0:
            won += 1
            lost += is_hopeless(differences[:40], 40, 0)
    assert won > 1000
    assert lost < won * CHANCE


def test_sizes() -> None:
    outcome = scorer(1)(study_of(PLAN).ask()[0])
    assert (len(outcome.right), sum(outcome.of)) == (SENTENCES, SENTENCES * WORDS)


@pytest.mark.parametrize("at_a_time", [1, 3, 1000])
def test_the_held_out_part_is_scored_once_at_the_end(alone: tuple[Scorer, Study, list[Trial]], at_a_time: int) -> None:
    score, expected, _ = alone
    study = study_of(PLAN, held_out=5000)
    asked = carried(study, score, at_a_time, random.Random(at_a_time))
    assert summary(study) == summary(expected)
    last = [trial for trial in asked if trial.fold == study.folds]
    assert asked[-len(last) :] == last
    assert {trial.setup.key for trial in last} == {study.default.key, study.best.setup.key}
    said = study.expectation
    assert said == expect(*(score(Trial(setup, 3)) for setup in (study.default, study.best.setup)), 5000)
    assert said is not None
    assert said.default.interval is not None
    assert said.default.interval[0] <= said.default.score <= said.default.interval[1]
    assert (said.decides, said.looks, said.sentences) == (True, 1, SENTENCES)
    assert expected.expectation is None
    # One that is begun again knows all of it.
    again = study_of(PLAN, held_out=5000)
    again.replay([(trial.setup, trial.fold, score(trial)) for trial in asked])
    again.look()
    assert again.done
    assert again.expectation == said


def test_the_held_out_part_when_the_time_is_up() -> None:
    score = scorer(1)
    study = study_of(PLAN, held_out=5000)
    while len(study.outcomes) < 4 and (asked := study.ask()):
        study.tell(asked[0], score(asked[0]))
    assert not study.searched
    study.close()
    study.look()
    assert (study.searched, study.done) == (True, False)
    trials = study.ask(9)
    assert {trial.fold for trial in trials} == {3}
    assert all(map(study.wants, trials))
    for trial in trials:
        study.tell(trial, score(trial))
    study.look()
    assert study.done
    first = study.expectation
    # With more time another one is chosen, and it is told that the part was looked at twice.
    later = study_of(PLAN, held_out=5000)
    later.outcomes, later.finals = study.outcomes, study.finals
    carried(later, score)
    assert first is not None
    assert later.expectation is not None
    assert (first.looks, later.expectation.looks) == (1, 2)
    assert "looked at 2 times" in later.expectation.meaning


def test_the_held_out_part_waits_for_the_last_phase() -> None:
    study = study_of(PLAN, held_out=5000, phases=["phase1", "phase2"])
    assert {trial.fold for trial in carried(study, scorer(1))} == {0, 1, 2}
    assert study.expectation is None
    failed = study_of(PLAN, held_out=5000)
    carried(failed, lambda trial: Outcome(error="no") if trial.fold == 3 else scorer(1)(trial))
    assert failed.expectation is None
    with pytest.raises(UsageError, match="fold 4: there are 4"):
        failed.tell(Trial(failed.default, 4), Outcome((1,), (1,)))
    with pytest.raises(UsageError, match="fold 3: there are 3"):
        study_of(PLAN).tell(Trial(failed.default, 3), Outcome((1,), (1,)))


def test_what_a_held_out_part_means() -> None:
    before, after = Outcome((7, 8) * 200, (10,) * 400), Outcome((8, 8) * 200, (10,) * 400)
    said = expect(before, after, 4000)
    assert (said.default.score, said.chosen.score, said.gain.score) == (75.0, 80.0, 5.0)
    assert said.gain.interval is not None
    assert 4 < said.gain.interval[0] < 5 < said.gain.interval[1] < 6
    assert said.p == paired_test([1, 0] * 200) < 1e-6
    assert said.meaning == "The gain is unlikely to be chance."
    assert expect(before, before, 4000).meaning == "There is no gain on text that was held out."
    worse = expect(after, before, 4000)
    assert (worse.gain.score, worse.better) == (-5.0, False)
    little = Outcome((8, *before.right[1:]), before.of)
    assert expect(before, little, 4000).meaning == "The gain may be chance."
    assert expect(before, after, 1999).meaning.endswith("fewer than 2,000 words: it decides nothing.")
    assert expect(Outcome((0,), (0,)), Outcome((0,), (0,)), 1).gain.interval is None


SIGNIFICANT = SMALL + b"rules: {option: significant, remove: significant, add: significant}\n"


def noise(seed: int, gains: dict[str, int] | None = None) -> Scorer:
    """Each setup is right in other sentences, by chance; features that are named gain words in all of them."""

    def score(trial: Trial) -> Outcome:
        dice = random.Random(f"{seed} {trial.setup.key} {trial.fold}")
        more = sum(words for name, words in (gains or {}).items() if any(name in one for one in trial.setup.features))
        return Outcome(tuple(40 + more + dice.randint(-3, 3) for _ in range(40)), (60,) * 40)

    return score


def test_what_is_kept_by_chance_is_not_significant() -> None:
    plan = parse_plan(SIGNIFICANT, "significant.yaml")
    kept = {"small": 0, "significant": 0}
    for seed in range(20):
        for name, one in (("small", PLAN), ("significant", plan)):
            study = study_of(one, folds=1)
            carried(study, noise(seed))
            kept[name] += sum(attempt.kept for attempt in study.attempts[1:])
    assert kept["small"] > 30
    assert kept["significant"] <= 2
    # What helps is kept, and p is corrected: it is multiplied by the number that were tried before.
    study = study_of(plan, folds=1)
    asked = carried(study, noise(1, {"LEMMA": 2}))
    assert any("LEMMA" in feature for feature in study.best.setup.features)
    assert len(asked) > 5
    compared = [attempt for attempt in study.attempts if attempt.verdict.p is not None]
    for tried, attempt in enumerate(compared, 1):
        assert attempt.rule == "significant"
        assert attempt.kept == (attempt.gain > 0 and attempt.verdict.p * tried <= 0.05)  # type: ignore[operator]


@pytest.mark.parametrize("at_a_time", [3, 1000])
def test_significance_does_not_depend_on_the_number_of_trials_at_a_time(at_a_time: int) -> None:
    plan = parse_plan(SIGNIFICANT, "significant.yaml")
    one, many = study_of(plan), study_of(plan)
    carried(one, noise(2, {"LEMMA": 1}))
    carried(many, noise(2, {"LEMMA": 1}), at_a_time, random.Random(5))
    assert summary(one) == summary(many)


def luck_in(study: Study) -> Luck | None:
    return luck_of(study.attempts, study.measured(study.default), study.measured(study.best.measured))


def test_steps_that_are_kept_by_chance() -> None:
    """Under mere luck p is hardly ever small, although only what gained was kept; steps that help are told from it."""
    found = []
    for seed in range(60):
        study = study_of(PLAN)
        carried(study, noise(seed))
        kept = [one for one in study.attempts[1:] if one.kept]
        luck = luck_in(study)
        assert (luck is None) == (not kept)
        if luck is not None:
            assert luck.gain == round(study.best.score - study.attempts[0].verdict.score, 2)
            assert (luck.kept, luck.tried) == (len(kept), len(study.attempts) - 1)
            found.append((luck.p, paired(study)))
    assert len(found) > 20
    assert all(p == min(1.0, raw) for p, raw in found)
    assert sum(p <= 0.05 for p, _ in found) <= 0.05 * 60
    study = study_of(PLAN)
    carried(study, noise(3, {"LEMMA": 2}))
    luck = luck_in(study)
    assert luck is not None
    assert luck.p < 0.01
    assert "more than luck brings" in luck.meaning
    # What was not measured on all folds says nothing.
    assert luck_of(study.attempts, [], study.measured(study.best.measured)) is None
    assert study.measured(None) == study.measured(study.best.setup.with_features(["x"])) == []


def paired(study: Study) -> float:
    """p of the difference between the beginning and the end, times the number of comparisons."""
    first, last = (study.outcomes[setup.key] for setup in (study.default, study.best.setup))
    differences = [b - a for fold in range(3) for a, b in zip(first[fold].right, last[fold].right, strict=True)]
    return paired_test(differences) * (len(study.attempts) - 1)
