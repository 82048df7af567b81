"""Progress of long work, where somebody watches: a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["advancing", "progress"]


Show = Callable[[int, int], None]

_FIRST_S, _NEXT_S = 0.5, 0.2


def _ignore(done: int, total: int) -> None:
    """Show nothing."""


@contextmanager
def progress(what: str, *, total: int | None = None, in_bytes: bool = False) -> Iterator[Show]:
    """Show a bar while the block runs; it is given a function of (done, total).

    Nothing is shown where nobody watches: a pipe, a file, a test.
    """
    if _in_notebook():
        with _on_page(what, in_bytes) as show:
            yield show
    elif sys.stderr.isatty():
        with _in_terminal(what, total, in_bytes) as show:
            yield show
    else:
        yield _ignore


@contextmanager
def _in_terminal(what: str, total: int | None, in_bytes: bool) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


@contextmanager
def _on_page(what: str, in_bytes: bool) -> Iterator[Show]:
    """One line of HTML, for work that takes a while; rich would leave blank lines behind."""
    from IPython.display import display

    handle: Any = None
    due = time.monotonic() + _FIRST_S

    def page(html: str) -> dict[str, str]:
        return {"text/html": html, "text/plain": ""}

    def show(done: int, total: int) -> None:
        nonlocal handle, due
        if time.monotonic() < due:
            return
        due = time.monotonic() + _NEXT_S
        amount = f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB" if in_bytes else f"{done} of {total}"
        bar = page(f'{what} <progress value="{done}" max="{total}"></progress> {amount}')
        if handle is None:
            handle = display(bar, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            handle.update(bar, raw=True)

    try:
        yield show
    finally:
        if handle is not None:
            handle.update(page(""), raw=True)


def _in_notebook() -> bool:
    """Whether this process is a notebook's kernel."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and "IPKernelApp" in getattr(running, "config", {})


@contextmanager
def advancing(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar that is told of each step that is done."""
    done = 0
    with progress(what, total=total) as show:

        def advance(steps: int) -> None:
            nonlocal done
            done += steps
            show(done, total)

        yield advance
