"""Diffs to hunks and back."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Hunk, LineIds, Prefix, Span
from ctxlab.transcripts._diff import (
    FileDiff,
    PatchedFile,
    new_side_spans,
    parse_apply_patch,
    parse_hunks,
    parse_unified,
    structured_hunks,
)


def apply_hunks(old: Sequence[str], hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """The file after the hunks, which must be in order and fit `old`."""
    new: list[str] = []
    at = 0
    for hunk in hunks:
        assert not isinstance(hunk.lines, LineIds)
        new.extend(old[at : hunk.old_start - 1])
        at = max(at, hunk.old_start - 1)
        for op, text in zip(hunk.ops, hunk.lines, strict=True):
            if op != "+":
                assert old[at] == text
                at += 1
            if op != "-":
                new.append(text)
    return (*new, *old[at:])


GIT = """\
diff --git a/pear.py b/pear.py
index 1111111..2222222 100644
--- a/pear.py
+++ b/pear.py
@@ -2,3 +2,4 @@ def pear():
 two
-three
+drei
+dreieinhalb
 four
diff --git a/old.txt b/old.txt
deleted file mode 100644
--- a/old.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+hello
+world
\\ No newline at end of file
"""

text_lines = st.lists(
    st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=6),
    max_size=12,
)


def test_git_diff() -> None:
    changed, deleted, added = parse_unified(GIT.split("\n"))
    assert changed == FileDiff(
        "pear.py",
        "pear.py",
        (Hunk(2, 2, " -++ ", ("two", "three", "drei", "dreieinhalb", "four")),),
    )
    assert (deleted.old_path, deleted.new_path) == ("old.txt", None)
    assert added == FileDiff(None, "new.txt", (Hunk(1, 1, "++", ("hello", "world")),))


def test_new_side() -> None:
    (changed, deleted, _) = parse_unified(GIT.split("\n"))
    assert new_side_spans("/r/pear.py", changed.hunks) == (
        Span("/r/pear.py", 2, ("two", "drei", "dreieinhalb", "four"), "diff", Prefix(None, 1)),
    )
    assert new_side_spans("/r/old.txt", deleted.hunks) == ()


def test_plain_diff_with_time_stamps() -> None:
    (diff,) = parse_unified(
        ["--- a/x\t2026-01-01 00:00", "+++ c/x\t2026-01-02 00:00", "@@ -1 +1 @@", "-a", "+b"]
    )
    assert (diff.old_path, diff.new_path) == ("x", "x")
    (diff,) = parse_unified(["--- src/x", "+++ src/x", "@@ -1 +1 @@", "-a", "+b"])
    assert diff.new_path == "src/x"


def test_removed_line_that_looks_like_a_header() -> None:
    (diff,) = parse_unified(["--- a/x", "+++ b/x", "@@ -1,2 +1,2 @@", "--- a", "+++ b", " c"])
    assert diff.hunks == (Hunk(1, 1, "-+ ", ("-- a", "++ b", "c")),)
    assert diff.complete


def test_cut_hunk_is_not_complete() -> None:
    hunks, complete = parse_hunks(["@@ -4,3 +4,3 @@", " a", "-b"])
    assert not complete
    assert hunks == (Hunk(4, 4, " -", ("a", "b")),)


def test_insertion_names_the_line_that_moves_down() -> None:
    hunks, complete = parse_hunks(["@@ -2,0 +3 @@", "+new"])
    assert complete
    assert hunks == (Hunk(3, 3, "+", ("new",)),)
    assert apply_hunks(["a", "b", "c"], hunks) == ("a", "b", "new", "c")


def test_hunks_of_line_ids_have_no_text() -> None:
    with pytest.raises(TypeError, match="hunk lines must be texts here"):
        new_side_spans("a.py", [Hunk(1, 1, "+", LineIds((1,), (1,), (1,)))])


def test_structured_patch() -> None:
    part = {
        "oldStart": 2,
        "oldLines": 1,
        "newStart": 2,
        "newLines": 2,
        "lines": [" a", "+b", "\\ No newline at end of file"],
    }
    assert structured_hunks([part]) == (Hunk(2, 2, " +", ("a", "b")),)
    assert structured_hunks([]) == ()
    for wrong in ("x", ["x"], [{**part, "oldLines": 9}], [{**part, "lines": "a"}], [{}]):
        assert structured_hunks(wrong) is None


def test_apply_patch_grammar() -> None:
    patch = """*** Begin Patch
*** Update File: src/a b.py
*** Move to: src/c.py
@@ def f():
-x
+y
*** Add File: notes.md
+one
+
+two
*** Delete File: gone.txt
*** End Patch
"""
    assert parse_apply_patch(patch) == (
        PatchedFile("update", "src/a b.py", "src/c.py"),
        PatchedFile("add", "notes.md", None, ("one", "", "two")),
        PatchedFile("delete", "gone.txt"),
    )
    assert parse_apply_patch("no patch") == ()


@given(text_lines, text_lines, st.integers(0, 3))
def test_hunks_turn_old_into_new(old: list[str], new: list[str], n_context: int) -> None:
    printed = list(difflib.unified_diff(old, new, "a/f", "b/f", lineterm="", n=n_context))
    diffs = parse_unified(printed)
    hunks = diffs[0].hunks if diffs else ()
    assert all(diff.complete for diff in diffs)
    assert apply_hunks(old, hunks) == tuple(new)
    for span in new_side_spans("f", hunks):
        assert isinstance(span.lines, tuple)
        assert tuple(new[span.first_line - 1 :][: len(span.lines)]) == span.lines


@given(st.lists(st.text(max_size=12), max_size=20))
def test_any_text_is_read(lines: list[str]) -> None:
    for diff in parse_unified(["--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", *lines]):
        assert len(diff.hunks[0].ops) == len(diff.hunks[0].lines)
