"""Shell commands and their output to spans, edits and touched paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.events import Edit, Prefix, Span, Touch
from ctxlab.transcripts._placement import Placed, place
from ctxlab.transcripts._shell import ShellReading, interpret
from ctxlab.transcripts._shell_powershell import posix_of
from ctxlab.transcripts._shell_select import compose
from ctxlab.transcripts._shell_words import parse_script

FILE = [f"line {n}" if n % 5 else "" for n in range(1, 41)]


def printed(first: int, last: int) -> str:
    return "".join(f"{line}\n" for line in FILE[first - 1 : last])


def numbered(first: int, last: int) -> str:
    lines = FILE[first - 1 : last]
    return "".join(f"{n:6d}\t{line}\n" for n, line in enumerate(lines, first))


def placed(
    command: str, output: str, cwd: str | None = "/r", **options: bool
) -> list[tuple[str, int, int]]:
    """Path, first and last line of each span, whose lines must be those of FILE."""
    spans = interpret(command, output, cwd, **options).spans
    for span in spans:
        assert isinstance(span.lines, tuple)
        assert list(span.lines) == FILE[span.first_line - 1 :][: len(span.lines)]
    return [(s.path, s.first_line, s.first_line + len(s.lines) - 1) for s in spans]


# -- one print ---------------------------------------------------------------------------------


def test_sed_range_is_unnumbered() -> None:
    (span,) = interpret("sed -n '2,3p' a.py", printed(2, 3), "/r").spans
    assert span == Span(
        "/r/a.py", 2, ("line 2", "line 3"), "shell", Prefix(width=None), numbered=False
    )


@pytest.mark.parametrize(
    "command",
    [
        "sed -n '6,9p' f",
        "sed -n 6,9p f",
        "sed -n -e '6,9p' f",
        "sed -ne 6,9p f",
        "sed -n '6,+3p' f",
        "sed '6,9!d' f",
        "sed -n '6,9p;9q' f",
        "cat f | sed -n '6,9p'",
        "head -n 9 f | tail -n +6",
        "tail -n +6 f | head -4",
        "awk 'NR>=6 && NR<=9' f",
        "awk 'NR==6,NR==9 {print}' f",
        "bash -lc \"sed -n '6,9p' f\"",
        "cd /r && sed -n '6,9p' f",
        "LC_ALL=C timeout 5 sed -n '6,9p' f 2>/dev/null",
        "sed -n '6,9p' < f",
        "sed -n '6,9p' f || true",
        "sed -n '6,9p' ./x/../f",
    ],
)
def test_ways_to_print_a_range(command: str) -> None:
    assert placed(command, printed(6, 9)) == [("/r/f", 6, 9)]


@pytest.mark.parametrize("command", ["cat f", "sed -n '1,$p' f", "head -100 f", "cat ./f # all"])
def test_whole_file(command: str) -> None:
    assert placed(command, printed(1, 40)) == [("/r/f", 1, 40)]


@pytest.mark.parametrize(
    "command", ["nl -ba f | sed -n '6,9p'", "cat -n f | sed -n '6,9p'", "nl -b a f | sed -n 6,9p"]
)
def test_printed_numbers(command: str) -> None:
    (span,) = interpret(command, numbered(6, 9), "/r").spans
    assert (span.first_line, span.numbered, span.prefix) == (6, True, Prefix(6, 1))


def test_end_of_file_shortens_a_range() -> None:
    assert placed("sed -n '36,90p' f", printed(36, 40)) == [("/r/f", 36, 40)]


def test_several_ranges_of_one_file() -> None:
    out = printed(2, 3) + printed(10, 12)
    assert placed("sed -n '2,3p;10,12p' f", out) == [("/r/f", 2, 3), ("/r/f", 10, 12)]
    out = numbered(2, 3) + numbered(10, 12)
    assert placed("nl -ba f | sed -n '2,3p;10,12p'", out) == [("/r/f", 2, 3), ("/r/f", 10, 12)]


def test_numbers_of_an_unknown_stretch() -> None:
    assert placed("nl -ba f | tail -n 3", numbered(38, 40)) == [("/r/f", 38, 40)]


def test_grep_with_numbers() -> None:
    spans = interpret("rg -n 'x' src", "src/a.py:3:x = 1\nsrc/a.py:4:x\nb:9:x\n", "/r").spans
    assert [(s.path, s.first_line, s.lines) for s in spans] == [
        ("/r/src/a.py", 3, ("x = 1", "x")),
        ("/r/b", 9, ("x",)),
    ]
    (span,) = interpret("grep -n -A1 x src/a.py", "3:x = 1\n4-y\n", "/r").spans
    assert (span.path, span.first_line, span.lines) == ("/r/src/a.py", 3, ("x = 1", "y"))


@pytest.mark.parametrize("command", ["rg x src", "rg -n -o x src", "grep -c x a", "rg -ln x ."])
def test_grep_without_source_lines(command: str) -> None:
    assert interpret(command, "src/a.py:3:x\n", "/r").spans == ()


def test_git_diff_shows_current_lines() -> None:
    out = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n line 1\n-two\n+line 2\n"
    assert placed("git diff", out) == [("/r/f", 1, 2)]
    assert placed("git -C sub diff -- f | head -50", out) == [("/r/sub/f", 1, 2)]
    assert placed("git diff main..other", out) == []
    assert placed("git show 1a2b3c4", out) == []
    assert placed("git diff --stat", " f | 2 +-\n") == []
    assert placed("git diff; git status", out + "On branch x\n") == [("/r/f", 1, 2)]
    assert placed("git diff; git log -p", out + "commit 1\n" + out) == []
    assert placed("gh pr diff 7", out) == []


def test_file_of_a_revision_is_not_the_working_tree() -> None:
    assert placed("git show HEAD:f", printed(1, 9)) == []
    assert placed("git show HEAD:f | sed -n '1,9p'", printed(1, 9)) == []


def test_carriage_returns_are_no_text() -> None:
    assert placed("cat f", printed(1, 9).replace("\n", "\r\n")) == [("/r/f", 1, 9)]


# -- several prints in one output --------------------------------------------------------------


def test_known_counts_split_an_output() -> None:
    out = printed(1, 3) + printed(7, 9)
    assert placed("sed -n 1,3p f && sed -n 7,9p g", out) == [("/r/f", 1, 3), ("/r/g", 7, 9)]


def test_end_of_file_in_one_of_two_is_ambiguous() -> None:
    out = printed(1, 3) + printed(7, 8)
    assert placed("sed -n 1,3p f && sed -n 7,9p g", out) == [("/r/f", 1, 2)]


def test_separator_resolves_it() -> None:
    out = printed(1, 3) + "\n--- g\n" + printed(7, 8)
    for separator in ("printf '\\n--- g\\n'", "echo; echo '--- g'"):
        command = f"sed -n 1,30p f; {separator}; sed -n 7,90p g"
        assert placed(command, out) == [("/r/f", 1, 3), ("/r/g", 7, 8)]


def test_titles_of_head() -> None:
    out = f"==> f <==\n{printed(1, 2)}\n==> g <==\n{printed(1, 3)}"
    assert placed("head -n 3 f g", out) == [("/r/f", 1, 2), ("/r/g", 1, 3)]


def test_unknown_command_leaves_only_what_stands_before_it() -> None:
    out = printed(1, 3) + "whatever\n"
    assert placed("sed -n 1,3p f; make", out) == []
    assert placed("nl -ba f | sed -n 1,3p; make", numbered(1, 3) + "whatever\n") == [("/r/f", 1, 3)]
    assert placed("make; sed -n 1,3p f", "whatever\n" + printed(1, 3)) == []


def test_error_text_leaves_nothing_unnumbered() -> None:
    out = printed(1, 3) + "sed: can't read g: No such file or directory\n"
    assert placed("sed -n 1,9p f; sed -n 1,9p g", out) == []
    assert placed("sed -n 1,9p g", "sed: can't read g: No such file or directory\n") == []


def test_loops_and_subshells_are_not_placed() -> None:
    assert placed("make & sed -n 1,3p f", printed(1, 3)) == []
    assert placed("for x in f; do sed -n 1,3p $x; done", printed(1, 3)) == []
    assert placed("(cd /q; sed -n 1,3p f)", printed(1, 3)) == []


# -- cut outputs -------------------------------------------------------------------------------


def test_lines_after_a_cut_have_no_place() -> None:
    out = printed(1, 3) + "line …120 tokens truncated… 30\nline 31\n"
    assert placed("cat f", out) == [("/r/f", 1, 3)]
    assert placed("sed -n 1,9p f; sed -n 1,40p g", out) == []


def test_output_that_goes_on() -> None:
    assert placed("sed -n 1,9p f", printed(1, 3), complete=False) == [("/r/f", 1, 3)]
    assert placed("cat f", printed(1, 3) + "line", complete=False) == [("/r/f", 1, 3)]


def test_note_of_the_harness_ends_the_output() -> None:
    assert placed("cat f", printed(1, 3) + "Shell cwd was reset to /r\n") == [("/r/f", 1, 3)]


def test_trimmed_output_may_lack_its_first_lines() -> None:
    out = printed(5, 9).strip("\n")
    assert placed("sed -n '5,9p' f", out, trimmed=True) == []
    assert placed("sed -n '6,9p' f", out, trimmed=True) == [("/r/f", 6, 9)]
    assert placed("set -e; sed -n '5,9p' f", out, trimmed=True) == []
    assert placed("cat f", printed(1, 9).strip("\n"), trimmed=True) == [("/r/f", 1, 9)]


# -- paths -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cat f", "/r/f"),
        ("cat /abs/f", "/abs/f"),
        ("cat ~/f", "~/f"),
        ("cd sub && cat f", "/r/sub/f"),
        ("cd /q; cat f", "/q/f"),
        ("cat 'a b/$x.ts'", "/r/a b/$x.ts"),
        ('cat "a b"', "/r/a b"),
        ("cat a\\ b", "/r/a b"),
        ("cat app/[id].ts", "/r/app/[id].ts"),
    ],
)
def test_resolved_paths(command: str, path: str) -> None:
    assert [p for p, _, _ in placed(command, printed(1, 2))] == [path]


@pytest.mark.parametrize(
    "command", ["cat $x", 'cat "$x"', "cat *.py", "cat `which x`", "cat {a,b}", 'cd "$d"; cat f']
)
def test_paths_that_only_the_shell_knows(command: str) -> None:
    reading = interpret(command, printed(1, 2), "/r")
    assert reading.spans == ()
    assert reading.touches == ()


def test_without_working_folder_paths_stay_relative() -> None:
    assert placed("cat x/../f", printed(1, 2), cwd=None) == [("f", 1, 2)]


# -- touches and edits -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "touches"),
    [
        ("sed -n '1,9p' f", [Touch("/r/f", "read")]),
        ("cat a b | wc -l", [Touch("/r/a", "read"), Touch("/r/b", "read")]),
        ("tail -50 log/x", [Touch("/r/log/x", "read")]),
        ("awk '{print $1}' f", [Touch("/r/f", "read")]),
        ("awk -F ':' '{print $1}' f", [Touch("/r/f", "read")]),
        ("rg x src > out", [Touch("/r/src", "search")]),
        ("less f", [Touch("/r/f", "read")]),
        ("rg -n pat", [Touch("", "search")]),
        ("grep -rn -e pat src", [Touch("/r/src", "search")]),
        ("git grep pat", [Touch("", "search")]),
        ("rg --files src", [Touch("/r/src", "list")]),
        ("ls", [Touch("", "list")]),
        ("find src -name '*.py'", [Touch("/r/src", "list")]),
        ("for x in a; do cat lib/b; done", [Touch("/r/lib/b", "read")]),
        ("cat > f <<'EOF'\nit's\nEOF", []),
        ("cat f > g", []),
        ("npm test", []),
    ],
)
def test_touches(command: str, touches: list[Touch]) -> None:
    assert list(interpret(command, "", "/r").touches) == touches


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("sed -i 's/a/b/' f g", ["/r/f", "/r/g"]),
        ("sed -i '' -e 's/a/b/' f", ["/r/f"]),
        ("cat > f <<'EOF'\nit's \"x\nEOF", ["/r/f"]),
        ("cat <<EOF >> f\nx\nEOF\nls", ["/r/f"]),
        ("echo x | tee f", ["/r/f"]),
        ("mv a b", ["/r/a", "/r/b"]),
        ("cp a b", ["/r/b"]),
        ("rm -f a", ["/r/a"]),
        ("git checkout -- a", ["/r/a"]),
        ("git -C sub restore a", ["/r/sub/a"]),
        ('git checkout -- "$x"', []),
        ("npx prettier --write src/a.ts", ["/r/src/a.ts"]),
        ("uv run ruff format a.py", ["/r/a.py"]),
        ("ruff check --fix a.py", ["/r/a.py"]),
        ("ruff check a.py", []),
        ("black --check a.py", []),
        ("perl -pi -e 's/a/b/' f", ["/r/f"]),
        ("make > /dev/null 2>&1", []),
        ("make 2> log", []),
        ("git apply <<'EOF'\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nEOF", ["/r/f"]),
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n"
            "*** End Patch\nEOF",
            ["/r/f"],
        ),
    ],
)
def test_edits(command: str, paths: list[str]) -> None:
    edits = interpret(command, "", "/r").edits
    assert edits == tuple(Edit(path, "unknown", evidence="shell") for path in paths)


# -- parts -------------------------------------------------------------------------------------


def test_unbalanced_quotes_claim_nothing() -> None:
    assert parse_script("cat 'f") is None
    assert interpret("cat 'f", "x\n", "/r") == ShellReading()


def test_quoted_operators_are_words() -> None:
    script = parse_script("find . -exec rg '|' {} \\; | head -3; echo 'a;b'")
    assert script is not None
    assert [[c.words for c in p.commands] for p in script.pipelines] == [
        [("find", ".", "-exec", "rg", "|", "{}", ";"), ("head", "-3")],
        [("echo", "a;b")],
    ]


@pytest.mark.parametrize(
    ("script", "posix"),
    [
        ("Get-Content src\\a.ts", "sed -n '1,$p' 'src\\a.ts'"),
        ("Get-Content -Path 'a b' -TotalCount 5", "sed -n '1,5p' 'a b'"),
        ("gc a | Select-Object -Skip 10 -First 5", "sed -n '11,15p' a"),
        ("Get-Content a | Select-String x", None),
        ("Get-ChildItem", None),
    ],
)
def test_powershell(script: str, posix: str | None) -> None:
    assert posix_of(script) == posix


def test_composed_ranges() -> None:
    assert compose(((11, 20), (31, None)), ((5, 12),)) == ((15, 20), (31, 32))
    assert compose(((1, 3),), ((5, 9),)) is None


def test_place_needs_every_assignment_to_agree() -> None:
    def up_to(most: int):  # type: ignore[no-untyped-def]
        return lambda at: ((0, most),)

    assert place([up_to(3), up_to(3)], 6) == (Placed(0, 3), Placed(3, 3))
    assert place([up_to(3), up_to(3)], 5) == (Placed(0, 2), None)
    assert place([up_to(3)], 4) == (None,)
    assert place([], 0) == ()


# -- laws --------------------------------------------------------------------------------------

WORDS = (
    *("sed", "-n", "1,5p", "'2,3p'", "cat", "nl", "-ba", "head", "tail", "-5", "rg", "grep", "-n"),
    *("git", "diff", "show", "HEAD:f", "f", "a/b", "awk", "tee", "mv", "cd", "echo", "printf"),
    *("|", "&&", ";", "||", ">", ">>", "<", "&", "2>&1", "(", ")", "{", "for", "do", "done"),
    *("<<EOF", "EOF", "'", '"', "$x", "*", "#", "\\n", "\n"),
)
words = st.sampled_from(WORDS)


@given(st.lists(words, max_size=14).map(" ".join) | st.text(), st.text(), st.booleans())
def test_any_text_is_read(command: str, output: str, trimmed: bool) -> None:
    interpret(command, output, "/r", trimmed=trimmed)
    interpret(command, "", None)


@given(
    lines=st.lists(
        st.text(
            st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=4
        ).map("x".__add__),
        max_size=30,
    ),
    first=st.integers(1, 40),
    length=st.integers(1, 40),
)
def test_sed_span_is_exact(lines: list[str], first: int, length: int) -> None:
    last = first + length - 1
    shown = lines[first - 1 : last]
    output = "".join(f"{line}\n" for line in shown)
    spans = interpret(f"sed -n '{first},{last}p' f", output, "/r").spans
    assert [(s.path, s.first_line, s.lines) for s in spans] == (
        [("/r/f", first, tuple(shown))] if shown else []
    )


@given(
    counts=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), min_size=1, max_size=5),
    separated=st.booleans(),
)
def test_claimed_lines_are_those_printed(counts: list[tuple[int, int]], separated: bool) -> None:
    """Files of which some end before the asked range does: no line is claimed wrongly."""
    commands, output = [], ""
    for i, (asked, held) in enumerate(counts):
        commands.append(f"sed -n '1,{asked}p' f{i}")
        output += "".join(f"f{i}:{n}\n" for n in range(1, min(asked, held) + 1))
        if separated:
            commands.append(f"echo '== {i}'")
            output += f"== {i}\n"
    spans = interpret("; ".join(commands), output, None).spans
    for span in spans:
        assert isinstance(span.lines, tuple)
        assert span.lines == tuple(f"{span.path}:{n}" for n in range(1, len(span.lines) + 1))
    if separated or all(held >= asked for asked, held in counts):
        assert sum(len(s.lines) for s in spans) == sum(min(pair) for pair in counts)
