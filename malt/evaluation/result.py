"""The result of an evaluation: counts and scores of each parsed file, and comparisons of them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy

from malt.errors import UsageError, counted
from malt.evaluation import words
from malt.evaluation.attachment import Integers
from malt.evaluation.confusion import Confusion
from malt.evaluation.convention import CONTENT, FUNCTIONAL, Convention, without_subtype
from malt.evaluation.significance import LEVEL, RESAMPLES, SEED, McNemar
from malt.evaluation.tally import ClassCounts, Tally, ratio
from malt.evaluation.validity import Validity
from malt.trees.profile import LENGTHS

DIRECTIONS = ("root", "left", "right", "self")
ARC_LENGTHS = ("root", *LENGTHS)
DEPTHS = ("1", "2", "3", "4", "5", "6", "7+")
SENTENCE_LENGTHS = ("1-10", "11-20", "21-30", "31-40", "41-50", "51+")
PROJECTIVITY = ("projective", "non-projective")
CONTENT_WORDS = ("other", "content")
GROUPS: dict[str, tuple[str, ...]] = {  # and their classes, where these are known beforehand
    "label": (),
    "pos": (),
    "length": ARC_LENGTHS,
    "direction": DIRECTIONS,
    "depth": DEPTHS,
    "sentence": SENTENCE_LENGTHS,
    "projectivity": PROJECTIVITY,
}
BY_GOLD = ("pos", "sentence")  # classes that the parser has no say in: there is no precision and recall


class Scores:
    """One parsed file by one convention: counts by class and whole sentences, with and without punctuation."""

    def __init__(self, convention: Convention) -> None:
        self.convention = convention
        self.tallies = {group: Tally() for group in (*GROUPS, "content")}
        self.confusion = Confusion()  # of labels
        # By whether punctuation counts: sentences with a word that counts; of these, all right, and all heads right.
        self.sentences = numpy.zeros((2, 3), numpy.int64)
        self.names: Mapping[str, Sequence[str]] = {}  # of the classes in groups that have no list of them

    def counts(self, punctuation: bool, group: str = "direction", of: int | None = None) -> ClassCounts:
        """The counts of a class of a group, or of all words."""
        return self.tallies[group].counts(of, punctuation)

    def classes(self, group: str, punctuation: bool) -> dict[str, ClassCounts]:
        """The classes of a group that occur, each with its counts."""
        found: dict[str, ClassCounts] = {}
        for number in self.tallies[group].classes():
            line = self.counts(punctuation, group, number)
            if line.gold or line.system:
                found[self._name(group, number)] = line
        return found

    def _name(self, group: str, number: int) -> str:
        return GROUPS[group][number] if GROUPS[group] else self._symbol(group, number)

    def _symbol(self, group: str, code: int) -> str:
        return self.names[group][code] if code >= 0 else ""

    def confusions(self, punctuation: bool) -> list[tuple[str, str, int]]:
        """Labels taken for others: the gold label, the system's (empty for none), and how often; most first."""
        pairs = self.confusion.pairs(punctuation).items()
        found = [(self._symbol("label", one), self._symbol("label", two), n) for (one, two), n in pairs if one != two]
        return sorted(found, key=lambda item: (-item[2], item[:2]))

    def complete(self, punctuation: bool) -> tuple[float | None, float | None]:
        """The shares of sentences in which all is right: heads and labels, and heads."""
        sentences, labelled, unlabelled = (int(n) for n in self.sentences[int(punctuation)])
        return ratio(labelled, sentences), ratio(unlabelled, sentences)

    def content(self, punctuation: bool) -> ClassCounts:
        """The counts of content words; its `f` is CLAS."""
        return self.counts(punctuation, "content", CONTENT_WORDS.index("content"))

    @property
    def labels_are_ud(self) -> bool:
        """Whether most labels of the gold standard are relations of UD, without which CLAS says nothing."""
        counts = {name: line.gold for name, line in self.classes("label", True).items()}
        known = CONTENT | FUNCTIONAL | {"punct"}
        return 2 * sum(n for name, n in counts.items() if without_subtype(name) in known) >= sum(counts.values())

    def nonprojective(self, punctuation: bool) -> ClassCounts:
        """The counts of non-projective arcs."""
        return self.counts(punctuation, "projectivity", PROJECTIVITY.index("non-projective"))

    def to_dict(self, punctuation: bool) -> dict[str, Any]:
        """All numbers, by name."""
        total = self.counts(punctuation)
        labelled, unlabelled = self.complete(punctuation)
        by = {group: self.classes(group, punctuation).items() for group in GROUPS}
        return {
            "words": total.gold,
            "las": total.las,
            "uas": total.uas,
            "label_accuracy": total.label_accuracy,
            "complete_sentences": int(self.sentences[int(punctuation)][0]),
            "complete_labelled": labelled,
            "complete_unlabelled": unlabelled,
            **({} if self.convention.subtypes else {"clas": self.content(punctuation).to_dict()}),
            "nonprojective": self.nonprojective(punctuation).to_dict(),
            "by": {group: {name: line.to_dict() for name, line in lines} for group, lines in by.items()},
        }


