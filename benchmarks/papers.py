"""The tables of four papers, with our figures beside theirs: makes docs/reproduction.md.

    python benchmarks/papers.py [--keep FOLDER] [--without libsvm|optimizer]... [-o FILE] [LANGUAGE=TRAIN,TEST ...]

Without treebanks: the Danish and Swedish ones of MALT_SHARED. A language that a paper has is named as there: Arabic.
What was measured is kept in the folder: what was interrupted goes on there. Tables have what was measured so far, so
--without leaves out what takes long, and a later run without it adds it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from data import reference_data
from figures import ACL_2, ARTICLE_2, COUNTS, EACL, MALTOPTIMIZER, TITLES, WHY, acl_rows

import malt
from malt.data.files import open_output
from malt.data.treebank import open_treebank
from malt.errors import MaltError
from malt.optimizer.search.run import Terms, carry_out, open_run
from malt.running import progress
from malt.trees.profile import Profile

LEARNERS = {"liblinear": "LIBLINEAR", "libsvm": "LIBSVM"}
SYSTEMS = {
    "projective": {"a": "nivreeager"},
    "1-planar": {"a": "planar"},
    "pseudo-projective": {"a": "nivreeager", "pp": "head"},
    "2-planar": {"a": "2planar"},
}
FORCED = ("planar", "2planar")
UNLIKELY = 0.05
SAME = "the same to the last tree"
PAPERS = (COUNTS, EACL, ACL_2, ARTICLE_2, MALTOPTIMIZER)
WIDTH = 118  # of a line of text


@dataclass(frozen=True)
class Treebank:
    """A language of the papers."""

    language: str
    train: Path
    test: Path

    @property
    def key(self) -> str:
        """A name that changes with its files."""
        digest = hashlib.sha256(self.train.read_bytes() + self.test.read_bytes())
        return f"{self.language}-{digest.hexdigest()[:8]}"


class Results:
    """What was measured, in a file that is written after each result."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.path = folder, folder / "results.json"
        self.known: dict[str, Any] = json.loads(self.path.read_text()) if self.path.exists() else {}

    def measure(self, key: str, make: Callable[[], Any]) -> None:
        """Measure something, unless it is known."""
        if key not in self.known:
            self.known[key] = make()
            with open_output(str(self.path)) as out:
                out.write(json.dumps(self.known, indent=1).encode())


def main() -> None:
    """Measure what is not known yet, and write the page."""
    arguments = argparse.ArgumentParser(description="The tables of four papers, with our figures beside theirs.")
    arguments.add_argument(
        "treebanks",
        nargs="*",
        metavar="LANGUAGE=TRAIN,TEST",
        help="a treebank in CoNLL-X; a language that a paper has is named as there: Arabic "
        "(default: Danish and Swedish, from the folder MALT_SHARED)",
    )
    arguments.add_argument(
        "--keep",
        default="papers",
        metavar="FOLDER",
        help="where what was measured is kept; what was interrupted goes on there (default: %(default)s)",
    )
    arguments.add_argument(
        "--without",
        action="append",
        default=[],
        choices=["libsvm", "liblinear", "optimizer"],
        help="what is not measured now, as it takes long; may be given several times",
    )
    arguments.add_argument(
        "-o", default="docs/reproduction.md", metavar="FILE", help="the page that is written (default: %(default)s)"
    )
    given = arguments.parse_args()
    banks = [_treebank(word) for word in given.treebanks] or [
        Treebank(name.title(), reference_data() / name / "train.conll", reference_data() / name / "test.conll")
        for name in ("danish", "swedish")
    ]
    results = Results(Path(given.keep))
    work = [job for bank in banks for job in jobs(bank, results.folder, given.without)]
    with progress.bar("papers", len(work), " results") as show:
        for number, (key, make) in enumerate(work):
            show(number, key)
            try:
                results.measure(key, make)
            except MaltError as error:
                raise SystemExit(f"papers: {error}") from None
    page = "\n".join(lines(banks, results.known))
    with open_output(given.o) as out:
        out.write(page.encode())


def _treebank(word: str) -> Treebank:
    language, _, files = word.partition("=")
    train, _, test = files.partition(",")
    if not (language and train and test):
        raise SystemExit(f"papers: expected LANGUAGE=TRAIN,TEST, not {word!r}")
    for name in (train, test):
        if not Path(name).is_file():
            raise SystemExit(f"papers: {name}: no such file")
    return Treebank(language, Path(train), Path(test))


# -- what is measured


