"""`ctxlab shape`: exact bytes out, or one line of what is wrong and nothing else."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxlab.cli import _shape, main
from ctxlab.surface import PROFILES, dumps, parse_values
from ctxlab.surface.arrange import ALIASES
from tests.commands import Run

ROOT = Path(__file__).parents[1]
ANSWER = '{"results":[{"id":1,"kind":"é"},{"id":2,"kind":null},{"id":1}],"memories":[4,5]}'
RECORD = '{"agent_surface":{%s},'

Shape = Callable[..., tuple[int, bytes, str]]


@pytest.fixture
def shaped(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Shape:
    """Run `ctxlab shape` on some input; exit code, bytes of output, what it says."""

    def run(data: bytes | str, *words: str) -> tuple[int, bytes, str]:
        data = data.encode() if isinstance(data, str) else data
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
        monkeypatch.setattr(sys, "argv", ["ctxlab", "shape", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        found = capfdbinary.readouterr()
        return int(ended.value.code or 0), found.out, found.err.decode()

    return run


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], '{"memories":[4,5],"results":[{"id":1,"kind":"é"},{"id":2,"kind":null},{"id":1}]}'),
        (
            ["--max-items", "1"],
            RECORD
            % '"input_count":3,"max_items":1,"output_count":1,"secondary_capped":["memories"]'
            + '"memories":[4],"results":[{"id":1,"kind":"é"}]}',
        ),
        (
            ["--select", "id,kind", "--filter", "id=1", "--filter", "kind~É"],
            RECORD % '"filters":2,"input_count":3,"output_count":1,"select":["id","kind"]'
            + '"memories":[4,5],"results":[{"id":1,"kind":"é"}]}',
        ),
        (
            ["--sort", "kind", "--dedupe-by", "id"],
            RECORD % '"dedupe_by":"id","input_count":3,"output_count":2,"sort":"kind"'
            + '"memories":[4,5],"results":[{"id":2,"kind":null},{"id":1,"kind":"é"}]}',
        ),
        (
            ["--count-only"],
            RECORD % '"count_only":true,"input_count":3,"output_count":3' + '"count":3}',
        ),
        (
            ["--max-output-bytes", "40"],
            '{"max_output_bytes":40,"truncated":true,"truncated_reason":"max_output_bytes"}',
        ),
        (
            ["--command", "recall", "--truncate-content", "9"],
            RECORD % '"input_count":3,"output_count":3'
            + '"memories":[4,5],"results":[{"id":1,"kind":"é"},{"id":2,"kind":null},{"id":1}]}',
        ),
    ],
    ids=lambda v: " ".join(v) if isinstance(v, list) else "",
)
def test_exact_bytes_and_one_newline(shaped: Shape, words: list[str], expected: str) -> None:
    assert shaped(ANSWER, *words) == (0, expected.encode() + b"\n", "")


def test_aliases_go_with_the_command(shaped: Shape) -> None:
    _, out, _ = shaped('{"items":[1],"memories":[1]}', "--command", "list", "--max-items", "9")
    assert b"memories" in out
    assert out.endswith(b',"items":[1]}\n')


def test_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(ANSWER, encoding="utf-8")
    done = run("shape", "in.json", "--count-only")
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith('"count":3}\n')


def test_lines(shaped: Shape) -> None:
    assert shaped("[1,2]\n\n[3,4]\n", "--lines", "--max-items", "1") == (0, b"[1]\n[3]\n", "")
    assert shaped('[1,2][3]{\n"a": 1}', "--lines") == (0, b'[1,2]\n[3]\n{"a":1}\n', "")
    assert shaped("[1]", "--lines") == (0, b"[1]\n", "")
    code, out, said = shaped("[1,2]\n[3]", "--max-items", "1")
    assert (code, out) == (2, b"")
    assert said == (
        "ctxlab: standard input: it holds 2 JSON values; add --lines to reshape each by itself\n"
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_profiles(shaped: Shape, profile: str) -> None:
    assert shaped("[1]", "--profile", profile) == (0, b"[1]\n", "")
    code, out, said = shaped("[1]", "--profile", profile, "--sort", "no")
    assert (code, out) == ((0, b"[1]\n") if profile.endswith("1.2.5") else (2, b""))
    assert ("--sort names the key 'no'," in said) == (code == 2)


@pytest.mark.parametrize(
    ("data", "words", "said"),
    [
        ("", [], "standard input: invalid JSON at line 1, column 1: there is no value"),
        ("nonsense", [], "invalid JSON at line 1, column "),
        ('{"a":1', [], "invalid JSON at line 1, column 7: "),
        ('{"a":1}}', [], "invalid JSON at line 1, column 8: "),
        ("[NaN]", [], "invalid JSON at line 1, column 2: NaN is no JSON number"),
        ("[1e400]", [], "invalid JSON at line 1, column 2: "),
        ('["\\ud800"]', [], "no low surrogate in string"),
        (b'["\xff"]', [], "not UTF-8: byte 2 of the text (invalid start byte)"),
        (b'["\xed\xa0\x80"]', [], "not UTF-8: byte 2 of the text"),
        ("[" * 128 + "]" * 128, [], "line 1, column 128: more than 127 levels"),
        ("[" * 1_000_000, [], "line 1, column 128: more than 127 levels"),
        ('{"a":' * 100_000, [], "column 636: more than 127 levels of arrays and objects"),
        ("[1]\n[2", ["--lines"], "line 2, column 3: "),
        ("[1]\n[NaN]\n[2]", ["--lines"], "line 2, column 2: NaN is no JSON number"),
        ("[1]", ["--filter", "x"], "invalid --filter expression 'x': expected key=value, key!=va"),
        ('{"error":true}', ["--filter", "=x"], "'=x': the key must not be empty"),
        ("[1]", ["--max-items", "-1"], "--max-items must be in [0, 1000000000] rows, got -1"),
        ("[1]", ["--max-items", "1.5"], "--max-items must be a whole number in [0, 1000000000] "),
        ("[1]", ["--truncate-content", "x"], "--truncate-content must be a whole number in "),
        ("[1]", ["--max-output-bytes", "9" * 5000], "--max-output-bytes must be "),
        ("[1]", ["--profile", "none 1"], "--profile must be one of sqlite-graphrag 1.2.5, "),
        ("[1]", ["missing.json"], "cannot read missing.json: No such file or directory"),
        ("[1]", ["."], "cannot read .: Is a directory"),
        ("[1]", [""], "cannot read '': Is a directory"),
    ],
    ids=range(24),
)
def test_bad_input_is_one_line_and_nothing_is_printed(
    shaped: Shape, data: bytes | str, words: list[str], said: str
) -> None:
    code, out, err = shaped(data, *words)
    assert (code, out) == (2, b"")
    assert err.startswith("ctxlab: ")
    assert err.count("\n") == 1
    assert said in err


def test_a_bad_option_is_a_usage_error(shaped: Shape) -> None:
    assert shaped("[1]", "--max-item")[:2] == (2, b"")
    assert shaped("[1]", "a.json", "b.json")[:2] == (2, b"")


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', '[{"b":[{"a":1,"a":2}]}]', '{"a":1}\n{"a":1,"a":1}']
)
def test_equal_keys_are_an_error_unless_the_last_is_asked_for(shaped: Shape, text: str) -> None:
    code, out, said = shaped(text, "--lines")
    assert (code, out) == (2, b"")
    assert "the key 'a' stands twice in one object; add --last-wins to take the last" in said
    code, out, said = shaped(text, "--lines", "--last-wins")
    assert (code, said) == (0, "")
    assert out == "".join(f"{dumps(value)}\n" for value in parse_values(text)).encode()


def test_keys_are_read_as_the_other_commands_read_them(shaped: Shape) -> None:
    rows = '[{"id":1,"x":2}]'
    assert shaped(rows, "--select", "id, x")[1] == shaped(rows, "--select", "id,x")[1]
    assert shaped(rows, "--select", "none") == (0, b'[{"id":1,"x":2}]\n', "")
    code, out, said = shaped(rows, "--select", ",")
    assert (code, out) == (2, b"")
    assert "--select must be keys as in id,title, or none, got ','" in said


def test_a_dash_is_standard_input(shaped: Shape) -> None:
    assert shaped("[1]", "-") == (0, b"[1]\n", "")


def test_a_large_value(shaped: Shape) -> None:
    text = b'{"rows":[' + b",".join([b'{"id":1,"at":"2026-01-05","x":-0}'] * 100_000) + b"]}"
    code, out, err = shaped(text, "--max-items", "1")
    assert (code, err) == (0, "")
    assert out.endswith(b'"rows":[{"at":"2026-01-05","id":1,"x":-0.0}]}\n')
    assert shaped(b'"' + b"\\u00e9" * 500_000 + b'"', "--truncate-content", "2")[1] == (
        '"éé"\n'.encode()
    )


# Streams ------------------------------------------------------------------------------------------

CODE = "from ctxlab.cli import main; main()"


def process(words: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run in a shell, which can close streams."""
    return subprocess.run(
        ["sh", "-c", f'"$0" -c "$1" shape {words}', sys.executable, CODE],
        input=data,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )


