"""Which part of a sweep of surface its drawings show."""

from __future__ import annotations

from tests.replay.surface_worlds import TRACKER
from tests.widgets.surface_sweeps import surface_sweep


def title(sweep: object) -> str:
    return str(sweep.plot("keys").get_title(loc="left"))  # type: ignore[attr-defined]


def test_keys_are_those_of_the_tool_with_the_most_bytes() -> None:
    sweep = surface_sweep()
    first_by_name = sweep.keys().tool.iloc[0]
    largest = sweep.table.tools[0]
    assert largest == TRACKER != first_by_name
    assert largest in title(sweep)


def test_without_an_answer_there_are_no_keys_to_draw() -> None:
    assert not title(surface_sweep([]))
