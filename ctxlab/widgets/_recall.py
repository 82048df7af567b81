"""What an explorer shows of a sweep of recall: what fires in vain before all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ctxlab.lab import RecallSweep
from ctxlab.plots import budget_curve, floor_curve
from ctxlab.recall.params import FLOORS, Recall
from ctxlab.replay import CONTROLS
from ctxlab.tune import PLACES
from ctxlab.widgets._controller import Controller, Figure, Kind
from ctxlab.widgets._words import band, few_families, share

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RECALL"]

_PARAMS = Recall.params()
_CONTROLS = {
    "unrelated": "prompts of other projects",
    "joined": "questions that join two topics",
    "absent": "prompts about something absent",
}


def _along(at: Controller[RecallSweep], *axes: str) -> pd.DataFrame:
    """Cells of one drawing; what ships is marked where all of it was swept, not one axis alone."""
    frame = at.frame(*axes)
    default = Recall().as_dict()
    frame["shipped"] = np.all([frame[name] == default[name] for name in default], axis=0)
    return frame


def _figures(at: Controller[RecallSweep]) -> tuple[Figure, ...]:
    row = at.row()
    return (
        Figure(
            "Precision",
            share(row.precision, 1),
            f"of {row.pointers:,.0f} lines printed, used before the next prompt "
            f"({band(row.low, row.high, 1)})",
            "measured",
        ),
        Figure(
            "Used and new",
            share(row.told_share, 1),
            "of lines printed, not named by the prompt itself",
            "measured",
        ),
        Figure(
            "Used lines kept",
            share(row.used_share, 1),
            f"of {row.used_candidates:,.0f} used lines that were found",
            "measured",
        ),
        Figure("Fires", f"{row.fires:,.0f}", f"of {row.prompts:,.0f} prompts", "measured"),
        *(
            Figure(
                "False fires",
                f"{row[f'{kind}_fires']:,.0f}",
                f"of {row[f'{kind}_questions']:,.0f} {_CONTROLS[kind]}",
                "measured",
            )
            for kind in CONTROLS
        ),
        Figure("Printed", _amount(row.bytes_per_prompt, "bytes"), "a prompt", "measured"),
        Figure(
            "Carried",
            _amount(row.carried_tokens_per_fire, "tokens"),
            "a fire, priced as uncached input",
            "modelled",
        ),
    )


def _amount(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value == value else "not measured"


def _warnings(at: Controller[RecallSweep]) -> tuple[str, ...]:
    row = at.row()
    printed = at.grid.sweep.table.by_family("pointers")[at.cell]
    return (
        "" if row.fires else "Nothing is printed at these prompts.",
        _false_fires(row),
        _no_signal(at),
        _named(row),
        few_families(int((printed > 0).sum()), "had a line printed"),
    )


def _false_fires(row: pd.Series[float]) -> str:
    fires = ", ".join(
        f"{row[f'{kind}_fires']:,.0f} of {row[f'{kind}_questions']:,.0f} {_CONTROLS[kind]}"
        for kind in CONTROLS
        if row[f"{kind}_fires"] > 0
    )
    return f"Fires where silence is right: at {fires}." if fires else ""


def _no_signal(at: Controller[RecallSweep]) -> str:
    """Only where the cell has a floor beyond the shipped one."""
    own = at.policy.as_dict()
    raised = any(own[name] > _PARAMS[name].default for name in FLOORS)
    signal = at.grid.sweep.signal()
    auc = signal.weakest
    if own["gate"] != "identifier" or not raised or auc.carries_signal():
        return ""
    tested = "cannot be tested"
    if auc.value is not None:
        interval = "no interval" if auc.low is None else f"95 %: {auc.low:.2f} to {auc.high:.2f}"
        tested = f"{PLACES[signal.decided_by]} AUC {auc.value:.2f}, {interval}"
    return (
        f"The score carries no signal that these logs can show ({tested}): a floor may drop used "
        "lines as readily as unused ones."
    )


def _named(row: pd.Series[float]) -> str:
    if not row.named_used_pointers > row.told_pointers:
        return ""
    return (
        f"Of {row.used_pointers:,.0f} used lines {row.named_used_pointers:,.0f} were named by the "
        "prompt itself: they told the agent nothing."
    )


RECALL: Kind[RecallSweep] = Kind(
    declared=_PARAMS,
    axes=("min_hit_score", "max_hits", "max_output_bytes"),
    drawings={
        "floors": lambda at: floor_curve(_along(at, "min_hit_score")),
        "budgets": lambda at: budget_curve(_along(at, "max_hits", "max_output_bytes")),
    },
    figures=_figures,
    warnings=_warnings,
    harmless="No question fires to which silence is the right answer.",
    arguments=lambda sweep: {"graph": sweep.graph},
)
