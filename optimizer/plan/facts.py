"""What the search knows of a treebank: the properties of phase 1 (paper, section 3.1), and how planar its trees are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from malt.data.formats.dataformat import EMPTY
from malt.data.xml import fits_xml
from malt.features.standins import FURTHER, are_same, columns_by_name
from malt.optimizer.trial.corpus import Corpus
from malt.trees.profile import Profile


@dataclass(frozen=True)
class Facts:
    """Numbers, lists and columns, by the words that plans use."""

    numbers: Mapping[str, float]
    lists: Mapping[str, tuple[str, ...]]
    columns_of: Mapping[str, str]  # the column of the format for each that a plan may name; "" for none
    columns: frozenset[str]  # those that have values, and not those of another column; further ones of the format too

    @classmethod
    def of(cls, corpus: Corpus) -> tuple[Facts, Profile]:
        """The facts of a treebank, with its profile.

        >>> import malt
        >>> facts, profile = Facts.of(Corpus.read(malt.sample.text(100)))
        >>> facts.numbers["sentences"], facts.lists["root labels"], sorted(facts.columns)
        (100, ('ROOT',), ['CPOSTAG', 'FEATS', 'FORM', 'LEMMA', 'POSTAG'])
        """
        profile = Profile(corpus.name, corpus.format.name)
        columns = columns_by_name(corpus.format)
        same = columns["POSTAG"] != "" and columns["CPOSTAG"] != ""
        for block in corpus.blocks():
            profile.add(block)
            same = same and are_same(block, columns["POSTAG"], columns["CPOSTAG"])
        every = {**columns, **{name: name for name in profile.vocabulary if name not in columns.values()}}
        used = {name for name, column in every.items() if profile.vocabulary.get(column, set()) - {EMPTY}}
        labels = tuple(
            label
            for label, _ in sorted(profile.root_labels.items(), key=lambda item: (-item[1], item[0]))
            if _sayable(label)
        )
        return cls(
            numbers_of(profile.as_json()),
            {"root labels": labels},
            columns,
            frozenset(used - ({"CPOSTAG"} if same else set())),
        ), profile

    @property
    def idle(self) -> frozenset[str]:
        """The columns of the format from which nothing can be learned: those without values, or with another's."""
        return frozenset(self.columns_of[name] for name in FURTHER if name not in self.columns and self.column(name))

    def column(self, name: str) -> str:
        """The column of the format for one that a plan names; "" for none."""
        return self.columns_of.get(name, name)


def numbers_of(profile: Mapping[str, Any]) -> dict[str, float]:
    """The numbers that conditions of a plan may name, from a profile as reports have it."""
    percent = {"nonprojective": "nonproj", "nonplanar": "nonplanar", "not2planar": "not2planar"}
    counts = {"tokens": "tokens", "sentences": "sentences", "covered roots": "covered_roots"}
    return {
        **{name: 100 * profile.get(key, 0) / max(1, profile.get("trees", 0)) for name, key in percent.items()},
        **{name: profile.get(key, 0) for name, key in counts.items()},
        "root labels": len(profile.get("root_labels", ())),
    }


def _sayable(label: str) -> bool:
    """Whether -grl and an option file can say it: a comma and a = have another meaning there."""
    return fits_xml(label) and not set(label) & set(",=") and label == label.strip() != ""
