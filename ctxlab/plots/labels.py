"""Text from transcripts made safe to show: nothing hidden, nothing that acts."""

from __future__ import annotations

import unicodedata

__all__ = ["shortened", "visible"]

_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def visible(text: str) -> str:
    r"""Write every character that is not shown, or that turns others round, as its escape.

    Control characters, terminal escapes, direction overrides, lone surrogates and unassigned code
    points become `\x1b`, `\u202e` and so on. The result can always be encoded as UTF-8.
    """
    if text.isprintable():  # a picture holds millions of characters, all of them plain
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shortened(text: str, limit: int, keep_end: bool = True) -> str:
    """Cut text longer than `limit` characters, with an ellipsis where something is missing.

    Parameters
    ----------
    keep_end : bool
        Whether the end is kept (a file's own name stands there) or the beginning.
    """
    if len(text) <= limit:
        return text
    return "…" + text[len(text) - limit + 1 :] if keep_end else text[: limit - 1] + "…"
