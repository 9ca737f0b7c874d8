"""How much memory `malt train` takes for a large treebank.

    python benchmarks/memory.py [--tokens N] [--labels N] [-a ALGORITHM] [FILE ...]

Without files: the Danish and Swedish training sets of MALT_SHARED, or the built-in sample, read as one treebank. Their
sentences are repeated until there are N tokens (1.5 million), and in each copy the words that occur less than five
times are others, so that the vocabulary grows as that of a larger treebank does. Labels are mapped onto the N (49)
most frequent ones: with a left and a right arc for each these are about 100 classes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from data import MALT, timed, treebanks

import malt

FORM, DEPREL, RARE = 1, 7, 5


def main() -> None:
    """Make the treebank, train, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="treebanks in CoNLL-X")
    parser.add_argument("--tokens", type=int, default=1_500_000, metavar="N")
    parser.add_argument("--labels", type=int, default=49, metavar="N")
    parser.add_argument("-a", dest="algorithm", default="nivreeager", metavar="ALGORITHM")
    arguments = parser.parse_args()
    lines = [
        line.rstrip("\n").split("\t")
        for _, path in treebanks(arguments.files)
        for line in Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.conll"
        tokens = 0
        seen: set[str] = set()
        labels: set[str] = set()
        with open(path, "w", encoding="utf-8") as stream:
            for fields in _copies(lines, arguments.tokens, arguments.labels):
                stream.write("\t".join(fields) + "\n")
                if len(fields) > DEPREL:
                    tokens += 1
                    seen.add(fields[FORM])
                    labels.add(fields[DEPREL])
        print(f"{tokens:,} tokens, {len(seen):,} different forms, {len(labels)} labels", flush=True)
        command = [*MALT, "-m", "learn", "-c", "large", "-a", arguments.algorithm, "-i", str(path), "-v", "error"]
        seconds, memory = timed(command, Path(folder))
        model = Path(folder) / "large.mco"
        codes = [len(one.codes) for part in malt.load(model).classifiers.values() for one in part.values()]
        print(
            f"malt train -a {arguments.algorithm}: {', '.join(map(str, codes))} classes, {seconds:.0f} s, "
            f"{memory:,} MB, model of {model.stat().st_size:,} bytes"
        )


def _copies(lines: list[list[str]], tokens: int, most_labels: int) -> Iterator[list[str]]:
    """The lines of copies of a treebank, up to the end of the sentence that has the last of so many tokens."""
    forms = Counter(fields[FORM] for fields in lines if len(fields) > DEPREL)
    ranked = [label for label, _ in Counter(fields[DEPREL] for fields in lines if len(fields) > DEPREL).most_common()]
    label = {name: ranked[rank % most_labels] for rank, name in enumerate(ranked)}
    done = copy = 0
    while True:
        for fields in lines:
            if len(fields) <= DEPREL:
                yield fields
                if done >= tokens:
                    return
                continue
            form = f"{fields[FORM]}{copy}" if copy and forms[fields[FORM]] < RARE else fields[FORM]
            yield [*fields[:FORM], form, *fields[FORM + 1 : DEPREL], label[fields[DEPREL]], *fields[DEPREL + 1 :]]
            done += 1
        copy += 1


if __name__ == "__main__":
    main()