class Summary:
    """What most people want to know of a parsed file, by the chosen rules: shares between 0 and 1, nan of nothing."""

    @property
    def only(self) -> ScoredFile:
        """The file in question."""
        raise NotImplementedError

    @property
    def las(self) -> float:
        """Labelled attachment: words with the right head and the right label."""
        return _number(self.only.total.las)

    @property
    def uas(self) -> float:
        """Unlabelled attachment: words with the right head."""
        return _number(self.only.total.uas)

    @property
    def label_accuracy(self) -> float:
        """Words with the right label."""
        return _number(self.only.total.label_accuracy)

    @property
    def clas(self) -> float:
        """The F-score of the relations between content words; nan where the labels are not those of UD."""
        scores = self.only.chosen
        return _number(scores.content(self.only.punctuation).f if scores.labels_are_ud else None)

    @property
    def complete_match(self) -> float:
        """Sentences in which all words have the right head and the right label."""
        return _number(self.only.chosen.complete(self.only.punctuation)[0])


def _number(share: float | None) -> float:
    return math.nan if share is None else share


@dataclass(repr=False)
class ScoredFile(Summary):
    """A parsed file and its scores."""

    name: str
    scores: dict[str, Scores]  # by convention
    convention: Convention  # the chosen one
    punctuation: bool  # are words of punctuation counted?
    blind: int = 0  # words without a head
    right: list[Integers] = field(default_factory=list)  # words right in each sentence, by the chosen rules
    interval: tuple[float, float] | None = None  # of LAS
    validity: Validity = field(default_factory=Validity)

    @property
    def only(self) -> ScoredFile:
        """Itself."""
        return self

    @property
    def chosen(self) -> Scores:
        """Its scores by the chosen convention."""
        return self.scores[self.convention.name]

    @property
    def total(self) -> ClassCounts:
        """The counts of all words that count."""
        return self.chosen.counts(self.punctuation)

    def __repr__(self) -> str:
        return f"<ScoredFile {self.name}: {self.in_words()}>"

    def in_words(self) -> str:
        """The main scores."""
        return f"LAS {words.percent(self.total.las).strip()}, UAS {words.percent(self.total.uas).strip()}"

    def to_dict(self) -> dict[str, Any]:
        """All numbers, by name: by convention, and by whether punctuation is in or out."""
        ways = {"in": True, "out": False}
        scores = {name: {way: one.to_dict(marks) for way, marks in ways.items()} for name, one in self.scores.items()}
        return {"without_head": self.blind, "las_interval": self.interval, **scores}


@dataclass
class Comparison:
    """Two parsed files, by the chosen rules."""

    first: str
    second: str
    only_first: int  # words that only the first has right: head and label
    only_second: int
    mcnemar: McNemar
    difference: float | None  # of LAS: what the second gains over the first
    interval: tuple[float, float] | None


