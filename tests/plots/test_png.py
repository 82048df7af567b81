"""Figures as small pictures, and the mark of a selected setting."""

from __future__ import annotations

from io import BytesIO

import pytest
from matplotlib.figure import Figure
from PIL import Image

from ctxlab.errors import ParameterError
from ctxlab.plots import PLOTS, Plot, png, savings_curve
from tests.plots.frames import FRAMES, settings
from tests.plots.test_contract import every_figure, words


@every_figure
def test_a_picture_is_small_and_says_what_it_shows(name: str, plot: Plot) -> None:
    picture = png(plot(FRAMES[name]))
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < 60_000
    assert picture.alt == plot(FRAMES[name]).get_title(loc="left")
    assert repr(picture) == f"<Figure: {picture.alt}>"
    data, shown = picture._repr_png_()
    assert data == picture
    width, height = Image.open(BytesIO(picture)).size
    assert width == shown["width"] * 1.25
    assert height > shown["width"] / 2


def test_same_figure_gives_the_same_picture() -> None:
    assert png(savings_curve(settings())) == png(savings_curve(settings()))


def test_a_figure_without_a_title_has_words_too() -> None:
    assert png(savings_curve(settings()[:0])).alt == "nothing to draw"
    assert png(Figure()).alt == "nothing to draw"


def test_axes_of_a_sub_figure_are_refused() -> None:
    with pytest.raises(ParameterError, match="must stand in a Figure, got axes of a sub-figure"):
        png(Figure().subfigures(1, 2)[0].add_subplot())


@pytest.mark.parametrize("name", ["savings_curve", "horizon_heatmap"])
def test_a_selected_setting_is_marked(name: str) -> None:
    frame = settings()
    frame["selected"] = (frame.min_covered_lines == 4) & (frame.view_calls == 1)
    assert "selected" in words(PLOTS[name](frame))
    assert "selected" not in words(PLOTS[name](settings()))
    assert png(PLOTS[name](frame)) != png(PLOTS[name](settings()))


def test_the_horizon_of_a_selected_setting_is_drawn() -> None:
    frame = settings(horizons=(1, 2, 3, 4, 5, 6, None))
    assert "latest 3 calls" not in words(savings_curve(frame))
    frame["selected"] = (frame.min_covered_lines == 4) & (frame.view_calls == 3)
    assert "latest 3 calls" in words(savings_curve(frame))
