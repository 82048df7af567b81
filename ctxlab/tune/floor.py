"""A floor for recall, or none: chosen on earlier families, judged on later ones.

A floor saves bytes by saying nothing, so the question is what it loses: pointers that the shipped
default prints and that were used. Revealed use is not usefulness, and a replay cannot know what
the agent would have done without a pointer; what is promised is the share of *used* ones kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.estimate import AucInterval, share_interval, upper_shares
from ctxlab.recall.params import Recall
from ctxlab.tune._floor_values import FloorChoice, FloorJudgement, FloorTable
from ctxlab.tune._halves import Split, split_by_time, unsure_saving
from ctxlab.tune.signal import PLACES, Signal

__all__ = ["families_with_use_needed", "recommend_floor"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_CONFIDENCE = 0.95  # of the bound on what is lost, one-sided
_RELATIVE = ("min_ceiling_share", "min_margin", "min_unrelated_share")


def recommend_floor(
    table: FloorTable,
    started_ms: Sequence[int | None],
    signal: Signal,
    *,
    keep: float = 0.95,
) -> FloorChoice:
    """Choose the cell that prints least and keeps what was used, and judge it.

    Nothing is chosen unless the score carries signal. On the earlier families a cell qualifies if
    the bound on its lost share is within 1 - `keep`: one whose estimate alone is would be refuted
    later as often as not. Of those the one with the fewest bytes wins; among equals the one that
    keeps more, then the one that changes less. A cell with a relative floor is taken only if the
    share it keeps moves no more between the two halves of the earlier families than that of the
    best cell without one: a relative form has to earn its place by being the stabler. The later
    families must then show a saving, and the same bound.

    Parameters
    ----------
    table : FloorTable
        The cells to choose among.
    started_ms : sequence of length n_families
        Start of each family, Unix milliseconds.
    signal : Signal
        Of score against revealed use over all families. Its weakest comparison decides.
    keep : float
        Share of the shipped default's used pointers to keep, in (0, 1).

    Raises
    ------
    ParameterError
        If `keep` is out of bounds or the starts are not one a family.
    """
    if not 0 < keep < 1:
        raise ParameterError(f"`keep` must be in (0, 1), got {keep}")
    if len(started_ms) != table.used.shape[1]:
        raise ParameterError(
            f"`started_ms` must have one start a family, got {len(started_ms)} for "
            f"{table.used.shape[1]}"
        )
    auc = signal.weakest
    none = FloorChoice("none", None, None, None, auc, keep, ())
    split = split_by_time(started_ms, table.output_bytes[table.shipped] > 0)
    against = "" if auc.carries_signal() else _no_signal(signal)
    whys = tuple(filter(None, (against, _too_few(table, split, keep))))
    if whys:
        return replace(none, reasons=whys)
    saves = table.saved_bytes[:, split.chooses].sum(axis=1) > 0
    upper = _lost_uppers(table, split.chooses)
    qualified = np.flatnonzero(saves & (upper <= 1 - keep))
    if not len(qualified):
        why = (
            f"no setting prints less than the shipped default on the earlier transcripts and is "
            f"sure to keep {100 * keep:g} % of its used pointers: ship the default"
        )
        return replace(none, status="default", reasons=(why,))
    best = _best(table, qualified, started_ms, split.chooses)
    chosen_on, judged_on = (_judge(table, best, half) for half in (split.chooses, split.judges))
    reasons = _refutations(judged_on, keep)
    status: Literal["recommended", "none"] = "none" if reasons else "recommended"
    return FloorChoice(status, table.cells[best], chosen_on, judged_on, auc, keep, reasons)


def families_with_use_needed(keep: float) -> int:
    """Families with a used pointer that a half must hold to be sure of `keep` if none is lost."""
    return int(np.ceil(np.log(1 - _CONFIDENCE) / np.log(keep)))


def _no_signal(signal: Signal) -> str:
    """Which comparison speaks against a floor, and what the other one says."""
    auc, other = signal.weakest, signal.pooled
    place, beside = PLACES["within"], PLACES["pooled"]
    if signal.decided_by == "pooled":
        other, place, beside = signal.within, beside, place
    also = f"{beside} no AUC"
    if other.value is not None:
        also = f"{beside} AUC {other.value:.2f} ({_interval(other)})"
    if auc.value is None:
        return (
            f"the score cannot be tested {place}: these logs hold no prompt with a used pointer "
            f"beside one without ({auc.n_positive} with, {auc.n_negative} without); {also}"
        )
    return (
        f"the score carries no signal that these logs can show: {place}, of a prompt with a used "
        f"pointer and one without, the former scores higher in {100 * auc.value:.0f} % of the "
        f"pairs (AUC {auc.value:.2f}; {_interval(auc)}): that does not show that a floor drops "
        f"unused pointers rather than used ones; {also}"
    )


def _interval(auc: AucInterval) -> str:
    if auc.low is None or auc.high is None:
        return "no interval: those with use, or those without, are all in one family"
    where = "all above" if auc.low > 0.5 else "all below" if auc.high < 0.5 else "which includes"
    return f"{100 * auc.confidence:g} % interval {auc.low:.2f} to {auc.high:.2f}, {where} 0.5"


def _too_few(table: FloorTable, split: Split, keep: float) -> str:
    """Why these families cannot tell, empty if they can."""
    halves = (split.chooses, split.judges)
    of_use = [int((table.used[table.shipped, half] > 0).sum()) for half in halves]
    needed = families_with_use_needed(keep)
    if min(of_use) < needed:
        return (
            f"these logs cannot tell: to be sure of keeping {100 * keep:g} % of the used pointers "
            f"takes {needed} families that used one in each half, even if none is lost; there are "
            f"{of_use[0]} earlier and {of_use[1]} later ones"
        )
    return split.too_few()


def _lost_uppers(table: FloorTable, families: Mask) -> Floats:
    """Upper bound on the lost share of each cell."""
    return upper_shares(table.lost[:, families], table.used[table.shipped, families], _CONFIDENCE)


def _best(
    table: FloorTable, qualified: npt.NDArray[np.int64], started_ms: Sequence[int | None], on: Mask
) -> int:
    """Of the cells that qualify the one to judge."""
    shipped, lost_by = table.cells[table.shipped].as_dict(), table.lost[:, on]

    def rank(cell: int) -> tuple[float, float, int, int]:
        params = table.cells[cell].as_dict()
        changed = sum(params[name] != shipped[name] for name in params)
        n_bytes, lost = float(table.output_bytes[cell, on].sum()), float(lost_by[cell].sum())
        return round(n_bytes, 6), round(lost, 6), changed, cell

    forms = [
        [int(cell) for cell in qualified if _is_relative(table.cells[cell]) is relative]
        for relative in (False, True)
    ]
    bests = [min(form, key=rank) for form in forms if form]
    plain, other = bests[0], bests[-1]
    if rank(other) >= rank(plain):
        return plain
    moves = [_drift(table, cell, started_ms, on) for cell in (plain, other)]
    return other if moves[1] <= moves[0] + 1e-9 else plain


def _is_relative(params: Recall) -> bool:
    declared = Recall.params()
    return any(getattr(params, name) != declared[name].default for name in _RELATIVE)


def _drift(table: FloorTable, cell: int, started_ms: Sequence[int | None], on: Mask) -> float:
    """How far the share that a cell loses moves from the earlier half of families to the later."""
    halves = split_by_time(started_ms, on)
    shares = []
    for half in (halves.chooses, halves.judges):
        of = table.used[table.shipped, half].sum()
        shares.append(float(table.lost[cell, half].sum() / of) if of else np.nan)
    return abs(shares[1] - shares[0])


def _judge(table: FloorTable, cell: int, families: Mask) -> FloorJudgement:
    one, shipped = (
        {
            name: getattr(table, name)[row, families]
            for name in ("output_bytes", "fires", "printed", "used")
        }
        for row in (cell, table.shipped)
    )
    upper = float(_lost_uppers(table, families)[cell])
    return FloorJudgement(
        saved_share=share_interval(table.saved_bytes[cell, families], shipped["output_bytes"]),
        lost_share=share_interval(table.lost[cell, families], shipped["used"]),
        lost_share_upper=upper if np.isfinite(upper) else None,
        families_with_use=int((shipped["used"] > 0).sum()),
        **{name: float(values.sum()) for name, values in one.items()},
        **{f"shipped_{name}": float(values.sum()) for name, values in shipped.items()},
    )


def _refutations(judged: FloorJudgement, keep: float) -> tuple[str, ...]:
    saving = unsure_saving(judged.saved_share, "saved")
    upper = judged.lost_share_upper
    if upper is not None and upper <= 1 - keep:
        return saving
    bound = "without bound" if upper is None else f"up to {upper:.1%}"
    return (
        f"the later transcripts do not confirm it: {bound} of the used pointers may be lost "
        f"(95 %, one-sided), {1 - keep:.1%} allowed",
        *saving,
    )
