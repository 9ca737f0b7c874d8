"""The folder of a study: what a run leaves behind, and what phases hand on to each other."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from malt.data.files import open_output
from malt.errors import MaltError, UsageError
from malt.features.model import MAIN
from malt.features.syntax import FeatureText
from malt.features.xml import write_xml
from malt.optimizer.trial.setup import Setup, choosable
from malt.running.log import logger
from malt.settings import optionfile
from malt.settings.catalogue import catalogue

JOURNAL, FEATURES, TREEBANK = "journal.jsonl", "features.xml", "treebank.conll"


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
        file said before is kept: the user may have written it."""
        values: dict[str, str] = dict(setup.options)
        if phase == "phase3":
            values["guide.features"] = FEATURES
        path = self.path / f"{phase}.yaml"
        text = BytesIO()
        optionfile.write_yaml(_values(values), text, catalogue())
        if path.exists() and path.read_bytes() != text.getvalue():
            old = path.replace(path.with_suffix(".yaml.old"))
            logger.warning("warning: %s is written anew; what it said is now in %s", path, old)
        with open_output(str(path)) as out:
            out.write(text.getvalue())
        return path

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

    def write_setup(self, setup: Setup, format: str, treebank: str, charset: str) -> None:
        """Write the feature model and the option files. The files that these name are relative to the folder."""
        with open_output(str(self.path / FEATURES)) as out:
            features = [FeatureText(feature) for feature in setup.features]
            out.write(write_xml({MAIN: features}, f"Features of {setup.algorithm}"))
        values = {
            "guide.learner": "liblinear",
            **setup.options,
            "config.name": self.name,
            "config.flowchart": "learn",
            "input.infile": os.path.relpath(treebank, self.path),
            "guide.features": FEATURES,
        }
        if format != "conllx":
            values["input.format"] = os.path.relpath(format, self.path) if os.path.isfile(format) else format
        if charset.upper() != "UTF-8":
            values["input.charset"] = charset
        for suffix, write in (("xml", optionfile.write_xml), ("yaml", optionfile.write_yaml)):
            with open_output(str(self.path / f"options.{suffix}")) as out:
                write(_values(values), out, catalogue())


def _values(texts: Mapping[str, str]) -> dict[str, bool | int | float | str]:
    every = catalogue().options
    return {key: every[key].read(text, key) for key, text in texts.items()}
