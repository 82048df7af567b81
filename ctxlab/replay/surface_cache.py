"""Facts of JSON answers kept beside the store: some families and one arrangement a file.

Each family's arrays are laid end to end as they are, with their lengths, so that they come back
without any renumbering. A file is written whole or not at all, and safe to remove.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ctxlab.replay._cache import UNREADABLE, cache_folder, discard, write_part
from ctxlab.replay._families import part_name
from ctxlab.replay.corpus import Logs
from ctxlab.surface.facts import AnswerFacts, KeyFacts, QuoteFacts, ShapeFacts, SurfaceFacts
from ctxlab.surface.params import Surface

__all__ = ["SURFACE_FACTS_VERSION", "forget_others", "read_parts", "write_parts"]

SURFACE_FACTS_VERSION = 3
"""Raised with any change of what facts mean: cached ones are then derived anew."""

_KEPT = 16
"""Facts of so many arrangements stay: each list of selected keys is one of its own."""

Array = npt.NDArray[Any]
_GROUPS: Mapping[str, type[Any]] = {
    "answers": AnswerFacts,
    "quotes": QuoteFacts,
    "key_facts": KeyFacts,
    "shapes": ShapeFacts,
}
_TEXTS = ("families", "transcripts", "tools", "keys")


def read_parts(store: Logs, setting: Surface, hashes: Mapping[str, str]) -> dict[str, SurfaceFacts]:
    """Facts of the families whose content has not changed since.

    Raises
    ------
    StoreError
        The folder cannot be made.
    """
    found: dict[str, SurfaceFacts] = {}
    for path in sorted(_folder(store).glob(f"{_key(setting)}-*.npz")):
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
                arrays = {name: kept[name] for name in kept.files}
            part = dict(_split(arrays, hashes))
        except UNREADABLE:
            # A cache that cannot be read is no loss: its families are derived anew.
            part = {}
        if not part:
            discard(path)
        found.update(part)
    return found


def write_parts(
    store: Logs, setting: Surface, parts: Mapping[str, SurfaceFacts], hashes: Mapping[str, str]
) -> None:
    """Keep the facts of some families in one file, named for what it holds.

    Raises
    ------
    StoreError
        It cannot be written.
    """
    own = [hashes[name] for name in parts]
    columns = [_flat(facts) for facts in parts.values()]
    arrays: dict[str, Any] = {"hashes": _of_texts(own)}
    for name in columns[0]:
        pieces = [flat[name] for flat in columns]
        arrays[name] = np.concatenate(pieces)
        arrays[f"{name}.sizes"] = np.array([len(piece) for piece in pieces], np.int64)
    path = _folder(store) / f"{_key(setting)}-{part_name(own)}.npz"
    write_part(path, lambda file: np.savez(file, **arrays))


def forget_others(store: Logs, settings: Sequence[Surface]) -> None:
    """Remove the facts of the oldest arrangements, never of these.

    Raises
    ------
    StoreError
        The folder cannot be made.
    """
    files: dict[str, list[Path]] = {}
    for path in sorted(_folder(store).glob("*.npz"), key=_written, reverse=True):
        files.setdefault(path.stem.partition("-")[0], []).append(path)
    own = {_key(setting) for setting in settings}
    others = [paths for key, paths in files.items() if key not in own]
    for path in (path for paths in others[max(_KEPT - len(own), 0) :] for path in paths):
        discard(path)


def _written(path: Path) -> float:
    """When a file was written; one that another process has removed meanwhile counts as old."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _folder(store: Logs) -> Path:
    return cache_folder(store, f"surface-{SURFACE_FACTS_VERSION}")


def _key(setting: Surface) -> str:
    return blake2b(repr(setting).encode(), digest_size=8).hexdigest()


def _flat(facts: SurfaceFacts) -> dict[str, Array]:
    """All that facts hold, as arrays by name."""
    return {
        **{name: _of_texts(getattr(facts, name)) for name in _TEXTS},
        "family_of_transcript": facts.family_of_transcript,
        **{
            f"{group}.{column.name}": getattr(getattr(facts, group), column.name)
            for group, kind in _GROUPS.items()
            for column in fields(kind)
        },
    }


def _split(
    arrays: Mapping[str, Array], hashes: Mapping[str, str]
) -> Iterator[tuple[str, SurfaceFacts]]:
    """Facts of each family whose hash still holds: the inverse of `_flat`, laid end to end."""
    pieces = {
        name: np.split(array, np.cumsum(arrays[f"{name}.sizes"])[:-1])
        for name, array in arrays.items()
        if name != "hashes" and not name.endswith(".sizes")
    }
    for i, kept in enumerate(_texts(arrays["hashes"])):
        texts: dict[str, Any] = {name: _texts(pieces[name][i]) for name in _TEXTS}
        (family,) = texts["families"]
        if hashes.get(family) == kept:
            groups: dict[str, Any] = {
                group: kind(**{c.name: pieces[f"{group}.{c.name}"][i] for c in fields(kind)})
                for group, kind in _GROUPS.items()
            }
            owners = pieces["family_of_transcript"][i]
            yield family, SurfaceFacts(**texts, family_of_transcript=owners, **groups)


def _of_texts(texts: Sequence[str]) -> Array:
    """Texts as bytes: an array of texts pads each to the longest, and drops zeros at their ends."""
    return np.frombuffer(json.dumps(list(texts)).encode(), np.uint8)


def _texts(array: Array) -> tuple[str, ...]:
    return tuple(json.loads(array.tobytes()))
