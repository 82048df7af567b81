"""What a report on surface says in sentences: the outcome in short, and how a choice was judged."""

from __future__ import annotations

from typing import Any

from ctxlab.report._tables import rate
from ctxlab.tune import KeyJudgement, SurfaceJudgement
from ctxlab.words import counted

__all__ = ["against_rules", "in_short", "judged_keys", "judged_words", "nothing_to_cut"]


def in_short(whole: Any, tools: int, results: float) -> tuple[str, ...]:
    """Say what matters most of a row of `SurfaceSweep.frame`, the most sobering first.

    `results` are the bytes of all tool results.
    """
    left_out = (
        (
            f"Left out of all figures: {counted(whole.cut_answers, 'answer')} that the harness cut "
            f"short, and {whole.text_answers:,.0f} of the same tools that are no JSON"
            f"{against_rules(whole)}.",
        )
        if whole.cut_answers or whole.text_answers or whole.invalid_answers
        else ()
    )
    if not whole.json_answers:
        return (f"{nothing_to_cut(whole)}, so that nothing could be measured.",)
    share = whole.recorded_bytes / results if results else None
    of_all = "" if share is None else f", {rate(share)} of the bytes of all tool results"
    return (
        f"{counted(whole.json_answers, 'answer')} in JSON of {counted(tools, 'tool')} took "
        f"{whole.recorded_bytes:,.0f} bytes{of_all}: no limit on them can save more.",
        f"Printed compactly they would take {rate(whole.compact_share_of_recorded)} less and lose "
        "nothing. What limits save comes on top of that.",
        f"Later calls quoted something of {counted(whole.quoted_answers, 'answer')}; of "
        f"{whole.witnessed_answers:,.0f} something that the agent knew from that answer alone. "
        "Harm is counted on these, and bounded from below.",
        f"After {counted(whole.json_requeries, 'answer')} in JSON "
        f"({rate(whole.json_requeries / whole.json_answers)}) the agent asked the like again "
        f"within 10 calls, after {whole.json_fallbacks:,.0f} with a larger limit, for the next "
        "page or with a narrower filter: that is how often it went back without any such limit. "
        "After other results of these tools it did so "
        f"{counted(whole.requeries - whole.json_requeries, 'time')}.",
        *left_out,
    )


def nothing_to_cut(whole: Any) -> str:
    """Say what a row of `SurfaceSweep.frame` without an answer in JSON is of."""
    if not whole.answers:
        return "No tool of these transcripts answered in JSON"
    return (
        "No tool of these transcripts answered in whole JSON (of "
        f"{counted(whole.answers, 'result')} of tools that seem to speak it "
        f"{whole.cut_answers:,.0f} were cut short by the harness, {whole.text_answers:,.0f} are no "
        f"JSON{against_rules(whole)})"
    )


def against_rules(whole: Any) -> str:
    """Tell of answers that are JSON but for a rule, where there are any."""
    n = whole.invalid_answers
    return f", and {n:,.0f} in JSON that breaks its rules (NaN and the like)" if n else ""


def judged_words(judged: SurfaceJudgement | None) -> str:
    """Say how a chosen setting did on the later transcripts; nothing if it was not judged."""
    if judged is None or judged.saved_share.value is None:
        return ""
    upper = judged.harmed_families_upper
    bound = (
        "without bound on the share of families"
        if upper is None
        else f"at 95\N{NO-BREAK SPACE}% in at most {_percent(upper)} of the families that have a "
        "witness to lose"
    )
    return (
        f"On the later transcripts it saves {_percent(judged.saved_share.value)} of the bytes of "
        f"answers printed compactly ({_ends(judged.saved_share)}), changes "
        f"{judged.changed_answers:,} of {counted(judged.answers, 'answer')} and harms "
        f"{judged.harmed_answers:,} ({bound}, which are {judged.families_with_witnesses:,})."
    )


def judged_keys(judged: KeyJudgement | None) -> str:
    """Say how a list of keys did on the later transcripts; nothing if it was not judged."""
    if judged is None or judged.saved_share.value is None:
        return ""
    upper = judged.lost_share_upper
    bound = (
        "without bound" if upper is None else f"at 95\N{NO-BREAK SPACE}% at most {_percent(upper)}"
    )
    return (
        f"On the later transcripts it saves {_percent(judged.saved_share.value)} "
        f"({_ends(judged.saved_share)}) and loses {judged.lost_quotes:,} of "
        f"{counted(judged.quotes, 'quote')} ({bound}), with "
        f"{counted(judged.harmed_answers, 'harmed answer')}."
    )


def _ends(share: Any) -> str:
    few = ", indicative: few families" if share.indicative else ""
    if share.low is None or share.high is None:
        return f"no interval{few}"
    return f"95\N{NO-BREAK SPACE}% interval {_percent(share.low)} to {_percent(share.high)}{few}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}\N{NO-BREAK SPACE}%".replace("-", "−")
