"""The frame of every report: head, contents, sections; figures and the legend of what is known."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence

from ctxlab.plots import svg_text
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._style import CSS
from ctxlab.report._words import KNOWN
from ctxlab.report.content import Picture

__all__ = ["how_known", "page", "pictures"]

Section = tuple[str, str, Html]
"""Anchor, heading and content."""


def page(
    title: str, generated: str, versions: Mapping[str, str], sections: Sequence[Section]
) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    links = [element("li", element("a", head, href=f"#{name}")) for name, head, _ in sections]
    made = ", ".join(f"{name} {version}" for name, version in versions.items())
    body = element(
        "body",
        element(
            "header",
            element("h1", untrusted(title)),
            element("p", "Made ", untrusted(generated), " with ", untrusted(made), "."),
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
    return f"<!DOCTYPE html>\n{element('html', _head(title), body, lang='en')}\n"


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


def how_known(words: Mapping[str, str] = KNOWN) -> Html:
    """The legend of how a figure can be known: each way with what it means on this page."""
    known = [element("li", element("strong", name), ": ", text) for name, text in words.items()]
    return join([element("p", "Each figure says how it is known:"), element("ul", *known)])


def pictures(given: Sequence[Picture]) -> Html:
    """Figures one below the other, each with its words."""
    if not given:
        return element("p", "No figures were made.")
    return join(_picture(picture) for picture in given)


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
