"""Pages as a parser reads them, and texts that try to break out of one."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

VOID = {"meta", "img", "br"}

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "quotes": "\"' onload='alert(1)' x=\"",
    "image": "<img src=x onerror=alert(1)>",
    "comment": "--><script>alert(1)</script><!--",
    "close": "</bdi></td></table></style></title><h1>mine</h1>",
    "terminal": "\x1b[31mred\x1b[0m",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85",
    "direction": "\u202egnp.exe\u2066\u2069",
    "surrogate": "\ud800 and \udfff",
    "noncharacter": "\ufffe\uffff\U0010ffff",
    "entity": "&lt;b&gt; &#60; &amp",
    "link": "javascript:alert(1) https://example.com/x",
    "long": "p/" * 5000,
}


class Page(HTMLParser):
    """Tags that must balance, with the text and attributes found."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.style = ""
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["style"]:
            self.style += data
        else:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment in the page: {data}")

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]

    def words(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.text))


def check_self_contained(html: str) -> None:
    """No script, no address, nothing that is loaded."""
    assert not re.search(r"(?i)https?:|url\(|@import|<script|<link|<iframe|<object", html)
    for tag, attrs in Page(html).tags:
        assert not [name for name in attrs if name.startswith("on") or name == "style"]
        for name in ("src", "href"):
            if name in attrs:
                assert re.match("#|data:image/svg", attrs[name] or ""), tag


def check_policy(page: Page) -> None:
    """The page's security policy allows its own style sheet and pictures alone."""
    (policy,) = (
        m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"
    )
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def check_named(page: Page) -> None:
    """Figures have a text in their place, tables a caption and heads, regions a name."""
    assert page.all("img")
    assert all(image["alt"] for image in page.all("img"))
    tables = len(page.all("table"))
    assert tables == len(page.all("caption")) == len(page.all("thead"))
    assert all(head["scope"] in ("col", "row") for head in page.all("th"))
    regions = [attrs for tag, attrs in page.tags if attrs.get("role") == "region"]
    assert all(region["aria-label"] and region["tabindex"] == "0" for region in regions)


def check_only_words_changed(html: str, plain: str) -> None:
    """Hostile text adds no tag and no attribute, but the mark of what was left out."""
    page, other = Page(html), Page(plain)
    added = {"i"}
    tags = [(tag, sorted(attrs)) for tag, attrs in page.tags if tag not in added]
    assert tags == [(tag, sorted(attrs)) for tag, attrs in other.tags if tag not in added]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
