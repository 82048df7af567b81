"""States of nodes by the clock → states by the number of the prompt."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ctxlab.errors import ParameterError
from ctxlab.recall.graph import NEVER, Node, Version

__all__ = ["Dated", "Ledger", "checked_clock", "first_after", "last_before", "versions"]


@dataclass(frozen=True, slots=True)
class Dated:
    """One state of a node, as it was after `since_ms` until `until_ms` (Unix milliseconds).

    None: since ever, or to this day. A prompt at the very millisecond does not know it yet.
    """

    node: Node
    since_ms: int | None = None
    until_ms: int | None = None


class Ledger:
    """States of the nodes that one repository has at the time being, and those it had before."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Node, int]] = {}
        self._closed: list[Dated] = []

    def put(self, node: Node, ms: int) -> bool:
        """Note a node's state from `ms` on; no, if the key is another label's."""
        held = self._open.get(node.key)
        if held is None:
            self._open[node.key] = node, ms
        elif held[0].label != node.label:
            return False
        elif held[0] != node:
            self.drop(node.key, ms)
            self._open[node.key] = node, ms
        return True

    def drop(self, key: str, ms: int) -> None:
        """Note that a node is gone at `ms`."""
        node, since = self._open.pop(key)
        if since < ms:  # else nobody ever saw it
            self._closed.append(Dated(node, since, ms))

    def states(self) -> Iterator[Dated]:
        """Give all states noted."""
        yield from self._closed
        for node, since in self._open.values():
            yield Dated(node, since)


def checked_clock(prompts_ms: Sequence[int]) -> Sequence[int]:
    """Give the times of the prompts back.

    Raises
    ------
    ParameterError
        If one comes before the one before it.
    """
    for n in range(1, len(prompts_ms)):
        if prompts_ms[n] < prompts_ms[n - 1]:
            raise ParameterError(
                f"`prompts_ms` must be ascending Unix milliseconds, got {prompts_ms[n]} after "
                f"{prompts_ms[n - 1]}; sort the prompts by time"
            )
    return prompts_ms


def first_after(prompts_ms: Sequence[int], ms: int | None) -> int:
    """The number of the first prompt that knows what is known since `ms`."""
    return 0 if ms is None else bisect_right(prompts_ms, ms)


def last_before(times_ms: Sequence[int], ms: int) -> int:
    """The index of the last of ascending times that is strictly before `ms`, -1 if none is."""
    return bisect_left(times_ms, ms) - 1


def versions(states: Iterable[Dated], prompts_ms: Sequence[int]) -> tuple[Version, ...]:
    """Give the states that some prompt can see, by key and time; what stays equal is one."""
    n_prompts = len(prompts_ms)
    seen: list[Version] = []
    for state in states:
        since = first_after(prompts_ms, state.since_ms)
        until = n_prompts if state.until_ms is None else bisect_right(prompts_ms, state.until_ms)
        if since < until:
            seen.append(Version(state.node, since, until if until < n_prompts else NEVER))
    seen.sort(key=lambda version: (version.node.key, version.since))
    joined: list[Version] = []
    for version in seen:
        if joined and joined[-1].until == version.since and joined[-1].node == version.node:
            version = Version(version.node, joined.pop().since, version.until)
        joined.append(version)
    return tuple(joined)
