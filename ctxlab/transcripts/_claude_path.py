"""Parent links of log lines → the path the conversation takes, and where it goes back.

The lines of one response, and the results of its calls, form one node: they hang off each other
in ways that look like forks. Lines that are no conversation (progress, hooks, errors made
locally) belong to the node they hang off. Ids only are held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["ThreadPath"]

_START = ""


@dataclass(slots=True)
class ThreadPath:
    """The nodes of one thread and the latest of them."""

    tip: str = _START
    _node_of: dict[str, str] = field(default_factory=dict)
    _parents: dict[str, str] = field(default_factory=dict)
    _last_event: dict[str, str] = field(default_factory=dict)
    _replies: set[str] = field(default_factory=set)

    @property
    def has_events(self) -> bool:
        """Whether anything of the thread was emitted."""
        return bool(self._last_event)

    def node_of(self, uuid: str | None) -> str | None:
        """Node of a line seen before."""
        return self._node_of.get(uuid) if uuid else None

    def pass_by(self, uuid: str | None, parent: str | None) -> None:
        """Take a line that is no conversation."""
        if uuid:
            self._node_of[uuid] = self._node_of.get(parent or "", self.tip)

    def restart(self, uuid: str | None, node: str) -> None:
        """Take a line before which nothing counts any more; `node` may be "" for none."""
        if uuid:
            self._node_of[uuid] = node
        if node:
            self._parents[node] = _START
        self.tip = node

    def step(self, uuid: str | None, parent: str | None, node: str, is_reply: bool) -> str | None:
        """Take a line of the conversation; give the node gone back to, None if it goes on.

        An unknown parent (start of a segment, lines removed) counts as the latest line. A step
        that leaves and regains no model reply is no going back.
        """
        at = self._node_of.get(parent or "", self.tip)
        if uuid:
            self._node_of[uuid] = node
        if is_reply:
            self._replies.add(node)
        if node in self._parents:
            return None
        changed = at != self.tip and self._changes_replies(at)
        self._parents[node] = at
        self.tip = node
        return at if changed else None

    def emitted(self, node: str | None, uid: str | None) -> None:
        """Note the latest event of a node."""
        if node and uid:
            self._last_event[node] = uid

    def last_event(self, node: str) -> str | None:
        """Uid of the latest event on the path up to and with `node`; None at the start."""
        return next((u for n in self._upwards(node) if (u := self._last_event.get(n))), None)

    def _changes_replies(self, at: str) -> bool:
        """Tell whether going from the tip to `at` leaves or regains a model reply."""
        return bool((set(self._upwards(at)) ^ set(self._upwards(self.tip))) & self._replies)

    def _upwards(self, node: str) -> Iterator[str]:
        while node != _START:
            yield node
            node = self._parents.get(node, _START)
