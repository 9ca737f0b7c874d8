"""The estimator works as scikit-learn expects of one."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, train_test_split

import malt
from malt import DependencyParser
from malt.evaluation.evaluation import evaluate
from malt.integrations.sklearn import attachment
from malt.library import ELSEWHERE, find_option
from malt.settings.catalogue import catalogue
from malt.settings.commandline import options_of

pytestmark = pytest.mark.slow

SENTENCES = malt.read("".join(malt.sample.text(90)))


def test_parameters() -> None:
    parser = DependencyParser("2planar", cost=0.2, options={"2pr": True})
    given = {name: value for name, value in parser.get_params().items() if value is not None}
    assert given == {"algorithm": "2planar", "cost": 0.2, "options": {"2pr": True}, "metric": "las"}
    copy = clone(parser).set_params(algorithm="planar")
    assert (parser.algorithm, copy.algorithm, copy.cost) == ("2planar", "planar", 0.2)
    assert repr(copy).startswith("DependencyParser(algorithm='planar', cost=0.2")
    with pytest.raises(NotFittedError):
        copy.predict(SENTENCES)


def test_every_option_is_a_parameter() -> None:
    names = {"algorithm", "features", "cost", "options", "metric", "punctuation", "format", "charset"}
    found = DependencyParser().get_params()
    assert names < set(found)
    known = {option.key for option in options_of(catalogue().programs["malt"].commands["train"], catalogue())}
    assert {find_option(name).key for name in set(found) - {"cost", "options", "metric", "punctuation"}} == (
        known - set(ELSEWHERE)
    )
    parser = clone(DependencyParser(marking_strategy="head")).set_params(lifting_order="deepest", root_label="top")
    assert (
        " ".join(repr(parser).split())
        == "DependencyParser(lifting_order='deepest', marking_strategy='head', root_label='top')"
    )
    options = parser.fit(SENTENCES[:20]).model_.options
    assert [options[f"pproj.{name}"] for name in ("marking_strategy", "lifting_order")] == ["head", "deepest"]
    assert options["graph.root_label"] == "top"
    for wrong, message in {
        "pp": "pp is marking_strategy here",
        "marking_strateg": "did you mean marking_strategy",
        "logfile": "logging.getLogger",
    }.items():
        with pytest.raises(malt.UsageError, match=message):
            DependencyParser(**{wrong: "head"})


def test_search_over_an_option() -> None:
    grid = {"marking_strategy": ["none", "head"], "nivre_allow_root": numpy.array([True, False])}
    search = GridSearchCV(DependencyParser(), grid, cv=2, error_score="raise").fit(SENTENCES)
    assert len(set(search.cv_results_["mean_test_score"])) > 1
    options = search.best_estimator_.model_.options
    assert options["pproj.marking_strategy"] == search.best_params_["marking_strategy"]


def test_arrays_and_predictions() -> None:
    array = numpy.array(SENTENCES, dtype=object)
    parsed = cross_val_predict(DependencyParser(), array, cv=3)
    assert (parsed.shape, parsed.dtype) == (array.shape, object)
    assert parsed.tolist() == cross_val_predict(DependencyParser(), SENTENCES, cv=3).tolist()
    assert [s.forms for s in parsed] == [s.forms for s in SENTENCES]
    scores = cross_val_score(DependencyParser(), array, cv=3)
    assert min(scores) < malt.evaluate(SENTENCES, parsed).las < max(scores)
    texts = list(map(str, SENTENCES[:30]))
    assert DependencyParser().fit(texts).score(texts) == DependencyParser().fit(array[:30]).score(array[:30])


def test_charset(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes("".join(map(str, SENTENCES)).encode("latin-1"))
    parser = DependencyParser(charset="ISO-8859-1").fit(tmp_path / "latin")
    assert parser.score(tmp_path / "latin") == DependencyParser().fit(SENTENCES).score(SENTENCES)


def test_fit_and_predict() -> None:
    train, test = train_test_split(SENTENCES, random_state=1)
    parser = DependencyParser().fit(train)
    parsed = parser.predict(test)
    assert [s.forms for s in parsed] == [s.forms for s in test]
    assert parser.score(test) == attachment(test, parsed)
    assert DependencyParser(metric="uas").fit(train).score(test) >= parser.score(test)
    assert attachment(test, test) == 1.0
    copy = pickle.loads(pickle.dumps(parser))
    assert list(map(str, copy.predict(test))) == list(map(str, parsed))


@pytest.mark.parametrize("format", ["conllx", "conllu"])
@pytest.mark.parametrize("punctuation", [None, False, True])
def test_scores_are_those_of_eval(format: str, punctuation: bool | None, tmp_path: Path) -> None:
    gold = malt.read("".join(malt.sample.text(60, format)))
    parser = DependencyParser(punctuation=punctuation).fit(gold[:30])
    parsed = parser.predict(gold)
    for name, sentences in (("gold", gold), ("parsed", parsed)):
        (tmp_path / name).write_text("".join(map(str, sentences)), encoding="utf-8")
    result = evaluate(str(tmp_path / "gold"), [str(tmp_path / "parsed")], format, punctuation=punctuation)
    scores = result.systems[0].scores[result.convention.name]
    line = scores.counts(result.counts_punctuation(result.convention))
    assert parser.score(gold) == line.las
    assert attachment(gold, parsed, "uas", punctuation) == line.uas


def test_cross_validation() -> None:
    alone = cross_val_score(DependencyParser("2planar"), SENTENCES, cv=2)
    together = cross_val_score(DependencyParser("2planar"), SENTENCES, cv=2, n_jobs=2)  # in two processes
    assert alone.tolist() == together.tolist()
    assert 0.3 < alone.mean() < 0.95


def test_grid_search() -> None:
    grid = {"algorithm": ["nivreeager", "2planar"], "cost": numpy.array([0.05, 0.5])}
    search = GridSearchCV(DependencyParser(), grid, cv=2, error_score="raise").fit(SENTENCES)
    assert len(search.cv_results_["mean_test_score"]) == 4
    assert search.best_params_["algorithm"] in ("nivreeager", "2planar")
    best = search.best_estimator_.model_
    assert best.options["lib.options"] == f"-c_{search.best_params_['cost']}"
    assert len(search.predict(SENTENCES)) == len(SENTENCES)


def test_cost_is_added_to_the_options_of_the_learner() -> None:
    parser = DependencyParser(cost=0.5, options={"lo": "-s_4_-e_0.2"}).fit(SENTENCES)
    assert parser.model_.options["lib.options"] == "-s_4_-e_0.2_-c_0.5"


def test_errors() -> None:
    with pytest.raises(malt.UsageError, match="metric: expected las or uas"):
        DependencyParser(metric="los").fit(SENTENCES).score(SENTENCES)
    with pytest.raises(malt.UsageError, match="metric: expected las or uas, not '3'"):
        attachment(SENTENCES, SENTENCES, 3)  # type: ignore[arg-type]
    with pytest.raises(malt.UsageError, match="punctuation: expected True or False"):
        attachment(SENTENCES, SENTENCES, punctuation="in")  # type: ignore[arg-type]
    with pytest.raises(malt.DataError, match="a word has no head"):
        DependencyParser().fit(SENTENCES).score([malt.Sentence.from_rows(["la"])])
    with pytest.raises(malt.DataError, match="no words to score"):
        attachment([], [])
    with pytest.raises(malt.DataError, match="have other words"):
        attachment(SENTENCES[:1], SENTENCES[1:2])
