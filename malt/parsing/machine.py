"""A machine: a specification and its symbol tables, compiled."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from malt.data.symbols import Tables
from malt.features.functions import OF_ARCS
from malt.features.nodes import CONJUNCTIONS, Address, Feature, Node, conjuncts, nodes_of
from malt.features.program import compile_features
from malt.kernel.features import Propagation
from malt.kernel.guide import Actions, Stages
from malt.kernel.walk import OraclePolicy, Walk
from malt.parsing.specification import Specification
from malt.parsing.tables import root_label
from malt.systems.compiler import compile_system

# What looks at no arcs.
STILL = (*CONJUNCTIONS, "InputColumn", "InputTable", "Split", "Suffix", "Prefix", "Distance", "Between", "pred", "succ")
RIGHTWARD = ("rdep", "rdep2", "rdesc", "prdesc", "rdeps", "deps")  # functions, and words that NumOf and LabelSet take
COMING = ("buffer", "lookahead", "right")  # structures with the words to come


class Machine:
    """Everything that is compiled of a parser, and the walk that runs it. One machine is for one thread."""

    def __init__(self, specification: Specification, tables: Tables) -> None:
        self.specification, self.tables = specification, tables
        labels, extras = specification.labels, [rule.target for rule in specification.rules]
        self.system = compile_system(specification.definition)
        if specification.together:
            codes = [[tables[labels[0]].code(name) for name in pair] for pair in sorted(specification.together)]
            self.system.let_together((one, two) for one, two in codes if min(one, two) >= 0)
        self.program = compile_features(
            specification.computed,
            specification.columns,
            specification.definition,
            tables,
            labels,
            extras,
            frozen=specification.parsing,
        )
        self.propagation = Propagation(specification.rules, specification.format.coded, labels)
        decisions = [(decision.places(labels), decision.branched) for decision in specification.decisions]
        self.stages = Stages(decisions, len(labels))
        self.roots = [tables[name].code(root_label(specification, name)) for name in labels]
        own = specification.own_label
        self.walk = Walk(self.system, self.program.features, self.roots, self.propagation, own, self._other(own))

    def _other(self, own: int) -> int:
        """The first label that is not the one of the root alone; that one, if there is no other."""
        if own < 0:
            return -1
        codes = (code for code, _ in self.tables[self.specification.labels[own]].symbols())
        return next((code for code in codes if code != self.roots[own]), self.roots[own])

    @cached_property
    def actions(self) -> Actions:
        """The classes of actions, for training: new ones enter the tables as they come."""
        spec = self.specification
        classes = [self.tables[decision.table] if decision.combined else None for decision in spec.decisions]
        labels = [self.tables[name] for name in spec.labels]
        return Actions(spec.transitions, self.stages, labels, classes, spec.separator)

    def oracle(self) -> OraclePolicy:
        """The oracle of its system."""
        return OraclePolicy(self.system, self.specification.definition.from_root)

    @cached_property
    def templates(self) -> list[list[int]]:
        """The slots of the values that each template of a structured model sees."""
        return [
            [self.program.slots[part] for part in conjuncts(feature)] for feature in self.specification.features.main
        ]

    @cached_property
    def sided_templates(self) -> tuple[list[int], list[int]]:
        """The numbers of the templates that look from the left word of a pair alone, and from the right one: in lists,
        or on the stack and in the buffer."""
        structures = self.specification.definition.structures
        sides = [{structures[place.function][0] in COMING for place in one} for one in self._places]
        left, right = ([number for number, one in enumerate(sides) if one == {side}] for side in (False, True))
        return left, right

    @cached_property
    def lasting_templates(self) -> tuple[list[int], list[int]]:
        """Of these, the ones to whom a word looks as before when it is the next one again: on the left those that look
        at no right dependents, which it may have got since, and on the right those that look at no arcs."""
        features = self.specification.features.main
        left, right = self.sided_templates
        return (
            [number for number in left if not any(map(_looks_right, nodes_of(features[number])))],
            [number for number in right if not any(node.function in OF_ARCS for node in nodes_of(features[number]))],
        )

    @cached_property
    def still_templates(self) -> list[int]:
        """The numbers of the other templates that look at no arcs, and at no other words than the two that they look at
        most and those to come: many configurations of a beam have these in common."""
        nodes = [set(nodes_of(feature)) for feature in self.specification.features.main]
        places = self._places
        coming = {name for name, (what, _) in self.specification.definition.structures.items() if what in COMING}
        common = {place for place, _ in Counter(place for one in places for place in one).most_common(2)}
        return [
            number
            for number, one in enumerate(nodes)
            if not any(number in lasting for lasting in self.lasting_templates)
            and all(node.function in STILL for node in one - places[number])
            and all(place in common or place.function in coming for place in places[number])
        ]

    @property
    def moves(self) -> tuple[int, int]:
        """The transitions that only shift, and only put back."""
        chains = [cases[0].operations for cases in self.specification.definition.transitions.values()]
        return chains.index(("SHIFT",)), chains.index(("UNSHIFT",))

    @cached_property
    def reach(self) -> tuple[int, int, bool]:
        """How many nodes of the stack and of the buffer features look at, from its top and its front on, and whether an
        arc can change what they see from anywhere: with two nodes of the buffer it is known whether one is left."""
        depths = {"stack": 1, "buffer": 2}
        anywhere = False
        for feature in self.specification.computed.main:
            functions = set()
            for node in nodes_of(feature):
                functions.add(node.function)
                if isinstance(node, Address) and isinstance(node.argument, int):
                    what = self.specification.definition.structures[node.function][0]
                    depths[what] = max(depths[what], node.argument + 1)
            arcs = self.specification.rules or not functions.isdisjoint(OF_ARCS)
            anywhere = anywhere or bool(arcs and functions & {"pred", "succ"})
        return depths["stack"], depths["buffer"], anywhere

    @cached_property
    def _places(self) -> list[set[Address]]:
        """The places in structures, such as Stack[0], that each template looks from."""
        nodes = (nodes_of(feature) for feature in self.specification.features.main)
        return [{node for node in one if isinstance(node, Address) and isinstance(node.argument, int)} for one in nodes]

    @property
    def divide_slot(self) -> int:
        """The slot of the value that the data is split by (-d, -s); -1 if it is not."""
        divide = self.specification.features.divide
        return -1 if divide is None else self.program.slots[divide]

    def use(self, tables: Tables) -> None:
        """Use the tables of a block, where it has its own, from here on."""
        every = {**self.tables, **tables}
        self.program.use(every)
        self.propagation.use(every)


def _looks_right(node: Node) -> bool:
    """Does it look at the right dependents of a word?"""
    words = node.arguments if isinstance(node, Feature) else ()
    return node.function in RIGHTWARD or any(word in RIGHTWARD for word in words)
