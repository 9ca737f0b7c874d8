"""Option files: MaltParser's XML, and YAML, told apart by what is in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from malt.data.files import read_small
from malt.data.xml import fits_xml
from malt.errors import DataError, UsageError, nearest, quoted
from malt.settings.catalogue import Catalogue
from malt.settings.option import Option, Value

if TYPE_CHECKING:
    from lxml.etree import _Element

    from malt.data.yaml import YamlReader

FILES = {"input.infile", "input.format", "output.format", "guide.features", "singlemalt.propagation"}
PROGRAM, TRUST = "lib.external", "common.trust"
EXAMPLE = "`malt help files` shows what an option file looks like"


class OptionFile(NamedTuple):
    """What an option file says: values by `group.name`, and warnings."""

    values: dict[str, Value]
    warnings: list[str]


def read(path: str, options: Catalogue, given: Mapping[str, Value] | None = None) -> OptionFile:
    """Read an option file. A file that it names is looked for beside it first, and then where the program was started,
    which is where MaltParser looks.

    given: what the user has said besides. A program that the file names is run only if the user names one, too, which
    then counts, or trusts the file: option files come with models and treebanks of other people.
    """
    found = parse(read_small(path, "option file"), path, options)
    given = given or {}
    if found.values.get(PROGRAM) and PROGRAM not in given and TRUST not in given:
        named = quoted(str(found.values[PROGRAM]))
        remedy = "give -lx yourself, or --trust if you know the file"
        raise UsageError(f"{path}: external (-lx) names a program to run, {named}; {remedy}")
    folder = os.path.dirname(path)
    for key in FILES & found.values.keys():
        beside = os.path.join(folder, str(found.values[key]))
        if folder and found.values[key] and os.path.isfile(beside):
            found.values[key] = beside
    return found


def parse(data: bytes, file: str, options: Catalogue) -> OptionFile:
    """The content of an option file.

    >>> from malt.settings.catalogue import catalogue
    >>> parse(b"config.name: model\\npproj:\\n  marking_strategy: head", "a.yaml", catalogue()).values
    {'config.name': 'model', 'pproj.marking_strategy': 'head'}
    >>> parse(b"nivre.allow_root: yes", "a.yaml", catalogue())
    Traceback (most recent call last):
    malt.errors.UsageError: a.yaml, line 1: allow_root: expected true or false, not 'yes'
    """
    start = data.lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")[:1]
    if not start:
        raise UsageError(f"{file}: the file is empty; {EXAMPLE}")
    entries = _xml(data, file) if start == b"<" else _yaml(data, file)
    result = OptionFile({}, [])
    for line, group, name, text in entries:
        place = f"{file}, line {line}"
        if text is None:
            result.warnings.append(f"{place}: {name}")
            continue
        try:
            option = _find(group, name, options)
            value = option.read(text, name)
        except UsageError as error:
            raise UsageError(f"{place}: {error}") from None
        if option.key in result.values:
            if start != b"<":
                raise UsageError(f"{place}: {option.key} is given more than once")
            result.warnings.append(f"{place}: {option.key} is given more than once; the last one counts")
        result.values[option.key] = value
    return result


def _find(group: str, name: str, options: Catalogue) -> Option:
    """An option of ours by its full name, or one of MaltParser's, where the group counts only if it must."""
    if f"{group}.{name}".lower() in options.options:
        return options.options[f"{group}.{name}".lower()]
    groups = dict.fromkeys(option.group for option in options.options.values())
    if group and group.lower() not in groups:
        raise UsageError(f"there is no group {quoted(group)}{nearest(group, groups)}")
    return options.by_name(name, group, dotted=True)


# An entry is a line, a group, a name and a value; without a value it is a warning.
Entries = Iterator[tuple[int, str, str, str | None]]


def _xml(data: bytes, file: str) -> Entries:
    from malt.data.xml import parse_xml

    try:
        root = parse_xml(data, file)
    except DataError as error:
        raise UsageError(str(error)) from None
    containers = list(root.iter("{*}optioncontainer"))
    if not containers:
        raise UsageError(f"{file}, line {_line(root)}: there is no <optioncontainer> in <{root.tag}>; {EXAMPLE}")
    inner = set(containers[0].iter("{*}optioncontainer"))
    for further in containers:
        if further not in inner:
            yield _line(further), "", "only the first <optioncontainer> is used; this one is not", None
            break
    for option in containers[0].iter("{*}option"):
        group = next(option.iterancestors("{*}optiongroup"), None)
        if group is None:
            raise UsageError(f"{file}, line {_line(option)}: an <option> stands outside of any <optiongroup>")
        yield _line(option), _text(group, "groupname"), _text(option, "name"), _text(option, "value")


