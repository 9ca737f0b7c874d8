"""What Java writes: random numbers, the order of hash tables, serialized objects, and what only looks like them."""

from __future__ import annotations

import io
import struct
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from problems import PROBLEMS, generate

from malt.errors import DataError, MaltError
from malt.kernel.instances import FeatureMap
from malt.kernel.java import JavaReader, slot_order
from malt.kernel.solver import Random
from malt.learning.classifier import LinearClassifier, VectorClassifier
from malt.learning.liblinear import train
from malt.learning.parameters import parse
from malt.learning.rows import Rows
from malt.mco.featuremap import StoredMap, hashes
from malt.mco.javaclasses import CLASSES, FEATURE_MAP, LINEAR_MODEL
from malt.mco.javanumbers import double_text
from malt.mco.javawriter import JavaWriter

# --- random numbers --------------------------------------------------------------------------------------------


def test_random_numbers_are_those_of_java() -> None:
    random = Random(0)  # new java.util.Random(0)
    assert [random.integer(100) for _ in range(10)] == [60, 48, 29, 47, 15, 53, 91, 61, 19, 54]
    assert Random(0).integer(16) == 11  # a power of two takes the upper bits


@given(st.integers(0, 2**48 - 1), st.integers(1, 2**31 - 1))
def test_random_numbers_follow_the_definition(seed: int, bound: int) -> None:
    state = (seed ^ 0x5DEECE66D) & (1 << 48) - 1
    while True:
        state = (state * 0x5DEECE66D + 0xB) & (1 << 48) - 1
        bits = state >> 17
        value = bits * bound >> 31 if bound & bound - 1 == 0 else bits % bound
        if bound & bound - 1 == 0 or bits - value + bound - 1 < 2**31:
            break
    random = Random(seed)
    assert random.integer(bound) == value
    assert random.state == state


# --- hash tables -----------------------------------------------------------------------------------------------


class PlainMap:
    """MaltParser's hash map, written out plainly."""

    def __init__(self) -> None:
        self.slots: list[int | None] = [None] * 4
        self.size = 0

    def home(self, key: int) -> int:
        mask = 0xFFFFFFFF
        h = (key ^ key >> 32) & mask
        h = (h + (~(h << 9) & mask)) & mask
        h ^= h >> 14
        h = (h + (h << 4)) & mask
        h ^= h >> 10
        return h & len(self.slots) - 1

    def find(self, key: int) -> int:
        slot = self.home(key)
        while self.slots[slot] not in (None, key):
            slot = (slot + 1) % len(self.slots)
        return slot

    def put(self, key: int) -> None:
        if len(self.slots) * 3 < (self.size + 1) * 4:
            old = [key for key in self.slots if key is not None]
            room = len(self.slots)
            while room * 3 < (self.size + 1) * 4:
                room *= 2
            self.slots = [None] * room
            for other in old:
                self.slots[self.find(other)] = other
        slot = self.find(key)
        self.size += self.slots[slot] is None
        self.slots[slot] = key

    def remove(self, key: int) -> None:
        hole = slot = self.find(key)
        self.size -= 1
        while True:
            slot = (slot + 1) % len(self.slots)
            other = self.slots[slot]
            if other is None:
                break
            if (slot - self.home(other)) % len(self.slots) >= (slot - hole) % len(self.slots):
                self.slots[hole] = other
                hole = slot
        self.slots[hole] = None


@given(st.lists(st.tuples(st.integers(0, 2**52), st.booleans()), unique_by=lambda pair: pair[0], max_size=80))
def test_keys_are_listed_as_by_the_plain_map(pairs: list[tuple[int, bool]]) -> None:
    plain, keys = PlainMap(), [key for key, _ in pairs]
    for key in keys:
        plain.put(key)
    for key, dropped in pairs:
        if dropped:
            plain.remove(key)
        else:
            plain.put(key)
    order, capacity = slot_order(
        hashes(numpy.array(keys, dtype=numpy.int64)), numpy.array([dropped for _, dropped in pairs], dtype=numpy.uint8)
    )
    assert [keys[i] for i in order] == [key for key in plain.slots if key is not None]
    assert capacity == len(plain.slots)


# --- serialized objects ----------------------------------------------------------------------------------------


