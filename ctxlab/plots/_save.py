"""Figures to files and text, the same bytes for the same figure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from ctxlab.errors import CtxlabError, ParameterError

__all__ = ["Drawing", "Png", "png", "save", "svg_text"]

Drawing: TypeAlias = Axes | Figure
"""What a figure function gives, or the figure it stands in."""

_PRIVATE = 0o600
_PRINT_DPI = 200
_SCREEN_DPI, _SHARPER = 100, 1.25
_COLOURS = 256  # a third of the size of full colour, and hardly a difference to be seen


def save(drawing: Drawing, path_stem: str | Path) -> tuple[Path, Path]:
    """Write `<path_stem>.png` and `<path_stem>.svg`, for their owner only.

    Figures may name files of a transcript.
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
    with _laid_out(_figure(drawing)) as figure:
        contents = _rendered(figure, "png"), _rendered(figure, "svg")
    for path, content in zip(paths, contents, strict=True):
        try:
            path.touch(_PRIVATE)
            path.chmod(_PRIVATE)  # a file that was there keeps its mode otherwise
            path.write_bytes(content)
        except OSError as error:
            raise CtxlabError(
                f"cannot write the figure {path}: {error.strerror}; choose a folder that exists, "
                "with room, and where you may write"
            ) from error
    return paths


def svg_text(drawing: Drawing) -> str:
    """Give the figure as SVG text, complete in itself: letters are drawn as outlines."""
    with _laid_out(_figure(drawing)) as figure:
        return _rendered(figure, "svg").decode("utf-8")


class Png(bytes):
    """A small PNG picture, which a notebook shows when it is the last value of a cell.

    `alt` says in words what it shows; `width` is in pixels of the page.
    """

    alt: str
    width: int

    def __repr__(self) -> str:
        return f"<Figure: {self.alt}>"

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return bytes(self), {"width": self.width}


def png(drawing: Drawing) -> Png:
    """Give the figure as a picture for a screen, in few colours so that a notebook stays small."""
    figure = _figure(drawing)
    figure.set_dpi(_SCREEN_DPI * _SHARPER)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]  # once; `savefig` would draw twice
    size = canvas.get_width_height()
    drawn = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    pixels = Image.frombuffer("RGBA", size, drawn, "raw", "RGBA", 0, 1).convert("RGB")
    few = pixels.quantize(_COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    out = BytesIO()
    few.save(out, "png", optimize=True)
    picture = Png(out.getvalue())
    titles = [words for ax in figure.axes for words in [ax.get_title(loc="left")] if words]
    picture.alt = titles[0].replace("\n", " ") if titles else "nothing to draw"
    picture.width = round(size[0] / _SHARPER)
    return picture


def _figure(drawing: Drawing) -> Figure:
    figure = drawing.figure if isinstance(drawing, Axes) else drawing
    if not isinstance(figure, Figure):
        raise ParameterError("`drawing` must stand in a Figure, got axes of a sub-figure")
    return figure


@contextmanager
def _laid_out(figure: Figure) -> Iterator[Figure]:
    """Find the places of all parts once; `savefig` would draw each file twice to find them."""
    engine, dpi = figure.get_layout_engine(), figure.dpi
    if engine is None:
        yield figure
        return
    FigureCanvasAgg(figure).figure.set_dpi(_PRINT_DPI)
    engine.execute(figure)
    with rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
    try:
        yield figure
    finally:
        figure.set_layout_engine(engine)
        figure.set_dpi(dpi)


def _rendered(figure: Figure, kind: str) -> bytes:
    unstamped: dict[str, str | None] = {"Date": None} if kind == "svg" else {"Software": None}
    out = BytesIO()
    with rc_context({"svg.hashsalt": "ctxlab", "svg.fonttype": "path"}):
        figure.savefig(out, format=kind, dpi=_PRINT_DPI, facecolor="white", metadata=unstamped)
    return out.getvalue()
