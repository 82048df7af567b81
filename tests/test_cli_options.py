"""Options that derive from the declarations of the policies' parameters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.cli._commands import COMMANDS
from ctxlab.cli._option_values import Given, given_values, option_name, written
from ctxlab.cli._options import (
    POLICIES,
    PolicyCommand,
    one_value_options,
    policy_option,
    policy_values,
    several_values_options,
)
from ctxlab.errors import ParameterError
from ctxlab.params import Param, ParamSet
from tests.commands import Run

SURFACE = ("--policy", "surface")


def command(options: Any) -> click.Command:
    @click.command(cls=PolicyCommand)
    @policy_option
    @options
    def takes(policy: str, **options: Any) -> Any:
        return policy_values(policy, options)

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
        (("--filter", "kind=a,b"), {"filters": [("kind=a,b",)]}),
        (("--filter", "a=1", "--filter", "b~;x"), {"filters": [("a=1", "b~;x")]}),
        (("--filter", "none"), {"filters": [()]}),
        (("--filter", "a= b "), {"filters": [("a= b ",)]}),
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
        (("--filter", "a=1;2", "--filter", "b=1"), {"filters": [("a=1;2", "b=1")]}),
        (("--sort", "score,id;none"), {"sort": ["score,id", None]}),
        (("--max-items", "1-3,10"), {"max_items": [1, 2, 3, 10]}),
        (("--max-items", "1..3"), {"max_items": [1, 2, 3]}),
        (("--max-items", "0-12:5, 20"), {"max_items": [0, 5, 10, 20]}),
        (("--count-only", "false,true"), {"count_only": [False, True]}),
    ],
)
def test_several_values(words: tuple[str, ...], expected: dict[str, list[Any]]) -> None:
    assert values(SEVERAL, *SURFACE, *words) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--select", "id;title"), "`select` takes one set of keys here: write id,title for all"),
        (("--select", "a;b,c"), "write a,b,c for all of them; `ctxlab sweep` takes several behind"),
        (("--sort", "a;b"), "`sort` takes one key here; `ctxlab sweep` takes several behind semi"),
        (("--dedupe-by", "a;b"), "`dedupe_by` takes one key here; `ctxlab sweep` takes several"),
        (("--max-items", "1,2"), "got '1,2'; one value in plain digits is taken here"),
        (("--max-items", "1-9"), "got '1-9'; one value in plain digits is taken here"),
        (("--max-items", "1e3"), "got '1e3'; write digits"),
    ],
)
def test_several_values_where_one_is_taken(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        values(ONE, *SURFACE, *words)


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
        (("--select", "id;"), "`select` must have something beside each semicolon, got 'id;'"),
        (("--sort", ";"), "`sort` must have something beside each semicolon, got ';'"),
        (("--filter", "a=\udcff"), r"`filters` must be UTF-8 text, got 'a=\\udcff'"),
        (("--sort", "\udcff"), "`sort` must be UTF-8 text, got"),
        (("--max-items", "-1"), "`max_items` must be in"),
        (("--max-items", "none"), "`max_items` must be a whole number in"),
        (("--max-items", "1-20000"), "`max_items` takes ranges of at most 10,000 values with a s"),
        (("--max-items", "1-200:0"), "with a step above 0, got 1-200:0"),
        (("--max-items", "9-1"), "from the smaller number to the larger: write 1-9, got 9-1"),
        (("--max-items", "9-1:2"), "from the smaller number to the larger: write 1-9:2, got 9-1:2"),
        (("--max-items", "5-2000000000"), "`max_items` must be in .*, got 2000000000"),
        (("--max-items", "9" * 5000), "`max_items` must be a whole number in "),
        *(
            (("--max-items", text), ".* write digits, a list as in 4,8 or a range as in 1-64 or 0-")
            for text in ("a-b", "1-", "-", "", ",", "1,,2", "1e3", "2.5", "\u0661", "1-\u0662")
        ),
        (("--count-only", "2"), "`count_only` must be one of false, true, got '2'"),
        (("--filter", "a=1", "--filter", "none"), "`filters` takes none by itself, .*, or 'a=1'"),
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
        at = [text.index(f"{option_name(param)} ") for param in parameters.params().values()]
        assert at == sorted(at)
    names = [option.name for option in of.params]
    assert len(set(names)) == len(names)


def test_help_says_how_to_give_several() -> None:
    text = help_of(SEVERAL)["Parameters of surface"]
    assert "Keys: id,title. Several sets: 'id,title;id'. [default: none]" in text
    assert "Once for each of several. [default: none]" in text
    assert "Key that rows are sorted by. Several: 'id;title'. [default: none]" in text
    assert "Several: 4,8, 1-64 or 0-100:5. [default: 0]" in text
    alone = help_of(ONE)["Parameters of surface"]
    assert "Several" not in alone
    assert "Keys: id,title. [default: none]" in alone


DECLARED = [param for kind in POLICIES.values() for param in kind.params().values()]


@pytest.mark.parametrize("declared", DECLARED, ids=lambda declared: declared.name)
def test_what_is_written_of_a_value_is_read_as_that_value(declared: Param) -> None:
    many = [(), ("a", "b.c")] if declared.many and not declared.verbatim else []
    text = [None, "a", ""] if declared.text else []
    for value in {declared.default, *declared.sweep, *declared.choices, *many, *text}:
        assert given_values(declared, Given((written(declared, value),), False)) == [value]


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("declared", DECLARED, ids=lambda declared: declared.name)
@given(text=st.text("0123456789.,;:-+ea none\u0661\udcff", max_size=12) | st.text(max_size=8))
def test_whatever_is_written_gives_values_or_one_line(
    declared: Param, several: bool, text: str
) -> None:
    said = ""
    try:
        found = given_values(declared, Given((text,), several))
    except ParameterError as error:
        found, said = [], str(error)
    for value in found:
        declared.check(value)
    assert bool(found) != said.startswith(f"`{declared.name}` ")


# Every option of every policy ---------------------------------------------------------------------

SAMPLES = {
    "tools": "read",
    "proof": "hunks",
    "graph": "git",
    "tool": "gh",
    "max_harmful_pointers": "1",
    "max_harmed": "1",
    "keep": "0.5",
    "filters": "a=1",
    "select": "id",
}
COMMON = {"paths", "lab_folder", "policy", "out", "decisions", "figure", "help"}
OWNED = [
    (command, option)
    for name, command in COMMANDS.items()
    if any(option.name == "policy" for option in command.params)
    for option in command.params
    if isinstance(option, click.Option) and option.name not in COMMON
]


def sample(name: str) -> str:
    """What may be written behind an option."""
    if name in SAMPLES:
        return SAMPLES[name]
    declared = next(k.params()[name] for k in POLICIES.values() if name in k.params())
    return written(declared, declared.choices[-1] if declared.choices else declared.default)


@pytest.mark.parametrize(
    ("command", "option"), OWNED, ids=lambda one: one.name if one is not None else ""
)
def test_an_option_is_refused_with_each_policy_that_does_not_have_it(
    run: Run, tmp_path: Path, command: click.Command, option: click.Option
) -> None:
    """There is no lab here, and no logs: what is not refused before fails for want of these."""
    assert option.name is not None
    assert command.name is not None
    paths = ["logs"] if command.name == "tune" else []
    took = set()
    for policy in POLICIES:
        words = (*paths, "--policy", policy, option.opts[0], sample(option.name))
        done = run(command.name, *words)
        assert done.code == 2
        refused = f"ctxlab: {option.opts[0]} is an option of "
        if not done.err.startswith(refused):
            assert "no lab in lab" in done.err or "no such file or folder: " in done.err
            took.add(policy)
        else:
            assert done.err.count("\n") == 1
    of = {policy for policy, kind in POLICIES.items() if option.name in kind.params()}
    said = {policy for policy in POLICIES if (option.help or "").startswith(policy.capitalize())}
    assert took == of | said
    assert len(took) in (1, 2)


@pytest.mark.parametrize("name", ["max_items", "filters", "max_output_bytes"])
def test_a_message_names_an_option_as_it_is_written(run: Run, name: str) -> None:
    """In the library it is called otherwise."""
    option = option_name(POLICIES["surface"].params()[name])
    bad = {"filters": "none", "max_items": "x", "max_output_bytes": "x"}[name]
    for command in ("replay", "sweep", "recommend"):
        done = run(command, *SURFACE, option, bad, option, bad, "--filter", "a=1")
        assert done.err.startswith(f"ctxlab: {option} ")
        assert f"`{name}`" not in done.err
    done = run("shape", option, bad, option, bad, "--filter", "a=1")
    assert done.err.startswith(f"ctxlab: {option} ")
