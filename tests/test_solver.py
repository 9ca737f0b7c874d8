"""The kernel of learning: instances, the feature map, the default solver, scores and ranking."""

from __future__ import annotations

import hashlib
import signal
import struct
import time

import numpy
import numpy.typing
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import PROBLEMS, Problem, generate

from malt.errors import DataError, MaltError
from malt.kernel.classifiers import LinearWeights
from malt.kernel.instances import FeatureMap, Instances, read_instances, write_instances
from malt.kernel.solver import Random, crammer_singer
from malt.learning.rows import Rows


def test_the_weights_are_those_of_java() -> None:
    random = Random(0)  # one for all problems, as in one run of MaltParser
    for seed, problem in enumerate(PROBLEMS):
        codes, starts, classes, weights = crammer_singer(
            generate(problem, seed), problem.features, problem.cost, problem.tolerance, random
        )
        dense = numpy.zeros((problem.features, len(codes)))
        dense[numpy.repeat(numpy.arange(problem.features), numpy.diff(starts)), classes] = weights
        assert hashlib.sha256(dense.astype(">f8").tobytes()).hexdigest()[:16] == problem.linear


def plain_weights(problem: Problem, seed: int) -> numpy.typing.NDArray[numpy.float64]:
    """What Crammer and Singer's machine learns, as LIBLINEAR writes it down: every sum is made."""
    instances, random, cost = generate(problem, seed), Random(0), problem.cost
    codes, starts, rows = instances.classes().tolist(), instances.starts().tolist(), instances.rows().tolist()
    order = list(dict.fromkeys(codes))
    cases = [(order.index(code), rows[starts[i] : starts[i + 1]]) for i, code in enumerate(codes)]
    cases.sort(key=lambda case: case[0])
    weights = numpy.zeros((problem.features, len(order)))
    duals = numpy.zeros((len(cases), len(order)))
    alive = numpy.ones(duals.shape, bool)
    index, active = list(range(len(cases))), len(cases)
    shrink_below, complete, worst = max(10 * problem.tolerance, 1.0), True, 0.0
    while True:
        for s in range(active):
            j = s + random.integer(active - s)
            index[s], index[j] = index[j], index[s]
        worst, s = -numpy.inf, 0
        while s < active:
            i = index[s]
            (gold, features), norm, dual, s = cases[i], len(cases[i][1]), duals[i], s + 1
            if not norm:
                continue
            gradient = numpy.ones(len(order))
            gradient[gold] = 0.0
            for feature in features:
                gradient += weights[feature]
            bounds = numpy.zeros(len(order))
            bounds[gold] = cost
            free = alive[i] & (dual < bounds)
            least, most = gradient[free].min(initial=numpy.inf), gradient[alive[i]].max()
            alive[i] &= ~((dual == bounds) & (gradient < least))
            live = numpy.flatnonzero(alive[i])
            if len(live) <= 1:
                active, s = active - 1, s - 1
                index[s], index[active] = index[active], index[s]
                continue
            if most - least <= 1e-12:
                continue
            worst = max(worst, most - least)
            without = gradient[live] - norm * dual[live]
            ranked = sorted(without + numpy.where(live == gold, norm * cost, 0.0), reverse=True)
            beta, r = ranked[0] - norm * cost, 1
            while r < len(ranked) and beta < r * ranked[r]:
                beta, r = beta + ranked[r], r + 1
            new = numpy.minimum(bounds[live], (beta / r - without) / norm)
            change = numpy.where(abs(new - dual[live]) >= 1e-12, new - dual[live], 0.0)
            dual[live] = new
            for feature in features:
                weights[feature][live] += change
        if worst >= shrink_below:
            complete = False
            continue
        if worst < problem.tolerance and complete:
            return weights
        active, complete, shrink_below = len(cases), True, max(shrink_below / 2, problem.tolerance)
        alive[:] = True


