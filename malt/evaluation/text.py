"""Files whose tokens differ: words are aligned by their characters, and scored as the CoNLL 2018 shared task did."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy
import numpy.typing

from malt.data.source import Source
from malt.data.treebank import Treebank
from malt.errors import DataError, UsageError, counted
from malt.evaluation import words
from malt.evaluation.alignment import Opener, open_together, openers_of
from malt.evaluation.attachment import Arcs, Flags
from malt.evaluation.convention import CONVENTIONS
from malt.evaluation.evaluation import names_of, sources_of
from malt.evaluation.spans import align_words, require_same_characters, same_spans
from malt.evaluation.tally import ratio
from malt.evaluation.tokens import DEPREL, FEATS, LEMMA, UPOS, XPOS, Keys, TokenizedText, read_tokens

FORMAT = "conllu"
TITLE = f"{CONVENTIONS['ud'].title}, words aligned by their characters"
METRICS = {  # and what has to be right
    "Tokens": "tokens that begin and end at the same characters",
    "Sentences": "sentences that do",
    "Words": "words of the same characters; in multiword tokens, in order and of the same form",
    "UPOS": "aligned words with the right universal part of speech; likewise the rest",
    "XPOS": "the right part of speech of the language",
    "UFeats": "the right universal features",
    "AllTags": "UPOS, XPOS and UFeats at once",
    "Lemmas": "the right lemma",
    "UAS": "the right head",
    "LAS": "the right head and the right label, subtypes apart",
    "CLAS": "LAS of content words: all relations of UD but functional ones and punct",
    "MLAS": "CLAS where UPOS, UFeats and all function words with theirs are right, too",
    "BLEX": "CLAS where the lemma is right, too",
}
OF_SUMMARY = ("Tokens", "Sentences", "Words", "UPOS", "LAS")
LEGEND = {
    "precision": "of what the system has, the share that is right",
    "recall": "of what the gold standard has, the share that the system has right",
    "F": "the harmonic mean of both; this is the score that is published",
    "aligned": "of the words that count and are in both, the share that is right",
}
MEASURES = tuple(LEGEND)


@dataclass(frozen=True)
class Score:
    """One metric of one file.

    >>> score = Score(gold=4, system=6, right=3, aligned=4)
    >>> score.precision, score.recall, score.f, score.aligned_accuracy
    (0.5, 0.75, 0.6, 0.75)
    """

    gold: int  # how many the gold standard has
    system: int
    right: int
    aligned: int | None = (
        None  # of the words that count, those that are in both; of tokens and sentences there are none
    )

    @property
    def precision(self) -> float | None:
        """Of what the system has, the share that is right."""
        return ratio(self.right, self.system)

    @property
    def recall(self) -> float | None:
        """Of what the gold standard has, the share that is right."""
        return ratio(self.right, self.gold)

    @property
    def f(self) -> float | None:
        """The harmonic mean of both."""
        return ratio(2 * self.right, self.gold + self.system)

    @property
    def aligned_accuracy(self) -> float | None:
        """Of the aligned words, the share that is right."""
        return None if self.aligned is None else ratio(self.right, self.aligned)

    def shares(self) -> tuple[float | None, ...]:
        """What MEASURES names, in order."""
        return self.precision, self.recall, self.f, self.aligned_accuracy

    def to_dict(self) -> dict[str, float | None]:
        """All numbers, by name."""
        shares = {name: getattr(self, name) for name in ("precision", "recall", "f", "aligned_accuracy")}
        return {**asdict(self), **shares}


NO_SCORE = Score(0, 0, 0)


@dataclass
class ScoredText:
    """The scores of one file, by metric; those of trees are missing if one of the files has none."""

    name: str
    scores: dict[str, Score]

    def __getitem__(self, metric: str) -> float:
        """The F-score of a metric, between 0 and 1; nan where there is none."""
        if metric not in METRICS:
            raise KeyError(f"{metric} is no metric; there are {', '.join(METRICS)}")
        found = self.scores.get(metric, NO_SCORE).f
        return math.nan if found is None else found


@dataclass(repr=False)
class TextEvaluation:
    """The scores of some files against a gold standard. Of one, they are here, too: `result["LAS"]`."""

    gold: str
    sentences: int
    tokens: int
    words: int
    systems: list[ScoredText] = field(default_factory=list)

    def __getitem__(self, metric: str) -> float:
        """The F-score of the only system, as it has it."""
        if len(self.systems) != 1:
            raise UsageError(f"there are {len(self.systems)} systems; each has its scores: see .systems[0][{metric!r}]")
        return self.systems[0][metric]

    def __repr__(self) -> str:
        said = []
        for system in self.systems:
            scores = (f"{name} {words.percent(system.scores[name].f)}" for name in self.metrics if name in OF_SUMMARY)
            said.append((f"{system.name}: " if len(self.systems) > 1 else "") + ", ".join(scores))
        return f"<TextEvaluation {'; '.join(said)}; {self.size()}>"

    @property
    def metrics(self) -> list[str]:
        """The metrics that there are."""
        return [name for name in METRICS if any(name in system.scores for system in self.systems)]

    def in_gold(self, metric: str) -> int:
        """How many tokens, sentences or words of the gold standard a metric counts."""
        return next(system.scores[metric].gold for system in self.systems if metric in system.scores)

    def size(self) -> str:
        """How large the gold standard is, in words."""
        sizes = {"sentence": self.sentences, "token": self.tokens, "word": self.words}
        return ", ".join(counted(number, what) for what, number in sizes.items())

    def to_dict(self) -> dict[str, Any]:
        """All numbers, by name, as `malt eval --text --json` has them. Shares are between 0 and 1; None is a share of
        nothing."""
        return {
            "gold": self.gold,
            "format": FORMAT,
            "convention": "ud",
            "aligned_by": "characters",
            "sentences": self.sentences,
            "tokens": self.tokens,
            "words": self.words,
            "systems": {
                system.name: {name: score.to_dict() for name, score in system.scores.items()} for system in self.systems
            },
        }

    def _repr_html_(self) -> str:
        """The F-scores, as notebooks show them."""
        from malt.drawing.page.notebook import snippet
        from malt.drawing.reports.overview import overview_table

        rows = [
            (metric, [words.percent(system.scores.get(metric, NO_SCORE).f) for system in self.systems])
            for metric in self.metrics
        ]
        return snippet(overview_table(rows, [system.name for system in self.systems], f"{TITLE}: F-scores"))


def evaluate_text(
    gold: Source, systems: Source | Iterable[Source] | Mapping[str, Source], charset: str = "UTF-8"
) -> TextEvaluation:
    r"""Score what was made of text against a gold standard: files, texts or sentences, all of them CoNLL-U.

    Tokens, words and sentences may be others than those of the gold standard; the characters may not, blanks apart.

    >>> gold = "1\tHunde\t_\tNOUN\t_\t_\t2\tnsubj\n2\tgør\t_\tVERB\t_\t_\t0\troot\n"
    >>> parsed = "1\tHunde\t_\tNOUN\t_\t_\t0\troot\n\n1\tgør\t_\tVERB\t_\t_\t0\troot\n"
    >>> result = evaluate_text(gold, parsed)
    >>> result["Tokens"], result["Sentences"], result["UPOS"], result["LAS"]
    (1.0, 0.0, 1.0, 0.5)
    >>> result.systems[0].scores["LAS"]
    Score(gold=2, system=2, right=1, aligned=2)
    """
    openers, names = sources_of(gold, systems)
    return _evaluate(openers, names, charset)


def evaluate_text_files(gold: str, systems: Sequence[str], charset: str = "UTF-8") -> TextEvaluation:
    """The same for files, whatever their names look like."""
    return _evaluate(openers_of([gold, *systems]), (), charset)


def _evaluate(openers: Sequence[Opener], names: Sequence[str], charset: str) -> TextEvaluation:
    with open_together(openers, FORMAT, charset) as (reference, *parsed):
        names = names_of(names, parsed)
        _require_columns([reference, *parsed])
        keys = Keys(reference.tables)
        gold = read_tokens(reference, keys)
        result = TextEvaluation(gold.name, gold.sentences, gold.tokens, len(gold))
        trees = gold.has_trees()
        for name, treebank in zip(names, parsed, strict=True):
            system = read_tokens(treebank, keys)
            require_same_characters(gold, system)
            if not len(gold):
                raise DataError("there are no sentences to score", gold.name)
            result.systems.append(ScoredText(name, score_text(gold, system, trees & system.has_trees())))
    return result


def _require_columns(treebanks: Sequence[Treebank]) -> None:
    for treebank in treebanks:
        for column in ("ID", "FORM", LEMMA, UPOS, XPOS, FEATS, DEPREL):
            if column not in treebank.format.coded:
                raise DataError(f"text is scored in CoNLL-U, but the file has no column {column}", treebank.name)


def score_text(gold: TokenizedText, system: TokenizedText, trees: bool = True) -> dict[str, Score]:
    """All scores of a file whose characters are those of the gold standard; `trees`: those of trees, too."""
    tokens, _ = same_spans(gold.token_spans, system.token_spans)
    sentences, _ = same_spans(gold.sentence_spans, system.sentence_spans)
    ours, theirs = align_words(gold, system)

    def same(column: str) -> Flags:
        flags: Flags = gold.keys[column][ours] == system.keys[column][theirs]
        return flags

    def score(right: Flags) -> Score:
        return Score(len(gold), len(system), int(right.sum()), len(ours))

    upos, xpos, features = same(UPOS), same(XPOS), same(FEATS)
    lemmas = same(LEMMA) | (gold.keys[LEMMA][ours] == 0)  # without one in the gold standard, any is right
    scores = {
        "Tokens": Score(gold.tokens, system.tokens, len(tokens)),
        "Sentences": Score(gold.sentences, system.sentences, len(sentences)),
        "Words": Score(len(gold), len(system), len(ours)),
        "UPOS": score(upos),
        "XPOS": score(xpos),
        "UFeats": score(features),
        "AllTags": score(upos & xpos & features),
        "Lemmas": score(lemmas),
    }
    if not trees:
        return scores
    nowhere = -2  # a word that is not aligned
    aligned = numpy.full(len(system) + 1, nowhere)  # the same word of the gold standard; the last is the root
    aligned[theirs], aligned[-1] = ours, -1
    parents, found = gold.parents, aligned[system.parents]  # as words of the gold standard, both
    arcs = Arcs(parents[ours], gold.keys[DEPREL][ours])
    parsed = Arcs(found[theirs], system.keys[DEPREL][theirs])
    labelled, tagged = parsed.right(arcs), upos & features
    whole = labelled & tagged & gold.functional[ours]  # function words with which nothing is wrong
    needed, had = (_children(file.parents[file.functional], len(file)) for file in (gold, system))
    right = _children(parents[ours[whole]], len(gold))
    functional = (needed[ours] == had[theirs]) & (needed[ours] == right[ours])
    content = gold.content[ours]
    totals = int(gold.content.sum()), int(system.content.sum())

    def content_score(right: Flags) -> Score:
        return Score(*totals, int((right & content).sum()), int(content.sum()))

    scores |= {
        "UAS": score(parsed.right(arcs, "uas")),
        "LAS": score(labelled),
        "CLAS": content_score(labelled),
        "MLAS": content_score(labelled & tagged & functional),
        "BLEX": content_score(labelled & lemmas),
    }
    return scores


def _children(parents: numpy.typing.NDArray[Any], size: int) -> numpy.typing.NDArray[Any]:
    """How many words hang on each of a file's words, of those whose heads are given."""
    return numpy.bincount(parents[parents >= 0], minlength=size)
