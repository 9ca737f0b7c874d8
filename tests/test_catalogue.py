"""The catalogue has every option of MaltParser 1.9.2, and checks values as MaltParser does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malt import __version__
from malt.errors import MaltError, UsageError
from malt.settings.catalogue import catalogue
from malt.settings.option import Option
from malt.settings.reference import markdown

ROOT = Path(__file__).parent.parent

# group name flag type default usage values; a usage of - is none; a default of "" is the empty text
TABLE = """
system      option_file          -f    string     ""               -
system      help                 -h    unary      -                -
system      verbosity            -v    enum       info             -       off fatal error warn info debug
config      name                 -c    string     ""               both
config      url                  -u    string     ""               both
config      flowchart            -m    enum       parse            both    learn parse info unpack convert analyze proj deproj learnwo testdata
config      type                 -t    class      singlemalt       both    singlemalt
config      workingdir           -w    string     user.dir         both
config      logging              -cl   enum       info             both    off fatal error warn info debug
config      logfile              -lfi  string     stdout           both
singlemalt  mode                 -sm   enum       parse            both    learn parse
singlemalt  parsing_algorithm    -a    class      nivreeager       save    nivreeager nivrestandard covnonproj covproj stackproj stackeager stacklazy planar 2planar
singlemalt  guide_model          -gm   class      single           save    single
singlemalt  null_value           -nv   enum       one              save    none one rootnode novalue
singlemalt  diagnostics          -di   bool       false            both
singlemalt  diafile              -dif  string     stdout           both
singlemalt  use_partial_tree     -up   bool       false            save
singlemalt  propagation          -fp   string     ""               save
input       infile               -i    string     ""               both
input       format               -if   stringenum conllx           save    conllx conllu malttab
input       reader               -ir   class      tab              both    tab
input       charset              -ic   string     UTF-8            save
input       reader_options       -iro  string     ""               both
input       iterations           -it   integer    1                both
output      outfile              -o    string     ""               both
output      format               -of   stringenum ""               both    conllx conllu malttab
output      writer               -ow   class      tab              both    tab
output      charset              -oc   string     UTF-8            save
output      writer_options       -owo  string     ""               both
graph       max_sentence_length  -gsl  integer    256              both
graph       root_label           -grl  string     ROOT             save
graph       head_rules           -ghr  string     ""               save
nivre       allow_root           -nr   bool       true             save
nivre       allow_reduce         -ne   bool       false            save
nivre       enforce_tree         -nt   bool       false            process
multiplanar planar_root_handling -prh  enum       normal           save    relaxed normal
planar      connectedness        -pcon enum       none             save    none reduceonly full
planar      acyclicity           -pacy bool       true             save
planar      no_covered_roots     -pcov bool       false            save
2planar     reduceonswitch       -2pr  bool       false            save
covington   allow_root           -cr   bool       true             save
covington   allow_shift          -cs   bool       false            save
lib         options              -lo   string     ""               save
lib         external             -lx   string     ""               train
lib         save_instance_files  -li   bool       false            save
lib         verbosity            -lv   enum       silent           train   silent error all
guide       features             -F    stringenum ""               save    nivreeager nivrestandard covnonproj covproj stackproj stackeager stacklazy planar 2planar
guide       data_split_column    -d    string     ""               save
guide       data_split_structure -s    string     ""               save
guide       data_split_threshold -T    integer    50               save
guide       kbest                -k    integer    -1               save
guide       kbest_type           -kt   class      rank             process rank
guide       learner              -l    class      liblinear        save    liblinear libsvm
guide       decision_settings    -gds  string     T.TRANS+A.DEPREL save
guide       classitem_separator  -gcs  string     ~                save
pproj       marking_strategy     -pp   enum       none             save    none baseline head path head+path
pproj       covered_root         -pcr  enum       none             save    none ignore left right head
pproj       lifting_order        -plo  enum       shortest         save    shortest deepest
"""  # noqa: E501
ROWS = {(row[0], row[1]): row for row in (line.split() for line in TABLE.strip().splitlines())}
GROWING = {"-m", "-sm", "-a", "-F"}  # their values come as modes and algorithms are written
OLD = {
    "-llo": "-lo",
    "-lso": "-lo",
    "-lli": "-li",
    "-lsi": "-li",
    "-llx": "-lx",
    "-lsx": "-lx",
    "-llv": "-lv",
    "-lsv": "-lv",
}
WITHOUT_EFFECT = {"-it", "-iro", "-owo", "-gsl", "-kt", "-gm", "-t", "-ghr"}


def test_the_options_are_maltparsers() -> None:
    assert [(option.group, option.name) for option in catalogue().maltparser] == list(ROWS)


@pytest.mark.parametrize("option", catalogue().maltparser, ids=lambda option: option.key)
def test_an_option_is_as_in_maltparser(option: Option) -> None:
    _, _, flag, kind, default, usage, *values = ROWS[option.group, option.name]
    assert (option.flag, option.type, option.usage) == (flag, kind, usage.strip("-"))
    ours = [value for value in option.values if value not in values]
    further = {"-if": ["conll2009"], "-of": ["conll2009"], "-l": ["perceptron"]}
    assert ours in ([], further.get(flag)) or flag in GROWING
    if flag not in GROWING:
        assert set(values) <= set(option.values)
    if kind == "unary":
        assert option.default is False
    elif kind in ("enum", "class") and default not in option.values:
        assert option.default is None
        assert flag in GROWING
    else:
        assert option.default is not None
        assert option.write(option.default) == default.strip('"')


def test_what_has_no_effect_says_so() -> None:
    assert {option.flag for option in catalogue().options.values() if not option.effect} == WITHOUT_EFFECT


def test_old_flags() -> None:
    assert {flag: catalogue().by_flag(flag).flag for flag in OLD} == OLD
    with pytest.raises(UsageError, match=r"^-r was replaced by -nr "):
        catalogue().by_flag("-r")


def test_flags_and_keys_are_unique() -> None:
    for program in catalogue().programs.values():
        for command in program.commands.values():
            taken = (*command.own, *command.takes)
            flags = [flag for option in taken for flag in (option.flag, *option.old) if flag]
            assert len(flags) == len(set(flags))
            assert len({option.key for option in taken}) == len(taken)
            # A name of its own may be one of MaltParser's too, as --features of trace: it comes first, and the other
            # one has a flag.
            own = {option.name for option in command.own}
            assert len(own) == len(command.own)
            assert all(option.flag for option in command.takes if option.name in own)


def test_every_mode_has_a_command() -> None:
    assert set(catalogue().flowcharts) == set(catalogue().options["config.flowchart"].values)


def test_names_that_need_their_group() -> None:
    assert catalogue().ambiguous == {"verbosity", "format", "charset", "allow_root"}
    assert catalogue().by_name("Format", "OUTPUT").key == "output.format"
    assert catalogue().by_name("name", "foo").key == "config.name"
    with pytest.raises(
        UsageError, match=r"^--charset is in more than one group; write --input-charset or --output-charset$"
    ):
        catalogue().by_name("charset", "foo")


def read(key: str, text: str) -> object:
    return catalogue().options[key].read(text)


def test_values() -> None:
    assert read("nivre.allow_root", "TRUE") is True
    assert read("nivre.allow_root", "False") is False
    assert read("guide.data_split_threshold", "+3") == 3
    assert read("guide.data_split_threshold", "-2147483648") == -(2**31)
    assert read("guide.data_split_threshold", "0" * 5000 + "7") == 7
    assert read("guide.data_split_threshold", "٣") == 3  # Java's parseInt reads all decimal digits
    assert read("input.format", "/appdata/dataformat/conll2009.xml") == "/appdata/dataformat/conll2009.xml"
    assert read("config.name", "") == ""
    assert read("sample.nonplanar", "1e-3") == 0.001
    assert isinstance(read("sample.nonplanar", "1"), float)


@pytest.mark.parametrize(
    ("key", "text", "line"),
    [
        ("nivre.allow_root", "yes", "-nr: expected true or false, not 'yes'"),
        ("guide.data_split_threshold", "2147483648", "-T: expected a whole number (32 bits), not '2147483648'"),
        ("guide.data_split_threshold", " 1", "-T: expected a whole number (32 bits), not ' 1'"),
        ("guide.data_split_threshold", "1_0", "-T: expected a whole number (32 bits), not '1_0'"),
        ("guide.data_split_threshold", "", "-T: expected a whole number (32 bits), not ''"),
        ("sample.number", "-1", "-n: expected a whole number from 0 to 2147483647, not '-1'"),
        ("sample.nonplanar", "1.5", "--nonplanar: expected a number from 0 to 1, not '1.5'"),
        ("sample.nonplanar", "nan", "--nonplanar: expected a number from 0 to 1, not 'nan'"),
        ("pproj.lifting_order", "deep", "-plo: expected shortest or deepest, not 'deep'; did you mean deepest?"),
        ("pproj.lifting_order", "Deepest", "-plo: expected shortest or deepest, not 'Deepest'; did you mean deepest?"),
        ("planar.connectedness", "", "-pcon: expected none, reduceonly or full, not ''"),
        ("input.reader", "xml", "-ir: expected tab, not 'xml'"),
        ("input.reader", "x" * 100, f"-ir: expected tab, not '{'x' * 60}...'"),
    ],
)
def test_wrong_values(key: str, text: str, line: str) -> None:
    with pytest.raises(UsageError) as error:
        read(key, text)
    assert str(error.value) == line


@pytest.mark.slow
@given(st.sampled_from(sorted(catalogue().options)), st.text())
def test_any_text_is_a_value_or_an_error(key: str, text: str) -> None:
    option = catalogue().options[key]
    try:
        value = option.read(text)
    except MaltError:
        return
    assert option.read(option.write(value)) == value


def test_help_is_plain_and_complete() -> None:
    assert all(path.read_bytes().isascii() for path in (ROOT / "options").glob("*.yaml"))
    for option in catalogue().options.values():
        assert option.summary.endswith(".")
        assert len(option.summary) <= 100
        assert all(option.values.values())


def test_the_reference_page_is_up_to_date() -> None:
    assert (ROOT / "docs" / "options.md").read_text() == markdown(catalogue()), (
        "run: malt help --markdown > docs/options.md"
    )


def test_the_version_needs_neither_catalogue_nor_libraries() -> None:
    code = "import sys; from malt.commands import malt; malt(['--version']); print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    version, modules = result.stdout.splitlines()
    assert version == f"malt {__version__}"
    assert not {"yaml", "lxml", "numpy", "logging", "dataclasses", "malt.settings.catalogue"} & set(modules.split())
