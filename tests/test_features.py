"""Features: functions, the reading of texts, what is refused and why, and the order of creation."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malt.data.formats.dataformat import find_format
from malt.errors import DataError
from malt.features import Columns, Feature, FeatureText, feature_model, make_model, parse_feature
from malt.features.check import find_problems
from malt.features.functions import FUNCTIONS, Kind, algorithms, find_function, structures
from malt.features.nodes import Node, conjuncts, nodes_of
from malt.features.syntax import FeatureError
from malt.systems import ALGORITHMS

CONLLX = Columns(find_format("conllx"))
STACK = "Stack[0]"


# Functions


def test_every_function_has_an_example_that_can_be_read() -> None:
    for function in FUNCTIONS.values():
        text = function.example if function.kind == "feature" else f"Exists({function.example})"
        feature = parse_feature(text)
        assert str(feature) == text
        assert function.name in {node.function for node in nodes_of(feature)}
        assert function.help.endswith(".")


def test_the_functions_are_maltparsers_and_ours() -> None:
    places = "Stack Input Lookahead Left Right LeftContext RightContext ActiveStack InactiveStack"
    steps = "head ldep rdep rdep2 lsib rsib pred succ anc panc ldesc pldesc rdesc prdesc"
    arcs = "InputArc InputArcDir OutputArc Exists Distance NumOf"
    values = "InputColumn OutputColumn InputTable OutputTable Split Suffix Prefix Merge Merge3"
    ours = {"ArcDir", "ArcLabel", "LabelSet", "Between", "Crossings", "Join"}
    assert set(FUNCTIONS) == {*places.split(), *steps.split(), *arcs.split(), *values.split(), *ours}
    assert {name for name, function in FUNCTIONS.items() if function.ours} == ours
    assert {name for name, function in FUNCTIONS.items() if function.structure} == set(places.split())
    mended = {name for name, function in FUNCTIONS.items() if function.mended}
    assert mended == {"Prefix", "Suffix", "OutputTable", "InputArc", "InputArcDir"}


def test_the_data_structures_of_the_algorithms() -> None:
    assert structures("nivreeager") == structures("planarproj") == ("Stack", "Input")
    assert structures("2planar") == ("ActiveStack", "InactiveStack", "Input")
    assert structures("4planar") == ("ActiveStack", "InactiveStack", "InactiveStack2", "InactiveStack3", "Input")
    assert structures("stacklazy") == ("Stack", "Input", "Lookahead")
    assert all(structures(name) for name in ALGORITHMS)
    for wrong in ("nivreger", "65planar", "1planar"):
        with pytest.raises(Exception, match=wrong):
            structures(wrong)
    assert algorithms(frozenset({"Stack", "Left"})) == []
    assert find_function("InactiveStack63") is not None
    assert find_function("InactiveStack64") is None
    assert find_function("InactiveStack1") is None


# Reading


def test_brackets_are_for_people() -> None:
    expected = parse_feature("InputColumn(POSTAG,head(Stack[0]))")
    for odd in (
        "InputColumn[POSTAG(head,Stack,0",
        "InputColumn(POSTAG,head(Stack[0])",
        "InputColumn,POSTAG,head,Stack,+0",
    ):
        assert parse_feature(odd) == expected
        warnings = find_problems({"MAIN": [FeatureText(odd)]}, "planar", CONLLX)
        assert [problem.message for problem in warnings] == [f"the brackets are odd; it is read as {expected}"]
        assert warnings[0].warning


def test_equal_nodes_are_one_object() -> None:
    model = feature_model("Merge(InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Stack[00]))", "Exists(Stack[0])")
    exists, merge = model.main
    assert merge.arguments[0] is merge.arguments[1]
    assert isinstance(merge.arguments[0], Feature)
    assert merge.arguments[0].arguments[1] is exists.arguments[0]


def test_the_brackets_of_join_count() -> None:
    tag = "InputColumn(POSTAG,Stack[0])"
    for count in (2, 3, 7):
        feature = parse_feature(f"Join({','.join([tag] * count)})")
        assert len(feature.arguments) == count == len(conjuncts(feature))
    inner = parse_feature(f"Merge3({tag},Join({tag},Merge({tag},{tag}),{tag}),{tag})")
    assert [len(node.arguments) for node in nodes_of(inner) if isinstance(node, Feature)][-1] == 3
    assert len(conjuncts(inner)) == 6
    # Without brackets it takes the two that it needs.
    assert parse_feature(f"Merge(Join,{tag},{tag},{tag})") == parse_feature(f"Merge(Join({tag},{tag}),{tag})")


REFUSED = {
    "Join(Exists(Stack[0]))": "Join takes at least 2 arguments, Join(FEATURE, FEATURE, ...), but has 1 here",
    "Join(Exists(Stack[0]),Exists(Stack[0]),Stack[0])": (
        "argument 3 of Join is 'Stack[...]'; expected a feature such as InputColumn(POSTAG,Stack[0])"
    ),
    "LabelSet(DEPREL,Stack[0],left)": "argument 3 of LabelSet is 'left'; expected ldeps, rdeps or deps",
    "InputColum(POSTAG,Stack[0])": "there is no function InputColum; did you mean InputColumn?",
    "inputcolumn(POSTAG,Stack[0])": "there is no function inputcolumn; did you mean InputColumn?",
    "InputColumn(POSTAG,Stak[0])": "there is no function Stak; did you mean Stack?",
    "InputColumn(POSTAG)": "InputColumn takes 2 arguments, InputColumn(COLUMN, ADDRESS), but has 1 here",
    "Exists(Stack[0],Input[0])": "Exists takes 1 argument, Exists(ADDRESS), but has 2 here",
    "InputColumn(POSTAG,Stack)": "Stack is a function and needs its arguments: Stack[INDEX]",
    "InputColumn(POSTAG,Stack[-1])": "the argument of Stack is '-1'; expected a whole number from 0 to 1000",
    "InputColumn(POSTAG,Stack[x])": "the argument of Stack is 'x'; expected a whole number from 0 to 1000",
    "InputColumn(POSTAG,Stack[999999999])": (
        "the argument of Stack is '999999999'; expected a whole number from 0 to 1000"
    ),
    "InputColumn(POSTAG,FORM)": (
        "argument 2 of InputColumn is 'FORM'; expected an address such as Stack[0] or head(Stack[0])"
    ),
    "Exists(Exists(Stack[0]))": (
        "the argument of Exists is 'Exists(...)'; expected an address such as Stack[0] or head(Stack[0])"
    ),
    "Merge(InputColumn(POSTAG,Stack[0]),POSTAG)": (
        "argument 2 of Merge is 'POSTAG'; expected a feature such as InputColumn(POSTAG,Stack[0])"
    ),
    "Suffix(OutputColumn(DEPREL,Stack[0]),2)": (
        "argument 1 of Suffix is 'OutputColumn(...)'; expected an InputColumn, such as InputColumn(FORM,Stack[0])"
    ),
    "Suffix(InputColumn(FORM,Stack[0]),0)": (
        "argument 2 of Suffix is '0'; expected a number of characters from 1 to 1000"
    ),
    "Distance(Stack[0],Input[0],1|2)": (
        "argument 3 of Distance is '1|2'; expected ascending numbers that begin with 0, such as 0|1|2|5"
    ),
    "NumOf(Stack[0],kids,0|1)": "argument 2 of NumOf is 'kids'; expected ldeps, rdeps, deps or heads",
    "LabelSet(DEPREL,Stack[0],heads)": "argument 3 of LabelSet is 'heads'; expected ldeps, rdeps or deps",
    "Stack[0]": "Stack[...] is not a feature; expected for example InputColumn(POSTAG,Stack[0])",
    "POSTAG": "POSTAG is not a feature; expected for example InputColumn(POSTAG,Stack[0])",
    "InputColumn(,Stack[0])": "something is missing before ,",
    "(POSTAG)": "a function is missing before (",
    "Exists(POSTAG,Stack[0)": ") does not fit the open bracket",
    "InputColumn(POSTAG,Exists(Stack[0": "[ is not closed",
    "InputColumn(POSTAG,Stack[0]),1": "a comma stands outside of all brackets",
    "InputColumn(POSTAG,Stack[0])x": "unexpected 'x' after a bracket",
    "InputColumn(Merge,Stack[0])": "Merge is a function and needs its arguments: Merge(FEATURE, FEATURE)",
    "head(" * 1900: "functions are nested more than 50 deep",
    "Exists(" + "head(" * 60 + "Stack[0]" + ")" * 61: "functions are nested more than 50 deep",
    "x" * 10_001: "the feature has more than 10000 characters",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:40])
def test_what_is_wrong_is_said(text: str) -> None:
    with pytest.raises(FeatureError) as error:
        parse_feature(text)
    assert str(error.value) == REFUSED[text]


@given(st.text("InputColumn(POSTAG,Stack[0]) head Merge|&.-", max_size=80))
def test_any_text_is_a_feature_or_an_error(text: str) -> None:
    with contextlib.suppress(FeatureError):
        feature = parse_feature(text)
        assert parse_feature(str(feature)) == feature


def addresses() -> st.SearchStrategy[str]:
    steps = [name for name, function in FUNCTIONS.items() if function.arguments == (Kind.ADDRESS,)]
    places = st.builds("{}[{}]".format, st.sampled_from(["Stack", "Input", "Left"]), st.integers(0, 1000))
    return st.recursive(
        places, lambda inner: st.builds("{}({})".format, st.sampled_from(steps[:-1]), inner), max_leaves=4
    )


def features() -> st.SearchStrategy[str]:
    column = st.sampled_from(["InputColumn(FORM,{})", "OutputColumn(DEPREL,{})", "Distance({0},{0},0|1)"])
    plain = st.builds(
        lambda text, address: text.format(address), column, addresses().filter(lambda a: "Exists" not in a)
    )
    return st.recursive(
        plain,
        lambda inner: (
            st.builds("Merge({},{})".format, inner, inner) | st.builds("Merge3({0},{1},{0})".format, inner, inner)
        ),
        max_leaves=4,
    )


@pytest.mark.slow
@given(st.lists(features(), min_size=1, max_size=6))
def test_what_is_created_before_it_is_used(texts: list[str]) -> None:
    """Addresses and features come after all that they need, each once, and the vector is sorted."""
    model = feature_model(*texts)
    places, values = model.creation_order()
    assert len(set(places)) == len(places)
    assert len(set(values)) == len(values)
    seen: set[object] = set()
    nodes: list[Node] = [*places, *values]
    for node in nodes:
        arguments = node.arguments if isinstance(node, Feature) else (node.argument,)
        assert all(argument in seen for argument in arguments if not isinstance(argument, (str, int)))
        seen.add(node)
    assert [str(feature) for feature in model.main] == sorted(set(texts))


# Order


def test_the_order_of_creation_is_from_right_to_left() -> None:
    model = feature_model(
        "Merge3(InputColumn(A,Stack[1]),InputColumn(B,Input[0]),InputColumn(C,Stack[0]))", "Exists(Input[0])"
    )
    places, values = model.creation_order()
    assert [str(node) for node in places] == ["Input[0]", "Stack[0]", "Stack[1]"]
    assert [str(node)[:14] for node in values] == [
        "Exists(Input[0",
        *(f"InputColumn({x}," for x in "CBA"),
        "Merge3(InputCo",
    ]


def test_the_divide_feature_shares_what_there_is() -> None:
    texts = ("InputColumn(FORM,Stack[0])", "InputColumn(POSTAG,Stack[0])")
    model = feature_model(*texts, divide=("POSTAG", STACK))
    assert model.divide is model.main[1]
    assert model.divide_positions == (1,)
    assert [str(feature) for feature in model.divided("MAIN")] == [texts[0]]
    apart = feature_model(*texts, divide=("POSTAG", "Input[0]"))
    assert apart.creation_order()[1][-1] is apart.divide
    assert apart.divided("MAIN") == apart.main
    with pytest.raises(
        DataError, match=r"^-d POSTAG -s Stak\[0\]: .* there is no function Stak; did you mean Stack\?$"
    ):
        feature_model(*texts, divide=("POSTAG", "Stak[0]"))
    with pytest.raises(DataError, match=r"^-d FOO -s Stack\[0\]: .*conllx has no column FOO"):
        make_model({"MAIN": [FeatureText(texts[0])]}, "planar", CONLLX, ("FOO", STACK))


def test_the_order_of_texts_is_javas() -> None:
    texts = ["Split(InputColumn(FEATS,Stack[0]),\U0001d538)", "Split(InputColumn(FEATS,Stack[0]),\uff21)"]
    assert [feature.arguments[1] for feature in feature_model(*reversed(texts)).main] == ["\U0001d538", "\uff21"]
