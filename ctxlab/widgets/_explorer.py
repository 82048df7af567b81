"""The explorer in a notebook: controls, one figure and a table over a `Controller`.

Everything shown is HTML made of escaped text, or a picture of `ctxlab.plots`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets

from ctxlab.lab import Sweep
from ctxlab.params import Param, ParamSet
from ctxlab.plots import Png, png
from ctxlab.plots.labels import visible
from ctxlab.widgets._controller import Controller
from ctxlab.widgets._kinds import start

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Explorer", "explore"]

_FEW = 4
_PICTURES_KEPT = 64


class Explorer:
    """Controls over a sweep; what they select can be taken on as values and as code.

    `controls` holds the control of each swept parameter, by name. The value of a control is the
    place of its parameter's value in ascending order, from 0.
    """

    def __init__(self, sweep: Sweep) -> None:
        self.controller: Controller[Any] = start(sweep)
        self._drawn: dict[tuple[str, int], Png] = {}
        kind, swept = self.controller.kind, self.controller.grid.swept
        self.controls = {n: _control(kind.declared[n], values) for n, values in swept.items()}
        names = list(self.controller.drawings)
        self.figure = ipywidgets.ToggleButtons(options=names, tooltips=names)
        self._warnings, self._picture = ipywidgets.HTML(), ipywidgets.HTML()
        self._table, self._code = ipywidgets.HTML(), ipywidgets.HTML()
        self._place()
        for name, control in self.controls.items():
            control.observe(partial(self._moved, name), "value")
        self.figure.observe(lambda change: self._show(), "value")
        self._show()
        self._box = ipywidgets.VBox([self._warnings, self._beside(), self._table, self._code])

    def _beside(self) -> Any:
        """Controls and figure side by side where the page is wide enough."""
        declared, fixed = self.controller.kind.declared, self.controller.grid.fixed
        moved = [
            ipywidgets.VBox([ipywidgets.HTML(_meaning(declared[name])), control])
            for name, control in self.controls.items()
        ]
        controls = [
            *moved,
            *([ipywidgets.HTML(_settings("Fixed", fixed, declared))] if fixed else []),
        ]
        return ipywidgets.HBox(
            [
                ipywidgets.VBox(controls, layout={"width": "26em"}),
                ipywidgets.VBox([self.figure, self._picture]),
            ],
            layout={"flex_flow": "row wrap"},
        )

    @property
    def policy(self) -> ParamSet:
        """The selected parameters."""
        return self.controller.policy

    def frame(self) -> pd.DataFrame:
        """Give the cells shown, columns as `Sweep.frame`, and which is `selected`."""
        return self.controller.frame()

    def code(self) -> str:
        """Python that makes the sweep and the selected policy again, given a `lab`."""
        return self.controller.code()

    def _moved(self, name: str, change: Mapping[str, Any]) -> None:
        value = self.controller.grid.swept[name][change["new"]]
        if self.controller.values[name] != value:
            self.controller = self.controller.choose(name, value)
            self._place()
            self._show()

    def _place(self) -> None:
        """Put the controls where the controller stands: a move may have moved others."""
        for name, value in self.controller.values.items():
            self.controls[name].value = self.controller.grid.swept[name].index(value)

    def _show(self) -> None:
        self._warnings.value = _warnings(self.controller)
        self._table.value = _table(self.controller)
        self._code.value = _code(self.controller)
        self._picture.value = _image(self._png())

    def _png(self) -> Png:
        key = self.figure.value, self.controller.cell
        if key not in self._drawn:
            if len(self._drawn) == _PICTURES_KEPT:
                del self._drawn[next(iter(self._drawn))]
            self._drawn[key] = png(self.controller.draw(self.figure.value))
        return self._drawn[key]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget, and for readers without a kernel the same as a still page."""
        at = self.controller
        settings = {**at.values, **at.grid.fixed}
        parts = (
            _warnings(at),
            _settings("Settings", settings, at.kind.declared),
            _table(at),
            _image(self._png()),
            _code(at),
        )
        live: dict[str, Any] = self._box._repr_mimebundle_(**kwargs)
        return {**live, "text/html": "".join(parts), "text/plain": repr(self)}

    def __repr__(self) -> str:
        at = self.controller
        lines = [
            f"Explorer of {len(at.grid.values):,} settings",
            *(f"! {visible(said)}" for said in at.warnings()),
            *(f"{n} = {_label(value, at.kind.declared[n])}" for n, value in at.values.items()),
            *(f"{f.name}: {f.value} {f.of} ({f.known})" for f in at.figures()),
        ]
        return "\n".join(lines)


