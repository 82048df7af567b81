"""The figure of a sweep as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.cli._common import check_new_file, say
from ctxlab.errors import ParameterError
from ctxlab.paths import user_path

if TYPE_CHECKING:
    from ctxlab.lab import Sweep

__all__ = ["check_figure", "write_figure"]

_SUFFIXES = (".png", ".svg")


def check_figure(path: str | None) -> None:
    """Refuse a name under which no figure could be written, before the work is done."""
    if path is None:
        return
    target = user_path(path)
    if target.is_dir():
        raise ParameterError(f"cannot write {path or repr(path)}: it is a folder, name a file")
    if target.suffix not in ("", *_SUFFIXES):
        raise ParameterError(
            f"`figure` is written as PNG and SVG: end it in .png, in .svg or in nothing, got {path}"
        )
    for suffix in _SUFFIXES:
        check_new_file(f"{_stem(path)}{suffix}")


def write_figure(done: Sweep, path: str) -> None:
    """Draw what a sweep gives first, and say where it stands."""
    from ctxlab.plots import save

    for written in save(done.plot(), _stem(path)):
        say(f"wrote {written}")


def _stem(path: str) -> Path:
    target = user_path(path)
    return target.with_suffix("") if target.suffix in _SUFFIXES else target
