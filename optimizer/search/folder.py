"""The folder of a study: what a run leaves behind, and what phases hand on to each other."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from malt.data.files import open_output
from malt.errors import MaltError, UsageError
from malt.features.files import write_features
from malt.features.model import MAIN
from malt.features.syntax import FeatureText
from malt.features.values import Columns
from malt.optimizer.trial.setup import Setup, choosable
from malt.running.log import logger
from malt.settings import optionfile
from malt.settings.catalogue import catalogue

JOURNAL, TREEBANK, WEIGHTS = "journal.jsonl", "treebank.conll", "weights.yaml"
_CHOSEN = "# as it was chosen: "
_OWN = re.compile(r"(options|features)(-[0-9]+)?\.(xml|yaml)|weights\.yaml")


class Folder:
    """A folder with the files of one study."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def make(self) -> None:
        """Make it, unless it is there; a folder of something else is left alone."""
        try:
            if self.path.exists() and not self.path.is_dir():
                raise MaltError(f"{self.path}: this is a file; give the study another name with -c")
            if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / JOURNAL).exists():
                raise MaltError(f"{self.path}: this folder holds something else; give the study another name with -c")
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MaltError(f"{self.path}: {error.strerror}") from None

    @property
    def journal(self) -> Path:
        """Where every trial is written down."""
        return self.path / JOURNAL

    @property
    def name(self) -> str:
        """What the model is called."""
        return self.path.resolve().name

    def write_phase(self, phase: str, setup: Setup) -> Path:
        """Write down what a phase has chosen, as an option file that a user may edit before the next phase. What the
        user has written there is kept."""
        mark = "-1" if setup.members else ""
        setup = setup.members[0] if setup.members else setup  # a vote is no place to go on from
        values: dict[str, str] = dict(setup.options)
        if phase == "phase3":
            values["guide.features"] = feature_file(setup, mark)
        path = self.path / f"{phase}.yaml"
        text = BytesIO()
        optionfile.write_yaml(_values(values), text, catalogue())
        text.write(f"{_CHOSEN}{_digest(text.getvalue())}\n".encode())
        if _is_edited(path) and path.read_bytes() != text.getvalue():
            old = path.replace(path.with_suffix(".yaml.old"))
            logger.warning("warning: %s is written anew; what it said is now in %s", path, old)
        with open_output(str(path)) as out:
            out.write(text.getvalue())
        return path

    def find_edited(self, phases: Sequence[str]) -> str:
        """The last of some phases whose file is not as it was written: the user has changed it. Nothing if there is
        none."""
        for phase in reversed(phases):
            if self.journal.exists() and _is_edited(self.path / f"{phase}.yaml"):
                return phase
        return ""

    def read_phase(self, phase: str) -> tuple[dict[str, str | None], str]:
        """What a phase has chosen, or what the user made of it: options, and the feature model if one is named."""
        path = self.path / f"{phase}.yaml"
        if not path.exists():
            raise UsageError(f"{path}: no such file; run `maltopt {phase}` first")
        # Nothing that it names is run: what a search may not choose is refused below.
        found = optionfile.read(str(path), catalogue(), {optionfile.TRUST: True})
        texts = {key: catalogue().options[key].write(value) for key, value in found.values.items()}
        for key in texts:
            if not choosable(key) and key != "guide.features":
                raise UsageError(f"{path}: {key} is no option that a search may choose; remove it")
        features = texts.pop("guide.features", "")
        return dict(texts), features

    def write_setup(self, setup: Setup, format: str, treebank: str, charset: str, columns: Columns) -> None:
        """Write the feature model and the option files, those of each parser if several vote. The files that these name
        are relative to the folder. What another choice has left is removed."""
        for old in (*self.path.glob("options*.*"), *self.path.glob("features*.*"), self.path / WEIGHTS):
            if _OWN.fullmatch(old.name):
                old.unlink(missing_ok=True)
        for number, member in enumerate(setup.members or (setup,), 1):
            mark = f"-{number}" if setup.members else ""
            features = {MAIN: [FeatureText(feature) for feature in member.features]}
            name = feature_file(member, mark)
            with open_output(str(self.path / name)) as out:
                comment = f"Features of {member.algorithm}"
                out.write(write_features(features, name.rpartition(".")[2], columns, comment))
            values = {
                "guide.learner": "liblinear",
                **member.options,
                "config.name": f"{self.name}{mark}",
                "input.infile": os.path.relpath(treebank, self.path),
                "guide.features": name,
            }
            if format != "conllx":
                values["input.format"] = os.path.relpath(format, self.path) if os.path.isfile(format) else format
            if charset.upper() != "UTF-8":
                values["input.charset"] = charset
            writers = {"yaml": optionfile.write_yaml}
            if not member.unlike_maltparser:
                values["config.flowchart"] = "learn"
                writers["xml"] = optionfile.write_xml
            for suffix, write in writers.items():
                with open_output(str(self.path / f"options{mark}.{suffix}")) as out:
                    write(_values(values), out, catalogue())
        if setup.members:
            with open_output(str(self.path / WEIGHTS)) as out:
                out.write(setup.weights.encode())


def _is_edited(path: Path) -> bool:
    """Whether there is a file of a phase, and not as it was written."""
    if not path.exists():
        return False
    content, mark, digest = path.read_bytes().rpartition(_CHOSEN.encode())
    return not mark or digest.decode("ascii", "replace").rstrip() != _digest(content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]


def feature_file(setup: Setup, mark: str = "") -> str:
    """The name of the file of a setup's features: XML only where MaltParser can use it."""
    return f"features{mark}.yaml" if setup.unlike_maltparser else f"features{mark}.xml"


def word_of(path: str) -> str:
    """A file as a word of a command line, which is no option.

    >>> word_of("two words.conll"), word_of("-x.conll"), word_of("-")
    ("'two words.conll'", './-x.conll', '-')
    """
    return shlex.quote(f"./{path}" if path.startswith("-") and path != "-" else path)


def training_commands(setup: Setup, folder: str, name: str) -> list[str]:
    """What trains the same again, where `folder` is the path of the study's folder. The last line makes the model."""
    if not setup.members:
        suffix = "yaml" if setup.unlike_maltparser else "xml"
        roots = "" if setup.structured or "tree.roots" in setup.options else " -rt any"
        return [f"malt train -f {shlex.quote(f'{folder}/options.{suffix}')}{roots}"]
    numbers = range(1, len(setup.members) + 1)
    found = []
    for number, member in zip(numbers, setup.members, strict=True):
        roots = "" if member.structured or "tree.roots" in member.options else " -rt any"
        found.append(f"malt train -f {shlex.quote(f'{folder}/options-{number}.yaml')}{roots}")
    models = shlex.join(f"{name}-{number}.mco" for number in numbers)
    return [*found, f"malt blend -c {shlex.quote(name)} --weights {shlex.quote(f'{folder}/{WEIGHTS}')} {models}"]


def _values(texts: Mapping[str, str]) -> dict[str, bool | int | float | str]:
    every = catalogue().options
    return {key: every[key].read(text, key) for key, text in texts.items()}
