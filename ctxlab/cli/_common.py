"""What several commands do alike: open a lab, say a line, write a frame."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ctxlab.cli._text import printable
from ctxlab.errors import CtxlabError, InputError, ParameterError
from ctxlab.paths import user_path
from ctxlab.words import counted

if TYPE_CHECKING:
    from ctxlab.lab import Lab

__all__ = [
    "check_folder",
    "check_frame_file",
    "check_new_file",
    "console",
    "open_filled",
    "say",
    "tool_words",
    "write_frame",
]


class _Console(Console):
    """Prints text as it is: no colours, markup or emoji of its own."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width)

    def on_broken_pipe(self) -> None:
        """Leave it to the command line, which then ends in peace."""
        raise BrokenPipeError


def console() -> Console:
    """Plain text where it goes into a file; wide enough there to keep a row in a line."""
    terminal = _Console()
    return terminal if terminal.is_terminal else _Console(width=140)


def say(*lines: str) -> None:
    out = console()
    for line in lines:
        out.print(printable(line, 2000), soft_wrap=True)


def open_filled(folder: str) -> Lab:
    """Open a lab that must already hold something."""
    from ctxlab.lab import open_lab

    if not (user_path(folder) / "store.json").is_file():
        raise InputError(
            f"no lab in {folder or repr(folder)}: run `ctxlab ingest PATH… --lab "
            f"{folder or 'FOLDER'}` first, "
            "or name another folder with --lab"
        )
    return open_lab(folder)


def tool_words(text: str | None) -> Any:
    """Kinds of tools as they are separated by commas, None where none are given.

    Raises
    ------
    ParameterError
        If one is unknown, or nothing stands between the commas.
    """
    if text is None:
        return None
    from ctxlab.lab._corpus import tool_kinds

    return tool_kinds([part.strip() for part in text.split(",") if part.strip()])  # type: ignore[misc]


def check_frame_file(path: str | None) -> None:
    """Refuse a name whose format is unknown before the work is done, not after it."""
    if path is not None and Path(path).suffix not in (".csv", ".parquet"):
        raise ParameterError(f"cannot tell the format of {path}: end it in .parquet or .csv")
    check_new_file(path)


def check_new_file(path: str | None) -> None:
    """Refuse the name of a file that could not be written, before the work is done."""
    if path is None:
        return
    target = user_path(path)
    if target.is_dir():
        raise ParameterError(f"cannot write {path or repr(path)}: it is a folder, name a file")
    if not target.parent.is_dir():
        raise ParameterError(
            f"cannot write {path}: there is no folder {target.parent}; make it, or name another"
        )
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise ParameterError(f"cannot write {path}: Permission denied")


def check_folder(path: str | os.PathLike[str]) -> None:
    """Refuse a folder for results where a file stands, or that may not be made or written to."""
    if not os.fspath(path):
        raise ParameterError("cannot write into '': name a folder")
    target = user_path(path)
    there = next(place for place in (target, *target.absolute().parents) if os.path.lexists(place))
    if not there.is_dir():
        raise ParameterError(f"cannot write into {path}: {there} is a file, name a folder")
    if not os.access(there, os.W_OK):
        raise ParameterError(f"cannot write into {path}: Permission denied")


def write_frame(frame: Any, path: str) -> None:
    target = user_path(path)
    try:
        if target.suffix == ".csv":
            frame.to_csv(target, index=False)
        else:
            frame.to_parquet(target, index=False)
    except OSError as error:
        raise CtxlabError(f"cannot write {path}: {error.strerror or error}") from error
    say(f"{counted(len(frame), 'row')} in {path}")
