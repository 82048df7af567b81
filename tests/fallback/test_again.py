"""How a later command or input asks the same of a tool again."""

from __future__ import annotations

import json

import pytest

from ctxlab.fallback._again import asked_again
from ctxlab.fallback._asking import Asking, arguments, command_line
from ctxlab.surface.facts import REQUERY_KINDS

Case = tuple[str, str, str, str | None]


def by_shell(program: str, before: str, after: str) -> str | None:
    asked = command_line(before, program), command_line(after, program)
    assert asked[0]
    assert asked[1]
    return asked_again(*asked)


@pytest.mark.parametrize(
    ("program", "before", "after", "kind"),
    [
        # The same, however it is written.
        ("bd list", "bd list --json", "cd /app && bd list --json 2>/dev/null", "again"),
        ("gh api", "gh api 'a/b?per_page=5'", 'gh api "a/b?per_page=5"; true', "again"),
        ("bd list", "bd list --limit 5", "bd list --limit=5", "again"),
        ("curl", "sleep 5 && curl -s http://h/x", "curl -s http://h/x || echo down", "again"),
        ("bd list", "cd /app && bd list", "cd /lib && bd list", None),
        # Larger.
        ("gh run list", "gh run list --limit 3", "gh run list --limit 10", "larger"),
        ("gh run list", "gh run list -L 3", "gh run list -L10", "larger"),
        ("gh run list", "gh run list --limit 3", "gh run list", "larger"),
        ("gh run list", "gh run list", "gh run list --limit 50", "larger"),
        ("bd list", "bd list --limit 50", "bd list --limit 0", "larger"),
        ("bd list", "bd list --limit 0", "bd list --limit 50", "narrower"),
        ("x find", "x find --max-results 5", "x find --max-results 50", "larger"),
        ("x find", "x find --top 5", "x find --top 9", "larger"),
        ("gh api", "gh api 'a/b?per_page=5'", "gh api a/b?per_page=50", "larger"),
        ("gh api", "gh api a/b", "gh api a/b --paginate", "larger"),
        ("bd list", "bd list --json", "bd list --all --json", "larger"),
        ("bd list", "bd list | head -20", "bd list | head -n 50", "larger"),
        ("bd list", "bd list | head -c 20", "bd list | head -c 900", "larger"),
        ("bd list", "bd list | head", "bd list", "larger"),
        ("bd list", "bd list | head", "bd list | head -n20", "larger"),
        ("bd list", "bd list --limit 5 | head -5", "bd list --limit 9 | wc -l", "larger"),
        # Next page.
        ("gh api", "gh api 'a/b?page=1'", "gh api 'a/b?page=2'", "next_page"),
        ("gh api", "gh api a/b", "gh api 'a/b?page=2&per_page=50'", "next_page"),
        ("x list", "x list --cursor abc", "x list --cursor abd", "next_page"),
        ("x list", "x list --limit 5", "x list --limit 9 --offset 5", "next_page"),
        ("cat", "cat a.json | sed -n 1,50p", "cat a.json | sed -n 51,99p", "next_page"),
        # Narrower.
        ("bd list", "bd list", "bd list --status open", "narrower"),
        ("bd list", "bd list", "bd list | head -5", "narrower"),
        ("bd list", "bd list | head -50", "bd list | head -5", "narrower"),
        ("bd list", "bd list --limit 9", "bd list --limit 3", "narrower"),
        ("gh api", "gh api a/b", "gh api a/b --jq '.[].id'", "narrower"),
        ("gh api", "gh api a/b", "gh api a/b | jq '.[].id'", "narrower"),
        ("bd list", "bd list | grep red", "bd list | grep -i blue", "narrower"),
        ("bd search", "bd search pump", 'bd search "pump valve"', "narrower"),
        ("gh api", "gh api a/b --jq '.[]'", "gh api a/b | jq '.[] | select(.x)'", "narrower"),
        ("bd list", "bd list | head -5", "bd list | grep -c red", "narrower"),
        # Other fields.
        ("gh pr view", "gh pr view 7 --json a", "gh pr view 7 --json a,b", "other_fields"),
        ("gh pr view", "gh pr view 7 --json a -q .a", "gh pr view 7 --json a", "other_fields"),
        ("bd show", "bd show a-1 --json", "bd show a-1", "other_fields"),
        ("gh api", "gh api a/b --jq '.[].id'", "gh api a/b --jq '.[].body'", "other_fields"),
        ("x list", "x list --fields=a", "x list --fields=b --state open", "other_fields"),
        # Another question.
        ("bd show", "bd show a-1 --json", "bd show a-2 --json", None),
        ("bd show", "bd show --json a-1", "bd show --json a-2", None),
        ("gh pr view", "gh pr view --json title", "gh pr view 7 --json body", None),
        ("bd search", 'bd search "pump valve"', "bd search pump", None),
        ("bd list", "bd list --status open", "bd list --status closed", None),
        ("bd list", "bd list --status open", "bd list", None),
        ("gh api", "gh api a/b", "gh api a/b/7", None),
        ("kubectl get", "kubectl get pods -n one", "kubectl get pods -n two", None),
        # What writes.
        ("gh api", "gh api a/b", "gh api a/b -f body=done", None),
        ("gh api", "gh api a/b -f body=done", "gh api a/b -f body='all done'", None),
        ("gh api", "gh api a/b", "gh api a/b -X DELETE", None),
        ("gh api", "gh api a/b -X POST", "gh api a/b -X POST | jq .", None),
        ("gh api", "gh api a/b", "gh api a/b -X GET -f page=2", "next_page"),
        ("gh api", "gh api graphql -f q=a", "gh api graphql -f q=a -F after=z", "next_page"),
        ("gh api", "gh api graphql -f query=q", "gh api graphql -f query=p", None),
        ("curl", "curl http://h/x -d '{}'", "curl http://h/x -d '[]'", None),
    ],
)  # fmt: skip
def test_a_command_asks_again(program: str, before: str, after: str, kind: str | None) -> None:
    assert by_shell(program, before, after) == kind


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        ({"q": "pump", "limit": 5}, {"limit": 5, "q": "pump"}, "again"),
        ({"q": "pump", "cursor": None}, {"q": "pump"}, "again"),
        ({"q": "pump", "limit": 5}, {"q": "pump", "limit": "50"}, "larger"),
        ({"q": "pump", "limit": 5}, {"q": "pump"}, "larger"),
        ({"q": "pump"}, {"q": "pump", "maxResults": 50}, "larger"),
        ({"in": {"node": "a", "readDepth": 2}}, {"in": {"node": "a", "readDepth": 4}}, "larger"),
        ({"q": "pump", "page": {"size": 5, "number": 1}}, {"q": "pump"}, None),
        ({"q": "pump", "pageSize": 5}, {"q": "pump", "pageSize": 9}, "larger"),
        ({"q": "pump", "first": 5}, {"q": "pump", "first": 5, "after": "x=="}, "next_page"),
        ({"q": "pump", "page": 1}, {"q": "pump", "page": 2, "limit": 50}, "next_page"),
        ({"q": "pump"}, {"q": "pump", "state": "open"}, "narrower"),
        ({"q": "pump", "limit": 9}, {"q": "pump", "limit": 3}, "narrower"),
        ({"ids": [1], "fields": ["a"]}, {"ids": [1], "fields": ["a", "b"]}, "other_fields"),
        ({"q": "pump"}, {"q": "pump", "include": ["comments"]}, "other_fields"),
        ({"ids": [1]}, {"ids": [1, 2]}, None),
        ({"q": "pump"}, {"q": "valve"}, None),
        ({"q": "pump", "state": "open"}, {"q": "pump"}, None),
        ({"q": "pump", "first": "x"}, {"q": "pump", "first": "y"}, None),
        ({"q": {}}, {"q": {"a": 1}}, None),
    ],
)
def test_arguments_ask_again(before: object, after: object, kind: str | None) -> None:
    asked = arguments(json.dumps(before)), arguments(json.dumps(after))
    assert asked[0]
    assert asked[1]
    assert asked_again(*asked) == kind
    assert kind is None or kind in REQUERY_KINDS


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"a": NaN}', '"a"', "[" * 5000])
def test_what_is_no_json_object_cannot_be_read(text: str) -> None:
    assert arguments(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "bd list 'open",
        "for x in 1 2; do bd list $x; done",
        "bd list $STATE",
        "bd list `cat state`",
        "(bd list)",
        "bd list; bd list --all",
        "echo x | bd list",
        "tracker list",
        "",
    ],
)
def test_a_command_that_only_a_shell_knows_cannot_be_read(text: str) -> None:
    assert command_line(text, "bd list") is None


def test_odd_quotes_and_joined_options_are_read() -> None:
    text = """cd '/my app' && bd --readonly list --label='a b' "it's" -n5 -x -- -y 2>&1"""
    assert command_line(text, "bd list") == Asking(
        words=("it's", "-y"),
        options={"readonly": (), "label": ("a b",), "n": ("5",), "x": ()},
        directory="/my app",
    )


def test_values_in_quotes_are_no_shell() -> None:
    asked = command_line("""gh api a/b --jq '.[] | "$x `y`"' -H 'A: b'""", "gh api")
    assert asked == Asking(("a/b",), {"|jq": ('.[] | "$x `y`"',), "H": ("A: b",)})
