from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ctxlab.log import MARK_KINDS, TOOL_KINDS
from ctxlab.store import Store, open_store


@pytest.fixture(scope="module")
def real(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    store = open_store(tmp_path_factory.mktemp("real") / "store")
    report = store.ingest(shared / "data/transcripts/claude_code")
    assert (report.read, report.unrecognised, report.unreadable) == (139, 0, ())
    return store


def test_the_recorded_sessions_unite_to_the_families_counted_by_hand(real: Store) -> None:
    assert len(real.families()) == 117


def test_reads_are_those_of_the_reference_count(real: Store) -> None:
    n_spans = n_bytes = n_threads = 0
    for log in real.iter_logs():
        is_read = log.calls.kind[log.spans.call] == TOOL_KINDS.index("read")
        n_spans += int(is_read.sum())
        of_read = np.repeat(is_read, log.spans.n_lines)
        n_bytes += int(log.lines.delivered_bytes[of_read].sum())
        n_threads += len(np.unique(log.calls.thread[log.spans.call[is_read]]))
    assert (n_spans, n_threads) == (2036, 177)
    assert round(n_bytes / 1e6, 2) == 15.44


def test_tables_and_logs_count_the_same(real: Store) -> None:
    logs = list(real.iter_logs())
    ((n_calls, n_bytes),) = real.sql("select sum(n_calls), sum(result_bytes) from tools").fetchall()
    answered = [log.calls.call_at < log.calls.result_at for log in logs]
    called = [log.calls.call_at != log.calls.result_at for log in logs]
    assert n_calls == sum(int(c.sum()) for c in called)
    assert n_bytes == sum(
        int(log.calls.result_bytes[a].sum()) for log, a in zip(logs, answered, strict=True)
    )
    ((n, tokens),) = real.sql("select count(*), sum(cache_read_tokens) from usage").fetchall()
    assert n == sum(len(log.usage) for log in logs)
    assert tokens == sum(int(np.maximum(log.usage.cache_read_tokens, 0).sum()) for log in logs)


def test_indices_stay_in_bounds(real: Store) -> None:
    for log in real.iter_logs(batch_bytes=1 << 20):
        n_calls, n_paths, n_threads = len(log.calls), len(log.paths), len(log.threads)
        assert np.all(np.diff(log.calls.call_at) > 0)
        assert np.all((log.calls.thread >= 0) & (log.calls.thread < n_threads))
        assert np.all((log.spans.call >= 0) & (log.spans.call < n_calls))
        assert np.all((log.spans.path >= 0) & (log.spans.path < n_paths))
        assert np.all(np.diff(log.calls.result_at[log.spans.call]) >= 0)
        assert int(log.spans.n_lines.sum()) == len(log.lines)
        assert np.all(np.diff(log.edits.at) >= 0)
        assert np.all(log.marks.rewind_to < log.marks.at)
        assert np.all(np.diff(np.unique(log.usage.request)) > 0)
        assert np.all(log.thread_parent < n_threads)
        assert log.n_events > max(
            log.calls.result_at.max(initial=-1), log.calls.call_at.max(initial=-1)
        )


def test_words_stay_in_bounds_and_leave_the_rest_as_it_is(real: Store) -> None:
    n_prompts = n_names = n_symbols = 0
    for log, bare in zip(real.iter_logs(texts=True), real.iter_logs(), strict=True):
        texts = log.texts
        assert texts is not None
        assert bare.texts is None
        n_prompts += len(texts.prompt_text)
        n_names += len(texts.names)
        n_symbols += len(texts.symbol_name)
        assert log.paths[: len(bare.paths)] == bare.paths
        assert len(log.path_name_ids) == len(log.paths) == len(set(log.paths))
        assert np.array_equal(log.spans.path, bare.spans.path)
        assert len(texts.event_ms) == log.n_events
        assert np.all(np.diff(texts.event_ms) >= 0)
        for at in (texts.prompt_at, texts.name_at, texts.symbol_at):
            assert np.all((np.diff(at) >= 0) & (at[1:] < log.n_events))
        is_prompt = log.marks.kind == MARK_KINDS.index("prompt")
        assert set(texts.prompt_at.tolist()) <= set(log.marks.at[is_prompt].tolist())
        assert np.all((texts.symbol_path >= 0) & (texts.symbol_path < len(log.paths)))
        assert len(texts.source_cwd) == len(log.sources)
        assert None not in texts.source_cwd
    assert (n_prompts, n_names) == (610, 8355)
    assert n_symbols > 5000
