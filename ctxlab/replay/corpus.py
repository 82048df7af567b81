"""Facts and surveys of all families of a store, each family worked on once.

Results are cached beside the store by the content of the family's files: a second sweep reads
arrays and touches no log. A cache part is written whole or not at all, and safe to remove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ctxlab.dedup.facts import CallFacts, Facts, RunFacts, SectionFacts, concatenate
from ctxlab.dedup.params import Proof, RecordScope
from ctxlab.dedup.walk import dedup_facts
from ctxlab.errors import InputError
from ctxlab.events import ToolKind
from ctxlab.log import FamilyLog
from ctxlab.replay._cache import UNREADABLE, cache_folder, discard, write_part
from ctxlab.replay._families import derive_missing, part_name

if TYPE_CHECKING:
    from ctxlab.store import Family

__all__ = [
    "FACTS_VERSION",
    "Logs",
    "Setting",
    "content_hashes",
    "corpus_facts",
    "family_facts",
]

FACTS_VERSION = 3
"""Raised with any change of what facts mean: cached ones are then derived anew."""

Advance = Callable[[int], None]


class Logs(Protocol):
    """What is needed of a store."""

    folder: Path

    def families(self) -> Sequence[Family]:
        """All families with the hash of their content."""

    def iter_logs(self, families: Any = None) -> Iterator[FamilyLog]:
        """Logs of the named families."""

    def cache(self, key: str) -> Path:
        """Folder for derived values."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What facts depend on beside the log: the replayed tools, the proof, the record's scope."""

    tools: tuple[ToolKind, ...]
    proof: Proof
    record_scope: RecordScope

    @property
    def key(self) -> str:
        """Name of the cache folder."""
        return f"dedup-{FACTS_VERSION}-{'+'.join(self.tools)}-{self.proof}-{self.record_scope}"


def content_hashes(store: Logs) -> dict[str, str]:
    """Families of the store with the hash of their content, in its order.

    Raises
    ------
    InputError
        If there is none.
    """
    families = store.families()
    if not families:
        raise InputError(f"the store {store.folder} is empty: ingest transcripts first")
    return {family.name: family.content_hash for family in families}


def corpus_facts(
    store: Logs, settings: Iterable[Setting], advance: Advance = lambda families: None
) -> Mapping[Setting, Facts]:
    """Facts of all families of the store for each setting, in the order of its families.

    Raises
    ------
    InputError
        If the store holds no family.
    """
    hashes = content_hashes(store)
    settings = tuple(dict.fromkeys(settings))
    cached = {setting: _read(cache_folder(store, setting.key), hashes) for setting in settings}

    def derive(log: FamilyLog) -> Callable[[Setting], Facts]:
        return lambda s: dedup_facts(log, tools=s.tools, proof=s.proof, record_scope=s.record_scope)

    def keep(setting: Setting, parts: Mapping[str, Facts]) -> None:
        _write(cache_folder(store, setting.key), parts, hashes)

    derive_missing(store.iter_logs, list(hashes), cached, derive, keep, advance)
    return {s: concatenate([cached[s][name] for name in hashes]) for s in settings}


_GROUPS: Mapping[str, type[Any]] = {
    "calls": CallFacts,
    "sections": SectionFacts,
    "runs": RunFacts,
}


def _write(folder: Path, parts: Mapping[str, Facts], hashes: Mapping[str, str]) -> None:
    """Put the facts of some families into one file, named for what it holds."""
    joined = concatenate(list(parts.values()))
    arrays: dict[str, Any] = {
        "families": np.array(joined.families),
        "hashes": np.array([hashes[family] for family in joined.families]),
        "transcripts": np.array(joined.transcripts),
        "family_of_transcript": joined.family_of_transcript,
        **{
            f"{group}.{column.name}": getattr(getattr(joined, group), column.name)
            for group, kind in _GROUPS.items()
            for column in fields(kind)
        },
    }
    name = part_name(arrays["hashes"])
    write_part(folder / f"{name}.npz", lambda file: np.savez(file, **arrays))


def _read(folder: Path, hashes: Mapping[str, str]) -> dict[str, Facts]:
    """Facts of the families whose content has not changed since."""
    found: dict[str, Facts] = {}
    for path in sorted(folder.glob("*.npz")):
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
                part = _split({name: arrays[name] for name in arrays.files}, hashes)
        except UNREADABLE:
            # A cache that cannot be read is no loss: its families are derived anew.
            part = {}
        if not part:
            discard(path)
        found.update(part)
    return found


def _split(arrays: Mapping[str, Any], hashes: Mapping[str, str]) -> dict[str, Facts]:
    """One `Facts` a family whose hash still holds."""
    names, kept = arrays["families"].tolist(), arrays["hashes"].tolist()
    whole = Facts(
        tuple(names),
        tuple(arrays["transcripts"].tolist()),
        arrays["family_of_transcript"],
        *(
            kind(**{c.name: arrays[f"{group}.{c.name}"] for c in fields(kind)})
            for group, kind in _GROUPS.items()
        ),
    )
    return {
        name: family_facts(whole, i) for i, name in enumerate(names) if hashes.get(name) == kept[i]
    }


def family_facts(facts: Facts, family: int) -> Facts:
    """The facts of one family alone, numbered from 0: the inverse of `concatenate`."""
    calls, sections, runs = facts.calls, facts.sections, facts.runs
    c0, c1 = np.searchsorted(calls.family, [family, family + 1])
    s0, s1 = np.searchsorted(sections.call, [c0, c1])
    r0, r1 = np.searchsorted(runs.section, [s0, s1])
    t0, t1 = np.searchsorted(facts.family_of_transcript, [family, family + 1])
    shift = {
        "family": family,
        "transcript": t0,
        "thread": calls.thread[:c0].max(initial=-1) + 1,
        "record": calls.record[:c0].max(initial=-1) + 1,
        "call": c0,
        "section": s0,
        "prev": r0,
        "same": r0,
    }

    def cut(group: Any, start: int, stop: int) -> Any:
        columns = {}
        for column in fields(group):
            part = getattr(group, column.name)[start:stop]
            if column.name in shift:
                part = np.where(part >= 0, part - shift[column.name], part).astype(np.int32)
            columns[column.name] = part
        return type(group)(**columns)

    return Facts(
        (facts.families[family],),
        facts.transcripts[t0:t1],
        np.zeros(t1 - t0, np.int32),
        cut(calls, c0, c1),
        cut(sections, s0, s1),
        cut(runs, r0, r1),
    )
