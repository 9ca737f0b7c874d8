"""Record what MaltParser 1.9.2 does on the built-in sample treebank.

    MALTPARSER_CP=... python tests/reference/record.py

MALTPARSER_CP is a Java class path with MaltParser and its libraries. For each case below: train, keep the digests of
what is in the model, parse, keep the digest of the output. tests/test_reference.py compares ours with these.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
import zipfile
from pathlib import Path

from malt.sample import text
from malt.systems import MALTPARSER

HERE = Path(__file__).resolve().parent
DATA = {
    "train.conll": {"number": 60, "seed": 11, "nonprojective": 0.4, "format": "conllx"},
    "test.conll": {"number": 30, "seed": 12, "nonprojective": 0.4, "format": "conllx"},
    "train.conllu": {"number": 60, "seed": 13, "nonprojective": 0.3, "format": "conllu"},
    "test.conllu": {"number": 30, "seed": 14, "nonprojective": 0.3, "format": "conllu"},
}
CASES = {
    **{name: f"-a {name}" for name in MALTPARSER},
    **{f"{name}-conllu": f"-a {name} -if conllu" for name in ("nivreeager", "covnonproj", "stacklazy", "2planar")},
    "eager-noroot": "-a nivreeager -nr false",
    "eager-reduce": "-a nivreeager -ne true",
    "standard-noroot": "-a nivrestandard -nr false",
    "cov-noroot": "-a covnonproj -cr false",
    "cov-shift": "-a covproj -cs true",
    "cov-shift-noroot": "-a covnonproj -cs true -cr false",
    "planar-relaxed": "-a planar -prh relaxed",
    "planar-connected": "-a planar -pcon full -pcov true",
    "planar-cyclic": "-a planar -pacy false -pcon reduceonly",
    "2planar-relaxed": "-a 2planar -prh relaxed",
    "2planar-reduce": "-a 2planar -2pr true -pcov true",
    "nv-none": "-a nivreeager -nv none",
    "nv-rootnode": "-a stackeager -nv rootnode",
    "nv-novalue": "-a 2planar -nv novalue",
    "pp-baseline": "-a nivreeager -pp baseline",
    "pp-head": "-a nivreeager -pp head",
    "pp-path": "-a stackproj -pp path -plo deepest",
    "pp-headpath": "-a planar -pp head+path -pcr left",
    "pcr-ignore": "-a nivreeager -pp head -pcr ignore",
    "gds-sequential": "-a nivreeager -gds T.TRANS,A.DEPREL",
    "gds-branched": "-a nivreeager -gds T.TRANS#A.DEPREL",
    "gds-sequential-branched": "-a stackproj -pp head+path -gds T.TRANS,A.DEPREL#A.PPLIFTED,A.PPPATH -k 2",
    "gds-branched-2planar": "-a 2planar -gds T.TRANS;A.DEPREL -k 3",
    "split": "-a nivreeager -d POSTAG -s Input[0] -T 60",
    "split-none": "-a covproj -d POSTAG -s Right[0] -T 100 -nv none",
    "split-lists": "-a covproj -d CPOSTAG -s Right[0] -T 1",
    "split-lists-any": "-a covnonproj -d CPOSTAG -s Right[0] -T 1",
    "k3": "-a nivreeager -k 3",
    "cost": "-a nivreeager -lo -c_1_-e_0.01",
    "root-label": "-a stacklazy -grl TOP",
    "separator": "-a planar -gcs +",
    "functions-eager": "-a nivreeager -F REFERENCE/functions-stack.xml",
    "functions-planar": "-a planar -F REFERENCE/functions-stack.xml -nv novalue",
    "functions-covnonproj": "-a covnonproj -F REFERENCE/functions-lists.xml",
    "functions-2planar": "-a 2planar -F REFERENCE/functions-planes.xml -nv none",
    "partial": "-a nivreeager -if REFERENCE/partial.xml -F REFERENCE/functions-stack.xml -up true",
    "partial-2planar": "-a 2planar -if REFERENCE/partial.xml -F REFERENCE/functions-planes.xml -up true",
    "marks-alone": "-a nivreeager -pp head -gds T.TRANS -F REFERENCE/words.xml",
    "propagation": "-a nivreeager -F REFERENCE/tags.xml -fp REFERENCE/propagation.xml",
    "propagation-undecided": "-a nivreeager -if REFERENCE/partial.xml -F REFERENCE/tags.xml"
    " -fp REFERENCE/propagation.xml -gds T.TRANS+A.SIDE",
    "propagation-otherwise": "-a nivreeager -if REFERENCE/function.xml -F REFERENCE/tags.xml"
    " -fp REFERENCE/propagation.xml -gds T.TRANS+A.FUNCTION",
    "libsvm": "-a nivreeager -l libsvm",
}


def make_data(folder: Path) -> None:
    """Write the sample treebanks."""
    for name, options in DATA.items():
        (folder / name).write_text("".join(text(**options)), encoding="utf-8")
    for name in ("train", "test"):
        lines = (folder / f"{name}.conll").read_text(encoding="utf-8").split("\n")
        (folder / f"{name}.partial").write_text("\n".join(map(with_part, lines)), encoding="utf-8")


def with_part(line: str) -> str:
    """A line of CoNLL-X with the columns of partial.xml: every third arc is given, some with labels of their own."""
    if not line:
        return ""
    fields = line.split("\t")[:8]
    place, label = int(fields[0]), fields[7]
    given = [fields[6], label if place % 2 else f"given-{label}"] if place % 3 == 0 else ["0", "_"]
    return "\t".join([*fields, "even" if place % 2 == 0 else "odd", *given])


def files_of(arguments: str) -> tuple[str, str]:
    """The training and the test file of a case."""
    suffix = next((word for word in ("conllu", "partial") if word in arguments), "conll")
    return f"train.{suffix}", f"test.{suffix}"


def digest(data: bytes) -> str:
    """A short digest."""
    return hashlib.sha256(data).hexdigest()[:24]


def entries(model: Path) -> dict[str, str]:
    """The digests of what is in a model: instances, weights, maps, and symbol tables whatever their order."""
    found = {}
    with zipfile.ZipFile(model) as archive:
        for info in archive.infolist():
            name = info.filename.split("/")[-1]
            data = archive.read(info)
            if name.endswith((".ins", ".moo", ".map", ".dsm")):
                found[name] = digest(data)
            elif name.endswith(".sym"):
                found[name] = digest(b"\n".join(sorted(data.replace(b"\r", b"").split(b"\n"))))
            elif name.endswith(".sop"):
                found[name] = digest(b"\n".join(sorted(data.split(b"\n"))))
    return dict(sorted(found.items()))


def main() -> None:
    """Run every case and write maltparser.json."""
    java = ["java", "-cp", os.environ["MALTPARSER_CP"], "org.maltparser.Malt"]
    recorded = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        make_data(work)
        for name, arguments in CASES.items():
            train, test = files_of(arguments)
            options = arguments.replace("REFERENCE", str(HERE)).split()
            learn = [*java, "-c", "model", "-i", train, "-m", "learn", "-li", "true", *options]
            subprocess.run(learn, cwd=work, check=True, capture_output=True)
            parse = [*java, "-c", "model", "-i", test, "-o", "out", "-m", "parse"]
            subprocess.run(parse, cwd=work, check=True, capture_output=True)
            recorded[name] = {"model": entries(work / "model.mco"), "parsed": digest((work / "out").read_bytes())}
            print(name, flush=True)
    (HERE / "maltparser.json").write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
