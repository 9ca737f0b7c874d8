"""What a treebank is like, in numbers: sizes, vocabulary, and how many of its trees have which structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import numpy.typing

from malt.data.block import Block
from malt.data.formats.dataformat import EMPTY, INPUT
from malt.data.symbols import Tables
from malt.kernel.structure import STATES, measure
from malt.systems.oracle import Oracle

LENGTHS = {"1": (1, 2), "2": (2, 3), "3-6": (3, 7), "7+": (7, None)}  # classes of arc lengths, from and up to
FAULTS = {
    "no head": "a word has no head while others have one",
    "no such head": "a head is no word of the sentence",
    "own head": "a word is its own head",
    "cycle": "the heads run in a circle",
}
NOT_DERIVED = ("trees_not_derived", "arcs_not_derived")
PLANES = (2, 3, 4)  # the k for which it is said how many trees are not k-planar


def find_fault(block: Block) -> tuple[int, str] | None:
    """The first sentence of a block that is no tree, and why; None if all are."""
    states = measure(block.heads, block.starts)[0]["state"]
    wrong = numpy.flatnonzero(states)
    return (int(wrong[0]), FAULTS.get(STATES[states[wrong[0]]], "no word has a head")) if len(wrong) else None


@dataclass
class Profile:
    """Counts over sentences. `add` takes in a block, `update` another profile.

    Sentences and tokens are those of the file; all that is said of trees leaves out the blind sentences, which have no
    heads at all, and the bad ones, whose heads are no tree.

    >>> profile = Profile("sample")
    >>> _ = profile.measure([2, 0, 2, 0, 4, 1, 1], [0, 3, 7])
    >>> profile.trees, profile.counts["nonproj"], profile.not_planar(1), profile.not_planar(2)
    (2, 1, 1, 0)
    """

    name: str = ""
    format: str = ""
    algorithm: str = ""  # whose oracle was asked what it cannot derive
    files: int = 1  # more than one of a total
    counts: Counter[str] = field(default_factory=Counter)  # whatever is simply added up, by its name in `as_json`
    longest: int = 0  # tokens of the longest sentence
    deepest: int = 0  # arcs on the longest path of a tree
    states: Counter[str] = field(default_factory=Counter)  # sentences by STATES
    first_bad: str = ""  # where, and what is wrong
    vocabulary: dict[str, set[str]] = field(default_factory=dict)  # the values of each column
    labels: set[str] = field(default_factory=set)
    root_labels: Counter[str] = field(default_factory=Counter)
    gap_degree: Counter[int] = field(default_factory=Counter)  # trees by gap degree
    mildness: Counter[tuple[int, int]] = field(default_factory=Counter)  # ill-nested trees by bounds of the least k
    planarity: Counter[tuple[int, int]] = field(default_factory=Counter)  # trees by bounds of the least k
    planarity_root: Counter[tuple[int, int]] = field(default_factory=Counter)  # the same with the root links
    lengths: numpy.typing.NDArray[numpy.int64] = field(
        default_factory=lambda: numpy.zeros((2, 1), dtype=numpy.int64)
    )  # arcs to the right and to the left by length
    _tables: Tables | None = field(default=None, repr=False)  # whose codes `_seen` tells of
    _seen: dict[str, numpy.typing.NDArray[numpy.bool_]] = field(default_factory=dict, repr=False)

    @property
    def trees(self) -> int:
        """The number of sentences whose heads make a tree."""
        return self.states["tree"]

    @property
    def bad(self) -> int:
        """The number of sentences whose heads make something else."""
        return self.states.total() - self.states["tree"] - self.states["blind"]

    def not_planar(self, k: int, root: bool = False) -> int:
        """The number of trees that are certainly not k-planar."""
        return sum(n for (lower, _), n in self._planarity(root).items() if lower > k)

    def undecided(self, root: bool = False) -> dict[str, int]:
        """The trees of which only bounds of the least k are known, by these bounds."""
        bounds = sorted(item for item in self._planarity(root).items() if item[0][0] < item[0][1])
        return {f"{lower}-{upper}": n for (lower, upper), n in bounds}

    def exact(self, root: bool = False) -> dict[int, int]:
        """The trees of which the least k is known, by this k."""
        return {lower: n for (lower, upper), n in sorted(self._planarity(root).items()) if lower == upper}

    def _planarity(self, root: bool) -> Counter[tuple[int, int]]:
        return self.planarity_root if root else self.planarity

    def arc_lengths(self) -> dict[str, int]:
        """The arcs between words by class of length."""
        both = self.lengths.sum(axis=0)
        return {name: int(both[begin:end].sum()) for name, (begin, end) in LENGTHS.items()}

    def mean_arc_length(self) -> float:
        """The mean length of the arcs between words."""
        both = self.lengths.sum(axis=0)
        return float(both @ numpy.arange(len(both))) / max(1, int(both.sum()))

    # -- counting

    def add(self, block: Block, oracle: Oracle | None = None) -> None:
        """Take in a block of a treebank; with an oracle, also what it cannot derive."""
        measures = self.measure(block.heads, block.starts)
        state = measures["state"]
        if oracle is not None:
            lost = oracle.lost(block.heads, block.starts)[state == 0]
            self.counts.update({"trees_not_derived": int((lost > 0).sum()), "arcs_not_derived": int(lost.sum())})
        bad = numpy.flatnonzero(state > 1)
        if len(bad) and not self.first_bad:
            line = block.line_number(int(block.word_lines[block.starts[bad[0]]]))
            self.first_bad = f"{block.name}, line {line}: {FAULTS[STATES[state[bad[0]]]]}"
        if block.tables is not self._tables:
            self._tables, self._seen = block.tables, {}
        inputs = [column.name for column in block.format.columns if column.category == INPUT and column.name != "ID"]
        for column in inputs:
            # In the first column, the words, an underscore is a word like any other.
            self.vocabulary.setdefault(column, set()).update(self._new(block, column, column == inputs[0]))
        for column in block.format.label_columns[:1]:
            self.labels.update(self._new(block, column, False))
            roots = numpy.repeat(state == 0, measures["tokens"]) & (block.heads == 0)
            found = Counter(block.codes(column)[roots].tolist())
            self.root_labels.update({block.tables[column].symbol(code) or EMPTY: n for code, n in found.items()})

    def _new(self, block: Block, column: str, underscore: bool) -> list[str]:
        """The values of a column that no earlier block had."""
        codes = block.codes(column)
        codes = codes[codes >= 0]
        found = numpy.zeros(int(codes.max(initial=0)) + 1, dtype=bool)
        found[codes] = True
        seen = self._seen.get(column, found[:0])
        if len(seen) < len(found):
            seen = numpy.append(seen, numpy.zeros(len(found) - len(seen), dtype=bool))
        new = numpy.flatnonzero(found & ~seen[: len(found)])
        seen[new] = True
        self._seen[column] = seen
        values = (block.tables[column].symbol(int(code)) for code in new)
        return [value for value in values if value is not None and (underscore or value != EMPTY)]

    def measure(self, heads: numpy.typing.ArrayLike, starts: numpy.typing.ArrayLike) -> numpy.typing.NDArray[Any]:
        """Take in heads only, as `malt.kernel.structure.measure` does, and return its measures."""
        measures, lengths = measure(heads, starts)
        trees = measures[measures["state"] == 0]
        self.longest = max(self.longest, int(measures["tokens"].max(initial=0)))
        self.deepest = max(self.deepest, int(trees["depth"].max(initial=0)))
        self.states.update({STATES[state]: n for state, n in Counter(measures["state"].tolist()).items()})
        self.gap_degree.update(trees["gap_degree"].tolist())
        tangled = trees[trees["ill_nested"] > 0]
        self.mildness.update(zip(tangled["mildness_lower"].tolist(), tangled["mildness_upper"].tolist(), strict=True))
        for counter, kind in ((self.planarity, "planarity"), (self.planarity_root, "planarity_root")):
            counter.update(zip(trees[f"{kind}_lower"].tolist(), trees[f"{kind}_upper"].tolist(), strict=True))
        self._add_lengths(lengths)
        self.counts.update(
            {
                "sentences": len(measures),
                "tokens": int(measures["tokens"].sum()),
                "multi_root": int((trees["roots"] > 1).sum()),
                "word_arcs": int((trees["tokens"] - trees["roots"]).sum()),
                "left_arcs": int(lengths[1].sum()),
                "nonproj_arcs": int(trees["nonprojective"].sum()),
                "nonproj": int((trees["gap_degree"] > 0).sum()),
                "crossings": int(trees["crossings"].sum()),
                "ill_nested": int(trees["ill_nested"].sum()),
                "ill_nested_strict": int(trees["ill_nested_strict"].sum()),
                "ill_nested_mildly": int((tangled["mildness_upper"] == tangled["gap_degree"]).sum()),
                "ill_nested_strongly": int((tangled["mildness_lower"] > tangled["gap_degree"]).sum()),
                "covered_roots": int(trees["covered_roots"].sum()),
                "trees_with_covered_root": int((trees["covered_roots"] > 0).sum()),
            }
        )
        return measures

    def _add_lengths(self, lengths: numpy.typing.NDArray[numpy.int64]) -> None:
        if lengths.shape[1] > self.lengths.shape[1]:
            self.lengths = numpy.pad(self.lengths, ((0, 0), (0, lengths.shape[1] - self.lengths.shape[1])))
        self.lengths[:, : lengths.shape[1]] += lengths

    def update(self, other: Profile) -> None:
        """Take in another profile."""
        self.format = other.format if self.format in ("", other.format) else "several"
        self.algorithm = other.algorithm
        self.longest = max(self.longest, other.longest)
        self.deepest = max(self.deepest, other.deepest)
        self.first_bad = self.first_bad or other.first_bad
        for name in ("counts", "states", "root_labels", "gap_degree", "mildness", "planarity", "planarity_root"):
            getattr(self, name).update(getattr(other, name))
        for column, values in other.vocabulary.items():
            self.vocabulary.setdefault(column, set()).update(values)
        self.labels |= other.labels
        self._add_lengths(other.lengths)

    def as_json(self) -> dict[str, Any]:
        """All numbers, by name, for a program to read."""
        counts = self.counts
        planar = {f"not{k}planar{suffix}": self.not_planar(k, suffix != "") for suffix in ("", "_root") for k in PLANES}
        return {
            "format": self.format,
            "sentences": counts["sentences"],
            "trees": self.trees,
            "tokens": counts["tokens"],
            "tokens_mean": counts["tokens"] / max(1, counts["sentences"]),
            "longest": self.longest,
            "deepest": self.deepest,
            "blind": self.states["blind"],
            "bad": self.bad,
            "bad_reasons": {state: self.states[state] for state in STATES[2:] if self.states[state]},
            "multi_root": counts["multi_root"],
            "word_arcs": counts["word_arcs"],
            "nonproj_arcs": counts["nonproj_arcs"],
            "nonproj": counts["nonproj"],
            "nonplanar": self.not_planar(1),
            "nonplanar_root": self.not_planar(1, root=True),
            **planar,
            "planarity": {str(k): n for k, n in self.exact().items()},
            "planarity_bounds": self.undecided(),
            "planarity_root": {str(k): n for k, n in self.exact(root=True).items()},
            "planarity_root_bounds": self.undecided(root=True),
            "crossings": counts["crossings"],
            "ill_nested": counts["ill_nested"],
            "ill_nested_strict": counts["ill_nested_strict"],
            "well_nested_nonproj": counts["nonproj"] - counts["ill_nested"],
            "ill_nested_mildly": counts["ill_nested_mildly"],
            "ill_nested_strongly": counts["ill_nested_strongly"],
            "mildness": {str(k) if k == most else f"{k}-{most}": n for (k, most), n in sorted(self.mildness.items())},
            "gap_degree": {str(degree): n for degree, n in sorted(self.gap_degree.items())},
            "covered_roots": counts["covered_roots"],
            "trees_with_covered_root": counts["trees_with_covered_root"],
            "arc_lengths": self.arc_lengths(),
            "arc_length_mean": self.mean_arc_length(),
            "left_arcs": counts["left_arcs"],
            **({} if not self.algorithm else {"algorithm": self.algorithm}),
            **{key: counts[key] for key in NOT_DERIVED if self.algorithm},
            "vocabulary": {column: len(values) for column, values in self.vocabulary.items()},
            "deprels": len(self.labels),
            "root_labels": dict(sorted(self.root_labels.items(), key=lambda item: (-item[1], item[0]))),
        }


def total(profiles: Iterable[Profile]) -> Profile:
    """The profile of several treebanks as one."""
    whole = Profile("total", files=0)
    for profile in profiles:
        whole.update(profile)
        whole.files += profile.files
    return whole


def are_related(profiles: Sequence[Profile]) -> bool:
    """Whether treebanks may be parts of one: of the same format, each with at least half of its labels in the largest.

    >>> danish, swedish = (Profile(format="conllx", labels=labels) for labels in ({"subj", "obj"}, {"SS", "OO"}))
    >>> are_related([danish, danish]), are_related([danish, swedish])
    (True, False)
    """
    largest = max((one.labels for one in profiles), key=len, default=set())
    alike = all(2 * len(one.labels & largest) >= len(one.labels) for one in profiles)
    return alike and len({one.format for one in profiles}) == 1


def root_labels(profiles: Iterable[Profile]) -> list[str]:
    """The labels of roots, the most frequent first."""
    counts = sum((one.root_labels for one in profiles if one.files == 1), Counter[str]())
    return sorted(counts, key=lambda label: (-counts[label], label))
