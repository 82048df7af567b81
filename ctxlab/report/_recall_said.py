"""What a report on recall says in sentences: the outcome in short, and how a choice was judged."""

from __future__ import annotations

from typing import Any

from ctxlab.estimate import AucInterval
from ctxlab.report._tables import rate
from ctxlab.tune import FloorJudgement
from ctxlab.words import counted

__all__ = ["in_short", "judged_words", "verdict"]

_CONTROLS = {
    "unrelated": "prompts of other projects",
    "joined": "questions that join two topics",
    "absent": "questions about an absent subject",
}


def in_short(shipped: Any) -> tuple[str, ...]:
    """Say what matters most of a row of `RecallSweep.frame`, the most sobering first."""
    left_out = (
        (f"Prompts without a graph, in no figure: {shipped.unanswerable:,.0f}.",)
        if shipped.unanswerable and shipped.prompts
        else ()
    )
    if not shipped.prompts:
        return (
            "No prompt of these transcripts has a graph to be looked up in, so that nothing could "
            "be measured.",
        )
    silence = (
        f"Nothing was the right answer at {rate(shipped.nothing_right_share)} of the prompts "
        f"({shipped.nothing_right:,.0f} of {shipped.prompts:,.0f}): the agent used nothing that "
        f"the graph held. At {rate(shipped.missed_share)} it opened or edited a file of the graph, "
        "and no ranked pointer was used."
    )
    if not shipped.fires:
        return silence, "As shipped, the hook prints nothing at any of them.", *left_out
    ends = (
        f"95 % interval {rate(shipped.low)} to {rate(shipped.high)}"
        if shipped.low == shipped.low
        else "too few families for an interval"
    )
    reached = (
        f" They reach {rate(shipped.reached_share)} of the "
        f"{counted(shipped.used_files, 'file')} of the graph that agents opened or edited after "
        "a prompt."
        if shipped.used_files
        else ""
    )
    return (
        silence,
        f"As shipped, the hook prints at {rate(shipped.fire_share)} of the prompts. "
        f"{rate(shipped.precision)} of its {counted(shipped.pointers, 'pointer')} were used "
        f"({ends}){_by_chance(shipped)}.{reached}",
        f"The prompt itself had named {shipped.named_used_pointers:,.0f} of the "
        f"{shipped.used_pointers:,.0f} used pointers, by path or by name: these tell the agent at "
        "most where a name stands. Used and not named by the prompt: "
        f"{rate(shipped.told_share)} of all pointers.",
        *_controls(shipped),
        f"A digest, what is printed at one prompt, takes {shipped.bytes_per_fire:,.0f} bytes on "
        f"average (measured), {shipped.tokens_per_fire:,.0f} tokens; carried along it costs as "
        f"much as {shipped.carried_tokens_per_fire:,.0f} tokens of uncached input (modelled).",
        *left_out,
    )


def _by_chance(shipped: Any) -> str:
    """What pointers that answer another question reach; empty where none were printed."""
    if not shipped.unrelated_pointers:
        return ""
    return (
        f"; of those that it prints for a prompt of another project, {rate(shipped.chance_share)} "
        "count as used too, by chance"
    )


def _controls(shipped: Any) -> tuple[str, ...]:
    """How often it fires where it should not; kinds without a question are left out."""
    fires = [
        f"{rate(shipped[f'false_fire_{kind}'])} of {shipped[f'{kind}_questions']:,.0f} {words}"
        for kind, words in _CONTROLS.items()
        if shipped[f"{kind}_questions"]
    ]
    if not fires:
        return ()
    return (f"At controls, where silence is right, it fires at {', '.join(fires)}.",)


def judged_words(judged: FloorJudgement | None) -> str:
    """Say how a chosen setting did on the later transcripts; nothing if it was not judged."""
    if judged is None:
        return ""
    saved, upper = judged.saved_share, judged.lost_share_upper
    if saved.value is None or judged.lost_share.value is None:
        return ""
    ends = (
        "no interval"
        if saved.low is None or saved.high is None
        else f"95 % interval {_percent(saved.low)} to {_percent(saved.high)}"
    )
    few = ", indicative: few families" if saved.indicative else ""
    bound = "without bound" if upper is None else f"at 95 % at most {_percent(upper)}"
    return (
        f"On the later transcripts it prints {_percent(saved.value)} fewer bytes than the shipped "
        f"default ({ends}{few}) and loses {_percent(judged.lost_share.value)} of the used pointers "
        f"({bound}; "
        f"{counted(judged.families_with_use, 'family has', 'families have')} one)."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%".replace("-", "−")


def verdict(found: AucInterval) -> str:
    """Say what an AUC with its interval means."""
    if found.value is None:
        return "cannot be tested: no prompt with use beside one without"
    if found.low is None or found.high is None:
        return "cannot be told: no interval, too few families"
    if found.low > 0.5:
        meant = "a higher score means more use"
    elif found.high < 0.5:
        meant = "a higher score means less use"
    else:
        meant = "cannot be told from chance"
    return meant + ("; indicative, few families" if found.indicative else "")
