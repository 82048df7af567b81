"""The frame of every report: head, contents, sections; figures and the legend of what is known."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence

from ctxlab.plots import svg_text
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._style import CSS
from ctxlab.report._tables import settings
from ctxlab.report._words import KNOWN
from ctxlab.report.content import Advice, Content, Picture

__all__ = ["card", "caveats", "how_known", "page", "paragraphs", "pictures", "sentences"]

Section = tuple[str, str, Html]
"""Anchor, heading and content."""


def page(content: Content, sections: Sequence[Section]) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
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


def how_known(words: Mapping[str, str] = KNOWN) -> Html:
    """The legend of how a figure can be known: each way with what it means on this page."""
    known = [element("li", element("strong", name), ": ", text) for name, text in words.items()]
    return join([element("p", "Each figure says how it is known:"), element("ul", *known)])


def paragraphs(given: Iterable[str]) -> Html:
    """Words of ours, one paragraph each."""
    return join(element("p", text) for text in given)


def sentences(given: Sequence[str]) -> Html:
    """Sentences that may quote a transcript, as a list."""
    return element("ul", *(element("li", sentence(text)) for text in given))


def card(given: Advice, none: str, because: str) -> Html:
    """One recommendation, or what is said where there is `none`, and what that means."""
    parts = [element("h3", untrusted(given.title))]
    if given.status == "recommended":
        parts.append(element("p", element("strong", "Recommended: "), settings(given.ship)))
    else:
        parts.append(element("p", element("strong", none), " ", because))
    if given.status == "none" and given.ship:
        parts.append(element("p", "Chosen, and not confirmed: ", settings(given.ship), "."))
    if given.judged:
        parts.append(element("p", sentence(given.judged)))
    for head, said in (("Before you ship it:", given.warnings), ("Why:", given.reasons)):
        parts += [element("p", head), sentences(said)] if said else []
    return element("article", *parts, class_=f"card {given.status}")


def caveats(said: Sequence[str], more: Iterable[tuple[str, str]]) -> Html:
    """What the figures cannot show: sentences, then paragraphs under their heads."""
    told = (part for head, text in more for part in (element("h3", head), element("p", text)))
    return join([sentences(said), *told])


def pictures(given: Mapping[str, Picture]) -> Html:
    """Figures one below the other, each with its words."""
    if not given:
        return element("p", "No figures were made.")
    return join(map(_picture, given.values()))


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
