"""symboltables.sym: all symbol tables of a model.

TAB name TAB category TAB type TAB null value strategy     one line per table
(empty line)
name                                                       then for each table its name and its symbols
code TAB symbol
(empty line)

MaltParser writes it in the charset of its output (-oc) and reads it in that of its input (-ic). Where these differ,
characters are lost: such as are not in the first become `?`, bytes that are not in the second U+FFFD, and two symbols
may become the same. Models of MaltParser's are read as it reads them; ours are written in -ic, so that nothing is lost.
"""

from __future__ import annotations

import re

from malt.data.charsets import find_charset, with_byte_order
from malt.data.formats.dataformat import TYPES
from malt.data.symbols import Tables
from malt.errors import DataError, MaltError
from malt.kernel.symbols import SymbolTable

ENTRY = "symboltables.sym"


def write_tables(tables: Tables, charset: str) -> bytes:
    """The file's content. Null symbols are not part of it.

    >>> table = SymbolTable("FORM", 1)
    >>> _ = table.add("the")
    >>> write_tables({"FORM": table}, "UTF-8")
    b'\\tFORM\\t1\\t1\\tone\\n\\nFORM\\n1\\tthe\\n\\n'
    """
    parts = [f"\t{name}\t{t.category}\t{t.type}\t{t.null_strategy}\n" for name, t in tables.items()]
    for name, table in tables.items():
        parts.append(f"\n{name}\n")
        parts += [f"{code}\t{symbol}\n" for code, symbol in table.symbols()]
    text = "".join([*parts, "\n"])
    try:
        return text.encode(find_charset(charset))
    except UnicodeEncodeError as error:
        raise MaltError(
            f"{error.object[error.start]!r} is not in {charset}, so the symbols cannot be saved; use -ic UTF-8"
        ) from None


def read_tables(data: bytes, charset: str, file: str, written: str = "") -> Tables:
    """The tables, in the order of the file. Bytes that are not in the charset are damage, unless they were written in
    another one.

    >>> read_tables(b"\\tFORM\\t1\\t1\\tone\\n\\nFORM\\n1\\tthe\\n\\n", "UTF-8", "x.mco")["FORM"].symbol(1)
    'the'
    """
    other = bool(written) and find_charset(written) != find_charset(charset)
    try:
        text = data.decode(with_byte_order(find_charset(charset), data), "replace" if other else "strict")
    except UnicodeDecodeError as error:
        raise DataError(f"byte 0x{data[error.start]:02X} is not {charset}", f"{file}: {ENTRY}") from None
    text = text.removeprefix("\ufeff")
    return _plain(text, file) or _any(text, file)


def _plain(text: str, file: str) -> Tables | None:
    """The tables of a file as it is nearly always: in good order. Nothing, if it is not."""
    head, *bodies = text.split("\n\n")
    tables: Tables = {}
    for number, line in enumerate(head.split("\n")):
        if not line.startswith("\t") or "\r" in line:
            return None
        table = _header(line, f"{file}: {ENTRY}", number + 1)
        tables[table.name] = table
    if "\r" in text or len(tables) != head.count("\n") + 1:
        return None
    for body in bodies:
        name, _, symbols = body.partition("\n")
        if body and (
            name not in tables or tables[name].type == TYPES["REAL"] or not tables[name].load(symbols.encode())
        ):
            return None
    return tables


def _any(text: str, file: str) -> Tables:
    """The tables of any file."""
    lines = re.split(r"\r\n|\r|\n", text)  # nothing else ends a line: symbols may have U+0085 and the like in them
    tables: Tables = {}
    number = 0
    while number < len(lines) and lines[number].startswith("\t"):
        table = _header(lines[number], f"{file}: {ENTRY}", number + 1)
        if table.name in tables:
            raise DataError(f"the table {table.name} is there twice", f"{file}: {ENTRY}", number + 1)
        tables[table.name] = table
        number += 1
    while number < len(lines):
        if not lines[number]:
            number += 1
            continue
        if lines[number] not in tables:
            raise DataError(f"{lines[number][:40]!r} is no table of the list", f"{file}: {ENTRY}", number + 1)
        number = _body(tables[lines[number]], lines, number + 1, f"{file}: {ENTRY}")
    return tables


def _header(line: str, file: str, number: int) -> SymbolTable:
    fields = line.split("\t")[1:]
    if len(fields) == 3:  # without the type, in older models
        fields.insert(2, str(TYPES["STRING"]))
    try:
        name, category, kind, strategy = fields
        return SymbolTable(name, int(category), int(kind), strategy)
    except (ValueError, OverflowError):
        raise DataError(
            "expected the name, category, type and null value strategy of a table, each after a TAB", file, number
        ) from None


def _body(table: SymbolTable, lines: list[str], number: int, file: str) -> int:
    """Read the symbols of a table; gives the line after them."""
    symbols: list[tuple[int, str, int]] = []
    real = table.type == TYPES["REAL"]
    while number < len(lines) and "\t" in lines[number]:
        code, _, symbol = lines[number].partition("\t")
        if real and not code.isdecimal():  # MaltParser writes a control character instead
            code = str(table.next_code + len(symbols))
        if not (code.isascii() and code.isdecimal() and len(code) < 10 and symbol):
            raise DataError("expected a code, a TAB and a symbol", file, number + 1)
        symbols.append((int(code), symbol, number))
        number += 1
    last = {symbol: code for code, symbol, _ in symbols}
    for value, symbol, line in sorted(symbols):  # they may stand in any order, but are handed out one by one
        try:
            # Two symbols have become the same where a character was lost.
            table.put(value, symbol, again="?" in symbol or "\ufffd" in symbol, shadowed=last[symbol] != value)
        except ValueError as error:
            raise DataError(str(error), file, line + 1) from None
    return number
