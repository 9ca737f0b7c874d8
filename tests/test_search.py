"""What a search asks for, step by step, and the changes of feature models that it makes."""

from __future__ import annotations

import pytest
from scripted import carried, even, facts_of, study_of

from malt.optimizer import Setup, Study
from malt.optimizer.plan import edits
from malt.optimizer.plan.facts import Facts
from malt.optimizer.plan.reader import parse_plan
from malt.optimizer.search.search import Search
from malt.optimizer.trial.attempt import Verdict, leading

P, F, D = "InputColumn(POSTAG,{})".format, "InputColumn(FORM,{})".format, "OutputColumn(DEPREL,{})".format
GOOD, BAD = 90.0, 70.0  # the best is at 80 to begin with
MODEL = (P("Stack[0]"), P("Stack[1]"), P("Input[0]"), F("Stack[0]"), D("ldep(Stack[0])"))


def played(
    steps: str, scores: list[float] | float, *, phase: str = "phase3", facts: Facts | None = None, **more: object
) -> Search:
    """A search with a phase of its own, that is told scores one after another; a number alone is told always."""
    plan = parse_plan(f"like: default\n{phase}:\n{steps}".encode(), "plan.yaml")
    rest = list(scores) if isinstance(scores, list) else None

    def judge(trial: Setup, best: Setup | None, rule: object) -> Verdict:
        return Verdict(rest.pop(0) if rest is not None else scores)  # type: ignore[arg-type]

    search = Search(plan, facts or facts_of(), judge, lambda *_: MODEL)
    search.begin(more.get("options"), more.get("features", ()), score=80.0)  # type: ignore[arg-type]
    search.run(phase, str(more.get("forced", "")))
    assert not rest, "trials that were not asked for"
    return search


def tried(search: Search) -> list[str]:
    """What was tried, in short."""
    found = []
    for attempt in search.attempts:
        text = attempt.what
        for name, short in (
            ("InputColumn(", "i("),
            ("OutputColumn(", "o("),
            ("POSTAG,", "P "),
            ("FORM,", "F "),
            ("DEPREL,", "D "),
        ):
            text = text.replace(name, short)
        found.append(text)
    return found


# -- edits


def test_where_windows_end() -> None:
    assert edits.last(MODEL, "POSTAG", "Stack") == 1
    assert edits.last(MODEL, "POSTAG", "Lookahead") == -1
    assert edits.last([P("Stack[9]"), P("Stack[10]"), P("ldep(Stack[11])")], "POSTAG", "Stack") == 10
    assert edits.last([f"Merge({P('Stack[3]')},{P('Stack[0]')})"], "POSTAG", "Stack") == -1


def test_shrinking() -> None:
    trigram = f"Merge3({P('Stack[1]')},{P('Stack[0]')},{P('Input[0]')})"
    assert edits.shrink((*MODEL, trigram, P("Stack[10]")), "POSTAG", "Stack") == (*MODEL, trigram)
    assert edits.shrink((*MODEL, trigram), "POSTAG", "Stack") == tuple(f for f in MODEL if f != P("Stack[1]"))
    assert edits.shrink(MODEL, "LEMMA", "Stack") == MODEL


def test_growing() -> None:
    templates = {
        "InputColumn": "InputColumn({column},{A}[{n+1}])",
        "Merge3": f"Merge3({','.join(f'InputColumn({{column}},{{A}}[{{{n}}}])' for n in ('n-1', 'n', 'n+1'))})",
    }
    trigram = f"Merge3({P('Stack[1]')},{P('Stack[0]')},{P('Input[0]')})"
    longer = edits.grow((*MODEL, trigram), "POSTAG", "Stack", templates, {})
    assert longer[-2:] == (P("Stack[2]"), f"Merge3({P('Stack[0]')},{P('Stack[1]')},{P('Stack[2]')})")
    assert edits.grow((*MODEL, trigram), "POSTAG", "Input", templates, {})[-1] == P("Input[1]")  # nothing is before 0
    assert edits.grow(MODEL, "LEMMA", "Stack", templates, {})[-1] == "InputColumn(LEMMA,Stack[0])"
    assert edits.grow((P("Stack[0]"), P("Stack[1]")), "POSTAG", "Stack", {}, {}) == (P("Stack[0]"), P("Stack[1]"))


