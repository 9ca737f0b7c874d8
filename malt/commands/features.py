"""`malt features`: checks and shows a feature model, or converts it between Malt's XML, .par and YAML."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePath

from malt.commands.table import print_lines
from malt.data.files import STANDARD_OUTPUT, check_not_read, open_output
from malt.data.formats.dataformat import BUILT_IN, LABEL, find_format
from malt.data.symbols import make_tables as make_symbols
from malt.errors import MaltError, UsageError, counted, quoted
from malt.features.check import MOST_PROBLEMS, Problem, find_problems
from malt.features.defaults import FeatureSource, find_features
from malt.features.files import KINDS, parse_features, write_features
from malt.features.functions import algorithms
from malt.features.model import MAIN, FeatureModel
from malt.features.nodes import Feature
from malt.features.program import Program, compile_features, make_tables
from malt.features.syntax import FeatureError, FeatureText, parse_feature
from malt.features.values import Columns, marks
from malt.kernel.symbols import SymbolTable
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.systems import find_system, is_algorithm, options_of, system_of
from malt.systems.language import Definition

LARGEST_INPUT = 1 << 20


def run(options: Settings) -> int:
    """Convert, or check and show."""
    if options.files[:1] == ("convert",):
        return convert(options, options.files[1:])
    if len(options.files) > 1:
        raise UsageError(
            f"malt features takes one file, not {len(options.files)}; to convert one: malt features convert IN OUT"
        )
    name = options.files[0] if options.files else ""
    algorithm = options["singlemalt.parsing_algorithm"]
    known = options.given("singlemalt.parsing_algorithm") or not name
    if not known and is_algorithm(name):
        algorithm, known = name, True
    definition = find_system(algorithm, options_of(options), options["own.system"]) if known else None
    source, columns, found = find(options, name, definition)
    shown_name = source.file_name if not name or is_algorithm(name) else name
    if source.note:
        logger.info("%s", source.note)
    if report(shown_name, source, found):
        return 1
    show(shown_name, source, algorithm if known else "", columns)
    if options["features.program"]:
        print_lines(["", *program(source, columns, definition)])
    return 0


def program(source: FeatureSource, columns: Columns, definition: Definition | None) -> list[str]:
    """The compiled program: each address and each value once, in the order in which they are computed."""
    model = source.model()
    definition = definition or find_system(algorithms(model.structures)[0])
    marked, made = tuple(columns.marks), make_symbols(columns.format)
    made |= {name: SymbolTable(name, LABEL, column.type) for name, column in columns.marks.items()}
    made |= make_tables(model, columns, "one")
    labels = (*columns.format.label_columns, *marked)
    compiled = compile_features(model, columns, definition, made, labels)
    return [*compiled.listing, *(_vector(name, vector, compiled, columns) for name, vector in model.vectors.items())]


def _vector(name: str, vector: Sequence[Feature], compiled: Program, columns: Columns) -> str:
    """Which values make up a vector; braces are around one that is a set, as Split gives."""
    shown = [(f"f{compiled.slots[feature]}", columns.value(feature).multiple) for feature in vector]
    return f"{name} = {', '.join(f'{{{slot}}}' if several else slot for slot, several in shown)}"


def find(options: Settings, name: str, definition: Definition | None) -> tuple[FeatureSource, Columns, list[Problem]]:
    """The features, the columns that they are checked against, and their problems.

    Where no format is given, that of the built-in ones which the features fit best.
    """
    best: tuple[FeatureSource, Columns, list[Problem]] | None = None
    marking, covered = options["pproj.marking_strategy"], options["pproj.covered_root"]
    given = not name or options.given("input.format")
    data = sys.stdin.buffer.read(LARGEST_INPUT + 1) if name == "-" and sys.stdin is not None else b""
    if len(data) > LARGEST_INPUT:
        raise MaltError(f"standard input has more than {LARGEST_INPUT} bytes, which is too much for a feature model")
    for format in [options["input.format"]] if given else BUILT_IN:
        columns = Columns(find_format(format), marks(marking, covered))
        if name == "-":
            source = FeatureSource(parse_features(data, "standard input", columns, marking, covered), data, name)
        else:
            start = definition or system_of(options)
            source = find_features(name, start, options["guide.learner"], columns, marking, covered)
        found = find_problems(source.submodels, definition or "", columns)
        if best is None or _weight(found) < _weight(best[2]):
            best = source, columns, found
        if not found:
            break
    assert best is not None
    return best


def _weight(found: Sequence[Problem]) -> tuple[int, int]:
    return sum(not problem.warning for problem in found), len(found)


def report(name: str, source: FeatureSource, found: Sequence[Problem]) -> bool:
    """Say all that is wrong; the answer is whether anything is."""
    errors = [problem for problem in found if not problem.warning]
    for problem in found:
        if problem.warning:
            logger.warning("warning: %s", problem.error)
        else:
            logger.error("malt: %s", problem.error)
    if errors:
        if len(found) >= MOST_PROBLEMS:
            logger.error("malt: %s: there may be more, which were not looked for", name)
            return True
        total = len({feature for features in source.submodels.values() for feature in features})
        bad = len({problem.feature for problem in errors})
        logger.error("malt: %s: %d of %d features %s wrong", name, bad, total, "is" if bad == 1 else "are")
    return bool(errors)


def show(name: str, source: FeatureSource, algorithm: str, columns: Columns) -> None:
    """Print a model, in the order of the vector."""
    model = source.model()
    fits = algorithm or ", ".join(algorithms(model.structures))
    count = counted(sum(map(len, model.vectors.values())), "feature")
    about = f"{name}: {count}, columns of {columns.format.name}"
    print_lines([about, f"{'algorithm' if algorithm else 'fits'}: {fits}", *listing(model)])
    if model.mended_note:
        logger.info("%s", model.mended_note)


def listing(model: FeatureModel) -> Iterator[str]:
    """The features with their positions, grouped by function and column.

    >>> from malt.features.model import feature_model
    >>> print(*listing(feature_model("InputColumn(FORM,Stack[0])", "InputColumn(FORM,Input[0])")), sep="\\n")
    <BLANKLINE>
    InputColumn FORM
      1  InputColumn(FORM,Input[0])
      2  InputColumn(FORM,Stack[0])
    """
    for name, texts in model.texts.items():
        if list(model.texts) != [MAIN]:
            yield from ("", f"{name}: {counted(len(texts), 'feature')}")
        width = len(str(len(texts)))
        numbered = enumerate(zip(texts, model.vectors[name], strict=True), 1)
        for group, items in groupby(numbered, lambda item: _group(item[1][1])):
            yield from ("", group)
            yield from (f"  {position:>{width}}  {feature.text}" for position, (feature, _) in items)


def _group(feature: Feature) -> str:
    column = feature.arguments[0]
    return f"{feature.function} {column}" if isinstance(column, str) else feature.function


def convert(options: Settings, names: Sequence[str]) -> int:
    """Write a model as another kind of file; the suffix of the new one, or --to, says which."""
    if not 1 <= len(names) <= 2:
        raise UsageError("expected malt features convert IN OUT, where OUT ends in .xml, .par or .yaml")
    target = names[1] if names[1:] else "-"
    kind = options["features.to"] if options.given("features.to") else KINDS.get(PurePath(target).suffix.lower(), "")
    if not kind:
        what = "standard output" if target in STANDARD_OUTPUT else quoted(target)
        raise UsageError(f"what should {what} be? Let OUT end in .xml, .par or .yaml, or say it with --to")
    source, columns, found = find(options, names[0], None)
    unknown = [problem for problem in found if not problem.warning and not _readable(problem.feature)]
    if unknown:
        raise unknown[0].error
    data = write_features(source.submodels, kind, columns)
    check_not_read(target, names[:1])
    with open_output(target) as stream:
        stream.write(data)
    return 0


def _readable(feature: FeatureText) -> bool:
    try:
        parse_feature(feature.text)
    except FeatureError:
        return False
    return True
