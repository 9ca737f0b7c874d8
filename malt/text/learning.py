"""Learning all that turns text into words with tags, and tagging a treebank as text will be tagged: by jackknifing."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event

import numpy

from malt.data.block import Block, Integers
from malt.data.formats.dataformat import EMPTY, DataFormat, find_format
from malt.errors import MaltError, UsageError
from malt.mco.arrays import Array
from malt.running import progress
from malt.running.log import logger
from malt.running.threads import cores
from malt.text.annotator import FEATS, LEMMA
from malt.text.entries import TextModel
from malt.text.lemmatizer import LemmatizedWords, LemmatizerModel, learn_lemmatizer
from malt.text.lists import words_of
from malt.text.tagger import PASSES, SEEDS, TaggedWords, TaggerModel, learn_tagger, parts_of
from malt.text.tokenizer import learn_tokenizer

TAGS = ("UPOSTAG", "XPOSTAG", FEATS)
MOST_CLASSES = 60_000
FOLD_PASSES = 5  # of taggers that are used once: nearly as good, in half the time


def check_format(format: DataFormat) -> None:
    """Refuse what is not CoNLL-U."""
    if format.names != find_format("conllu").names:
        raise UsageError(
            f"--text learns from CoNLL-U, and the treebank is read as {format.name}; `malt convert -of conllu` "
            "turns it into CoNLL-U, and -if conllu says that it is"
        )


@dataclass
class Predicted:
    """What taggers say of sentences that they did not see: numbers of tags, and lemmas."""

    words: Array  # their places
    tags: Integers
    lemmas: list[str | None]


class TextLearning:
    """Learns from blocks of CoNLL-U, which share their tables."""

    def __init__(self, blocks: Sequence[Block], seed: int = 1) -> None:
        self.blocks, self.seed = blocks, seed
        if not any(len(block) for block in blocks):
            raise MaltError("there is nothing to learn from: the treebank has no sentences")
        format, tables = blocks[0].format, blocks[0].tables
        sizes = numpy.concatenate([numpy.diff(block.starts) for block in blocks])
        starts = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int32)
        values = numpy.concatenate([block.values for block in blocks])
        forms = numpy.ascontiguousarray(values[:, format.places["FORM"]])
        columns = tuple(name for name in TAGS if self._is_used(values[:, format.places[name]], name))
        self.tagged: TaggedWords | None = None
        numbers = coarse = numpy.full(len(forms), -1, numpy.int32)
        if columns:
            rows, places = numpy.unique(
                values[:, [format.places[name] for name in columns]], axis=0, return_inverse=True
            )
            symbols = [tables[name] for name in columns]
            tags = [
                tuple(table.symbol(code) or EMPTY for table, code in zip(symbols, row, strict=True))
                for row in rows.tolist()
            ]
            parts, classes = parts_of(tags)
            if classes > MOST_CLASSES:
                raise MaltError(
                    f"the treebank has {classes:,} tags and parts of tags; at most {MOST_CLASSES:,} are learned"
                )
            numbers = places.ravel().astype(numpy.int32)
            coarse = numpy.ascontiguousarray(parts[numbers, 0]) if parts.shape[1] else numbers
            self.tagged = TaggedWords(columns, tables["FORM"], starts, forms, tags, numbers)
        lemmas = values[:, format.places[LEMMA]]
        self.lemmatized: LemmatizedWords | None = None
        if self._is_used(lemmas, LEMMA):
            self.lemmatized = LemmatizedWords(
                tables["FORM"], tables[LEMMA], starts, forms, numbers, coarse, numpy.ascontiguousarray(lemmas)
            )
        self.starts = starts

    def _is_used(self, codes: Integers, column: str) -> bool:
        return bool(((codes >= 0) & (codes != self.blocks[0].tables[column].code(EMPTY))).any())

    def learn(self, folds: int) -> tuple[TextModel, list[Block]]:
        """The model, and the blocks with the tags and lemmas that models of other sentences give them: each of so many
        folds is tagged by what was learned from the others. With fewer than two folds they stay as they are."""
        sentences = numpy.arange(len(self.starts) - 1, dtype=numpy.int32)
        folds = min(folds, len(sentences)) if self.tagged is not None or self.lemmatized is not None else 0
        stop = Event()
        if self.tagged is not None:
            self.tagged.keys()  # found here, once for all threads
        if self.lemmatized is not None:
            self.lemmatized.scripts()
        with (
            progress.bar("learn text", 2 + (folds if folds > 1 else 0), "models") as show,
            ThreadPoolExecutor(cores()) as pool,
        ):
            done = 0

            def tell(_: object) -> None:
                nonlocal done
                done += 1
                show(done)

            try:
                tokenizer = pool.submit(learn_tokenizer, self.blocks, self.seed, stop)
                whole = pool.submit(self._learn, sentences, stop, PASSES, SEEDS)
                parts: list[Future[Predicted]] = []
                for fold in range(folds if folds > 1 else 0):
                    parts.append(pool.submit(self._predict, sentences, fold, folds, stop))
                tokenizer.add_done_callback(tell)
                whole.add_done_callback(tell)
                for part in parts:
                    part.add_done_callback(tell)
                model = TextModel(tokenizer.result(), *whole.result())
                predicted = [part.result() for part in parts]
            finally:
                stop.set()
        if predicted and self.tagged is not None:
            right = sum(int((one.tags == self.tagged.gold[one.words]).sum()) for one in predicted)
            logger.info(
                "tags of the treebank, in %d folds: %.2f right", folds, 100 * right / max(1, len(self.tagged.gold))
            )
        return model, self._with_predicted(predicted)

    def _learn(
        self, sentences: Integers, stop: Event, passes: int, seeds: int = 1
    ) -> tuple[TaggerModel | None, LemmatizerModel | None]:
        tagger = (
            learn_tagger(self.tagged, sentences, self.seed, stop, passes, seeds) if self.tagged is not None else None
        )
        lemmas = self.lemmatized
        return tagger, learn_lemmatizer(lemmas, sentences, self.seed, stop) if lemmas is not None else None

    def _predict(self, sentences: Integers, fold: int, folds: int, stop: Event) -> Predicted:
        """What is said of a fold by what was learned from the others. Neighbours are in the same fold, as texts are."""
        held = (numpy.arange(len(sentences)) * folds // len(sentences)) == fold
        tagger, lemmatizer = self._learn(sentences[~held], stop, FOLD_PASSES)
        words = words_of(self.starts, sentences[held])
        sizes = numpy.diff(self.starts)[held]
        starts = numpy.concatenate([[0], numpy.cumsum(sizes)]).astype(numpy.int32)
        tags = coarse = numpy.full(len(words), -1, numpy.int32)
        if tagger is not None and self.tagged is not None:
            tags = tagger.make_tagger().tag(self.tagged.forms, starts, self.tagged.codes[words])
            parts, _ = parts_of(tagger.tags)
            coarse = numpy.ascontiguousarray(parts[tags, 0]) if parts.shape[1] else tags
        lemmas: list[str | None] = []
        if lemmatizer is not None and self.lemmatized is not None:
            table = self.lemmatized.lemmas.overlay()  # no thread writes where others read
            codes = lemmatizer.make_lemmatizer().lemmatize(
                self.lemmatized.forms, table, starts, self.lemmatized.codes[words], tags, coarse
            )
            lemmas = table.decode(codes)
        return Predicted(words, tags, lemmas)

    def _with_predicted(self, predicted: Sequence[Predicted]) -> list[Block]:
        if not predicted:
            return list(self.blocks)
        format, tables = self.blocks[0].format, self.blocks[0].tables
        values = numpy.concatenate([block.values for block in self.blocks])
        for one in predicted:
            for place, name in enumerate(self.tagged.columns if self.tagged is not None else ()):
                assert self.tagged is not None
                codes = numpy.array([tables[name].add(tag[place]) for tag in self.tagged.tags], numpy.int32)
                values[one.words, format.places[name]] = codes[one.tags]
            if one.lemmas:
                values[one.words, format.places[LEMMA]] = [tables[LEMMA].add(lemma or EMPTY) for lemma in one.lemmas]
        found, at = [], 0
        for block in self.blocks:
            found.append(replace(block, values=numpy.ascontiguousarray(values[at : at + len(block.heads)])))
            at += len(block.heads)
        return found
