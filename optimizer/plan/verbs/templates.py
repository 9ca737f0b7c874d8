"""A verb about the templates of the structured learner: select."""

from __future__ import annotations

from dataclasses import dataclass

from malt.optimizer.plan import edits
from malt.optimizer.plan.step import Searcher, Step, StepReader
from malt.optimizer.plan.values import ADD, OPTION, REMOVE

GROUPS, TEMPLATES, ALL = SELECTED = ("groups", "templates", "all")
BACKWARD, FORWARD = WAYS = ("backward", "forward")


@dataclass(frozen=True)
class Select(Step):
    """`select: groups`: groups of templates are taken away or added, one by one, and each is gone, or stays, if that is
    good enough; `select: templates`: the same with the templates of the groups that help, those that help most first;
    `select: all`: all default templates at once."""

    also = ("by", "rule", "most")

    margin: str
    by: str
    most: int | None  # trials
    what: str

    @classmethod
    def read(cls, given: StepReader) -> Select:
        common, values = given.common(), given.values
        what = values.one_of(given.argument, SELECTED, "way to select")
        by = given.part("by", lambda way: values.one_of(way, WAYS, "direction"), BACKWARD)
        if what == ALL and "by" in given.parts:
            raise given.error("`select: all` has no direction")
        rule = given.margin(OPTION if what == ALL else REMOVE if by == BACKWARD else ADD)
        return cls(*common, rule, by, given.part("most", values.number, None), what)

    def run(self, search: Searcher) -> bool:
        if not search.best.setup.structured:
            return False
        if self.what == ALL:
            features = search.default_features
            changed = set(features) != set(search.best.setup.features)
            return changed and search.try_features(features, self.margin, "all default templates")
        return self._single(search) if self.what == TEMPLATES else self._groups(search)

    def _groups(self, search: Searcher) -> bool:
        kept, tried = False, 0
        for name, group in search.groups.items():
            before = search.best.score
            features, what = self._changed(search, group), "without" if self.by == BACKWARD else "with"
            if features in ((), search.best.setup.features):
                continue
            if tried == self.most:
                break
            found = search.try_features(features, self.margin, f"{what} {name}")
            tried, kept = tried + 1, kept or found
            if self.by == BACKWARD:
                search.worth[name] = 0.0 if found or search.last.error else before - search.last.score
        return kept

    def _single(self, search: Searcher) -> bool:
        if not search.sure:
            return False  # which groups help is not known yet
        worth = search.worth
        helpful = sorted((name for name in search.groups if worth.get(name, 0.0) > 0), key=lambda name: -worth[name])
        single = [template for name in helpful for template in search.groups[name]]
        kept, tried = False, 0
        for template in single:
            features = self._changed(search, (template,))
            if features in ((), search.best.setup.features):
                continue
            if tried == self.most:
                break
            tried, kept = tried + 1, search.try_features(features, self.margin) or kept
        return kept

    def _changed(self, search: Searcher, templates: tuple[str, ...]) -> tuple[str, ...]:
        change = edits.minus if self.by == BACKWARD else edits.plus
        return change(search.best.setup.features, *templates)
