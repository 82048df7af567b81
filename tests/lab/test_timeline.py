"""The thread of a transcript that a timeline shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import ParameterError
from ctxlab.plots import context_timeline, svg_text

DATA = Path(__file__).parents[2] / "data" / "claude_code"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ctxlab.Lab]:
    with ctxlab.open(tmp_path_factory.mktemp("lab") / "store") as lab:
        lab.ingest(*sorted(DATA.glob("*.jsonl"))[:12])
        yield lab


@pytest.mark.parametrize(
    "params", [ctxlab.Dedup(), ctxlab.Dedup(view_calls=None, min_covered_lines=1)]
)
def test_shows_the_thread_with_most_harm_else_the_busiest(
    lab: ctxlab.Lab, params: ctxlab.Dedup
) -> None:
    decisions = lab.replay(params).decisions()
    decisions["harmful"] = decisions.harm != "none"
    of_threads = decisions.groupby(["transcript", "thread"])[["harmful", "touched_bytes"]].sum()
    ranked = of_threads.sort_values(["harmful", "touched_bytes"]).groupby("transcript").tail(1)
    assert len(ranked) > 3
    for (transcript, _), expected in ranked.iterrows():
        frame = lab.timeline(transcript, params)
        served = frame[frame.what == "served"]
        assert served.touched_bytes.sum() == expected.touched_bytes
        assert (~served.outcome.isin(["sent", "pointer"])).sum() == expected.harmful
        svg_text(context_timeline(frame))


def test_names_what_it_does_not_know(lab: ctxlab.Lab) -> None:
    with pytest.raises(ParameterError, match=r"no transcript 'x'; `lab.survey\(\)"):
        lab.timeline("x")