@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 60),
    st.sampled_from([2, 5, 9, 17, 40, 130]),
    st.sampled_from([4, 20, 70]),
    st.integers(1, 12),
    st.sampled_from([1e-8, 1e-3, 0.1, 1.0, 30.0, 1e5]),
    st.sampled_from([0.5, 0.1, 0.02]),
    st.integers(0, 99),
)
def test_what_is_told_by_rounded_weights_changes_no_bit(
    count: int, classes: int, features: int, width: int, cost: float, tolerance: float, seed: int
) -> None:
    problem = Problem(count, classes, features, width, False, cost, tolerance, "", "")
    codes, starts, places, weights = crammer_singer(generate(problem, seed), features, cost, tolerance, Random(0))
    found = numpy.zeros((features, len(codes)))
    found[numpy.repeat(numpy.arange(features), numpy.diff(starts)), places] = weights
    expected = plain_weights(problem, seed)
    assert numpy.array_equal(found, expected)


def test_classes_come_in_order_of_first_appearance() -> None:
    instances = Instances()
    for code in (9, 2, 9, 5):
        instances.add(code, [code])
    assert crammer_singer(instances, 10, 0.1, 0.1, Random())[0].tolist() == [9, 2, 5]


def test_nothing_to_learn_from() -> None:
    with pytest.raises(MaltError, match="no training instances"):
        crammer_singer(Instances(), 0, 0.1, 0.1, Random())
    instances = Instances()
    instances.add(1, [])
    assert len(crammer_singer(instances, 0, 0.1, 0.1, Random())[3]) == 0


def test_a_feature_out_of_range_is_refused() -> None:
    instances = Instances()
    instances.add(1, [5])
    with pytest.raises(ValueError, match="feature row 5 of 5"):
        crammer_singer(instances, 5, 0.1, 0.1, Random())


def test_values_that_overflow_are_refused() -> None:
    instances = Instances()
    for code in (1, 2, 3):
        instances.add(code, [0, code], [1e200, 1e200])
    with pytest.raises(MaltError, match="too large"):
        crammer_singer(instances, 4, 0.1, 0.1, Random())


def test_progress_is_told_after_each_pass() -> None:
    told: list[tuple[int, int, float]] = []
    problem = PROBLEMS[0]
    crammer_singer(generate(problem, 0), problem.features, 0.1, 0.1, Random(), lambda *all: told.append(all))
    assert [number for number, _, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][2] < 0.1