def test_utf8_whatever_the_terminal_knows() -> None:
    done = process("", '["é😀"]'.encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, '["é😀"]\n'.encode(), b"")


def test_closed_streams() -> None:
    done = process("<&-", b"")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (b"ctxlab: standard input is closed: name a FILE, or pipe JSON in\n")
    done = process(">&-", b"[1]")
    assert done.returncode == 1
    assert done.stderr == b"ctxlab: standard output is closed: there is nowhere to print to\n"


def test_a_reader_that_leaves_ends_it_in_peace() -> None:
    text = b'["' + b"x" * 500_000 + b'"]'
    done = process("| head -c 5", text)
    assert (done.stdout, done.stderr) == (b'["xxx', b"")


# Words that are wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--sort", "--dedupe-by", "--select", "--filter"])
def test_a_key_that_is_no_utf8(option: str) -> None:
    done = process(f"{option} \"$(printf 'a=\\377')\"", b"[1]")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == f"ctxlab: {option} must be UTF-8 text, got 'a=\\udcff'\n".encode()


def test_words_are_read_as_the_other_commands_read_them(shaped: Shape) -> None:
    rows = '[{"id":2},{"id":1}]'
    for off in (("--sort", "none"), ("--dedupe-by", "None"), ("--filter", "none")):
        assert shaped(rows, *off) == (0, b'[{"id":2},{"id":1}]\n', "")
    for option in ("--select", "--sort", "--dedupe-by"):
        code, out, said = shaped(rows, option, "id;title")
        assert (code, out) == (2, b"")
        assert f"{option} takes one " in said
    code, out, said = shaped(rows, "--filter", "id=1", "--filter", "none")
    assert (code, out) == (2, b"")
    assert "--filter takes none by itself, for no condition: leave it out, or 'id=1'" in said


