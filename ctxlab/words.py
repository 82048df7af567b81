"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["counted"]


def counted(n: float, thing: str, things: str = "") -> str:
    """Write a whole number with its noun: 1 answer, 1,200 answers.

    Parameters
    ----------
    things
        The plural, if it is not `thing` with an s.
    """
    return f"{n:,.0f} {thing if n == 1 else things or thing + 's'}"
