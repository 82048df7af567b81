"""Families worked on once: what is kept of each is found again by the hash of its content."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import TypeVar

from ctxlab.log import FamilyLog

__all__ = ["PART_FAMILIES", "derive_missing", "part_name"]

PART_FAMILIES = 256
"""Facts of so many families are kept in one file."""

S = TypeVar("S")
F = TypeVar("F")


def derive_missing(
    logs: Callable[[list[str]], Iterator[FamilyLog]],
    families: Sequence[str],
    found: Mapping[S, dict[str, F]],
    derive: Callable[[FamilyLog], Callable[[S], F]],
    keep: Callable[[S, Mapping[str, F]], None],
    advance: Callable[[int], None],
) -> None:
    """Fill what is found with the facts of each family that lacks those of a setting.

    Parameters
    ----------
    logs : callable
        Gives the logs of the named families.
    found : mapping
        Facts by family, for each setting; changed in place.
    derive : callable
        Gives, for a log, what makes its facts for a setting.
    keep : callable
        Writes some families' facts for a setting.
    advance : callable
        Told of each family that is done.
    """
    missing = [name for name in families if any(name not in known for known in found.values())]
    fresh: dict[S, dict[str, F]] = {setting: {} for setting in found}

    def flush() -> None:
        for setting, parts in fresh.items():
            if parts:
                keep(setting, parts)
                found[setting].update(parts)
                parts.clear()

    for log in logs(missing) if missing else ():
        of_setting = derive(log)
        for setting, parts in fresh.items():
            if log.family not in found[setting]:
                parts[log.family] = of_setting(setting)
        if max(map(len, fresh.values())) >= PART_FAMILIES:
            flush()
        advance(1)
    flush()


def part_name(hashes: Sequence[str]) -> str:
    """Name of the file that holds families of these contents."""
    return blake2b("\n".join(hashes).encode(), digest_size=12).hexdigest()
