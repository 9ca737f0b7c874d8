"""blend.yaml: in a model file that holds several models, what they are called, how they vote, and who decodes.

The models are entries of their own, 1.mco, 2.mco and so on, in the order of their weights.
"""

from __future__ import annotations

import json

from malt.blending.voting import Vote, check_decoder
from malt.blending.weights import read_weights, write_weights
from malt.errors import DataError

ENTRY = "blend.yaml"
LIMIT = 1 << 20
MOST = 64  # models
_DECODER = b"# decoder: "


def member(number: int) -> str:
    """The entry of a model, counted from 1."""
    return f"{number}.mco"


def write_blend(vote: Vote) -> bytes:
    """The entry's content: the weights, after a line with the decoder and the number of roots."""
    return _DECODER + json.dumps([vote.decoder, vote.roots]).encode() + b"\n" + write_weights(vote.weights)


def read_blend(data: bytes, file: str) -> Vote:
    """Read it. Nothing in it is believed without a look."""
    place = f"{file}: {ENTRY}"
    first, _, rest = data.partition(b"\n")
    try:
        decoder, roots = json.loads(first.removeprefix(_DECODER))
    except (ValueError, TypeError, RecursionError):
        raise DataError("it is damaged: expected a decoder in its first line", place) from None
    if not first.startswith(_DECODER) or roots not in ("", "any", "one", "labelled") or not isinstance(decoder, str):
        raise DataError("it is damaged: expected a decoder in its first line", place)
    weights = read_weights(rest, place)
    if not 1 < len(weights.voters) <= MOST:
        raise DataError(f"it is damaged: expected weights of 2 to {MOST} models", place)
    return Vote(weights, check_decoder(decoder), roots)
