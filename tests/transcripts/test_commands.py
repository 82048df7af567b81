"""Labels of command lines: what people would call the tool that answered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.transcripts.commands import UNNAMED, program_of, tool_label


@pytest.mark.parametrize(
    ("command_line", "label"),
    [
        ("bd list --json", "bd list"),
        ("/usr/local/bin/bd --db x.db list", "bd list"),
        ("bd show AB-12 --json", "bd show"),
        ("cd /src && bd ready --json 2>/dev/null", "bd ready"),
        ("export A=1; A=2 timeout 5 bd ready", "bd ready"),
        ("bd ready || echo '{}'", "bd ready"),
        ("bd create x >&2; bd list; echo done >&2", "bd list"),
        ("bd list > all.json; cat all.json", "cat"),
        ("bd list | jq '.[0]'", "bd list | jq"),
        ("bd list | grep x | head -5", "bd list | grep"),
        ("bd list | head -5", "bd list"),
        ("cat a.json | jq .", "jq"),
        ("echo '{}' | pump-server serve", "pump-server serve"),
        ("gh pr list --json number", "gh pr list"),
        ("gh api repos/owner/name/pulls", "gh api"),
        ("gh api graphql -f query=x", "gh api"),
        ("gh -R owner/name issue view 12", "gh issue view"),
        ("kubectl -n pumps get pods -o json", "kubectl get pods"),
        ("kubectl logs pump", "kubectl logs"),
        ("docker compose ps", "docker compose ps"),
        ("docker inspect pump", "docker inspect"),
        ("npm view pump --json", "npm view"),
        ("aws lambda list-functions", "aws lambda list-functions"),
        ("aws s3api list-buckets", "aws"),
        ("curl -s https://pump.example/runs | python3 -m json.tool", "curl | python3"),
        ("python script.py list", "python"),
        ("jq -n '{}'", "jq"),
        ("cat package.json", "cat"),
        ("for i in 1 2; do bd show $i; done", "bd show"),
        ("bash -lc 'bd list --json'", "bd list"),
        ("echo '{}'", "echo"),
        ("$BD list", "$BD list"),
        ("./run.sh", "run.sh"),
        ("cat a.json | head", "cat"),
        ("# what is the pump's state?\nbd list", "bd list"),
        ("bd update x --set by=$(hostname) --set at=$(date +%s) --json", "bd update"),
        ("NAME=$(hostname); bd list", "bd list"),
        ("pump -p 'start it' --output-format json", "pump"),
        ("--json list", UNNAMED),
        ("mkdir x", UNNAMED),
        ("bd 'list", UNNAMED),
        ("", UNNAMED),
        ("'a b c\x07' list", UNNAMED),
    ],
)
def test_labels(command_line: str, label: str) -> None:
    assert tool_label(command_line) == label


def test_a_program_is_the_same_whatever_filters_it() -> None:
    assert (
        program_of(tool_label("bd list | jq .")) == program_of(tool_label("bd list")) == "bd list"
    )


@given(st.text("ab-| ;&'\"\n$(){}<>\\=/1é\x07\ud800", max_size=60))
def test_a_label_is_short_and_can_be_printed(command_line: str) -> None:
    label = tool_label(command_line)
    assert label.isprintable()
    assert 0 < len(label) <= 140
    assert program_of(label)
