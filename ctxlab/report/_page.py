"""Report content to one HTML page: no script, no network, nothing outside the file."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from ctxlab.plots import svg_text
from ctxlab.report._evidence import NOT_COUNTED, again, data
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._style import CSS
from ctxlab.report._tables import Column, number, outcomes, setting, settings
from ctxlab.report._words import CAVEATS, CERTIFICATE_CAVEATS, KNOWN, METHOD
from ctxlab.report.content import (
    Outcome,
    Picture,
    RecommendationText,
    ReportContent,
)

__all__ = ["render"]


def render(content: ReportContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    sections = (
        ("recommendations", "What to set", _recommendations(content)),
        ("outcome", "What it would have done", _headline(content)),
        ("figures", "Figures", _pictures(content.pictures)),
        ("again", "How often agents go back anyway", again(content)),
        ("data", "What was read, and what could not be", data(content)),
        ("settings", "Selected settings", _sweep(content.sweep, content.computed)),
        ("method", "Method", join(element("p", text) for text in METHOD)),
        ("caveats", "What these figures cannot show", _caveats()),
    )
    links = [element("li", element("a", head, href=f"#{name}")) for name, head, _ in sections]
    made = ", ".join(f"{name} {version}" for name, version in content.versions.items())
    body = element(
        "body",
        element(
            "header",
            element("h1", untrusted(content.title)),
            element("p", "Made ", untrusted(content.generated), " with ", untrusted(made), "."),
            element("nav", element("ul", *links), aria_label="Contents"),
        ),
        element(
            "main",
            *(
                element("section", element("h2", head), inner, id=name)
                for name, head, inner in sections
            ),
        ),
    )
    return f"<!DOCTYPE html>\n{element('html', _head(content.title), body, lang='en')}\n"


def _head(title: str) -> Html:
    digest = base64.b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Html(CSS)),
    )


def _recommendations(content: ReportContent) -> Html:
    if not content.recommendations:
        return element("p", NOT_COUNTED)
    parts = [element("div", *map(_recommendation, content.recommendations), class_="cards")]
    if content.difference:
        parts.append(element("p", sentence(content.difference)))
    if content.notes:
        parts.append(element("ul", *(element("li", sentence(note)) for note in content.notes)))
    return join(parts)


def _recommendation(given: RecommendationText) -> Html:
    parts = [element("h3", given.title)]
    if given.status == "none":
        parts.append(element("p", element("strong", "No setting is recommended.")))
    elif given.outcome is not None:
        parts.append(
            element("p", element("strong", "Recommended: "), settings(given.outcome.settings))
        )
    if given.outcome is not None:
        parts.append(_in_short(given.outcome))
    if given.interval:
        parts.append(element("p", "Interval: ", sentence(given.interval)))
    parts.append(element("ul", *(element("li", sentence(r)) for r in given.reasons)))
    if given.certificate is None:
        parts.append(element("p", "No certificate was issued."))
    else:
        facts = [
            part
            for name, value in given.certificate.items()
            for part in (element("dt", untrusted(name)), element("dd", untrusted(str(value))))
        ]
        name = "Certificate:" if given.status == "recommended" else "Judgement:"
        parts += [element("p", name), element("dl", *facts)]
    return element("article", *parts, class_=f"card {given.status}")


def _in_short(outcome: Outcome) -> Html:
    return element(
        "p",
        "On all transcripts: harmful pointers: ",
        number(outcome.harmful, beside=False),
        " of ",
        number(outcome.pointers, beside=False),
        " pointers, ",
        element("small", outcome.harmful.known or "not measured"),
        "; net saving: ",
        number(outcome.net_bytes),
        "; share: ",
        number(outcome.of_touched),
        ".",
    )


def _headline(content: ReportContent) -> Html:
    known = [element("li", element("strong", name), ": ", text) for name, text in KNOWN.items()]
    legend = [element("p", "Each figure says how it is known:"), element("ul", *known)]
    if not content.headline:
        return join([element("p", NOT_COUNTED), *legend])
    labels = [
        join([untrusted(row.label), " ", element("small", settings(row.settings))])
        for row in content.headline
    ]
    caption = "Outcome of each setting on these transcripts; a minus sign is a loss"
    return join([outcomes(caption, content.headline, [Column("Setting", labels)]), *legend])


def _pictures(pictures: Sequence[Picture]) -> Html:
    if not pictures:
        return element("p", "No figures were made.")
    return join(_picture(given) for given in pictures)


def _picture(given: Picture) -> Html:
    svg = given.drawing if isinstance(given.drawing, str) else svg_text(given.drawing)
    # As an image, a drawing can neither run a script nor load anything.
    data = base64.b64encode(svg.encode("utf-8", "backslashreplace")).decode()
    image = element("img", src=f"data:image/svg+xml;base64,{data}", alt=given.alt)
    return element(
        "figure",
        element("h3", given.title),
        element("div", image, class_="wide", role="region", aria_label=given.title, tabindex="0"),
        element(
            "figcaption",
            sentence(given.caption),
            " ",
            element("small", f"How it is known: {given.known}."),
        ),
    )


def _sweep(rows: Sequence[Outcome] | None, computed: int | None) -> Html:
    if rows is None or not rows:
        return element("p", NOT_COUNTED if rows is None else "No settings were tried.")
    names = dict.fromkeys(name for row in rows for name in row.settings)
    varied = [n for n in names if len({repr(row.settings.get(n)) for row in rows}) > 1]
    fixed = {n: rows[0].settings.get(n) for n in names if n not in varied}
    columns = [
        Column("Setting", [untrusted(row.label) for row in rows]),
        *(Column(name, [setting(row.settings.get(name)) for row in rows]) for name in varied),
    ]
    same = [element("p", "The same in all rows: ", settings(fixed), ".")] if fixed else []
    which = (
        f"{len(rows):,} settings"
        if computed is None
        else f"selected settings, {len(rows):,} of {computed:,} computed; all in frames/"
    )
    return element(
        "details",
        element("summary", f"Show {which}"),
        *same,
        outcomes(f"Outcome of {which}", rows, columns),
    )


def _caveats() -> Html:
    said = element("ul", *(element("li", text) for text in CERTIFICATE_CAVEATS))
    more = (part for head, text in CAVEATS for part in (element("h3", head), element("p", text)))
    return join([said, *more])
