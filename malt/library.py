"""The library: train a model, load one, and read sentences, in a line each.

>>> import malt
>>> model = malt.train(malt.sample.text(50), algorithm="2planar", cost=0.2)
>>> [sentence] = model.parse("1\\tdomé\\tdomir\\tVERB\\tVf\\t_\\n")
>>> sentence.heads, sentence.labels
([0], ['ROOT'])
"""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword

from malt.blending.voting import Vote, check_decoder
from malt.blending.weights import BlendWeights, check_count, equal_weights, read_weights
from malt.data.files import read_small
from malt.data.source import Source, open_source, read
from malt.errors import UsageError, quoted
from malt.learning.parameters import letters
from malt.mco.container import model_address, open_model, pack
from malt.model import Blend, Model, blend_models, model_of
from malt.parsing.specification import check_settings
from malt.parsing.structured import Follow
from malt.parsing.trainer import Trainer
from malt.running.log import logger
from malt.settings.catalogue import catalogue
from malt.settings.commandline import options_of
from malt.settings.option import Option, Value, ambiguous_error, unknown_error
from malt.settings.settings import Settings
from malt.systems.own import with_system

__all__ = ["blend", "load", "read", "train"]

SHORT = {
    "algorithm": "singlemalt.parsing_algorithm",
    "format": "input.format",
    "charset": "input.charset",
    "outcharset": "output.charset",
}
ELSEWHERE = {
    "config.name": "a model gets its name from model.save(NAME)",
    "config.workingdir": "give paths as they are",
    "input.infile": "the treebank is the first argument",
    "train.derived": "malt train --derived writes them",
    "singlemalt.diagnostics": "malt train -di writes them",
    "singlemalt.diafile": "malt train -dif writes it",
    "config.logfile": "see logging.getLogger('malt')",
    "config.logging": "see logging.getLogger('malt')",
    "train.sample": "the treebank may be malt.sample.text(1000)",
    "system.verbosity": "see logging.getLogger('malt')",
    "system.help": "see help(malt.train)",
    "common.version": "see malt.__version__",
    "common.quiet": "see logging.getLogger('malt')",
    "common.debug": "an error has its traceback here",
}


def train(
    treebank: Source,
    *,
    algorithm: str | None = None,
    features: str | os.PathLike[str] | None = None,
    cost: float | None = None,
    format: str | None = None,
    charset: str | None = None,
    options: Mapping[str, object] | None = None,
    **more: object,
) -> Model:
    r"""Learn from a treebank: the path of a file, text, or sentences.

    `algorithm` is a parsing algorithm (nivreeager without it) or the file of a system of your own, `features` a feature
    model: its file, or the name of an algorithm whose default is meant. `cost` is the learner's: larger fits the
    treebank more closely. Every other option of `malt train` has its name there, or its flag: `marking_strategy="head"`
    and `pp="head"` are the same; those that are no names in Python go into `options`.

    >>> import malt
    >>> model = malt.train(malt.sample.text(50), algorithm="2planar", options={"2pr": False}, prh="relaxed")
    >>> model.options["multiplanar.planar_root_handling"]
    'relaxed'
    >>> malt.train(malt.sample.text(50), algoritm="2planar")
    Traceback (most recent call last):
    malt.errors.UsageError: unknown option 'algoritm'; did you mean algorithm?
    """
    given = {"algorithm": algorithm, "features": features, "format": format, "charset": charset}
    if options is not None and not isinstance(options, Mapping):
        raise UsageError("options: expected a dict; the options of LIBLINEAR and LIBSVM are lib_options")
    settings = settings_of([*given.items(), *(options or {}).items(), *more.items()])
    if cost is not None and "c" in letters(settings["lib.options"]):
        raise UsageError(f"the cost is given twice: cost={_text(cost, 'cost')} and {quoted(settings['lib.options'])}")
    if cost is not None:
        settings = settings.derive({"lib.options": f"{settings['lib.options']}_-c_{_text(cost, 'cost')}".lstrip("_")})
    check_settings(settings)
    return train_with(settings, treebank)


def train_with(settings: Settings, treebank: Source, follow: Follow | None = None) -> Model:
    """Learn from a treebank with settings. Whoever wants to follow structured learning is told in place of the user."""
    form = settings["input.format"] if settings.given("input.format") else ""
    trainer = Trainer(settings, adapts=True, follow=follow)
    with open_source(treebank, trainer.format or form, trainer.settings["input.charset"], trainer.prepare) as source:
        trainer.tell_notes()
        # By way of its file, so that a model is the same whether it was trained here or loaded.
        file, name = io.BytesIO(), "model"
        pack(file, name, trainer.contents(trainer.train(trainer.survey(source)), name))
    return model_of(file.getvalue())


def blend(
    models: Sequence[Model], weights: str | os.PathLike[str] | BlendWeights | None = None, decoder: str = "mst"
) -> Blend:
    """Models that vote, as one: each arc counts what those weigh who have it, and the decoder finds the best tree.

    `weights` are those that `malt blend --gold` has written, in the order of the models; without them, one vote each.

    >>> import malt
    >>> algorithms = ("nivreeager", "covnonproj", "stackproj")
    >>> models = [malt.train(malt.sample.text(50), algorithm=name) for name in algorithms]
    >>> malt.blend(models).parse_tokens([("la", "Da"), ("kasta", "Nc"), ("domé", "Vf")]).heads
    [2, 3, 0]
    """
    if len(models) < 2:
        raise UsageError("a blend has two models or more")
    if weights is None:
        weights = equal_weights([f"model {number}" for number in range(1, len(models) + 1)])
    elif not isinstance(weights, BlendWeights):
        path = os.fspath(weights)
        weights = read_weights(read_small(path, "file of weights"), path)
    check_count(weights, len(models), "the file")
    return blend_models(models, Vote(weights, check_decoder(decoder)))