def test_adding_and_removing() -> None:
    assert edits.plus(MODEL, MODEL[0], F("Input[0]"), F("Input[0]")) == (*MODEL, F("Input[0]"))
    assert edits.minus(MODEL, MODEL[0], "Exists(Stack[0])") == MODEL[1:]


def test_addresses() -> None:
    model = [*MODEL, P("Stack[10]"), P("Stack[2]"), f"Merge({P('ldep(Stack[0])')},{F('Input[3]')})"]
    assert edits.addresses(model, "InputColumn(POSTAG,{x})", ["Input", "Stack"]) == [
        "Input[0]",
        "Stack[0]",
        "Stack[1]",
        "Stack[2]",
        "Stack[10]",
    ]
    assert edits.addresses(model, "InputColumn(FORM,{x})", ["Input"]) == ["Input[3]"]
    assert edits.addresses(model, "OutputColumn(DEPREL,{x})") == ["ldep(Stack[0])"]
    assert edits.addresses(model, "OutputColumn(DEPREL,ldep({x}))") == ["Stack[0]"]
    assert edits.addresses([r"Split(InputColumn(FEATS,Stack[0]),\|)"], r"Split(InputColumn(FEATS,{x}),\|)") == [
        "Stack[0]"
    ]


def test_labels() -> None:
    merged = f"Merge({P('Stack[0]')},{D('Stack[0]')})"
    assert edits.list_merged([*MODEL, merged], "DEPREL") == [merged]
    assert edits.list_single([*MODEL, merged], "DEPREL") == [D("ldep(Stack[0])")]


def test_templates() -> None:
    assert edits.slots("{a}{b+1}{a}") == ["a", "b"]
    assert edits.fill("{A}[{n+1}] {A}[{n-2}]", {"A": "Stack", "n": 2}) == "Stack[3] Stack[0]"
    with pytest.raises(ValueError, match="is no number"):
        edits.fill("{A+1}", {"A": "Stack"})


# -- verbs


def test_a_window_is_shrunk_once_or_grown() -> None:
    step = "  - {window: POSTAG, of: S, grow: 2}"
    assert tried(played(step, [80.0])) == ["- i(P Stack[1])"]  # as good: removed, and not grown
    assert tried(played(step, [BAD, 80.05])) == ["- i(P Stack[1])", "+ i(P Stack[2])"]
    assert tried(played(step, [BAD, 80.06, 80.12])) == ["- i(P Stack[1])", "+ i(P Stack[2])", "+ i(P Stack[3])"]


def test_a_window_that_is_not_greedy() -> None:
    step = "  - {window: POSTAG, of: S, shrink: 2, grow: 2, greedy: false}"
    assert tried(played(step, [BAD, BAD, BAD, BAD])) == [
        "- i(P Stack[1])",
        "- i(P Stack[0]), - i(P Stack[1])",
        "+ i(P Stack[2])",
        "+ i(P Stack[2]), + i(P Stack[3])",
    ]


def test_a_window_of_another_format() -> None:
    facts = facts_of()
    conllu = Facts(facts.numbers, facts.lists, {**facts.columns_of, "POSTAG": "UPOSTAG", "LEMMA": ""}, facts.columns)
    search = played("  - {window: POSTAG, of: B, grow: 1}\n  - {add: 'InputColumn(LEMMA,{left})'}", [BAD], facts=conllu)
    assert [attempt.what for attempt in search.attempts] == ["+ InputColumn(UPOSTAG,Input[0])"]


