"""The language of transition systems: elementary operations, composed with `;` and restricted with `|`.

A definition is a text, one statement a line:

    title: TEXT                            also graphs: and length:, for people
    stack: [root]   stacks: 2 [root]       the stacks of a configuration, each with the artificial root; [] without it
    lists: from 0                          or Covington's lists in their place, from node 0 or 1; `from 1, root` for the
                                           artificial root after all words
    buffer: words                          all words, or unattached words: those without a head given before;
                                           `words, root` for the artificial root after them
    heads: many                            a node may have several; or one
    roots: one                             exactly one word hangs on the root; or any, or labelled: and it has its label
    features: Stack = stack, Input = buffer    what features may look at, and by which names
    model: NivreEager                      the feature model that is the default, a file of feature_models/
    decoder: mst                           arcs are scored, and this finds the best tree, which is derived
    order: easiest first                   arcs are made anywhere, the best first; SHIFT and UNSHIFT lead there
    LA = LEFT-ARC | not headed(top) ; REDUCE
    SH! = REDUCE | empty(buffer)           ! only for oracle and default: never permissible
    first RE                               the class that is registered first
    end empty(buffer)                      when a configuration is terminal
    must SH | root(top)                    a transition that leaves no choice
    default SH                             what is done when nothing predicted is permissible
    oracle LA | gold(front, top)           the static oracle: the first rule that holds
    costs exact | stack -> buffer, ...     the dynamic oracle: which nodes can still be joined, heads before the arrow

Every operation of a chain may be restricted: NAME = OPERATION | RESTRICTION ; OPERATION | RESTRICTION ...

A text without stack, stacks or lists is one of the article's, which know no artificial root; it is put below the words,
and what keeps it there is added. What else is not said is derived: the end, the default, the names for features, the
default feature model, the oracle (malt/kernel/oraclesearch.pyx searches) and, with it, the costs.

Several lines with the same name are the cases of one transition. `if -ne` and `unless -ne` after a predicate, or in
brackets at the end of a line, make it depend on an option: options change the text, nothing else.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat

from malt.errors import DataError
from malt.kernel.system import Costs, Operation, Pair, Predicate, Question, Structure
from malt.ownfiles import own_folder
from malt.settings.catalogue import catalogue
from malt.settings.option import Value
from malt.systems.chains import arcs, demand, root_needs, usual_model, usual_pairs

Options = Mapping[str, Value | None]

MOST_STACKS = 64
MOST_CHARACTERS, LONGEST_LINE = 1 << 16, 1000  # of a text
MOST_OPERATIONS = 32  # of a chain: a trace follows as many nodes (REACH of malt/kernel/walk.pyx)
MOST_TRANSITIONS, MOST_CASES = 48, 96
MOST_TRIED = 24  # cases for which `is_tried` holds: the kernel has as many bits for them
STACK_SEEN, BUFFER_SEEN = 2, 1  # nodes that predicates are about
FIRST, LAST = "first", "last"  # where the artificial root stands
MANY = "many"  # heads of a node
EASIEST_FIRST = "easiest first"  # the order of arcs
ANY, ONE, LABELLED = ROOTS = ("any", "one", "labelled")  # how many words may hang on the artificial root


def _spelled(member: str) -> str:
    """How a text writes a member of the kernel's enumerations; those that are about nodes have these last.

    >>> _spelled("CONNECTED_TOP_FRONT"), _spelled("PENDING_IN_OTHER_PLANES"), _spelled("LEFT_CONTEXT")
    ('connected(top,front)', 'pending in other planes', 'left context')
    """
    words = member.lower().split("_")
    said = len(words)
    while said > 1 and words[said - 1] in ("stack", "buffer", "top", "second", "front", "other"):
        said -= 1
    return " ".join(words[:said]) + (f"({','.join(words[said:])})" if words[said:] else "")


OPERATIONS = {name.replace("_", "-"): int(member) for name, member in Operation.__members__.items()}
PREDICATES, QUESTIONS, STRUCTURES = (
    {_spelled(name): int(member) for name, member in kind.__members__.items()}
    for kind in (Predicate, Question, Structure)
)
PAIRS = {name.lower().replace("_", " -> "): int(member) for name, member in Pair.__members__.items()}
COSTS = {name.lower().replace("_", " "): int(member) for name, member in Costs.__members__.items()}
NO_COSTS, LOWER_BOUND, EXACT = COSTS
_OF_GRAPHS = range(int(Question["MISSING_FRONT_TOP"]), len(Question))  # questions; the others ask for a tree
_STRUCTURES = {"stack", "stacks", "lists"}  # the headers that say what a configuration has
_OF_LISTS = {"left", "right", "left context", "right context", "NEXT", "BACK", "BACK-OUT", "BACK-TO-HEAD"}

_STRUCTURED_MODELS = ("Arcs", "EasyFirst")  # feature models that no classifier has

_CONDITION = re.compile(r"(if|unless)\s+(-\w+)(?:\s+([\w|]+))?")
_TRANSITION = re.compile(r"([A-Z][A-Z0-9]*)(!?)\s*=\s*(.*)")
_RULE = re.compile(r"(first|end|must|default|oracle|costs)\s+(.*)")
_HEADER = re.compile(r"(title|graphs|length|stacks?|lists|buffer|heads|roots|features|model|decoder|order):\s*(.*)")


@dataclass(frozen=True)
class Atom:
    """A predicate of a configuration, or its negation."""

    predicate: str
    negated: bool = False

    def __str__(self) -> str:
        return ("not " if self.negated else "") + self.predicate.replace(",", ", ")


@dataclass(frozen=True)
class Case:
    """One case of a transition: operations, the restriction of the first, and those of all, if others have one."""

    operations: tuple[str, ...]
    restriction: tuple[Atom, ...] = ()
    forced: bool = False
    guards: tuple[tuple[Atom, ...], ...] = ()

    def __str__(self) -> str:
        restrictions = self.guards or (self.restriction,)
        parts = [
            f"{operation} | {', '.join(map(str, restriction))}" if restriction else operation
            for operation, restriction in zip(self.operations, chain(restrictions, repeat(())), strict=False)
        ]
        return " ; ".join(parts)

    def restricted(self, place: int, atom: Atom) -> Case:
        """The same case with one more restriction of an operation."""
        if place == 0:
            guards = ((*self.guards[0], atom), *self.guards[1:]) if self.guards else ()
            return replace(self, restriction=(*self.restriction, atom), guards=guards)
        guards = self.guards or (self.restriction, *((),) * (len(self.operations) - 1))
        return replace(self, guards=(*guards[:place], (*guards[place], atom), *guards[place + 1 :]))


@dataclass(frozen=True)
class Rule:
    """A transition (or, for `end`, none) and when it is meant."""

    transition: str
    restriction: tuple[Atom, ...] = ()


@dataclass(frozen=True)
class Definition:
    """A transition system, its options decided. Nothing changes it once it is read."""

    name: str
    title: str
    graphs: str
    length: str
    stacks: int  # 0: lists
    left: int  # where the left list begins
    all_words: bool
    root_last: bool  # is the artificial root the end of the buffer?
    roots: str  # one of ROOTS
    structures: Mapping[str, tuple[str, int]] = field(hash=False)  # of features: name -> one of STRUCTURES, stack
    model: str  # the default feature model
    decoder: str  # finds the best tree where arcs are scored (malt/parsing/decoders.py); nothing: transitions are
    order: str  # EASIEST_FIRST, or nothing: from left to right
    transitions: Mapping[str, tuple[Case, ...]] = field(hash=False)
    first: str
    rules: Mapping[str, tuple[Rule, ...]] = field(hash=False)
    costs: str  # one of COSTS: what is known of the gold arcs that a transition loses
    pairs: tuple[str, ...]  # of PAIRS: which nodes can still be joined
    options: Options = field(hash=False)
    text: str  # the statements that are left when the options are decided
    added: tuple[str, ...] = ()  # what was derived, as the text does not say it
    oracle_decides: bool = False  # where costs are a lower bound, too many transitions seem to lose nothing
    many: bool = False  # may a node have several heads? Then graphs are derived, and not trees

    @property
    def structured(self) -> bool:
        """Whether only the structured learner can teach it."""
        return bool(self.decoder or self.order)

    @property
    def searches(self) -> bool:
        """Whether the oracle has no rules: a search finds derivations."""
        return not self.rules["oracle"]

    @property
    def shift(self) -> str:
        """The transition that only shifts, or goes on to the next word of the lists; nothing if there is none."""
        alone = (("SHIFT",), ("NEXT",))
        return next((name for name, cases in self.transitions.items() if cases[0].operations in alone), "")

    @property
    def idle(self) -> str:
        """The transition that only goes on to another pair of the lists; nothing if there is none."""
        alone = (("BACK",), ("BACK-OUT",), ("BACK-TO-HEAD",))
        return next((name for name, cases in self.transitions.items() if cases[0].operations in alone), "")

    @property
    def aside(self) -> tuple[str, ...]:
        """The transitions that only lead to where an arc is made: the idle one of lists, and, if words are shifted on
        the first stack alone, SWITCH, and REDUCE on another one."""
        if self.idle:
            return (self.idle,)
        shifts = [case for cases in self.transitions.values() for case in cases if "SHIFT" in case.operations]
        if not all(Atom("first(stack)") in case.restriction for case in shifts):
            return ()

        def leads_on(case: Case) -> bool:
            elsewhere = Atom("first(stack)", negated=True) in case.restriction
            return case.operations == ("SWITCH",) or (case.operations == ("REDUCE",) and elsewhere)

        return tuple(name for name, cases in self.transitions.items() if all(map(leads_on, cases)))

    @property
    def bottom_up(self) -> bool:
        """Whether a word that gets its head from the left leaves at once, so that its own dependents come before."""
        for cases in self.transitions.values():
            if any(operation.startswith("RIGHT-ARC") for case in cases for operation in case.operations):
                return any("REDUCE" in case.operations for case in cases)
        return False

    @property
    def restarts(self) -> bool:
        """Whether beams learn most where a search begins anew after a mistake: bottom-up, and with lists, whose
        derivations have many choices."""
        return self.bottom_up or not self.stacks

    @property
    def from_root(self) -> bool:
        """Whether the oracle waits for the root where it is the head of a word, which it does not do if it is last."""
        return self.options["-prh"] == "normal" and not self.root_last

    @property
    def acyclic(self) -> bool:
        """Whether every transition that makes an arc asks if it would close a cycle; BACK goes past such nodes."""
        asked = Atom("connected(top,front)", negated=True)
        makes = [c for cases in self.transitions.values() for c in cases if any("ARC" in o for o in c.operations)]
        return bool(makes) and all(
            "BACK" in case.operations or any(asked in atoms for atoms in (case.restriction, *case.guards))
            for case in makes
        )

    @property
    def swaps(self) -> bool:
        """Whether words come back to the buffer from below the top of the stack."""
        return any("SWAP" in case.operations for cases in self.transitions.values() for case in cases)


def parse_system(text: str, name: str, options: Options | None = None, k: int = 2) -> Definition:
    """Read a definition.

    >>> text = "stack: [root]\\nSH = SHIFT\\nRE = REDUCE | headed(top)\\nend empty(buffer)\\ndefault SH"
    >>> eager = parse_system(text, "mine")
    >>> eager.transitions["RE"][0].restriction
    (Atom(predicate='headed(top)', negated=False),)
    >>> parse_system("stack: [root]\\nSH = SHFT", "mine")
    Traceback (most recent call last):
    malt.errors.DataError: mine, line 2, column 6: 'SHFT' is no operation; there are SHIFT, UNSHIFT, REDUCE, LEFT-ARC, \
