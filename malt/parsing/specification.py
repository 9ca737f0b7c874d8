"""A specification: what options and a feature model say of a parser, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from malt.data.deps import deps_column
from malt.data.formats.dataformat import DataFormat
from malt.data.symbols import root_labels
from malt.errors import UsageError
from malt.features.check import make_model
from malt.features.defaults import STRUCTURED
from malt.features.model import MAIN, FeatureModel
from malt.features.nodes import conjuncts
from malt.features.propagation import PropagationRule
from malt.features.syntax import FeatureText
from malt.features.values import Columns
from malt.parsing.decisions import Decision, parse_decisions, resolve
from malt.settings.settings import Settings
from malt.systems import is_own, system_of
from malt.systems.language import ANY, LABELLED, MANY, Definition
from malt.systems.theory import derive_theory
from malt.trees.pseudoprojectivity import PseudoProjectivity


@dataclass(frozen=True)
class Specification:
    """What a parser is to be: immutable, made without files, equal to any other that says the same.

    Symbol tables (`malt.parsing.tables`) and compiled objects (`malt.parsing.machine`) are made from it.

    >>> from malt.data.formats.dataformat import find_format
    >>> features = {"MAIN": [FeatureText("InputColumn(POSTAG,Stack[0])")]}
    >>> one, two = (Specification.of(Settings(), find_format("conllx"), features) for _ in range(2))
    >>> one == two, one.labels, one.definition.name
    (True, ('DEPREL',), 'nivreeager')
    """

    format: DataFormat
    definition: Definition
    pseudo: PseudoProjectivity
    decisions: tuple[Decision, ...]
    rules: tuple[PropagationRule, ...]  # propagation (-fp)
    features: FeatureModel
    root_labels: Mapping[str, str]  # the default label of root arcs for each column of labels (-grl)
    null_value: str  # the strategy of -nv
    separator: str  # between the parts of a class (-gcs)
    candidates: int  # how many are looked at, -1 for all (-k)
    partial: bool  # whether arcs are given beforehand (-up)
    parsing: bool  # for parsing, with tables that stay as they are, or for training
    structured: bool = False  # are features templates, of which only the parts are computed? (-l perceptron)
    together: frozenset[tuple[str, str]] = (
        frozenset()
    )  # labels that two arcs of a graph between the same words may have

    @classmethod
    def of(
        cls,
        settings: Settings,
        format: DataFormat,
        features: Mapping[str, Iterable[FeatureText]],
        rules: tuple[PropagationRule, ...] = (),
        *,
        parsing: bool = False,
    ) -> Specification:
        """What settings say, with the features of each sub-model."""
        definition = system_of(settings, parsing=parsing)
        pseudo = PseudoProjectivity.from_options(settings)
        pseudo.check_format(format)
        if not format.label_columns:
            reason = f"the format {format.name} has no column of labels, such as DEPREL"
            raise UsageError(f"{reason}: what a parser learns are heads and their labels")
        decisions = parse_decisions(decision_settings(settings), (*format.label_columns, *pseudo.marks))
        if definition.many:
            check_graphs(settings, definition, format, pseudo, decisions)
        columns = columns_of(settings, format, rules)
        divide = (settings["guide.data_split_column"], settings["guide.data_split_structure"])
        return cls(
            format,
            definition,
            pseudo,
            decisions,
            rules,
            make_model(features, definition, columns, divide if all(divide) else ("", "")),
            MappingProxyType(root_labels(settings["graph.root_label"], format)),
            settings["singlemalt.null_value"],
            (settings["guide.classitem_separator"] or "~")[0],
            settings["guide.kbest"],
            bool(settings["singlemalt.use_partial_tree"]) and format.partial,
            parsing,
            settings["guide.learner"] == STRUCTURED,
        )

    @cached_property
    def columns(self) -> Columns:
        """The columns that features can name."""
        return Columns(self.format, self.pseudo.columns, tuple(rule.column(self.format) for rule in self.rules))

    @cached_property
    def computed(self) -> FeatureModel:
        """The features whose values are computed: those of the model or, of templates, their parts."""
        if not self.structured:
            return self.features
        parts = dict.fromkeys(str(part) for feature in self.features.main for part in conjuncts(feature))
        return FeatureModel({MAIN: [FeatureText(text) for text in parts]})

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The tables of arc labels, in the order of the decisions."""
        return tuple(name for decision in self.decisions for name in decision.labels)

    @cached_property
    def own_label(self) -> int:
        """The table of labels whose default is the label of the word on the root, and of no other word; -1: none."""
        own = [place for place, name in enumerate(self.labels) if name in self.root_labels]
        return own[0] if own and self.definition.roots == LABELLED else -1

    @cached_property
    def transitions(self) -> tuple[str, ...]:
        """The names of the transitions."""
        return tuple(self.definition.transitions)

    @property
    def aside(self) -> int:
        """A bit for each of the transitions that a beam does not count."""
        return sum(1 << self.transitions.index(name) for name in self.definition.aside)

    @property
    def mended_note(self) -> str:
        """What a user is told of features that MaltParser computes otherwise; nothing if it has no such models."""
        return "" if self.structured else self.features.mended_note

    @property
    def drops_nulls(self) -> bool:
        """Whether null values are left out of instances (-nv none)."""
        return self.null_value == "none"


