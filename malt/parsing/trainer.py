"""Training: a treebank in, a model file out."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import numpy

from malt.data.block import Block, TextReader
from malt.data.doubts import doubt, fitting
from malt.data.files import check_input
from malt.data.formats.dataformat import DataFormat
from malt.data.leftovers import temporary_folder
from malt.data.symbols import DEFAULT_ROOT_LABEL, Tables
from malt.data.treebank import open_treebank
from malt.errors import DataError, MaltError, UsageError
from malt.features.defaults import STRUCTURED, FeatureSource
from malt.features.standins import idle_columns
from malt.kernel.instances import FeatureMap, Instances, read_instances
from malt.kernel.java import slot_order
from malt.kernel.solver import Random
from malt.learning.learner import Learner
from malt.mco import additions, info, savedoptions, weights
from malt.mco import tables as symbols
from malt.mco.container import model_name, write_container
from malt.parsing.continuation import open_start
from malt.parsing.instances import Extraction, tell_cut
from malt.parsing.machine import Machine
from malt.parsing.sources import Sources, find_sources
from malt.parsing.specification import Specification, cause_of_cycles, decision_settings, may_have_cycles
from malt.parsing.structured import (
    LEFT_OVER,
    NO_GRAPHS,
    OF_FIRST_ROOT,
    Follow,
    StructuredLearning,
    check_structured,
    idle_options,
    with_learner,
)
from malt.parsing.survey import Survey, usual_root_label
from malt.parsing.tables import make_tables
from malt.parsing.trees import check_heads
from malt.running import progress
from malt.running.log import logger
from malt.settings.settings import Settings
from malt.systems import system_of
from malt.systems.language import ANY, FIRST, LAST, MANY
from malt.systems.theory import derive_theory
from malt.text.annotator import Annotator
from malt.text.entries import TextModel, write_text
from malt.text.learning import TextLearning, check_format
from malt.trees.pseudoprojectivity import DEPREL

Entries = dict[str, bytes]
COVERED, PASSING = "planar.no_covered_roots", "covington.allow_shift"
# who says one of these says how words come to the root
OF_ROOTS = ("tree.root", "nivre.enforce_tree", *OF_FIRST_ROOT)
_GAP = re.compile(rb"\t(?=\t+[^\t\n])")  # in a line of instances, but for its end
CYCLES = "with %s a parse need not be a tree: that all trees of the treebank have one word on the root is not kept"


class Trainer:
    """Learns from a treebank with some settings. Its machine is made when the format of the treebank is known:

    >>> from malt.data.source import open_source
    >>> from malt.sample import text
    >>> trainer = Trainer(Settings())
    >>> with open_source("".join(text(20)), tables=trainer.prepare) as treebank:
    ...     sorted(trainer.train(treebank))
    ['odm0.liblinear.map', 'odm0.liblinear.moo']
    """

    def __init__(
        self,
        settings: Settings,
        machine: Machine | None = None,
        features: FeatureSource | None = None,
        *,
        adapts: bool = False,
        follow: Follow | None = None,
    ) -> None:
        """The features are those that the settings name, unless they are given. With `adapts`, the label and the number
        of roots (-grl, -rt) come from the treebank, unless they are given, and the model has what MaltParser does not
        know. Structured learning is told to whoever wants to `follow` it, in place of the user."""
        settings = with_learner(settings)
        self.settings, self._features, self._machine, self.adapts = settings, features, machine, adapts
        self._follow = follow
        if settings.get("train.text", False) and settings["perceptron.from"]:
            raise UsageError("--text learns from the beginning, and --from learns on; leave one of them out")
        if settings.given("train.jackknife") and not settings["train.text"]:
            raise UsageError("--jackknife is for models that tag (--text)")
        self._start = open_start(settings)
        if self._start is not None:
            self.settings = self._start.settle(settings)
        else:
            check_structured(settings)
        check_input(settings["perceptron.dev"])
        self._sources: Sources | None = None
        self._survey: Survey | None = None
        self._told_roots = False  # that they are not as in the treebank
        self._together: frozenset[tuple[str, str]] = frozenset()  # labels of two arcs of a graph between the same words
        self._text: TextModel | None = None  # what makes words of text (--text)

    @property
    def format(self) -> DataFormat | None:
        """The format that the treebank must have: that of the model that is learned on from (--from)."""
        return self._start.parts.format if self._start is not None else None

    @property
    def machine(self) -> Machine:
        """What walks the treebank."""
        assert self._machine is not None, "the format of the treebank is not known yet"
        return self._machine

    @property
    def sources(self) -> Sources:
        """The files that the settings name."""
        assert self._sources is not None, "the format of the treebank is not known yet"
        return self._sources

    @property
    def specification(self) -> Specification:
        """What is learned."""
        return self.machine.specification

    def prepare(self, format: DataFormat) -> Tables:
        """Make the machine for a format, if there is none: the tables to read the treebank with."""
        if self.settings.get("train.text", False):
            check_format(format)
        if self._machine is None:
            if self._start is not None:
                self._sources = self._start.sources(self.settings)
                specification = self._sources.specify(self.settings, format)
                self._machine = Machine(specification, self._start.tables(specification))
                return self._machine.tables
            if self.adapts and self.settings["guide.learner"] == STRUCTURED:
                self._adapt_structured(format)
            self._sources = find_sources(self.settings, format, self._features)
            specification = self._sources.specify(self.settings, format)
            self._machine = Machine(specification, make_tables(specification))
        return self._machine.tables

    def _adapt_structured(self, format: DataFormat) -> None:
        """A system that derives projective trees alone learns the others lifted (-pp head), unless -pp is given; one
        whose root can stand last has it there (-rp last), unless it is said where it stands or how words come to it.
        A planar one then reduces no word that has no head (-pcov true), unless that is said, and with a single plane it
        learns lifted trees, too. One with lists may pass what is left for a word at once (-cs true) likewise; greedily,
        or with arcs that are given, words that are left over hang on the root (-cr false): no choice is taken back."""
        if self.settings["tree.heads"] != MANY and not any(map(self.settings.given, OF_ROOTS)):
            last = self.settings.derive({"tree.root": LAST})
            if system_of(last).root_last:
                alone = self.settings["perceptron.beam"] == 1 or self.settings["singlemalt.use_partial_tree"]
                over = alone and not system_of(last).stacks
                self.settings = self.settings.derive({LEFT_OVER: False}) if over else last
        definition = system_of(self.settings)
        covering = self.settings.derive({COVERED: True})
        planar = definition.root_last and system_of(covering).text != definition.text
        if planar and not self.settings.given(COVERED):
            self.settings, definition = covering, system_of(covering)
        passing = self.settings.derive({PASSING: True})
        if system_of(passing).text != definition.text and not self.settings.given(PASSING):
            self.settings, definition = passing, system_of(passing)
        projective = definition.graphs.startswith("projective") or derive_theory(definition).projective
        one_plane = definition.root_last and definition.stacks == 1 and self.settings[COVERED]
        if (
            (projective or one_plane)
            and not self.settings.given("pproj.marking_strategy")
            and DEPREL in format.label_columns
        ):
            self.settings = self.settings.derive({"pproj.marking_strategy": "head"})

    def survey(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """The blocks to learn from, which are looked at as they go by; the first says at once what roots are called."""
        rest = iter(blocks)
        first = next(rest, None)
        if first is not None and self.adapts and self.settings.source("graph.root_label") == "default":
            label = usual_root_label(first)
            sayable = label.isprintable() and not {",", "="} & {*label}  # others -grl cannot say
            if sayable and label not in ("", DEFAULT_ROOT_LABEL):
                first = self._begin_again(first, label)
        self._survey = Survey(self.specification)
        return self._survey.watch(chain(() if first is None else (first,), rest))

    def _begin_again(self, first: Block, root_label: str) -> Block:
        """Read the first block again as if the label of roots had been given: it has the first code."""
        self.settings = self.settings.derive({"graph.root_label": root_label})
        specification = self.sources.specify(self.settings, first.format)
        tables = self.machine.tables  # those that the treebank is read with
        tables.clear()
        tables.update(make_tables(specification))
        self._machine = Machine(specification, tables)
        return TextReader(first.format, first.name).read(first.text, tables, first.first_line)

    @property
    def surveyed(self) -> Survey:
        """What is known of the treebank when it was learned from."""
        assert self._survey is not None, "the treebank was not looked at"
        return self._survey

    def _additions(self) -> additions.Additions:
        found, spec, roots = self.surveyed, self.specification, self.settings["tree.roots"]
        if self._start is None and not self.settings.given("tree.roots"):
            roots = found.roots(list(spec.root_labels.values()))
            if spec.definition.many:
                roots = ANY
            if roots != ANY and may_have_cycles(spec.definition):
                roots = ANY
                if not self._told_roots:
                    logger.warning(f"warning: {CYCLES}", cause_of_cycles(spec.definition))
                self._told_roots = True
        root = LAST if spec.definition.root_last else FIRST
        known = found.file, found.sentences, found.words, found.strange()
        graphs = self.settings["tree.heads"], self.settings["tree.acyclic"], tuple(sorted(self._together))
        return additions.Additions(roots, root, *known, self.backwards, self.settings["own.system"], *graphs)

    @property
    def backwards(self) -> bool:
        """Whether sentences are read from their last word to their first (--reverse)."""
        return self._start.backwards if self._start is not None else bool(self.settings.get("train.reverse", False))

    def tell_notes(self) -> None:
        """Warn of what a user should know of the features."""
        for note in (self.sources.features.note, self.specification.mended_note):
            if note:
                logger.warning("warning: %s", note)
        for note in idle_options(self.settings) if self.specification.structured else ():
            logger.warning("warning: %s", note)

    def train(self, blocks: Iterable[Block]) -> Entries:
        """Learn from blocks: the classifiers, as entries of a model file."""
        if self.settings.get("train.text", False):
            learning = TextLearning(list(blocks), self.settings["perceptron.seed"])
            self._text, blocks = learning.learn(self.settings["train.jackknife"])
        if self.backwards:
            self._check_backwards()
            blocks = (block.mirrored() for block in blocks)
        if self.specification.structured:
            return self._learn_structured(list(blocks))
        keeps_text = bool(self.settings["lib.save_instance_files"])
        extraction = Extraction(self.machine, as_text=keeps_text)
        lines: dict[str, list[bytes]] = {}
        sentences = 0
        for block in blocks:
            sentences += len(block)
            extraction.add(block)
            if keeps_text:
                for name, sink in extraction.sinks.items():
                    lines.setdefault(name, []).append(sink.take_text())
        tell_cut(extraction.cut)
        if self.specification.definition.many and not extraction.arcs:
            raise MaltError(NO_GRAPHS)
        if sentences and not extraction.choices:
            name = self.specification.definition.name
            raise MaltError(f"there is nothing to learn from: the rules `must` of {name} never leave a choice")
        self._together = frozenset(extraction.together)
        return _Training(self.settings, extraction, {name: b"".join(parts) for name, parts in lines.items()}).entries

    def _check_backwards(self) -> None:
        """Columns with numbers of words cannot be turned round."""
        numbered = [f for f in self.specification.features.creation_order()[1] if f.function.startswith("InputArc")]
        numbered = [f for f in numbered if str(f.arguments[0]) in self.specification.format.coded]
        if self.specification.partial or numbered:
            what = f"{numbered[0]} looks at" if numbered else "-up takes"
            raise UsageError(f"{what} numbers of words, which --reverse does not turn round; leave one of them out")

    def _learn_structured(self, blocks: list[Block]) -> Entries:
        """Learn derivations. What the whole treebank says is taken into account first: columns that say nothing, and
        how many words of a tree hang on the root."""
        format = self.specification.format
        if self._start is None and not self.settings["guide.features"]:
            empty, found = idle_columns(blocks, format), self.sources.features
            features = found.without(empty)
            if any(map(len, blocks)) and not any(features.submodels.values()):
                name = self.specification.definition.name
                raise MaltError(
                    f"there is nothing to learn from: the default features of {name} look at words and tags, and the "
                    "treebank has none; -F names other features"
                )
            for column, other in found.standing_in(empty).items():
                logger.info("%s has no values, so the default features look at %s in its place", column, other)
            self._sources = replace(self.sources, features=features)
        if self.adapts and self._survey is not None:
            self.settings = self.settings.derive({"tree.roots": self._additions().roots})
        specification = self.sources.specify(self.settings, format)
        self._machine = Machine(specification, self.machine.tables)
        dev: list[Block] = []
        if path := self.settings["perceptron.dev"]:
            charset = self.settings["input.charset"]
            with open_treebank(path, format, charset, self.machine.tables, frozen=True) as treebank:
                doubt(treebank, f"the treebank is {format.name}", fitting(format))
                dev = [block for block in treebank if len(block)]
            if self._text is not None:
                annotator = Annotator(self._text, retag=True)
                dev = [annotator.annotate(block) for block in dev]
            if self.backwards:
                dev = [block.mirrored() for block in dev]
            for block in dev:
                check_heads(block, "the best pass is chosen by whole trees (--dev)")
            if not dev:
                raise DataError("there are no sentences to choose the best pass by (--dev)", path)
        start = self._start.model if self._start is not None else None
        if self._start is not None and self._start.parts.added is not None:
            before = frozenset(self._start.parts.added.together)
            self._machine = Machine(replace(self.specification, together=before), self.machine.tables)
        learning = StructuredLearning(self.settings, self.machine, blocks, dev, start)
        self._together = learning.together
        return {weights.ENTRY: weights.write_weights(learning.learn(self._follow))}

    def save(self, entries: Entries, path: str) -> None:
        """Write a model file."""
        write_container(path, self.contents(entries, model_name(path)))

    def contents(self, entries: Entries, name: str) -> Entries:
        """All entries of a model file: the classifiers, and what they were trained with."""
        spec, features, format = self.specification, self.sources.features, self.specification.format
        settings = self.settings.derive({"guide.decision_settings": decision_settings(self.settings)})
        learner = f"\n{settings['guide.learner']} INTERFACE\n{settings['lib.options']}"
        dependencies = f"\nDEPENDENCIES\n--guide-features (  -F)                 {features.file_name}\n"
        rest = f"{dependencies}\nFEATURE MODEL\n{spec.features.listing}{learner}"
        about = info.write_info(name, "singlemalt", settings, rest, dated=not spec.structured)
        added = self._additions() if self.adapts else None
        if added is None and settings["own.system"]:  # it cannot do without
            added = additions.Additions(settings["tree.roots"], settings["tree.root"], system=settings["own.system"])
        # In MaltParser's order: the .info has the names that were given, and the saved options those of the entries.
        files = {format.file_name: format.xml, features.file_name: features.data}
        named = {"input.format": format.file_name, "guide.features": features.file_name}
        if self.sources.propagation:
            file, data = self.sources.propagation
            named["singlemalt.propagation"], files[file] = file, data
        return {
            f"{name}_singlemalt.info": about,
            savedoptions.ENTRY: savedoptions.write_saved(settings.derive(named).save()),
            symbols.ENTRY: symbols.write_tables(self.machine.tables, settings["input.charset"]),
            **files,
            **entries,
            **(write_text(self._text) if self._text is not None else {}),
            **({additions.ENTRY: additions.write_additions(added)} if added is not None else {}),
        }


class _Training:
    """Trains the classifiers of an extraction in MaltParser's order: they share one generator of random numbers."""

    def __init__(self, settings: Settings, extraction: Extraction, texts: dict[str, bytes]) -> None:
        self.extraction, self.texts, self.features = extraction, texts, extraction.machine.specification.features
        self.learner = Learner(
            settings["guide.learner"], settings["lib.options"], settings["lib.external"], settings["lib.verbosity"]
        )
        self.random = Random()
        self.suffix = settings["guide.learner"]
        self.threshold = settings["guide.data_split_threshold"]
        self.keeps_text = bool(settings["lib.save_instance_files"])
        self.entries: Entries = {}
        for name in self._order():
            if self.features.divide is not None:
                self._divided(name)
            elif name in self.texts:
                self._from_text(name, self.texts[name])
            else:
                sink = extraction.sinks[name]
                self._learn(name, sink.instances, sink.map)

    def _order(self) -> list[str]:
        """First a decision, then those that follow it: branches in the order of MaltParser's hash table."""
        paths = self.extraction.paths
        order: list[str] = []

        def visit(decision: int, path: tuple[int, ...]) -> None:
            order.extend(name for name, place in paths.items() if place == (decision, path))
            below = [p for d, p in paths.values() if d == decision + 1 and p[: len(path)] == path]
            if below and len(below[0]) > len(path):
                codes = numpy.array([p[-1] for p in below], numpy.int32)
                below = [below[i] for i in slot_order(codes)[0]]
            for deeper in below:
                visit(decision + 1, deeper)

        visit(0, ())
        return order

    def _divided(self, name: str) -> None:
        """A classifier for each frequent value of the column that data is split by, and one for all others."""
        divisions = self.extraction.divisions.get(name, {})
        rest, table = [], []
        # These are positions in the main vector; that of a sub-model may be shorter, and has then lost nothing there.
        length = len(self.extraction.vectors[name]) if divisions else 0
        places = tuple(place for place in self.features.divide_positions if place < length)
        for code in sorted(divisions):
            sink = divisions[code]
            text = sink.take_text()
            if sink.count <= self.threshold:
                rest.append(_with_code(text, code, places))
            else:
                table.append(f"{code}\t{sink.count}\n")
                self._from_text(f"{name}.{code:03d}", text)
        master = b"".join(rest)
        count = master.count(b"\n")
        if count:
            self._from_text(name, master)
        self.entries[f"{name}.dsm"] = "".join([f"-1\t{count}\n", *table]).encode()

    def _from_text(self, name: str, text: bytes) -> None:
        instances, features = Instances(), FeatureMap()
        if b"\n-1\t" in b"\n" + text:
            raise self._no_label()
        # Where Split finds nothing, MaltParser leaves a gap, which its reader takes at the end of a line alone.
        text = _GAP.sub(rb"\t-1", text)
        read_instances(text, instances, features, f"{name}.{self.suffix}.ins")
        if self.keeps_text:
            self.entries[f"{name}.{self.suffix}.ins"] = text
        self._learn(name, instances, features)

    def _no_label(self) -> UsageError:
        first = self.extraction.machine.specification.decisions[0].table
        return UsageError(
            f"-gds: after {first} a label cannot be decided, as it need not be an arc; let T.TRANS be first"
        )

    def _learn(self, name: str, instances: Instances, features: FeatureMap) -> None:
        if len(instances) == 0:
            raise MaltError("there is nothing to learn from: the treebank has no sentences")
        if int(instances.classes().min()) < 0:
            raise self._no_label()
        what = "learn" if len(self._order()) == 1 and self.features.divide is None else f"learn {name}"
        with temporary_folder() as folder, progress.bar(what, 100, "%") as show:

            def tell(share: float, note: str) -> None:
                show(100 * share, note)

            stem = folder / f"{name}.{self.suffix}"
            classifier = self.learner.train(instances, features, self.random, tell, stem)
            if self.keeps_text:  # what an external trainer read and wrote
                self.entries |= {path.name: path.read_bytes() for path in folder.iterdir()}
        for suffix, write in (("moo", classifier.write_model), ("map", classifier.write_map)):
            out = io.BytesIO()
            write(out)
            self.entries[f"{name}.{self.suffix}.{suffix}"] = out.getvalue()


def _with_code(text: bytes, code: int, places: tuple[int, ...]) -> bytes:
    """Instances with the value that they were divided by put back where it belongs in the vector."""
    if not places:
        return text
    lines = []
    for line in text.split(b"\n")[:-1]:
        fields = line.split(b"\t")
        for place in places:
            fields.insert(1 + place, str(code).encode())
        lines.append(b"\t".join(fields) + b"\n")
    return b"".join(lines)
