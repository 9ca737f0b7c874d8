"""Memory that is too short: one line about it, and never an abort."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from malt.commands import malt, parserwalk, trace
from malt.parsing import instances

# Has everything ready with a short file; then ever more memory than that, each time in a process of its own.
SWEEP = """
import os, resource, sys
from malt.commands import malt

def run(file):
    return malt([file if argument == "FILE" else argument for argument in sys.argv[3:]])

run(sys.argv[1])
with open("/proc/self/statm") as numbers:
    used = int(numbers.read().split()[0]) * resource.getpagesize()
for more in range(1, 400, 2):
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_AS, (used + (more << 20),) * 2)
        os._exit(run(sys.argv[2]))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print("exit", code)
    if code == 0:
        break
"""


def chain(path: Path, words: int) -> str:
    path.write_text("".join(f"{i}\tw\t_\tN\tN\t_\t{i - 1}\tx\t_\t_\n" for i in range(1, words + 1)))
    return str(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no limit for memory")
@pytest.mark.parametrize("words", ["parse -c MODEL FILE", "analyze -a 2planar FILE", "train -c OTHER -pp head FILE"])
def test_a_long_sentence_and_little_memory(words: str, tmp_path: Path) -> None:
    few, many = chain(tmp_path / "few.conll", 10), chain(tmp_path / "many.conll", 60_000)
    model, other = tmp_path / "m.mco", tmp_path / "n.mco"
    assert malt(["train", "-c", str(model), "-pp", "head", few, "-v", "error"]) == 0
    command = words.replace("MODEL", str(model)).replace("OTHER", str(other)).split()
    done = subprocess.run(
        [sys.executable, "-u", "-c", SWEEP, few, many, *command], capture_output=True, text=True, check=True
    )
    codes = [line for line in done.stdout.splitlines() if line.startswith("exit ")]
    assert codes[-1] == "exit 0"
    assert len(codes) > 3
    assert set(codes[:-1]) == {"exit 1"}
    said = [line for line in done.stderr.splitlines() if line.startswith("malt: ")]
    assert len(said) == len(codes) - 1
    assert all("memory" in line for line in said)


LIMITED = """
import resource, sys
from malt.commands import malt

few, many, target = sys.argv[1:]
options = ["train", "-a", "stacklazy", "-c", target, "-v", "error"]
malt([*options, few])
with open("/proc/self/statm") as numbers:
    used = int(numbers.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (48 << 20),) * 2)
sys.exit(malt([*options, many]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no limit for memory")
def test_a_long_sentence_that_is_reordered_and_little_memory(tmp_path: Path) -> None:
    """With stacklazy the steps of crossing arcs, and so the instances, are quadratic in the words."""
    few, many, target = tmp_path / "few.conll", tmp_path / "many.conll", tmp_path / "m.mco"
    for path, words in ((few, 10), (many, 4000)):
        path.write_text(
            "".join(f"{i}\tw\t_\tN\tN\t_\t{max(i - 3, min(i - 1, 1))}\tx\t_\t_\n" for i in range(1, words + 1))
        )
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(few), str(many), str(target)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1] == "malt: there is not enough memory for this"


def short_and_long(folder: Path) -> Path:
    """A sentence of two words, and one of 200, of which stacklazy has a derivation of thousands of steps."""
    source = folder / "long.conll"
    rows = [f"{i}\tw\t_\tN\tN\t_\t{max(i - 3, min(i - 1, 1))}\tx\t_\t_\n" for i in range(1, 201)]
    source.write_text("".join([*rows[:2], "\n", *rows]))
    return source


def test_a_derivation_that_is_too_long_to_learn_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instances, "MOST_CHOICES", 1000)
    source = short_and_long(tmp_path)
    argv = ["train", "-c", str(tmp_path / "m"), str(source), "-a"]
    assert malt([*argv, "stacklazy"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"malt: {source}, line 4: this sentence of 200 words has a derivation of more than 1,000 choices with "
        "stacklazy, which is too much to learn from; leave it out, or take a system whose derivations grow with the "
        "sentence and no faster, such as -a 2planar"
    )
    assert not (tmp_path / "m.mco").exists()
    assert malt([*argv, "2planar"]) == 0


def test_a_derivation_that_is_too_long_to_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, model = short_and_long(tmp_path), str(tmp_path / "m")
    assert malt(["train", "-c", model, str(source), "-a", "stacklazy"]) == 0
    for module in (trace, parserwalk):
        monkeypatch.setattr(module, "MOST_STEPS", 1000)
    for argv in (["-a", "stacklazy"], ["-c", model]):
        capsys.readouterr()
        assert malt(["trace", str(source), *argv]) == 0
        told = capsys.readouterr()
        assert "sentence 1:" in told.out
        assert "sentence 2:" not in told.out
        assert told.err.splitlines()[-1] == (
            f"warning: {source}, line 4: the derivation of this sentence has more than 1,000 steps, too many to be "
            "shown"
        )
    assert malt(["trace", str(source), "-a", "2planar"]) == 0
    assert "sentence 2:" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is told in other units")
def test_thousands_of_conjunctions(tmp_path: Path) -> None:
    features, model, treebank = tmp_path / "many.yaml", str(tmp_path / "model"), str(tmp_path / "sample.conll")
    features.write_text("- POSTAG(Stack[0..11]) & POSTAG(Input[0..11]) & POSTAG(Input[12..21])\n")  # 1,440 of them
    assert malt(["sample", "-q", "-n", "60", "-o", treebank]) == 0
    assert malt(["train", "-q", "-c", model, "-F", str(features), treebank]) == 0
    code = (
        "import sys; from malt.commands import malt\n"
        "malt(sys.argv[1:]); print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )
    argv = [sys.executable, "-c", code, "parse", "-q", "-c", model, "-o", str(tmp_path / "out.conll"), treebank]
    kilobytes = int(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()[1])
    assert kilobytes < 250_000  # each had 60,000 cells of its own once: 500,000 kilobytes
