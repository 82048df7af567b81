"""Transcripts → families: sub-agents, resumed, forked, segment and snapshot copies united.

Two files belong together when they name the same session, when one names the other's session as
its parent, or when a model response with the same identity stands in both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pyarrow as pa

from ctxlab.schema import OLDEST_READABLE
from ctxlab.store._manifest import Shard
from ctxlab.store._shards import Live, read_shard
from ctxlab.store._tabulate import UNREADABLE

__all__ = ["Family", "Member", "find_families"]


@dataclass(frozen=True, slots=True)
class Member:
    """One source of a family. `copy_of` is the index of an earlier source with equal bytes."""

    source_id: str
    session: str
    agent: str
    agent_version: str | None
    started_ms: int | None
    path: str
    shard: Shard
    file_bytes: int
    content_hash: str
    reader_version: int
    cwd: str | None = None
    copy_of: int = -1


@dataclass(frozen=True, slots=True)
class Family:
    """Sources by start, then path; the family's name is the session of the first."""

    name: str
    members: tuple[Member, ...]

    @property
    def content_hash(self) -> str:
        """Changes with the bytes of any file, the meaning of the tables, and the readers.

        Not with what is added to the tables: files that fill it are read by a newer reader.
        """
        parts = sorted(f"{m.content_hash} {m.reader_version}" for m in self.members)
        return blake2b(
            "\n".join([str(OLDEST_READABLE), *parts]).encode(), digest_size=16
        ).hexdigest()

    @property
    def file_bytes(self) -> int:
        """Bytes of all its files."""
        return sum(member.file_bytes for member in self.members)


def find_families(folder: Path, live: Live) -> list[Family]:
    """Unite the sources that count, unreadable ones left out, in the order of their shards."""
    rows = [row for row in live.transcripts.to_pylist() if row["agent"] != UNREADABLE]
    members = [_member(row, live) for row in rows]
    labels = _united(rows, _response_ids(folder, live, [m.source_id for m in members]))
    groups: dict[int, list[Member]] = {}
    for label, member in zip(labels, members, strict=True):
        groups.setdefault(label, []).append(member)
    place = {shard: i for i, shard in enumerate(live.shards)}
    found = sorted(
        (_marked_copies(sorted(group, key=_source_order)) for group in groups.values()),
        key=lambda group: (min(place[m.shard] for m in group), _source_order(group[0])),
    )
    return _named(found)


def _member(row: dict[str, object], live: Live) -> Member:
    source_id = str(row["source_id"])
    return Member(
        source_id=source_id,
        session=str(row["session_id"] or source_id),
        agent=str(row["agent"]),
        agent_version=row["agent_version"],  # type: ignore[arg-type]
        started_ms=row["started_ms"],  # type: ignore[arg-type]
        path=str(row["path"]),
        shard=live.shard_of[source_id],
        file_bytes=row["file_bytes"],  # type: ignore[arg-type]
        content_hash=str(row["content_hash"]),
        reader_version=row["reader_version"],  # type: ignore[arg-type]
        cwd=row["cwd"],  # type: ignore[arg-type]
    )


def _source_order(member: Member) -> tuple[bool, int, str]:
    return member.started_ms is None, member.started_ms or 0, member.path


def _response_ids(folder: Path, live: Live, sources: list[str]) -> pa.Table:
    """Give (source index, uid) of every model response that has an identity."""
    index = {source: i for i, source in enumerate(sources)}
    at, uids = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
    for shard in live.shards:
        table = read_shard(folder, shard, "requests", ["source_id", "uid"], coded=["source_id"])
        table = table.filter(table.column("uid").is_valid()).combine_chunks()
        if not table.num_rows:
            continue
        ids = table.column("source_id").chunk(0)
        valid = np.array(
            [
                index.get(source, -1) if live.shard_of.get(source) == shard else -1
                for source in ids.dictionary.to_pylist()
            ],
            np.int64,
        )[ids.indices.to_numpy()]
        at.append(valid[valid >= 0])
        uids.append(table.column("uid").to_numpy()[valid >= 0])
    return pa.table({"source": np.concatenate(at), "uid": np.concatenate(uids)})


def _united(rows: list[dict[str, object]], responses: pa.Table) -> list[int]:
    """Label transcripts alike that a chain of shared sessions and responses joins."""
    parent = list(range(len(rows)))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = i = parent[parent[i]]
        return i

    owner: dict[tuple[object, object], int] = {}
    for i, row in enumerate(rows):
        for session in (row["session_id"], row["parent_session_id"]):
            if session:
                parent[root(i)] = root(owner.setdefault((row["agent"], session), i))
    uid, source = responses.column("uid").to_numpy(), responses.column("source").to_numpy()
    order = np.argsort(uid, kind="stable")
    uid, source = uid[order], source[order]
    shared = (uid[1:] == uid[:-1]) & (source[1:] != source[:-1])
    for i, j in set(zip(source[:-1][shared].tolist(), source[1:][shared].tolist(), strict=True)):
        parent[root(i)] = root(j)
    return [root(i) for i in range(len(rows))]


def _marked_copies(members: list[Member]) -> list[Member]:
    """Point sources with equal bytes to the first of them: the same recording kept twice."""
    first: dict[str, int] = {}
    marked = []
    for i, member in enumerate(members):
        original = first.setdefault(member.content_hash, i)
        marked.append(member if original == i else replace(member, copy_of=original))
    return marked


def _named(groups: list[list[Member]]) -> list[Family]:
    """Name families by their first session; agents that use the same name are told apart."""
    owners: dict[str, set[str]] = {}
    for group in groups:
        owners.setdefault(group[0].session, set()).add(group[0].agent)
    return [
        Family(
            group[0].session
            if len(owners[group[0].session]) == 1
            else f"{group[0].agent}:{group[0].session}",
            tuple(group),
        )
        for group in groups
    ]
