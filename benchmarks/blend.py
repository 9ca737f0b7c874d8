"""What structured parsers reach that vote, beside each of them alone.

    python benchmarks/blend.py FOLDER [--seeds 3] [--beam 8] [--passes 8] [TRAIN TEST]     weights, on a tenth
    python benchmarks/blend.py FOLDER [the same] --test [TRAIN TEST]                       and then the test set, once

Without files: the Danish training and test set of MALT_SHARED. nivreeager and stacklazy (swap), each in both
directions, and mst learn from nine tenths of the training set, and from what they make of every tenth sentence `malt
blend --gold` learns the weights of their votes, for each decoder; all is cross-validated there. With --test all of them
learn from the whole training set, and the test set is parsed with these weights. What FOLDER has already is not made
again, so a run that was stopped goes on: use another folder after a change of the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

from data import MALT, reference_data

PARSERS = {
    "eager": ["-a", "nivreeager"],
    "eager-back": ["-a", "nivreeager", "--reverse"],
    "lazy": ["-a", "stacklazy"],
    "lazy-back": ["-a", "stacklazy", "--reverse"],
    "mst": ["-a", "mst"],
}
BLENDS = {"four": list(PARSERS)[:4], "four and mst": list(PARSERS)}
DECODERS = ("mst", "mg1", "eisner")
EVERY = 10  # sentences, of which one is for the weights


def main() -> None:
    """Learn, vote, and print the scores."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--beam", type=int, default=8)
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--test", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    danish = reference_data() / "danish"
    train, test = map(Path, options.files or (danish / "train.conll", danish / "test.conll"))
    options.folder.mkdir(parents=True, exist_ok=True)
    most, tenth = _split(train, options.folder)
    _parse_with_all("tenth", most, tenth, options)
    for title, names in BLENDS.items():
        parsed = [_file(options.folder, "tenth", name) for name in names]
        for decoder in DECODERS:
            weights = str(_weights(options.folder, title, decoder))
            told = _malt(["blend", "-a", decoder, "--gold", str(tenth), *parsed, "--weights", weights])
            votes = [line.split("written")[0].strip() for line in told.splitlines()[-3:]]
            print(f"tenth, {title}, {decoder}: {'; '.join(' '.join(vote.split()) for vote in votes)}", flush=True)
    if options.test:
        _parse_with_all("test", train, test, options)
        for title, names in BLENDS.items():
            parsed = [_file(options.folder, "test", name) for name in names]
            for decoder in DECODERS:
                out, weights = str(options.folder / "voted.conll"), str(_weights(options.folder, title, decoder))
                for how, given in (("one vote each", []), ("weights", ["--weights", weights])):
                    _malt(["blend", "-q", "-a", decoder, *given, *parsed, "-o", out])
                    print(f"test, {title}, {decoder}, {how}: {_scores(test, out)}", flush=True)


def _split(train: Path, folder: Path) -> tuple[Path, Path]:
    """The training set without every tenth sentence, and these."""
    parts = train.read_text(encoding="utf-8").strip().split("\n\n")
    files = folder / f"most{train.suffix}", folder / f"tenth{train.suffix}"
    for file, tenth in zip(files, (False, True), strict=True):
        chosen = [part for i, part in enumerate(parts, 1) if (i % EVERY == 0) == tenth]
        file.write_text("\n\n".join(chosen) + "\n\n", encoding="utf-8")
    return files


def _parse_with_all(title: str, train: Path, test: Path, options: argparse.Namespace) -> None:
    """What each parser that learned from one file makes of the other."""
    for number, (name, chosen) in enumerate(PARSERS.items(), 1):
        out, model, begin = _file(options.folder, title, name), options.folder / f"{title}-{name}", time.perf_counter()
        if not Path(out).exists():
            beam = [] if name == "mst" else ["--beam", str(options.beam), "--passes", str(options.passes)]
            learn = ["-l", "perceptron", *chosen, *beam, "--seeds", str(options.seeds)]
            if not Path(f"{model}.mco").exists():
                _malt(["train", "-q", "-c", str(model), *learn, str(train)])
            _malt(["parse", "-q", "-c", str(model), "-o", out, str(test)])
        seconds = time.perf_counter() - begin
        print(f"[{number}/{len(PARSERS)}] {title}, {name}: {_scores(test, out)} ({seconds:.0f} s)", flush=True)


def _file(folder: Path, title: str, name: str) -> str:
    return str(folder / f"{title}-{name}.conll")


def _weights(folder: Path, title: str, decoder: str) -> Path:
    return folder / f"weights-{title.replace(' ', '-')}-{decoder}.yaml"


def _scores(gold: Path, parsed: str) -> str:
    """What `malt eval` says, all words counted."""
    [system] = json.loads(_malt(["eval", "--json", str(gold), parsed]))["systems"].values()
    found = system["conllx"]["in"]
    return f"LAS {100 * found['las']:.2f}, UAS {100 * found['uas']:.2f}"


def _malt(arguments: list[str]) -> str:
    return subprocess.run([*MALT, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main()