def written(write: Callable[[io.BytesIO], None]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


def linear() -> LinearClassifier:
    problem, features = PROBLEMS[0], FeatureMap()
    for code in range(problem.features):
        features.add(1 + code % 7, code)
    return train(generate(problem, 0), features, parse("", "liblinear"), Random())


def vectors() -> VectorClassifier:
    features = FeatureMap()
    for code in range(4):
        features.add(1, code)
    coefficients = Rows.from_dense(numpy.array([[0.5, 0.25, -1.0, -0.5], [1.0, 0.0, -0.75, -0.25]]), signed=True)
    coefficients.length[:] = 4
    settings = {"C": 1.0, "cache_size": 100.0, "coef0": 0.0, "degree": 2, "eps": 1.0, "gamma": 0.2, "kernel_type": 1,
                "nr_weight": 0, "nu": 0.5, "p": 0.1, "probability": 0, "shrinking": 1, "svm_type": 0}  # fmt: skip
    return VectorClassifier(
        numpy.array([7, 5, 9], numpy.int32),
        numpy.array([2, 1, 1], numpy.int32),
        numpy.array([0, 2, 3, 5, 6]),
        numpy.array([0, 2, 1, 0, 3, 2], numpy.int32),
        numpy.array([1.0, 1.0, 0.5, 1.0, 1.0, 1.0]),
        coefficients,
        numpy.array([0.1, 0.0, -0.1]),
        settings,
        StoredMap.of(features),
    )


def same(a: object, b: object) -> bool:
    if isinstance(a, numpy.ndarray):
        return isinstance(b, numpy.ndarray) and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, Rows | StoredMap):
        return all(same(value, getattr(b, name)) for name, value in vars(a).items())
    return a == b


@pytest.mark.parametrize("classifier", [linear(), vectors()], ids=["linear", "vectors"])
def test_a_classifier_that_is_written_is_read_again(classifier: LinearClassifier | VectorClassifier) -> None:
    model, features = written(classifier.write_model), written(classifier.write_map)
    again = type(classifier).read(model, features)
    assert written(again.write_model) == model
    assert written(again.write_map) == features
    for name in vars(type(classifier))["__dataclass_fields__"]:
        if name != "weights":  # equal rows are one after reading
            assert same(getattr(classifier, name), getattr(again, name)), name
    for rows in ([0], [1, 2], []):
        assert (again.rank(rows) == classifier.rank(rows)).all()


def test_equal_rows_become_references() -> None:
    rows = Rows.from_dense(numpy.array([[1.0, 2.0], [0.0, 3.0], [1.0, 2.0], [1.0, 0.0]]))
    stored = StoredMap(numpy.arange(4), numpy.arange(4, dtype=numpy.int32), 8, 4)
    data = written(LinearClassifier(numpy.array([1, 2], numpy.int32), rows, stored).write_model)
    assert data.count(struct.pack(">dd", 1.0, 2.0)) == 1
    fields = JavaReader(data).read(LINEAR_MODEL)["w"]
    assert [Rows(*fields).dense(row).tolist() for row in range(4)] == [[1, 2], [0, 3], [1, 2], [1]]


def test_old_models_may_lack_rows() -> None:
    data = written(linear().write_model)
    at = data.index(b"[[D", data.index(b"MCSVM_CS")) + 16
    rows = struct.unpack(">i", data[at : at + 4])[0]
    longer = data[:at] + struct.pack(">i", rows + 1) + b"\x70" + data[at + 4 :]
    read = Rows(*JavaReader(longer).read(LINEAR_MODEL)["w"])
    assert len(read) == rows + 1
    assert read.length[0] == 0


def test_only_the_classes_of_a_model_are_read() -> None:
    out = io.BytesIO()
    writer = JavaWriter(out)
    writer.begin(FEATURE_MAP)
    writer.plain("i", 1)
    writer.begin(LINEAR_MODEL)  # in place of the map
    with pytest.raises(DataError, match=r"an object of class org\.maltparser\.core\.helper\.HashMap was expected"):
        JavaReader(out.getvalue(), "x.map").read(FEATURE_MAP)
    evil = bytes.fromhex("ACED0005 73 72 0011") + b"java.util.HashMap" + bytes(40)
    with pytest.raises(DataError, match=r"x\.map: byte 6: class java\.util\.HashMap is none that a model holds"):
        JavaReader(evil, "x.map").read(FEATURE_MAP)
    with pytest.raises(DataError, match="no serialized Java object"):
        JavaReader(b"PK\x03\x04", "x.map").read(FEATURE_MAP)
    assert "java.util.HashMap" not in CLASSES


@pytest.mark.parametrize("length", [2**31 - 1, 2**30, -1])
def test_lengths_are_checked_before_memory_is_taken(length: int) -> None:
    data = written(linear().write_map)
    at = data.index(b"\x77\x08") + 6
    begin = time.monotonic()
    tracemalloc.start()
    with pytest.raises(DataError, match="does not fit into the file"):
        StoredMap.read(data[:at] + struct.pack(">i", length) + data[at + 4 :], "x.map")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000
    assert time.monotonic() - begin < 1


