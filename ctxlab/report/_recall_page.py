"""Content of a report on recall to one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.report._evidence import described, problems
from ctxlab.report._frame import how_known, page, pictures
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._recall_words import (
    CAVEATS,
    CONTROLS,
    KNOWN,
    LEAKS,
    METHOD,
    POINTERS,
    SETTINGS,
    SIGNAL,
    STAYS,
)
from ctxlab.report._tables import Column, settings, table
from ctxlab.report.content import Number
from ctxlab.report.recall import FloorText, RecallContent

__all__ = ["render_recall"]

_ORIGIN_CHARS = 1000


def render_recall(content: RecallContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    read = join([described(content.data), problems(content.problems)])
    return page(
        content.title,
        content.generated,
        content.versions,
        (
            ("short", "In short", _sentences(content.short)),
            (
                "recommendation",
                "What to set",
                element("div", *map(_recommendation, content.recommendations), class_="cards"),
            ),
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


def _sentences(given: Sequence[str]) -> Html:
    return element("ul", *(element("li", sentence(text)) for text in given))


def _recommendation(given: FloorText) -> Html:
    parts = [element("h3", given.title)]
    if given.status == "recommended":
        parts.append(element("p", element("strong", "Recommended: "), settings(given.ship)))
    else:
        said, because = STAYS[given.status]
        parts.append(element("p", element("strong", said), " ", because))
    if given.status == "none" and given.ship:
        parts.append(element("p", "Chosen, and not confirmed: ", settings(given.ship), "."))
    if given.judged:
        parts.append(element("p", sentence(given.judged)))
    if given.warnings:
        parts += [element("p", "Before you ship it:"), _sentences(given.warnings)]
    if given.reasons:
        parts += [element("p", "Why:"), _sentences(given.reasons)]
    return element("article", *parts, class_=f"card {given.status}")


def _signal(content: RecallContent) -> Html:
    rows = content.signal
    return join(
        [
            *(element("p", text) for text in SIGNAL),
            table(
                "AUC of a prompt's best score against use, with its 95 % interval by family",
                [
                    Column("Compared", [untrusted(row.compared) for row in rows]),
                    Column("AUC", [row.auc for row in rows]),
                    Column("What it means", [untrusted(row.verdict) for row in rows]),
                    Column("Prompts with a used pointer", [_count(row.used) for row in rows]),
                    Column("… without", [_count(row.unused) for row in rows]),
                    Column("Families", [_count(row.families) for row in rows]),
                    Column("Effective families", [_count(row.effective_families) for row in rows]),
                ],
            ),
        ]
    )


def _count(value: float) -> Number:
    return Number(value, "count", "measured")


def _outcomes(content: RecallContent) -> Html:
    rows = content.outcomes
    labels = Column("Setting", [untrusted(row.label) for row in rows])

    def part(caption: str, figures: Sequence[Mapping[str, Number]]) -> Html:
        return table(
            caption, [labels, *(Column(name, [f[name] for f in figures]) for name in figures[0])]
        )

    return join(
        [
            *(element("p", text) for text in POINTERS),
            part(
                "Whether the printed pointers were used; 95 % interval by family",
                [row.use for row in rows],
            ),
            part("What they reach of what was used", [row.found for row in rows]),
            element("p", SETTINGS),
            part("How often it fires, and fires where it should not", [r.controls for r in rows]),
            element("p", "Controls are questions to which silence is the right answer:"),
            element(
                "ul",
                *(element("li", element("strong", name), ": ", text) for name, text in CONTROLS),
            ),
            part("How much is printed", [row.amount for row in rows]),
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
                        Column("Prompts that hold it", [_count(float(n)) for n in prompts]),
                        Column("… in which it matches", [_count(float(n)) for n in matched]),
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
        Column("Prompts", [_count(float(n)) for n in prompts]),
        Column("… without a graph", [_count(float(n)) for n in without]),
        Column("Node states a prompt can see", [_count(float(n)) for n in states]),
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


def _caveats(content: RecallContent) -> Html:
    more = (part for head, text in CAVEATS for part in (element("h3", head), element("p", text)))
    return join([_sentences(content.caveats), *more])