def _line(element: _Element) -> int:
    line = element.sourceline
    return line if isinstance(line, int) else 0


def _text(element: _Element, name: str) -> str:
    return str(element.get(name, ""))


def _yaml(data: bytes, file: str) -> Entries:
    """The entries of a YAML text: a mapping of names or of groups of names, nothing deeper, and no references."""
    from malt.data.yaml import YamlReader

    try:
        yield from _walk(YamlReader(data, file, "an option file"))
    except DataError as error:
        raise UsageError(str(error)) from None


def _walk(reader: YamlReader) -> Entries:
    file, key_kind = reader.file, "the name of an option or of a group"
    first: Any = reader.first()
    if first is None:
        raise UsageError(f"{file}: there are no options in the file; {EXAMPLE}")
    if not reader.is_mapping(first):
        found = f"; found {quoted(first.value)}" if reader.is_text(first) else ""
        place = f"{file}, line {reader.line(first)}"
        raise UsageError(f"{place}: expected XML, or YAML such as `input.format: conllu`{found}")
    for line, key, value in reader.pairs(key_kind):
        if reader.is_mapping(value):
            for inner_line, name, inner in reader.pairs(key_kind):
                if not reader.is_text(inner):
                    kind = "" if reader.is_mapping(inner) else ", not a list or a reference"
                    raise UsageError(f"{file}, line {inner_line}: {name} needs a single value{kind}")
                yield inner_line, key, name, inner.value
        elif not reader.is_text(value):
            raise UsageError(f"{file}, line {line}: {key} needs a single value, not a list or a reference")
        elif "." in key or value.value:  # otherwise it is a group without options
            group, _, name = key.rpartition(".")
            yield line, group, name, value.value
    reader.finish()


def write_xml(values: Mapping[str, Value], out: BinaryIO, options: Catalogue) -> None:
    """Write an option file that MaltParser reads: the groups and their options in the order of the catalogue."""
    from lxml import etree

    root = etree.Element("experiment")
    container = etree.SubElement(root, "optioncontainer")
    for group, texts in _groups(values, options).items():
        element = etree.SubElement(container, "optiongroup", groupname=group)
        for name, text in texts.items():
            if not fits_xml(text):
                raise UsageError(f"{group}.{name}: {quoted(text)} has characters that XML cannot hold")
            etree.SubElement(element, "option", name=name, value=text)
    out.write(etree.tostring(root, pretty_print=True, xml_declaration=True, encoding="UTF-8"))


def write_yaml(values: Mapping[str, Value], out: BinaryIO, options: Catalogue) -> None:
    """Write an option file in YAML: the groups and their options in the order of the catalogue."""
    import yaml

    def scalar(text: str, style: str | None = None) -> yaml.ScalarEvent:
        return yaml.ScalarEvent(anchor=None, tag=None, implicit=(True, True), value=text, style=style)

    begin = yaml.MappingStartEvent(anchor=None, tag=None, implicit=True, flow_style=False)
    events: list[yaml.Event] = [yaml.StreamStartEvent(), yaml.DocumentStartEvent(explicit=False), begin]
    for group, texts in _groups(values, options).items():
        events += [scalar(group), begin]
        for name, text in texts.items():
            # Not plain, because other readers of YAML take these for nothing, and U+0085 and the like for line ends.
            style = '"' if text.lower() in ("", "~", "null") or not text.isprintable() else None
            events += [scalar(name), scalar(text, style)]
        events.append(yaml.MappingEndEvent())
    events += [yaml.MappingEndEvent(), yaml.DocumentEndEvent(explicit=False), yaml.StreamEndEvent()]
    text = yaml.emit(events, Dumper=yaml.SafeDumper, allow_unicode=True, width=1 << 30)
    out.write(str(text).encode())


def _groups(values: Mapping[str, Value], options: Catalogue) -> dict[str, dict[str, str]]:
    """The texts of values by group and name, in the order of the catalogue."""
    groups: dict[str, dict[str, str]] = {}
    for key, option in options.options.items():
        if key in values:
            text = option.write(values[key])
            try:
                text.encode()
            except UnicodeEncodeError:
                raise UsageError(
                    f"{key}: {quoted(text)} has bytes that are not text, which an option file cannot hold"
                ) from None
            groups.setdefault(option.group, {})[option.name] = text
    return groups
