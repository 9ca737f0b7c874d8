"""How long charts take, and how many items they have.

    python benchmarks/chart.py                        charts of all items, and best first, over random scores
    python benchmarks/chart.py MODEL.mco FILE ...     whole test sets, with a model of arcs (-a mst) and each decoder

Without a model: for each system and sentence length the seconds (of processor time) and items of a chart of all
items, with the exponent of n that fits the last lengths beside the paper's, which is what the longest step costs; and
of the search best first, over scores as models have them: what is right scores more, and long arcs less. With a
model: LAS and UAS of all words, precision and recall of non-projective arcs, how many sentences were certified and how
many needed the chart, with the items of these on average; how many had more than the limit, and the words of the
shortest of them; tokens a second of processor time, scoring and decoding.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from math import comb
from math import inf as INFINITY
from typing import Any

import numpy

import malt
from malt.charts import find_chart
from malt.data.block import Block
from malt.data.formats.writer import converter
from malt.data.treebank import open_treebank
from malt.kernel.chart import Chart, ChartDecoder
from malt.kernel.spanning import best_projective_tree, solve
from malt.model import Model

LENGTHS = {
    "wg1": (8, 10, 12, 14, 16, 18, 20),
    "mg1": (8, 10, 12, 14, 16, 18, 20),
    "wg2": (6, 7, 8, 9, 10, 11),
    "mg2": (6, 7, 8, 9, 10, 11),
}
LONG = (20, 40, 60, 80)  # words of sentences for the search best first
SENTENCES = 20  # of each length
TIMES = 3  # that test sets are parsed; the quickest counts
COLUMNS = ("LAS", "UAS", "precision", "recall", "certified", "chart", "items", "limit", "shortest", "tokens/s", "/ mst")


def main(arguments: list[str]) -> None:
    """Print the tables."""
    if arguments:
        whole_sets(arguments[0], arguments[1:])
        return
    for name, lengths in LENGTHS.items():
        all_items(name, lengths)
    best_first(LENGTHS)


def all_items(name: str, lengths: Sequence[int]) -> None:
    """Charts of all items: derivations are counted, so nothing is left out."""
    chart, seconds, items = Chart(find_chart(name).compile()), [], []
    for n in lengths:
        begin = time.process_time()
        chart.count(n)
        seconds.append(time.process_time() - begin)
        items.append(chart.touched)
    print(f"{name}: all items")
    print(f"{'words':>8}{'items':>14}{'seconds':>10}")
    for row in zip(lengths, items, seconds, strict=True):
        print("{:>8}{:>14,}{:>10.3f}".format(*row))
    fitted = [exponent(lengths[-4:], values[-4:]) for values in (items, seconds)]
    system = find_chart(name)
    print(f"exponent of n, fitted to the last four: items {fitted[0]:.1f}, seconds {fitted[1]:.1f}; ", end="")
    print(f"paper: items {2 * system.k + 3}, time {system.exponent},")
    ways = [comb(n + 2, system.exponent) for n in lengths]  # ascending positions from 0 to n + 1
    print(
        f"which is {exponent(lengths[-4:], ways[-4:]):.1f} at these lengths: positions are chosen in ascending order\n"
    )


def exponent(lengths: Sequence[int], values: Iterable[float]) -> float:
    """The slope of a line through the logarithms."""
    return float(numpy.polyfit(numpy.log(lengths), numpy.log(list(values)), 1)[0])


def best_first(names: Iterable[str]) -> None:
    """The search, where the best of all trees is not simply taken."""
    print(f"best first, without certificates\n{'':<8}{'words':>8}{'items':>12}{'most':>10}{'seconds':>10}{'exact':>8}")
    for name in names:
        mean = []
        for n in LONG:
            random, decoder = numpy.random.default_rng(n), make(name)
            decoder.certify = False
            items, exact, begin = [], 0, time.process_time()
            for _ in range(SENTENCES):
                solve(decoder, likely_scores(n, random))
                items.append(decoder.items)
            seconds, exact = (time.process_time() - begin) / SENTENCES, SENTENCES - decoder.limited
            mean.append(sum(items) / SENTENCES)
            print(f"{name:<8}{n:>8}{mean[-1]:>12,.0f}{max(items):>10,}{seconds:>10.4f}{exact:>5}/{SENTENCES}")
        print(f"{'':<8}exponent of n, fitted: items {exponent(LONG, mean):.1f}")


def likely_scores(n: int, random: numpy.random.Generator) -> Any:
    """Scores of arcs around a projective tree, of which the best tree has some nine tenths right."""
    places = numpy.arange(n + 1)
    far = numpy.log1p(abs(places[:, None] - places[None, :]))
    tree = best_projective_tree(random.normal(size=far.shape) - far)
    scores = 1.4 * random.normal(size=far.shape) - 0.7 * far
    scores[tree[1:], places[1:]] += 4
    return scores


def whole_sets(path: str, files: Sequence[str]) -> None:
    """Parse test sets with one model and each decoder, on one thread."""
    loaded = malt.load(path)
    for file in files:
        with open_treebank(file, loaded.format, tables=loaded.tables, frozen=True) as treebank:
            blocks = list(treebank)
        tokens, first = sum(len(block.heads) for block in blocks), 0.0
        print(f"{file}: {tokens:,} tokens")
        print(f"{'decoder':<9}" + "".join(f"{name:>10}" for name in COLUMNS))
        for name in ("mst", "eisner", *LENGTHS):
            model = loaded.decoded_by(name)
            parser, seconds, inexact = model.make_parser(), INFINITY, []
            for _ in range(TIMES):
                begin = time.process_time()
                parsed = [parser.parse(block) for block in blocks]
                seconds = min(seconds, time.process_time() - begin)
            tally, rate = model.tally(), tokens / seconds
            first = first or rate
            if tally.limited:
                inexact = [len(one.heads) for one in _sentences(blocks) if _is_limited(model, one)]
            scores = malt.evaluate(file, "".join(_text(parsed, model)), punctuation=True).only.chosen
            total, crossing = scores.counts(True), scores.nonprojective(True)
            row = (
                *(f"{100 * (share or 0):.2f}" for share in (total.las, total.uas)),
                *("-" if share is None else f"{100 * share:.1f}" for share in (crossing.precision, crossing.recall)),
                tally.certified // TIMES,
                tally.charted // TIMES,
                f"{tally.items / max(1, tally.charted + tally.limited):,.0f}",
                tally.limited // TIMES,
                min(inexact, default=""),
                f"{rate:,.0f}",
                f"{rate / first:.2f}",
            )
            print(f"{name:<9}" + "".join(f"{cell:>10}" for cell in row), flush=True)


def _sentences(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        for index in range(len(block)):
            yield block.only(index)


def _is_limited(model: Model, sentence: Block) -> bool:
    """Whether the chart of a sentence had too many items."""
    before = model.tally().limited
    with model.parser() as parser:
        parser.parse(sentence)
    return model.tally().limited > before


def _text(parsed: Iterable[Block], model: Model) -> Iterator[str]:
    writer = converter(model.format, model.format, "utf-8", model.specification.root_labels)
    for block in parsed:
        yield writer.write(block).decode()


def make(name: str) -> ChartDecoder:
    """A decoder with the limits that it has by default."""
    system = find_chart(name)
    return ChartDecoder(system.compile(), system.k, system.well_nested)


if __name__ == "__main__":
    main(sys.argv[1:])
