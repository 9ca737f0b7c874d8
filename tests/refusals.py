"""What commands say when they refuse something."""

from __future__ import annotations

import pytest

from malt.commands import malt


def error(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What a command that is refused says, which is one line."""
    capsys.readouterr()
    assert malt([str(word) for word in words]) in (1, 2)
    told = capsys.readouterr().err
    assert told.count("\n") == 1, told
    return told


def eval_error(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 1) -> str:
    """The line of `malt eval`, which has printed nothing else."""
    assert malt(["eval", "-v", "warn", *arguments]) == code
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err
