"""Which part of a sweep of surface its drawings show."""

from __future__ import annotations

from tests.replay.surface_worlds import TRACKER
from tests.widgets.surface_sweeps import surface_sweep


def title(sweep: object) -> str:
    return str(sweep.plot("keys").get_title(loc="left"))  # type: ignore[attr-defined]


def test_keys_are_those_of_the_tool_with_the_most_bytes() -> None:
    sweep = surface_sweep()
    largest, *others = sweep.table.tools
    assert largest == TRACKER != min(largest, *others)  # by name another would come first
    keys = sweep.keys()
    assert list(dict.fromkeys(keys.tool)) == [t for t in (largest, *others) if t in set(keys.tool)]
    assert largest in title(sweep)


def test_without_an_answer_there_are_no_keys_to_draw() -> None:
    assert not title(surface_sweep([]))
