"""Random treebank files for property tests, in every format."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from malt.data.formats.dataformat import HEAD, LABEL, DataFormat, find_format

# Anything but TABs, line ends and white space at the ends, which no format can hold.
TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\t\r\n"), min_size=1, max_size=6
).filter(lambda text: text.strip(" ") == text and text.strip() == text)
WORDS = st.one_of(st.sampled_from([".", "#", "x-y", "3-4", "8.1", "_", "1", '"', "#null#", "a b"]), TEXT)


@dataclass
class File:
    """A generated file, and what is in it."""

    format: DataFormat
    text: bytes
    forms: list[list[str]]
    heads: list[list[int]]
    labels: list[list[str]]


@st.composite
def files(draw: st.DrawFn, name: str) -> File:
    """A well-formed file of a format."""
    format = find_format(name)
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    with_id = format.id_column >= 0
    out: list[str] = []
    all_forms: list[list[str]] = []
    all_heads: list[list[int]] = []
    all_labels: list[list[str]] = []
    for _ in range(draw(st.integers(0, 4))):
        out += [""] * draw(st.sampled_from([0, 0, 0, 1, 2]))
        out += [f"# {draw(TEXT)}" for _ in range(draw(st.sampled_from([0, 0, 1, 2])))]
        n = draw(st.integers(1, 6))
        step = draw(st.sampled_from([1, 1, 1, 3])) if with_id else 1  # ids are what the file says
        forms, heads, labels = [], [], []
        for i in range(1, n + 1):
            if with_id and draw(st.integers(0, 8)) == 0:
                out.append("\t".join([f"{i * step}-{i * step + 1}", draw(TEXT)] + ["_"] * (len(format.columns) - 2)))
            forms.append(draw(WORDS))
            heads.append(draw(st.integers(0, n)))
            labels.append(draw(TEXT))
            fields = []
            for place, column in enumerate(format.columns):
                if place == format.id_column:
                    fields.append(str(i * step))
                elif column.name == "FORM":
                    fields.append(forms[-1])
                elif column.category == HEAD:
                    fields.append(str(heads[-1] * step))
                elif column.category == LABEL:
                    fields.append(labels[-1])
                else:
                    fields.append(draw(st.one_of(st.just("_"), TEXT)))
            if format.extra:
                fields += ["_"] * draw(st.integers(0, 2))
            out.append("\t".join(fields))
            if with_id and draw(st.integers(0, 8)) == 0:
                out.append("\t".join([f"{i * step}.1", draw(TEXT)] + ["_"] * (len(format.columns) - 2)))
        out += ["# at the end"] * draw(st.sampled_from([0, 0, 0, 1]))
        out.append("")
        all_forms.append(forms)
        all_heads.append(heads)
        all_labels.append(labels)
    text = "".join(line + end for line in out)
    if text and draw(st.integers(0, 4)) == 0:
        text = text.rstrip("\r\n")
    if draw(st.integers(0, 5)) == 0:
        text = "\ufeff" + text
    return File(format, text.encode(), all_forms, all_heads, all_labels)
