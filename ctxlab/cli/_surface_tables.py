"""Results of surface as compact terminal lines and two tables: settings, and tools."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ctxlab.cli._text import count, printable, share, size

if TYPE_CHECKING:
    from ctxlab.lab import Recommendation, SurfaceSweep, SurfaceTuned
    from ctxlab.tune import KeyChoice, SurfaceChoice, SurfaceJudgement

__all__ = [
    "one_limit_lines",
    "overview_table",
    "recommendation_lines",
    "survey_lines",
    "tool_table",
]

_MOST_TOOLS = 12
_TOOL_CHARS = 24


def survey_lines(tuned: SurfaceTuned) -> list[str]:
    """What answers in JSON there are, and what became of them."""
    row = tuned.choices.frame().iloc[0]
    t = tuned.survey.transcripts
    results = t.tool_result_bytes.sum()
    lines = [
        f"{count(len(t))} transcripts in {count(t.family.nunique())} families; "
        f"{count(row.json_answers)} answers in JSON of {count(len(tuned.choices.table.tools))} "
        f"tools, {size(row.recorded_bytes)} of {size(results)} of all tool results",
    ]
    if not row.json_answers:
        return [*lines, "no tool of these transcripts answered in JSON: there is nothing to cut"]
    lines += [
        f"compact printing alone would save {size(row.compact_bytes)} "
        f"({share(row.compact_share_of_recorded, 1)}); all savings below are beyond that",
        f"later calls quoted something of {count(row.quoted_answers)} answers; of "
        f"{count(row.witnessed_answers)} something that the agent knew from that answer alone: a "
        "witness",
        f"after {count(row.requeries)} answers the like was asked again within 10 calls, after "
        f"{count(row.larger_requeries)} for more of the same",
    ]
    if row.cut_answers or row.text_answers:
        lines.append(
            f"left out: {count(row.cut_answers)} answers cut by the agent's harness, "
            f"{count(row.text_answers)} of the same tools that are no JSON"
        )
    return lines


def overview_table(tuned: SurfaceTuned) -> Table:
    """Few settings side by side, narrow enough for 80 columns."""
    table = Table(
        title="What limits on JSON answers would have saved and lost, measured in a replay",
        title_justify="left",
        caption="saved: of the answers printed compactly. harmed: a witness is lost, which bounds "
        "the harm from below; lossy: a quote is lost. names cut: texts of one word, such as ids.",
        caption_justify="left",
    )
    settings = _settings(tuned)
    table.add_column("")
    for name, _ in settings:
        table.add_column(name, justify="right", no_wrap=True)
    for words, value in _MEASURES.items():
        table.add_row(words, *(value(row) for _, row in settings))
    return table


_MEASURES: dict[str, Callable[[Any], str]] = {
    "harmed answers": lambda row: count(row.harmed_answers),
    "  of all, at most": lambda row: _narrow(row.harmed_high),
    "lossy answers": lambda row: count(row.lossy_answers),
    "lost witnesses": lambda row: count(row.lost_witnesses),
    "names cut": lambda row: count(row.cut_names),
    "saved": lambda row: _narrow(row.saved_share),
    "  95 % interval": lambda row: _interval(row.low, row.high),
    "answers changed": lambda row: count(row.changed_answers),
    "stubs": lambda row: count(row.stubs),
    "longer than before": lambda row: count(row.grown),
}


def _narrow(value: float) -> str:
    return "–" if value != value else share(value, 0)


def _interval(low: float, high: float) -> str:
    return f"{100 * low:.0f}–{share(high, 0)}" if low == low else "–"


_SHOWN: tuple[tuple[str, Mapping[str, int]], ...] = (
    ("20 rows", {"max_items": 20}),
    ("5 rows", {"max_items": 5}),
    ("1280 chars", {"truncate_content": 1280}),
    ("160 chars", {"truncate_content": 160}),
    ("8 kB", {"max_output_bytes": 8192}),
    ("2 kB", {"max_output_bytes": 2048}),
)


def _settings(tuned: SurfaceTuned) -> list[tuple[str, Any]]:
    frames = {name: sweep.frame() for name, sweep in tuned.knobs.items()}
    rows = []
    for label, [(name, value)] in ((label, list(knob.items())) for label, knob in _SHOWN):
        rows.append((label, frames[name][frames[name][name] == value].iloc[0]))
    if tuned.recommended.choice.params is not None:
        at = tuned.choices.find(**tuned.recommended.choice.params.as_dict())
        label = "chosen" if tuned.recommended.params else "refuted"
        rows.append((label, tuned.choices.frame().iloc[at]))
    return rows


def tool_table(tuned: SurfaceTuned) -> Table:
    """One row a tool: what its answers are, and what could be set for it alone."""
    frame = tuned.tools()
    table = Table(
        title="Tools that answer in JSON",
        title_justify="left",
        caption="json: answers in JSON. compact: saved by compact printing. again: asked the like "
        "again. quoted: of which a later call quoted something. own limit: for this tool alone.",
        caption_justify="left",
    )
    table.add_column("tool", overflow="fold", max_width=_TOOL_CHARS)
    for name in ("json", "bytes", "compact", "again", "quoted"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("own limit")
    for _, row in frame.head(_MOST_TOOLS).iterrows():
        table.add_row(
            Text(printable(str(row.tool), _TOOL_CHARS * 2)),
            count(row.json_answers),
            size(row.recorded_bytes),
            _narrow(row.compact_share_of_recorded),
            count(row.requeries),
            count(row.quoted_answers),
            _own(tuned.by_tool[str(row.tool)]),
        )
    if len(frame) > _MOST_TOOLS:
        rest = frame.iloc[_MOST_TOOLS:]
        table.add_row(
            f"{count(len(rest))} others",
            count(rest.json_answers.sum()),
            size(rest.recorded_bytes.sum()),
            _narrow(rest.compact_bytes.sum() / rest.recorded_bytes.sum())
            if rest.recorded_bytes.sum()
            else "–",
            count(rest.requeries.sum()),
            count(rest.quoted_answers.sum()),
            "see the report",
        )
    return table


def _own(found: Recommendation[SurfaceChoice]) -> str:
    choice = found.choice
    if found.params is not None:
        return _changed(found.params.as_dict())
    if choice.params is not None:
        return "refuted"
    return "too few families" if any("cannot tell" in why for why in choice.reasons) else "none"


def recommendation_lines(tuned: SurfaceTuned) -> list[str]:
    """What to ship, for all tools together and which keys to select."""
    lines = [
        "To store in sqlite-graphrag, for all its commands:",
        *one_limit_lines(tuned.recommended, tuned.choices),
    ]
    own = {tool: found for tool, found in tuned.by_tool.items() if found.params is not None}
    lines.append("For single tools:" + ("" if own else " none is recommended"))
    for tool, found in own.items():
        lines += [f"  {printable(tool, 100)}:", *one_limit_lines(found, tuned.choices)]
    return lines + _key_lines(tuned.key_advice)


def _key_lines(advice: Mapping[str, KeyChoice]) -> list[str]:
    ship = {tool: found for tool, found in advice.items() if found.status == "recommended"}
    if not ship:
        return [
            "Keys to select: no list of keys is recommended; quotes by key: frames/keys.parquet"
        ]
    lines = ["Keys to select:"]
    for tool, found in ship.items():
        lines.append(
            f"  {printable(tool, 100)}: {printable(','.join(found.keys), 500)}"
            + (f" ({_saved(found.judged_on)})" if found.judged_on else "")
        )
    return lines


def _saved(judged: Any) -> str:
    return f"saves {share(judged.saved_share.value, 1)} on the later transcripts"


def one_limit_lines(found: Recommendation[SurfaceChoice], sweep: SurfaceSweep) -> list[str]:
    """One recommendation: what to ship, how it was judged, and why not."""
    choice = found.choice
    lines = []
    if choice.params is None:
        lines.append("  no limit")
    else:
        verb = "ship" if found.params else "do not ship"
        lines.append(f"  {verb}: {_changed(choice.params.as_dict()) or 'whole answers'}")
    if choice.judged_on is not None:
        lines.append(f"  on the later transcripts: {_judged(choice.judged_on)}")
    return lines + [f"  because {printable(reason, 1000)}" for reason in choice.reasons]


def _changed(params: Mapping[str, Any]) -> str:
    """The parameters that are not the default."""
    from ctxlab.surface.params import Surface

    default = Surface().as_dict()
    named = {
        name: ",".join(value) if isinstance(value, tuple) else value
        for name, value in params.items()
        if value != default[name]
    }
    return printable(", ".join(f"{name} {value}" for name, value in named.items()), 500)


def _judged(judged: SurfaceJudgement) -> str:
    saved = judged.saved_share
    few = ", indicative: few families" if saved.indicative else ""
    upper = judged.harmed_families_upper
    bound = "without bound" if upper is None else f"at 95 % in at most {share(upper, 0)}"
    return (
        f"saves {share(saved.value, 1)} of compact bytes ({share(saved.low, 1)} to "
        f"{share(saved.high, 1)}{few}); harms {judged.harmed_answers} of "
        f"{judged.changed_answers} changed answers, {bound} of the families"
    )
