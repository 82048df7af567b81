"""Which labels along an axis have room, and numbers short enough to be one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

__all__ = ["apart", "percent", "short"]


def apart(
    wanted: Iterable[float], gap: float, place: Callable[[float], float] = float
) -> list[float]:
    """Those of the wanted values that stand `gap` from each other, the first ones first.

    `place` says where a value stands.
    """
    kept: list[float] = []
    for x in dict.fromkeys(wanted):
        if all(abs(place(x) - place(other)) >= gap for other in kept):
            kept.append(x)
    return sorted(kept)


def short(count: float) -> str:
    """A count in at most five characters."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= unit:
            return f"{count / unit:.3g}{name}" if count < 1000 * unit else f"{count:.0e}"
    return f"{count:.0f}"


def percent(share: float) -> str:
    """A share as percent, small ones with a digit more; nothing where it is unknown."""
    if share != share:
        return ""
    digits = 1 if 0 < abs(share) < 0.0995 else 0
    return f"{100 * share:.{digits}f} %".replace("-", "\N{MINUS SIGN}")
