"""Words of the report on surface, for a reader who does not believe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "ANSWERS",
    "BY_TOOL",
    "CAVEATS",
    "CURVES",
    "HAZARDS",
    "KEYS",
    "KNOWN",
    "METHOD",
    "NOTHING",
    "NO_PRICE",
    "PRICES",
    "SETTINGS",
    "TOOLS",
    "WHOLE",
]

KNOWN: Final[Mapping[str, str]] = {
    "measured": "counted. What a limit leaves of a recorded answer follows from the answer, to the "
    "byte; what later calls quoted stands in the log. It holds for the course that was recorded: "
    "with shorter answers the agent might have gone on otherwise.",
    "bounded": "a lower bound. Loss is counted only where a later call wrote down something of the "
    "answer; what the agent read and used without writing it down leaves no trace. An upper end "
    "is no less than what few families, or none, with a loss allow to say.",
    "modelled": "rests on a model that these logs cannot check: the price of carrying bytes along.",
}
"""What the ways in which a figure is known mean here."""

ANSWERS: Final = (
    "An answer is a result of a tool that answers in JSON: a tool of an MCP server, or a command "
    "of the shell. It counts as the model saw it; what the agent's harness cut short is left out, "
    "and so is what the harness's own tools answer, those for files, to-do lists or stopping a "
    "shell: no limit of yours reaches them. "
    "A limit acts on the same answer printed compactly; what compact printing alone saves is told "
    "apart, for it needs no limit.",
    "A quote is an id, a path, a number or a name of an answer that stands in the input of a later "
    "call. A witness is a quote that the agent knew from that answer alone: before that call no "
    "prompt and no other result had shown it, and the model had not written it before the answer "
    "came. An answer is lossy under a limit that removes a quote of it from everywhere in the "
    "answer, and harmed under one that removes a witness.",
)
"""What is counted."""

SETTINGS: Final = (
    "Each row sets what it names and nothing else. Names are texts of one word: ids, paths, "
    "hashes, dates. A cut through them breaks look-ups, one through a sentence does not. Stubs "
    "counts answers that hold a value of which nothing stays but a notice. With any limit set, "
    "every object that is printed carries a record of it, cut or not, so that small answers grow."
)
"""What the rows are."""

HAZARDS: Final = (
    "A larger byte ceiling can keep fewer rows: under a small one the arrays beside the main one "
    "are emptied and leave their place to its rows, under a larger one they fit and take it. "
    "Counted are the answers that do so at some ceiling up to the row's and above the next smaller "
    "one shown in the figure, whatever is the case at these two; never search a ceiling by halves. "
    "Failures pass whole, and may exceed the ceiling, as may stubs under a tiny one."
)
"""What a byte ceiling does beside saving."""

NOTHING: Final = "Nothing: no tool answered in JSON."
"""What limits would have done where there is nothing to cut."""

PRICES: Final = (
    "Of all combinations of the three limits, the one that would have saved most while it harmed "
    "no more answers than stand in front. It is chosen on all transcripts at once, in the "
    "knowledge of what they needed, so that later ones may be harmed more. It shows what a harmed "
    "answer buys, and is nothing to ship: what to set is chosen on earlier transcripts and judged "
    "on later ones. A number that is left out buys nothing."
)
"""What the settings at each price are."""

NO_PRICE: Final = (
    "No combination of the three limits saves anything while it harms ten answers or fewer."
)

WHOLE: Final = "The answers stay whole."
"""What it means that no limit is recommended."""

TOOLS: Final = (
    "Those with the most bytes first. A result that is no JSON is a message, an error or other "
    "output of the same tool. Asked again counts results of any form after which the like was "
    "asked again within 10 calls."
)
"""What the columns of the tools are."""

CURVES: Final = (
    "What each limit by itself would do to the answers of the largest tools: bytes saved, what "
    "those cost carried along, and harmed answers. Most tools have too few answers for an "
    "interval. All values and tools stand in frames/tool_curves.parquet; the figures show the "
    "largest."
)
"""What the tools under few values of each limit tell."""

BY_TOOL: Final = (
    "Tools differ: a limit that is harmless for one breaks another. sqlite-graphrag stores one "
    "number for the whole host; whoever builds a tool can set its own. Each tool's limit is chosen "
    "on its earlier answers and judged on its later ones. Each is one more chance to be confirmed "
    "by luck: of twenty tools with nothing to save, one is to be expected at 95 %."
)
"""What the tools by themselves tell."""

KEYS: Final = (
    "What each key of a tool's rows takes, and how often a later call quoted something that stands "
    "at it. Keys that were never quoted are candidates to leave out; the agent may have read them "
    "all the same. The keys that earlier transcripts quote are proposed, and recommended only if "
    "the later ones confirm that they are enough."
)
"""What the advice on keys rests on."""

METHOD: Final = (
    "The transcripts were read, not run again. Each JSON answer was arranged and cut as "
    "sqlite-graphrag 1.2.5 does it, byte for byte: rows beyond the limit, characters of each text "
    "beyond the limit, rows that do not fit the ceiling, and a record of what was removed. "
    "Failures and schema documents pass through untouched.",
    "Several JSON values in one result are cut each by itself. Results that are no JSON, and JSON "
    "that the harness cut short, are counted and left out.",
    "A quote must come in a later model response of the same thread, with the answer still in its "
    "context and in the same file, and is compared with tokens of the answer, letter by letter; a "
    "path or URL quotes its segments too, and an absolute path the relative one that it ends with. "
    "Numbers of one or two digits and plain words are no tokens, for they are written by chance. "
    "For a witness it is asked more widely whether another text named it: in a longer path, in a "
    "URL, in a key, by its last part, in other letters’ case. Just so widely it is asked whether "
    "what a limit leaves of the answer names a quote: only if nothing does, the quote is lost.",
    "The same saving is shown against several totals. A share of the bytes printed compactly says "
    "what a limit does to these answers; a share of all tool results or of new input tokens (what "
    "no cache held, by a modelled rate of bytes a token) says how much that matters. The first is "
    "the largest; do not quote it alone.",
    "The price of carrying an answer along is modelled: it is written to the prompt cache once "
    "(1.25 times the price of input) and read at each later request of the same context (0.1 "
    "times); the unit is bytes of uncached input.",
    "Intervals treat a conversation with its sub-agents, resumed and forked copies as one "
    "observation. A setting is chosen on the earlier transcripts and judged once on the later "
    "ones. It may be none.",
)
"""How the figures came about, one paragraph each."""

CAVEATS: Final = (
    (
        "What was not quoted may have been used",
        "An agent that reads a status, a date or a sentence and acts on it writes nothing down "
        "that could be found. Harm is therefore bounded from below. A limit without a harmed "
        "answer is not shown to be harmless.",
    ),
    (
        "What was quoted may have been found anyway",
        "An agent that misses an id can ask again, with a larger limit or a filter. That costs "
        "another call, which no figure here subtracts from the savings.",
    ),
    (
        "Answers are chosen by those who asked",
        "Of commands that already limit, select or filter their output less is to be saved. The "
        "shares are those of the tools and habits in these transcripts.",
    ),
    (
        "Rows are in the tool's order",
        "A limit keeps the first rows. Whether those are the best ones is up to the tool; where it "
        "sorts by relevance a limit costs less than where it sorts by date.",
    ),
)
"""What the figures cannot show: heading and paragraph."""
