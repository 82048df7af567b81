"""Which words may stand in a content-free set: what a reader of one checks for itself."""

from __future__ import annotations

import re

from ctxlab.log import TOOL_KINDS
from ctxlab.transcripts._contentfree_words import _TOOLS, KINDS, _is_model

_NUMBERED = re.compile(r"([a-z]+)_[1-9]\d{0,8}")


def is_allowed(word: str) -> bool:
    numbered = _NUMBERED.fullmatch(word)
    return (
        word in _TOOLS
        or word in KINDS
        or _is_model(word)
        or bool(numbered and numbered[1] in {*TOOL_KINDS, "model"})
    )
