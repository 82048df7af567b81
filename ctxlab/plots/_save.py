"""Figures to files and text, the same bytes for the same figure."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ctxlab.errors import CtxlabError, ParameterError

__all__ = ["Drawing", "save", "svg_text"]

Drawing: TypeAlias = Axes | Figure
"""What a figure function gives, or the figure it stands in."""

_PRINT_DPI = 200


def save(drawing: Drawing, path_stem: str | Path) -> tuple[Path, Path]:
    """Write `<path_stem>.png` and `<path_stem>.svg`.

    Equal figures give equal bytes under one version of matplotlib: no date, no random ids.

    Returns
    -------
    tuple of Path
        The PNG and the SVG file.

    Raises
    ------
    CtxlabError
        If the files cannot be written.
    """
    stem = Path(path_stem)
    paths = stem.with_name(stem.name + ".png"), stem.with_name(stem.name + ".svg")
    contents = _rendered(drawing, "png"), _rendered(drawing, "svg")
    for path, content in zip(paths, contents, strict=True):
        try:
            path.write_bytes(content)
        except OSError as error:
            raise CtxlabError(
                f"cannot write the figure {path}: {error.strerror}; choose a folder that exists, "
                "with room, and where you may write"
            ) from error
    return paths


def svg_text(drawing: Drawing) -> str:
    """Give the figure as SVG text, complete in itself: letters are drawn as outlines."""
    return _rendered(drawing, "svg").decode("utf-8")


def _rendered(drawing: Drawing, kind: str) -> bytes:
    figure = drawing.figure if isinstance(drawing, Axes) else drawing
    if not isinstance(figure, Figure):
        raise ParameterError("`drawing` must stand in a Figure, got axes of a sub-figure")
    unstamped: dict[str, str | None] = {"Date": None} if kind == "svg" else {"Software": None}
    out = BytesIO()
    with rc_context({"svg.hashsalt": "ctxlab", "svg.fonttype": "path"}):
        figure.savefig(out, format=kind, dpi=_PRINT_DPI, facecolor="white", metadata=unstamped)
    return out.getvalue()
