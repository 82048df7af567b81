"""Words of the report on recall, for a reader who does not believe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ctxlab.recall.params import Recall

__all__ = [
    "CAVEATS",
    "CONTROLS",
    "KNOWN",
    "LEAKS",
    "METHOD",
    "NOTHING",
    "POINTERS",
    "SETTINGS",
    "SIGNAL",
    "STAYS",
]

KNOWN: Final[Mapping[str, str]] = {
    "measured": "counted. What the hook prints at a recorded prompt follows from the prompt and "
    "the graph, to the byte; what the agent used afterwards stands in the log. It holds for the "
    "course that was recorded: with the hook, agent and user might have gone on otherwise.",
    "modelled": "rests on a model that these logs cannot check: bytes in tokens, and the price of "
    "carrying them along.",
}
"""What the ways in which a figure is known mean here."""

STAYS: Final[Mapping[str, tuple[str, str]]] = {
    "default": (
        "The shipped settings stay.",
        "No other one prints less and is sure to keep what was used.",
    ),
    "none": (
        "No floor is recommended.",
        "These logs give no ground to raise a floor above the shipped min_hit_score "
        f"{Recall().min_hit_score:g}; they do not show that this one is right either.",
    ),
}
"""What is said where nothing is recommended, by status."""

SIGNAL: Final = (
    "A floor (min_hit_score) prints nothing where the best score of the prompt is low. That is of "
    "use only if a low score means less use. The AUC is the share of pairs of a prompt with a used "
    "pointer and one without in which the first scores higher: 0.5 is chance, 1 is perfect. Where "
    "the interval of the first or the second row includes 0.5, no floor is recommended.",
    "Scores grow with the size of the graph, so a large project can make the first row look good; "
    "the second compares prompts of one project. The third counts as used only what the prompt "
    "had not named: it says whether the score finds what the agent was not told already. "
    "Effective families: how many equal ones would weigh as much.",
)
"""What the test of the score is."""

POINTERS: Final = (
    "A pointer is one printed line that names a file or a symbol; a digest is what is printed at "
    "one prompt, at most six pointers as shipped. A pointer was used if the agent opened or edited "
    "its file, or wrote its path or name, before the next prompt. Mostly no hook ran: the agent "
    "found these by itself, and no figure says what it would have done with the pointers.",
)
"""What is counted."""

NOTHING: Final = "Nothing: no prompt has a graph to be looked up in."
"""What a hook would have printed where it has nothing to look in."""

SETTINGS: Final = (
    "“As shipped” is mushroomdb 0.6.12; the rows below change only what they name. The last is the "
    "coverage gate of mushroomdb 0.7, which has no floor. “File opened with no search before”: "
    "there, no search was left to save. “Used files pointed at” is of all files of the graph, as "
    "it was at the prompt, that the agent opened or edited before the next one, whether or not "
    "anything led there."
)
"""What the rows are."""

LEAKS: Final = (
    "Let through: passed the gate though no file, symbol or other node of the graph bears that "
    "name; it may still match words of a text. Missed: did not pass though a node bears exactly "
    "that name."
)
"""What the gate does wrong."""

CONTROLS: Final = (
    (
        "unrelated",
        "a prompt that was asked earlier in another project, put to this project's graph. It fires "
        "by chance: shared file names, ordinary words. No other projects are clones of one "
        "repository, as far as they show it: by their directories or the files they share.",
    ),
    (
        "joined",
        "two real topics of the project in one question that nobody asked. Both exist, so nearly "
        "every gate fires; the pointers cannot tell how the two hang together.",
    ),
    (
        "absent",
        "a recorded prompt in which every name that the graph holds was replaced by one that it "
        "does not hold. A gate by identifiers is silent on it by construction, which says nothing "
        "for it; a gate by words is tried, as all other words stay and the new names are made of "
        "the project's own.",
    ),
)
"""The three kinds of negative controls, and what each can show."""

METHOD: Final = (
    "The transcripts were read, not run again. Each prompt that a user typed was put to the policy "
    "of a prompt hook: it takes the identifiers that the prompt names, looks them up as phrases "
    "in full-text indexes over the project's graph, and prints a few pointers at files and "
    "symbols, or nothing.",
    "The graph is as of the prompt. From a repository it is that of the last commit before the "
    "prompt; from transcripts it is what earlier turns and earlier transcripts of the same "
    "project had shown. Later commits, turns and transcripts change nothing; a test proves it. An "
    "export whose nodes have no times may know more than the prompt could; its row says so.",
    "One look-up of a prompt serves all settings: floors act on one number of the prompt, the "
    "most pointers and bytes cut a prefix of one ranked list.",
    "The price of carrying a digest along is modelled: it is written to the prompt cache once "
    "(1.25 times the price of input) and read at each later request of the same context (0.1 "
    "times); the unit is uncached input tokens.",
    "Intervals treat a conversation with its sub-agents, resumed and forked copies as one "
    "observation. A setting is chosen on the earlier transcripts and judged on the later ones, and "
    "must keep nearly all pointers that the shipped default prints and agents used. It may be "
    "none.",
)
"""How the figures came about, one paragraph each."""

CAVEATS: Final = (
    (
        "The agent did not see these pointers",
        "Mostly no hook ran in these transcripts. What the agent opened it found by itself; a "
        "pointer might have saved a search there, or nothing. A pointer that it did not use might "
        "have led it elsewhere. Only a trial with and without the hook can tell.",
    ),
    (
        "Much of what is used was named by the prompt",
        "Who writes a path into the prompt gets it back as a pointer, and the agent then opens it. "
        "That counts as used, and tells the agent nothing. Only what was used and not named can "
        "have told it something; and the agent may have known that too, from earlier turns.",
    ),
    (
        "What earlier transcripts showed is not the repository",
        "Without the repository at hand the graph holds what agents were served or edited before: "
        "the first prompts of a project meet an empty graph, files nobody opened are missing, and "
        "commits and documents are not in it. Its figures are those of a younger, smaller graph.",
    ),
    (
        "A quote is found by its form",
        "Names are taken from what the agent wrote if they look like code: paths, names with an "
        "underscore, digit or inner capital, calls, names in backticks. An ordinary word that is "
        "also the name of a function is seen in such places only.",
    ),
    (
        "Other people's prompts may differ",
        "Everything here describes these prompts and graphs. A score grows with the size of the "
        "graph, so that a floor does not transfer from one repository to another.",
    ),
)
"""What the figures cannot show: heading and paragraph."""
