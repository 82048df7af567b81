"""Random JSON: any value, and answers that look like a tool's."""

from __future__ import annotations

import string
from typing import Any

from hypothesis import strategies as st

TEXTS = st.text(max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)

KEYS = ("id", "name", "kind", "meta")
MIXED = st.sampled_from(
    [None, True, 0, -1, 2, 9, 10, 10.0, 1.5, "", "1", "10", "9", "10a", "-", "a", "é", [], {}]
)
ROWS = st.lists(
    st.dictionaries(st.sampled_from(KEYS), MIXED | st.builds(lambda v: {"k": v}, MIXED), max_size=4)
    | MIXED,
    max_size=12,
)
OUTER = ("results", "items", "rows", "more", "also", "memories")


@st.composite
def answers(draw: st.DrawFn) -> Any:
    """Draw an object with some arrays of rows, or an array, rarely anything else."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(VALUES)
    if kind == 1:
        return draw(ROWS)
    answer: dict[str, Any] = draw(st.dictionaries(st.sampled_from(OUTER), ROWS, max_size=3))
    answer |= draw(
        st.dictionaries(
            st.sampled_from(["query", "took", "truncated", "ok", "error", "deep"]),
            st.sampled_from([True, False, None, 1, "some text"]) | st.just({"a": ["text"]}),
            max_size=3,
        )
    )
    return answer


WORDS = st.text(string.ascii_letters, min_size=1, max_size=6)
DOTTED = st.sampled_from([*KEYS, "meta.k", "none", ""])
FILTERS = st.builds(
    lambda key, operator, wanted: key + operator + wanted,
    st.sampled_from(["id", "name", "meta.k"]),
    st.sampled_from(["=", "==", "!=", "~"]),
    st.sampled_from(["", "1", "a", "10", "true"]),
)


@st.composite
def knobs(draw: st.DrawFn) -> dict[str, Any]:
    """Draw knobs, each off or on."""
    drawn = {
        "max_items": draw(st.sampled_from([0, 0, 1, 2, 5])),
        "truncate_content": draw(st.sampled_from([0, 0, 1, 3])),
        "max_output_bytes": draw(st.sampled_from([0, 0]) | st.integers(1, 500)),
        "select": tuple(draw(st.lists(DOTTED, max_size=3))) if draw(st.booleans()) else (),
        "filters": tuple(draw(st.lists(FILTERS, max_size=2))) if draw(st.booleans()) else (),
        "sort": draw(st.none() | DOTTED),
        "dedupe_by": draw(st.none() | DOTTED),
        "count_only": draw(st.integers(0, 7)) == 0,
    }
    return {name: value for name, value in drawn.items() if value or value == ""}
