"""A treebank with tags as a tagger predicts them, so that what a search selects holds on text, too."""

from __future__ import annotations

from dataclasses import dataclass, replace

from malt.data.formats.dataformat import find_format
from malt.data.formats.writer import filler
from malt.errors import DataError
from malt.optimizer.trial.corpus import Corpus
from malt.text.annotator import LEMMA, Annotator
from malt.text.entries import TextModel
from malt.text.learning import TextLearning

FOLDS = 10


@dataclass(frozen=True)
class Jackknifed:
    """A treebank in which each sentence has the tags and lemmas that were learned from others, and what was learned
    from all of it."""

    corpus: Corpus
    model: TextModel
    columns: tuple[str, ...]  # what is predicted

    @classmethod
    def of(cls, corpus: Corpus, folds: int = FOLDS) -> Jackknifed:
        """Learn to tag, in so many folds.

        >>> import malt
        >>> gold = Corpus.read("".join(malt.sample.text(30, "conllu")))
        >>> found = Jackknifed.of(gold, 2)
        >>> found.columns, found.corpus.lengths == gold.lengths, found.corpus.text == gold.text
        (('UPOSTAG', 'XPOSTAG', 'FEATS', 'LEMMA'), True, False)
        """
        if corpus.format.names != find_format("conllu").names:
            raise DataError(
                f"--jackknife is for CoNLL-U, and this is read as {corpus.format.name}; `malt convert -of conllu` "
                "turns it into CoNLL-U",
                corpus.name,
            )
        learning = TextLearning(list(corpus.blocks()))
        columns = learning.tagged.columns if learning.tagged is not None else ()
        columns += (LEMMA,) if learning.lemmatized is not None else ()
        if not columns:
            raise DataError("there are no tags and no lemmas to be predicted (--jackknife)", corpus.name)
        model, blocks = learning.learn(folds)
        writer = filler(corpus.format, columns)
        return cls(_with_text(corpus, b"".join(map(writer.write, blocks))), model, columns)

    def tag(self, corpus: Corpus) -> Corpus:
        """Another treebank with tags that are predicted."""
        annotator = Annotator(self.model, retag=True)
        return _with_text(corpus, b"".join(annotator.annotate(block).text for block in corpus.blocks()))


def _with_text(corpus: Corpus, text: bytes) -> Corpus:
    return replace(Corpus.read(text.decode(), corpus.format.name), name=corpus.name)
