"""Content of a report on recall to one HTML page."""

from __future__ import annotations

from ctxlab.report._evidence import data
from ctxlab.report._frame import how_known, page, pictures
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._recall_words import CAVEATS, CONTROLS, METHOD
from ctxlab.report._tables import Column, settings, table
from ctxlab.report.content import Number
from ctxlab.report.recall import RecallContent

__all__ = ["render_recall"]


def render_recall(content: RecallContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    read = data(content.data, None, content.problems)
    return page(
        content.title,
        content.generated,
        content.versions,
        (
            ("recommendation", "What to set", _recommendation(content)),
            ("signal", "Whether the score tells anything", _signal(content)),
            ("outcome", "What it would have printed", _outcomes(content)),
            ("figures", "Figures", pictures(tuple(content.pictures.values()))),
            ("leaks", "What the identifier gate lets through, and misses", _leaks(content)),
            ("graph", "In what the prompts were looked up", _graphs(content)),
            ("data", "What was read, and what could not be", read),
            ("method", "Method", join(element("p", text) for text in METHOD)),
            ("caveats", "What these figures cannot show", _caveats(content)),
        ),
    )


def _recommendation(content: RecallContent) -> Html:
    said = {
        "recommended": "Recommended",
        "default": "The shipped default stays.",
        "none": "No floor is recommended.",
    }[content.status]
    if content.status == "recommended":
        head = element("p", element("strong", said, ": "), settings(content.ship))
    else:
        head = element("p", element("strong", said))
    parts = [head]
    if content.judged:
        parts.append(element("p", sentence(content.judged)))
    parts.append(element("ul", *(element("li", sentence(r)) for r in content.reasons)))
    return element("article", *parts, class_=f"card {content.status}")


def _signal(content: RecallContent) -> Html:
    rows = content.signal
    return join(
        [
            element(
                "p",
                "AUC: how often a prompt of which a line was used scores higher than one of which "
                "none was. 0.5 is chance: then a floor drops used and unused lines alike. A score "
                "grows with the size of the graph, so prompts of the same project are compared "
                "too. Where the interval of either includes 0.5, no floor is recommended.",
            ),
            table(
                "Best score of a phrase against revealed use, 95 % interval by family",
                [
                    Column("Compared", [untrusted(row.compared) for row in rows]),
                    Column("AUC", [row.auc for row in rows]),
                    Column("Used", [_count(row.used) for row in rows]),
                    Column("Unused", [_count(row.unused) for row in rows]),
                    Column("Families", [_count(row.families) for row in rows]),
                    Column("Effective", [_count(row.effective_families) for row in rows]),
                    Column(
                        "Indicative only",
                        ["yes: few families" if row.indicative else "no" for row in rows],
                    ),
                ],
            ),
        ]
    )


def _count(value: float) -> Number:
    return Number(value, "count", "measured")


def _outcomes(content: RecallContent) -> Html:
    rows = content.outcomes
    columns = [Column("Setting", [untrusted(row.label) for row in rows])]
    columns += [Column(name, [row.figures[name] for row in rows]) for name in rows[0].figures]
    return join(
        [
            table("What each setting would have printed at these prompts", columns),
            element("p", "Controls, to which silence is the right answer:"),
            element(
                "ul",
                *(element("li", element("strong", name), ": ", text) for name, text in CONTROLS),
            ),
            table(
                "From all prompts to those of which a line was used",
                [
                    Column("Prompts", list(content.funnel)),
                    Column("Number", list(content.funnel.values())),
                ],
            ),
            how_known(),
        ]
    )


def _leaks(content: RecallContent) -> Html:
    if not content.leaks:
        return element("p", "Nothing: every term that passed names something, and none was missed.")
    terms, kinds, classes, prompts, matched = zip(*content.leaks, strict=True)
    return element(
        "details",
        element(
            "summary", f"Show the {len(content.leaks):,} most frequent of {content.leaks_in_all:,}"
        ),
        element(
            "p",
            "Let through: passed the gate though nothing in the graph bears the name. Missed: did "
            "not pass though something bears exactly that name.",
        ),
        table(
            "Words of the prompts",
            [
                Column("Word", [untrusted(str(term)) for term in terms]),
                Column("What happened", [untrusted(str(kind)) for kind in kinds]),
                Column("Looks like", [untrusted(str(name)) for name in classes]),
                Column("Prompts", [_count(float(n)) for n in prompts]),
                Column("Matched a phrase", [_count(float(n)) for n in matched]),
            ],
        ),
    )


def _graphs(content: RecallContent) -> Html:
    rows = content.graphs
    if not rows:
        return element("p", "No transcript holds a prompt.")
    names, prompts, without, states, origins = zip(*rows, strict=True)
    return join(
        [
            element("p", "Graph: ", untrusted(content.graph), ". Nothing later than a prompt."),
            table(
                "Projects",
                [
                    Column("Project", [untrusted(str(name)) for name in names]),
                    Column("Prompts", [_count(float(n)) for n in prompts]),
                    Column("… without a graph", [_count(float(n)) for n in without]),
                    Column("States of nodes", [_count(float(n)) for n in states]),
                    Column("Where it is from", [untrusted(str(origin)) for origin in origins]),
                ],
            ),
        ]
    )


def _caveats(content: RecallContent) -> Html:
    said = element("ul", *(element("li", text) for text in content.caveats))
    more = (part for head, text in CAVEATS for part in (element("h3", head), element("p", text)))
    return join([said, *more])
