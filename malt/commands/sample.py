"""`malt sample`: a treebank of an invented language, of any size."""

from __future__ import annotations

import contextlib

from malt.data.files import STANDARD_OUTPUT, open_output
from malt.running import progress
from malt.sample import text
from malt.settings.settings import Settings

SHARES = ("nonprojective", "nonplanar", "illnested")


def run(options: Settings) -> int:
    """Write the sample. A share that is not given follows from the others, so that `--nonprojective 0` is enough."""
    format, path = options["output.format"] or "conllx", options["output.outfile"]
    shares = {name: options[f"sample.{name}"] for name in SHARES if options.given(f"sample.{name}")}
    number = options["sample.number"]
    sentences = text(number, format, seed=options["sample.seed"], **shares)
    with contextlib.ExitStack() as open_things:
        stream = open_things.enter_context(open_output(path))
        show = None  # not in a pipe: the next program has a bar
        if path not in STANDARD_OUTPUT:
            show = open_things.enter_context(progress.bar("sample", number, "sent"))
        for place, sentence in enumerate(sentences, 1):
            stream.write(sentence.encode())
            if show:
                show(place)
    return 0
