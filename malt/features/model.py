"""A feature model: the vectors of features, what they share, and in which order MaltParser creates it all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from malt.features.functions import FUNCTIONS
from malt.features.nodes import Address, Feature, Node, nodes_of, structures_of
from malt.features.syntax import FeatureError, FeatureText, java_order, parse_feature, strip_blanks

MAIN = "MAIN"


class FeatureModel:
    """The features of each sub-model, in the order of the vector: sorted by their texts, each once.

    >>> model = feature_model("InputColumn(POSTAG,Stack[0])", "Exists( Input[0] )", "Exists(Input[0])")
    >>> print(*model.main, sep="\\n")
    Exists(Input[0])
    InputColumn(POSTAG,Stack[0])
    >>> print(*model.creation_order()[0])
    Input[0] Stack[0]
    >>> feature_model("Suffix(InputColumn(FORM,Stack[0]),2)").mended
    ('Suffix',)
    """

    def __init__(self, submodels: Mapping[str, Iterable[FeatureText]], divide: tuple[str, str] = ("", "")) -> None:
        """Sub-models by their upper-case names, in the order of the file; `divide` is a column and an address (-d, -s).

        The first feature that cannot be understood raises an error with its place.
        """
        self.texts = {name: sort_features(features) for name, features in submodels.items()}
        self._nodes: dict[Node, Node] = {}
        self.vectors: dict[str, tuple[Feature, ...]] = {
            name: tuple(map(self._parse, features)) for name, features in self.texts.items()
        }
        if not self.vectors:
            raise FeatureError("the feature model has no features")
        self.divide: Feature | None = None
        if all(divide):
            text = strip_blanks(f"InputColumn({divide[0]},{divide[1]})")
            self.divide = self._parse(FeatureText(text, f"-d {divide[0]} -s {divide[1]}"))

    def _parse(self, feature: FeatureText) -> Feature:
        try:
            return parse_feature(feature.text, self._nodes)
        except FeatureError as error:
            raise feature.error(str(error)) from None

    def __eq__(self, other: object) -> bool:
        """Models are equal if they give the same values, whatever file they are from."""
        return isinstance(other, FeatureModel) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return tuple(self.vectors.items()), self.divide

    @property
    def main(self) -> tuple[Feature, ...]:
        """The main vector, that of the first sub-model; in a file without sub-models the only one."""
        return next(iter(self.vectors.values()))

    def name_of(self, table: str, branch: str = "") -> str:
        """Which sub-model a decision uses, by its table (such as T.TRANS) and, in a branched decision, its branch.

        >>> names = ("MAIN", "A.DEPREL", "RA.A.DEPREL")
        >>> model = FeatureModel({name: [FeatureText("Exists(Stack[0])")] for name in names})
        >>> model.name_of("T.TRANS"), model.name_of("A.DEPREL", "LA"), model.name_of("A.DEPREL", "RA")
        ('MAIN', 'A.DEPREL', 'RA.A.DEPREL')
        """
        names = (f"{branch}.{table}" if branch else table, table)
        return next((name for name in names if name in self.vectors), next(iter(self.vectors)))

    def vector(self, table: str, branch: str = "") -> tuple[Feature, ...]:
        """The features of a decision."""
        return self.vectors[self.name_of(table, branch)]

    @cached_property
    def divide_positions(self) -> tuple[int, ...]:
        """Where the feature by which the data is divided (-d, -s) is in the main vector, from 0."""
        return tuple(position for position, feature in enumerate(self.main) if feature == self.divide)

    def divided(self, name: str) -> tuple[Feature, ...]:
        """The vector of a sub-model for the classifiers of single values: without what is at `divide_positions`.

        As in MaltParser these are positions in the main vector, whatever another sub-model has there.
        """
        vector = self.vectors[name]
        return tuple(feature for position, feature in enumerate(vector) if position not in self.divide_positions)

    def creation_order(self) -> tuple[tuple[Address, ...], tuple[Feature, ...]]:
        """All addresses and all features, each once, in the order in which MaltParser creates and computes them.

        It goes through the sub-models, through their features as they are sorted, and through each feature from right
        to left; at last comes the feature by which the data is divided.
        """
        features = [feature for vector in self.vectors.values() for feature in vector]
        every = dict.fromkeys(node for top in [*features, *filter(None, [self.divide])] for node in nodes_of(top))
        return (
            tuple(node for node in every if isinstance(node, Address)),
            tuple(node for node in every if isinstance(node, Feature)),
        )

    @cached_property
    def slots(self) -> dict[Feature, int]:
        """The place of each feature among all values that are computed."""
        return {feature: slot for slot, feature in enumerate(self.creation_order()[1])}

    @cached_property
    def structures(self) -> frozenset[str]:
        """The data structures that the features look at."""
        return frozenset(name for node in self.creation_order()[0] for name in structures_of(node))

    @property
    def input_columns(self) -> tuple[str, ...]:
        """The columns of the input that the features look at.

        >>> feature_model("InputColumn(POSTAG,Stack[0])", "OutputColumn(DEPREL,Stack[0])").input_columns
        ('POSTAG',)
        """
        used = (f.arguments[0] for f in self.creation_order()[1] if f.function in ("InputColumn", "InputTable"))
        return tuple(dict.fromkeys(map(str, used)))

    @cached_property
    def mended(self) -> tuple[str, ...]:
        """The functions in use that MaltParser computes wrongly: with any of them, answers may differ from its own.

        OutputTable is one of them only where several look at the same node: then the first stands for all there.
        """
        nodes = [f.arguments[1] for f in self.creation_order()[1] if f.function == "OutputTable"]
        right = {"OutputTable"} if len(set(nodes)) == len(nodes) else set()
        return tuple(sorted(name for name in self._functions - right if FUNCTIONS[name].mended))

    @cached_property
    def ours(self) -> tuple[str, ...]:
        """The functions in use that MaltParser does not have: it cannot read a model with any of them."""
        return tuple(sorted(name for name in self._functions if FUNCTIONS[name].ours))

    @property
    def _functions(self) -> set[str]:
        return {feature.function for feature in self.creation_order()[1]}

    @property
    def mended_note(self) -> str:
        """What a user is told of a model with such functions, in one line; nothing for one that can only be ours."""
        if not self.mended or self.ours:
            return ""
        return (
            f"{', '.join(self.mended)}: here computed as the name says, which MaltParser does not do; "
            "so with these features the results are not the same as there"
        )

    @property
    def listing(self) -> str:
        """The features as MaltParser lists them in a model's .info: a name, then one feature a line."""
        lines = []
        for name, features in self.texts.items():
            lines += [name] if len(self.texts) > 1 or name == MAIN else []
            lines += [feature.text for feature in features]
        return "".join(f"{line}\n" for line in lines)


def sort_features(features: Iterable[FeatureText]) -> tuple[FeatureText, ...]:
    """Features as they are in a vector: sorted as Java sorts, and of equal ones the first."""
    first: dict[str, FeatureText] = {}
    for feature in features:
        first.setdefault(feature.text, feature)
    return tuple(first[text] for text in sorted(first, key=java_order))


def feature_model(*texts: str, divide: tuple[str, str] = ("", "")) -> FeatureModel:
    """A model of features that are given as texts."""
    return FeatureModel({MAIN: [FeatureText(strip_blanks(text)) for text in texts]}, divide)
