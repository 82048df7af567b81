"""Wording that explorers of all policies share."""

from __future__ import annotations

from ctxlab.estimate import FEW_FAMILIES

__all__ = ["band", "few_families", "share"]


def share(value: float, digits: int = 2) -> str:
    """A share as a percentage."""
    return f"{100 * value:.{digits}f} %" if value == value else "not measured"


def band(low: float, high: float, digits: int = 2) -> str:
    """An interval of a share, or that there is none."""
    if low != low:
        return "no band"
    upper = share(high, digits) if high == high else "unknown"
    return f"95 % interval {share(low, digits)} to {upper}"


def few_families(n: int, what: str) -> str:
    """A warning where so many families are few, else nothing."""
    if n >= FEW_FAMILIES:
        return ""
    return (
        f"Few transcripts: {n:,} families {what}; with fewer than {FEW_FAMILIES} a band is "
        "indicative only."
    )