@dataclass(repr=False)
class Evaluation(Summary):
    """Everything that is known about some parsed files. Of one, the scores are here, too: `las`, `uas` and others."""

    gold: str
    format: str
    convention: Convention  # the chosen one
    punctuation: bool | None  # are words of punctuation counted? None: as each convention says
    sentences: int = 0
    words: int = 0
    marks: int = 0  # words of punctuation
    systems: list[ScoredFile] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    validity: Validity = field(default_factory=Validity)  # of the gold standard

    @property
    def only(self) -> ScoredFile:
        """The parsed file, if there is one only."""
        if len(self.systems) != 1:
            raise UsageError(f"there are {len(self.systems)} systems; each has its scores: see .systems[0].las")
        return self.systems[0]

    def __repr__(self) -> str:
        names = [f"{system.name}: " if len(self.systems) > 1 else "" for system in self.systems]
        scores = "; ".join(name + system.in_words() for name, system in zip(names, self.systems, strict=True))
        size = f"{counted(self.sentences, 'sentence')}, {counted(self.words, 'word')}"
        return f"<Evaluation {scores}; {size}; {self.rules_in_words(self.convention)}>"

    def to_dict(self) -> dict[str, Any]:
        """All numbers, by name, as `malt eval --json` has them. Shares are between 0 and 1; None is a share of nothing.

        Every system has its scores by convention and by whether punctuation is in or out; intervals and comparisons are
        by the convention and the punctuation that are named at the top.
        """
        return {
            "gold": self.gold,
            "format": self.format,
            "sentences": self.sentences,
            "words": self.words,
            "punctuation_words": self.marks,
            "convention": self.convention.name,
            "punctuation": "in" if self.counts_punctuation(self.convention) else "out",
            "bootstrap": {"resamples": RESAMPLES, "seed": SEED, "level": LEVEL},
            "systems": {system.name: system.to_dict() for system in self.systems},
            "comparisons": [asdict(one) for one in self.comparisons],
        }

    def counts_punctuation(self, convention: Convention) -> bool:
        """Whether words of punctuation count."""
        return convention.punctuation if self.punctuation is None else self.punctuation

    @property
    def has_clas(self) -> bool:
        """Whether CLAS is among the scores: the labels must be those of UD."""
        return any(one.labels_are_ud for one in self.systems[0].scores.values())

    def rules_in_words(self, convention: Convention) -> str:
        """What is counted, for headings."""
        counted = "with" if self.counts_punctuation(convention) else "without"
        subtypes = "" if convention.subtypes else ", labels without subtypes"
        return f"{convention.title}, {counted} punctuation{subtypes}"

    def heading(self, convention: Convention) -> str:
        """The rules, and how many words count by them."""
        total = self.systems[0].scores[convention.name].counts(self.counts_punctuation(convention))
        return f"{self.rules_in_words(convention)}: {total.gold:,} word{'s' * (total.gold != 1)}"

    def overview(self, convention: Convention) -> list[tuple[str, list[str]]]:
        """The scores by one convention: a name, and what each system has."""
        marks = self.counts_punctuation(convention)
        scores = [system.scores[convention.name] for system in self.systems]
        totals = [one.counts(marks) for one in scores]
        rows = [("labelled attachment (LAS)", [words.percent(one.las) for one in totals])]
        if convention == self.convention:
            rows += [("  95 % interval", [words.interval(system.interval) for system in self.systems])]
        rows += [
            ("unlabelled attachment (UAS)", [words.percent(one.uas) for one in totals]),
            ("label accuracy", [words.percent(one.label_accuracy) for one in totals]),
        ]
        if not convention.subtypes and scores[0].labels_are_ud:
            content = [one.content(marks) for one in scores]
            size = content[0].gold
            rows += [(f"{size:,} content word{'s' * (size != 1)} (CLAS)", [words.percent(one.f) for one in content])]
        complete = [one.complete(marks) for one in scores]
        rows += [
            ("complete match, labelled", [words.percent(labelled) for labelled, _ in complete]),
            ("complete match, unlabelled", [words.percent(unlabelled) for _, unlabelled in complete]),
        ]
        if convention == self.convention:
            arcs = [one.nonprojective(marks) for one in scores]
            rows += [
                (f"non-projective arcs ({arcs[0].gold:,} in gold)", [f"{one.system:,}  " for one in arcs]),
                ("  labelled precision", [words.percent(one.precision) for one in arcs]),
                ("  labelled recall", [words.percent(one.recall) for one in arcs]),
            ]
        return rows

    def classes(self, group: str) -> tuple[list[str], dict[str, int], list[dict[str, ClassCounts]]]:
        """The classes of a group in the order to show them, how many words they have in the gold standard, and the
        counts of each system, by the chosen convention."""
        marks = self.counts_punctuation(self.convention)
        found = [system.scores[self.convention.name].classes(group, marks) for system in self.systems]
        gold = {name: line.gold for lines in found for name, line in lines.items()}
        order = list(GROUPS[group]) or sorted(gold, key=lambda name: (-gold[name], name))
        return [name for name in order if name in gold], gold, found

    def _repr_html_(self) -> str:
        """The scores by the chosen convention, as notebooks show them."""
        from malt.drawing.page.notebook import snippet
        from malt.drawing.reports.overview import overview_table

        paths = [system.name for system in self.systems]
        short = [os.path.basename(path) for path in paths]
        names = short if len(set(short)) == len(paths) else paths
        return snippet(overview_table(self.overview(self.convention), names, self.heading(self.convention)))
