"""Which keys of a tool's rows were ever quoted later, and whether those alone would have done.

A key that no later call quotes may still have been read and used: what is kept is what is seen to
be used. So the keys are chosen on earlier families and judged on the quotes of later ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError
from ctxlab.estimate import ShareInterval, part_interval, share_interval, upper_shares
from ctxlab.log import ANSWER_FORMS
from ctxlab.surface.facts import SurfaceFacts
from ctxlab.tune._halves import Split, refuted_by_harm, split_by_time, undated, unsure_saving
from ctxlab.words import counted

__all__ = ["KeyChoice", "KeyJudgement", "key_uses", "recommend_keys"]

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeyJudgement:
    """What some families say of keeping only some keys of a tool's rows.

    Of the `quotes` of its answers `lost_quotes` stand at other keys only; of the `answers` with
    any, `harmed_answers` lose one that the agent knew from them alone. `lost_share_upper` bounds
    the lost share, one-sided at 95 %, None where nothing bounds it. `saved_share` is of the bytes
    of the answers printed compactly: what the other keys take, the record not counted against it.
    """

    families: int
    answers: int
    quotes: int
    lost_quotes: int
    harmed_answers: int
    kept_share: ShareInterval
    lost_share_upper: float | None
    saved_bytes: float
    saved_share: ShareInterval


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """Keys to select of one tool's rows, or none, with the reasons.

    `keys` are those quoted in the earlier families, in code-point order; they are recommended only
    if the later ones confirm them.
    """

    tool: str
    status: Literal["recommended", "none"]
    keys: tuple[str, ...]
    chosen_on: KeyJudgement | None
    judged_on: KeyJudgement | None
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def key_uses(facts: SurfaceFacts) -> dict[str, npt.NDArray[Any]]:
    """Count what each key of each tool's rows takes and how often it is quoted.

    Parameters
    ----------
    facts : SurfaceFacts
        Of an arrangement that selects nothing.

    Returns
    -------
    dict of str to array
        One entry a tool and key, by tool, then by bytes, largest first: `tool`, `key`, `rows` that
        have it, `bytes` that it takes in them, `bytes_share` of the tool's JSON answers printed
        compactly, `quotes` and `witnesses` that stand at it, and the `families` that quoted it. A
        quote that stands at several keys counts at each.
    """
    a, q, k = facts.answers, facts.quotes, facts.key_facts
    n_keys = max(len(facts.keys), 1)
    own, entry = np.unique(_code(a.tool[k.answer], k.key, n_keys), return_inverse=True)
    of_answer = q.answer[k.quote_key_quote]
    found = _code(a.tool[of_answer], k.quote_key_key, n_keys)
    at = np.searchsorted(own, found)
    witness = q.is_witness[k.quote_key_quote]
    pairs = np.unique(np.stack([at, a.family[of_answer]]), axis=1)[0]
    tool, key = np.divmod(own, n_keys)
    canonical = np.bincount(a.tool, weights=a.canonical_bytes, minlength=len(facts.tools))
    sizes = np.bincount(entry, weights=k.bytes, minlength=len(own))
    order = np.lexsort((key, -sizes, tool))
    columns: dict[str, npt.NDArray[Any]] = {
        "tool": np.array([facts.tools[i] for i in tool], object),
        "key": np.array([facts.keys[i] for i in key], object),
        "rows": np.bincount(entry, weights=k.rows, minlength=len(own)).astype(np.int64),
        "bytes": sizes.astype(np.int64),
        "bytes_share": sizes / canonical[tool],
        "quotes": np.bincount(at, minlength=len(own)),
        "witnesses": np.bincount(at[witness], minlength=len(own)),
        "families": np.bincount(pairs, minlength=len(own)),
    }
    return {name: values[order] for name, values in columns.items()}


def recommend_keys(
    facts: SurfaceFacts, started_ms: Sequence[int | None], *, max_harmed: int = 0
) -> dict[str, KeyChoice]:
    """Propose for each tool the keys that earlier families quoted, and judge them on later ones.

    Only families that quoted an answer of the tool take part: the others show no use to keep. A
    quote that stands at several keys is kept if one of them is; one that stands at none, beside the
    rows, is kept in any case.

    Parameters
    ----------
    facts : SurfaceFacts
        Of an arrangement that selects nothing.
    started_ms : sequence of length n_families
        Start of each family, in the order of `facts.families`.
    max_harmed : int
        Most harmed answers on the judging families.

    Returns
    -------
    dict of str to KeyChoice
        By tool, those with the most bytes of JSON answers first.

    Raises
    ------
    ParameterError
        If the constraint is negative, or the starts are not one a family.
    """
    if max_harmed < 0:
        raise ParameterError(f"`max_harmed` must be 0 or more, got {max_harmed}")
    if len(started_ms) != len(facts.families):
        raise ParameterError(
            f"`started_ms` must have one start a family, got {len(started_ms)} for "
            f"{len(facts.families)}"
        )
    a = facts.answers
    whole = a.form == ANSWER_FORMS.index("json")
    sizes = np.bincount(a.tool, weights=a.recorded_bytes * whole, minlength=len(facts.tools))
    return {
        facts.tools[tool]: _choose(facts, int(tool), started_ms, max_harmed)
        for tool in np.argsort(-sizes, kind="stable")
    }


def _choose(
    facts: SurfaceFacts, tool: int, started_ms: Sequence[int | None], max_harmed: int
) -> KeyChoice:
    of = (facts.answers.tool == tool) & (facts.answers.form == ANSWER_FORMS.index("json"))
    quoted = _by_family(facts, facts.quotes.answer[of[facts.quotes.answer]])
    split = split_by_time(started_ms, quoted > 0)
    name = facts.tools[tool]
    if too_few := split.too_few():
        why = too_few.replace("families", "families that quoted it", 1)
        return KeyChoice(name, "none", (), None, None, (why + undated(started_ms, quoted > 0),))
    keys = _quoted_keys(facts, of & split.chooses[facts.answers.family])
    if not keys.any():
        why = "nothing that the earlier transcripts quoted stands at a key of its rows"
        return KeyChoice(name, "none", (), None, None, (why,))
    chosen_on, judged_on = (_judge(facts, of, half, keys) for half in _halves(split))
    reasons = _refutations(judged_on, max_harmed)
    proposal = tuple(sorted(facts.keys[i] for i in np.flatnonzero(keys)))
    return KeyChoice(
        name, "none" if reasons else "recommended", proposal, chosen_on, judged_on, reasons
    )


def _halves(split: Split) -> tuple[Mask, Mask]:
    return split.chooses, split.judges


def _quoted_keys(facts: SurfaceFacts, answers: Mask) -> Mask:
    """Keys of rows at which a quote of these answers stands."""
    k = facts.key_facts
    keys = np.zeros(len(facts.keys), bool)
    keys[k.quote_key_key[answers[facts.quotes.answer[k.quote_key_quote]]]] = True
    return keys


def _judge(facts: SurfaceFacts, of: Mask, families: Mask, keys: Mask) -> KeyJudgement:
    a, q, k = facts.answers, facts.quotes, facts.key_facts
    own = of & families[a.family]
    lost = np.zeros(len(q.answer), bool)
    lost[k.quote_key_quote] = True
    lost[k.quote_key_quote[keys[k.quote_key_key]]] = False
    lost &= own[q.answer]
    quotes, gone = _by_family(facts, q.answer[own[q.answer]]), _by_family(facts, q.answer[lost])
    removed = own[k.answer] & ~keys[k.key]
    saved = _by_family(facts, k.answer[removed], k.bytes[removed])
    canonical = _by_family(facts, np.flatnonzero(own), a.canonical_bytes[own])
    upper = float(upper_shares(gone[None, :], quotes)[0])
    return KeyJudgement(
        families=int(families.sum()),
        answers=len(np.unique(q.answer[own[q.answer]])),
        quotes=int(quotes.sum()),
        lost_quotes=int(gone.sum()),
        harmed_answers=len(np.unique(q.answer[lost & q.is_witness])),
        kept_share=part_interval(quotes - gone, quotes),
        lost_share_upper=upper if np.isfinite(upper) else None,
        saved_bytes=float(saved.sum()),
        saved_share=share_interval(saved, canonical),
    )


def _refutations(judged: KeyJudgement, max_harmed: int) -> tuple[str, ...]:
    of = counted(judged.answers, "quoted answer")
    return (
        *refuted_by_harm(judged.harmed_answers, of, "lack what was used later", max_harmed),
        *unsure_saving(judged.saved_share, "saved"),
    )


def _by_family(
    facts: SurfaceFacts, answer: npt.NDArray[Any], weights: npt.NDArray[Any] | None = None
) -> Floats:
    """Sums over families of one number an entry, each of an answer."""
    n = len(facts.families)
    summed: Floats = np.bincount(facts.answers.family[answer], weights=weights, minlength=n).astype(
        np.float64
    )
    return summed


def _code(tool: npt.NDArray[Any], key: npt.NDArray[Any], n_keys: int) -> npt.NDArray[np.int64]:
    """One number for each tool and key."""
    code: npt.NDArray[np.int64] = tool.astype(np.int64) * n_keys + key
    return code
