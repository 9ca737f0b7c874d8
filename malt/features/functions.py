"""Every function that a feature may use: the one definition of names, arguments and meanings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from malt.systems import ALGORITHMS, find_system
from malt.systems.language import MOST_STACKS

ADDRESS, FEATURE = "address", "feature"
LARGEST = 1000  # the largest index of a data structure, and the longest prefix or suffix


class Kind(Enum):
    """What an argument may be; the value says it in words."""

    INDEX = f"a whole number from 0 to {LARGEST}"
    LENGTH = f"a number of characters from 1 to {LARGEST}"
    ADDRESS = "an address such as Stack[0] or head(Stack[0])"
    FEATURE = "a feature such as InputColumn(POSTAG,Stack[0])"
    INPUT_COLUMN = "an InputColumn, such as InputColumn(FORM,Stack[0])"
    COLUMN = "the name of a column, such as POSTAG"
    TABLE = "the name of a symbol table, such as POSTAG or PPLIFTED"
    BUCKETS = "ascending numbers that begin with 0, such as 0|1|2|5"
    RELATION = "ldeps, rdeps or deps"
    COUNTED = "ldeps, rdeps, deps or heads"
    SEPARATOR = r"a regular expression such as \|"


NUMBERS = (Kind.INDEX, Kind.LENGTH)
NODES = (Kind.ADDRESS, Kind.FEATURE, Kind.INPUT_COLUMN)


@dataclass(frozen=True)
class Function:
    """A function: its name, whether it gives an address (a word) or a feature (a value), and its arguments.

    >>> find_function("Distance").signature, find_function("Stack").signature
    ('Distance(ADDRESS, ADDRESS, BUCKETS)', 'Stack[INDEX]')
    """

    name: str
    kind: str
    arguments: tuple[Kind, ...]
    help: str
    example: str
    mended: bool = False  # computes what its name says, which MaltParser's does not: answers may differ from there
    ours: bool = False  # MaltParser has no such function
    several: bool = False  # gives a set of values, each of which counts for itself
    repeats: bool = False  # the last argument may come any number of times

    @property
    def structure(self) -> bool:
        """Whether it looks into a data structure of the parser, such as the stack."""
        return self.arguments == (Kind.INDEX,)

    @property
    def signature(self) -> str:
        """How it is written."""
        names = ", ".join([*(argument.name for argument in self.arguments), *(["..."] if self.repeats else [])])
        return f"{self.name}[{names}]" if self.structure else f"{self.name}({names})"


def _structure(name: str, help: str) -> Function:
    return Function(name, ADDRESS, (Kind.INDEX,), help, f"{name}[0]")


def _step(name: str, help: str) -> Function:
    return Function(name, ADDRESS, (Kind.ADDRESS,), help, f"{name}(Stack[0])")


def _feature(example: str, help: str, *arguments: Kind, **properties: bool) -> Function:
    help += " Not in MaltParser." if properties.get("ours") else ""
    return Function(example.partition("(")[0], FEATURE, arguments, help, example, **properties)


_TABLE = (
    _structure("Stack", "A word on the stack; Stack[0] is the top."),
    _structure(
        "Input",
        "A word of the input that remains; Input[0] is the next one. With stack*: a word that was swapped back.",
    ),
    _structure("Lookahead", "A word of the input that was never on the stack; Lookahead[0] is the next one."),
    _structure("Left", "Covington's left word: Left[0] is the one that is looked at, Left[1] the one before it."),
    _structure("Right", "Covington's right word: Right[0] is the one that is looked at, Right[1] the one after it."),
    _structure(
        "LeftContext", "Words between Left[0] and Right[0] whose head is not there: LeftContext[0] is the leftmost."
    ),
    _structure("RightContext", "The same words from the other end: RightContext[0] is the rightmost."),
    _structure("ActiveStack", "A word on the stack of the active plane; ActiveStack[0] is its top."),
    _structure(
        "InactiveStack",
        "A word on the stack of the next plane. With more planes, the further ones are InactiveStack2 and so on.",
    ),
    _step("head", "The head of a word."),
    _step("ldep", "The leftmost dependent to the left of a word."),
    _step("rdep", "The rightmost dependent to the right of a word."),
    _step("rdep2", "The same, but undefined for the artificial root."),
    _step("lsib", "The next sibling to the left, on the same side of their head."),
    _step("rsib", "The next sibling to the right, on the same side of their head."),
    _step("pred", "The word before a word in the sentence."),
    _step("succ", "The word after a word in the sentence."),
    _step("anc", "The topmost ancestor; a word without a head is its own."),
    _step("panc", "The topmost ancestor; undefined for a word without a head."),
    _step("ldesc", "The leftmost descendant, the word itself included."),
    _step("pldesc", "The leftmost descendant, the word itself excluded."),
    _step("rdesc", "The rightmost descendant, the word itself included."),
    _step("prdesc", "The rightmost descendant, the word itself excluded."),
    _feature(
        "InputColumn(POSTAG,Stack[0])",
        "What a column of the input says of a word. Columns of type INTEGER and REAL give numbers.",
        Kind.COLUMN,
        Kind.ADDRESS,
    ),
    _feature(
        "OutputColumn(DEPREL,ldep(Stack[0]))",
        "What the parser has put into a column of labels so far: the label of a word's arc to its head.",
        Kind.COLUMN,
        Kind.ADDRESS,
    ),
    _feature(
        "InputTable(POSTAG,Stack[0])",
        "As InputColumn, but by the name of a symbol table: of a propagated column, too. Numbers are symbols here.",
        Kind.TABLE,
        Kind.ADDRESS,
    ),
    _feature(
        "OutputTable(PPLIFTED,Stack[0])",
        "As OutputColumn, but by the name of a symbol table: for the marks of pseudo-projective parsing.",
        Kind.TABLE,
        Kind.ADDRESS,
        mended=True,
    ),
    _feature(
        "InputArc(PHEAD,Stack[0],Input[0])",
        "The arc between two words by a column of the input: LEFT if the second is the head, RIGHT if the first is.",
        Kind.COLUMN,
        Kind.ADDRESS,
        Kind.ADDRESS,
        mended=True,
    ),
    _feature(
        "InputArcDir(PHEAD,Stack[0])",
        "LEFT, RIGHT or ROOT: where the head of a word is by a column of the input.",
        Kind.COLUMN,
        Kind.ADDRESS,
        mended=True,
    ),
    _feature(
        "OutputArc(HEAD,Stack[0],Input[0])",
        "The arc that the parser has made between two words: LEFT if the second is the head, RIGHT if the first is.",
        Kind.COLUMN,
        Kind.ADDRESS,
        Kind.ADDRESS,
    ),
    _feature(
        "ArcDir(HEAD,Stack[0])",
        "LEFT, RIGHT or ROOT: where the head is that the parser has given to a word.",
        Kind.COLUMN,
        Kind.ADDRESS,
        ours=True,
    ),
    _feature(
        "ArcLabel(DEPREL,Stack[0],Input[0])",
        "The label of the arc that the parser has made from the first word to the second; in a graph, of the last one.",
        Kind.COLUMN,
        Kind.ADDRESS,
        Kind.ADDRESS,
        ours=True,
    ),
    _feature("Exists(ldep(Stack[0]))", "Whether there is such a word; the artificial root counts.", Kind.ADDRESS),
    _feature(
        "Distance(Stack[0],Input[0],0|1|2|5)",
        "How far two words are apart: the greatest of the numbers that is not above the distance.",
        Kind.ADDRESS,
        Kind.ADDRESS,
        Kind.BUCKETS,
    ),
    _feature(
        "NumOf(Stack[0],ldeps,0|1|2|5)",
        "How many dependents a word has so far, to the left (ldeps), to the right (rdeps) or both (deps); or how many "
        "heads (heads), of which a graph may have several.",
        Kind.ADDRESS,
        Kind.COUNTED,
        Kind.BUCKETS,
    ),
    _feature(
        "Crossings(Stack[0],Input[0],0|1|2)",
        "How many of the arcs that the parser has made an arc between two words would cross. Of more than 32 words "
        "between them, the arcs of those that are within 16 of one of the two.",
        Kind.ADDRESS,
        Kind.ADDRESS,
        Kind.BUCKETS,
        ours=True,
    ),
    _feature(
        "LabelSet(DEPREL,Stack[0],ldeps)",
        "The labels of a word's dependents so far, as one value: each once, of the 64 outermost on each side.",
        Kind.COLUMN,
        Kind.ADDRESS,
        Kind.RELATION,
        ours=True,
    ),
    _feature(
        "Between(POSTAG,Stack[0],Input[0])",
        "What a column says of the words between two words; each value counts for itself, and once. Of more than 16 "
        "words, those that are within 8 of one of the two.",
        Kind.COLUMN,
        Kind.ADDRESS,
        Kind.ADDRESS,
        ours=True,
        several=True,
    ),
    _feature(
        r"Split(InputColumn(FEATS,Stack[0]),\|)",
        "The parts of a value, cut at a separator; each part counts for itself.",
        Kind.FEATURE,
        Kind.SEPARATOR,
        several=True,
    ),
    _feature(
        "Suffix(InputColumn(FORM,Stack[0]),3)",
        "The last characters of a value.",
        Kind.INPUT_COLUMN,
        Kind.LENGTH,
        mended=True,
    ),
    _feature(
        "Prefix(InputColumn(FORM,Stack[0]),3)",
        "The first characters of a value.",
        Kind.INPUT_COLUMN,
        Kind.LENGTH,
        mended=True,
    ),
    _feature(
        "Merge(InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Input[0]))",
        "Two values as one. Absent if neither is there.",
        Kind.FEATURE,
        Kind.FEATURE,
    ),
    _feature(
        "Merge3(InputColumn(POSTAG,Stack[1]),InputColumn(POSTAG,Stack[0]),InputColumn(POSTAG,Input[0]))",
        "Three values as one. Absent if none is there.",
        Kind.FEATURE,
        Kind.FEATURE,
        Kind.FEATURE,
    ),
    _feature(
        r"Join(Split(InputColumn(FEATS,Stack[0]),\|),InputColumn(POSTAG,Input[0]))",
        "Any number of values as one. Absent if none is there. One of them may be a set: then each value of it is "
        "joined with the others.",
        Kind.FEATURE,
        Kind.FEATURE,
        ours=True,
        repeats=True,
    ),
)
FUNCTIONS = {function.name: function for function in _TABLE}
OF_ARCS = (  # they look at arcs that the parser has made
    *("head", "ldep", "rdep", "rdep2", "lsib", "rsib", "anc", "panc", "ldesc", "pldesc", "rdesc", "prdesc"),
    *("LeftContext", "RightContext", "OutputColumn", "OutputTable", "OutputArc", "ArcDir", "NumOf", "LabelSet"),
    *("ArcLabel", "Crossings"),
)


def find_function(name: str) -> Function | None:
    """The function of a name, or nothing. Letter case counts.

    >>> find_function("InactiveStack2").structure, find_function("stack")
    (True, None)
    """
    if plane := _further_plane(name):
        return _structure(name, f"A word on the stack of the plane {plane} after the active one.")
    return FUNCTIONS.get(name)


def _further_plane(name: str) -> int:
    """The number in InactiveStack2 and so on, which k planes have up to k - 1; 0 for other names."""
    match = re.fullmatch(r"InactiveStack([1-9][0-9]?)", name)
    return int(match[1]) if match and 1 < int(match[1]) < MOST_STACKS else 0


def structures(algorithm: str) -> tuple[str, ...]:
    """The data structures that addresses may begin with in a parsing algorithm.

    >>> structures("covproj"), structures("3planar")
    (('Left', 'Right', 'LeftContext', 'RightContext'), ('ActiveStack', 'InactiveStack', 'InactiveStack2', 'Input'))
    """
    return tuple(find_system(algorithm).structures)


def algorithms(used: frozenset[str]) -> list[str]:
    """The parsing algorithms that have all of some data structures; of the k-planar ones that with the fewest planes.

    >>> algorithms(frozenset({"Stack", "Lookahead"})), algorithms(frozenset({"InactiveStack4"}))
    (['stackproj', 'stackeager', 'stacklazy', 'arcstandard2'], ['5planar'])
    """
    planes = 1 + max([2, *map(_further_plane, used)])
    names = (f"{planes}planar" if name == "3planar" else name for name in ALGORITHMS)
    return [name for name in names if used <= frozenset(structures(name))]