def columns_of(settings: Settings, format: DataFormat, rules: tuple[PropagationRule, ...] = ()) -> Columns:
    """The columns that features can name with some settings."""
    propagated = tuple(rule.column(format) for rule in rules)
    return Columns(format, PseudoProjectivity.from_options(settings).columns, propagated)


def decision_settings(settings: Settings) -> str:
    """What -gds stands for, with the marks of pseudo-projective parsing: as it is saved."""
    return resolve(settings["guide.decision_settings"], tuple(PseudoProjectivity.from_options(settings).marks))


def check_settings(settings: Settings) -> None:
    """Refuse options that do not go together, before anything is read."""
    check_split(settings)
    check_separator(settings)
    check_roots(settings)
    check_many(settings)


def check_roots(settings: Settings) -> None:
    """A word on the root is no tree yet: where cycles are allowed, there may be some."""
    if system_of(settings).many and settings["tree.roots"] != ANY:
        raise UsageError(
            f"-rt {settings['tree.roots']} is for trees, and graphs have any number of roots; leave it out"
        )
    if settings["tree.roots"] != ANY and may_have_cycles(system_of(settings)):
        cause = cause_of_cycles(system_of(settings))
        raise UsageError(f"-rt {settings['tree.roots']} and {cause} do not go together: a tree has no cycles")


def check_many(settings: Settings) -> None:
    """Who asks for graphs gets no trees."""
    definition = system_of(settings)
    if settings["tree.heads"] == MANY and not definition.many:
        raise UsageError(
            f"-hd many is for -a planar, 2planar and Kplanar, and {definition.name} derives trees; leave it out"
        )


def check_graphs(
    settings: Settings,
    definition: Definition,
    format: DataFormat,
    pseudo: PseudoProjectivity,
    decisions: tuple[Decision, ...],
) -> None:
    """Refuse what graphs cannot have."""
    deps_column(format)
    if settings["config.flowchart"]:
        raise UsageError(f"MaltParser has no graphs, which {definition.name} derives here; `malt train` learns them")
    refused = {
        "-pp and -pcr transform trees": pseudo.active,
        "-up gives arcs of trees": settings["singlemalt.use_partial_tree"],
        "-fp passes on what is said of trees": settings["singlemalt.propagation"],
        "-rp last is for trees": definition.root_last,
        "--reverse turns trees round": settings.get("train.reverse", False),
        "-gds names more than one label of an arc": sum(len(decision.labels) for decision in decisions) > 1,
        "--explore needs the costs of transitions": settings.given("perceptron.explore"),
    }
    for what, there in refused.items():
        if there:
            raise UsageError(f"{what}, and {definition.name} derives graphs here (-hd many); leave one of them out")


def may_have_cycles(definition: Definition) -> bool:
    """Whether a planar system is told not to look out for cycles (-pacy false), or nothing keeps one of the user's own
    from making some."""
    if is_own(definition.name):
        return not definition.acyclic and not derive_theory(definition).acyclic
    return not definition.many and definition.name.endswith("planar") and not definition.options["-pacy"]


def cause_of_cycles(definition: Definition) -> str:
    """Which option cycles come from."""
    return f"-a {definition.name}" if is_own(definition.name) else "-pacy false"


def check_separator(settings: Settings) -> None:
    """MaltParser takes the first half of a character beyond U+FFFF, which no file can hold."""
    separator = settings["guide.classitem_separator"][:1]
    if separator > "\uffff":
        raise UsageError(f"-gcs {separator}: MaltParser cannot separate by a character beyond U+FFFF; choose another")


def check_split(settings: Settings) -> None:
    """-d and -s go together; as in MaltParser, one without the other is not used."""
    given = [settings["guide.data_split_column"], settings["guide.data_split_structure"]]
    if any(given) and not all(given) and settings["guide.learner"] != STRUCTURED:  # which has neither
        raise UsageError("-d and -s go together: give both, or neither")
