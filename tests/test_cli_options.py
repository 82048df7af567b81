"""Options that derive from the declarations of the policies' parameters."""

from __future__ import annotations

from typing import Any

import click
import pytest

from ctxlab.cli._options import (
    POLICIES,
    PolicyCommand,
    one_value_options,
    policy_option,
    policy_values,
    several_values_options,
)
from ctxlab.errors import ParameterError
from ctxlab.params import ParamSet

SURFACE = ("--policy", "surface")


def command(options: Any) -> click.Command:
    @click.command(cls=PolicyCommand)
    @policy_option
    @options
    def takes(policy: str, **given: Any) -> Any:
        return policy_values(policy, given)

    return takes  # type: ignore[no-any-return]


ONE, SEVERAL = command(one_value_options), command(several_values_options)


def values(of: click.Command, *words: str) -> dict[str, list[Any]]:
    kind, found = of.main(list(words), standalone_mode=False)
    assert issubclass(kind, ParamSet)
    assert isinstance(found, dict)
    return found


def help_of(of: click.Command) -> dict[str, str]:
    """Text under each heading of the help, in single spaces."""
    parts = of.get_help(click.Context(of)).split("\n\n")
    return {head: " ".join(rest.split()) for head, _, rest in (p.partition(":") for p in parts)}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--select", "id,title"), {"select": [("id", "title")]}),
        (("--select", "meta.id, title"), {"select": [("meta.id", "title")]}),
        (("--select", "none"), {"select": [()]}),
        (("--filters", "kind=a,b"), {"filters": [("kind=a,b",)]}),
        (("--filters", "a=1", "--filters", "b~;x"), {"filters": [("a=1", "b~;x")]}),
        (("--filters", "none"), {"filters": [()]}),
        (("--filters", "a= b "), {"filters": [("a= b ",)]}),
        (("--sort", "score"), {"sort": ["score"]}),
        (("--sort", "all"), {"sort": ["all"]}),
        (("--sort", "None"), {"sort": [None]}),
        (("--sort", ""), {"sort": [""]}),
        (("--dedupe-by", "none"), {"dedupe_by": [None]}),
        (("--count-only", "TRUE", "--max-items", "20"), {"count_only": [True], "max_items": [20]}),
    ],
)
def test_one_value(words: tuple[str, ...], expected: dict[str, list[Any]]) -> None:
    assert values(ONE, *SURFACE, *words) == expected
    POLICIES["surface"].of(**{name: found for name, [found] in expected.items()})


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--select", "id,title;id;none"), {"select": [("id", "title"), ("id",), ()]}),
        (("--filters", "a=1;2", "--filters", "b=1"), {"filters": [("a=1;2", "b=1")]}),
        (("--sort", "score,id;none"), {"sort": ["score,id", None]}),
        (("--max-items", "1-3,10"), {"max_items": [1, 2, 3, 10]}),
        (("--count-only", "false,true"), {"count_only": [False, True]}),
    ],
)
def test_several_values(words: tuple[str, ...], expected: dict[str, list[Any]]) -> None:
    assert values(SEVERAL, *SURFACE, *words) == expected


def test_one_value_is_not_split_at_what_separates_several() -> None:
    assert values(ONE, *SURFACE, "--select", "a;b,c") == {"select": [("a;b", "c")]}
    assert values(ONE, *SURFACE, "--sort", "a;b") == {"sort": ["a;b"]}


def test_an_option_of_two_policies_is_read_as_the_chosen_one_declares_it() -> None:
    words = ("--max-output-bytes", "70000")
    assert values(ONE, *SURFACE, *words) == {"max_output_bytes": [70000]}
    with pytest.raises(ParameterError, match=r"`max_output_bytes` must be in .*, got 70000"):
        values(ONE, "--policy", "recall", *words)
    with pytest.raises(
        ParameterError,
        match="--max-output-bytes is an option of recall and surface: add --policy recall or surf",
    ):
        values(ONE, *words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--select", ""), "`select` must be keys as in id,title, or none, got ''"),
        (("--select", "id,,title"), "`select` must be keys as in id,title, or none, got 'id,,t"),
        (("--select", "id;"), "`select` must be keys as in id,title, or none, got ''"),
        (("--filters", "a=\udcff"), r"`filters` must be UTF-8 text, got 'a=\\udcff'"),
        (("--sort", "\udcff"), "`sort` must be UTF-8 text, got"),
        (("--max-items", "-1"), "`max_items` must be in"),
        (("--max-items", "none"), "`max_items` must be a whole number in"),
        (("--max-items", "1-20000"), "`max_items` takes ranges of at most 10,000 values, got 1-2"),
        (("--count-only", "2"), "`count_only` must be one of False, True, got '2'"),
        (("--min-hit-score", "3"), "--min-hit-score is an option of recall: add --policy recall"),
    ],
)
def test_values_that_are_wrong(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        values(SEVERAL, *SURFACE, *words)


@pytest.mark.parametrize("of", [ONE, SEVERAL])
def test_help_shows_every_parameter_under_its_policy(of: click.Command) -> None:
    shown = help_of(of)
    for policy, parameters in POLICIES.items():
        text = shown[f"Parameters of {policy}"]
        at = [text.index(f"--{name.replace('_', '-')} ") for name in parameters.params()]
        assert at == sorted(at)
    names = [option.name for option in of.params]
    assert len(set(names)) == len(names)


def test_help_says_how_to_give_several() -> None:
    text = help_of(SEVERAL)["Parameters of surface"]
    assert "Keys: id,title. Several sets: 'id,title;id'. [default: none]" in text
    assert "Once for each of several. [default: none]" in text
    assert "Key that rows are sorted by. Several: 'id;title'. [default: none]" in text
    assert "Several: 4,8 or 1-64. [default: 0]" in text
    alone = help_of(ONE)["Parameters of surface"]
    assert "Several" not in alone
    assert "Keys: id,title. [default: none]" in alone
