"""Content of a report on surface to one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._surface_words import (
    ANSWERS,
    BY_TOOL,
    CAVEATS,
    CURVES,
    HAZARDS,
    KEYS,
    KNOWN,
    METHOD,
    NO_PRICE,
    NOTHING,
    PRICES,
    SETTINGS,
    TOOLS,
    WHOLE,
)
from ctxlab.report._tables import Column, by_head, count, settings, table
from ctxlab.report.content import Advice, Number
from ctxlab.report.surface import SurfaceContent

__all__ = ["render_surface"]

_MOST_TOOLS = 12
_MOST_CARDS = 5


def render_surface(content: SurfaceContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    read = described(content.data), problems(content.problems)
    return page(
        content,
        (
            ("short", "In short", sentences(content.short)),
            ("recommendation", "What to set", _recommendations(content)),
            ("outcome", "What limits would have done", _outcomes(content)),
            ("prices", "What care costs", _prices(content)),
            ("tools", "Tool by tool", _tools(content)),
            ("keys", "Keys of their rows", _keys(content)),
            ("figures", "Figures", pictures(content.pictures)),
            ("data", "What was read, and what could not be", join(read)),
            ("method", "Method", paragraphs(METHOD)),
            ("caveats", "What these figures cannot show", caveats(content.caveats, CAVEATS)),
        ),
    )


def _recommendations(content: SurfaceContent) -> Html:
    cards = [card(content.recommendation, "No limit is recommended.", WHOLE)]
    own = [one for one in content.by_tool if one.status == "recommended"]
    cards += [card(one, "", WHOLE) for one in own[:_MOST_CARDS]]
    parts = [element("div", *cards, class_="cards")]
    if len(own) > _MOST_CARDS:
        link = element("a", "tool by tool", href="#tools")
        n = f"{len(own) - _MOST_CARDS:,}"
        parts.append(element("p", f"A limit of its own is recommended for {n} more: ", link, "."))
    return join(parts)


def _outcomes(content: SurfaceContent) -> Html:
    rows = content.outcomes
    if not rows:
        return element("p", NOTHING)
    labels = [Column("Setting", [untrusted(row.label) for row in rows])]
    return join(
        [
            paragraphs(ANSWERS),
            by_head("What is lost; 95 % interval by family", labels, [row.loss for row in rows]),
            by_head("What is saved; a minus sign is a loss", labels, [row.saving for row in rows]),
            element("p", SETTINGS),
            by_head("What limits do beside", labels, [row.hazards for row in rows]),
            element("p", HAZARDS),
            how_known(KNOWN),
        ]
    )


def _prices(content: SurfaceContent) -> Html:
    rows = content.prices
    if not rows:
        return element("p", NO_PRICE)
    return join(
        [
            element("p", PRICES),
            by_head(
                "Most bytes saved for so many harmed answers, chosen with hindsight: not to ship",
                [
                    Column("Harmed answers allowed", [f"{row.allowed:,}" for row in rows]),
                    Column("Setting", [settings(row.setting) for row in rows]),
                ],
                [row.figures for row in rows],
            ),
        ]
    )


def _tools(content: SurfaceContent) -> Html:
    if not content.tools:
        return element("p", "No tool answered in JSON.")
    verdicts = {one.title: one for one in content.by_tool}
    return join(
        [
            element("p", BY_TOOL),
            element("p", TOOLS),
            *_first_and_others("What their answers are", content.tools),
            *_first_and_others("What the recommended setting does", content.under_setting),
            *_curves(content),
            _verdicts("Show the limit of each tool by itself", verdicts),
        ]
    )


def _curves(content: SurfaceContent) -> list[Html]:
    if not content.curves:
        return []
    return [
        element("p", CURVES),
        *(
            _by_tool(f"The largest tools under {knob}", rows)
            for knob, rows in content.curves.items()
        ),
    ]


def _first_and_others(caption: str, rows: Sequence[tuple[str, Mapping[str, Number]]]) -> list[Html]:
    """The largest tools, and the others behind a word."""
    if not rows:
        return []
    first, others = rows[:_MOST_TOOLS], rows[_MOST_TOOLS:]
    if not others:
        return [_by_tool(caption, first)]
    summary = element("summary", f"Show {len(others):,} more")
    return [
        _by_tool(caption, first),
        element("details", summary, _by_tool(f"{caption}: the others", others)),
    ]


def _by_tool(caption: str, rows: Sequence[tuple[str, Mapping[str, Number]]]) -> Html:
    tools = Column("Tool", [untrusted(name) for name, _ in rows])
    return by_head(caption, [tools], [figures for _, figures in rows])


def _verdicts(summary: str, verdicts: Mapping[str, Advice]) -> Html:
    """One row a tool: what was chosen for it, and what became of that."""
    return element(
        "details",
        element("summary", summary),
        table(
            "Chosen on the earlier answers of each, judged on its later ones",
            [
                Column("Tool", [untrusted(tool) for tool in verdicts]),
                Column(
                    "Verdict",
                    [
                        "recommended" if one.status == "recommended" else "none"
                        for one in verdicts.values()
                    ],
                ),
                Column("Chosen", [settings(one.ship) for one in verdicts.values()]),
                Column(
                    "How it did, or why not",
                    [
                        sentence(" ".join(filter(None, (one.judged, *one.reasons))))
                        for one in verdicts.values()
                    ],
                ),
            ],
        ),
    )


def _keys(content: SurfaceContent) -> Html:
    if not content.keys:
        return element("p", "No answer holds rows with keys.")
    tools, keys, rows, sizes, shares, quotes, witnesses, families, kept = zip(
        *content.keys, strict=True
    )
    advice = {one.title: one for one in content.key_advice}
    return join(
        [
            element("p", KEYS),
            _verdicts("Show which keys to select of each tool", advice),
            element(
                "details",
                element(
                    "summary",
                    f"Show {len(keys):,} keys of {content.keys_in_all:,}; all in "
                    "frames/keys.parquet",
                ),
                table(
                    "Keys of rows, by tool",
                    [
                        Column("Tool", [untrusted(str(tool)) for tool in tools]),
                        Column("Key", [untrusted(str(key)) for key in keys]),
                        Column("Rows", [count(n) for n in rows]),
                        Column("Bytes", [Number(float(n), "bytes", "measured") for n in sizes]),
                        Column("Share", [Number(float(n), "share", "measured") for n in shares]),
                        Column("Quotes", [count(n) for n in quotes]),
                        Column("Witnesses", [count(n) for n in witnesses]),
                        Column("Families that quote it", [count(n) for n in families]),
                        Column("Proposed", ["yes" if one else "no" for one in kept]),
                    ],
                ),
            ),
        ]
    )
