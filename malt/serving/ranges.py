"""Where tokens are in their text, and what is between them: as UDPipe writes it on demand in CoNLL-U, last column."""

from __future__ import annotations

from malt.text.surface import blanks_of

MARK = "\ufeff"  # at the beginning of a text, of which it is no part


_SPACES = ("SpacesBefore=", "SpacesAfter=", "SpacesInToken=")


class Ranges:
    r"""Adds the ranges to the CoNLL-U of a text, part after part. They are counted in characters.

    >>> row = "\t".join("1 Hi _ _ _ _ _ _ _ SpacesAfter=\\n".split())
    >>> Ranges("Hi\nyou").add(row).split("\t")[-1]
    'SpacesAfter=\\n|TokenRange=0:2'
    """

    def __init__(self, text: str) -> None:
        self._at = int(text.startswith(MARK))

    def add(self, conllu: str) -> str:
        """The next part."""
        return "\n".join(self._lines(conllu))

    def _lines(self, conllu: str) -> list[str]:
        found, last = [], 0  # the last word of a token that is several
        for line in conllu.split("\n"):
            number, *fields = line.split("\t")
            if not fields:
                last = 0
            elif "-" in number or int(number) > last:
                last = int(number.partition("-")[2] or 0)
                form, misc = fields[0], fields[-1]
                begin = self._at + len(blanks_of(misc, "SpacesBefore"))
                self._at = begin + len(form) + len(blanks_of(misc))
                ranged = f"TokenRange={begin}:{begin + len(form)}"
                line = f"{line}|{ranged}" if misc != "_" else f"{line[:-1]}{ranged}"
            found.append(line)
        return found


def normalize_spaces(conllu: str) -> str:
    r"""CoNLL-U that says no more of blanks than its standard does: whether there are any (SpaceAfter=No).

    >>> rows = ["SpacesAfter=\\n", "A=b|SpacesAfter=\\s\\s", "SpacesBefore=\\s|SpaceAfter=No", "_"]
    >>> [row.split("\t")[-1] for row in normalize_spaces("\n".join(f"1\tx\t{row}" for row in rows)).split("\n")]
    ['_', 'A=b', 'SpaceAfter=No', '_']
    """
    return "\n".join(map(_without_spaces, conllu.split("\n")))


def _without_spaces(line: str) -> str:
    fields, tab, misc = line.rpartition("\t")
    if not tab or line.startswith("#"):
        return line
    kept = [item for item in misc.split("|") if not item.startswith(_SPACES)]
    return f"{fields}\t{'|'.join(kept) or '_'}"