def test_rows_that_refer_to_one_another_take_no_memory() -> None:
    """A small file must not become a large model."""
    row = numpy.arange(1.0, 2001.0)
    rows = Rows.from_dense(numpy.repeat(row[None], 3, axis=0))
    big = Rows(rows.first[[0] * 5000], rows.count[[0] * 5000], rows.length[[0] * 5000], rows.places, rows.numbers)
    stored = StoredMap(numpy.arange(5000), numpy.arange(5000, dtype=numpy.int32), 8192, 5000)
    classifier = LinearClassifier(numpy.arange(2000, dtype=numpy.int32), big, stored)
    data, features = written(classifier.write_model), written(classifier.write_map)
    assert len(data) < 60_000
    again = LinearClassifier.read(data, features)
    assert len(again.weights.numbers) == 2000
    assert again.kernel.scores([4999]).tolist() == row.tolist()


def test_features_of_support_vectors_that_are_repeated_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes five bytes in a file, which may be compressed, and twelve and more in memory."""

    def write(self: JavaWriter, starts: NDArray[numpy.int64], indices: NDArray[numpy.int32], values: object) -> None:
        self._array("[[Llibsvm.svm_node;", len(starts) - 1)
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            self._array("[Llibsvm.svm_node;", end - begin)
            if not begin:
                self.begin("libsvm.svm_node")
                self.plain("id", 1, 1.0)
                node = struct.pack(">bi", 0x71, 0x7E0000 + self.handles - 1)
            self.out.write(node * (end - begin - (not begin)))

    small = vectors()
    monkeypatch.setattr(JavaWriter, "vectors", write)
    repeated = "most features of support vectors are repeated"
    for starts, expected in (([0, 1, 2], "parts that do not fit"), (range(0, 100_000, 20_000), repeated)):
        model = replace(small, starts=numpy.array(starts), rows=numpy.zeros(starts[-1], numpy.int32))
        data, features = written(model.write_model), written(model.write_map)
        tracemalloc.start()
        with pytest.raises(DataError, match=expected):
            VectorClassifier.read(data, features)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 500_000


def attempt(kind: type[LinearClassifier | VectorClassifier], model: bytes, features: bytes) -> bool:
    """Read a damaged classifier: an error of ours in one line, or something that works."""
    message = ""
    try:
        classifier = kind.read(model, features, "odm0")
        rows = classifier.stored.rows
        classifier.rank(rows[:3] if len(rows) else [])
    except MaltError as error:
        message = str(error)
    assert message.isprintable()
    return not message


@pytest.mark.parametrize("kind", ["linear", "vectors"])
def test_files_cut_at_any_byte_are_refused(kind: str) -> None:
    classifier = linear() if kind == "linear" else vectors()
    model, features = written(classifier.write_model), written(classifier.write_map)
    begin = time.monotonic()
    for end in [*range(0, len(model), max(1, len(model) // 700)), *range(len(model) - 30, len(model))]:
        assert not attempt(type(classifier), model[:end], features)
    for end in range(len(features)):
        assert not attempt(type(classifier), model, features[:end])
    assert not attempt(type(classifier), model + b"\0", features)
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("kind", ["linear", "vectors"])
def test_flipped_bytes_are_survived(kind: str) -> None:
    classifier = linear() if kind == "linear" else vectors()
    model, features = written(classifier.write_model), written(classifier.write_map)
    dice, refused = numpy.random.default_rng(3), 0
    for _ in range(1500):
        damaged = [bytearray(model), bytearray(features)]
        victim = damaged[int(dice.integers(2))]
        # Half of the damage goes into the beginning, where the structure is.
        place = int(dice.integers(min(len(victim), 600) if dice.random() < 0.5 else len(victim)))
        victim[place] ^= 1 << int(dice.integers(8)) if dice.random() < 0.5 else int(dice.integers(1, 256))
        refused += not attempt(type(classifier), bytes(damaged[0]), bytes(damaged[1]))
    assert refused > 300


@given(st.binary(max_size=200))
def test_anything_else_is_refused(data: bytes) -> None:
    for prefix in (b"", bytes.fromhex("ACED0005"), written(vectors().write_map)[:150]):
        with pytest.raises(DataError):
            StoredMap.read(prefix + data, "x.map")


def test_a_map_that_names_rows_that_are_not_there() -> None:
    classifier = linear()
    model = written(classifier.write_model)
    rows = classifier.stored.rows.copy()
    rows[0] = 2**31 - 2
    wrong = StoredMap(classifier.stored.keys, rows, classifier.stored.capacity, classifier.stored.counter)
    with pytest.raises(DataError, match="names row 2147483647"):
        LinearClassifier.read(model, written(wrong.write))


# --- numbers ---------------------------------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_read_as_they_are_written(number: float) -> None:
    text = double_text(number)
    assert float(text) == number
    assert "." in text


def test_a_long_has_the_hash_of_java() -> None:
    keys: NDArray[numpy.int64] = numpy.array([(3 << 48) + 5, -1, 2**63 - 1])
    assert hashes(keys).tolist() == [(3 << 16) ^ 5, 0, -(2**31)]
