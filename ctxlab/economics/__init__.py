"""What bytes are worth."""

from ctxlab.economics.tokens import ASSUMED_BYTES_PER_TOKEN, TokenRate, calibrate, token_rate

__all__ = ["ASSUMED_BYTES_PER_TOKEN", "TokenRate", "calibrate", "token_rate"]
