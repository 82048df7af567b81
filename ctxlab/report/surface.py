"""The results of the main job for surface as the values that its report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxlab.lab import Lab, Recommendation, SurfaceTuned
from ctxlab.report._read import data_of, figure, problems_of
from ctxlab.report._surface_figures import surface_pictures
from ctxlab.report._surface_said import in_short, judged_keys, judged_words
from ctxlab.report.content import Advice, DataDescription, Number, Picture, Problems
from ctxlab.surface.params import NUMERIC, Surface
from ctxlab.tune import KeyChoice, SurfaceChoice
from ctxlab.words import counted

__all__ = ["SurfaceContent", "SurfaceOutcome", "SurfacePrice", "compose_surface"]

_SHOWN: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("max_items", (100, 20, 5)),
    ("truncate_content", (4000, 1280, 320, 80)),
    ("max_output_bytes", (32768, 8192, 2048, 512)),
)
_MOST_KEYS = 200
_COMPACT = "bytes printed compactly"
_CARRIED = "the price of carrying these bytes along"
_MOST_CURVES = 12
_CURVE: Mapping[str, tuple[int, int]] = {
    "max_items": (20, 5),
    "truncate_content": (1280, 160),
    "max_output_bytes": (8192, 2048),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceOutcome:
    """What one setting, or the answers of one tool, come to: figures by column head, in order.

    `loss` says what it takes from the agent, `saving` what it saves, `hazards` what it does beside.
    """

    label: str
    loss: Mapping[str, Number]
    saving: Mapping[str, Number]
    hazards: Mapping[str, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfacePrice:
    """What saves most for `allowed` harmed answers, chosen with hindsight: figures by column head.

    `setting` are the parameters that differ from the default; none if nothing saves.
    """

    allowed: int
    setting: Mapping[str, object]
    figures: Mapping[str, Number]


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceContent:
    """All that a report on surface says.

    `short` are the sentences that a reader must not miss. `outcomes` are few settings, `prices` the
    best of all for few harmed answers, `tools` the tools, `under_setting` the same under the
    recommended setting, if there is one, and `curves` by knob the largest tools under few values of
    it. `keys` are rows as in the frame, of `keys_in_all`.
    """

    title: str
    generated: str
    versions: Mapping[str, str]
    data: DataDescription
    problems: tuple[Problems, ...]
    short: tuple[str, ...]
    recommendation: Advice
    by_tool: tuple[Advice, ...]
    key_advice: tuple[Advice, ...]
    caveats: tuple[str, ...]
    outcomes: tuple[SurfaceOutcome, ...]
    prices: tuple[SurfacePrice, ...]
    tools: tuple[tuple[str, Mapping[str, Number]], ...]
    under_setting: tuple[tuple[str, Mapping[str, Number]], ...]
    curves: Mapping[str, tuple[tuple[str, Mapping[str, Number]], ...]]
    keys: tuple[tuple[str, str, int, int, float, int, int, int, bool], ...]
    keys_in_all: int
    pictures: Mapping[str, Picture]


def compose_surface(lab: Lab, tuned: SurfaceTuned, generated: str) -> SurfaceContent:
    """Give what the report says, with its figures.

    Parameters
    ----------
    generated
        Date to print.
    """
    certificate = tuned.recommended.certificate
    keys, tools = tuned.choices.keys(), tuned.tools()
    any_answer = bool((tools.json_answers > 0).any())
    return SurfaceContent(
        title="What limits on answers in JSON would have saved and lost on these transcripts",
        generated=generated,
        versions=certificate["versions"],
        data=data_of(lab, tuned.survey, certificate["data"]["hash"]),
        problems=problems_of(lab),
        short=in_short(
            tuned.choices.frame().iloc[0],
            int((tools.json_answers > 0).sum()),
            float(tuned.survey.transcripts.tool_result_bytes.sum()),
        ),
        recommendation=_advice("For all tools together", tuned.recommended),
        by_tool=tuple(_advice(tool, found) for tool, found in tuned.by_tool.items()),
        key_advice=tuple(_key_text(tool, found) for tool, found in tuned.key_advice.items()),
        caveats=tuple(certificate["caveats"]),
        outcomes=tuple(_outcomes(tuned)) if any_answer else (),
        prices=tuple(_price(row) for _, row in tuned.choices.prices().iterrows()),
        tools=tuple(_tool(row) for _, row in tools.iterrows()),
        under_setting=tuple(_under_setting(row) for _, row in tools.iterrows())
        if tuned.recommended.params
        else (),
        curves={name: _curve(tuned, name) for name in _CURVE} if any_answer else {},
        keys=tuple(keys.head(_MOST_KEYS).itertuples(index=False, name=None)),
        keys_in_all=len(keys),
        pictures=surface_pictures(tuned) if any_answer else {},
    )


def _advice(title: str, found: Recommendation[SurfaceChoice]) -> Advice:
    choice = found.choice
    return Advice(
        title=title,
        status=choice.status,
        ship=choice.params.changed() if choice.params else {},
        judged=judged_words(choice.judged_on),
        reasons=found.reasons,
    )


def _key_text(tool: str, found: KeyChoice) -> Advice:
    return Advice(
        title=tool,
        status=found.status,
        ship={"select": ",".join(found.keys)} if found.keys else {},
        judged=judged_keys(found.judged_on),
        reasons=found.reasons,
    )


def _outcomes(tuned: SurfaceTuned) -> list[SurfaceOutcome]:
    rows = []
    chosen = tuned.recommended.params
    if chosen is not None:
        at = tuned.choices.find(**chosen.as_dict())
        row = tuned.choices.frame().assign(non_monotonic=None).iloc[at]  # of a knob alone
        rows.append(("recommended", row))
    for name, values in _SHOWN:
        frame = tuned.knobs[name].along_knob()
        rows += [(f"{name} {value:,}", frame[frame[name] == value].iloc[0]) for value in values]
    return [_outcome(label, row) for label, row in rows]


def _outcome(label: str, row: Any) -> SurfaceOutcome:
    answers = f"{counted(row.json_answers, 'answer')} in JSON"
    return SurfaceOutcome(
        label=label,
        loss={
            "Harmed answers": figure(row, "harmed_answers", "count", known="bounded"),
            "Share": figure(
                row, "harmed_share", "share", answers, "bounded", ("harmed_low", "harmed_high")
            ),
            "Lossy answers": figure(row, "lossy_answers", "count", known="bounded"),
            "Witnesses lost: ids": figure(row, "lost_ids", "count", known="bounded"),
            "…\N{NO-BREAK SPACE}paths": figure(row, "lost_paths", "count", known="bounded"),
            "…\N{NO-BREAK SPACE}numbers": figure(row, "lost_numbers", "count", known="bounded"),
            "…\N{NO-BREAK SPACE}names": figure(row, "lost_names", "count", known="bounded"),
        },
        saving={
            "Saved": figure(row, "saved_bytes", "bytes"),
            "Share": figure(row, "saved_share", "share", _COMPACT, ends=("low", "high")),
            "… of recorded bytes": figure(
                row, "saved_share_of_recorded", "share", "recorded bytes"
            ),
            "… of all tool results": figure(
                row, "saved_share_of_results", "share", "all tool results"
            ),
            "… of new input tokens": figure(
                row, "saved_share_of_new_input", "share", "new input tokens", known="modelled"
            ),
            "Carried along": figure(row, "priced_bytes", "bytes", known="modelled"),
            "… of carrying all": figure(row, "priced_share", "share", _CARRIED, known="modelled"),
            "Answers changed": figure(row, "changed_answers", "count"),
        },
        hazards={
            "Names cut": figure(row, "cut_names", "count"),
            "Texts cut": figure(row, "cut_texts", "count"),
            "Stubs": figure(row, "stubs", "count"),
            "Answers that grow": figure(row, "grown", "count"),
            "… over the ceiling": figure(row, "over_budget", "count"),
            "… with fewer rows than at a smaller ceiling": figure(row, "non_monotonic", "count"),
        },
    )


def _price(row: Any) -> SurfacePrice:
    return SurfacePrice(
        allowed=int(row.allowed),
        setting=Surface.of(**{name: int(row[name]) for name in NUMERIC}).changed(),
        figures={
            "Harmed answers": figure(row, "harmed_answers", "count", known="bounded"),
            "Lossy answers": figure(row, "lossy_answers", "count", known="bounded"),
            "Saved": figure(row, "saved_bytes", "bytes"),
            "Share": figure(row, "saved_share", "share", _COMPACT, ends=("low", "high")),
        },
    )


def _curve(tuned: SurfaceTuned, knob: str) -> tuple[tuple[str, Mapping[str, Number]], ...]:
    """Two values of one knob for each of the largest tools."""
    frame = tuned.knobs[knob].tool_curves()
    rows = []
    for tool, own in frame[frame.json_answers > 0].groupby("tool", sort=False):
        own = own.set_index(knob)
        figures = {"Answers in JSON": figure(own.iloc[0], "json_answers", "count")}
        for value in _CURVE[knob]:
            row = own.loc[value]
            figures |= {
                f"Saved at {value:,}": figure(row, "saved_share", "share", _COMPACT),
                f"Carried at {value:,}": figure(
                    row, "priced_share", "share", _CARRIED, known="modelled"
                ),
                f"Harmed at {value:,}": figure(row, "harmed_answers", "count", known="bounded"),
            }
        rows.append((str(tool), figures))
    return tuple(rows[:_MOST_CURVES])


def _tool(row: Any) -> tuple[str, Mapping[str, Number]]:
    return str(row.tool), {
        "Answers in JSON": figure(row, "json_answers", "count"),
        "… cut by the harness": figure(row, "cut_answers", "count"),
        "… no JSON": figure(row, "text_answers", "count"),
        "Bytes": figure(row, "recorded_bytes", "bytes"),
        "Saved by compact printing": figure(
            row, "compact_share_of_recorded", "share", "recorded bytes"
        ),
        "Asked again": figure(row, "requeries", "count"),
        "Quoted": figure(row, "quoted_answers", "count"),
        "… with a witness": figure(row, "witnessed_answers", "count"),
    }


def _under_setting(row: Any) -> tuple[str, Mapping[str, Number]]:
    return str(row.tool), {
        "Answers changed": figure(row, "changed_answers", "count"),
        "Saved": figure(row, "saved_bytes", "bytes"),
        "Share": figure(row, "saved_share", "share", _COMPACT, ends=("low", "high")),
        "Carried along": figure(row, "priced_bytes", "bytes", known="modelled"),
        "Lossy answers": figure(row, "lossy_answers", "count", known="bounded"),
        "Harmed answers": figure(row, "harmed_answers", "count", known="bounded"),
    }