def test_an_exception_of_the_callback_ends_training() -> None:
    def stop(number: int, active: int, violation: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crammer_singer(generate(PROBLEMS[0], 0), PROBLEMS[0].features, 0.1, 0.1, Random(), stop)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timers")
def test_a_signal_ends_training() -> None:
    def ring(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    begin = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            # Nothing is ever this exact, so this would take its 100,000 passes.
            crammer_singer(generate(PROBLEMS[2], 2), PROBLEMS[2].features, 1e9, 1e-300, Random())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begin < 20


# --- instances -------------------------------------------------------------------------------------------------


def read(text: str) -> tuple[Instances, FeatureMap]:
    instances, features = Instances(), FeatureMap()
    read_instances(text.encode(), instances, features, "odm0.liblinear.ins")
    return instances, features


def test_rows_are_given_in_order_of_first_appearance() -> None:
    instances, features = read("3\t8\t5\t\n1\t5\t5\t\n")
    assert instances.classes().tolist() == [3, 1]
    assert instances.rows().tolist() == [0, 1, 1, 2]
    assert features.keys().tolist() == [(1 << 48) + 8, (2 << 48) + 5, (1 << 48) + 5]


def test_the_items_of_a_column() -> None:
    instances, features = read("1\t-1\t4|-1|2\t\t7:2.5\t1:3\t\n".replace("\t\t", "\t-1\t"))
    assert len(features) == 4
    values = instances.values()
    assert values is not None
    assert values.tolist() == [1.0, 1.0, 2.5, 3.0]


def test_lines_without_a_class_count_for_the_map_only() -> None:
    instances, features = read("-1\t4\t\n\t\t\n2\t4\t\n")
    assert len(instances) == 1
    assert len(features) == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("1\t2\t\nx\t2\t\n", "line 2, column 1", "non-integer value 'x'"),
        ("\n", "line 1, column 1", "non-integer value ''"),
        ("1\t2\t\t3\t\n", "line 1, column 3", "non-numeric value ''"),
        ("1\tA\t\n", "line 1, column 2", "non-numeric value 'A'"),
        ("1\t|5\t\n", "line 1, column 2", "non-numeric value ''"),
        ("1\t5:\t\n", "line 1, column 2", "non-numeric value '5:'"),
        ("1\t5:x.5\t\n", "line 1, column 2", "non-numeric value '5:x.5'"),
        ("1\t5:1e3\t\n", "line 1, column 2", "non-numeric value '5:1e3'"),
        ("1\t99999999999\t\n", "line 1, column 2", "non-numeric value '99999999999'"),
        ("1\t5.0\t\n", "line 1, column 2", "non-numeric value '5.0'"),
        ("1\t\u00e9\t\n", "line 1, column 2", "non-numeric value '\u00e9'"),
    ],
)
def test_what_is_no_instance(text: str, place: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(text)
    assert str(caught.value) == f"odm0.liblinear.ins, {place}: the instance file contains a {message}"


COLUMN = st.one_of(
    st.just("-1"),
    st.integers(0, 2**31 - 1).map(str),
    st.tuples(st.integers(0, 99), st.sampled_from(["2.0", "-0.5", "17.25", "1.0E10"])).map(lambda x: f"{x[0]}:{x[1]}"),
    st.sets(st.integers(0, 99), min_size=2).map(lambda codes: "|".join(map(str, sorted(codes)))),
)


@given(st.lists(st.lists(COLUMN, min_size=3, max_size=3), min_size=1, max_size=9))
def test_what_is_read_is_written_again(lines: list[list[str]]) -> None:
    from malt.mco.javanumbers import double_text

    text = "".join("\t".join(["5", *columns, "\n"]) for columns in lines)
    instances, features = read(text)
    again = write_instances(instances, 0, len(instances), features.keys(), numpy.zeros(3, numpy.uint8), double_text)
    assert again.decode() == text


def test_arrays_give_the_same_instances() -> None:
    instances = generate(PROBLEMS[1], 1)
    again = Instances.of(instances.classes(), instances.starts(), instances.rows(), instances.values())
    assert (again.rows() == instances.rows()).all()
    assert again.has_values
    with pytest.raises(ValueError, match="instance 0 goes from 0 to 9"):
        Instances.of(numpy.ones(1, numpy.int32), numpy.array([0, 9]), numpy.zeros(2, numpy.int32))


CODES = st.one_of(st.integers(0, 60), st.integers(-5, 2**31 - 1))


@given(st.lists(st.tuples(st.integers(0, 40), CODES), max_size=300))
def test_the_feature_map_is_a_dictionary(features: list[tuple[int, int]]) -> None:
    ours, plain = FeatureMap(), dict[tuple[int, int], int]()
    for position, code in features:
        assert ours.add(position, code) == plain.setdefault((position, code), len(plain))
    assert len(ours) == len(plain)
    again = FeatureMap.of(ours.keys(), numpy.arange(len(ours), dtype=numpy.int32))  # in the form for looking up
    for some in (ours, again):
        assert all(some.row(*feature) == row for feature, row in plain.items())
        assert all(some.row(*other) == -1 for other in ((41, 1), (0, 61), (70000, 0)) if other not in plain)
        assert some.add(50, 1) == len(plain)  # and it grows
        assert all(some.row(*feature) == row for feature, row in plain.items())
        assert len(some) == some.rows == len(plain) + 1


# --- scores ----------------------------------------------------------------------------------------------------

WEIGHT = st.one_of(st.just(0.0), st.just(-0.0), st.floats(-2, 2), st.sampled_from([0.1, 0.2, 0.3, -0.3]))


@st.composite
def tables(draw: st.DrawFn) -> numpy.typing.NDArray[numpy.float64]:
    classes = draw(st.integers(1, 40))
    rows = draw(st.lists(st.lists(WEIGHT, min_size=classes, max_size=classes), min_size=1, max_size=8))
    return numpy.array(rows)


def kernel_of(table: numpy.typing.NDArray[numpy.float64]) -> LinearWeights:
    rows = Rows.from_dense(table)
    return LinearWeights(rows.first, rows.count, rows.places, rows.numbers, table.shape[1])


def plain_scores(table: numpy.typing.NDArray[numpy.float64], rows: list[int], values: list[float]) -> list[float]:
    """As MaltParser adds: by ascending rows, zeros too."""
    scores = [0.0] * table.shape[1]
    for row, value in sorted(zip(rows, values, strict=True)):
        for k, weight in enumerate(table[row].tolist()):
            scores[k] += weight * value
    return scores


def plain_ranking(scores: list[float], codes: list[int]) -> list[int]:
    """MaltParser's selection sort."""
    scores, codes = list(scores), list(codes)
    for i in range(len(scores) - 1):
        best = i
        for j in range(i + 1, len(scores)):
            if scores[j] > scores[best]:
                best = j
        scores[i], scores[best] = scores[best], scores[i]
        codes[i], codes[best] = codes[best], codes[i]
    return codes


@pytest.mark.slow
@given(tables(), st.data())
@settings(max_examples=200)
def test_scores_are_the_plain_sums_to_the_last_bit(
    table: numpy.typing.NDArray[numpy.float64], data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.integers(0, len(table) - 1), unique=True))
    values = data.draw(st.lists(st.sampled_from([1.0, 2.0, 0.1]), min_size=len(rows), max_size=len(rows)))
    kernel, ones = kernel_of(table), [1.0] * len(rows)
    assert bits(kernel.scores(rows)) == bits(plain_scores(table, rows, ones))
    assert bits(kernel.scores(rows, values)) == bits(plain_scores(table, rows, values))
    codes = list(range(100, 100 + table.shape[1]))
    assert kernel.ranked(rows, codes).tolist() == plain_ranking(plain_scores(table, rows, ones), codes)


