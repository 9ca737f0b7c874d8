"""Plans: what is wrong with one is told with its file, its line and the reason, whatever stands in it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import malt
from malt.commands import maltopt
from malt.errors import DataError, MaltError
from malt.optimizer import Plan, find_plan, run
from malt.optimizer.plan.reader import SECTIONS, parse_plan, plan_names
from malt.optimizer.plan.step import COMMON
from malt.optimizer.plan.verbs import VERBS

ROOT = Path(__file__).resolve().parent.parent
TEXTS = {name: find_plan(name).text for name in plan_names()}
BASE = "like: default\n"


def test_built_in_plans() -> None:
    assert plan_names() == [
        *(
            "default",
            "best",
            "blend",
            "brute-force",
            "maltoptimizer-1.0.3",
            "only-backward",
            "only-forward",
            "relaxed-greedy",
            "thorough",
        ),
    ]
    for name in plan_names():
        plan = find_plan(name)
        assert plan.name == name
        assert plan.about.endswith(".")
        assert plan.phases["phase3"]
        assert TEXTS[name].isascii()
    assert find_plan("thorough").phases["phase1"] == find_plan("default").phases["phase1"]
    assert "planar" not in find_plan("maltoptimizer-1.0.3").words


def test_the_margins_of_maltoptimizer() -> None:
    for name in plan_names():
        rules = {rule: str(value) for rule, value in find_plan(name).margins.items()}
        assert {rule: rules[rule] for rule in ("option", "root", "remove", "add")} == {
            "option": "> 0",
            "root": "> 0.05",
            "remove": ">= 0",
            "add": "> 0.05",
        }


WRONG = [
    # the file
    ("", "the plan is empty"),
    ("# nothing but a remark\n", "the plan is empty"),
    ("just words", "line 1: expected a plan, as a mapping"),
    ("- a\n- b", "line 1: expected a plan, as a mapping"),
    ("like: default\nholdout: 1", "line 2: holdout: with 1, every sentence would be held out"),
    ("like: default\nholdout: some", "line 2: expected a number from 0 to 100"),
    ("like: default\nrules: {add: significantly}", "line 2: 'significantly' is no rule; expected for example"),
    ("start: nivreeager", "the plan lacks rules, words, candidates, phase2"),
    ("phase2: [", "this is no YAML"),
    ("a: b: c", "line 1, column 5: this is no YAML"),
    ("like: default\n--- \nlike: default", "more than one YAML document"),
    ("like: &x default", "line 1: anchors"),
    ("like: default\nabout: !!python/object/apply:os.system [ls]", "line 2: anchors"),
    ("like: default\nphase2: [*x]", "line 2: anchors"),
    ("like: default\nphase2: " + "[" * 40 + "]" * 40, "line 2: a plan is nested more than 24 deep"),
    ("like: default\nphase2: " + "{steps: " * 40 + "[]" + "}" * 40, "nested more than 24 deep"),
    # sections
    ("like: default\nphase4: []", "line 2: a plan has no 'phase4'; did you mean phase3?"),
    ("like: mine", "line 1: there is no built-in plan 'mine'; there are default, best, blend"),
    ("like: defualt", "line 1: there is no built-in plan 'defualt'; did you mean default?"),
    ("like: [default]", "line 1: expected a single value, not a list"),
    (BASE + "about: [a]", "line 2: expected a single value"),
    (BASE + "cost: much", "line 2: cost: expected a number above 0 and below 1000000000, such as 0.1, not 'much'"),
    (BASE + "cost: 0", "line 2: cost: expected a number above 0"),
    (BASE + "cost: -1", "line 2: cost: expected a number above 0"),
    (BASE + "start: arceager", "line 2: there is no candidate 'arceager'; did you mean "),
    (BASE + "rules: [a]", "line 2: expected rules, as a mapping"),
    (BASE + "rules:\n  add: more", "line 3: 'more' is no rule"),
    (BASE + "rules: {add: '< 1'}", "line 2: '< 1' is no rule"),
    (BASE + "rules: {add: '> 1e9'}", "line 2: '> 1e9' is no rule"),
    (BASE + "rules: {add: '> " + "9" * 400 + "'}", "line 2: '> 9999"),
    (BASE + "groups: {mine: [planar, arc]}", "line 2: .*arc"),
    (BASE + "words: {arc: {S: Stack}}", "line 2: .*arc"),
    (BASE + "words: {3planar: [a]}", "line 2: expected the words of an algorithm"),
    (BASE + "words: {3planar: {S: ''}}", "line 2: S stands for nothing"),
    (BASE + "candidates: {mine: planar}", "line 2: expected options, as a mapping"),
    (BASE + "candidates: {mine: {}}", "line 2: expected one option or more"),
    (
        BASE + "candidates: {mine: {nivre.allow_root: true}}",
        "line 2: the candidate mine does not say its singlemalt.parsing",
    ),
    (BASE + "candidates: {mine: {singlemalt.parsing_algorithm: ''}}", "line 2: "),
    (BASE + "candidates: {mine: {singlemalt.parsing_algorithm: root labels}}", "line 2: .*root labels"),
    (
        BASE + "candidates: {mine: {singlemalt.parsing_algorithm: 3planar}}",
        "line 2: there is no entry in `words` for '3planar'",
    ),
    (BASE + "windows: {mine: {Merg: x}}", "line 2: a window has no 'Merg'; did you mean Merge"),
    (BASE + "windows: {mine: {Merge: [x]}}", "line 2: expected a single value"),
    (BASE + "parts: {mine: steps}", "line 2: expected a step, as a mapping"),
    # steps
    (BASE + "phase2: [nivreeager]", "line 2: expected a step, as a mapping"),
    (BASE + "phase2: [[{try: planar}]]", "line 2: expected a step"),
    (BASE + "phase2:\n  - {}", "line 3: a step has one of steps, set, try, .*; it has nothing"),
    (BASE + "phase2:\n  - {name: x}", "line 3: a step has one of .*; it has name"),
    (BASE + "phase2:\n  - {try: planar, add: x}", "line 3: a step has one of .*; it has try and add"),
    (BASE + "phase2:\n  - {try: planar, grow: 3}", "line 3: a step that says try has no 'grow'"),
    (BASE + "phase2:\n  - {try: planar, rul: add}", "line 3: a step that says try has no 'rul'; did you mean rule?"),
    (BASE + "phase2:\n  - {try: planar, rule: adds}", "line 3: there is no rule 'adds'; did you mean add?"),
    (BASE + "phase2:\n  - {try: planer}", "line 3: there is no candidate 'planer'; did you mean planar?"),
    (BASE + "phase2:\n  - {try: [planar]}", "line 3: expected a single value"),
    (BASE + "phase2:\n  - {try: {}}", "line 3: expected one option or more"),
    (
        BASE + "phase2:\n  - {try: {nivre.allow_rot: true}}",
        "line 3: there is no option 'nivre.allow_rot'; did you mean nivre.allow_root?",
    ),
    (
        BASE + "phase2:\n  - {try: {nivre.allow_root: maybe}}",
        "line 3: nivre.allow_root: expected true or false, not 'maybe'",
    ),
    (BASE + "phase2:\n  - {try: {nivre.allow_root: root labels}}", "line 3: nivre.allow_root: expected true or false"),
    (
        BASE + "phase2:\n  - {try: {pproj.marking_strategy: heads}}",
        "line 3: pproj.marking_strategy: expected .*did you mean head?",
    ),
    (BASE + "phase2:\n  - {try: {lib.options: -s_4_-q_1}}", "line 3: .*-q"),
    (BASE + "phase2:\n  - {try: {lib.options: -s_44}}", "line 3: .*-s"),
    (BASE + "phase2:\n  - {try: {singlemalt.parsing_algorithm: planar}}", "line 3: .*try a candidate instead"),
    (
        BASE + "phase2:\n  - {try: planar, with: {input.infile: /etc/passwd}}",
        "line 3: input.infile is no option that a search may choose",
    ),
    (
        BASE + "phase2:\n  - {set: {lib.external: /bin/sh}}",
        "line 3: lib.external is no option that a search may choose",
    ),
    (BASE + "phase2:\n  - {set: [a]}", "line 3: expected options"),
    (BASE + "phase2:\n  - {choose: planar}", "line 3: expected an option with its values"),
    (BASE + "phase2:\n  - {choose: {}}", "line 3: choose has one option with its values"),
    (
        BASE + "phase2:\n  - {choose: {nivre.allow_root: [true], nivre.allow_reduce: [true]}}",
        "line 3: choose has one option",
    ),
    (BASE + "phase2:\n  - {choose: {pproj.covered_root: [left, up]}}", "line 3: pproj.covered_root: expected .*'up'"),
    (
        BASE + "phase2:\n  - {choose: {pproj.covered_root: [left]}, most: many}",
        "line 3: expected a number from 0 to 100, not 'many'",
    ),
    (BASE + "phase2:\n  - {steps: [{try: planar}], tree: [a]}", "line 3: expected a single value"),
    (BASE + "phase2:\n  - {for: [], try: planar}", "line 3: `for` names no algorithm"),
    (BASE + "phase2:\n  - {for: everything, try: planar}", "line 3: .*everything"),
    (BASE + "phase2:\n  - {if: maybe, try: planar}", "line 3: 'maybe' is no condition"),
    (BASE + "phase2:\n  - {if: leads, try: planar}", "line 3: there is no candidate ''"),
    (BASE + "phase2:\n  - {if: 'leads planar, me', try: planar}", "line 3: there is no candidate 'me'"),
    (BASE + "phase2:\n  - {if: uses, try: planar}", "line 3: expected the name of a column"),
    (
        BASE + "phase2:\n  - {if: given colour, try: planar}",
        "line 3: there is no option that a search may choose, 'colour'",
    ),
    (BASE + "phase2:\n  - {if: planar > arc, try: planar}", "line 3: 'planar > arc' is no condition"),
    (BASE + "phase2:\n  - {if: tokens > many, try: planar}", "line 3: 'tokens > many' is no condition"),
    (BASE + "phase2:\n  - {if: 'tokens > " + "9" * 5000 + "', try: planar}", "line 3: 'tokens > 9999"),
    (BASE + "phase3:\n  - {window: POSTAG}", "line 3: a window says `of` which words it is"),
    (BASE + "phase3:\n  - {window: POSTAG, of: Q}", "line 3: nivreeager has no word 'Q'; it has S, B"),
    (BASE + "phase3:\n  - {window: POSTAG, of: other}", "line 3: nivreeager has no word 'other'"),
    (BASE + "phase3:\n  - {window: 'a b', of: S}", "line 3: expected the name of a column"),
    (BASE + "phase3:\n  - {window: POSTAG, of: S, grow: 101}", "line 3: expected a number from 0 to 100, not '101'"),
    (BASE + "phase3:\n  - {window: POSTAG, of: S, shrink: -1}", "line 3: expected a number from 0"),
    (BASE + "phase3:\n  - {window: POSTAG, of: S, greedy: yes}", "line 3: expected true or false, not 'yes'"),
    (
        BASE + "phase3:\n  - {window: POSTAG, of: S, templates: bigrams}",
        "line 3: there is no window 'bigrams'; did you mean trigrams?",
    ),
    (
        BASE + "windows: {w: {Merge: 'Merge({A}[0],{x})'}}\nphase3:\n  - {window: POSTAG, of: S, templates: w}",
        "line 4: .*no word 'x'",
    ),
    (
        BASE
        + "windows: {w: {Merge: 'InputColumn({column},{A+1}[0])'}}\nphase3:\n  - {window: POSTAG, of: S, templates: w}",
        "line 4: .*A is no number",
    ),
    (BASE + "phase3:\n  - {remove: {both: DEPREL}}", "line 3: remove has no 'both'"),
    (BASE + "phase3:\n  - {remove: {}}", "line 3: remove has features, or one of merged and single"),
    (BASE + "phase3:\n  - {remove: {merged: DEPREL, single: DEPREL}}", "line 3: remove has features, or one of"),
    (BASE + "phase3:\n  - {remove: 'InputColumn(FORM,{x})'}", "line 3: .*no word 'x'"),
    (
        BASE + "phase3:\n  - {remove: 'InputColumn(FORM,{S}[0])', stop: true}",
        "line 3: a step that says remove has no 'stop'",
    ),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,{top}[0])'}", "line 3: .*nivreeager has no word 'top'"),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,{S}[{n}])'}", "line 3: .*no word 'n'"),
    (
        BASE + "phase3:\n  - {add: 'InputColum(FORM,{left})'}",
        "line 3: .*there is no function InputColum; did you mean InputColumn?",
    ),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM)'}", "line 3: InputColumn"),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,Left[0])'}", "line 3: .*nivreeager has no Left; it has Stack, Input"),
    (BASE + "phase3:\n  - {for: covproj, add: 'InputColumn(FORM,Stack[0])'}", "line 3: .*covproj has no Stack"),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,Stack[1000000])'}", "line 3: "),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM," + "head(" * 99 + "{left}" + ")" * 100 + "'}", "line 3: "),
    (BASE + "phase3:\n  - {add: '', stop: false}", "line 3: "),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,{x})'}", "line 3: .*no word 'x'"),
    (
        BASE + "phase3:\n  - {add: 'InputColumn(FORM,{x})', each: 'InputColumn(FORM,{left})'}",
        "line 3: each: there is no {x}",
    ),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,{left})', of: S}", "line 3: `of` says where {x}"),
    (BASE + "phase3:\n  - {add: 'InputColumn(FORM,{x+1})', each: 'InputColumn(FORM,{x})'}", "line 3: .*x is no number"),
    (BASE + "phase3:\n  - {compete: 3}", "line 3: compete needs the steps"),
    (
        BASE + "phase3:\n  - {compete: 3, steps: [{use: tags}], with: {perceptron.beam: 8}}",
        "line 3: compete needs the steps that .*, or options: `with`",
    ),
    (
        BASE + "phase3:\n  - {select: words}",
        "line 3: there is no way to select 'words'; there are groups, templates, all",
    ),
    (BASE + "phase3:\n  - {select: groups, by: chance}", "line 3: there is no direction 'chance'"),
    (BASE + "phase3:\n  - {select: all, by: forward}", "line 3: `select: all` has no direction"),
    (BASE + "phase3:\n  - {blend: [planar]}", "line 3: a vote needs 3 parsers or more"),
    (BASE + "phase3:\n  - {blend: [planar, arc]}", "line 3: there is no candidate 'arc'"),
    (BASE + "phase3:\n  - {blend: [planar, {perceptron.dev: a}]}", "line 3: perceptron.dev is no option that a search"),
    (BASE + "more: most", "line 2: there is no built-in plan 'most'"),
    (BASE + "phase3:\n  - {compete: 0, steps: [{use: tags}]}", "line 3: expected a number from 1"),
    (BASE + "phase3:\n  - {compete: 2, steps: [{use: tag}]}", "line 3: there is no part 'tag'; did you mean tags?"),
    (BASE + "phase3:\n  - {begin: full}", "line 3: there is no way to begin 'full'; there are empty"),
    (BASE + "phase3:\n  - {use: [tags]}", "line 3: expected a single value"),
    (BASE + "parts:\n  a: [{use: a}]", "line 3: there is no part 'a'"),
    (BASE + "phase3:\n  - {try: planar, then: [{use: x}]}", "line 3: there is no part 'x'"),
    (
        BASE
        + "parts:\n  p0: [{use: tags}]\n"
        + "".join(f"  p{i + 1}: [{', '.join([f'{{use: p{i}}}'] * 9)}]\n" for i in range(9))
        + "phase3: [{use: p9}]",
        "line 1: the plan has more than 10,000 steps",
    ),
    (BASE + "phase3:\n  - {try: planar, try: 2planar}", "line 3: try is given more than once"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[str(place) for place in range(len(WRONG))])
def test_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(
        DataError, match=f"^my.yaml, {message}" if message.startswith("line") else f"^my.yaml.*{message}"
    ) as found:
        parse_plan(text.encode(), "my.yaml")
    assert "\n" not in str(found.value)
    assert len(str(found.value)) < 800


def test_every_verb_is_tried_above() -> None:
    told = " ".join(text for text, _ in WRONG)
    assert [verb for verb in VERBS if f"{{{verb}: " not in told] == []


def test_what_may_stand_in_a_plan() -> None:
    text = """