def test_remove() -> None:
    labels = (D("Stack[0]"), D("Input[0]"), f"Merge({P('Stack[0]')},{D('Stack[0]')})")
    more = {"options": {"singlemalt.parsing_algorithm": "nivreeager"}, "features": (*MODEL, *labels)}
    assert len(tried(played("  - {remove: {single: DEPREL}}", BAD, **more))) == 3
    assert tried(played("  - {remove: {merged: DEPREL}}", [80.0], **more)) == ["- Merge(i(P Stack[0]),o(D Stack[0]))"]
    both = f"  - remove: {[D('{left}'), D('{right}'), D('ldep({left})')]}"
    assert tried(played(both, [80.0, 80.0, 80.0], **more)) == [
        "- o(D Stack[0])",
        "- o(D Input[0])",
        "- o(D ldep(Stack[0]))",
    ]
    assert len(tried(played(f"{both}\n    most: 2", BAD, **more))) == 2
    skipped = played(f"{both}\n    skip: true", [80.0, BAD], **more)  # after a success the next one is left out
    assert tried(skipped) == ["- o(D Stack[0])", "- o(D ldep(Stack[0]))"]
    assert tried(played("  - {remove: 'InputColumn(LEMMA,{left})'}", [])) == []


def test_add() -> None:
    step = "  - {add: ['InputColumn(LEMMA,{left})', 'InputColumn(LEMMA,{next})']"
    left, first, second = (f"+ i(LEMMA,{x})" for x in ("Stack[0]", "Input[1]", "Input[2]"))
    assert tried(played(step + "}", [BAD])) == [left]
    assert tried(played(step + ", stop: false}", BAD)) == [left, first, second]
    assert tried(played(step + ", stop: false, most: 2}", BAD)) == [left, first]
    assert tried(played(step + ", stop: false, build: true}", BAD)) == [
        left,
        f"{left}, {first}",
        f"{left}, {first}, {second}",
    ]
    again = played(step + "}\n  - {add: 'InputColumn(LEMMA,{left})'}\n  - {add: 'InputColumn(FORM,{left})'}", [BAD])
    assert tried(again) == [left], "what was refused is not tried again, and what is there is not added"


def test_add_for_each_place() -> None:
    merged = f"Merge(InputColumn(LEMMA,{{x}}),{P('{left}')})"
    step = f"  - {{add: ['InputColumn(LEMMA,{{x}})', '{merged}'], each: '{P('{x}')}', of: [B, S]"
    assert len(tried(played(step + ", stop: false}", BAD))) == 6
    together = tried(played(step + ", stop: false, together: true}", BAD))
    assert together[0] == "+ i(LEMMA,Input[0]), + Merge(i(LEMMA,Input[0]),i(P Stack[0]))"
    assert len(together) == 3
    below = "  - {add: 'InputColumn(POSTAG,ldep({x}))', each: 'OutputColumn(DEPREL,ldep({x}))'}"
    assert tried(played(below, [BAD])) == ["+ i(P ldep(Stack[0]))"]


def test_words_that_stand_for_several() -> None:
    step = "  - {add: 'Merge(InputColumn(FORM,{next}),InputColumn(POSTAG,{aside}))', for: 2planar, stop: false}"
    search = played(step, BAD, options={"singlemalt.parsing_algorithm": "2planar"})
    assert tried(search) == [f"+ Merge(i(F Input[{a}]),i(P InactiveStack[{b}]))" for a in (1, 2) for b in (0, 1)]


def test_then_and_else() -> None:
    first, second, third = (f"try: {{lib.options: -s_4_-c_{cost}}}" for cost in (0.2, 0.4, 0.05))
    step = f"  - {{{first}, then: [{{{second}}}], else: [{{{third}}}]}}"
    assert tried(played(step, [GOOD, BAD]))[1] == "-lo -s_4_-c_0.4"
    assert tried(played(step, [BAD, BAD]))[1] == "-lo -s_4_-c_0.05"


def test_set_and_options_that_are_lent() -> None:
    step = "  - set: {nivre.allow_reduce: true}\n"
    step += "  - {try: {nivre.allow_root: false}, with: {pproj.marking_strategy: head}}\n"
    step += "  - {try: {lib.options: -s_4_-c_1}}"
    search = played(step, [GOOD, BAD])
    measured, kept = search.attempts[0].setup.options, search.best.setup.options
    assert measured["pproj.marking_strategy"] == "head"
    assert "pproj.marking_strategy" not in kept
    assert (kept["nivre.allow_root"], kept["nivre.allow_reduce"]) == ("false", "true")
    gone = played(
        "  - set: {nivre.allow_reduce: ''}",
        [],
        options={"singlemalt.parsing_algorithm": "nivreeager", "nivre.allow_reduce": "true"},
    )
    assert "nivre.allow_reduce" not in gone.best.setup.options