def bits(numbers: object) -> bytes:
    return b"".join(struct.pack("d", number) for number in numbers)  # type: ignore[attr-defined]


@given(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, -1.0]), min_size=1, max_size=70))
def test_ties_are_ranked_as_the_selection_sort_leaves_them(scores: list[float]) -> None:
    kernel = kernel_of(numpy.array([scores]))
    codes = list(range(len(scores)))
    assert kernel.ranked([0], codes).tolist() == plain_ranking(scores, codes)


def test_hundreds_of_dense_rows_are_added_in_order() -> None:
    table = numpy.random.default_rng(7).normal(size=(200, 13))
    assert bits(kernel_of(table).scores(range(200))) == bits(plain_scores(table, list(range(200)), [1.0] * 200))


def test_rows_that_share_their_weights() -> None:
    weights = LinearWeights(
        numpy.array([0, 0, 2, 0]),
        numpy.array([2, 2, 1, 1], numpy.int32),
        numpy.array([0, 1, 1], numpy.int32),
        numpy.array([1.0, 2.0, 3.0]),
        40,
    )
    assert [weights.scores([row])[:2].tolist() for row in range(4)] == [[1, 2], [1, 2], [0, 3], [1, 0]]


def test_long_rows_that_share_their_weights() -> None:
    places, numbers = numpy.arange(60, dtype=numpy.int32), numpy.arange(1.0, 61)
    for n_classes in (100, 1000):  # a dense row, and a sparse one
        count = numpy.array([60, 1, 60, 60], numpy.int32)
        weights = LinearWeights(numpy.zeros(4, numpy.int64), count, places, numbers, n_classes)
        for row, wanted in enumerate((numbers, [1], numbers, numbers)):
            assert weights.scores([row])[: len(wanted)].tolist() == list(wanted)
        assert weights.scores([0, 1, 2, 3])[:60].tolist() == [4.0, *(3 * numbers[1:])]


@pytest.mark.parametrize(
    ("first", "count", "classes", "n_classes"),
    [
        ([0], [3], [0, 1], 2),
        ([-1], [1], [0], 2),
        ([0], [1], [2], 2),
        ([0], [-1], [0], 2),
        ([0], [1], [0], 0),
        ([2], [1], [0], 2),
    ],
)
def test_weights_that_do_not_fit(first: list[int], count: list[int], classes: list[int], n_classes: int) -> None:
    with pytest.raises(ValueError, match=r"row 0|class"):
        LinearWeights(
            numpy.array(first), numpy.array(count, numpy.int32), numpy.array(classes, numpy.int32),
            numpy.ones(len(classes)), n_classes,
        )  # fmt: skip


def test_what_was_learned_is_predicted() -> None:
    instances = Instances()
    for code in (4, 7, 9, 4, 7):
        instances.add(code, [code, 0])
    codes, starts, classes, weights = crammer_singer(instances, 10, 1.0, 0.01, Random())
    rows = Rows.from_sparse(starts, classes, weights)
    kernel = LinearWeights(rows.first, rows.count, rows.places, rows.numbers, len(codes))
    assert codes[kernel.predict(instances)].tolist() == [4, 7, 9, 4, 7]
