"""Results of surface as compact terminal tables: settings, prices and tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ctxlab.cli._side_by_side import narrow, side_by_side, titled
from ctxlab.cli._text import count, printable, short, size
from ctxlab.words import counted

if TYPE_CHECKING:
    from ctxlab.lab import Recommendation, SurfaceTuned
    from ctxlab.tune import SurfaceChoice

__all__ = ["PRICES", "overview_table", "price_table", "tables", "tool_table"]

_MOST_TOOLS = 12
_TOOL_CHARS, _OWN_CHARS, _LIMITS_CHARS = 21, 9, 30
_LONGEST_TOOL = 80
_SETTING_CHARS = 11


def tables(tuned: SurfaceTuned) -> list[Table]:
    """All there is to show; nothing where no tool answered in JSON."""
    if not tuned.choices.frame().json_answers.iloc[0]:
        return []
    made = (overview_table(tuned), price_table(tuned), tool_table(tuned))
    return [table for table in made if table]


def overview_table(tuned: SurfaceTuned) -> Table:
    """Few settings side by side, narrow enough for 80 columns."""
    return side_by_side(
        "What limits on JSON answers would have saved",
        "Measured in a replay. harmed: answers that lose a witness, which bounds the harm "
        "from below; share: of all; at most: upper end of its 95 % interval, which can be higher "
        "where fewer families hold the harm; witnesses: those lost. lossy: answers that lose a "
        "quote. names cut: texts of one word, such as ids. saved: of the bytes of "
        "answers printed compactly, and its 95 % interval; below 0 they grow; of results: of the "
        "bytes of all tool results; of input: of new input tokens, modelled; carried: of what "
        "carrying these answers along costs, modelled. changed: answers "
        "that lack anything. stubs: answers that hold a value of which nothing stays. longer: "
        "answers longer than without a limit. out of step: those that, at some ceiling just up "
        "to this one, keep fewer rows than at a smaller one.",
        _settings(tuned),
        _MEASURES,
    )


_MEASURES: dict[str, Callable[[Any], str]] = {
    "harmed": lambda row: short(row.harmed_answers),
    "  share": lambda row: narrow(row.harmed_share),
    "  at most": lambda row: narrow(row.harmed_high),
    "  witnesses": lambda row: short(row.lost_witnesses),
    "lossy": lambda row: short(row.lossy_answers),
    "names cut": lambda row: short(row.cut_names),
    "saved": lambda row: narrow(row.saved_share),
    "  from": lambda row: narrow(row.low),
    "  to": lambda row: narrow(row.high),
    "  of results": lambda row: narrow(row.saved_share_of_results),
    "  of input": lambda row: narrow(row.saved_share_of_new_input),
    "  carried": lambda row: narrow(row.priced_share),
    "changed": lambda row: short(row.changed_answers),
    "stubs": lambda row: short(row.stubs),
    "longer": lambda row: short(row.grown),
    "out of step": lambda row: short(row.non_monotonic) if row.non_monotonic >= 0 else "–",
}


def price_table(tuned: SurfaceTuned) -> Table | None:
    """What could have been saved for so many harmed answers; None where nothing saves."""
    frame = tuned.choices.prices(PRICES)
    if not len(frame):
        return None
    table = titled(
        "What could have been saved at each price",
        "allowed: harmed answers, at most. The setting is the one that saves most for "
        "that, chosen with hindsight on all of these transcripts: later ones may be harmed more. "
        "It is not to ship.",
    )
    for name in ("allowed", "harmed", "lossy", "saved", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("setting", min_width=_SETTING_CHARS, max_width=_LIMITS_CHARS)
    found = dict(zip(frame.allowed, frame.itertuples(), strict=True))
    for allowed in PRICES:
        row = found.get(allowed)
        if row is None:
            table.add_row(count(allowed), "–", "–", "–", "–", "none saves")
            continue
        table.add_row(
            count(allowed),
            count(row.harmed_answers),
            short(row.lossy_answers),
            size(row.saved_bytes),
            narrow(row.saved_share),
            _limits({name: getattr(row, name) for name in _UNITS}),
        )
    return table


def _limits(params: Mapping[str, Any]) -> str:
    """The limits that are set, as short as they can be said."""
    limits = [counted(params[name], *units) for name, units in _UNITS.items() if params[name]]
    return ", ".join(limits) or "whole"


_UNITS = {
    "max_items": ("row", "rows"),
    "truncate_content": ("char", "chars"),
    "max_output_bytes": ("B", "B"),
}

PRICES = (0, 1, 2, 5, 10)
"""Numbers of harmed answers whose price is told."""

_SHOWN: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("20\nrows", {"max_items": 20}),
    ("5\nrows", {"max_items": 5}),
    ("1280\nchars", {"truncate_content": 1280}),
    ("160\nchars", {"truncate_content": 160}),
    ("8\nkB", {"max_output_bytes": 8192}),
    ("2\nkB", {"max_output_bytes": 2048}),
)


def _settings(tuned: SurfaceTuned) -> list[tuple[str, Any]]:
    frames = {name: sweep.along_knob() for name, sweep in tuned.knobs.items()}
    rows = []
    for label, [(name, value)] in ((label, list(knob.items())) for label, knob in _SHOWN):
        rows.append((label, frames[name][frames[name][name] == value].iloc[0]))
    if tuned.recommended.choice.params is not None:
        at = tuned.choices.find(**tuned.recommended.choice.params.as_dict())
        label = "to\nship" if tuned.recommended.params else "refuted"
        rows.append((label, tuned.choices.frame().assign(non_monotonic=-1).iloc[at]))
    return rows


def tool_table(tuned: SurfaceTuned) -> Table:
    """One row a tool: what its answers are, and what could be set for it alone."""
    frame = tuned.tools()
    table = titled(
        "Tools that answer in JSON",
        "json: answers in JSON. print: saved by compact printing. again: results of "
        "any form after which the like was asked again. quoted: answers of which a later call "
        "quoted something. own limit: recommended for this tool alone; too few: no telling from so "
        "few transcripts.",
    )
    table.add_column("tool", overflow="fold", min_width=_SETTING_CHARS, max_width=_TOOL_CHARS)
    for name in ("json", "bytes", "print", "again", "quoted"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("own limit", max_width=_OWN_CHARS)
    for _, row in frame.head(_MOST_TOOLS).iterrows():
        table.add_row(
            Text(_name(str(row.tool))),
            short(row.json_answers),
            size(row.recorded_bytes),
            narrow(row.compact_share_of_recorded),
            short(row.requeries),
            short(row.quoted_answers),
            _own(tuned.by_tool[str(row.tool)]),
        )
    if len(frame) > _MOST_TOOLS:
        rest = frame.iloc[_MOST_TOOLS:]
        table.add_row(
            counted(len(rest), "other"),
            short(rest.json_answers.sum()),
            size(rest.recorded_bytes.sum()),
            narrow(rest.compact_bytes.sum() / rest.recorded_bytes.sum())
            if rest.recorded_bytes.sum()
            else "–",
            short(rest.requeries.sum()),
            short(rest.quoted_answers.sum()),
            "in report",
        )
    return table


def _name(tool: str) -> str:
    """A tool as it is shown: that of a server under the server's name."""
    shown = printable(tool, _LONGEST_TOOL)
    server, between, name = shown.rpartition("__")
    return f"{server}{between}\n{name}" if server and len(shown) > _TOOL_CHARS else shown


def _own(found: Recommendation[SurfaceChoice]) -> str:
    choice = found.choice
    if found.params is not None:
        return _limits(found.params.as_dict())
    if choice.params is not None:
        return "not confirmed"
    return "too few" if any("cannot tell" in why for why in choice.reasons) else "none"
