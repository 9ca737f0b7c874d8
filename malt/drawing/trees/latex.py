"""Trees for LaTeX, as environments of the package tikz-dependency, to be pasted into a paper or read with \\\\input.

>>> from malt.data.sentence import Sentence
>>> from malt.drawing.trees.tree import tree_of
>>> rows = [("A", "N", 0, "root"), ("B_1", "N", 4, "x"), ("C", "N", 1, "y"), ("D", "N", 1, "z")]
>>> print("\\n".join(latex(tree_of(Sentence.from_rows(rows, "malttab")))))
\\begin{dependency}[text only label, label style={above}]
  \\begin{deptext}[column sep=1em]
    A \\& B\\_1 \\& C \\& D \\\\
    N \\& N \\& N \\& N \\\\
  \\end{deptext}
  \\deproot[edge height=10.4ex]{1}{root}
  \\depedge[edge height=5.2ex, edge style={thick}]{4}{2}{x*}
  \\depedge[edge height=2.6ex, edge style={densely dotted}]{1}{3}{y}
  \\depedge[edge height=7.8ex]{1}{4}{z}
\\end{dependency}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from malt.drawing.page.markup import visible
from malt.drawing.trees.layout import lay_out
from malt.drawing.trees.tree import MISSED, WRONG_HEAD, WRONG_LABEL, Arc, Tree, first_words
from malt.drawing.trees.width import is_right_to_left

# In the environment \\& ends a column, so that an ampersand has to be written by its number.
_ESCAPES = str.maketrans(
    {
        **{character: f"\\{character}" for character in "#$%_{}"},
        "&": "\\symbol{38}",
        "\\": "\\textbackslash{}",
        "^": "\\textasciicircum{}",
        "~": "\\textasciitilde{}",
        "<": "\\textless{}",
        ">": "\\textgreater{}",
        "|": "\\textbar{}",
        '"': "\\symbol{34}",
        "`": "\\textasciigrave{}",
        "'": "\\textquotesingle{}",
        "[": "{[}",
        "]": "{]}",
        ",": "{,}",
        "=": "{=}",
        "↺": "(itself)",
    }
)
_PLANES = ("", "densely dotted", "dashed", "dash dot", "densely dashed", "loosely dashed")
_KINDS = {
    WRONG_HEAD: "red!75!black, very thick",
    WRONG_LABEL: "orange!70!black, densely dotted, thick",
    MISSED: "green!45!black, dashed",
}
STEP = 2.6  # of the heights of arcs
PREAMBLE = (
    "% In the preamble: \\usepackage{tikz-dependency}",
    "% Letters beyond Latin need XeLaTeX or LuaLaTeX and a font (package fontspec) that has them.",
    "% Straight double quotes need \\usepackage[T1]{fontenc}, or one of these two.",
    "% Straight single quotes need \\usepackage{textcomp} where LaTeX is older than 2020.",
)


def document(trees: Sequence[Tree], *, below: bool = False) -> Iterator[str]:
    """The lines of a file: one environment a tree."""
    yield from PREAMBLE
    for tree in map(first_words, trees):
        yield ""
        if tree.left_out:
            yield f"% {tree.left_out}"
        yield from latex(tree, below=below)


def latex(tree: Tree, *, below: bool = False) -> Iterator[str]:
    """The lines of an environment."""
    number = len(tree.forms)
    mirrored = is_right_to_left(tree.text)
    rows = [tree.forms, tree.tags] if any(tree.tags) else [tree.forms]
    yield "\\begin{dependency}[text only label, label style={above}]"
    yield "  \\begin{deptext}[column sep=1em]"
    for row in rows:
        yield "    " + " \\& ".join(map(escape_latex, row[::-1] if mirrored else row)) + " \\\\"
    yield "  \\end{deptext}"
    for bow in lay_out(tree, below).bows:
        arc = bow.arc
        head, word = (number + 1 - i if mirrored and i else i for i in (arc.head, arc.word))
        style = _KINDS[arc.kind] if arc.kind else _line(arc)
        options = [f"edge height={STEP * bow.height:.1f}ex"]
        options += ["edge below", "label style={below}"] if bow.below else []
        options += [f"edge style={{{style}}}"] if style else []
        given, label = f"[{', '.join(options)}]", escape_latex(bow.label)
        if arc.head in (0, arc.word):
            yield f"  \\deproot{given}{{{word}}}{{{label}}}"
        else:
            yield f"  \\depedge{given}{{{head}}}{{{word}}}{{{label}}}"
    yield "\\end{dependency}"


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it.

    >>> print(escape_latex("50%_&"))
    50\\%\\_\\symbol{38}
    >>> print(escape_latex("'-->"))
    \\textquotesingle{}-{}-{}\\textgreater{}
    """
    return visible(text).translate(_ESCAPES).replace("--", "-{}-{}")  # which would be a dash


def _line(arc: Arc) -> str:
    return ", ".join(filter(None, [_PLANES[arc.plane % len(_PLANES)], "thick" if arc.nonprojective else ""]))
