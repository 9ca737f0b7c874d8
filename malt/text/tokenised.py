"""Text that is tokenised already: a sentence a line with blanks between words, or a word a line."""

from __future__ import annotations

HORIZONTAL, VERTICAL = "horizontal", "vertical"
LONGEST = 1 << 16  # bytes of a word: what is longer is cut
MOST_WORDS = 1000  # of a sentence
_REST = "\t_" * 8 + "\n"


class Tokenised:
    r"""Makes CoNLL-U of such text, part by part.

    >>> text, done, number = Tokenised(HORIZONTAL).cut(b"Hi there\n", False)
    >>> text.decode().splitlines()[:3], done, number
    (['# sent_id = 1', '# text = Hi there', '1\tHi\t_\t_\t_\t_\t_\t_\t_\t_'], 9, 1)
    """

    def __init__(self, kind: str, number: int = 0) -> None:
        self._kind, self._number = kind, number
        self._words: list[str] = []  # of the sentence that is not over

    def cut(self, text: bytes, final: bool) -> tuple[bytes, int, int]:
        """(CoNLL-U, how many bytes were used, sentences so far); if it is not final, the text goes on."""
        done = len(text)
        if not final:
            done = 1 + max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1), text.rfind(b" ") if len(text) > LONGEST else -1)
            done = done or (len(text) if len(text) > LONGEST else 0)
        out: list[str] = []
        used = text[:done].decode(errors="ignore")  # valid, but for a word that is far too long
        for line in used.replace("\r\n", "\n").replace("\r", "\n").splitlines(keepends=True):
            words = list(filter(None, _words_of(line if self._kind == HORIZONTAL else line.partition("\t")[0])))
            words = words if self._kind == HORIZONTAL or not words else [" ".join(words)]
            for begin in range(0, len(words), MOST_WORDS):
                self._words += words[begin : begin + MOST_WORDS]
                if len(self._words) >= MOST_WORDS:
                    out.append(self._sentence())
            ended = line.endswith("\n") if self._kind == HORIZONTAL else not words
            if ended and self._words:
                out.append(self._sentence())
        if final and self._words:
            out.append(self._sentence())
        return "".join(out).encode(), done, self._number

    def _sentence(self) -> str:
        self._number += 1
        words, self._words = self._words[:MOST_WORDS], self._words[MOST_WORDS:]
        lines = [f"{place}\t{word}{_REST}" for place, word in enumerate(words, 1)]
        return f"# sent_id = {self._number}\n# text = {' '.join(words)}\n{''.join(lines)}\n"


def _words_of(line: str) -> list[str]:
    """What blanks and control characters leave of a line."""
    return "".join(c if c > " " and not "\x7f" <= c < "\xa0" else " " for c in line).split(" ")
