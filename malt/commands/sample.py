"""`malt sample`: a treebank of an invented language, of any size."""

from __future__ import annotations

from tqdm import tqdm

from malt.files import STANDARD_OUTPUT, open_output
from malt.sample import text
from malt.settings import Settings


def run(options: Settings) -> int:
    """Write the sample. A share that is not given follows from the others, so that `--nonprojective 0` is enough."""
    format, path = options["output.format"] or "conllx", options["output.outfile"]
    shares = {name: options[f"sample.{name}"] for name in ("nonplanar", "illnested") if options.given(f"sample.{name}")}
    number = options["sample.number"]
    seed, nonprojective = options["sample.seed"], options["sample.nonprojective"]
    sentences = text(number, format, seed=seed, nonprojective=nonprojective, **shares)
    with (
        open_output(path) as stream,
        tqdm(desc="sample", total=number, unit="sent", leave=False, disable=path in STANDARD_OUTPUT or None) as bar,
    ):
        for sentence in sentences:
            stream.write(sentence.encode())
            bar.update()
    return 0
