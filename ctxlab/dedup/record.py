"""What a tool remembers of its answers: which lines of which file it has sent, for a few calls.

There is no clock and no knowledge of the agent's context. Whoever replays a transcript keeps one
record a scope (`Dedup.record_scope`) and calls `forget` where `Dedup.reset_on_compaction` asks.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import NamedTuple

from ctxlab.dedup.params import Dedup
from ctxlab.dedup.ranges import Ranges, coalesce_ranges, merge_ranges
from ctxlab.dedup.section import Section

__all__ = [
    "CALLS_RETAINED",
    "PROJECTS_RETAINED",
    "ServedFile",
    "SessionRecord",
    "served_ranges_for_file",
]

PROJECTS_RETAINED = 4
CALLS_RETAINED = 8


class ServedFile(NamedTuple):
    """One file as one call served it; `n_bytes` is 0 where it was only pointed at."""

    path: str
    ranges: Ranges
    n_bytes: int
    fingerprint: str


class _Call(NamedTuple):
    thread: str
    files: tuple[ServedFile, ...]


def served_ranges_for_file(
    calls: Iterable[Iterable[ServedFile]] | None, path: str, fingerprint: str
) -> Ranges:
    """Find the lines of a file that the given calls sent, of the same bytes as now.

    Parameters
    ----------
    calls
        The files of each call that counts; None where nothing was recorded yet.
    path
        Exact path; another spelling of it is another file.
    fingerprint
        Identity of the file's present bytes. An entry with another fingerprint, or with none,
        proves nothing.

    Returns
    -------
    Ranges
        Merged, in line order.
    """
    return merge_ranges(
        line_range
        for files in calls or ()
        for file in files
        if file.path == path and file.fingerprint and file.fingerprint == fingerprint
        for line_range in file.ranges
    )


class SessionRecord:
    """The latest calls of each project, within the caps of the real tool.

    Parameters
    ----------
    params
        `files_per_call` and `ranges_per_file` say how much of a call is kept, `view_calls` how
        many calls count as sent. The latest 8 calls are kept, or `view_calls` if that is more.

    Examples
    --------
    >>> record = SessionRecord(Dedup(view_calls=1))
    >>> record.served("a.py", "3:a9993e364706816a")
    ()
    """

    def __init__(self, params: Dedup | None = None) -> None:
        self.params = params or Dedup()
        self._projects: OrderedDict[str, deque[_Call]] = OrderedDict()

    def record(self, sections: Iterable[Section], *, project: str = "", thread: str = "") -> None:
        """Append one call; one that served nothing still moves the horizon.

        Parameters
        ----------
        sections
            The sections of one answer.
        project
            Root that the answer is about; projects do not see each other.
        thread
            Who was answered, for `forget`.
        """
        files = [
            ServedFile(
                section.path,
                coalesce_ranges(section.recorded_spans, self.params.ranges_per_file).ranges,
                section.recorded_bytes,
                section.fingerprint,
            )
            for section in sections
            if section.recorded_spans
        ]
        # Stable, so of equal ones the first are kept; pointers have no bytes and go first.
        files.sort(key=lambda file: file.n_bytes, reverse=True)
        call = _Call(thread, tuple(files[: self.params.files_per_call]))
        if project not in self._projects:
            self._projects[project] = deque(maxlen=self._calls_retained())
        self._projects[project].append(call)
        self._projects.move_to_end(project)
        while len(self._projects) > PROJECTS_RETAINED:
            self._projects.popitem(last=False)

    def served(
        self, path: str, fingerprint: str, *, params: Dedup | None = None, project: str = ""
    ) -> Ranges:
        """Find the lines that count as sent.

        Parameters
        ----------
        path, fingerprint
            The file and the identity of its present bytes.
        params
            `view_calls` says how many of the calls kept are looked at; the record's own if not
            given.
        project
            Root the call is about.

        Returns
        -------
        Ranges
            Merged, in line order.
        """
        calls = self._projects.get(project)
        if calls is None:
            return ()
        self._projects.move_to_end(project)
        view = (params or self.params).view_calls
        beyond = 0 if view is None else len(calls) - view
        return served_ranges_for_file(
            (call.files for i, call in enumerate(calls) if i >= beyond), path, fingerprint
        )

    def forget(self, thread: str = "", *, project: str = "") -> None:
        """Void what was sent to a thread; its calls still count for the horizon."""
        calls = self._projects.get(project, deque())
        for i, call in enumerate(calls):
            if call.thread == thread:
                calls[i] = _Call(thread, ())

    def _calls_retained(self) -> int | None:
        view = self.params.view_calls
        return None if view is None else max(CALLS_RETAINED, view)
