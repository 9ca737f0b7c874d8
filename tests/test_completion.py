"""`malt completion`: what a shell offers is what the catalogue has."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from malt.commands import malt
from malt.settings.catalogue import catalogue
from malt.settings.commandline import options_of
from malt.settings.completion import SHELLS, completion


def offered(*words: str) -> list[str]:
    """What bash offers for the last word, when all of them are on the line."""
    line = " ".join(f"'{word}'" for word in words)
    call = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _malt '{words[0]}' '{words[-1]}' '{words[-2]}'"
    script = f"{completion('bash')}\n{call}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()


def test_bash_offers_commands() -> None:
    if shutil.which("bash") is None:
        pytest.skip("windows has no bash")
    assert offered("malt", "") == list(catalogue().programs["malt"].commands)
    assert offered("/usr/bin/maltopt", "ph") == ["phase1", "phase2", "phase3"]
    assert offered("malt", "help", "an") == ["analyze"]


def test_bash_offers_options_and_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("bash") is None:
        pytest.skip("windows has no bash")
    assert offered("malt", "draw", "--s") == ["--sentences"]
    assert offered("malt", "draw", "--as", "") == ["text", "svg", "html", "latex"]
    assert offered("malt", "draw", "--as", "=", "h") == offered("malt", "draw", "--as", "h") == ["html"]
    assert offered("malt", "draw", "--as", "=") == ["text", "svg", "html", "latex"]
    assert offered("malt", "train", "-pp", "head") == ["head", "head+path"]
    assert offered("malt", "train", "-nr", "") == ["true", "false"]
    assert offered("malt", "train", "--min") == ["--min-count", "--min-lifted"]  # as the help spells them
    (tmp_path / "conll.xml").touch()
    monkeypatch.chdir(tmp_path)
    assert offered("malt", "convert", "-of", "conll") == ["conllx", "conllu", "conll2009", "conll.xml"]
    assert offered("malt", "eval", "--by", "d") == ["direction", "depth"]
    assert offered("malt", "train", "-c", "") == []  # files, which bash knows itself
    assert offered("malt", "-m", "te") == ["testdata"]  # MaltParser's own command line
    assert offered("malt", "-c", "model", "-pl") == ["-plo"]
    assert "-q" in offered("malt", "sample", "-")


def test_files_are_offered_where_values_have_names_too() -> None:
    zsh, fish = completion("zsh"), completion("fish")
    [line] = [line for line in zsh.splitlines() if "'malt convert -of'" in line]
    assert "'malttab:four columns, FORM POSTAG HEAD DEPREL'" in line
    assert line.endswith("_describe value values; _files; return ;;")
    [line] = [line for line in fish.splitlines() if "__fish_seen_subcommand_from convert" in line and " -o of " in line]
    assert "-r -F -a 'conllx conllu malttab conll2009'" in line


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_there(shell: str) -> None:
    script = completion(shell)
    for program in catalogue().programs.values():
        for command in program.commands.values():
            assert re.search(rf"\b{command.name}\b", script)
            for option in options_of(command, catalogue()):
                word = option.spelling.lstrip("-")
                assert re.search(rf"-{re.escape(word)}\b" if shell != "fish" else rf" -[los] {word}\b", script), word
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n"], input=script, text=True, check=True)


def test_which_shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert malt(["completion"]) == 0
    assert capsys.readouterr().out == completion("fish")
    assert malt(["completion", "tcsh"]) == 2
    assert capsys.readouterr().err == "malt: 'tcsh': expected bash, zsh, fish, such as `malt completion bash`\n"
