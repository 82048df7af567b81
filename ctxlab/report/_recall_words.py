"""Method and caveats of the report on recall, for a reader who does not believe it."""

from __future__ import annotations

from typing import Final

__all__ = ["CAVEATS", "CONTROLS", "METHOD"]

CONTROLS: Final = (
    (
        "unrelated",
        "a prompt of another project, asked of this project's graph. It fires by chance: shared "
        "file names, ordinary words.",
    ),
    (
        "joined",
        "two real topics of the project in one question that nobody asked. Both exist, so nearly "
        "every gate fires; the lines cannot tell how the two hang together.",
    ),
    (
        "absent",
        "a recorded prompt whose subject was renamed to something that the graph does not hold. "
        "A gate by identifiers is silent on the new name by construction and fires by what else "
        "the sentence holds.",
    ),
)
"""The three kinds of negative controls, and what each can show."""

METHOD: Final = (
    "The transcripts were read, not run again. Each prompt that a user typed was put to the policy "
    "of a prompt hook: it takes the identifiers that the prompt names, looks them up as phrases "
    "in full-text indexes over the project's graph, and prints a few lines that point at files and "
    "symbols, or nothing.",
    "The graph is as of the prompt. From a repository it is that of the last commit before the "
    "prompt; from transcripts it is what earlier turns and earlier transcripts of the same "
    "project had shown. Later commits, turns and transcripts change nothing; a test proves it.",
    "A line was used if the agent opened or edited its file, or wrote its path or name, before the "
    "next prompt. It was new if the prompt had not named it already. It was opened without a "
    "search if no search came before the file was first read.",
    "One look-up of a prompt serves all settings: floors act on one number of the prompt, lines "
    "and bytes cut a prefix of one ranked list.",
    "The price of carrying a digest along is modelled: it is written to the prompt cache once "
    "(1.25 times the price of input) and read at each later request of the same context (0.1 "
    "times); the unit is uncached input tokens.",
    "Intervals treat a conversation with its sub-agents, resumed and forked copies as one "
    "observation. A setting is chosen on the earlier transcripts and judged on the later ones, and "
    "must keep nearly all lines that the shipped default prints and agents used. It may be none.",
)
"""How the figures came about, one paragraph each."""

CAVEATS: Final = (
    (
        "The agent did not see these lines",
        "Mostly no hook ran in these transcripts. What the agent opened it found by itself; a line "
        "that points there might have saved a search, or nothing. A line that it did not use "
        "might have led it elsewhere. Only a trial with and without the hook can tell.",
    ),
    (
        "Much of what is used was named by the prompt",
        "Who writes a path into the prompt gets it back as a line, and the agent then opens it. "
        "That counts as used, and tells the agent nothing. The column of used and new lines leaves "
        "these out.",
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
