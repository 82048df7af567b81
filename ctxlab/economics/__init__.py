"""What bytes are worth."""

from ctxlab.economics.carry import READ_MULTIPLIER, WRITE_MULTIPLIER, carried
from ctxlab.economics.tokens import ASSUMED_BYTES_PER_TOKEN, TokenRate, calibrate, token_rate

__all__ = [
    "ASSUMED_BYTES_PER_TOKEN",
    "READ_MULTIPLIER",
    "WRITE_MULTIPLIER",
    "TokenRate",
    "calibrate",
    "carried",
    "token_rate",
]