def explore(sweep: Sweep) -> Explorer:
    """Look at a sweep with sliders; the start is the shipped setting, if it was swept.

    Raises
    ------
    ParameterError
        If the sweep has no cell, or is of no policy that can be explored.

    Examples
    --------
    >>> from ctxlab import widgets
    >>> explorer = widgets.explore(sweep)  # doctest: +SKIP
    >>> explorer.policy, explorer.frame(), explorer.code()  # doctest: +SKIP
    """
    return Explorer(sweep)


def _control(declared: Param, values: tuple[Any, ...]) -> Any:
    """A slider over numbers, buttons over few choices, else a list."""
    options = [(_label(value, declared), place) for place, value in enumerate(values)]
    given = {"options": options, "description": declared.name, "tooltip": declared.doc}
    style = {"description_width": "10em"}
    is_text = declared.text or declared.many
    if not (declared.choices or is_text):
        # A figure takes longer to draw than a slider to move: only where it stops is drawn.
        return ipywidgets.SelectionSlider(
            **given, style=style, continuous_update=False, layout={"width": "25em"}
        )
    if len(options) <= _FEW and not is_text:
        del given["tooltip"]
        return ipywidgets.ToggleButtons(**given, style={**style, "button_width": "auto"})
    return ipywidgets.Dropdown(**given, style=style, layout={"width": "25em"})


def _label(value: Any, declared: Param) -> str:
    if declared.many:
        return visible(", ".join(value)) or "none"
    if value is None:
        return "none" if declared.text else "all"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else visible(str(value))


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _meaning(declared: Param) -> str:
    unit = f" ({_text(declared.unit)})" if declared.unit else ""
    words = f"<small>{_text(declared.doc)}{unit}</small>"
    return f'<div style="line-height: 1.3; padding-top: 0.6em">{words}</div>'


def _settings(title: str, values: Mapping[str, Any], declared: Mapping[str, Param]) -> str:
    shown = ", ".join(
        f"<code>{_text(name)} = {_text(_label(value, declared[name]))}</code>"
        for name, value in values.items()
    )
    return f"<p>{title}: {shown}</p>"


def _warnings(at: Controller[Any]) -> str:
    said = "".join(f"<li>{_text(words)}</li>" for words in at.warnings())
    if not said:
        return f'<p role="status">{_text(at.kind.harmless)}</p>'
    return (
        '<div role="status" style="border-left: 5px solid #D55E00; padding: 0.2em 0.8em; '
        f'line-height: 1.4"><strong>Before you use this setting</strong><ul>{said}</ul></div>'
    )


def _table(at: Controller[Any]) -> str:
    head = _row("th", ("", "number", "part of", "how it is known"))
    rows = (_row("td", (f.name, f.value, f.of, f.known)) for f in at.figures())
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"


def _row(tag: str, cells: Iterable[str]) -> str:
    style = 'style="text-align: left; padding: 0.15em 0.8em 0.15em 0; line-height: 1.4"'
    return "<tr>" + "".join(f"<{tag} {style}>{_text(cell)}</{tag}>" for cell in cells) + "</tr>"


def _image(picture: Png) -> str:
    data = b64encode(picture).decode("ascii")
    return (
        f'<img alt="{_text(picture.alt)}" width="{picture.width}" '
        f'src="data:image/png;base64,{data}">'
    )


def _code(at: Controller[Any]) -> str:
    return f"<details><summary>As Python</summary><pre>{_text_lines(at.code())}</pre></details>"


def _text_lines(text: str) -> str:
    return "\n".join(map(_text, text.splitlines()))
