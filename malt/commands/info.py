"""`malt info`: what a model is: its options, features, classifiers and sizes. MaltParser's -m info prints .info."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from malt.commands.table import print_lines
from malt.data.files import check_standard_output
from malt.errors import counted
from malt.features.defaults import default_features
from malt.learning.classifier import LinearClassifier
from malt.mco import info
from malt.mco.container import model_file, open_container
from malt.model import Blend, Model, read_model
from malt.settings.catalogue import catalogue
from malt.settings.settings import Settings
from malt.systems.language import LAST, MANY
from malt.text.entries import TextModel


def run(options: Settings) -> int:
    """Show one model."""
    check_standard_output()
    path = model_file(options)
    if options["config.flowchart"] == "info":
        with open_container(path) as container:
            text = container.read(container.find(".info"), info.LIMIT).decode("utf-8", "replace")
        sys.stdout.write(text)
        return 0
    model = read_model(path, options)
    print_lines(describe_blend(model) if isinstance(model, Blend) else describe_model(model))
    return 0


def describe_blend(blend: Blend) -> Iterator[str]:
    """The lines that tell of models that vote."""
    yield f"blend       {blend.path}: {counted(len(blend.members), 'model')}, {sum(blend.sizes.values()):,} bytes"
    roots = blend.vote.roots or "one where every model has one, otherwise any"
    yield f"votes       decoder {blend.vote.decoder}; roots: {roots}"
    yield f"weights     {blend.vote.weights.column or 'by model'}"
    for number, (model, voter) in enumerate(zip(blend.members, blend.vote.weights.voters, strict=True), 1):
        tags = ", ".join(f"{tag} {weight:g}" for tag, weight in voter.tags.items())
        yield ""
        yield f"{number}           {voter.name}: weight {voter.weight:g}{f' ({tags})' if tags else ''}"
        yield from (f"  {line}" if line else "" for line in _summary(model))


def _summary(model: Model) -> Iterator[str]:
    """The first lines of what is told of a model: up to its options."""
    for line in describe_model(model):
        if not line:
            return
        yield line


def _text_parts(text: TextModel) -> Iterator[str]:
    """What a model knows of text."""
    yield "tokenizer"
    if text.tagger is not None:
        yield f"tagger of {' '.join(text.tagger.columns)} with {counted(len(text.tagger.tags), 'tag')}"
    if text.lemmatizer is not None:
        yield f"lemmatizer with {counted(len(text.lemmatizer.scripts), 'script')}"


def describe_model(model: Model) -> Iterator[str]:
    """The lines that tell of a model."""
    spec, settings = model.specification, model.settings
    sizes = [f"{sum(model.sizes.values()):,} bytes unpacked"]
    if os.path.isfile(model.path):
        sizes.insert(0, f"{os.path.getsize(model.path):,} bytes")
    maker = f"{model.about.maker}, as " if model.about.maker else ""
    yield f"model       {model.path}: {', '.join(sizes)}"
    yield f"made by     {maker}MaltParser {model.about.version}"
    if model.added is not None:
        size = f"{counted(model.added.sentences, 'sentence')}, {counted(model.added.words, 'word')}"
        yield f"trained on  {model.added.file or 'text'}: {size}"
    if model.backwards:
        yield "reads       from right to left (--reverse)"
    title = spec.definition.title.partition("; Gómez")[0]
    yield f"algorithm   {spec.definition.name}" + (f": {title}" if title else "")
    yield f"learner     {settings['guide.learner']} {settings['lib.options']}".rstrip()
    yield f"format      {spec.format.name}: {', '.join(spec.format.names)}"
    if spec.definition.many:
        yield f"heads       many: {catalogue().options['tree.heads'].values[MANY]}"
    elif model.added is not None:
        values = catalogue().options["tree.roots"].values
        yield f"roots       {model.added.roots}: {values[model.added.roots]}"
    if spec.definition.root_last:
        yield f"root        last: {catalogue().options['tree.root'].values[LAST]}"
    if model.text is not None:
        yield f"text        {', '.join(_text_parts(model.text))}"
    yield ""
    yield "options other than the default"
    usual = {"input.format"}  # told above
    learner = settings["guide.learner"]
    default = default_features(spec.definition, learner, spec.format) if spec.definition.model else None
    if default is not None and default.model().vectors == spec.features.vectors:
        usual.add("guide.features")
    changed = [
        (option.flag, option.key, option.write(settings[option.key]))
        for option in catalogue().maltparser
        if settings.source(option.key) == "saved" and settings[option.key] != option.default and option.key not in usual
    ]
    if not changed:
        yield "  none"
    for flag, key, value in changed:
        yield f"  {flag:<6}{key:<34}{value}"
    yield ""
    if model.structured is not None:
        found = model.structured.found
        arcs = f"arcs, {spec.definition.order or f'decoder {model.decoder}'}"
        how = arcs if model.structured.arcs else f"beam {found.beam}"
        yield f"structured  {how}, {found.passes:,} pass{'es' * (found.passes != 1)}"
        yield f"  {len(found.codes):,} classes, {len(found.keys):,} features, {len(found.weights):,} weights"
        scored = "whole derivations are scored, as many at a time as the beam is wide"
        if spec.definition.order:
            scored = "arcs between neighbours are scored, and the best is made first, wherever it is"
        yield f"  {scored}; MaltParser has no such models"
    else:
        yield "classifiers         classes    features     weights"
    for name, codes in model.classifiers.items():
        for code, classifier in sorted(codes.items(), key=lambda item: -1 if item[0] is None else item[0]):
            shown = name if code is None else f"{name}.{code:03d}"
            weights = classifier.weights if isinstance(classifier, LinearClassifier) else classifier.coefficients
            yield f"  {shown:<14}{len(classifier.codes):>11,}{len(classifier.map):>12,}{int(weights.count.sum()):>12,}"
    for vector, features in spec.features.vectors.items():
        yield ""
        yield counted(len(features), "feature") + (f" of {vector}" if len(spec.features.vectors) > 1 else "")
        yield from (f"  {place:>3}  {feature}" for place, feature in enumerate(features, 1))
    yield ""
    yield "symbols"
    yield from (f"  {name:<40}{count:>10,}" for name, count in model.symbols.items() if count)
