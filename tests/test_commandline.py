"""The command line: MaltParser's own grammar, the commands, and one clear line for whatever is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malt.errors import MaltError, UsageError
from malt.settings.catalogue import catalogue
from malt.settings.commandline import read
from malt.settings.settings import Settings


def malt(line: str) -> Settings:
    """The settings of a line of words."""
    return read(line.split(" "))[0]


def warnings(line: str) -> list[str]:
    return read(line.split(" "))[1]


def error(line: str, program: str = "malt") -> str:
    with pytest.raises(UsageError) as caught:
        read(line.split(" "), program)
    assert caught.value.exit_code == 2
    return str(caught.value)


# MaltParser's own command line


def test_flags_of_maltparser() -> None:
    settings = malt("-c model -i train.conll -m convert -2pr true -prh relaxed -lo -s_4_-c_0.1 -F -a -T +7")
    assert settings.command is catalogue().flowcharts["convert"]
    assert settings["config.flowchart"] == "convert"
    assert settings["2planar.reduceonswitch"] is True
    assert settings["multiplanar.planar_root_handling"] == "relaxed"
    assert settings["lib.options"] == "-s_4_-c_0.1"  # a value may begin with -
    assert settings["guide.features"] == "-a"
    assert settings["guide.data_split_threshold"] == 7
    assert settings.given("input.infile")
    assert not settings.given("input.format")


def test_names_of_maltparser() -> None:
    settings = malt(
        "--config-name=a=b --FLOWCHART=convert --foo-root_label= --output-Format=conllu --nivre-allow_root=FALSE"
    )
    assert settings["config.name"] == "a=b"
    assert settings["graph.root_label"] == ""  # the group of a name that is unique is not looked at
    assert settings["output.format"] == "conllu"
    assert settings["nivre.allow_root"] is False


def test_flags_of_old_versions() -> None:
    settings = malt("-m convert -lso x -lli true")
    assert settings["lib.options"] == "x"
    assert settings["lib.save_instance_files"] is True


def test_the_last_one_counts() -> None:
    line = "-m convert -grl A --graph-root_label=B"
    assert malt(line)["graph.root_label"] == "B"
    assert warnings(line) == ["--graph-root_label is given more than once; the last one, 'B', counts"]


def test_help_and_version_need_no_mode() -> None:
    assert malt("-c x -h")["system.help"] is True
    assert malt("-c x --version").command is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("-c", "-c needs a value: -c VALUE"),
        ("-c x --name", "--name needs a value: --name=VALUE"),
        ("-c x y", "'y' is not an option: expected -flag value, or --name=value"),
        (
            "-v warn analyze",
            "'analyze' is not an option: expected -flag value, or --name=value; put the command first: "
            "malt analyze ...",
        ),
        ("- x", "'-' is not an option: expected -flag value, or --name=value"),
        ("-c x  y", "'' is not an option: expected -flag value, or --name=value"),
        ("-pq x", "unknown option '-pq'; did you mean -pp?"),
        ("-A x", "unknown option '-A'; did you mean -a?"),
        ("-qqq x", "unknown option '-qqq'; `malt help options` lists them"),
        ("-infile x", "unknown option '-infile'; did you mean --infile?"),
        ("-c=x", "unknown option '-c=x'; did you mean -c?"),
        ("--graph-rootlabel=x", "unknown option '--graph-rootlabel'; did you mean --graph-root_label?"),
        ("--format=x", "--format is in more than one group; write --input-format or --output-format"),
        ("--foo-format=x", "--format is in more than one group; write --input-format or --output-format"),
        ("--=x", "unknown option '--'; `malt help options` lists them"),
        ("-c x -nr yes", "-nr: expected true or false, not 'yes'"),
        ("--nivre-allow_root=yes", "--nivre-allow_root: expected true or false, not 'yes'"),
        ("-r x", "-r was replaced by -nr (allow_root) and -ne (allow_reduce) in MaltParser 1.7; see `malt help nivre`"),
    ],
)
def test_errors_of_maltparsers_command_line(line: str, expected: str) -> None:
    assert error(line) == expected


def test_wrong_modes() -> None:
    assert re.fullmatch(r"-m: expected .*convert.*, not 'CONVERT'; did you mean convert\?", error("-m CONVERT"))
    if "parse" not in catalogue().options["config.flowchart"].values:
        assert error("-c x").startswith("-m (flowchart) is needed: expected convert")


# Commands


def test_a_command() -> None:
    settings = malt("convert -if conllu --output-format conllx --outfile=b a")
    assert settings.command is catalogue().programs["malt"].commands["convert"]
    assert settings.files == ("a",)
    assert settings["input.format"] == "conllu"
    assert settings["output.format"] == "conllx"
    assert settings["output.outfile"] == "b"
    assert settings["config.flowchart"] == ""  # not a mode of MaltParser


def test_own_options() -> None:
    settings = malt("sample -n 5 --seed -3 --ILLNESTED=0.5 -v warn --debug")
    assert settings["sample.number"] == 5
    assert settings["sample.seed"] == -3
    assert settings["sample.illnested"] == 0.5
    assert settings["sample.nonplanar"] == 0.12
    assert settings["output.format"] == "conllx"  # a default of this command
    assert settings["common.debug"] is True


def test_arguments() -> None:
    assert malt("analyze --json a - -- -b --json").files == ("a", "-", "-b", "--json")
    assert malt("analyze").files == ()
    assert malt("help -a").files == ("-a",)
    assert malt("help -v").files == ("-v",)
    assert malt("help --markdown")["help.markdown"] is True


def test_names_may_be_written_with_hyphens_and_without_a_group_that_is_clear() -> None:
    assert malt("sample --format conllu")["output.format"] == "conllu"
    assert malt("sample --output_format conllu")["output.format"] == "conllu"
    assert malt("analyze --input-charset x")["input.charset"] == "x"


def test_help_is_given_whatever_else_is_wrong() -> None:
    assert malt("convert --bogus a b c --help")["system.help"] is True
    assert malt("convert -h")["system.help"] is True
    assert malt("analyze -- --help")["system.help"] is False


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("smaple", "there is no command 'smaple'; did you mean sample?"),
        ("Convert", "there is no command 'Convert'; did you mean convert?"),
        ("convert a b", "convert takes at most 1 FILE; 'b' is one too many"),
        ("sample a", "sample takes no FILE; 'a' is one too many"),
        ("convert -i a b", "the input is given twice, as 'b' and with -i; give it once"),
        ("convert -o", "-o needs a value: -o VALUE"),
        ("sample --seed", "--seed needs a value: --seed=VALUE"),
        ("sample --seed x", "--seed: expected a whole number (32 bits), not 'x'"),
        ("sample -of malttab", "-of: expected conllx or conllu, not 'malttab'"),
        ("analyze --json=yes", "--json takes no value"),
        ("analyze --jsn", "unknown option '--jsn'; did you mean --json?"),
        ("analyze -qq", "unknown option '-qq'; did you mean -q?"),
        ("convert --format x", "--format is in more than one group; write --input-format or --output-format"),
        (
            "convert -grl TOP",
            "convert does not take -grl (graph.root_label); `malt convert --help` shows what it takes",
        ),
        (
            "sample --input-format x",
            "sample does not take --input-format (input.format); `malt sample --help` shows what it takes",
        ),
    ],
)
def test_errors_of_commands(line: str, expected: str) -> None:
    assert error(line) == expected


def test_maltopt_has_commands_only() -> None:
    assert error("-m learn", "maltopt").startswith("there is no command '-m'; maltopt has analyze")
    assert read(["analyze", "x"], "maltopt")[0].files == ("x",)


# Option files


def test_an_option_file_is_beaten_by_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "o.yaml"
    file.write_text("config.flowchart: convert\ngraph.root_label: A\noutput.charset: ISO-8859-1\n")
    settings = malt(f"-f {file} -grl B")
    assert (settings["graph.root_label"], settings.source("graph.root_label")) == ("B", "command line")
    assert (settings["output.charset"], settings.source("output.charset")) == ("ISO-8859-1", "option file")
    assert settings["config.flowchart"] == "convert"


@pytest.mark.parametrize("command", ["analyze", "convert", "proj", "sample"])
def test_an_option_file_for_a_command(command: str, tmp_path: Path) -> None:
    file = tmp_path / "o.yaml"
    file.write_text("config.flowchart: convert\ninput.infile: a\noutput.format: conllu\nsample.seed: 3\n")
    settings = malt(f"{command} -f {file}" if command == "sample" else f"{command} b -f {file}")
    assert settings.command is catalogue().programs["malt"].commands[command]
    assert settings["config.flowchart"] == ""  # not a mode of MaltParser, whatever the file says
    assert settings["output.format"] == "conllu"
    assert settings["sample.seed"] == 3
    assert settings.files == (() if command == "sample" else ("b",))
    assert malt(f"{command} -of conllx -f {file}" if command == "sample" else f"{command} -f {file} -v warn")
    assert malt("help -f").files == ("-f",)


def test_what_every_command_takes_may_come_first() -> None:
    for line in ("-q --debug convert a", "--debug convert -q a", "convert -q --debug a"):
        settings = malt(line)
        assert settings.command is catalogue().programs["malt"].commands["convert"]
        assert settings["common.debug"] is True
        assert settings["common.quiet"] is ("-q" in line)
        assert settings.files == ("a",)
    settings = malt("--debug -m convert -i a -q")
    assert settings["config.flowchart"] == "convert"
    assert settings["common.quiet"] is True


def test_formats_are_recognised_unless_given() -> None:
    for command in ("analyze", "convert", "proj", "deproj"):
        assert malt(f"{command} a")["input.format"] == ""
    assert malt("-m convert")["input.format"] == "conllx"


def test_examples() -> None:
    examples = sorted((Path(__file__).parent.parent / "options" / "examples").iterdir())
    assert examples
    for path in examples:
        settings, said = read(["-f", str(path)])
        assert settings.command is not None
        assert said == []


# Anything at all

WORDS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["-", "--", "--help", "convert", "sample", "help", "analyze", "-m", "-c", "--json", "--seed", "true"]
    ),
    st.sampled_from([option.flag for option in catalogue().maltparser if option.flag not in ("-f", "-h")]),
    st.sampled_from(catalogue().maltparser).map(lambda option: f"--{option.group}-{option.name}="),
    st.text(max_size=4).map(lambda text: f"--{text}"),
    st.text(max_size=3).map(lambda text: f"-{text}"),
)


@given(st.lists(WORDS, min_size=1, max_size=7), st.sampled_from(["malt", "maltopt"]))
def test_nothing_but_an_error_of_ours(argv: list[str], program: str) -> None:
    if "-f" in argv or any(word.startswith("--option_file") for word in argv):
        return  # it would read files
    try:
        settings, _ = read(argv, program)
    except MaltError:
        return
    assert settings.command is not None or settings["system.help"] or settings["common.version"]
    assert set(settings.files) <= set(argv)
