"""Content of a report on surface to one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxlab.report._evidence import described, problems
from ctxlab.report._frame import how_known, page, pictures
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
    PRICES,
    SETTINGS,
    TOOLS,
)
from ctxlab.report._tables import Column, settings, table
from ctxlab.report.content import Number
from ctxlab.report.surface import LimitText, SurfaceContent

__all__ = ["render_surface"]


def render_surface(content: SurfaceContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    read = join([described(content.data), problems(content.problems)])
    return page(
        content.title,
        content.generated,
        content.versions,
        (
            ("short", "In short", _sentences(content.short)),
            ("recommendation", "What to set", _recommendations(content)),
            ("outcome", "What limits would have done", _outcomes(content)),
            ("prices", "What care costs", _prices(content)),
            ("tools", "Tool by tool", _tools(content)),
            ("keys", "Keys of their rows", _keys(content)),
            ("figures", "Figures", pictures(tuple(content.pictures.values()))),
            ("data", "What was read, and what could not be", read),
            ("method", "Method", join(element("p", text) for text in METHOD)),
            ("caveats", "What these figures cannot show", _caveats(content)),
        ),
    )


def _sentences(given: Sequence[str]) -> Html:
    return element("ul", *(element("li", sentence(text)) for text in given))


def _recommendations(content: SurfaceContent) -> Html:
    cards = [_card(content.recommendation, "No limit is recommended.")]
    cards += [_card(one, "") for one in content.by_tool if one.status == "recommended"]
    return element("div", *cards, class_="cards")


def _card(given: LimitText, none: str) -> Html:
    parts = [element("h3", untrusted(given.title))]
    if given.status == "recommended":
        parts.append(element("p", element("strong", "Recommended: "), settings(given.ship)))
    else:
        parts.append(element("p", element("strong", none), " The answers stay whole."))
        if given.ship:
            parts.append(element("p", "Chosen, and not confirmed: ", settings(given.ship), "."))
    if given.judged:
        parts.append(element("p", sentence(given.judged)))
    if given.reasons:
        parts += [element("p", "Why:"), _sentences(given.reasons)]
    return element("article", *parts, class_=f"card {given.status}")


def _outcomes(content: SurfaceContent) -> Html:
    rows = content.outcomes
    labels = Column("Setting", [untrusted(row.label) for row in rows])

    def part(caption: str, figures: Sequence[Mapping[str, Number]]) -> Html:
        return table(
            caption, [labels, *(Column(name, [f[name] for f in figures]) for name in figures[0])]
        )

    return join(
        [
            *(element("p", text) for text in ANSWERS),
            part("What is lost; 95 % interval by family", [row.loss for row in rows]),
            part("What is saved; a minus sign is a loss", [row.saving for row in rows]),
            element("p", SETTINGS),
            part("What limits do beside", [row.hazards for row in rows]),
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
            table(
                "Most bytes saved for so many harmed answers, chosen with hindsight: not to ship",
                [
                    Column("Harmed answers allowed", [f"{row.allowed:,}" for row in rows]),
                    Column("Setting", [settings(row.setting) for row in rows]),
                    *(Column(head, [r.figures[head] for r in rows]) for head in rows[0].figures),
                ],
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
            _by_tool("Tools, those with the most bytes first", content.tools),
            element("p", CURVES),
            _by_tool("The largest tools under a byte ceiling", content.curves),
            _verdicts("Show the limit of each tool by itself", verdicts),
        ]
    )


def _by_tool(caption: str, rows: Sequence[tuple[str, Mapping[str, Number]]]) -> Html:
    figures = [of for _, of in rows]
    return table(
        caption,
        [
            Column("Tool", [untrusted(name) for name, _ in rows]),
            *(Column(head, [of[head] for of in figures]) for head in figures[0]),
        ],
    )


def _verdicts(summary: str, verdicts: Mapping[str, LimitText]) -> Html:
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
                        Column("Rows", [_count(n) for n in rows]),
                        Column("Bytes", [Number(float(n), "bytes", "measured") for n in sizes]),
                        Column("Share", [Number(float(n), "share", "measured") for n in shares]),
                        Column("Quotes", [_count(n) for n in quotes]),
                        Column("Witnesses", [_count(n) for n in witnesses]),
                        Column("Families that quote it", [_count(n) for n in families]),
                        Column("Proposed", ["yes" if one else "no" for one in kept]),
                    ],
                ),
            ),
        ]
    )


def _count(value: float) -> Number:
    return Number(float(value), "count", "measured")


def _caveats(content: SurfaceContent) -> Html:
    more = (part for head, text in CAVEATS for part in (element("h3", head), element("p", text)))
    return join([_sentences(content.caveats), *more])
