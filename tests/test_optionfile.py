"""Option files: what is read, what is refused and why, and that what is written can be read."""

from __future__ import annotations

import contextlib
import io
import os
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from malt.commands import malt
from malt.errors import MaltError, UsageError
from malt.library import train as library_train
from malt.settings.catalogue import catalogue
from malt.settings.option import Option, Value
from malt.settings.optionfile import OptionFile, parse, read, write_xml, write_yaml

XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<whatever>
  <!-- a comment -->
  <more><optioncontainer>
    <optiongroup groupname="CONFIG">
      <option name="Name" value="test"/>
      <option name="url"/>
    </optiongroup>
    <optiongroup groupname="lib">
      <option name="options" value="-s 4 -c 0.1"/>
      <deeper><option name="save_instance_files" value="TRUE"/></deeper>
    </optiongroup>
    <optiongroup groupname="graph"><option name="root_label" value="T&#252;p"/></optiongroup>
    <optiongroup groupname="output"><option name="format" value="/appdata/dataformat/conll2009.xml"/></optiongroup>
  </optioncontainer></more>
</whatever>
"""
VALUES: dict[str, Value] = {
    "config.name": "test",
    "config.url": "",
    "lib.options": "-s 4 -c 0.1",
    "lib.save_instance_files": True,
    "graph.root_label": "Tüp",
    "output.format": "/appdata/dataformat/conll2009.xml",
}
YAML = """\
# a comment
config:
  Name: test
  url:
