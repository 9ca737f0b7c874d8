"""A parser as scikit-learn has its estimators, so that its cross-validation and its searches work with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from inspect import Parameter, Signature, signature
from typing import Any

import numpy
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from malt.data.sentence import Sentence
from malt.data.source import Source, read
from malt.errors import DataError, UsageError, nearest, quoted
from malt.evaluation.attachment import Arcs
from malt.evaluation.convention import CONVENTIONS, convention_of
from malt.library import find_option, parameters, train
from malt.model import Model

METRICS = ("las", "uas")
NAMED = ("algorithm", "features", "format", "charset")  # as in malt.train
OPTIONS = {name: key for name, key in parameters().items() if name not in NAMED}


class DependencyParser(BaseEstimator):  # type: ignore[misc]
    """Learns from sentences with heads and labels (X; there is no y) and is scored by those that it gives back.

    `algorithm`, `features`, `cost` and `options` are those of `malt.train`, and so is every other option by its name,
    such as `marking_strategy`. `metric` is what `score` gives: las, the share of words with the right head and label,
    or uas, with the right head. `punctuation` says whether words of punctuation count. Without it they do in CoNLL-U,
    where subtypes of labels do not, and else the other way round, as in `malt eval`.

    >>> import malt
    >>> from sklearn.model_selection import GridSearchCV, cross_val_score
    >>> sentences = malt.read("".join(malt.sample.text(60)))
    >>> scores = cross_val_score(DependencyParser("stacklazy"), sentences, cv=3)
    >>> len(scores), bool(0.3 < scores.mean() < 0.9)
    (3, True)
    >>> search = GridSearchCV(DependencyParser(), {"algorithm": ["nivreeager", "2planar"], "cost": [0.1, 0.5]}, cv=2)
    >>> search.fit(sentences).best_estimator_.model_
    <Model a model that is not saved: nivreeager, liblinear, conllx>
    >>> DependencyParser(marking_strategy="head").set_params(lifting_order="deepest")
    DependencyParser(lifting_order='deepest', marking_strategy='head')
    """

    def __init__(
        self,
        algorithm: str | None = None,
        features: str | os.PathLike[str] | None = None,
        cost: float | None = None,
        options: Mapping[str, object] | None = None,
        metric: str = "las",
        punctuation: bool | None = None,
        format: str | None = None,
        charset: str | None = None,
        **more: object,
    ) -> None:
        self.algorithm = algorithm
        self.features = features
        self.cost = cost
        self.options = options
        self.metric = metric
        self.punctuation = punctuation
        self.format = format
        self.charset = charset
        for name in more:
            if name not in OPTIONS:
                meant = find_option(name).key  # or else what is wrong is said there
                raise UsageError(f"{name} is {next(own for own, key in parameters().items() if key == meant)} here")
        for name in OPTIONS:
            setattr(self, name, more.get(name))

    def fit(self, X: Source, y: object = None) -> DependencyParser:
        """Learn from sentences, or from whatever `malt.train` learns from; the model is then `model_`."""
        names = ("cost", "options", *NAMED, *OPTIONS)
        self.model_: Model = train(X, **{name: getattr(self, name) for name in names})
        return self

    def predict(self, X: Source) -> list[Sentence]:
        """The sentences with the heads and labels that are predicted."""
        check_is_fitted(self)
        return list(self.model_.parse(X, self.charset or "UTF-8"))

    def score(self, X: Source, y: object = None) -> float:
        """The share of words that are right, by `metric`."""
        gold = read(X, self.format or "", self.charset or "UTF-8")
        return attachment(gold, self.predict(gold), self.metric, self.punctuation)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        tags.input_tags.two_d_array = False
        return tags


def _with_options(init: Signature) -> Signature:
    """What scikit-learn reads the parameters from: with the options one by one."""
    *named, _ = init.parameters.values()
    return init.replace(
        parameters=[*named, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in OPTIONS)]
    )


DependencyParser.__init__.__signature__ = _with_options(signature(DependencyParser.__init__))  # type: ignore[attr-defined]


def attachment(
    gold: Iterable[Sentence], parsed: Iterable[Sentence], metric: str = "las", punctuation: bool | None = None
) -> float:
    r"""The share of words with the right head, and for las the right label, by the convention of the format.

    >>> gold = read("1\tHunde\t_\tN\tN\t_\t2\tsubj\n2\tgør\t_\tV\tV\t_\t0\tROOT\n3\t.\t_\tP\tP\t_\t2\tp\n")
    >>> parsed = read("1\tHunde\t_\tN\tN\t_\t2\tobj\n2\tgør\t_\tV\tV\t_\t0\tROOT\n3\t.\t_\tP\tP\t_\t1\tp\n")
    >>> attachment(gold, parsed), attachment(gold, parsed, "uas"), attachment(gold, parsed, "uas", punctuation=True)
    (0.5, 1.0, 0.6666666666666666)
    """
    if metric not in METRICS:
        raise UsageError(
            f"metric: expected {' or '.join(METRICS)}, not {quoted(str(metric))}{nearest(str(metric), METRICS)}"
        )
    if punctuation is not None and not isinstance(punctuation, (bool, numpy.bool_)):
        raise UsageError(f"punctuation: expected True or False, or None, not {quoted(str(punctuation))}")
    words = right = 0
    codes: dict[str, int] = {}
    for one, other in zip(gold, parsed, strict=True):
        rules = CONVENTIONS[convention_of(one.format.name)]
        rules = rules if punctuation is None else replace(rules, punctuation=punctuation)
        if one.forms != other.forms:
            raise DataError(f"the sentences differ: {one!r} and {other!r} have other words")
        wanted, found = (Arcs.from_names(tree.heads, tree.labels, rules, codes) for tree in (one, other))
        if wanted.heads.min() < 0:
            raise DataError(f"a word has no head, so there is nothing to score: {quoted(one.text)}")
        counts = numpy.array([rules.counts(form or "") for form in one.forms])
        words += int(counts.sum())
        right += int((found.right(wanted, metric) & counts).sum())
    if not words:
        raise DataError("there are no words to score")
    return right / words