RIGHT-ARC, SWITCH, SWAP, REDUCE-2, LEFT-ARC-2, RIGHT-ARC-2, NEXT, BACK, BACK-OUT, BACK-TO-HEAD
    """
    known = {flag: option.default for flag, option in catalogue().of_systems.items()}
    return _Parser(text, name, {**known, **(options or {})}, k).definition


class _Parser:
    def __init__(self, text: str, name: str, options: Options, k: int) -> None:
        self.name, self.options, self.k = name, options, k
        self.headers = dict.fromkeys(("title", "graphs", "length", "model", "decoder", "order"), "")
        self.said: dict[str, tuple[int, str]] = {}  # headers, the first transition, rules: where the last of each is
        self.added: list[str] = []
        self.stacks, self.left, self.all_words, self.roots = self.guess(text), 0, True, ANY
        self.root_last = self.root_in_buffer = self.many = False
        self.structures: dict[str, tuple[str, int]] = {}
        self.transitions: dict[str, tuple[Case, ...]] = {}
        self.first = ""
        self.rules: dict[str, tuple[Rule, ...]] = dict.fromkeys(("end", "must", "default", "oracle"), ())
        self.costs, self.pairs = NO_COSTS, tuple[str, ...]()
        self.bound = False  # does the text say that costs are a lower bound?
        self.line, self.number = "", 0
        self.kept: list[str] = []
        self.lines: list[tuple[int, str, int]] = []  # of each case: its place in what is kept, and which it is
        self.written: list[tuple[int, str]] = []  # and where it is in the text
        if len(text) > MOST_CHARACTERS:
            raise DataError(f"it has more than {MOST_CHARACTERS} characters, too many for a transition system", name)
        kept = self.kept
        for self.number, self.line in enumerate(text.splitlines(), 1):
            if len(self.line) > LONGEST_LINE:
                raise self.error(f"the line has more than {LONGEST_LINE} characters")
            statement = self.line.split("#")[0].rstrip()
            if not statement:
                kept.append("")
            elif (decided := self.decide(statement)) is not None:
                kept.append(self.statement(decided))
        self.supply()
        self.check()
        self.definition = Definition(
            name,
            **self.headers,
            stacks=self.stacks,
            left=self.left,
            all_words=self.all_words,
            root_last=self.root_last,
            roots=self.roots,
            structures=self.structures,
            transitions=self.transitions,
            first=self.first,
            rules=self.rules,
            # With one root, where words that are left over will hang is not known before the end.
            costs=self.costs if self.roots == ANY or self.costs == NO_COSTS else LOWER_BOUND,
            pairs=self.pairs,
            options=options,
            added=tuple(self.added),
            oracle_decides=self.bound and bool(self.rules["oracle"]),
            many=self.many,
            text=re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n",
        )

    @staticmethod
    def guess(text: str) -> int:
        """How many stacks there are if nothing says so; the operations tell."""
        words = {word for line in text.splitlines() for word in re.findall(r"[A-Z][A-Z0-9-]*", line.split("#")[0])}
        return 0 if words & {"NEXT", "BACK", "BACK-OUT", "BACK-TO-HEAD"} else 2 if "SWITCH" in words else 1

    def at(self, place: tuple[int, str]) -> None:
        """Errors are at that place from now on: the number of a line, and the line."""
        self.number, self.line = place

    def error(self, message: str, part: str = "") -> DataError:
        column = self.line.find(part) + 1 if part else 1
        return DataError(message, self.name, self.number, max(column, 1))

    def decide(self, statement: str) -> str | None:
        """Drop the conditions in brackets at the end of a line; None if they do not hold."""
        match = re.search(r"\s*\[((?:if|unless)[^\]]*)\]\s*$", statement)
        if match is None:
            return statement
        ways = [re.split(r"\s+and\s+", way) for way in re.split(r"\s+or\s+", match[1])]
        decided = [[self.holds(condition) for condition in way] for way in ways]
        return statement[: match.start()] if any(map(all, decided)) else None

    def holds(self, condition: str) -> bool:
        match = _CONDITION.fullmatch(condition.strip())
        if match is None:
            raise self.error(
                f"{condition!r} is no condition; expected for example: if -ne, unless -prh relaxed", condition
            )
        word, flag, values = match.groups()
        known = catalogue().of_systems
        if flag not in known:
            raise self.error(f"{flag} is no option of transition systems; there are {', '.join(known)}", flag)
        value = self.options[flag]
        if known[flag].type == "bool":
            if values:
                raise self.error(f"{flag} is on or off and takes no value here", values)
            return bool(value) == (word == "if")
        if not values:
            raise self.error(f"{flag} needs a value here", flag)
        return (value in values.split("|")) == (word == "if")

    def atoms(self, text: str, known: Mapping[str, int], kind: str = "predicate") -> tuple[Atom, ...]:
        found = []
        for part in re.split(r",\s*(?![^(]*\))", text):
            condition = _CONDITION.search(part)
            if condition and not self.holds(condition[0]):
                continue
            plain = part[: condition.start()].strip() if condition else part.strip()
            if not plain:
                raise self.error(f"a {kind} is missing: nothing stands after `|` or between commas", "|")
            bare = re.sub(r"^not\s+", "", plain)
            negated, predicate = bare != plain, re.sub(r"\s*,\s*", ",", bare)
            if predicate not in known:
                raise self.error(f"{plain!r} is no {kind} here; there are {'; '.join(known)}", plain)
            found.append(Atom(predicate, negated))
        return tuple(found)

    def statement(self, statement: str) -> str:
        """Take one statement; gives it back as it is with all options decided."""
        if match := _HEADER.fullmatch(statement):
            self.header(match[1], match[2].strip())
            alike = _STRUCTURES if match[1] in _STRUCTURES else {match[1]}
            if twice := sorted(self.said.keys() & alike):
                raise self.error(f"there is a line `{twice[0]}` already, in line {self.said[twice[0]][0]}")
            self.said[match[1]] = self.number, self.line
            if match[1] in _STRUCTURES and match[2].startswith("k"):  # what is printed has the number
                return f"{match[1]}: {self.stacks}{match[2][1:]}"
            return statement
        if match := _RULE.fullmatch(statement):
            return self.rule(match[1], match[2].strip())
        if match := _TRANSITION.fullmatch(statement):
            return self.transition(match[1], match[2] == "!", match[3])
        raise self.error(f"{statement.strip()!r} is no statement; expected NAME = OPERATION ; ..., a rule or a header")

    def header(self, key: str, value: str) -> None:
        if key == "model" and not (re.fullmatch(r"\w+", value) and _is_model(value)):
            raise self.error(f"there is no feature model {value!r}: expected a file of feature_models/liblinear", value)
        if key == "order" and value != EASIEST_FIRST:
            raise self.error(f"{value!r} is no order; expected {EASIEST_FIRST}", value)
        if key in self.headers:
            self.headers[key] = value
        elif key in _STRUCTURES and self.structures:
            raise self.error(f"`{key}` comes before `features`")
        elif key in _STRUCTURES and self.pairs:
            raise self.error(f"`{key}` comes before `costs`")
        elif key in ("stack", "stacks"):
            match = re.fullmatch(r"(?:(\d{1,9}|k)\s+)?\[(root)?\]", value)
            if match is None:
                raise self.error(f"{value!r} are no stacks; expected [root], 2 [root], k [root] or []", value)
            self.root_last = not match[2]
            self.stacks = self.k if match[1] == "k" else int(match[1] or 1)
            if not 1 <= self.stacks <= MOST_STACKS:
                raise self.error(f"{self.stacks} stacks; expected 1 to {MOST_STACKS}", value)
        elif key == "lists":
            first, _, root = value.partition(", ")
            if first not in ("from 0", "from 1") or root not in ("", "root") or (root and first != "from 1"):
                raise self.error(f"{value!r} are no lists; expected from 0, from 1, or from 1, root", value)
            self.stacks, self.left = 0, int(first[-1])
            self.root_last = self.root_in_buffer = bool(root)
        elif key == "features":
            for part in value.split(","):
                self.structure(*(piece.strip() for piece in part.partition("=")))
        elif key == "heads":
            if value not in (ONE, MANY):
                raise self.error(f"{value!r} are no heads; expected {ONE} or {MANY}", value)
            self.many = value == MANY
        elif key == "roots":
            if value not in ROOTS:
                raise self.error(f"{value!r} are no roots; expected {', '.join(ROOTS)}", value)
            self.roots = value
        else:
            words, _, root = value.partition(", ")
            if words not in ("words", "unattached words") or root not in ("", "root"):
                raise self.error(
                    f"{value!r} is no buffer; expected words or unattached words, or one of them and root", value
                )
            self.all_words, self.root_in_buffer = words == "words", bool(root)

    def structure(self, name: str, _: str, what: str) -> None:
        """A name for features; of the `next stacks`, the second is NAME2, and so on."""
        if not name.isalpha() or what not in (*STRUCTURES, "next stacks"):
            raise self.error(f"expected NAME = one of {', '.join(STRUCTURES)}, next stacks", what or name)
        if name in self.structures:
            raise self.error(f"{name} is there twice", name)
        if (what in _OF_LISTS) == bool(self.stacks):
            raise self.error(f"{what} is not for a system with {'stacks' if self.stacks else 'lists'}", what)
        if what != "next stacks":
            self.structures[name] = (what, 0)
        elif self.stacks > 1:
            self.structures |= {f"{name}{i}" if i > 1 else name: ("stack", i) for i in range(1, self.stacks)}
        else:
            raise self.error("there is one stack only, and none comes next", what)

    def transition(self, name: str, forced: bool, chain: str) -> str:
        operations: list[str] = []
        guards: list[tuple[Atom, ...]] = []
        for part in chain.split(";"):
            operation, bar, text = (piece.strip() for piece in part.partition("|"))
            if not operation:
                raise self.error("an operation is missing: expected OPERATION ; OPERATION ...", chain)
            if operation not in OPERATIONS:
                raise self.error(f"{operation!r} is no operation; there are {', '.join(OPERATIONS)}", operation)
            guards.append(self.atoms(text, PREDICATES) if bar else ())
            operations.append(operation)
        if len(operations) > MOST_OPERATIONS:
            raise self.error(f"{len(operations)} operations are too many for a transition: at most {MOST_OPERATIONS}")
        if len(arcs(tuple(operations))) > 1:
            raise self.error(f"transition {name} makes two arcs, and one label is for one arc", chain)
        case = Case(tuple(operations), guards[0], forced, tuple(guards) if any(guards[1:]) else ())
        cases = self.transitions.get(name, ())
        if (not cases and len(self.transitions) == MOST_TRANSITIONS) or len(self.lines) == MOST_CASES:
            raise self.error(f"too many: there may be {MOST_TRANSITIONS} transitions with {MOST_CASES} cases")
        self.lines.append((len(self.kept), name, len(cases)))
        self.written.append((self.number, self.line))
        self.transitions[name] = (*cases, case)
        return self.shown(name, case)

    @staticmethod
    def shown(name: str, case: Case) -> str:
        return f"{name + '!' * case.forced:<3} = {case}"

    def supply(self) -> None:
        """Derive what the text does not say."""
        chains = [case.operations for cases in self.transitions.values() for case in cases]
        if not chains:
            return
        headers = []
        if not self.said.keys() & _STRUCTURES:
            headers.append(
                "lists: from 0" if not self.stacks else "stack: [root]" if self.stacks == 1 else "stacks: 2 [root]"
            )
            if "buffer" not in self.said:
                headers += ["buffer: words"] * bool(self.stacks)
            if "roots" not in self.said and (roots := str(self.options["-rt"])) != ANY:
                self.roots = roots
                headers.append(f"roots: {roots}")
            what = "below all words"
            if restricted := self.keep_root():
                what = f"below all words, and so {'; '.join(restricted)}"
            self.added.append(f"the artificial root, which the systems of the article do not have: {what}")
        model, names = usual_model(chains, self.stacks)
        if not self.structures:
            self.header("features", names)
            headers.append(f"features: {names}")
        said = bool(self.headers["model"] or self.headers["decoder"])
        if not said and {part.split("=")[0].strip() for part in names.split(",")} <= set(self.structures):
            self.headers["model"] = model
            headers.append(f"model: {model}")
            self.added.append(f"features: the default ones of systems with such data structures, {model}")
        place = self.lines[0][0]  # before the first transition, and the blank lines before that
        while place and not self.kept[place - 1]:
            place -= 1
        self.kept[place:place] = headers if not headers or not self.kept[place] else [*headers, ""]
        rules = []
        if self.stacks and not self.rules["end"]:
            rules.append("end     empty(buffer)")
        if not self.rules["default"]:
            shifts = (
                name for name, cases in self.transitions.items() if cases[0].operations in (("SHIFT",), ("NEXT",))
            )
            rules.append(f"default {next(shifts, next(iter(self.transitions)))}")
        for rule in rules:
            self.rule(*rule.split(None, 1))
        self.kept += ["", *rules]
        if not self.rules["oracle"]:
            self.added.append("the oracle: a search for the derivation of a tree that loses the fewest arcs")
            leaves = self.rules["end"] == (Rule("", (Atom("empty(buffer)"),)),)
            if self.costs == NO_COSTS and (pairs := usual_pairs(chains, leaves_words=leaves)):
                self.kept += ["", self.joined(LOWER_BOUND, ", ".join(pairs))]

    def keep_root(self) -> list[str]:
        """Restrict transitions so that the artificial root stays on the stacks, gets no head and, if so asked, one
        dependent only. Says what was added."""
        told: dict[str, list[str]] = {}
        for place, name, number in self.lines:
            case = self.transitions[name][number]
            for operation, predicate in root_needs(case.operations, one_root=self.roots != ANY):
                said = (case.guards or (case.restriction,))[0 if not case.guards else operation]
                asked = {atom.predicate: atom.negated for atom in said}
                headed = predicate.replace("root", "headed")
                if predicate not in asked and (operation or asked.get(headed, True)):  # who has a head is not the root
                    case = case.restricted(operation, atom := Atom(predicate, negated=True))
                    told.setdefault(str(atom), []).append(name)
            cases = self.transitions[name]
            self.transitions[name] = (*cases[:number], case, *cases[number + 1 :])
            self.kept[place] = self.shown(name, case)
        return [f"`{atom}` in {', '.join(dict.fromkeys(names))}" for atom, names in told.items()]

    def rule(self, kind: str, body: str) -> str:
        self.said[kind] = self.number, self.line
        if kind == "first":
            self.first = body
            return f"first   {body}"
        name, _, text = (piece.strip() for piece in body.partition("|"))
        if kind == "costs":
            return self.joined(name, text)
        if kind == "end":
            name, text = "", body
        known = PREDICATES
        if kind == "oracle":
            known = PREDICATES | {name: bit for name, bit in QUESTIONS.items() if (bit in _OF_GRAPHS) == self.many}
        restriction = self.atoms(text, known) if text else ()
        if name and name not in self.transitions:
            raise self.error(f"{name!r} is no transition of this system; there are {', '.join(self.transitions)}", name)
        self.rules[kind] += (Rule(name, restriction),)
        parts = [name] if name else []
        parts += [", ".join(map(str, restriction))] if restriction else []
        return f"{kind:<7} {' | '.join(parts)}"

    def joined(self, kind: str, text: str) -> str:
        if self.costs != NO_COSTS:
            raise self.error("there is a line `costs` already")
        if kind not in (LOWER_BOUND, EXACT):
            raise self.error(f"{kind!r} are no costs; expected {LOWER_BOUND} or {EXACT}", kind)
        there = {pair: bit for pair, bit in PAIRS.items() if self.joinable(pair)}
        atoms = self.atoms(text, there, "pair of nodes") if text else ()
        if not atoms:
            raise self.error("expected for example: costs exact | root -> word, stack -> buffer")
        if any(atom.negated for atom in atoms):
            raise self.error("say which nodes can be joined, not which cannot", "not ")
        self.bound = kind == LOWER_BOUND
        self.costs = kind
        self.pairs = tuple(dict.fromkeys(atom.predicate for atom in atoms))
        return f"costs   {kind} | {', '.join(self.pairs)}"

    def joinable(self, pair: str) -> bool:
        """Whether there can be such a pair of nodes in a configuration of this system."""
        if "below" in pair or "open" in pair or pair == "stack -> stack":
            return self.stacks == 1
        return "root" in pair or ("buffer" in pair) == bool(self.stacks)

    def check(self) -> None:
        """What a definition must have to be run."""
        for message, missing, where in (
            ("no transitions", not self.transitions, ""),
            (
                "no place for the root, or two: it is on the stack ([root]) or in the buffer (words, root)",
                self.root_last != self.root_in_buffer,
                "buffer",
            ),
            ("the last default is restricted", self._restricted("default"), "default"),
            ("the last oracle rule is restricted", self._restricted("oracle"), "oracle"),
            ("no `oracle`: a search for one finds trees, not graphs", self.many and not self.rules["oracle"], "heads"),
            ("no stacks, and `heads: many` is for stacks", self.many and not self.stacks, "heads"),
            ("`costs`, which are counted for trees, and `heads: many`", self.many and self.pairs, "heads"),
            ("`first` names no transition", self.first and self.first not in self.transitions, "first"),
        ):
            if missing:
                message = f"the definition has {message}" if message.startswith("no") else message
                if where not in self.said:
                    raise DataError(message, self.name)
                self.at(self.said[where])
                raise self.error(message)
        for place, (_, name, number) in zip(self.written, self.lines, strict=True):
            self.at(place)
            operations = self.transitions[name][number].operations
            wrong = [o for o in operations if (o in _OF_LISTS) == bool(self.stacks) and "ARC" not in o]
            if wrong:
                kind = "stacks" if self.stacks else "lists"
                raise self.error(f"transition {name}: {wrong[0]} is not for a system with {kind}", wrong[0])
            if "SWITCH" in operations and self.stacks < 2:
                raise self.error(f"transition {name}: SWITCH needs two stacks or more", "SWITCH")
            back = [o for o in operations if o in ("UNSHIFT", "SWAP")]
            if back and self.stacks > 1:  # it would be on another stack still, and come there twice
                raise self.error(f"transition {name}: {back[0]} is for one stack", back[0])
        self.check_tried()
        if self.headers["model"] in _STRUCTURED_MODELS and not (self.headers["decoder"] or self.headers["order"]):
            self.at(self.said["model"])
            raise self.error(f"the feature model {self.headers['model']} is for systems that are built in", "model")

    def check_tried(self) -> None:
        """The limit of cases that have to be tried."""
        tried = 0
        for place, (_, name, number) in zip(self.written, self.lines, strict=True):
            tried += is_tried(self.transitions[name][number], self.stacks)
            if tried > MOST_TRIED:
                self.at(place)
                raise self.error(
                    f"more than {MOST_TRIED} cases have restrictions after their first operation, or look further than "
                    "two nodes of the stack and one of the buffer"
                )

    def _restricted(self, kind: str) -> bool:
        """Whether there are rules of a kind, and the last is restricted."""
        return bool(self.rules[kind] and self.rules[kind][-1].restriction)


def makes_arc(cases: Sequence[Case]) -> bool:
    """Whether a transition, of which these are the cases, makes an arc."""
    return any("ARC" in operation for case in cases for operation in case.operations)


def is_tried(case: Case, stacks: int) -> bool:
    """Whether bits do not tell if a case can be done to its end: it has later restrictions, or needs further nodes."""
    stack, buffer = demand(case.operations) if stacks else (0, 0)
    return bool(case.guards) or stack > STACK_SEEN or buffer > BUFFER_SEEN


def _is_model(name: str) -> bool:
    file = os.path.join(own_folder("malt.feature_models"), "liblinear", f"{name}.xml")
    return os.path.isfile(file) or name in _STRUCTURED_MODELS
