"""Progress of long work, where somebody watches: a terminal or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]


Show = Callable[[int, int], None]


def _ignore(done: int, total: int) -> None:
    """Show nothing."""


@contextmanager
def progress(what: str, *, total: int | None = None, in_bytes: bool = False) -> Iterator[Show]:
    """Show a bar while the block runs; it is given a function of (done, total).

    Nothing is shown where nobody watches: a pipe, a file, a test.
    """
    if not (sys.stderr.isatty() or _in_notebook()):
        yield _ignore
        return
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
    console = Console(stderr=not _in_notebook())
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield show


def _in_notebook() -> bool:
    """Whether this process is a notebook's kernel."""
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and "IPKernelApp" in getattr(running, "config", {})
