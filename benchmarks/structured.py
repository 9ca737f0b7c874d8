"""What structured learning (-l perceptron) reaches, what it costs, and MaltParser beside it.

    [MALTPARSER_CP=...] python benchmarks/structured.py [-a SYSTEM] [--beams 1 8] [--seeds 3] [--systems] [--speed]
        [--] [TRAIN TEST ...]

Without files: Danish and Swedish with their test sets, and English with its development set, of MALT_SHARED; or two
parts of the built-in sample. For nivreeager or another system with default features, greedy and with a beam of 8: a
tenth of the training set chooses the passes, and then the whole of it is learned from with several seeds, and the test
set scored: LAS, all words counted, the mean over seeds and the score of the mean weights (what --seeds gives), and
precision and recall of non-projective arcs, the mean over seeds. --systems has several systems with one seed; --speed
has seconds and peak memory of whole commands, and tokens a second of the parser itself, beside MaltParser with its
default model in the same run if its class path is in MALTPARSER_CP.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy
from data import MALT, format_of, java, parse_seconds, reference_data, timed

from malt.data.treebank import open_treebank
from malt.learning.averages import fitted_weights, mean_weights
from malt.mco.weights import StructuredWeights
from malt.model import Model, read_model
from malt.parsing.structured import StructuredModel
from malt.sample import text
from malt.settings import commandline

MOST_PASSES = 12
SYSTEMS = ("nivreeager", "archybrid", "stackproj", "stacklazy", "covnonproj", "2planar")
EVERY = 10  # so many sentences there are for one that chooses the passes


def main() -> None:
    """Print a table per treebank."""
    parser = argparse.ArgumentParser()
    parser.add_argument("-a", default="nivreeager")
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--systems", action="store_true")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for language, train, test in _treebanks(options.files, folder):
            begin = time.perf_counter()
            print(f"{language}", flush=True)
            if options.systems:
                _systems(train, test, folder)
            elif options.speed:
                _speed(train, test, folder)
            else:
                for beam in options.beams:
                    _scores(train, test, options.a, beam, options.seeds, folder)
            print(f"  ({time.perf_counter() - begin:.0f} s)\n", flush=True)


def _treebanks(files: list[str], folder: Path) -> list[tuple[str, str, str]]:
    if files:
        return [(Path(train).name, train, test) for train, test in zip(files[::2], files[1::2], strict=True)]
    found = [
        ("Danish, test set", "danish/train.conll", "danish/test.conll"),
        ("Swedish, test set", "swedish/train.conll", "swedish/test.conll"),
        ("English, development set", "english/train.conllu", "english/dev.conllu"),
    ]
    data = reference_data()
    if all((data / one).exists() for _, *both in found for one in both):
        return [(name, str(data / train), str(data / test)) for name, train, test in found]
    for name, seed in (("train", 1), ("test", 2)):
        (folder / f"{name}.conll").write_text("".join(text(1000, seed=seed)), encoding="utf-8")
    return [("sample", str(folder / "train.conll"), str(folder / "test.conll"))]


def _scores(train: str, test: str, system: str, beam: int, seeds: int, folder: Path) -> None:
    learner = ["-l", "perceptron", "-a", system, "--beam", str(beam)]
    passes, chosen = _choose_passes(train, learner, folder)
    models, found = [], []
    for seed in range(1, seeds + 1):
        options = ["--passes", str(passes), "--seed", str(seed)]
        _run(["train", "-c", f"m{seed}", *learner, *options, "-v", "error", train], folder)
        models.append(_read(folder / f"m{seed}.mco"))
        found.append(_parse_and_score(models[-1], test, folder))
    scores = [one["las"] for one in found]
    joined = _parse_and_score(_mean(models), test, folder)["las"]
    spread = f" ± {100 * stdev(scores):.2f}" if seeds > 1 else ""
    print(
        f"  {f'beam {beam}' if beam > 1 else 'greedy'}: {passes} passes (LAS {chosen:.2f} on a tenth);"
        f" LAS {100 * mean(scores):.2f}{spread} ({', '.join(f'{100 * one:.2f}' for one in scores)});"
        f" mean weights {100 * joined:.2f}; non-projective arcs: {_crossing(found)}",
        flush=True,
    )


def _crossing(found: list[dict[str, Any]]) -> str:
    of = {kind: mean(one["nonprojective"][kind] or 0 for one in found) for kind in ("precision", "recall")}
    return ", ".join(f"{kind} {100 * share:.1f}" for kind, share in of.items())


def _choose_passes(train: str, learner: list[str], folder: Path) -> tuple[int, float]:
    """The best pass, and its score, on every tenth sentence."""
    parts = Path(train).read_text(encoding="utf-8").strip().split("\n\n")
    suffix = Path(train).suffix
    for name, kept in (("most", lambda i: (i + 1) % EVERY), ("tenth", lambda i: not (i + 1) % EVERY)):
        chosen = [part for i, part in enumerate(parts) if kept(i)]
        (folder / f"{name}{suffix}").write_text("\n\n".join(chosen) + "\n\n", encoding="utf-8")
    options = ["--passes", str(MOST_PASSES), "--dev", f"tenth{suffix}"]
    told = _run(["train", "-c", "choice", *learner, *options, f"most{suffix}"], folder)
    found = [(float(las), -int(number)) for number, las in re.findall(r"pass (\d+): .* LAS ([\d.]+)", told)]
    las, number = max(found)
    return -number, las


def _systems(train: str, test: str, folder: Path) -> None:
    for beam in (1, 8):
        for system in SYSTEMS:
            options = ["-a", system, "--beam", str(beam), "--passes", "8" if beam > 1 else "10"]
            _run(["train", "-c", "m", "-l", "perceptron", *options, "-v", "error", train], folder)
            found = _parse_and_score(_read(folder / "m.mco"), test, folder)
            print(
                f"  {system:<12} {f'beam {beam}' if beam > 1 else 'greedy'}: LAS {100 * found['las']:.2f};"
                f" non-projective arcs: {_crossing([found])}",
                flush=True,
            )


def _speed(train: str, test: str, folder: Path) -> None:
    suffix = Path(test).suffix
    content = Path(test).read_bytes()
    content += b"" if content.endswith(b"\n\n") else b"\n"
    (folder / f"four{suffix}").write_bytes(content * 4)
    rate = 0.0
    if java():
        learn = [*java(), "-c", "java", "-m", "learn", "-i", train, *format_of(train)]
        seconds, memory = min(timed(learn, folder) for _ in range(2))
        parse = [*java(), "-c", "java", "-m", "parse", "-o", "out", "-i"]
        one, _ = min(timed([*parse, test], folder) for _ in range(3))
        four, _ = min(timed([*parse, f"four{suffix}"], folder) for _ in range(3))
        words = _words(test)
        rate = 3 * words / max(four - one, 1e-9)
        print(f"  MaltParser, its default: learns in {seconds:.1f} s, {memory} MB; parses {rate:,.0f} tokens/s itself")
    for beam in (1, 8):
        options = ["-l", "perceptron", "--beam", str(beam), *(["--passes", "8"] if beam > 1 else [])]
        seconds, memory = timed([*MALT, "train", "-c", f"s{beam}", *options, "-v", "error", train], folder)
        model = _read(folder / f"s{beam}.mco")
        with open_treebank(test, model.format, "UTF-8", model.tables, frozen=True) as treebank:
            blocks = list(treebank) * 4
        tokens = sum(len(block.heads) for block in blocks)
        best = {1: float("inf"), 2: float("inf")}
        for _ in range(5):
            for jobs in best:
                best[jobs] = min(best[jobs], parse_seconds(model, blocks, jobs))
        ours = tokens / best[1]
        beside = f", {ours / rate:.1f} times MaltParser's" if rate else ""
        whole, _ = min(timed([*MALT, "parse", "-q", "-c", f"s{beam}", "-o", "out", test], folder) for _ in range(3))
        print(
            f"  {f'beam {beam}' if beam > 1 else 'greedy'}: learns in {seconds:.1f} s, {memory} MB;"
            f" parses {ours:,.0f} tokens/s itself{beside}; two threads {best[1] / best[2]:.2f} times that;"
            f" the whole command {whole:.2f} s",
            flush=True,
        )


def _words(path: str) -> int:
    with open(path, encoding="utf-8") as lines:
        return sum(line[:1].isdigit() for line in lines)


def _run(arguments: list[str], folder: Path) -> str:
    return subprocess.run([*MALT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stderr


def _read(path: Path) -> Model:
    settings, _ = commandline.read(["parse", "-c", "model"])
    return read_model(str(path), settings)


def _mean(models: list[Model]) -> Model:
    """A model with the mean of their weights, as --seeds makes it."""
    found = [model.structured.found for model in models if model.structured is not None]
    arrays = [(one.keys, one.counts, one.classes, one.weights.astype(numpy.int32)) for one in found]
    first = found[0]
    weights = StructuredWeights(first.beam, first.passes, first.codes, *fitted_weights(mean_weights(arrays)))
    return replace(models[0], structured=StructuredModel(weights, "the mean"))


def _parse_and_score(model: Model, test: str, folder: Path) -> dict[str, Any]:
    """What `malt eval` says, all words counted."""
    out = folder / f"out{Path(test).suffix}"
    with open(out, "w", encoding="utf-8") as stream:
        for sentence in model.parse(test):
            stream.write(f"{sentence}\n\n".replace("\n\n\n", "\n\n"))
    told = subprocess.run([*MALT, "eval", "--json", test, str(out)], check=True, capture_output=True, text=True).stdout
    [system] = json.loads(told)["systems"].values()
    found: dict[str, Any] = system["conllx"]["in"]
    return found


if __name__ == "__main__":
    main()