def test_choose() -> None:
    step = "  - {choose: {pproj.covered_root: [left, right, head]}}"
    search = played(step, [81.0, 83.0, 82.0], phase="phase1")
    assert [attempt.kept for attempt in search.attempts] == [False, True, False]
    assert (search.best.setup.options["pproj.covered_root"], search.best.score) == ("right", 83.0)
    assert played(step, [80.0, 79.0, 80.0], phase="phase1").best.score == 80.0
    labels = played("  - {choose: {graph.root_label: root labels}, rule: label}", [80.0], phase="phase1")
    assert labels.best.setup.options["graph.root_label"] == "TOP"  # ROOT is the default, and known
    assert len(tried(played("  - {choose: {graph.root_label: root labels}, most: 1}", [], phase="phase1"))) == 0


def test_a_model_from_nothing() -> None:
    """Trials without anything to compare with are not thought hopeless because another model was better."""
    phase3 = f"phase3: [{{begin: empty}}, {{add: {[P('{left}'), P('{right}')]}}}]"
    plan = parse_plan(f"like: default\nphase1: []\nphase2: []\n{phase3}".encode(), "p")
    study: Study = study_of(plan)
    carried(study, even(lambda one: 80.0 if len(one.features) > 5 else 10.0 * len(one.features)))
    assert [attempt.kept for attempt in study.attempts] == [True, True, True]
    assert (study.best.score, study.best.setup.features) == (20.0, (P("Stack[0]"), P("Input[0]")))


def test_a_model_from_nothing_that_there_was_no_time_for() -> None:
    """When the time is up, the best so far is used, and not half a model."""
    phase3 = f"phase3: [{{begin: empty}}, {{add: {[P('{left}'), P('{right}'), P('{before}')]}, stop: false}}]"
    plan = parse_plan(f"like: default\nphase1: []\nphase2: [{{try: stackproj}}]\n{phase3}".encode(), "p")
    study: Study = study_of(plan, folds=1)
    outcome = even(lambda one: 80.0 + (one.algorithm == "stackproj") if len(one.features) > 5 else 10.0)
    for trial in iter(lambda: next(iter(study.ask()), None) if len(study.attempts) < 3 else None, None):
        study.tell(trial, outcome(trial))
    assert study.best.score == 10.0
    study.close()
    study.look()
    assert (study.done, study.best.score, study.best.setup.algorithm) == (True, 81.0, "stackproj")
    assert study.best.setup == study.attempts[1].setup
    assert "no time to build a better model" in study.attempts[-1].what
    # What was built leads nowhere.
    assert leading(study.attempts) == [True, True, False, False, False, True]


def test_a_model_from_nothing_to_which_nothing_is_added() -> None:
    """There is no model without features."""
    study: Study = study_of(parse_plan(b"like: default\nphase1: []\nphase2: []\nphase3: [{begin: empty}]", "p"))
    carried(study, even(lambda setup: 80.0))
    assert (study.best.score, study.best.setup) == (80.0, study.default)
    assert "nothing was built in its place" in study.attempts[-1].what


