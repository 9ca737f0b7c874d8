"""What is read is what was written, and can be written back byte for byte."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from treebanks import File, files

import malt.commands
import malt.data.treebank
from malt.data.charsets import find_charset
from malt.data.formats.dataformat import BUILT_IN, find_format, parse_format
from malt.data.formats.recognise import recognise
from malt.data.formats.writer import TextWriter, converter, keeper, malt_writer
from malt.data.sentence import sentences_of
from malt.data.symbols import make_tables, root_labels
from malt.data.treebank import Treebank
from malt.errors import DataError, MaltError, UsageError
from malt.kernel import reader, writer
from malt.kernel.symbols import SymbolTable


def open_bytes(text: bytes, format: str, **options: object) -> Treebank:
    found = find_format(format)
    return Treebank(io.BytesIO(text), "test", found, "utf-8", make_tables(found), bool(options.get("frozen")), b"")


def written(writer: TextWriter, treebank: Treebank) -> bytes:
    return b"".join(writer.write(block) for block in treebank)


any_file = st.sampled_from(BUILT_IN).flatmap(files)


@given(any_file)
def test_what_is_read_is_what_the_file_says(file: File) -> None:
    sentences = list(open_bytes(file.text, file.format.name).sentences())
    assert [sentence.forms for sentence in sentences] == file.forms
    assert [sentence.heads for sentence in sentences] == file.heads
    assert [sentence.labels for sentence in sentences] == file.labels


@given(st.text(alphabet="ab \t\r\n", max_size=60), st.integers(0, 3))
def test_lines_and_the_last_sentence_are_found(text: str, far: int) -> None:
    data = (text + "a\n" * (3000 * far)).encode()  # the last blank line may be far from the end
    lines = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    assert reader.count_lines(data) == lines
    cut, at = reader.last_boundary(data)
    begin, wanted = 0, -1
    for match in re.finditer(rb"([^\r\n]*)(\r\n|\r|\n)", data):
        if match.end() == len(data) and data.endswith(b"\r"):
            break
        begin = match.end()
        if not match[1].strip():
            wanted = begin
    assert (cut, at) == (wanted, begin)


@pytest.mark.slow
@given(any_file)
def test_written_back_byte_for_byte(file: File) -> None:
    assert written(converter(file.format, file.format), open_bytes(file.text, file.format.name)) == file.text


@given(any_file)
def test_heads_and_labels_from_integers_give_the_same_bytes(file: File) -> None:
    assert written(keeper(file.format), open_bytes(file.text, file.format.name)) == file.text


@given(any_file, st.integers(1, 40))
def test_the_size_of_chunks_does_not_matter(file: File, size: int) -> None:
    treebank = open_bytes(file.text, file.format.name)
    original = malt.data.treebank.CHUNK
    malt.data.treebank.CHUNK = size
    try:
        blocks = list(treebank)
    finally:
        malt.data.treebank.CHUNK = original
    assert b"".join(block.text for block in blocks) == file.text
    assert [s.forms for block in blocks for s in sentences_of(block)] == file.forms
    assert [s.heads for block in blocks for s in sentences_of(block)] == file.heads
    whole = [s.line for s in open_bytes(file.text, file.format.name).sentences()]
    assert [s.line for block in blocks for s in sentences_of(block)] == whole


@pytest.mark.slow
@given(files("conllu"))
def test_conllu_to_conllx_and_back_keeps_what_conllx_can_hold(file: File) -> None:
    conllx, conllu = find_format("conllx"), find_format("conllu")
    once = written(converter(conllu, conllx), open_bytes(file.text, "conllu"))
    back = written(converter(conllx, conllu), open_bytes(once, "conllx"))
    mark = b"\xef\xbb\xbf"
    words = [row for row in file.text.removeprefix(mark).splitlines() if not re.match(rb"\s*(#|[0-9]+[-.])", row)]
    expected = [row.split(b"\t")[:8] for row in words]
    assert [row.split(b"\t")[:8] for row in back.removeprefix(mark).splitlines()] == expected


@pytest.mark.slow
@given(files("conllx"))
def test_without_ids_heads_are_counted(file: File) -> None:
    malttab = written(converter(find_format("conllx"), find_format("malttab")), open_bytes(file.text, "conllx"))
    sentences = list(open_bytes(malttab, "malttab").sentences())
    assert [s.forms for s in sentences] == file.forms
    assert [s.heads for s in sentences] == file.heads


@given(st.binary(max_size=200) | st.text("1234567890_\t\n\r#-. ab", max_size=80).map(str.encode))
def test_any_bytes_are_read_or_refused_in_one_line(text: bytes) -> None:
    for name in BUILT_IN:
        error = None
        try:
            back = written(converter(find_format(name), find_format(name)), open_bytes(text, name))
        except DataError as refusal:
            error = refusal
        if error is None:
            assert back == text
        else:
            assert error.line >= 1
            assert error.column >= 1
            assert "\n" not in str(error)


def test_maltparsers_layout() -> None:
    text = (
        "# c\n7-8\tab\t_\n7\ta\tl\tN\tN\t_\t8\tx\t3:y\tm\n8\tb\tl\tN\tN\t_\t0\tz\t_\t_\n8.1\te\n# end\n\n\n"
        "1\tc\t_\tV\tV\t_\t_\t_\t_\tq"
    )
    conllu, conllx = find_format("conllu"), find_format("conllx")
    out = written(malt_writer(conllu, conllx, {"DEPREL": "top"}), open_bytes(text.encode(), "conllu"))
    assert out.decode() == (
        "# c\n7-8\tab\t_\n1\ta\tl\t_\t_\t_\t2\tx\t_\t_\n2\tb\tl\t_\t_\t_\t0\tz\t_\t_\n8.1\te\n# end\n\n"
        "1\tc\t_\t_\t_\t_\t0\ttop\t_\t_\n\n"
    )


def test_symbols_get_maltparsers_codes() -> None:
    treebank = open_bytes(b"b\tN\t0\tROOT\na\tN\t1\tx\n\n", "malttab")
    (block,) = treebank
    assert block.codes("FORM").tolist() == [1, 2]
    assert block.codes("DEPREL").tolist() == [1, 2]  # the root label has the first code
    assert treebank.tables["HEAD"].next_code == 1  # heads are numbers: their table stays empty


def test_unseen_symbols_are_forgotten_with_their_block() -> None:
    treebank = open_bytes(b"new\tN\t0\tROOT\n\n", "malttab", frozen=True)
    treebank.tables["FORM"].add("old")
    (block,) = treebank
    assert [s.forms for s in sentences_of(block)] == [["new"]]
    assert block.codes("FORM").tolist() == [3]  # one code is left out between a model's and a sentence's
    assert treebank.tables["FORM"].code("new") == -1


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        ("ISO-8859-1", "latin-1"),
        ("windows-1252", "cp1252"),
        ("UTF-16", "utf-16"),
        ("UTF-16LE", "utf-16-le"),
        ("x-UTF-16LE-BOM", "utf-16"),
        ("UTF-32", "utf-32"),
        ("8859_1", "latin-1"),
    ],
)
def test_charsets(tmp_path: Path, charset: str, encoding: str) -> None:
    path = tmp_path / "file.tab"
    path.write_bytes("blå\tN\t0\tROOT\n\n".encode(encoding))
    with malt.data.treebank.open_treebank(str(path), "malttab", charset) as treebank:
        writer = converter(treebank.format, treebank.format, treebank.charset)
        blocks = list(treebank)
        assert [s.forms for block in blocks for s in sentences_of(block)] == [["blå"]]
        assert b"".join(writer.write(block) for block in blocks) == path.read_bytes()


@pytest.mark.parametrize(
    ("charset", "begin"),
    [
        ("UTF-16", b"\xfe\xff\x00b"),
        ("UTF-32", b"\0\0\0b"),
        ("x-UTF-16LE-BOM", b"\xff\xfeb\0"),
        ("X-UTF-32BE-BOM", b"\0\0\xfe\xff\0\0\0b"),
        ("UTF-16LE", b"b\0"),
    ],
)
def test_marks_are_written_as_java_does(charset: str, begin: bytes) -> None:
    for text in (b"b\tN\t0\tROOT\n\n", b"\xef\xbb\xbfb\tN\t0\tROOT\n\n"):
        treebank = open_bytes(text, "malttab")
        writer = malt_writer(treebank.format, treebank.format, {}, find_charset(charset))
        assert written(writer, treebank).startswith(begin)
    assert len("b".encode(find_charset(charset))) in (2, 4, 8)  # the codec is known to Python


@pytest.mark.parametrize(
    "name",
    ["", "undefined", "idna", "punycode", "unicode_escape", "raw-unicode-escape", "charmap", "rot13", "mbcs", "x"],
)
def test_what_is_no_charset(name: str) -> None:
    with pytest.raises(UsageError, match="is not known"):
        find_charset(name)


def test_names_of_java() -> None:
    names = ["windows-31j", "MS932", "x-windows-949", "Cp850", "IBM00858", "MacRoman", "x-MacCroatian", "utf-8-sig"]
    found = [find_charset(name) for name in names]
    assert found == ["cp932", "cp932", "cp949", "cp850", "cp858", "mac-roman", "mac-croatian", "utf-8"]


def test_a_shift_state_ends_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.tab"
    path.write_bytes("a\tN\t0\t日本".encode("iso-2022-jp"))
    with malt.data.treebank.open_treebank(path, "malttab", "ISO-2022-JP") as treebank:
        assert written(converter(treebank.format, treebank.format, treebank.charset), treebank) == path.read_bytes()


def lost(text: str, source: str, target: str) -> tuple[str, list[str]]:
    writer = converter(find_format(source), find_format(target))
    out = written(writer, open_bytes(text.encode(), source)).decode()
    return out, list(writer.take_losses().columns)


def test_what_is_left_out_is_named() -> None:
    row = "1\ta\tl\tC\tF\t_\t0\tROOT\t_\t_\n"
    assert lost(row, "conllx", "conllu") == (row, [])  # nothing is lost where there is nothing
    assert lost(row[:-4] + "1\tx\n", "conllx", "conllu") == (row, ["PHEAD", "PDEPREL"])
    assert lost(row, "conllx", "malttab") == ("a\tF\t0\tROOT\n", ["LEMMA", "CPOSTAG"])
    assert lost(row, "conllu", "malttab") == ("a\tF\t0\tROOT\n", ["LEMMA", "UPOSTAG"])
    assert lost(row, "conllu", "conll2009")[1] == ["UPOSTAG"]
    for source in ("conllx", "conllu"):  # the coarse tag where there is no fine one, or where they are the same
        assert lost(row.replace("F", "_"), source, "malttab") == ("a\tC\t0\tROOT\n", ["LEMMA"])
        assert lost(row.replace("F", "C"), source, "malttab") == ("a\tC\t0\tROOT\n", ["LEMMA"])
    words = "1\ta\t_\t_\tN\t_\t_\t_\t0\t_\tROOT\t_\t_\t_\t_\t{}\n"
    assert lost(words.format("_"), "conll2009", "conllx")[1] == []
    assert lost(words.format("A0"), "conll2009", "conllx")[1] == ["APRED"]
    assert lost(words.format("A0"), "conll2009", "conll2009") == (words.format("A0"), [])


def test_what_a_line_cannot_begin_or_end_with() -> None:
    with pytest.raises(
        DataError, match=r"^test, line 3: FORM begins with a blank, which malttab cannot hold in its first column"
    ):
        lost("# c\n1\ta\t_\tC\tF\t_\t0\tROOT\n2\t \t_\tC\tF\t_\t0\tROOT\n", "conllx", "malttab")
    with pytest.raises(DataError, match=r"^test, line 1: DEPREL ends with a blank, .* in its last column"):
        lost("1\ta\t_\tC\tF\t_\t0\tROOT \t_\t_\n", "conllx", "malttab")


@settings(max_examples=30)
@given(files("conll2009"), st.sampled_from(BUILT_IN))
def test_what_is_not_named_is_not_lost(file: File, target: str) -> None:
    writer = converter(file.format, find_format(target))
    out = written(writer, open_bytes(file.text, "conll2009"))
    left = set(file.format.names) - set(writer.take_losses().columns)
    back = written(converter(find_format(target), file.format), open_bytes(out, target))
    names = [name for name in file.format.coded if name in left and name != "ID"]
    ours, theirs = (list(open_bytes(text, "conll2009").sentences()) for text in (back, file.text))
    for name in names:
        assert [s[name] for s in ours] == [s[name] for s in theirs], name


def test_labels_of_another_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(
        """<dataformat name="mine"><column name="FORM" category="INPUT" type="STRING"/>
        <column name="GOV" category="HEAD" type="INTEGER"/><column name="REL" category="OUTPUT" type="STRING"/>
        <column name="ROLE" category="OUTPUT" type="STRING"/></dataformat>"""
    )
    out, names = lost("a\t0\ttop\tr\n", str(path), "conllx")
    assert out == "1\ta\t_\t_\t_\t_\t0\ttop\t_\t_\n"
    assert names == ["ROLE"]
    assert lost(out, "conllx", str(path)) == ("a\t0\ttop\t_\n", [])


def test_a_character_that_a_charset_lacks_is_no_question_mark() -> None:
    treebank = open_bytes("č\tN\t0\tROOT\n\n".encode(), "malttab")
    with pytest.raises(MaltError, match=r"test, line 1: 'č' \(U\+010D\) cannot be written in ISO8859-1"):
        written(converter(treebank.format, treebank.format, "iso8859-1"), treebank)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (b"1\ta\t_\tN\tN\t_\t0\tROOT\t_\t_\n", "conllx"),
        (b"1\ta\t_\tN\tN\t_\n", "conllx"),
        (b"# text = a\n1\ta\t_\tN\tN\t_\t0\tROOT\t_\t_\n", "conllu"),
        (b"1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tN\tN\t_\t0\tROOT\t_\t_\n", "conllu"),
        (b"1\ta\t_\tN\tN\t_\t0\tROOT\t_\tSpaceAfter=No\n", "conllu"),
        (b"1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n", "conll2009"),
        (b".\tP\t0\tROOT\n", "malttab"),
        (b"#\tP\t0\tROOT\n", "malttab"),
        (b"a\tN\n", "malttab"),
        (b"1984\tM\t2\tx\n1985\tM\t0\tROOT\n\n7\tM\t_\t_\n\n", "malttab"),
        (b"1\ta\t_\tN\n2\tb\t_\tN\n", "conllx"),
        (b"1-2\tab\t_\t_\n1\ta\t_\tN\n2\tb\t_\tN\n", "conllu"),
    ],
)
def test_formats_are_recognised(text: bytes, format: str) -> None:
    assert recognise(text, "x")[0] == format


@pytest.mark.parametrize("before", ["\n" * 70_000, "# comment\n" * 30_000])
def test_a_format_is_recognised_however_late_the_words_come(tmp_path: Path, before: str) -> None:
    path = tmp_path / "late"
    path.write_text(before + "1\ta\ta\ta\tN\tN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n")
    with malt.data.treebank.open_treebank(path) as treebank:
        assert treebank.format.name == "conll2009"
        assert b"".join(block.text for block in treebank) == path.read_bytes()


def test_names_of_formats() -> None:
    with pytest.raises(UsageError, match=r"^data format 'CONLLX' is neither .* known format; did you mean conllx\?$"):
        find_format("CONLLX")
    with pytest.raises(UsageError, match=r"known are conllx, conllu, malttab, conll2009, and the path"):
        find_format("qqq")


def test_a_treebank_in_a_program(tmp_path: Path) -> None:
    path = tmp_path / "a b.tab"
    path.write_text("a\tN\t0\tROOT\n\n")
    with malt.data.treebank.open_treebank(path.as_uri()) as treebank:
        (sentence,) = treebank.sentences()
        with pytest.raises(KeyError, match=r"HEAD is no column with values here; .*see \.heads"):
            sentence["HEAD"]
        with pytest.raises(MaltError, match="can be gone through once; open it again"):
            list(treebank)
    with pytest.raises(UsageError, match="http:, https: and file: addr"), malt.data.treebank.open_treebank("ftp://a/b"):
        pass


def test_a_file_of_no_known_format() -> None:
    with pytest.raises(DataError, match=r"the format cannot be recognised .*give it with -if"):
        recognise(b"Once\tupon\ta\ttime\t.\n", "story.txt")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (b"", "not well-formed XML"),
        (b"<x/>", "line 1: the root element is <x>"),
        (b"<dataformat/>", "no <column>"),
        (b"<dataformat>\n<column category='INPUT' type='STRING'/></dataformat>", "line 2: a <column> has no name"),
        (b"<dataformat><column name='A' category='IMPUT' type='STRING'/></dataformat>", "category 'IMPUT'"),
        (b"<dataformat><column name='A' category='INPUT' type='TEXT'/></dataformat>", "type 'TEXT'"),
        (b"<!DOCTYPE d [<!ENTITY a 'b'>]><dataformat name='&a;'/>", "entity declarations are not allowed"),
        (b"<dataformat>" + b"<a>" * 5000, r"not well-formed XML: [^,]*$"),
    ],
)
def test_bad_data_formats(xml: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_format(xml, "my.xml")


def test_a_users_own_format(tmp_path: Path) -> None:
    path = tmp_path / "mine.xml"
    path.write_text(
        """<dataformat name="mine"><column name="form" category="input" type="string"/>
        <column name="PARTHEAD" category="INPUT" type="INTEGER"/><column name="GOV" category="HEAD" type="INTEGER"/>
        <column name="REL" category="OUTPUT" type="STRING"/><column name="ROLE" category="OUTPUT" type="STRING"/>
        <column name="NOTE" category="IGNORE" type="STRING"/></dataformat>"""
    )
    format = find_format(str(path))
    assert format.label_columns == ("REL", "ROLE")
    treebank = Treebank(
        io.BytesIO(b"a\t0\t0\ttop\tr1\tn\n"),
        "t",
        format,
        "utf-8",
        make_tables(format, "one", root_labels("ROLE=r0", format)),
        False,
        b"",
    )
    (block,) = treebank
    assert [s["ROLE"] for s in sentences_of(block)] == [["r1"]]
    assert treebank.tables["ROLE"].code("r0") == 1
    assert malt_writer(format, find_format("malttab"), {}).write(block) == b"a\t_\t0\tROOT\n\n"


def test_root_labels() -> None:
    conllx = find_format("conllx")
    assert root_labels("DEPREL=top", conllx) == {"DEPREL": "top"}
    assert root_labels(",,", conllx) == {"DEPREL": "ROOT"}
    assert root_labels("DEPREL=a=b,", conllx) == {"DEPREL": "a=b"}
    for wrong in ("X=top", "DEPREL=", "DEPREL=a,b", ",DEPREL=a"):
        with pytest.raises(UsageError):
            root_labels(wrong, conllx)


def test_faults_of_the_kernel_have_their_place() -> None:
    kinds = [reader.VALUE, reader.HEAD]
    with pytest.raises(reader.LineFault) as fault:
        reader.BlockReader(kinds, -1, False).read(b"a\t0\nbb\tx\n", [SymbolTable("FORM")])
    found = fault.value
    assert (found.kind, found.line, found.begin, found.end, found.column) == ("BAD_HEAD", 4, 7, 8, 1)
    block = next(iter(open_bytes(b"1\ta\n2\t b\n", "conllx")))
    program = [(writer.FIELD, 1, -1, "_")]
    with pytest.raises(writer.BlankEdge) as edge:
        writer.BlockWriter(program, "keep", 2, 0, False).write(
            block.text, block.starts, block.heads, block.values, block.word_lines, []
        )
    assert (edge.value.line, edge.value.at_end) == (4, False)


def test_white_space_at_the_ends_of_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "in.conll", tmp_path / "out.conllu"
    first, second = "1\tHej\t_\tI\tI\t_\t0\tROOT\t_\t_", "2\tdu\t_\tP\tP\t_\t1\tx\t_\t_"
    for text, told in ((f"{first}\x01 \n \x1f{second}\n\n", 2), (f"# a \n{first}\n{second}\n \n", 0)):
        source.write_text(text)
        assert malt.commands.malt(["convert", "-if", "conllx", str(source), "-of", "conllu", "-o", str(out)]) == 0
        said = capsys.readouterr().err
        assert f"warning: blanks and control characters at the ends of {told} lines are left out" in said or not told
        assert ("at the ends of" in said) == (told > 0)
        assert (
            malt.commands.malt(["convert", "-if", "conllx", str(source), "-o", str(out)]) == 0
        )  # the same format: byte for byte
        assert out.read_text() == text
        assert "at the ends of" not in capsys.readouterr().err
