"""Method and caveats of the report, in plain words for a reader who does not believe it."""

from __future__ import annotations

from typing import Final

from ctxlab.lab._certificate import CAVEATS as _SAID

__all__ = ["BUCKETS", "CAVEATS", "CERTIFICATE_CAVEATS", "KNOWN", "METHOD"]

KNOWN: Final = {
    "measured": "counted in the logs as they stand.",
    "identified": "follows from the logs under an assumption that the text names and checks.",
    "bounded": "the logs fix only a limit or a range: the agent might have gone on otherwise.",
    "modelled": "rests on a model that these logs cannot check.",
}
"""The four ways in which a figure can be known."""

BUCKETS: Final = {
    "sufficient": "Went on",
    "again": "Asked the tool again",
    "read_returned": "Read a file it was given",
    "read_after_pointer": "Read a file it was pointed at",
    "read_missed": "Read another file",
    "search": "Searched",
}
"""What the buckets of sufficiency are called."""

METHOD: Final = (
    "The transcripts were read, not run again. Each place where a tool result delivered numbered "
    "source was taken as a served section. The policy was then asked what it would have held back: "
    "lines that the tool had already sent, unchanged, within its horizon, in runs of at least the "
    "threshold. A short pointer stands in their place.",
    "The net saving is the bytes of lines held back, minus the bytes of the pointers sent instead. "
    "It can be negative, and is then shown as negative. Bytes include the printed line number, "
    "because the agent received it.",
    "The baseline is what the agent's own harness delivered, after its own cuts and caps. Output "
    "that the harness would have cut anyway is never counted as saved.",
    "The same saving is shown against several totals. A share of the source served says how much "
    "repeated source there is. A share of all tool results, of new input tokens or of the whole "
    "bill says how much that matters. The first is always the largest; do not quote it alone.",
    "A pointer is harmful if some of the lines it points at are not in the context that the model "
    "was being sent: cleared, compacted away, on an abandoned branch, or given only to another "
    "thread. Harmful pointers come first in each table, because a saving that leaves the agent "
    "without the code is no saving.",
    "A record starts anew where the log shows that the agent's process was resumed (a new version, "
    "or a hook that runs at the start of a session), because a new process is a new connection to "
    "the tool. Pointers therefore never reach across a resume, and no harm by resume can occur. "
    "The transcripts bundled with ctxlab show what that is worth: for a record a thread, forgotten "
    "at compaction, at 8 lines and the proof line_text, it lowers the withheld share from 1.57 to "
    "1.47 % (4 calls) and from 3.69 to 3.21 % (all calls). The command /clear counts as a clear "
    "also where the log goes on in the same file.",
    "Intervals come from drawing whole families of transcripts again: a conversation with its "
    "sub-agents, resumed and forked copies is one unit. Settings are chosen on the earlier "
    "transcripts and judged on the later ones. A recommendation may be none.",
)
"""How the figures came about, one paragraph each."""

CERTIFICATE_CAVEATS: Final = _SAID
"""What every certificate says too, a sentence each."""

CAVEATS: Final = (
    (
        "An agent may go back for what was withheld",
        "The replay holds its course fixed. Had it met a pointer, it might have read the file "
        "again, searched, or asked once more, and those bytes would come back on top: net savings "
        "are upper limits. A low rate of going back is no proof that the work is as good either; "
        "an agent can also go on, wrongly, without the source.",
    ),
    (
        "An answer may get richer, not shorter",
        "codegraph keeps its answers to a size and hands the characters that deduplication freed "
        "to other source. The figures here show how much of what was served was repetition; how "
        "much shorter a bill gets is another question.",
    ),
    (
        "Unchanged is proved from the log alone",
        "The logs hold no file hashes. A line counts as unchanged if the latest text delivered at "
        "its place is the same, or if recorded edits carry it there, depending on the proof named "
        "in the settings. A change by a shell command, a formatter or a person leaves no trace "
        "until the file is read again; those that were noticed are counted in their own table.",
    ),
    (
        "Sub-agents have a context of their own",
        "A record kept for the connection does not know which thread asks. It can tell a sub-agent "
        "that it has lines which only its parent was sent, or the other way round. Those pointers "
        "are counted as harmful, cause: other thread.",
    ),
    (
        "What left the context is known only as far as the log says",
        "Compactions, clears and cleared results are taken from the marks in the log. A harness "
        "that drops results without a mark makes harmful pointers look true, so their number is a "
        "lower limit for such agents.",
    ),
    (
        "The horizon counts calls, and calls depend on the policy",
        "The horizon is counted in calls of the replayed tools as they happened. An agent that "
        "answers a pointer with further calls moves the horizon on, which no replay can follow.",
    ),
    (
        "Some transcripts are missing",
        "Agents delete old transcripts, and people keep the ones they find worth keeping. What is "
        "left is no random sample. Records that could not be read are listed, not guessed; "
        "a figure that could not be counted says “not measured”, and is never taken as zero.",
    ),
    (
        "Other people's logs may differ",
        "Everything here describes these transcripts. Another model, harness version, code base or "
        "way of working can change each figure, also in sign. Make the report again after such a "
        "change.",
    ),
)
"""What the figures cannot show beyond that: heading and paragraph."""