def load(path: str | os.PathLike[str], *, beam: int | None = None, decoder: str | None = None) -> Model:
    """Open a model that `model.save`, `malt train` or MaltParser wrote: the file, with or without .mco at its end.

    `beam` is how many derivations a model of -l perceptron follows at a time, if not as many as in its training;
    `decoder` is for models of arcs and for blends, if other trees are to be found than those of their training.

    >>> load("no/such/model")
    Traceback (most recent call last):
    malt.errors.MaltError: no/such/model.mco: no such model
    """
    place = model_address(os.fspath(path))
    with open_model(place) as stream:
        model = model_of(stream.read(), place, settings_of([("beam", beam)]))
    return model if decoder is None else model.decoded_by(decoder)


def settings_of(options: Iterable[tuple[str, object]]) -> Settings:
    """The settings of a training from options by name or flag; those that are None are not given.

    >>> settings_of([("a", "planar"), ("pp", "head"), ("kbest", None)])["singlemalt.parsing_algorithm"]
    'planar'
    >>> settings_of([("a", "planar"), ("algorithm", "2planar")])
    Traceback (most recent call last):
    malt.errors.UsageError: singlemalt.parsing_algorithm is given twice: a and algorithm
    """
    command = catalogue().programs["malt"].commands["train"]
    known = _known()
    values: dict[str, Value] = {}
    words: dict[str, str] = {}
    for word, value in options:
        option = _option(word, known)
        if value is None or (option.type == "unary" and not value):
            continue
        if option.key in words:
            raise UsageError(f"{option.key} is given twice: {words[option.key]} and {word}")
        words[option.key] = word
        values[option.key] = option.read(_text(value, word), word)
    from_file: dict[str, Value] = {}
    if "system.option_file" in values:
        from malt.settings import optionfile

        from_file, warnings = optionfile.read(str(values["system.option_file"]), catalogue(), values)
        for warning in warnings:
            logger.warning("warning: %s", warning)
    return with_system(Settings(command, command_line=values, option_file=from_file).derive({"config.flowchart": ""}))


def parameters() -> dict[str, str]:
    """The options of a training: the one name that an estimator has for each, with its group where two have the same
    name, and what it is in the catalogue.

    >>> found = parameters()
    >>> found["algorithm"], found["lib_options"], found["nivre_allow_root"], "allow_root" in found
    ('singlemalt.parsing_algorithm', 'lib.options', 'nivre.allow_root', False)
    """
    usable = _usable(_known())
    count = Counter([option.name for option in usable] + ["options", *SHORT])
    names = {option.key: option.name for option in usable if count[option.name] == 1}
    names |= {key: name for name, key in SHORT.items()}
    own = {option.key: names.get(option.key, option.key.replace(".", "_")) for option in usable}
    return {f"{name}_" if iskeyword(name) else name: key for key, name in own.items()}


def find_option(word: str) -> Option:
    """The option of a training that is meant, by its name, with its group or without, or by its flag, with its dash or
    without.

    >>> find_option("pp").key, find_option("marking-strategy").key
    ('pproj.marking_strategy', 'pproj.marking_strategy')
    """
    return _option(word, _known())


def _known() -> tuple[Option, ...]:
    return options_of(catalogue().programs["malt"].commands["train"], catalogue())


def _usable(known: Iterable[Option]) -> list[Option]:
    return [option for option in known if option.key not in ELSEWHERE]


def _option(word: str, known: Iterable[Option]) -> Option:
    usable = _usable(known)
    name = word.lstrip("-").lower().replace("-", "_").replace(".", "_")
    if iskeyword(name[:-1]) and name.endswith("_"):  # from_, as Python has another use for from
        name = name[:-1]
    key = SHORT.get(name, "")
    found = [option for option in usable if option.key == key]
    found = found or [option for option in usable if name in (option.name, option.key.replace(".", "_", 1))]
    found = found or [option for option in usable if f"-{word.lstrip('-')}" in (option.flag, *option.old)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ambiguous_error(word, found)
    for option in known:
        if name in (option.name, option.key.replace(".", "_", 1)) or f"-{word.lstrip('-')}" == option.flag:
            raise UsageError(f"{word} is no option here: {ELSEWHERE[option.key]}")
    also = [Option("", short, "", "") for short in SHORT] + [Option("", option.flag[1:], "", "") for option in usable]
    raise unknown_error(word.lstrip("-"), [*also, *usable], "malt train --help")


def _text(value: object, option: str) -> str:
    """The value of an option as on the command line."""
    if hasattr(value, "item"):
        value = value.item()  # a number of numpy's, as a grid of parameters may have
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, (str, int, float)):
        raise UsageError(f"{option}: expected a text or a number, not {quoted(str(value))}")
    try:
        return str(value)
    except ValueError:  # a number of thousands of digits
        raise UsageError(f"{option}: expected a text or a number, not one of thousands of digits") from None
