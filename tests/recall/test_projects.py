"""Which families share a project, and which prompts may know what."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ctxlab.recall.observe import Observed, Shown
from ctxlab.recall.project import Project, Prompt, Revealed, Use
from ctxlab.recall.projects import projects

DIRECTORY = "/home/repo"


def asked(family: str, *when: tuple[int, int]) -> tuple[Prompt, ...]:
    """Prompts of a family at (position, date)."""
    return tuple(Prompt(family, "source", at, ms, 0, 1, "go", Use()) for at, ms in when)


def family(
    name: str,
    prompts: tuple[tuple[int, int], ...] = (),
    shown: tuple[Shown, ...] = (),
    directory: str | None = DIRECTORY,
    *,
    is_dated: bool = True,
) -> Observed:
    return Observed(name, directory, is_dated, asked(name, *prompts), shown)


def only(*families: Observed) -> Project:
    (project,) = projects(families)
    return project


def test_prompts_are_ordered_by_date_then_family_then_position() -> None:
    project = only(family("b", ((0, 5), (1, 9))), family("a", ((3, 5), (4, 5), (7, 8))))
    assert [(p.family, p.at) for p in project.prompts] == [
        ("a", 3),
        ("a", 4),
        ("b", 0),
        ("a", 7),
        ("b", 1),
    ]


def test_other_families_know_what_was_shown_strictly_earlier() -> None:
    told = family("a", (), (Shown(9, 50, "a.py"),))
    assert only(told, family("b", ((0, 49), (1, 50), (2, 51)))).revealed == (Revealed(2, "a.py"),)


def test_the_same_family_knows_what_was_shown_before_whatever_the_clock_says() -> None:
    told = family("a", ((0, 50), (5, 50)), (Shown(3, 50, "a.py"),))
    assert only(told).revealed == (Revealed(1, "a.py"),)
    # A prompt of another family at the same date stands behind and may not know it.
    assert only(told, family("b", ((0, 50), (1, 60)))).revealed == (Revealed(3, "a.py"),)


def test_what_no_prompt_may_know_is_left_out() -> None:
    assert only(family("a", ((0, 1),), (Shown(1, 2, "a.py"),))).revealed == ()


def test_a_file_is_revealed_once_and_a_symbol_once_a_state() -> None:
    states = (
        Shown(0, 0, "a.py"),
        Shown(0, 0, "a.py", "run", 1),
        Shown(2, 20, "a.py", "run", 2),
    )
    again = (Shown(0, 10, "a.py"), Shown(0, 10, "a.py", "run", 1), Shown(0, 10, "b.py"))
    project = only(family("a", ((9, 90),), states), family("b", ((3, 30),), again))
    assert project.revealed == (
        Revealed(0, "a.py"),
        Revealed(0, "a.py", "run", 1),
        Revealed(0, "b.py"),
        Revealed(0, "a.py", "run", 2),
    )


def test_undated_families_are_projects_by_themselves() -> None:
    dated = family("a", ((0, 5),))
    undated = family("b", ((0, -1), (4, 7), (6, -1)), (Shown(5, -1, "a.py"),), is_dated=False)
    found = projects([undated, dated])
    assert [(p.name, len(p.prompts)) for p in found] == [("repo", 1), ("repo (b)", 3)]
    assert [p.at for p in found[1].prompts] == [0, 4, 6]
    assert found[1].revealed == (Revealed(2, "a.py"),)
    assert {p.directory for p in found} == {DIRECTORY}


def test_an_undated_family_is_ordered_by_position_alone() -> None:
    states = (Shown(1, 70, "a.py", "run", 1), Shown(2, -1, "a.py", "run", 2))
    project = only(family("b", ((5, -1),), states, is_dated=False))
    assert [revealed.line for revealed in project.revealed] == [1, 2]


def test_families_without_a_directory_are_projects_by_themselves() -> None:
    found = projects(family(name, ((0, 5),), directory=None) for name in "ab")
    assert [(p.name, p.directory) for p in found] == [("a", None), ("b", None)]


def test_a_directory_without_a_prompt_is_no_project() -> None:
    assert projects([family("a", (), (Shown(0, 0, "a.py"),))]) == ()


@pytest.mark.parametrize(
    ("directories", "names"),
    [
        (("/home/repo", "/home/other"), ["other", "repo"]),
        (("/x/repo", "/y/repo"), ["x/repo", "y/repo"]),
        (("/repo", "/x/repo"), ["/repo", "x/repo"]),
        (("/", "C:/repo"), ["/", "repo"]),
    ],
)
def test_a_project_is_named_by_what_tells_its_directory_from_others(
    directories: tuple[str, ...], names: list[str]
) -> None:
    found = projects(family(at, ((0, 0),), directory=at) for at in directories)
    assert [p.name for p in found] == names


FAMILIES = ("a", "b", "c")
EVENTS = st.lists(
    st.tuples(st.sampled_from(FAMILIES), st.integers(0, 3), st.sampled_from(["?", "f", "g"])),
    max_size=14,
)
"""A family, the time since the event before, and a prompt or a path shown."""


def world(events: list[tuple[str, int, str]]) -> list[Observed]:
    """Families whose events stand in one order of time, positions counted in each."""
    prompts: dict[str, list[tuple[int, int]]] = {name: [] for name in FAMILIES}
    shown: dict[str, list[Shown]] = {name: [] for name in FAMILIES}
    ms = 0
    for name, waited, what in events:
        ms += waited
        at = len(prompts[name]) + len(shown[name])
        if what == "?":
            prompts[name].append((at, ms))
        else:
            line = ms % 2
            shown[name].append(Shown(at, ms, what, "run", line))
    return [family(name, tuple(prompts[name]), tuple(shown[name])) for name in FAMILIES]


def knowledge(families: list[Observed]) -> dict[tuple[str, int], set[Revealed]]:
    """What each prompt knows, without the number it knows it by."""
    found = projects(families)
    if not found:
        return {}
    (project,) = found
    return {
        (prompt.family, prompt.at): {
            Revealed(0, r.path, r.name, r.line, r.doc) for r in project.revealed if r.since <= i
        }
        for i, prompt in enumerate(project.prompts)
    }


@given(EVENTS)
def test_since_equals_asking_every_prompt(events: list[tuple[str, int, str]]) -> None:
    families = world(events)
    for project in projects(families):
        allowed = [
            [
                shown.at < prompt.at if one.family == prompt.family else shown.ms < prompt.ms
                for prompt in project.prompts
            ]
            for one in families
            for shown in one.shown
        ]
        naive = [next(i for i in range(len(known) + 1) if all(known[i:])) for known in allowed]
        told = [shown for one in families for shown in one.shown]
        first = {
            (shown.path, shown.line): min(
                since
                for since, other in zip(naive, told, strict=True)
                if (other.path, other.line) == (shown.path, shown.line)
            )
            for shown in told
        }
        found: dict[tuple[str, int | None], int] = {}
        for r in project.revealed:
            found.setdefault((r.path, r.line), r.since)
        n = len(project.prompts)
        assert found == {state: since for state, since in first.items() if since < n}
        assert [r.since for r in project.revealed] == sorted(r.since for r in project.revealed)


@given(EVENTS, st.integers(0, 14))
def test_later_events_change_nothing_that_was_known(
    events: list[tuple[str, int, str]], n: int
) -> None:
    assume(n >= len(events) or events[n][1] > 0)  # equal dates do not tell what is later
    before, after = knowledge(world(events[:n])), knowledge(world(events))
    assert before == {prompt: after[prompt] for prompt in before}


@given(EVENTS, EVENTS)
def test_a_later_family_changes_nothing_that_was_known(
    events: list[tuple[str, int, str]], later: list[tuple[str, int, str]]
) -> None:
    end = sum(waited for _, waited, _ in events) + 1
    newcomer = [("c", end if i == 0 else waited, what) for i, (_, waited, what) in enumerate(later)]
    earlier = [one for one in world(events) if one.family != "c"]
    added = [*earlier, world(newcomer)[2]]
    before, after = knowledge(earlier), knowledge(added)
    assert before == {prompt: after[prompt] for prompt in before}
