"""The figures of the main job, each with the words that stand beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxlab import plots
from ctxlab.dedup.params import Dedup
from ctxlab.lab import DedupSweep, Lab, Recommendation, Tuned
from ctxlab.report.content import Picture
from ctxlab.tune import Choice

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["pictures_of", "words_of"]

_VARIED = ("min_covered_lines", "view_calls", "min_delta_chars")


def words_of(setting: Mapping[str, Any]) -> str:
    """Thresholds, horizon, record scope and reset of a setting in words."""
    view = "all" if setting["view_calls"] is None else int(setting["view_calls"])
    reset = ", reset at compaction" if setting["reset_on_compaction"] else ""
    return f"≥ {setting['min_covered_lines']} lines, {view} calls, {setting['record_scope']}{reset}"


def pictures_of(lab: Lab, tuned: Tuned) -> dict[str, Picture]:
    """Give the figures by file name."""
    pictures = {}
    for name, sweep, found, words in (
        ("shipped", tuned.shipped, tuned.recommended_shipped, "one record a connection"),
        (
            *("own", tuned.own, tuned.recommended_own),
            "a record a thread, forgotten at compaction",
        ),
    ):
        frame, delta = _at_one_delta(sweep, found)
        words = f"{words}, min_delta_chars {delta}"
        if name == "own":
            frame["shipped"] = False  # no shipped tool keeps such a record
        numbers = (
            f"some of the figures stand in the table “Selected settings”, all in "
            f"frames/sweep_{name}.parquet."
        )
        pictures[f"savings_curve_{name}"] = Picture(
            title=f"Savings by threshold, {words}",
            caption="Net bytes as a share of the source bytes served; the band holds for all "
            "points at once and is by family. Hollow points have harmful pointers.",
            alt=f"Line chart of net share against min_covered_lines, {words}; {numbers}",
            known="bounded",
            drawing=plots.savings_curve(frame),
        )
        pictures[f"heatmap_{name}"] = Picture(
            title=f"Horizon and threshold, {words}",
            caption="Net share of the source bytes served; hatched cells have harmful pointers.",
            alt=f"Heat map of net share over view_calls and min_covered_lines, {words}; {numbers}",
            known="bounded",
            drawing=plots.horizon_heatmap(frame),
        )
    pictures["transcripts"] = _transcripts(tuned)
    one = _timeline(lab, tuned)
    if one is not None:
        pictures["timeline"] = one
    return pictures


def _at_one_delta(sweep: DedupSweep, found: Recommendation[Choice]) -> tuple[pd.DataFrame, int]:
    """The sweep at the chosen min_delta_chars, else the shipped one; what is recommended marked."""
    chosen = found.choice.cell.params if found.choice.cell else Dedup()
    frame = sweep.frame()
    frame = frame[frame.min_delta_chars == chosen.min_delta_chars].reset_index(drop=True)
    views = (
        frame.view_calls.isna()
        if chosen.view_calls is None
        else frame.view_calls == chosen.view_calls
    )
    is_chosen = (frame.min_covered_lines == chosen.min_covered_lines) & views
    frame["recommended"] = is_chosen if found.params else False
    return frame, chosen.min_delta_chars


def _transcripts(tuned: Tuned) -> Picture:
    """Transcripts under the chosen setting, or else under the shipped constants."""
    choice = tuned.recommended_own.choice.cell
    wanted = (choice.params if choice else Dedup()).as_dict()
    varied = {name: wanted[name] for name in _VARIED}
    at = {**tuned.own.table.cells[0].as_dict(), **varied}
    which = (
        "the recommended one"
        if tuned.recommended_own.params
        else ("chosen, but not recommended" if choice else "the shipped constants")
    )
    words = f"{words_of(at)}, min_delta_chars {at['min_delta_chars']} ({which})"
    frame = tuned.own.transcripts(**varied).assign(setting=words)
    return Picture(
        title=f"Transcript by transcript, {words_of(at)}",
        caption=f"One point a transcript: how much of the total rests on few of them. "
        f"Setting: {words}.",
        alt=f"Distribution of net share over transcripts; setting: {words}.",
        known="bounded",
        drawing=plots.transcript_distribution(frame),
    )


def _timeline(lab: Lab, tuned: Tuned) -> Picture | None:
    """The thread with most harm in the transcript with most harm, under the shipped constants."""
    [cell] = tuned.switch.table.cells
    frame = tuned.switch.transcripts()
    if not len(frame):
        return None
    worst = frame.sort_values(["harmful_pointers", "pointers"], kind="stable").transcript.iloc[-1]
    course = lab.timeline(str(worst), cell.params, tools=tuned.tools, proof=cell.proof)
    return Picture(
        title="One thread, file by file, as the tool is shipped",
        caption="The thread with the most harmful pointers: what would be sent, what a pointer "
        "would replace, and which pointers would lead nowhere.",
        alt="Timeline of one thread: served files against position, coloured by outcome.",
        known="bounded",
        drawing=plots.context_timeline(course),
    )
