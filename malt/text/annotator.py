"""Filling in tags and lemmas: blocks of words in, the same words with the columns that they lacked out."""

from __future__ import annotations

from dataclasses import replace

import numpy

from malt.data.block import Block, Integers, TextReader
from malt.data.formats.dataformat import EMPTY
from malt.data.formats.writer import filler
from malt.mco.arrays import Array
from malt.text.entries import TextModel
from malt.text.tagger import parts_of

FEATS, LEMMA = "FEATS", "LEMMA"


class Annotator:
    """Tags and lemmatizes with a model. One is for one thread."""

    def __init__(self, model: TextModel, *, retag: bool = False) -> None:
        """retag: columns that are filled are replaced."""
        self._retag = retag
        self._columns = model.tagger.columns if model.tagger is not None else ()
        self._tags = list(model.tagger.tags) if model.tagger is not None else []
        self._numbers = {tag: number for number, tag in enumerate(self._tags)}
        empty = {name for tag in self._tags for name, part in zip(self._columns, tag, strict=True) if part == EMPTY}
        self._always = set(self._columns) - empty  # columns in which all words have a value
        self._parts, _ = parts_of(self._tags)
        self._part_numbers = [
            {tag[place]: int(row[place]) for tag, row in zip(self._tags, self._parts, strict=True)}
            for place in range(self._parts.shape[1])
        ]
        self._tagger = model.tagger.make_tagger() if model.tagger is not None else None
        self._lemmatizer = model.lemmatizer.make_lemmatizer() if model.lemmatizer is not None else None

    def annotate(self, block: Block) -> Block:
        """The block with tags and lemmas where they are missing: of a word, in columns that always have a value in the
        treebank; where an empty field can be meant, of a sentence in which no word has one. Features may well be empty
        beside other tags, and are filled in only together with them."""
        if not len(block.heads):
            return block
        fills = {name: self._lacking(block, name) for name in (*self._columns, LEMMA)}
        others = [name for name in self._columns if name != FEATS]
        if FEATS in self._columns and others:
            fills[FEATS] &= numpy.logical_and.reduce([fills[name] for name in others])
        if self._lemmatizer is None:
            fills[LEMMA][:] = False
        changed = [name for name, places in fills.items() if places.any()]
        if not changed:
            return block
        values = block.values.copy()
        codes = numpy.ascontiguousarray(block.codes(block.format.form_column))
        tags: Integers | None = None
        if any(name in self._columns for name in changed):
            assert self._tagger is not None
            tags = self._tagger.tag(block.tables["FORM"], block.starts, codes, self._given(block, fills))
            for place, name in enumerate(self._columns):
                of_tag = numpy.array([block.tables[name].add(tag[place]) for tag in self._tags], numpy.int32)
                column = values[:, block.format.places[name]]
                column[fills[name]] = of_tag[tags][fills[name]]
        if LEMMA in changed:
            assert self._lemmatizer is not None
            whole = all(fills[name].all() for name in self._columns)
            numbers, coarse = self._known(block, values) if tags is None or not whole else self._with_coarse(tags)
            lemmas = self._lemmatizer.lemmatize(
                block.tables["FORM"], block.tables[LEMMA], block.starts, codes, numbers, coarse
            )
            column = values[:, block.format.places[LEMMA]]
            column[fills[LEMMA]] = lemmas[fills[LEMMA]]
        # What comes out is what reading a tagged file would give.
        text = filler(block.format, changed).write(replace(block, values=values))
        return TextReader(block.format, block.name).read(text, block.tables, block.first_line)

    def _lacking(self, block: Block, column: str) -> Array:
        """The words that lack a value in a column."""
        codes = block.codes(column)
        lacks: Array = (codes < 0) | (codes == block.tables[column].code(EMPTY))
        if self._retag:
            lacks[:] = True
        if column in self._always or (column == FEATS and self._columns != (FEATS,)):
            return lacks
        return numpy.repeat(numpy.logical_and.reduceat(lacks, block.starts[:-1]), numpy.diff(block.starts))

    def _given(self, block: Block, fills: dict[str, Array]) -> Integers | None:
        """The parts of tags that are known and stay."""
        if not self._part_numbers or all(fills[name].all() for name in self._columns):
            return None
        given = numpy.full((len(block.heads), len(self._columns)), -1, numpy.int32)
        for place, name in enumerate(self._columns):
            if not fills[name].all() and name != FEATS:
                given[:, place] = _mapped(block, block.codes(name), name, self._part_numbers[place])
                given[fills[name], place] = -1
        return given

    def _with_coarse(self, tags: Integers) -> tuple[Integers, Integers]:
        return tags, self._parts[tags, 0] if self._part_numbers else tags

    def _known(self, block: Block, values: Integers) -> tuple[Integers, Integers]:
        """The numbers of the tags that words have, and of their first parts; -1: they were not learned."""
        if not self._columns:
            none = numpy.full(len(block.heads), -1, numpy.int32)
            return none, none
        columns = [block.format.places[name] for name in self._columns]
        rows, places = numpy.unique(values[:, columns], axis=0, return_inverse=True)
        numbers, coarse = [], []
        for row in rows.tolist():
            tag = tuple(block.tables[name].symbol(code) or EMPTY for name, code in zip(self._columns, row, strict=True))
            number = self._numbers.get(tag, -1)
            numbers.append(number)
            coarse.append(self._part_numbers[0].get(tag[0], -1) if self._part_numbers else number)
        found = numpy.array([numbers, coarse], numpy.int32)[:, places.ravel()]
        return numpy.ascontiguousarray(found[0]), numpy.ascontiguousarray(found[1])


def _mapped(block: Block, codes: Integers, column: str, numbers: dict[str, int]) -> Integers:
    unique, places = numpy.unique(codes, return_inverse=True)
    found = [numbers.get(block.tables[column].symbol(code) or EMPTY, -1) for code in unique.tolist()]
    mapped: Integers = numpy.array(found, numpy.int32)[places.ravel()]
    return mapped
