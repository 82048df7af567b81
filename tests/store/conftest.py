"""Tiny transcripts and stores made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ctxlab.events import Item
from ctxlab.store import Store, open_store
from ctxlab.store import _manifest as manifests
from ctxlab.store._read import source_id
from ctxlab.store._shards import write_shard
from ctxlab.store._tabulate import Source, tabulate

KEY = "sixteen-bytes-ok"


class Session:
    """Records of one Claude Code session, one after the other."""

    def __init__(self, session: str = "session-a", start: int = 0) -> None:
        self.session = session
        self.records: list[dict[str, Any]] = []
        self.clock = start

    def _add(self, kind: str, **values: Any) -> None:
        self.clock += 1
        last = self.records[-1]["uuid"] if self.records else None
        self.records.append(
            {
                "type": kind,
                "sessionId": self.session,
                "uuid": f"{self.session}-{self.clock}",
                "parentUuid": last,
                "timestamp": f"2026-01-02T03:{self.clock // 60:02}:{self.clock % 60:02}.000Z",
                "version": "2.1.62",
                "cwd": "/project",
                **values,
            }
        )

    def prompt(self, text: str) -> Session:
        self._add("user", message={"role": "user", "content": text})
        return self

    def say(self, text: str) -> Session:
        content = [{"type": "text", "text": text}]
        self._add("assistant", message={"id": f"msg_{self.clock}", "content": content})
        return self

    def read(self, path: str, first: int, lines: Sequence[str]) -> Session:
        call = f"toolu_{self.session}_{self.clock}"
        self._add(
            "assistant",
            requestId=f"req_{call}",
            message={
                "id": f"msg_{call}",
                "role": "assistant",
                "model": "model-x",
                "content": [
                    {
                        "type": "tool_use",
                        "id": call,
                        "name": "Read",
                        "input": {"file_path": path, "offset": first},
                    }
                ],
                "usage": {
                    "input_tokens": 7,
                    "cache_read_input_tokens": 100,
                    "cache_creation_input_tokens": 20,
                    "output_tokens": 5,
                },
            },
        )
        text = "\n".join(f"{first + i}\t{line}" for i, line in enumerate(lines))
        self._add(
            "user",
            message={
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call, "content": text}],
            },
        )
        return self

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in self.records))
        return path


@pytest.fixture
def session() -> type[Session]:
    return Session


@pytest.fixture
def store(tmp_path: Path) -> Iterable[Store]:
    with open_store(tmp_path / "store") as opened:
        yield opened


Put = Callable[..., Store]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Make a store of sources given as items by path; one shard for each mapping."""
    made = 0

    def put_sources(*shards: dict[str, Sequence[Item]], key: str = KEY) -> Store:
        nonlocal made
        made += 1
        folder = tmp_path / f"put{made}"
        manifests.create(folder)
        written = tuple(write_shard(folder, _tables(sources, key)) for sources in shards)
        manifests.save(folder, manifests.Manifest(key, written))
        return Store(folder)

    return put_sources


def _tables(sources: dict[str, Sequence[Item]], key: str) -> dict[str, list[Any]]:
    tables: dict[str, list[Any]] = {}
    for path, items in sources.items():
        source = Source(source_id(path), path, 1, 1, repr(items), 1)
        for name, table in tabulate(items, source, key).items():
            tables.setdefault(name, []).append(table)
    return tables


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value


@pytest.fixture
def plain() -> Callable[[Any], Any]:
    """Turn a log into values that compare with ==."""
    return _plain
