"""Foreign text made fit for a terminal."""

from __future__ import annotations

import unicodedata

__all__ = ["count", "printable", "share", "short", "size"]

_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def printable(text: str, limit: int | None = 300) -> str:
    r"""Replace what would steer a terminal or hide text, and shorten what is too long.

    Escape sequences, control and direction characters and lone surrogates become `\x1b`-like
    text. Newlines stay.
    """
    shown = "".join(
        c
        if c == "\n" or unicodedata.category(c) not in _UNSAFE
        else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
    if limit is None or len(shown) <= limit:
        return shown
    return f"{shown[: limit // 2]} … {shown[-limit // 3 :]}"


def share(value: float | None, digits: int = 2) -> str:
    """A share as a percentage; unmeasured is said, never 0."""
    if value is None or value != value:
        return "not measured"
    return f"{value:.{digits}%}"


def count(value: float | None) -> str:
    """A count with thousands separated."""
    if value is None or value != value:
        return "not measured"
    return f"{value:,.0f}"


def short(value: float) -> str:
    """A count in six characters at most, up to 100 millions."""
    if abs(value) < 100_000:
        return f"{value:,.0f}"
    return f"{value / 1e3:.0f}k" if abs(value) < 1e6 else f"{value / 1e6:,.1f}M"


def size(n_bytes: float | None) -> str:
    """Bytes in a unit that keeps three digits."""
    if n_bytes is None or n_bytes != n_bytes:
        return "not measured"
    for unit in ("B", "kB", "MB", "GB"):
        if abs(n_bytes) < 1000 or unit == "GB":
            return f"{n_bytes:,.0f} {unit}" if unit == "B" else f"{n_bytes:,.1f} {unit}"
        n_bytes /= 1000
    raise AssertionError
