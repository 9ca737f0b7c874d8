"""What a beam did with a sentence, for `malt trace`: who was in it, who fell out, and what became of the gold
derivation."""

from __future__ import annotations

from collections.abc import Sequence

from malt.data.block import Block
from malt.drawing.reports.steps import BeamRow, BeamView
from malt.kernel.structured import DEFAULT, STAY, PathPolicy
from malt.kernel.weights import UNIT
from malt.model import Model
from malt.parsing.machine import Machine
from malt.parsing.parser import Action, Parser
from malt.parsing.structured import StructuredModel, class_parts, make_classes

Candidate = tuple[int, int, float, int, bool]  # as `malt.kernel.structured.Search` has it
Choices = list[list[Candidate]]
FELL, ENDED = 0, 2  # the standing of a candidate; 1: it stayed


class BeamTrace:
    """Tells of the searches of a model."""

    def __init__(self, model: Model, structured: StructuredModel) -> None:
        spec, codes = model.specification, structured.found.codes.tolist()
        machine, [decision] = Machine(spec, model.tables), spec.decisions
        classes = make_classes(machine, codes, structured.file)
        places = classes.places.tolist()
        self._names = {
            place: decision.symbol(code, spec.transitions, model.tables)
            for place, code in zip(places, codes, strict=True)
        }
        parts = class_parts(machine, codes, structured.file)
        self._classes = {tuple(part): place for place, part in zip(places, parts, strict=True)}
        self._path = PathPolicy(structured.scorer(machine, classes), classes)
        self._parser = Parser(machine, self._path)

    def views(self, choices: Choices, gold: Sequence[Action]) -> list[BeamView]:
        """The beam after each choice."""
        taken, numbers = _taken(choices), self._numbers(gold)
        right = [(0, 0), *_followed(choices, numbers)]
        found, before = [], 1
        for time, candidates in enumerate(choices):
            own = right[time] if time < len(right) else None  # the gold derivation before this choice
            rows = []
            for place, (past, action, total, standing, relabelled) in enumerate(candidates):
                marks = {
                    "taken": place == taken[time],
                    "gold": gold and own is not None and _goes_on(own, numbers, past, action),
                    "at its end": standing == ENDED,
                    "another label": relabelled,
                }
                remark = ", ".join(mark for mark, holds in marks.items() if holds)
                name = self._name(action, standing)
                rows.append(BeamRow(0 if standing == FELL else place + 1, total, name, past + 1, remark))
            left = {row.past for row in rows if row.place}
            gone = [place for place in range(1, before + 1) if place not in left]
            _, action, _, standing, _ = candidates[taken[time]]
            found.append(BeamView(time + 1, rows, gone, action == STAY and standing != ENDED))
            before = sum(row.place > 0 for row in rows)
        return found

    def told(self, choices: Choices, gold: Sequence[Action], alone: Block) -> str:
        """What became of the gold derivation, in a line."""
        numbers = self._numbers(gold)
        right = [(0, 0), *_followed(choices, numbers)]
        place, made = right[-1]
        if len(right) > len(choices):
            if not choices or place == 0:
                return "the gold derivation is the best of the beam"
            best, own = (choices[-1][at][2] for at in (0, place))
            standing = f"number {place + 1}, with {own:.2f} where the best has {best:.2f}"
            return f"the gold derivation stays in the beam: at the end it is {standing}"
        time = len(right) - 1
        where = f"the gold derivation falls out of the beam at choice {time + 1}"
        if made >= len(numbers):
            return f"{where}, after its end: {self._of_stay(choices[time])}"
        for past, action, total, _, _ in choices[time]:
            if past == place and action == STAY:
                return f"{where}: waiting for others, it has {total:.2f}, and {self._of_stay(choices[time])}"
        number = numbers[made]
        if number is None:
            return f"{where}: the model has no class for what it has there"
        path = [one for one in numbers[:made] if one is not None]
        if number not in self._following(path, alone):
            return f"{where}: {self._names[number]} is not permissible there"
        total = self._total([*path, number], alone)
        told = f"{where}: {self._names[number]} has {total:.2f}, and {self._of_stay(choices[time])}"
        return told + (", with the best labels" if total > _last(choices[time]) else "")

    def _of_stay(self, candidates: Sequence[Candidate]) -> str:
        return f"the last that stays {_last(candidates):.2f}"

    def _total(self, path: Sequence[int], alone: Block) -> float:
        self._path.follow(path)
        self._parser.parse(alone)
        return self._path.score / UNIT

    def _following(self, path: Sequence[int], alone: Block) -> list[int]:
        self._total(path, alone)
        return self._path.following

    def _numbers(self, gold: Sequence[Action]) -> list[int | None]:
        """The classes of the choices of the gold derivation."""
        return [self._classes.get((transition, *codes)) for transition, choice, codes in gold if choice]

    def _name(self, action: int, standing: int) -> str:
        stays = {FELL: "(stays)", ENDED: "(has ended)"}.get(standing, "(waits for the others)")
        return {STAY: stays, DEFAULT: "(nothing is permissible)"}.get(action) or self._names[action]


def _goes_on(own: tuple[int, int], numbers: Sequence[int | None], past: int, action: int) -> bool:
    """Whether a candidate is the gold derivation, which had this place and had made so many choices."""
    place, made = own
    return past == place and (action == STAY or (made < len(numbers) and action == numbers[made]))


def _followed(choices: Choices, numbers: Sequence[int | None]) -> list[tuple[int, int]]:
    """The gold derivation after each choice of the beam, until it falls out: its place and the choices it made."""
    found, own = [], (0, 0)
    for candidates in choices:
        kept = [
            (place, own[1] + (action != STAY))
            for place, (past, action, _, standing, _) in enumerate(candidates)
            if standing != FELL and _goes_on(own, numbers, past, action)
        ]
        if not kept:
            break
        own = kept[0]
        found.append(own)
    return found


def _last(candidates: Sequence[Candidate]) -> float:
    """The lowest total that stays in the beam."""
    return min(total for _, _, total, standing, _ in candidates if standing != FELL)


def _taken(choices: Choices) -> list[int]:
    """The place of the derivation that is best at the end, after each choice."""
    places, place = [], 0
    for candidates in reversed(choices):
        places.append(place)
        place = candidates[place][0]
    return places[::-1]
