"""What is wrong with a feature model: all of it, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from malt.data.formats.dataformat import HEAD, INPUT
from malt.errors import DataError, UsageError
from malt.features.functions import OF_ARCS, algorithms
from malt.features.model import FeatureModel
from malt.features.nodes import Feature, nodes_of, structures_of
from malt.features.syntax import FeatureError, FeatureText, excerpt, parse_feature
from malt.features.values import Columns, pattern
from malt.systems import find_system
from malt.systems.language import Definition

MOST_PROBLEMS = (
    200  # one line in YAML may stand for thousands of features; who has read so many does not need the others
)


@dataclass(frozen=True)
class Problem:
    """Something wrong with one feature; a warning is something odd that MaltParser lets pass."""

    feature: FeatureText
    message: str
    warning: bool = False

    @property
    def error(self) -> DataError:
        """The problem as an error, with its place."""
        return self.feature.error(self.message)


def find_problems(
    submodels: Mapping[str, Iterable[FeatureText]],
    algorithm: str | Definition = "",
    columns: Columns | None = None,
) -> list[Problem]:
    """All problems of a feature model, or the first MOST_PROBLEMS, in the order of the file.

    Without an algorithm, there must be one that has all data structures in use; without columns, none are looked at.

    >>> bad = {"MAIN": [FeatureText("Exists(Left[0])", "x.xml", 7), FeatureText("Exist(Stack[0])", "x.xml", 8)]}
    >>> for problem in find_problems(bad, "covproj"): print(problem.error)
    x.xml, line 8: Exist(Stack[0]): there is no function Exist; did you mean Exists?
    >>> for problem in find_problems(bad, "planar"): print(problem.error)
    x.xml, line 7: Exists(Left[0]): planar has no Left; it has Stack, Input
    x.xml, line 8: Exist(Stack[0]): there is no function Exist; did you mean Exists?
    """
    found: list[Problem] = []
    used: frozenset[str] = frozenset()
    definition = algorithm if isinstance(algorithm, Definition) else find_system(algorithm) if algorithm else None
    for specification in dict.fromkeys(feature for features in submodels.values() for feature in features):
        if len(found) >= MOST_PROBLEMS:
            break
        try:
            feature = parse_feature(specification.text)
        except FeatureError as error:
            found.append(Problem(specification, str(error)))
            continue
        if definition is not None:
            foreign = sorted(structures_of(feature) - frozenset(definition.structures))
            if foreign:
                message = (
                    f"{definition.name} has no {' and no '.join(foreign)}; it has {', '.join(definition.structures)}"
                )
                found.append(Problem(specification, message))
            if definition.decoder and (name := _sees_arcs(feature)):
                message = f"{definition.name} scores arcs before any is made, so {name} has nothing to look at"
                found.append(Problem(specification, message))
            for name in sorted(structures_of(feature)):
                if definition.structures.get(name) == ("swapped", 0) and not definition.swaps:
                    message = f"{definition.name} swaps nothing back, so {name} is always empty; was Lookahead meant?"
                    found.append(Problem(specification, message, True))
        elif not algorithms(used | structures_of(feature)):
            own, above = (", ".join(sorted(names)) for names in (structures_of(feature), used))
            message = f"there is no algorithm that has {own}"
            message += f" as well as {above} (used above)" if algorithms(structures_of(feature)) else ""
            found.append(Problem(specification, message))
        else:
            used |= structures_of(feature)
        if columns is not None:
            try:
                columns.value(feature)
            except FeatureError as error:
                found.append(Problem(specification, str(error)))
        found += [Problem(specification, message, True) for message in _oddities(specification, feature, columns)]
    return sorted(found, key=lambda problem: problem.feature.line)


def _sees_arcs(feature: Feature) -> str:
    """A function that looks at what the parser has done so far; nothing if there is none."""
    return next((node.function for node in nodes_of(feature) if node.function in OF_ARCS), "")


def _oddities(specification: FeatureText, feature: Feature, columns: Columns | None) -> Iterator[str]:
    if _brackets(specification.text) != _brackets(str(feature)):
        yield f"the brackets are odd; it is read as {excerpt(str(feature))}"
    for part in nodes_of(feature):
        if not isinstance(part, Feature):
            continue
        if part.function == "Split" and _matches_nothing(str(part.arguments[1])):
            yield rf"the separator {part.arguments[1]} cuts between all characters; was \{part.arguments[1]} meant?"
        try:
            unknown = columns is not None and not columns.value(part).known
        except FeatureError:
            continue
        if unknown:
            name, text = part.arguments[0], excerpt(str(part))
            yield f"{name} is no column of the input, unless propagation (-fp) makes one: {text} is always null"
        if part.function.startswith("InputArc") and _is_head(str(part.arguments[0]), columns):
            yield f"{part.arguments[0]} holds the heads that are to be found: {part.function} sees the answers"


def _brackets(text: str) -> str:
    return "".join(character for character in text if character in "()[],")


def _is_head(name: str, columns: Columns | None) -> bool:
    return columns is not None and name in columns.columns and columns.columns[name].category == HEAD


def _matches_nothing(separator: str) -> bool:
    try:
        return pattern(separator).fullmatch("") is not None
    except FeatureError:
        return False


def make_model(
    submodels: Mapping[str, Iterable[FeatureText]],
    algorithm: str | Definition,
    columns: Columns,
    divide: tuple[str, str] = ("", ""),
) -> FeatureModel:
    """The model of some features, if there is nothing wrong with it; otherwise an error about the first problem.

    >>> from malt.data.formats.dataformat import find_format
    >>> make_model({"MAIN": [FeatureText("Exists(Left[0])", "x.xml", 7)]}, "planar", Columns(find_format("conllx")))
    Traceback (most recent call last):
    malt.errors.DataError: x.xml, line 7: Exists(Left[0]): planar has no Left; it has Stack, Input
    """
    submodels = {name: list(features) for name, features in submodels.items()}
    errors = [problem for problem in find_problems(submodels, algorithm, columns) if not problem.warning]
    if errors:
        first = errors[0]
        more = f" (and {len(errors) - 1:,} more; `malt features` lists all)" if errors[1:] else ""
        raise first.feature.error(first.message + more)
    column = columns.columns.get(divide[0])
    if column is not None and column.category != INPUT:
        given = [one.name for one in columns.format.columns if one.category == INPUT and one.name != "ID"]
        raise UsageError(f"-d {column.name}: data is split by a column that is given in the input: {', '.join(given)}")
    model = FeatureModel(submodels, divide)
    if model.divide is not None:
        place = FeatureText(str(model.divide), f"-d {divide[0]} -s {divide[1]}")
        for problem in find_problems({"": [place]}, algorithm, columns):
            if not problem.warning:
                raise problem.error
    return model