def test_an_empty_key_is_a_key(shaped: Shape) -> None:
    """The tool takes it for one, so that a variable that is empty by mistake sorts by nothing."""
    _, out, _ = shaped('{"rows":[{"":2},{"":1}]}', "--sort", "")
    assert out == RECORD.encode() % b'"input_count":2,"output_count":2,"sort":""' + (
        b'"rows":[{"":1},{"":2}]}\n'
    )


def test_a_bad_filter_is_told_before_the_input_is_read(shaped: Shape) -> None:
    code, out, said = shaped("nonsense", "--filter", "x")
    assert (code, out) == (2, b"")
    assert "invalid --filter expression 'x'" in said


def test_help_says_which_commands_count(shaped: Shape) -> None:
    said = " ".join(shaped("", "--help")[1].decode().split())
    for command, _ in ALIASES:
        assert command in said
    assert "other names change nothing" in said
    assert shaped('{"items":[1],"memories":[1]}', "--command", "bogus")[1] == (
        b'{"items":[1],"memories":[1]}\n'
    )


def test_an_interrupt_promises_nothing(shaped: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(_shape, "_read", interrupted)
    assert shaped("[1]") == (130, b"", "ctxlab: interrupted\n")


def test_an_order_that_the_tool_does_not_promise_is_told(shaped: Shape) -> None:
    mixed = json.dumps([{"n": n if n % 2 else f"{n}"} for n in range(21)]).encode()
    code, _, said = shaped(mixed, "--sort", "n")
    assert code == 0
    assert said == (
        "ctxlab: standard input: over 20 rows are sorted by numbers mixed with texts: the tool "
        "itself may order them otherwise or fail\n"
    )
    assert shaped(json.dumps([{"n": n} for n in range(21)]).encode(), "--sort", "n")[2] == ""
