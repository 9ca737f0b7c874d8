"""Which value counts, and what is said and written while a command runs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from malt.errors import MaltError, UsageError
from malt.running import log
from malt.settings.option import Value
from malt.settings.settings import Settings

SAVED = 32  # the options that MaltParser 1.9.2 keeps in a model


@pytest.fixture(autouse=True)
def no_log() -> Iterator[None]:
    yield
    log.stop()


def test_precedence() -> None:
    key = "graph.root_label"
    settings = Settings(command_line={key: "LINE"}, option_file={key: "FILE"})
    assert (Settings()[key], Settings().source(key), Settings().given(key)) == ("ROOT", "default", False)
    only_file = Settings(option_file={key: "FILE"})
    assert (only_file[key], only_file.source(key), only_file.given(key)) == ("FILE", "option file", True)
    assert (settings[key], settings.source(key), settings.given(key)) == ("LINE", "command line", True)
    settings = settings.derive({key: "DERIVED"})
    assert (settings[key], settings.source(key), settings.given(key)) == ("DERIVED", "derived", True)
    settings = settings.load_saved({key: "SAVED"})
    assert (settings[key], settings.source(key), settings.given(key)) == ("SAVED", "saved", True)


def test_a_derived_value_is_not_given() -> None:
    settings = Settings().derive({"input.format": "conllx.xml"})
    assert not settings.given("input.format")


def test_a_mapping() -> None:
    settings = Settings()
    assert settings["nivre.allow_root"] is True
    assert settings["guide.kbest"] == -1
    assert settings["sample.nonprojective"] == 0.15
    assert settings.get("no.such") is None
    assert len(dict(settings)) == len(settings) > 50
    with pytest.raises(KeyError):
        settings["no.such"]
    with pytest.raises(KeyError):
        settings.derive({"no.such": 1})


def test_what_has_no_default_is_asked_for() -> None:
    settings = Settings()
    without = [name for name, option in settings._options.items() if option.default is None]
    for name in without:
        assert name not in settings
        with pytest.raises(UsageError, match=r"^--?\w+ \(\w+\) is needed: expected "):
            settings[name]


def test_saving_and_loading() -> None:
    given: dict[str, Value] = {"guide.kbest": 3, "nivre.allow_root": False, "output.outfile": "x"}
    settings = Settings(command_line=given).derive({"input.format": "conllx.xml"})
    saved = settings.save()
    assert saved["guide.kbest"] == "3"
    assert saved["nivre.allow_root"] == "false"
    assert saved["input.format"] == "conllx.xml"
    assert "output.outfile" not in saved
    missing = sum(1 for o in settings._options.values() if o.usage == "save" and o.default is None)
    assert len(saved) == SAVED - missing
    parsing = Settings()
    parsing = parsing.load_saved(saved)
    assert parsing.save() == saved


def test_a_saved_option_beats_the_command_line_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    log.start()
    line: dict[str, Value] = {
        "graph.root_label": "ROOT",
        "nivre.allow_root": True,
        "input.format": "conllx",
        "guide.kbest": 2,
    }
    settings = Settings(command_line={**line, "guide.features": "models/x.xml"})
    settings = settings.load_saved(
        {"graph.root_label": "TOP", "nivre.allow_root": "true", "input.format": "conllx.xml", "guide.features": "x.xml"}
    )
    assert settings["graph.root_label"] == "TOP"
    assert capsys.readouterr().err == "warning: -grl ROOT is ignored: the model was trained with TOP\n"


def test_saved_options_that_make_no_sense() -> None:
    with pytest.raises(MaltError) as error:
        Settings().load_saved({"guide.data_split_threshold": "many"})
    saved = "the options that the model was saved with"
    assert str(error.value) == f"{saved}: guide.data_split_threshold: expected a whole number (32 bits), not 'many'"
    assert error.value.exit_code == 1
    with pytest.raises(MaltError) as error:
        Settings().load_saved({"guide.kbset": "1"})
    assert (
        str(error.value)
        == "the options that the model was saved with: unknown option 'guide.kbset'; did you mean guide.kbest?"
    )


def test_verbosity(capsys: pytest.CaptureFixture[str]) -> None:
    said = {}
    for level in log.LEVELS:
        log.start(level)
        for name in ("critical", "error", "warning", "info", "debug"):
            getattr(log.logger, name)("%s", name[0])
        said[level] = "".join(capsys.readouterr().err.split())
    assert said == {"off": "", "fatal": "c", "error": "ce", "warn": "cew", "info": "cewi", "debug": "cewid"}


def test_a_log_file_is_appended_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        log.start("off", "run.log", "info", str(tmp_path))
        log.logger.info("reading")
        log.logger.debug("details")
        log.stop()
    assert (tmp_path / "run.log").read_text() == "reading\nreading\n"
    assert capsys.readouterr().err == ""
    assert log.logger.handlers == []
    assert log.logger.level == logging.NOTSET
