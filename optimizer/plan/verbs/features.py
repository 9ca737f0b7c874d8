"""Verbs about features: window, remove, add, begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from malt.features.syntax import excerpt
from malt.optimizer.plan import edits
from malt.optimizer.plan.step import Meanings, Searcher, Slots, Step, StepReader
from malt.optimizer.plan.values import ADD, REMOVE

LISTED = {"merged": edits.list_merged, "single": edits.list_single}  # what `remove` may be about, besides features
NEXT = {"InputColumn": "InputColumn({column},{A}[{n+1}])"}  # what a window grows by, if nothing is said


@dataclass(frozen=True)
class Window(Step):
    """`window: COLUMN`: the window of a column over data structures, shorter or longer."""

    also = ("of", "shrink", "grow", "templates", "greedy")

    of: tuple[str, ...]  # words, each of which stands for structures
    shrink: int
    grow: int
    greedy: bool
    next: Mapping[str, str]  # what it grows by: kind of feature -> template
    column: str

    @classmethod
    def read(cls, given: StepReader) -> Window:
        common, part, values = given.common(), given.part, given.values
        of, shrink = part("of", values.texts, ()), part("shrink", values.number, 1)
        grow, greedy = part("grow", values.number, 3), part("greedy", values.flag, True)
        next = part("templates", lambda name: values.windows[values.one_of(name, values.windows, "window")], NEXT)
        if not of:
            raise given.error("a window says `of` which words it is, such as S")
        return cls(*common, of, shrink, grow, greedy, next, values.column(values.text(given.argument), given.argument))

    def run(self, search: Searcher) -> bool:
        column = search.facts.column(self.column)
        kept = False
        for structure in [value for word in self.of for value in search.words[word]] if column else []:
            kept = self._resize(search, column, structure) or kept
        return kept

    def _resize(self, search: Searcher, column: str, structure: str) -> bool:
        """Take the last place away; if that is worse, add places one by one as long as it helps.

        Not greedy: take places away one after another, then add some to what there was, whatever comes of it.
        """
        features = start = search.best.setup.features
        kept = False
        for _ in range(self.shrink):
            shorter = edits.shrink(features, column, structure)
            if shorter == features:
                break
            found = search.try_features(shorter, REMOVE)
            features, kept = shorter, kept or found
            if self.greedy and not found:
                break
        if self.greedy and kept:
            return True
        features = search.best.setup.features if self.greedy else start
        words = {name: values[0] for name, values in search.words.items() if values}
        for _ in range(self.grow):
            longer = edits.grow(features, column, structure, self.next, words)
            features = edits.plus(features, *search.in_format(longer[len(features) :]))
            found = search.try_features(features, ADD)
            kept = kept or found
            if self.greedy and not found:
                break
        return kept

    def templates(self, words: Meanings) -> tuple[tuple[str, ...], Slots]:
        structures = [words[word] for word in self.of]
        return tuple(self.next.values()), {"column": self.column, "A": structures[0][0], "n": 1}


@dataclass(frozen=True)
class Remove(Step):
    """`remove: [FEATURE, ...]`, or `remove: {merged: COLUMN}`: each is taken away, for good if that is good enough."""

    also = ("rule", "most", "skip")

    margin: str
    most: int | None
    skip: bool  # whether the feature after one that was taken away is passed over
    listed: str  # merged or single, of a column; "": the features
    items: tuple[str, ...]  # features, or the column

    @classmethod
    def read(cls, given: StepReader) -> Remove:
        common, values, entries = given.common(), given.values, given.argument.value
        own = given.margin(REMOVE), given.part("most", values.number, None), given.part("skip", values.flag, False)
        if not isinstance(entries, dict):
            return cls(*common, *own, "", values.texts(given.argument))
        values.refuse_unknown(entries, LISTED, "remove")
        if len(entries) != 1:
            raise given.error("remove has features, or one of merged and single with a column")
        [(listed, column)] = entries.items()
        return cls(*common, *own, listed, (values.column(values.text(column), column),))

    def run(self, search: Searcher) -> bool:
        features = search.best.setup.features
        if self.listed:
            items = LISTED[self.listed](features, search.facts.column(self.items[0]))
        else:
            items = [item for item in search.fill(self.items) if item in features]
        place, kept = 0, False
        while place < len(items[: self.most]):
            item = items[place]
            found = search.try_features(edits.minus(search.best.setup.features, item), self.margin)
            if found and self.skip:  # MaltOptimizer counts on in the shorter list
                items.remove(item)
            place, kept = place + 1, kept or found
        return kept

    def templates(self, words: Meanings) -> tuple[tuple[str, ...], Slots]:
        return () if self.listed else self.items, {}


@dataclass(frozen=True)
class Add(Step):
    """`add: [FEATURE, ...]`: one after another, as long as it helps."""

    also = ("rule", "each", "of", "most", "stop", "build", "together")

    margin: str
    of: tuple[str, ...]  # where {x} of `each` may be
    each: str  # a pattern with {x}: templates are filled for all that is found
    most: int | None
    stop: bool  # at the first that is not kept
    build: bool  # whether one that was not kept stays while the next is tried
    together: bool  # whether all features for one {x} are one trial
    items: tuple[str, ...]

    @classmethod
    def read(cls, given: StepReader) -> Add:
        common, margin, part, values = given.common(), given.margin(ADD), given.part, given.values
        of, each, most = part("of", values.texts, ()), part("each", values.text, ""), part("most", values.number, None)
        stop, build, together = (part(name, values.flag, name == "stop") for name in ("stop", "build", "together"))
        if each and "x" not in edits.slots(each):
            raise given.error(f"each: there is no {{x}} in {excerpt(each)}, the place that is looked for")
        if of and not each:
            raise given.error("`of` says where {x} of `each` may be; there is no `each`")
        return cls(*common, margin, of, each, most, stop, build, together, values.texts(given.argument))

    def run(self, search: Searcher) -> bool:
        kept = False
        features = search.best.setup.features
        for items in self._series(search)[: self.most]:
            base = features if self.build else search.best.setup.features
            features = edits.plus(base, *items)
            if features == base:
                continue
            found = search.try_features(features, self.margin)
            kept = kept or found
            if self.stop and not found:
                break
        return kept

    def _series(self, search: Searcher) -> list[list[str]]:
        """The features to add, one trial after another."""
        if self.each:
            words = search.words
            structures = [value for word in self.of for value in words[word]]
            fixed = {name: values[0] for name, values in words.items() if values}
            [pattern] = search.in_format((edits.fill(self.each, {**fixed, "x": "{x}"}),)) or ("",)
            places = edits.addresses(search.best.setup.features, pattern, structures) if pattern else []
            series = [list(search.fill(self.items, x)) for x in places]
        else:
            series = [[item] for item in search.fill(self.items)]
        return series if self.together else [[item] for items in series for item in items]

    def templates(self, words: Meanings) -> tuple[tuple[str, ...], Slots]:
        if not self.each:
            return self.items, {}
        places = [f"{words[word][0]}[0]" for word in self.of] or [w for v in words.values() for w in v if "[" in w]
        return (self.each, *self.items), {"x": next(iter(places), "")}


@dataclass(frozen=True)
class Begin(Step):
    """`begin: empty`: a model without features, to build another one."""

    @classmethod
    def read(cls, given: StepReader) -> Begin:
        common = given.common()
        given.values.one_of(given.argument, ("empty",), "way to begin")
        return cls(*common)

    def run(self, search: Searcher) -> bool:
        search.leave()
        return False
