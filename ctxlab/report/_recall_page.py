"""Content of a report on recall to one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.report._evidence import described, problems
from ctxlab.report._frame import (
    card,
    caveats,
    how_known,
    page,
    paragraphs,
    pictures,
    sentences,
)
from ctxlab.report._html import Html, element, join, untrusted
from ctxlab.report._recall_words import (
    CAVEATS,
    CONTROLS,
    KNOWN,
    LEAKS,
    METHOD,
    NOTHING,
    POINTERS,
    SETTINGS,
    SIGNAL,
    STAYS,
)
from ctxlab.report._tables import Column, by_head, count, table
from ctxlab.report.content import Advice
from ctxlab.report.recall import RecallContent

__all__ = ["render_recall"]

_ORIGIN_CHARS = 1000


def render_recall(content: RecallContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    read = described(content.data), problems(content.problems)
    return page(
        content,
        (
            ("short", "In short", sentences(content.short)),
            (
                "recommendation",
                "What to set",
                element("div", *map(_card, content.recommendations), class_="cards"),
            ),
            ("signal", "Whether the score tells anything", _signal(content)),
            ("outcome", "What it would have printed", _outcomes(content)),
            ("figures", "Figures", pictures(content.pictures)),
            ("leaks", "What the identifier gate lets through, and misses", _leaks(content)),
            ("graph", "In what the prompts were looked up", _graphs(content)),
            ("data", "What was read, and what could not be", join(read)),
            ("method", "Method", paragraphs(METHOD)),
            ("caveats", "What these figures cannot show", caveats(content.caveats, CAVEATS)),
        ),
    )


def _card(given: Advice) -> Html:
    return card(given, *STAYS.get(given.status, ("", "")))


def _signal(content: RecallContent) -> Html:
    rows = content.signal
    return join(
        [
            paragraphs(SIGNAL),
            table(
                "AUC of a prompt's best score against use, with its 95 % interval by family",
                [
                    Column("Compared", [untrusted(row.compared) for row in rows]),
                    Column("AUC", [row.auc for row in rows]),
                    Column("What it means", [untrusted(row.verdict) for row in rows]),
                    Column("Prompts with a used pointer", [count(row.used) for row in rows]),
                    Column("… without", [count(row.unused) for row in rows]),
                    Column("Families", [count(row.families) for row in rows]),
                    Column("Effective families", [count(row.effective_families) for row in rows]),
                ],
            ),
        ]
    )


def _outcomes(content: RecallContent) -> Html:
    rows = content.outcomes
    if not rows:
        return join([element("p", NOTHING), _funnel(content)])
    labels = [Column("Setting", [untrusted(row.label) for row in rows])]
    return join(
        [
            paragraphs(POINTERS),
            by_head(
                "Whether the printed pointers were used; 95 % interval by family",
                labels,
                [row.use for row in rows],
            ),
            by_head("What they reach of what was used", labels, [row.found for row in rows]),
            element("p", SETTINGS),
            by_head(
                "How often it fires, and fires where it should not",
                labels,
                [row.controls for row in rows],
            ),
            element("p", "Controls are questions to which silence is the right answer:"),
            element(
                "ul",
                *(element("li", element("strong", name), ": ", text) for name, text in CONTROLS),
            ),
            by_head("How much is printed", labels, [row.amount for row in rows]),
            _funnel(content),
            how_known(KNOWN),
        ]
    )


def _funnel(content: RecallContent) -> Html:
    numbers, shares = zip(*content.funnel.values(), strict=True)
    left_out = f"Prompts without a graph, in no figure: {content.left_out:,}."
    return join(
        [
            table(
                "From all prompts to those after which a pointer was used, or nothing",
                [
                    Column("Prompts", list(content.funnel)),
                    Column("Number", numbers),
                    Column("Share of all", shares),
                ],
            ),
            *([element("p", left_out)] if content.left_out else []),
        ]
    )


def _leaks(content: RecallContent) -> Html:
    if not content.leaks:
        return element("p", "Nothing: every term that passed names something, and none was missed.")
    terms, kinds, classes, prompts, matched = _columns(content.leaks)
    shown, in_all = len(content.leaks), content.leaks_in_all
    return join(
        [
            element("p", LEAKS),
            element(
                "details",
                element(
                    "summary",
                    f"Show the {shown:,} most frequent words of {in_all:,}; all in "
                    "frames/gate_leaks.parquet",
                ),
                table(
                    "Words of the prompts",
                    [
                        Column("Word", [untrusted(str(term)) for term in terms]),
                        Column("What happened", [untrusted(str(kind)) for kind in kinds]),
                        Column("Looks like", [untrusted(str(name)) for name in classes]),
                        Column("Prompts that hold it", [count(n) for n in prompts]),
                        Column("… in which it matches", [count(n) for n in matched]),
                    ],
                ),
            ),
        ]
    )


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return list(zip(*rows, strict=True))


def _graphs(content: RecallContent) -> Html:
    rows = sorted(content.graphs, key=lambda row: -row[1])
    if not rows:
        return element("p", "No transcript holds a prompt.")
    names, prompts, without, states, origins = _columns(rows)
    same = len(set(origins)) == 1
    columns = [
        Column("Project", [untrusted(str(name)) for name in names]),
        Column("Prompts", [count(n) for n in prompts]),
        Column("… without a graph", [count(n) for n in without]),
        Column("Node states a prompt can see", [count(n) for n in states]),
    ]
    shown = [untrusted(str(origin), _ORIGIN_CHARS) for origin in origins]
    if not same:
        columns.append(Column("Where it is from", shown))
    return join(
        [
            element("p", "Graph: ", untrusted(content.graph), *([": ", shown[0]] if same else [])),
            table("Projects, and what their prompts could be looked up in", columns),
        ]
    )