lib: {options: -s 4 -c 0.1, save_instance_files: TRUE}
graph.root_label: "Tüp"
output.format: /appdata/dataformat/conll2009.xml
guide:
"""


def content(data: bytes) -> OptionFile:
    return parse(data, "f", catalogue())


def error(data: bytes) -> str:
    with pytest.raises(UsageError) as caught:
        content(data)
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_xml() -> None:
    assert content(XML) == (VALUES, [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_yaml(encoding: str) -> None:
    assert content(YAML.encode(encoding)) == (VALUES, [])


def test_values_in_yaml_are_what_they_look_like() -> None:
    text = b"classitem_separator: ~\nconnectedness: none\nallow_reduce: True\nkbest: 007\nname: null\nverbosity: off\n"
    values = content(text.replace(b"verbosity", b"system.verbosity")).values
    assert list(values.values()) == ["~", "none", True, 7, "null", "off"]


def test_in_xml_the_last_one_counts() -> None:
    options = b'<option name="name" value="a"/>\n<option name="name" value="b"/>'
    container = b'<optioncontainer><optiongroup groupname="config">\n%b</optiongroup></optioncontainer>\n' % options
    data = b"<e>%b%b</e>" % (container, container)
    assert content(data) == (
        {"config.name": "b"},
        [
            "f, line 4: only the first <optioncontainer> is used; this one is not",
            "f, line 3: config.name is given more than once; the last one counts",
        ],
    )


def xml(option: bytes, group: bytes = b"config") -> bytes:
    return b'<e><optioncontainer>\n<optiongroup groupname="%b">\n%b</optiongroup></optioncontainer></e>' % (
        group,
        option,
    )


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b"", "f: the file is empty; `malt help files` shows what an option file looks like"),
        (b" \n\n", "f: the file is empty; `malt help files` shows what an option file looks like"),
        (b"# nothing\n", "f: there are no options in the file; `malt help files` shows what an option file looks like"),
        (b"<e>", "f, line 1, column 4: not well-formed XML: Premature end of data in tag e line 1"),
        (
            b"\n<e/>",
            "f, line 2: there is no <optioncontainer> in <e>; `malt help files` shows what an option file looks like",
        ),
        (xml(b'<option name="nam" value="x"/>'), "f, line 3: unknown option 'config.nam'; did you mean config.name?"),
        (
            xml(b'<option name="format"/>'),
            "f, line 3: format is in more than one group; write input.format or output.format",
        ),
        (
            xml(b'<option name="data_split_threshold" value="x"/>'),
            "f, line 3: data_split_threshold: expected a whole number (32 bits), not 'x'",
        ),
        (
            b'<e><optioncontainer>\n<option name="name"/></optioncontainer></e>',
            "f, line 2: an <option> stands outside of any <optiongroup>",
        ),
        (b"config.nam: x", "f, line 1: unknown option 'config.nam'; did you mean config.name?"),
        (b"grapf.root_label: x", "f, line 1: there is no group 'grapf'; did you mean graph?"),
        (b"elsewhere:\n  root_label: x", "f, line 2: there is no group 'elsewhere'"),
        (b"format: x", "f, line 1: format is in more than one group; write input.format or output.format"),
        (
            b"a: b\nnivre:\n  allow_root: yes".replace(b"a: b", b""),
            "f, line 3: allow_root: expected true or false, not 'yes'",
        ),
        (b"config:\n  name: a\n  NAME: b", "f, line 3: NAME is given more than once, first in line 2"),
        (b"config:\n  name: a\nconfig:\n  url: b", "f, line 3: config is given more than once, first in line 1"),
        (b"config.name: a\nconfig:\n  name: b", "f, line 3: config.name is given more than once"),
        (b"name: a\n---\nurl: b", "f: there is more than one YAML document; an option file has one"),
        (b'config:\n  logfile: "a\\0b"', "f, line 2: logfile: expected a text without NUL, not 'a\\x00b'"),
        (b"just text", "f, line 1: expected XML, or YAML such as `input.format: conllu`; found 'just text'"),
        (b"- a\n- b", "f, line 1: expected XML, or YAML such as `input.format: conllu`"),
        (b"config:\n  name: [a]", "f, line 2: name needs a single value, not a list or a reference"),
        (b"config:\n  name: {a: b}", "f, line 2: name needs a single value"),
        (b"config: {[a]: b}", "f, line 1: expected the name of an option or of a group"),
    ],
)
def test_what_is_refused(data: bytes, line: str) -> None:
    assert error(data) == line


def test_the_place_of_a_mistake_in_yaml() -> None:
    assert re.match(r"f, line 2, column 1: neither XML nor YAML: found ", error(b"name: a\n\turl: b"))


BOMB = b'<!DOCTYPE e [<!ENTITY a "aaaaaaaaaa">%b]>' % b"".join(
    b'<!ENTITY %c "%b">' % (98 + depth, b"&%c;" % (97 + depth) * 10) for depth in range(9)
)
HOSTILE = {
    "entities in a value": BOMB + xml(b'<option name="name" value="&j;"/>'),
    "entities in text": BOMB + b"<e>&j;</e>",
    "an external entity": b'<!DOCTYPE e [<!ENTITY x SYSTEM "file:///etc/passwd">]><e>&x;</e>',
    "an external definition": b'<!DOCTYPE e SYSTEM "http://localhost:1/x.dtd"><e/>',
    "deep XML": b"<e>" * 100_000,
    "deep groups": b"<e><optioncontainer>" + b"<optiongroup groupname='config'>" * 20_000,
    "deep lists": b"[" * 500_000,
    "deep mappings": b"{a: " * 200_000,
    "deep keys": b"? " * 300_000,
    "aliases": b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]",
    "an alias of a value": b"config:\n  name: &x a\n  url: *x",
    "a recursive alias": b"config: &a\n  name: *a",
    "a tag": b"config.name: !!python/object/apply:os.system [ls]",
    "a tag of a value": b"config.name: !!str x",
    "binary": bytes(range(256)) * 10,
    "zeros": b"\0" * 1000,
    "Latin-1": "graph.root_label: Tüp".encode("latin-1"),
    "a long line": b"x" * 1_000_000,
    "many keys": b"".join(b"k%d: v\n" % number for number in range(50_000)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_at_once(name: str) -> None:
    start = time.perf_counter()
    line = error(HOSTILE[name])
    assert line.startswith("f")
    assert len(line) < 300
    assert time.perf_counter() - start < 5


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(b"#" * (1 << 20) + b"\nconfig.name: a")
    with pytest.raises(MaltError, match="too much for"):
        read(str(file), catalogue())
    with pytest.raises(MaltError, match="no such file"):
        read(str(tmp_path / "none"), catalogue())
    with pytest.raises(MaltError, match="directory"):
        read(str(tmp_path), catalogue())


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=60).map(str.encode),
        st.text("{}[]:,&*!?-'\"#|> \nab.", max_size=40).map(str.encode),
    )
)
def test_nothing_but_an_error_of_ours(data: bytes) -> None:
    with contextlib.suppress(MaltError):
        content(data)


def value_of(option: Option) -> st.SearchStrategy[Value]:
    if option.type in ("enum", "class") and option.values:
        return st.sampled_from(sorted(option.values))
    if option.type == "bool":
        return st.booleans()
    if option.type == "integer":
        return st.integers(int(option.limits[0]), int(option.limits[1]))
    if option.type == "float":
        return st.floats(*option.limits)
    texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))  # NUL is refused
    return texts | st.sampled_from(["", "~", "null", "- a", "a: b", " x ", "'", "\n"])


USABLE = [option for option in catalogue().options.values() if option.type != "unary" and (option.default is not None)]
ANY_VALUES = st.lists(st.sampled_from(USABLE), unique_by=lambda option: option.key, max_size=8).flatmap(
    lambda options: st.fixed_dictionaries({option.key: value_of(option) for option in options})
)


@given(ANY_VALUES)
def test_what_is_written_in_yaml_is_read(values: dict[str, Value]) -> None:
    out = io.BytesIO()
    write_yaml(values, out, catalogue())
    assert content(out.getvalue()).values == values


@given(ANY_VALUES)
def test_what_is_written_in_xml_is_read(values: dict[str, Value]) -> None:
    out = io.BytesIO()
    try:
        write_xml(values, out, catalogue())
    except UsageError:  # control characters
        assert not all(str(value).isprintable() for value in values.values())
        return
    assert content(out.getvalue()).values == values


WRITTEN = """\
config:
  name: a b
  url: ""
