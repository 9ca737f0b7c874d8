"""Which columns of a format stand for those of CoNLL-X, which the default models name, and which are idle."""

from __future__ import annotations

from collections.abc import Iterable

import numpy

from malt.data.block import Block
from malt.data.formats.dataformat import EMPTY, HEAD, INPUT, INTEGER, LABEL, DataFormat
from malt.features.values import STRING

# Which columns can stand for those of the files, the best first. In CoNLL-U universal tags take the place of POSTAG.
TAGS = ("POSTAG", "UPOSTAG", "XPOSTAG", "CPOSTAG", "PPOSTAG", "UPOS", "XPOS", "POS", "CPOS", "TAG")
WORDS = ("FORM", "WORD", "TOKEN", "LEMMA")
FURTHER = {"CPOSTAG": ("CPOSTAG", "XPOSTAG", "CPOS"), "LEMMA": ("LEMMA", "PLEMMA"), "FEATS": ("FEATS", "FEAT", "PFEAT")}


def columns_of(format: DataFormat) -> dict[str, str]:
    """The column of a format for each column that MaltParser's models name; nothing where it has none."""
    texts = {column.name for column in format.columns if column.category == INPUT and column.type == STRING}
    labels = [column.name for column in format.columns if column.category == LABEL and column.type == STRING]
    heads = [column.name for column in format.columns if column.category == HEAD and column.type == INTEGER]
    return {
        "POSTAG": next((name for name in TAGS if name in texts), ""),
        "FORM": next((name for name in WORDS if name in texts), ""),
        "DEPREL": "DEPREL" if "DEPREL" in labels else next(iter(labels), ""),
        "HEAD": "HEAD" if "HEAD" in heads else next(iter(heads), ""),
    }


def columns_by_name(format: DataFormat) -> dict[str, str]:
    """The same, with those that only plans and the templates of the structured learner name.

    >>> from malt.data.formats.dataformat import find_format
    >>> universal, few = (columns_by_name(find_format(name)) for name in ("conllu", "malttab"))
    >>> universal["POSTAG"], universal["CPOSTAG"], few["FEATS"]
    ('UPOSTAG', 'XPOSTAG', '')
    """
    found = columns_of(format)
    for name, others in FURTHER.items():
        found[name] = next((other for other in others if other in format.names and other not in found.values()), "")
    return found


def idle_columns(blocks: Iterable[Block], format: DataFormat) -> frozenset[str]:
    """The columns of the input from which nothing can be learned: no word has a value there, or every word has the same
    as in another column, which is then the one to look at.

    >>> from malt.data.source import open_source
    >>> text = "1\\tA\\t_\\tX\\tX\\t_\\t0\\tr\\t_\\t_\\n2\\tb\\t_\\tY\\tY\\t_\\t1\\tr\\t_\\t_\\n\\n"
    >>> with open_source(text) as treebank:
    ...     sorted(idle_columns(treebank, treebank.format))
    ['CPOSTAG', 'FEATS', 'LEMMA']
    """
    texts = [column.name for column in format.columns if column.category == INPUT and column.type == STRING]
    preferred = [name for name in columns_by_name(format).values() if name in texts]
    order = list(dict.fromkeys([*preferred, *texts]))
    empty = set(order)
    same = {(one, other) for place, one in enumerate(order) for other in order[place + 1 :]}
    for block in blocks:
        empty -= {name for name in empty if _has_values(block, name)}
        same -= {pair for pair in same if not are_same(block, *pair)}
    return frozenset(empty | {other for one, other in same if one not in empty})


def _has_values(block: Block, column: str) -> bool:
    codes = block.codes(column)
    return bool(((codes >= 0) & (codes != block.tables[column].code(EMPTY))).any())


def are_same(block: Block, one: str, other: str) -> bool:
    """Whether every word of a block has the same value in two columns."""
    pairs = numpy.stack([block.codes(one), block.codes(other)], axis=1)
    first, second = block.tables[one], block.tables[other]
    if any(first.symbol(a) != second.symbol(b) for a, b in pairs[:1].tolist()):
        return False  # nearly all differ soon
    return all(first.symbol(a) == second.symbol(b) for a, b in numpy.unique(pairs, axis=0).tolist())