like: default
words: {3planar: {S: ActiveStack, B: Input, left: "ActiveStack[0]", right: "Input[0]", third: "InactiveStack2[0]"}}
candidates: {3planar: {singlemalt.parsing_algorithm: 3planar}}
start: 3planar
phase2: [{if: "nonprojective > 0", try: 3planar}, {try: planar}]
phase3:
  - {for: 3planar, steps: [{add: ["InputColumn(NER,{third})", "OutputTable(PPLIFTED,{third})"]}]}
  - {for: 2planar, then: [{add: "InputColumn(FORM,{aside})"}], use: cost}
"""
    plan = parse_plan(text.encode(), "dir/mine.yaml")
    assert (plan.name, plan.start) == ("mine", "3planar")
    assert [step.place for step in plan.phases["phase2"]] == ["dir/mine.yaml:6", "dir/mine.yaml:6.2"]
    assert plan.columns["NER"] == ("dir/mine.yaml", 8)
    assert "PPLIFTED" not in plan.columns


def test_a_plan_of_the_name_of_a_built_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("default.yaml").write_text("like: default\ncost: 0.5\n")
    assert find_plan("default.yaml").cost == "0.5"
    assert find_plan("default").cost == "0.1"


def test_a_column_that_the_treebank_lacks(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("like: default\nphase3:\n  - {if: uses NER, use: tags}\n")
    with pytest.raises(DataError, match=r"mine.yaml, line 3: conllx has no column NER; there are POSTAG, FORM, DEPREL"):
        run(malt.sample.text(10), plan=str(path))


def test_files_that_are_no_plans(tmp_path: Path) -> None:
    large = tmp_path / "large.yaml"
    large.write_bytes(b"# " + b"x" * (1 << 20))
    for name, message in (
        (str(large), "more than 1048576 bytes"),
        (str(tmp_path), "a plan"),
        (str(tmp_path / "none.yaml"), "no such file"),
        ("https://example.org/plan.yaml", "no such file"),
        ("thoroug", "did you mean thorough"),
    ):
        with pytest.raises(MaltError, match=message):
            find_plan(name)


def test_a_bomb() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    with pytest.raises(DataError, match="line 1: anchors"):
        parse_plan("\n".join(lines).encode(), "bomb.yaml")


def outcome(data: bytes) -> str:
    """A plan, or an error in one line."""
    found: Plan | MaltError
    try:
        found = parse_plan(data, "fuzz.yaml")
    except MaltError as error:
        found = error
    assert isinstance(found, Plan) or str(found).startswith("fuzz.yaml")
    return "read" if isinstance(found, Plan) else "refused"


@settings(max_examples=60)
@given(st.sampled_from(sorted(TEXTS)), st.integers(0, 1 << 30), st.integers(1, 4))
def test_plans_that_were_spoiled(name: str, seed: int, times: int) -> None:
    dice, data = random.Random(seed), bytearray(TEXTS[name].encode())
    for _ in range(times):
        kind, place = dice.randrange(6), dice.randrange(len(data) + 1)
        lines = bytes(data).splitlines(keepends=True)
        values = re.findall(rb"[\w.+-]+", bytes(data))
        if kind == 0:
            del data[place:]
        elif kind == 1 and place < len(data):
            data[place] ^= 1 << dice.randrange(8)
        elif kind == 2 and lines:
            del lines[dice.randrange(len(lines))]
            data = bytearray(b"".join(lines))
        elif kind == 3 and len(lines) > 1:
            i, j = dice.randrange(len(lines)), dice.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            data = bytearray(b"".join(lines))
        elif kind == 4 and values:
            data = bytearray(bytes(data).replace(dice.choice(values), dice.choice(values), 1))
        else:
            data[place:place] = dice.choice(
                (b"{", b"}", b"[", b"]", b": ", b"- ", b"\xff", b"\0", b"'", b"&a ", b"{x}", b"9" * 50)
            )
        if not data:
            break
    outcome(bytes(data))


@given(st.binary(max_size=200))
@settings(max_examples=60)
def test_no_plans_at_all(data: bytes) -> None:
    assert outcome(data) == "refused"


@given(
    st.recursive(
        st.one_of(
            st.sampled_from(
                ["planar", "POSTAG", "S", "true", "3", "", "tags", "leads planar", "InputColumn(FORM,{left})"]
            )
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from([*VERBS, "of", "if", "for", "then", "name"]), inner, max_size=4),
        ),
        max_leaves=12,
    )
)
@settings(max_examples=80)
def test_steps_at_random(steps: object) -> None:
    import json

    outcome(f"like: default\nphase3: {json.dumps(steps)}".encode())


def test_the_plans_of_the_page() -> None:
    page = (ROOT / "docs" / "optimizer.md").read_text(encoding="utf-8")
    plans = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(plans) == 4
    for text in plans:
        parse_plan(text.encode(), "docs/optimizer.md")
    for name in [*VERBS, *COMMON, *SECTIONS, *plan_names()]:
        assert f"`{name}" in page or f"{name}: " in page or f"{name}`" in page, name
    assert [f"D{number}" for number in range(1, 27)] == re.findall(r"^\| (D[0-9]+) \|", page, re.MULTILINE)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert maltopt(["plan"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == plan_names()
    assert max(map(len, lines)) <= 100
    assert maltopt(["plan", "thorough"]) == 0
    assert capsys.readouterr().out == TEXTS["thorough"]
    mine = tmp_path / "mine.yaml"
    mine.write_text("like: default\nphase2: [{try: planer}]\n")
    assert maltopt(["plan", str(mine)]) == 1
    assert "mine.yaml, line 2: there is no candidate 'planer'; did you mean planar?" in capsys.readouterr().err
    assert maltopt(["plan", "planless"]) == 2
