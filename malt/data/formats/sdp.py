"""The format of the SDP shared tasks (2014 and 2015): graphs, with a column for each word that has dependents.

ID FORM LEMMA POS TOP PRED FRAME ARG ..., where the column ARG of the first predicate (PRED is +) comes first; in 2014
there was no FRAME. It is read as the CoNLL-U that says the same, line by line, and written from there: POS is XPOS, the
arcs are in DEPS, a top node hangs on the root with the label top, and MISC keeps the frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from malt.data.formats.dataformat import DEPS, EMPTY, SDP, DataFormat, find_format
from malt.errors import DataError

HEADER = b"#SDP 2015\n"  # the first line of a file with frames
TOP = "top"  # the label of arcs from the root
FIXED = 6  # columns before the frame
YES, NO = "+", "-"
_FRAME, _PREDICATE = "Frame=", "Pred=+"
_WORD = re.compile(rb"^[0-9]+\t[^\t\r\n]*\t[^\t\r\n]*\t[^\t\r\n]*\t[+-]\t[+-](?=[\t\r\n])", re.MULTILINE)
_ID = re.compile(r"[0-9]+")

Line = tuple[str, str]  # without its end, and that


def is_sdp(beginning: bytes) -> bool:
    r"""Whether the first word of a file has TOP and PRED.

    >>> is_sdp(b"#1\n1\tHej\thej\tI\t+\t-\n"), is_sdp(b"1\tHej\thej\tI\tI\t_\t0\tROOT\n")
    (True, False)
    """
    words = [line for line in beginning.splitlines(keepends=True) if line.strip() and not line.startswith(b"#")]
    return bool(words) and _WORD.match(words[0]) is not None


def to_conllu(text: bytes, name: str, first_line: int) -> bytes:
    r"""Whole sentences in CoNLL-U; `name` and `first_line` are for errors.

    >>> text = b"1\tA\ta\tN\t-\t-\t_\tARG1\n2\tB\tb\tV\t+\t+\tb:x\t_\n"
    >>> print(to_conllu(text, "x", 1).decode().replace("\t", " "), end="")
    1 A a _ N _ _ _ 2:ARG1 _
    2 B b _ V _ _ _ 0:top Frame=b:x
    """
    out: list[str] = []
    for number, lines in _sentences(text, first_line):
        rows = [line.split("\t") if _is_word(line) else [] for line, _ in lines]
        predicates = [row[0] for row in rows if len(row) >= FIXED and row[5] == YES]
        frame = max(map(len, rows)) - FIXED - len(predicates)  # is there such a column? The same in all lines
        for place, ((line, end), row) in enumerate(zip(lines, rows, strict=True)):
            if not row:
                out.append(line + end)
                continue
            if (
                frame not in (0, 1)
                or len(row) != FIXED + frame + len(predicates)
                or row[4] not in (YES, NO)
                or row[5] not in (YES, NO)
            ):
                raise DataError(
                    f"the word has {len(row)} columns; expected ID, FORM, LEMMA, POS, TOP and PRED (+ or -), FRAME, "
                    f"and one for each of the {len(predicates)} predicates of the sentence",
                    name,
                    number + place,
                )
            arcs = [f"0:{TOP}"] * (row[4] == YES)
            arcs += [
                f"{head}:{label}"
                for head, label in zip(predicates, row[FIXED + frame :], strict=True)
                if label != EMPTY
            ]
            misc = [_FRAME + row[FIXED].replace("|", "%7C")] * (frame == 1 and row[FIXED] != EMPTY)
            column = FIXED + frame + predicates.index(row[0]) if row[5] == YES else -1
            if column >= 0 and all(other[column] == EMPTY for other in rows if len(other) > column):
                misc.append(_PREDICATE)
            fields = [*row[:3], EMPTY, row[3], EMPTY, EMPTY, EMPTY, "|".join(arcs) or EMPTY, "|".join(misc) or EMPTY]
            out.append("\t".join(fields) + end)
    return "".join(out).encode()


def from_conllu(text: bytes) -> tuple[bytes, set[str], int]:
    """Whole sentences in CoNLL-U in the format of 2015, the columns of which something has no place there, and how many
    lines are left out."""
    names = conllu_columns()
    out: list[str] = []
    lost: set[str] = set()
    dropped = 0
    for _, lines in _sentences(text, 1):
        rows = [line.split("\t") if _is_word(line) else [] for line, _ in lines]
        words = [dict(zip(names, row, strict=False)) for row in rows if row]
        arcs = {
            (head, word["ID"]): label
            for word in words
            if word.get(DEPS, EMPTY) != EMPTY
            for head, _, label in (part.partition(":") for part in word[DEPS].split("|"))
        }
        heads = {head for head, _ in arcs}
        said = [word.get("MISC", EMPTY).split("|") for word in words]
        predicates = [
            word["ID"] for word, misc in zip(words, said, strict=True) if word["ID"] in heads or _PREDICATE in misc
        ]
        every = iter(zip(words, said, strict=True))
        for (line, end), row in zip(lines, rows, strict=True):
            if not row:
                if line.strip() and not line.startswith("#"):
                    dropped += 1
                else:
                    out.append(line + end)
                continue
            word, misc = next(every)
            fine, coarse = word.get("XPOSTAG", EMPTY), word.get("UPOSTAG", EMPTY)
            lost |= {name for name in ("FEATS", "HEAD", "DEPREL") if word.get(name, EMPTY) != EMPTY}
            lost |= {"UPOSTAG"} if EMPTY not in (fine, coarse) else set()
            lost |= {"MISC"} if any(m not in (EMPTY, _PREDICATE) and not m.startswith(_FRAME) for m in misc) else set()
            frame = next((m.removeprefix(_FRAME).replace("%7C", "|") for m in misc if m.startswith(_FRAME)), EMPTY)
            fields = [
                *(word.get(name, EMPTY) for name in ("ID", "FORM", "LEMMA")),
                fine if fine != EMPTY else coarse,
                YES if ("0", word["ID"]) in arcs else NO,
                YES if word["ID"] in predicates else NO,
                frame,
                *(arcs.get((head, word["ID"]), EMPTY) for head in predicates),
            ]
            out.append("\t".join(fields) + end)
    return "".join(out).encode(), lost, dropped


def conllu_columns() -> tuple[str, ...]:
    """The columns that stand for those of SDP."""
    return find_format(SDP).names


def as_read(format: DataFormat) -> DataFormat:
    """The format that a file is read in: SDP as CoNLL-U."""
    return find_format("conllu") if format.name == SDP else format


def _is_word(line: str) -> bool:
    return _ID.fullmatch(line.partition("\t")[0]) is not None and "\t" in line


def _sentences(text: bytes, first_line: int) -> Iterator[tuple[int, list[Line]]]:
    """The lines of each sentence, with those after it up to the next one, and the number of the first."""
    lines: list[Line] = []
    ended = False
    number = first_line
    for raw in text.splitlines(keepends=True):
        line = raw.decode()
        plain = line.rstrip("\r\n")
        if plain.strip() and ended:
            yield number, lines
            number += len(lines)
            lines, ended = [], False
        ended = ended or not plain.strip()
        lines.append((plain, line[len(plain) :]))
    if lines:
        yield number, lines