nivre:
  allow_root: true
<?xml version='1.0' encoding='UTF-8'?>
<experiment>
  <optioncontainer>
    <optiongroup groupname="config">
      <option name="name" value="a b"/>
      <option name="url" value=""/>
    </optiongroup>
    <optiongroup groupname="nivre">
      <option name="allow_root" value="true"/>
    </optiongroup>
  </optioncontainer>
</experiment>
"""


def test_what_is_written_looks_well() -> None:
    out = io.BytesIO()
    for write in (write_yaml, write_xml):
        write({"nivre.allow_root": True, "config.name": "a b", "config.url": ""}, out, catalogue())
    assert out.getvalue().decode() == WRITTEN


def test_bytes_that_are_no_text_cannot_be_written() -> None:
    for write in (write_xml, write_yaml):
        with pytest.raises(UsageError, match="not text"):
            write({"config.name": "\udc80"}, io.BytesIO(), catalogue())


@pytest.mark.parametrize("text", ["lib.external: PROGRAM\n", "lib:\n  external: PROGRAM\n"])
def test_a_program_in_a_file_is_not_run(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, ran, file = tmp_path / "train", tmp_path / "ran", tmp_path / "options.yaml"
    program.write_text(f"#!/bin/sh\ntouch '{ran}'\nexit 1\n")
    program.chmod(0o755)
    file.write_text(text.replace("PROGRAM", str(program)))
    treebank, model = tmp_path / "sample.conll", str(tmp_path / "model")
    assert malt(["sample", "-q", "-n", "5", "-o", str(treebank)]) == 0
    refused = f"{file}: external (-lx) names a program to run, '{program}'; give -lx yourself, or --trust"
    for argv in (["train"], ["-m", "learn"]):
        last = ["-i", str(treebank)]
        assert malt([*argv, "-f", str(file), "-c", model, *last]) == 2
        assert capsys.readouterr().err == f"malt: {refused} if you know the file\n"
    with pytest.raises(UsageError, match="names a program to run"):
        library_train(str(treebank), option_file=str(file))
    with pytest.raises(UsageError, match="names a program to run"):
        library_train(str(treebank), option_file=str(file), trust=False)
    assert not ran.exists()
    if os.name == "nt":
        return
    for more in (["--trust"], ["-lx", str(program)]):
        assert malt(["train", "-q", "-f", str(file), "-c", model, *more, str(treebank)]) == 1
        assert ran.exists()
        ran.unlink()
    with pytest.raises(MaltError, match="failed with exit code 1"):
        library_train(str(treebank), option_file=str(file), trust=True)
    assert ran.exists()