def test_the_trees_of_the_default_plan() -> None:
    """Both decision trees, by the names of candidates, with what the paper adds to MaltOptimizer's."""

    def names(scores: dict[str, float], nonprojective: float) -> list[str]:
        plan = parse_plan(b"like: default", "p.yaml")

        def judge(trial: Setup, best: Setup | None, rule: object) -> Verdict:
            marked = trial.options.get("pproj.marking_strategy") == "head"
            return Verdict(scores.get(trial.algorithm + ("+pp" if marked else ""), 50.0))

        search = Search(plan, facts_of(nonprojective), judge, lambda *_: MODEL)
        search.begin(score=60.0)
        search.run("phase2")
        return [attempt.name for attempt in search.attempts if attempt.name]

    assert names({}, 0) == ["nivreeager", "stackproj", "planar", "covproj"]
    assert names({"stackproj": 70}, 0) == ["nivreeager", "stackproj", "nivrestandard"]
    assert names({"planar": 70}, 0) == ["nivreeager", "stackproj", "planar", "covproj"]
    both = ["nivreeager", "stackproj", "planar+pp", "covproj", "covnonproj", "stacklazy"]
    assert names({}, 15) == [*both, "2planar", "planar+pp", "nivreeager+pp"]
    assert names({"nivreeager+pp": 70}, 15) == [*both, "2planar", "planar+pp", "nivreeager+pp", "covproj+pp"]
    assert names({"stacklazy": 55}, 1) == [*both, "stackeager", "stackproj+pp"]
    assert names({"stacklazy": 55, "stackproj+pp": 90}, 20) == [
        "covnonproj",
        "stacklazy",
        "stackeager",
        "stackproj+pp",
        "nivrestandard+pp",
    ]


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([GOOD, BAD, BAD], {"2planar.reduceonswitch": "true", "multiplanar.planar_root_handling": "relaxed"}),
        ([BAD, GOOD, BAD], {"2planar.reduceonswitch": "true"}),
        ([BAD, BAD, GOOD], {"multiplanar.planar_root_handling": "relaxed"}),
        ([BAD, BAD, BAD], {}),
    ],
)
def test_options_of_2planar_are_tried_together(scores: list[float], chosen: dict[str, str]) -> None:
    search = played("  - use: options", scores, phase="phase2", options={"singlemalt.parsing_algorithm": "2planar"})
    options = search.best.setup.options
    names = ("2planar.reduceonswitch", "multiplanar.planar_root_handling")
    assert {name: options[name] for name in names if name in options} == chosen


@pytest.mark.parametrize(("algorithm", "number"), [("planar", 3), ("2planar", 3), ("nivreeager", 0)])
def test_other_columns_of_the_head_of_the_input(algorithm: str, number: int) -> None:
    search = played("  - use: columns", BAD, options={"singlemalt.parsing_algorithm": algorithm})
    heads = [one for one in tried(search) if "head(Input[0])" in one]
    assert (
        heads
        == [
            "+ i(CP head(Input[0]))",
            "+ i(LEMMA,head(Input[0]))",
            "+ Split(i(FEATS,head(Input[0])),\\|)",
        ][:number]
    )


def test_options_of_the_algorithm_that_leads() -> None:
    def options(algorithm: str, nonprojective: float = 0.0) -> list[str]:
        search = played("  - {use: options}", BAD, phase="phase2", facts=facts_of(nonprojective), forced=algorithm)
        assert search.best.score == BAD
        return [attempt.what for attempt in search.attempts[1:]]

    assert options("2planar", 5) == ["-prh relaxed -2pr true", "-prh normal -2pr true", "-prh relaxed -2pr false"]
    assert options("planar", 5) == ["-prh relaxed", "-pp baseline", "-pp path", "-pp head+path"]
    assert options("planar") == ["-prh relaxed"]
    assert options("covnonproj", 5) == ["-cs true", "-cr false"]
    assert options("stacklazy", 5) == []
    assert options("nivrestandard") == ["-nr false -ne false", "-nr true -ne true", "-nr false -ne true"]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("leads nivreeager", True),
        ("leads stackproj, nivreeager", True),
        ("leads stackproj", False),
        ("kept stackproj", False),
        ("uses LEMMA", True),
        ("uses LEMMA, FEATS", True),
        ("uses NER", False),
        ("given pproj.marking_strategy", False),
        ("given graph.root_label", True),
        ("nonprojective > 15", False),
        ("nonprojective <= 5", True),
        ("root labels = 2", True),
        ("sentences >= 60", True),
        ("covered roots < 2", False),
        ("nivreeager > stackproj", True),
        ("stackproj >= stackproj", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    options = {"singlemalt.parsing_algorithm": "nivreeager", "graph.root_label": "TOP"}
    search = played(
        f"  - {{if: '{condition}', try: {{nivre.allow_root: false}}}}", BAD, phase="phase2", options=options
    )
    assert len(search.attempts) == holds
    assert search.taken == {"plan.yaml:3": holds}
