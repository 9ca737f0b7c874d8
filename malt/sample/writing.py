"""Sample sentences as text: CoNLL-X and CoNLL-U."""

from __future__ import annotations

from collections.abc import Callable

from malt.sample.sentence import SampleSentence, SampleWord

# A preposition and the article after it are written as one word, `de lo` as `delo`: a multiword token of CoNLL-U.
CONTRACTIONS = {"de": "de", "ad": "a", "en": "ne"}
TIGHT_BEFORE = frozenset({"Fc", "Fs", "Fx", "Fi", "Fe", "Fk"})  # no space before these


def conllx(sentence: SampleSentence, name: str = "") -> str:
    """Ten columns: ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL PHEAD PDEPREL. The root is labelled ROOT."""
    lines = []
    for number, word in enumerate(sentence.words, 1):
        label = word.deprel if word.head else "ROOT"
        columns = (number, word.form, word.lemma, word.upos, word.xpos, word.feats, word.head, label, "_", "_")
        lines.append("\t".join(map(str, columns)))
    return "\n".join(lines) + "\n\n"


def contraction(words: tuple[SampleWord, ...], number: int) -> str:
    """The one form of word `number` and the next, or nothing."""
    if number == len(words):
        return ""
    word, follower = words[number - 1 : number + 1]
    start = CONTRACTIONS.get(word.lemma, "") if word.xpos == "Ap" and follower.xpos == "Da" else ""
    if not start:
        return ""
    form = start + follower.form
    return form.capitalize() if word.form != word.lemma else form


def conllu(sentence: SampleSentence, name: str) -> str:
    """CoNLL-U with sent_id and text, multiword tokens for contractions, and empty nodes for verbs that are left out."""
    words = sentence.words
    understood = dict(sentence.understood)
    lines: list[str] = []
    text = ""
    covered = 0  # the last word of a multiword token
    for number, word in enumerate(words, 1):
        fused = contraction(words, number)
        last = number + 1 if fused else number
        tight = last < len(words) and (words[last].xpos in TIGHT_BEFORE or words[last - 1].xpos == "Fo")
        misc = "SpaceAfter=No" if tight else "_"
        if fused:
            lines.append(f"{number}-{last}\t{fused}" + "\t_" * 7 + f"\t{misc}")
            covered = last
        if fused or number > covered:
            text += (fused or word.form) + ("" if tight else " ")
        columns = (number, word.form, word.lemma, word.upos, word.xpos, word.feats, word.head, word.deprel, "_")
        lines.append("\t".join(map(str, columns)) + ("\t_" if number <= covered else f"\t{misc}"))
        if number in understood:
            verb = words[understood[number] - 1]
            form = verb.form[0].lower() + verb.form[1:]
            empty = (f"{number}.1", form, verb.lemma, verb.upos, verb.xpos, verb.feats, "_", "_")
            lines.append("\t".join(empty) + f"\t{understood[number]}:conj\t_")
    head = [f"# sent_id = {name}", "# text = " + text.rstrip()]
    return "\n".join(head + lines) + "\n\n"


WRITERS: dict[str, Callable[[SampleSentence, str], str]] = {"conllx": conllx, "conllu": conllu}
