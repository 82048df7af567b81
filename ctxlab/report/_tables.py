"""Figures and tables as HTML. How a figure is known stands in its column's head or beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from ctxlab.report._html import Html, element, join, untrusted
from ctxlab.report.content import Number, Outcome

__all__ = [
    "Column",
    "by_head",
    "count",
    "counts",
    "number",
    "outcomes",
    "rate",
    "setting",
    "settings",
    "table",
]

_SCALES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def _signed(value: float, shown: Callable[[float], str]) -> str:
    return ("−" if value < 0 else "") + shown(abs(value))


def _bytes(size: float) -> str:
    """Three digits and a unit."""
    for scale, unit in _SCALES:
        if size >= scale:
            scaled = size / scale
            return f"{scaled:,.{2 if scaled < 10 else 1 if scaled < 100 else 0}f} {unit}"
    return f"{size:,.0f} B"


def _percent(share: float) -> str:
    percent = 100 * share
    return f"{percent:,.2f} %" if percent >= 0.005 or percent == 0 else f"{percent:.1g} %"


def rate(share: float) -> str:
    """A share in whole percent; what is nearly none or nearly all is not called so."""
    percent = 100 * share
    shown = "< 1" if 0 < percent < 1 else "> 99" if 99 < percent < 100 else f"{percent:.0f}"
    return f"{shown}\N{NO-BREAK SPACE}%"


_SHOWN: dict[str, Callable[[float], str]] = {
    "count": lambda n: f"{n:,.0f}",
    "bytes": _bytes,
    "tokens": lambda n: f"{n:,.0f} tokens",
    "share": _percent,
    "rate": rate,
    "ratio": lambda n: f"{n:.2f}",
    "usd": lambda n: f"${n:,.2f}",
}


def _is_measured(given: Number) -> bool:
    return given.value is not None and isfinite(given.value)


def number(given: Number, beside: bool = True) -> Html:
    """Write a figure with its interval and, if `beside`, what it is of and how it is known."""
    if given.value is None or not isfinite(given.value):
        return element("span", "not measured", class_="unmeasured")
    shown = _SHOWN[given.unit]
    parts = [element("span", _signed(given.value, shown), class_="figure")]
    if given.low is not None and given.high is not None and isfinite(given.low + given.high):
        ends = f"{_signed(given.low, shown)} to {_signed(given.high, shown)}"
        parts.append(element("small", f"({ends})", class_="interval"))
    if beside:
        parts.append(element("small", _how(given)))
    return join(_spaced(parts))


def _how(given: Number) -> str:
    return ", ".join(part for part in (f"of {given.of}" if given.of else "", given.known) if part)


def _spaced(parts: Sequence[Html]) -> list[str]:
    return [text for part in parts for text in (" ", part)][1:]


@dataclass(frozen=True, slots=True)
class Column:
    """A head and one cell a row; a cell that is plain text is escaped."""

    head: str
    cells: Sequence[Number | str]

    def is_of_figures(self) -> bool:
        """Whether its cells are figures."""
        return any(isinstance(cell, Number) for cell in self.cells)

    def shared(self) -> str:
        """What is true of all its figures, so that it need not stand beside each."""
        figures = [cell for cell in self.cells if isinstance(cell, Number)]
        said = {_how(figure) for figure in figures if _is_measured(figure)}
        return said.pop() if len(said) == 1 else ""


def table(caption: str, columns: Sequence[Column]) -> Html:
    """Build a table; the cells of the first column head their rows."""
    shared = [column.shared() for column in columns]
    heads = [
        element(
            "th",
            c.head,
            *([" ", element("small", how)] if how else []),
            scope="col",
            class_="number" if c.is_of_figures() else "text",
        )
        for c, how in zip(columns, shared, strict=True)
    ]
    rows = []
    for cells in zip(*(column.cells for column in columns), strict=True):
        written = [
            number(cell, beside=not how) if isinstance(cell, Number) else cell
            for cell, how in zip(cells, shared, strict=True)
        ]
        row = [element("th", written[0], scope="row")]
        row += [
            element("td", text, class_="number" if isinstance(cell, Number) else "text")
            for cell, text in zip(cells[1:], written[1:], strict=True)
        ]
        rows.append(element("tr", *row))
    body = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
    )
    return element("div", body, class_="wide", role="region", aria_label=caption, tabindex="0")


def by_head(caption: str, first: Sequence[Column], rows: Sequence[Mapping[str, Number]]) -> Html:
    """Build a table of figures that stand by their column's head, all rows with the same heads."""
    return table(
        caption, [*first, *(Column(head, [row[head] for row in rows]) for head in rows[0])]
    )


def count(value: float) -> Number:
    """A number that was counted."""
    return Number(float(value), "count", "measured")


def counts(values: Mapping[str, int]) -> Html:
    """Name and number of each, largest first; names may come from transcripts."""
    ordered = sorted(values.items(), key=lambda item: -item[1])
    listed = [join([untrusted(name), f" {n:,}"]) for name, n in ordered if n]
    return join([part for item in listed for part in (", ", item)][1:])


def settings(values: Mapping[str, object]) -> Html:
    """Parameters by name."""
    shown = [join([element("code", name), " ", setting(value)]) for name, value in values.items()]
    return join([part for item in shown for part in (", ", item)][1:])


def setting(value: object) -> Html:
    """Write one value; an absent limit is called so."""
    if value is None:
        return element("span", "unlimited")
    if isinstance(value, bool):
        return element("span", "yes" if value else "no")
    return untrusted(str(value))


def _harm_head(rows: Sequence[Outcome]) -> Html:
    how = Column("", [row.harmful for row in rows]).shared()
    return join(["Harmful pointers of all pointers, by cause ", element("small", how)])


def _harm(outcome: Outcome) -> Html:
    if not _is_measured(outcome.harmful):
        return number(outcome.harmful)
    pointers = outcome.pointers
    of = [" of ", number(pointers, beside=False)] if _is_measured(pointers) else []
    causes = counts({k.replace("_", " "): n for k, n in outcome.harm_by_cause.items()})
    return join(
        [
            element("strong", number(outcome.harmful, beside=False)),
            *of,
            *([" ", element("small", causes)] if causes else []),
        ]
    )


def outcomes(caption: str, rows: Sequence[Outcome], named: Sequence[Column]) -> Html:
    """Build the table of outcomes: harm, what was withheld, the net saving against every total."""
    return table(
        caption,
        [
            *named,
            Column(_harm_head(rows), [_harm(row) for row in rows]),
            Column("Withheld", [row.withheld for row in rows]),
            Column("Net bytes saved", [row.net_bytes for row in rows]),
            Column("… as share of source served", [row.of_touched for row in rows]),
            Column("… of all tool results", [row.of_results for row in rows]),
            Column("… of new input tokens", [row.of_new_input for row in rows]),
            Column("… of the whole priced transcript", [row.of_priced for row in rows]),
        ],
    )
