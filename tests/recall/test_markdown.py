"""Headings of Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.recall.markdown import headings, is_markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# One\n## Two ##\n####### seven\n#none\n   ### `Three`\n", ["One", "Two", "`Three`"]),
        ("One\n===\n\nTwo\nlines\n---\n", ["One", "Two lines"]),
        ("---\ntitle: x\n---\n# One\n", ["One"]),
        ("---\nno end\n", []),
        ("```sh\n# no\n```\n~~~\n```\n# no\n~~~\n# One\n", ["One"]),
        ("````\n```\n# no\n````\n# One\n", ["One"]),
        ("text\n\n---\n\n- item\n---\n> quote\n---\n", []),
        ("    # code\n", []),
        ("#\n# \n# #\n", []),
        ("", []),
    ],
)
def test_headings(text: str, expected: list[str]) -> None:
    assert headings(text) == expected
    assert headings(text.replace("\n", "\r\n")) == expected


@given(st.lists(st.sampled_from(["# a", "b", "===", "---", "```", "~~~", "", "    c", "- d"])))
def test_every_heading_stands_in_the_text(lines: list[str]) -> None:
    found = headings("\n".join(lines))
    assert len(found) <= len(lines)
    assert all(set(heading.split()) <= {"a", "b", "---", "===", "c", "d"} for heading in found)


def test_a_paragraph_of_a_million_lines_is_read() -> None:
    assert headings("a\n" * 300_000 + "===\n")[0].startswith("a a a")


def test_what_is_markdown() -> None:
    assert all(map(is_markdown, ("a.md", "b/README.MD", "c.markdown", "d.mdx")))
    assert not any(map(is_markdown, ("md", ".md", "a.txt")))
