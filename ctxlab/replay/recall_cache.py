"""What facts of recall depend on, and facts kept beside the store by all of it.

The whole corpus is kept together, for the controls of a project are prompts of others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ctxlab.recall.facts import FieldFacts, PointerFacts, QuestionFacts, RecallFacts
from ctxlab.recall.params import Gate, Recall
from ctxlab.replay._cache import UNREADABLE, cache_folder, discard, write_part
from ctxlab.replay.corpus import Logs, content_hashes
from ctxlab.replay.recall_corpus import LookedUp

__all__ = ["RECALL_FACTS_VERSION", "RecallSetting", "cached", "facts_key"]

RECALL_FACTS_VERSION = 7
"""Raised with any change of what facts mean: cached ones are then derived anew."""


@dataclass(frozen=True, slots=True)
class RecallSetting:
    """What facts depend on beside the logs: the graph's source, and what is looked up.

    `graph` is "history", "git", or the path of a repository or an export.
    """

    graph: str = "history"
    gate: Gate = "identifier"
    max_query_terms: int = 24
    max_excerpt_bytes: int = 160

    @classmethod
    def of(cls, params: Recall, graph: str) -> RecallSetting:
        """Give the setting of a parameter set."""
        return cls(graph, params.gate, params.max_query_terms, params.max_excerpt_bytes)

    @property
    def params(self) -> Recall:
        """Parameters to look up with: no floor, the most lines."""
        return Recall(
            gate=self.gate,
            max_query_terms=self.max_query_terms,
            max_excerpt_bytes=self.max_excerpt_bytes,
        )


def cached(store: Logs, key: str, derive: Callable[[], LookedUp]) -> LookedUp:
    """Read what is kept under `key`, or derive and keep it.

    Parameters
    ----------
    key
        Changes with whatever the facts depend on; the oldest that the store keeps are removed.

    Raises
    ------
    StoreError
        They cannot be kept.
    """
    folder = cache_folder(store, f"recall-{RECALL_FACTS_VERSION}")
    found = _read(folder, key)
    if found is None:
        found = derive()
        _write(folder, key, found)
        for old in sorted(folder.glob("*.npz"), key=lambda part: part.stat().st_mtime)[:-_KEPT]:
            _remove(folder, old.stem)
    return found


_KEPT = 16
"""Facts of so many settings stay; each change of the transcripts makes all of them new."""

_GROUPS: Mapping[str, type[Any]] = {
    "questions": QuestionFacts,
    "pointers": PointerFacts,
    "field_scores": FieldFacts,
}
_NAMES = ("families", "transcripts", "projects", "fields")
_FRAMES = ("leaks", "graphs")


def _write(folder: Path, key: str, found: LookedUp) -> None:
    for name in _FRAMES:
        frame = getattr(found, name)
        write_part(folder / f"{key}.{name}.parquet", partial(frame.to_parquet, index=False))
    arrays = _arrays(found.facts)
    # The arrays last: all of it is there once they are.
    write_part(folder / f"{key}.npz", lambda file: np.savez_compressed(file, **arrays))


def _remove(folder: Path, key: str) -> None:
    for path in folder.glob(f"{key}.*"):
        discard(path)


def _arrays(facts: RecallFacts) -> dict[str, Any]:
    return {
        **{name: np.array(getattr(facts, name), dtype=np.str_) for name in _NAMES},
        "family_of_transcript": facts.family_of_transcript,
        "unanswerable": facts.unanswerable,
        **{
            f"{group}.{column.name}": getattr(getattr(facts, group), column.name)
            for group, kind in _GROUPS.items()
            for column in fields(kind)
        },
    }


def _read(folder: Path, key: str) -> LookedUp | None:
    import pandas as pd

    try:
        with (folder / f"{key}.npz").open("rb") as file, np.load(file, allow_pickle=False) as kept:
            groups: dict[str, Any] = {
                group: kind(**{c.name: kept[f"{group}.{c.name}"] for c in fields(kind)})
                for group, kind in _GROUPS.items()
            }
            names: dict[str, Any] = {name: tuple(kept[name].tolist()) for name in _NAMES}
            facts = RecallFacts(
                **names,
                family_of_transcript=kept["family_of_transcript"],
                unanswerable=kept["unanswerable"],
                **groups,
            )
        frames = {name: pd.read_parquet(folder / f"{key}.{name}.parquet") for name in _FRAMES}
        return LookedUp(facts, **frames)
    except FileNotFoundError:
        return None
    except UNREADABLE:
        # A cache that cannot be read is no loss: its facts are derived anew.
        _remove(folder, key)
        return None


def facts_key(store: Logs, setting: RecallSetting, fingerprint: str) -> str:
    """Name facts by the transcripts, what is looked up, and the graphs."""
    hashes = content_hashes(store)
    parts = [*sorted(f"{name} {value}" for name, value in hashes.items()), repr(setting)]
    return blake2b("\n".join([*parts, fingerprint]).encode(), digest_size=16).hexdigest()