def jobs(bank: Treebank, folder: Path, without: list[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Everything there is to measure with a treebank: a name for each, and how."""
    key = bank.key
    yield f"{key} counts", lambda: _counts([bank.train, bank.test])
    yield f"{key} training counts", lambda: _counts([bank.train])
    for learner in LEARNERS:
        if learner in without:
            continue
        for system in SYSTEMS:
            yield f"{key} {learner} {system}", lambda to=(learner, system): _parsed(bank, folder, *to)
        yield f"{key} {learner} compared", lambda to=learner: _compared(bank, folder, to)
    if "optimizer" not in without:
        for algorithm in FORCED:
            yield f"{key} optimizer {algorithm}", lambda to=algorithm: _optimized(bank, folder, to)


def _counts(files: list[Path]) -> dict[str, Any]:
    profile = Profile(", ".join(path.name for path in files), "conllx")
    for path in files:
        with open_treebank(str(path)) as treebank:
            for block in treebank:
                profile.add(block)
    found: dict[str, Any] = profile.as_json()
    return found


def _output(bank: Treebank, folder: Path, learner: str, system: str) -> Path:
    return folder / f"{bank.key}-{learner}-{system}.conll"


def _parsed(bank: Treebank, folder: Path, learner: str, system: str) -> dict[str, Any]:
    """The scores of a parser with default features, as MaltParser has them."""
    options = {"l": learner, "rt": "any", "grl": "ROOT", **SYSTEMS[system]}
    model = malt.train(bank.train, format="conllx", options=options)
    output = _output(bank, folder, learner, system)
    with open_output(str(output)) as out:
        out.write("".join(map(str, model.parse(bank.test))).encode())
    found: dict[str, Any] = malt.evaluate(bank.test, output).to_dict()
    [scores] = found["systems"].values()
    return {name: scores["conllx"]["out"][name] for name in ("las", "uas", "nonprojective")}


def _compared(bank: Treebank, folder: Path, learner: str) -> list[tuple[str, str, float]]:
    """Of each two systems p of McNemar's test."""
    outputs = {system: _output(bank, folder, learner, system) for system in SYSTEMS}
    found = malt.evaluate(bank.test, outputs).comparisons
    pairs = {frozenset((one.first, one.second)): one.mcnemar.p for one in found}
    return [(a, b, pairs[frozenset((a, b))]) for a, b in combinations(SYSTEMS, 2)]


def _optimized(bank: Treebank, folder: Path, algorithm: str) -> list[float]:
    """The score with default settings and after each phase, with an algorithm that is forced."""
    study = folder / f"{bank.key}-optimizer"
    with open_run(str(bank.train), study, Terms(folds=1, holdout="0")) as (found, journal):
        found.study.algorithm = algorithm
        carry_out(found, journal)
        return [found.study.attempts[0].verdict.score, *(phase.score for phase in found.study.results)]


# -- the page


def lines(banks: list[Treebank], known: dict[str, Any]) -> Iterator[str]:
    """The page, with the tables for which something is known."""
    yield "# The papers, reproduced"
    yield ""
    yield "Tables of four papers, made by `python benchmarks/papers.py`: paper's figure / ours. One figure alone is"
    yield "ours, of something that the paper does not have; what is not here was not measured yet."
    for title, table in (
        ("acl-1", _structures),
        ("eacl-1", _nestedness),
        ("acl-2", _acl_2),
        ("article-2", _article_2),
        ("maltoptimizer", _maltoptimizer),
    ):
        if rows := list(table(banks, known)):
            yield from ("", f"## {TITLES[title]}", "", *rows, "", _remarks(WHY[title], banks, rows))


def _remarks(text: str, banks: list[Treebank], rows: list[str]) -> str:
    """What is said of a table, without the sentences and parentheses about languages that are not there, and without
    what is not so: another treebank may have the name of a language."""
    absent = {language for paper in PAPERS for language in paper} - {bank.language for bank in banks}
    others = [bank.language for bank in banks if not any(map(_is_same, _rows_of(bank.language, rows)))]

    def belongs(part: str) -> bool:
        return not any(language in part for language in (*absent, *(others if SAME in part else ())))

    text = " ".join(text.replace("-\n", "-").split())
    text = re.sub(r" \([^)]*\)", lambda found: found[0] if belongs(found[0]) else "", text)
    sentences = re.split(r"(?<=\.) (?=[A-Z])", text)
    return textwrap.fill(" ".join(filter(belongs, sentences)), WIDTH, break_on_hyphens=False)


def _rows_of(language: str, rows: list[str]) -> list[list[str]]:
    """The cells of a language's rows."""
    cells = [row.strip("| ").split(" | ") for row in rows]
    return [row[1:] for row in cells if row[0] == language]


def _is_same(cells: list[str]) -> bool:
    """Whether all of our figures are those of the paper."""
    return all(theirs == ours for theirs, _, ours in (cell.partition(" / ") for cell in cells))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _both(theirs: float | int | None, ours: float | int | None, digits: int = 0) -> str:
    shown = [f"{value:,.{digits}f}" for value in (theirs, ours) if value is not None]
    return " / ".join(shown) or "-"


def _structures(banks: list[Treebank], known: dict[str, Any]) -> Iterator[str]:
    names = ("trees", "nonproj", "nonplanar", "not2planar", "not3planar", "not4planar", "ill_nested")
    yield _row(
        "", "trees", "not projective", "not planar", "not 2-planar", "not 3-planar", "not 4-planar", "ill-nested"
    )
    yield "|---" * 8 + "|"
    for bank in banks:
        ours = known[f"{bank.key} counts"]
        theirs = COUNTS.get(bank.language, (None,) * len(names))
        yield _row(bank.language, *(_both(a, ours[name]) for a, name in zip(theirs, names, strict=True)))


def _nestedness(banks: list[Treebank], known: dict[str, Any]) -> Iterator[str]:
    yield _row(
        "",
        "trees",
        "not projective",
        "gap 1",
        "gap 2",
        "gap 3",
        "gap > 3",
        "well-nested",
        "mildly ill-nested",
        "strongly",
    )
    yield "|---" * 10 + "|"
    for bank in banks:
        found = known[f"{bank.key} training counts"]
        gaps = {int(gap): number for gap, number in found["gap_degree"].items()}
        more = sum(number for gap, number in gaps.items() if gap > 3)
        ours = [found["trees"], found["nonproj"], *(gaps.get(gap, 0) for gap in (1, 2, 3)), more]
        ours += [found["well_nested_nonproj"], found["ill_nested_mildly"], found["ill_nested_strongly"]]
        theirs = EACL.get(bank.language, (None,) * len(ours))
        yield _row(bank.language, *(_both(a, b) for a, b in zip(theirs, ours, strict=True)))


def _acl_2(banks: list[Treebank], known: dict[str, Any]) -> Iterator[str]:
    """LAS, UAS, and precision and recall of arcs that are not projective."""
    yield from _parsers(banks, known, ("LAS", "UAS", "NPP", "NPR"), acl_rows)


def _article_2(banks: list[Treebank], known: dict[str, Any]) -> Iterator[str]:
    yield from _parsers(banks, known, ("LAS", "LP-NP", "LR-NP"), lambda language: ARTICLE_2.get(language, {}))
    for bank in banks:
        for learner, title in LEARNERS.items():
            compared = known.get(f"{bank.key} {learner} compared")
            if compared is not None:
                telling = [f"{a} and {b} (p = {p:.2g})" for a, b, p in compared if p <= UNLIKELY]
                said = "; ".join(telling) or "none"
                yield f"\n{bank.language}, {title}: differences of LAS at the .05 level (McNemar's test): {said}."


def _parsers(
    banks: list[Treebank], known: dict[str, Any], heads: tuple[str, ...], paper: Callable[[str], dict[str, Any]]
) -> Iterator[str]:
    found = [(bank, learner) for bank in banks for learner in LEARNERS if f"{bank.key} {learner} compared" in known]
    if not found:
        return
    yield _row("", "", *heads)
    yield "|---" * (2 + len(heads)) + "|"
    for bank, learner in found:
        for system in SYSTEMS:
            scores = known[f"{bank.key} {learner} {system}"]
            theirs = paper(bank.language).get(system, (None,) * len(heads))
            ours = [_score(scores, head) for head in heads]
            cells = (_both(a, b, 1) for a, b in zip(theirs, ours, strict=True))
            yield _row(f"{bank.language}, {LEARNERS[learner]}", system, *cells)


def _score(scores: dict[str, Any], head: str) -> float | None:
    arcs = scores["nonprojective"]
    shares = {
        "LAS": scores["las"],
        "UAS": scores["uas"],
        "NPP": arcs["system_head"] / arcs["system"] if arcs["system"] else None,
        "NPR": arcs["gold_head"] / arcs["gold"] if arcs["gold"] else None,
        "LP-NP": arcs["precision"],
        "LR-NP": arcs["recall"],
    }
    return None if shares[head] is None else 100 * shares[head]


def _maltoptimizer(banks: list[Treebank], known: dict[str, Any]) -> Iterator[str]:
    found = [bank for bank in banks if all(f"{bank.key} optimizer {algorithm}" in known for algorithm in FORCED)]
    if not found:
        return
    yield _row("", "default", "phase 1", *(f"phase {n}, {name}" for n in (2, 3) for name in ("Planar", "2-Planar")))
    yield "|---" * 7 + "|"
    for bank in found:
        planar, two = (known[f"{bank.key} optimizer {algorithm}"] for algorithm in FORCED)
        ours = (planar[0], planar[1], planar[2], two[2], planar[3], two[3])
        theirs = MALTOPTIMIZER.get(bank.language, (None,) * len(ours))
        yield _row(bank.language, *(_both(a, b, 2) for a, b in zip(theirs, ours, strict=True)))


if __name__ == "__main__":
    main()
