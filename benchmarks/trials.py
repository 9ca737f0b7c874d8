"""How long the parts of a trial take: the first one of an algorithm, and one with another feature.

    python benchmarks/trials.py [TREEBANK [ALGORITHM ...]]

An algorithm may have +MARKING at its end, for pseudo-projective parsing. The treebank is split 80/20; without one it is
that of `malt sample`. Seconds are those of the processor, so that other work on the machine does not count; but those
of two trials in two threads, each with a further feature of its own, are what passed.
"""

from __future__ import annotations

import resource
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from malt.features.defaults import default_features
from malt.features.functions import structures
from malt.features.model import MAIN
from malt.learning import trials as training
from malt.learning.derivations import Reading, Walk
from malt.optimizer.trial.configuration import Configuration
from malt.optimizer.trial.corpus import Corpus
from malt.optimizer.trial.judge import Judge
from malt.optimizer.trial.workbench import Workbench
from malt.parsing.parser import Parser
from malt.sample import text

PARTS = {
    "read": (Reading, "__init__"),
    "derive": (Walk, "__init__"),
    "walk": (Walk, "leaves"),
    "make": (Walk, "made"),
    "codes": (training, "shared_codes"),
    "assemble": (training, "assemble"),
    "solve": (training, "crammer_singer"),
    "guide": (Parser, "__init__"),
    "parse": (Parser, "parse"),
    "judge": (Judge, "score"),
}
ALGORITHMS = ("nivreeager", "stackproj+head", "2planar", "covnonproj")
spent: Counter[str] = Counter()
main_thread = threading.get_ident()


def timed(part: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose time is counted, in the main thread."""

    def run(*arguments: Any, **named: Any) -> Any:
        begin = time.thread_time()
        try:
            return function(*arguments, **named)
        finally:
            if threading.get_ident() == main_thread:
                spent[part] += time.thread_time() - begin

    return run


def main(source: str, algorithms: tuple[str, ...]) -> None:
    """Print a line per trial."""
    for part, (place, name) in PARTS.items():
        setattr(place, name, timed(part, getattr(place, name)))
    corpus = Corpus.read(source or "".join(text(2000)))
    print(f"{len(corpus):,} sentences, {corpus.tokens:,} words")
    print(f"{'':32}" + "".join(f"{part:>9}" for part in (*PARTS, "other", "all", "score")))
    for name in algorithms:
        algorithm, _, marking = name.partition("+")
        options = {"singlemalt.parsing_algorithm": algorithm, "pproj.marking_strategy": marking or "none"}
        features = [feature.text for feature in default_features(algorithm, "liblinear", corpus.format).submodels[MAIN]]
        bench = Workbench([corpus.split()], corpus.format)
        side = structures(algorithm)[0]
        tag = next(column for column in ("CPOSTAG", "XPOSTAG", "POSTAG") if column in corpus.format.names)
        more = [
            f"InputColumn({tag},{side}[1])",
            f"Merge(InputColumn({tag},{side}[0]),InputColumn(FORM,{side}[1]))",
            f"InputColumn({tag},{side}[0])",
            f"Split(InputColumn(FEATS,{side}[0]),\\|)",
        ]
        for what, added in (("first", []), (more[0], more[:1]), ("Merge", more[:2])):
            spent.clear()
            begin = time.thread_time()
            outcome = bench.run(Configuration.of(options, [*features, *added]), 0)
            show(f"{name} {what}", time.thread_time() - begin, outcome.error or f"{outcome.score:.2f}")
        two = [Configuration.of(options, [*features, one]) for one in more[2:]]
        begin = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(bench.run, two, (0, 0)))
        kept = bench._shelf.used / 1e6
        print(f"{name + ' two at once':32}{time.perf_counter() - begin:9.3f} s, {kept:.1f} MB kept")
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def show(what: str, seconds: float, score: str) -> None:
    """Print one line."""
    parts = [spent[part] for part in PARTS]
    print(f"{what[:31]:32}" + "".join(f"{s:9.3f}" for s in (*parts, seconds - sum(parts), seconds)) + f"  {score}")


if __name__ == "__main__":
    main(sys.argv[1] if sys.argv[1:] else "", tuple(sys.argv[2:]) or ALGORITHMS)
