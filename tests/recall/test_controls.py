"""What each class of controls promises, on random projects and case by case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ParameterError
from ctxlab.recall._kin import kin, told_apart
from ctxlab.recall.controls import (
    absent,
    best_phrase_score,
    joined,
    unrelated,
    unrelated_share,
)
from ctxlab.recall.graph import Node
from ctxlab.recall.index import GraphIndex
from ctxlab.recall.params import Recall
from ctxlab.recall.project import Project, Prompt, Revealed
from ctxlab.recall.terms import content_words, identifier_terms
from tests.recall.worlds import asked, project_of, random_graph, random_project, random_prompt

seeds = st.integers(0, 2**32)
N = 10


def files_of(directory: str | None, n: int = 3) -> tuple[Revealed, ...]:
    """As many files as tell a directory from others, at its first prompt."""
    return tuple(Revealed(0, f"{directory}/{i}.py".lstrip("/")) for i in range(n))


def corpus(random: Random, n_projects: int) -> list[Project]:
    """Projects whose prompts were asked at a few times, or at none."""
    projects = []
    for i in range(n_projects):
        one = random_project(random, f"/p{i}", random.randint(1, N))
        times = sorted(random.randint(-1, 20) for _ in one.prompts)
        shared = [Revealed(0, f"src/{n}.py") for n in range(3) if random.random() < 0.7]
        known = (*files_of(f"/p{i}"), *shared, *one.revealed)
        projects.append(dated(replace(one, revealed=known), times))
    return projects


def dated(project: Project, times: Sequence[int]) -> Project:
    prompts = zip(project.prompts, times, strict=True)
    return replace(project, prompts=tuple(replace(p, ms=ms) for p, ms in prompts))


def numbered(directory: str | None, n: int, begun: int = 0) -> Project:
    """Prompts at one time each, beginning with a time, and three files of its own."""
    prompts = [replace(asked(f"{directory} {i}", at=i), ms=begun + i) for i in range(n)]
    return project_of(*prompts, directory=directory, revealed=files_of(directory))


def later(project: Project, ms: int = 1000) -> Project:
    """Ask all of it later."""
    return dated(project, [prompt.ms + ms for prompt in project.prompts])


def cut(project: Project, n: int) -> Project:
    """The project before its prompt `n` was asked."""
    return replace(
        project,
        prompts=project.prompts[:n],
        revealed=tuple(r for r in project.revealed if r.since < n),
    )


@given(seed=seeds)
def test_transcripts_of_other_file_names_give_the_same_controls(seed: int) -> None:
    random = Random(seed)
    index, projects = GraphIndex.of_graph(random_graph(random, N)), corpus(random, 3)
    moved = [
        replace(
            project,
            prompts=tuple(replace(p, transcript=f"moved {p.transcript}") for p in project.prompts),
        )
        for project in projects
    ]
    assert unrelated(moved) == unrelated(projects)
    for before, after in zip(projects, moved, strict=True):
        assert joined(after) == joined(before)
        assert absent(index, after) == absent(index, before)


# Unrelated


@given(seed=seeds, n_projects=st.integers(1, 6), k=st.integers(1, 8))
def test_unrelated_prompts_are_all_that_others_asked_before_and_nobody_here(
    seed: int, n_projects: int, k: int
) -> None:
    projects = corpus(Random(seed), n_projects)
    no_others, told = kin(projects), told_apart(projects)
    for project, samples in zip(projects, unrelated(projects, k), strict=True):
        assert len(samples) == len(project.prompts)
        for prompt, sample in zip(project.prompts, samples, strict=True):
            ms = prompt.ms
            if ms < 0:
                assert sample == ()
                continue
            since = {project.directory: 0, **no_others[str(project.directory)]}
            own = [p for p in projects if since.get(p.directory, ms + 1) <= ms]
            others = [p for p in projects if p not in own and told.get(str(p.directory), 99) <= ms]
            typed = {p.text for each in own for p in each.prompts if 0 <= p.ms <= ms}
            before = {p.text for each in others for p in each.prompts if 0 <= p.ms < ms} - typed
            assert set(sample) <= before
            assert len(sample) <= k
            assert bool(sample) == bool(before)


@given(seed=seeds, n_projects=st.integers(1, 6), k=st.integers(1, 8), ms=st.integers(-1, 20))
def test_what_is_later_changes_no_sample(seed: int, n_projects: int, k: int, ms: int) -> None:
    """Directories, prompts and files of later times: all are as if they were not there."""
    projects = corpus(Random(seed), n_projects)
    first = [
        project if n == len(project.prompts) else cut(project, n)
        for project in projects
        for n in [sum(prompt.ms <= ms for prompt in project.prompts)]
    ]
    for before, after in zip(unrelated(first, k), unrelated(projects, k), strict=True):
        assert after[: len(before)] == before
    there = [project for project in first if project.prompts]
    more = [later(project) for project in corpus(Random(seed + 1), 3)]
    nested = later(replace(numbered("/", 2), revealed=()))
    assert unrelated([*more, nested, *there], k)[4:] == unrelated(there, k)


@given(sizes=st.lists(st.integers(1, 12), min_size=1, max_size=5), k=st.integers(1, 20))
def test_unrelated_prompts_are_spread_evenly(sizes: list[int], k: int) -> None:
    own = numbered("/own", 3, begun=100)
    projects = [own, *(numbered(f"/p{i}", n) for i, n in enumerate(sizes))]
    for sample in unrelated(projects, k)[0]:
        assert len(sample) == len(set(sample)) == min(k, sum(sizes))
        taken = Counter(text.split()[0] for text in sample)
        given = {f"/p{i}": taken[f"/p{i}"] for i in range(len(sizes))}
        left = [given[f"/p{i}"] for i, n in enumerate(sizes) if given[f"/p{i}"] < n]
        assert max(given.values()) - min(left, default=max(given.values())) <= 1


@given(seed=seeds, k=st.integers(1, 8))
def test_another_directory_only_displaces(seed: int, k: int) -> None:
    own = numbered("/own", 5, begun=5)
    projects = [own, *(numbered(f"/p{i}", 1 + (seed >> i) % 9) for i in range(4))]
    before, after = unrelated(projects[:4], k)[0], unrelated(projects, k)[0]
    for old, new in zip(before, after, strict=True):
        stayed = tuple(text for text in new if not text.startswith("/p3 "))
        assert stayed == old[: len(stayed)]


@given(seed=seeds, k=st.integers(1, 8), more=st.integers(1, 5))
def test_prompts_added_elsewhere_only_displace(seed: int, k: int, more: int) -> None:
    sizes = [1 + (seed >> i) % 9 for i in range(3)]
    grown = [n + more * (i == 1) for i, n in enumerate(sizes)]
    own = numbered("/own", 5, begun=5)
    before, after = (
        unrelated([own, *(numbered(f"/p{i}", n) for i, n in enumerate(each))], k)[0]
        for each in (sizes, grown)
    )
    added = {f"/p1 {i}" for i in range(sizes[1], grown[1])}
    for old, new in zip(before, after, strict=True):
        assert set(new) - added <= set(old)


def test_unrelated_repeats_itself_and_differs_from_prompt_to_prompt() -> None:
    projects = [numbered("/a", 20, begun=30), numbered("/b", 20)]
    samples = unrelated(projects, 1)
    assert samples == unrelated(list(reversed(projects)), 1)[::-1]
    assert len(set(samples[0])) > 5


def test_only_what_was_asked_strictly_earlier_is_drawn() -> None:
    samples = unrelated([numbered("/a", 3), numbered("/b", 3)])
    assert [set(sample) for sample in samples[0]] == [set(), {"/b 0"}, {"/b 0", "/b 1"}]


def test_undated_prompts_neither_draw_nor_are_drawn() -> None:
    undated = dated(numbered("/a", 2), [-1, -1])
    assert unrelated([undated, numbered("/b", 1, begun=9)]) == (((), ()), ((),))


@pytest.mark.parametrize("directory", ["/home/a", "/home/a/", "/home/a/sub", "/home", None, "/"])
def test_the_same_or_a_nested_or_an_unknown_directory_is_no_other(directory: str | None) -> None:
    projects = [numbered("/home/a", 2, begun=5), numbered(directory, 3)]
    if directory == "/home/a":
        projects[1] = replace(projects[1], prompts=(asked("something else"),))
    assert unrelated(projects) == tuple(((),) * len(p.prompts) for p in projects)


def test_a_directory_beside_one_of_the_same_beginning_is_another() -> None:
    projects = [numbered("/home/a", 1, begun=9), numbered("/home/ab", 1)]
    assert unrelated(projects)[0] == (("/home/ab 0",),)


def test_windows_directories_nest_too() -> None:
    projects = [numbered("C:\\a", 1), numbered("C:\\a\\b", 1, begun=9)]
    assert unrelated(projects) == (((),), ((),))


def test_a_text_typed_here_by_then_is_not_unrelated() -> None:
    projects = [
        project_of(
            replace(asked("go on"), ms=10), replace(asked("why `x_y`?"), ms=20), directory="/a"
        ),
        project_of(asked("go on"), asked("why `x_y`?"), directory="/b", revealed=files_of("/b")),
    ]
    assert unrelated(projects) == ((("why `x_y`?",), ()), ((), ()))


def test_a_directory_that_has_shown_two_files_is_not_drawn_from() -> None:
    def drawn(n: int) -> object:
        one = replace(numbered("/b", 1), revealed=files_of("/b", n))
        return unrelated([one, numbered("/a", 1, begun=9)])[1]

    assert drawn(2) == ((),)
    assert drawn(3) == (("/b 0",),)


def test_no_projects_one_project_and_no_prompts() -> None:
    assert unrelated([]) == ()
    assert unrelated([numbered("/a", 1)]) == (((),),)
    nothing = replace(numbered("/a", 0), revealed=())
    assert unrelated([nothing, numbered("/b", 1)]) == ((), ((),))


def test_a_sample_has_at_least_one_prompt() -> None:
    with pytest.raises(ParameterError, match="`k` must be at least 1 prompt, got 0"):
        unrelated([], 0)


@given(seed=seeds)
def test_unrelated_share_is_the_share_of_lower_scores(seed: int) -> None:
    random = Random(seed)
    index = GraphIndex.of_graph(random_graph(random, N))
    texts = [random_prompt(random) for _ in range(8)]
    at = random.randrange(N)
    scores = [index.look_up(text, Recall(), at).best_score for text in texts]
    assert [best_phrase_score(index, text, at) for text in texts] == scores
    own, others = scores[0], [-1.0 if s is None else s for s in scores[1:]]
    share = unrelated_share(index, own, texts[1:], at)
    expected = None if own is None else sum(s < own for s in others) / len(others)
    assert share == expected


def test_unrelated_share_is_unknown_without_a_score_or_others() -> None:
    index = GraphIndex([])
    assert unrelated_share(index, None, ["a_b"], 0) is None
    assert unrelated_share(index, 1.0, [], 0) is None
    assert unrelated_share(index, 1.0, ["a_b"], 0) == 1.0


# Joined


@given(seed=seeds)
def test_joined_topics_are_real_and_were_never_asked_together(seed: int) -> None:
    project = random_project(Random(seed), "/p", N)
    terms = [identifier_terms(prompt.text) for prompt in project.prompts]
    for i, question in enumerate(joined(project)):
        if question is None:
            continue
        one, other = identifier_terms(question)
        where = [
            {project.prompts[j].transcript for j in range(i + 1) if topic in terms[j]}
            for topic in (one, other)
        ]
        assert all(where)
        assert len(where[0] | where[1]) > 1
        assert not any({one, other} <= set(terms[j]) for j in range(i + 1))
        assert not terms[i] or one in terms[i]
        assert question not in {prompt.text for prompt in project.prompts}


@given(seed=seeds, n=st.integers(0, N))
def test_joined_knows_nothing_later(seed: int, n: int) -> None:
    project = random_project(Random(seed), "/p", N)
    assert joined(cut(project, n)) == joined(project)[:n]


def test_joined_puts_two_topics_into_words_that_every_gate_drops() -> None:
    project = project_of(asked("fix parse_cart"), asked("see treeIndex", "u"))
    assert joined(project) == (None, "Why does `treeIndex` need `parse_cart`?")
    assert content_words("Why does need?") == ()


@pytest.mark.parametrize(
    "second",
    [
        asked("see treeIndex"),  # of the same transcript
        asked("no names", "u"),
        asked("see parse_cart", "u"),  # the same topic
        asked("see src/parse_cart.py", "u"),  # one name holds the other
        asked("do parse_cart and treeIndex", "u"),  # asked together
        asked("x_" * 200, "u"),  # a name of 400 characters is none
    ],
)
def test_joined_is_none_without_two_topics(second: Prompt) -> None:
    assert joined(project_of(asked("fix parse_cart"), second)) == (None, None)


def test_joined_of_no_prompt_is_nothing() -> None:
    assert joined(project_of()) == ()


# Absent


def shape(name: str) -> str:
    """A capital, capitals, or small letters each become one mark."""
    marks = "".join("A" if c.isupper() else "a" if c.islower() else c for c in name)
    return re.sub("a+", "a", re.sub("AA+", "B", marks))


@given(seed=seeds)
def test_an_absent_subject_is_nowhere_and_all_else_is_as_it_was(seed: int) -> None:
    random = Random(seed)
    index = GraphIndex.of_graph(random_graph(random, N))
    project = random_project(random, "/p", N)
    for at, question in enumerate(absent(index, project)):
        text = project.prompts[at].text
        found = index.look_up(text, Recall(), at)
        assert (question is None) == (found.best_score is None)
        if question is None:
            continue
        assert all(index.phrase_score(term, at) is None for term in identifier_terms(question))
        assert not index.digest(question, Recall(min_hit_score=0), at=at).fires
        before, after = identifier_terms(text), identifier_terms(question)
        changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        matched = {old for old in before if index.phrase_score(old, at) is not None}
        assert matched <= {old for old, _ in changed}
        assert len({new for _, new in changed}) == len(changed)
        assert all(shape(new) == shape(old) for old, new in changed)
        # Back again, longest first: nothing else was touched.
        for old, new in sorted(changed, key=lambda pair: -len(pair[1])):
            question = question.replace(new, old)
        assert question == text


@given(seed=seeds, n=st.integers(0, N))
def test_absent_knows_nothing_later(seed: int, n: int) -> None:
    random = Random(seed)
    index = GraphIndex.of_graph(random_graph(random, N))
    project = random_project(random, "/p", N)
    assert absent(index, cut(project, n)) == absent(index, project)[:n]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("parse_cart", r"[a-z]+_[a-z]+"),
        ("parseCart", r"[a-z]+[A-Z][a-z]+"),
        ("HTTPServer.sendReply", r"[A-Z]+[A-Z][a-z]+\.[a-z]+[A-Z][a-z]+"),
        ("MAX_HITS", r"[A-Z]+_[A-Z]+"),
        ("src/cart_2.py", r"[a-z]+/[a-z]+_2\.py"),
        ("cart::parse", r"[a-z]+::[a-z]+"),
        ("`cart`", r"[a-z]+"),
    ],
)
def test_an_absent_subject_keeps_its_shape(name: str, pattern: str) -> None:
    node = Node("Symbol", "k", {"name": name})
    index = GraphIndex([node], [("Symbol", "name")])
    project = project_of(
        asked(f"why is {name} slow?"), revealed=[Revealed(0, "lib/digest.go", "writeBudget")]
    )
    [question] = absent(index, project)
    assert question is not None
    [term] = identifier_terms(question)
    assert term != name
    assert re.fullmatch(pattern, term)
    assert index.digest(question).fires is False


def test_an_absent_subject_is_renamed_wherever_it_is_named_and_only_there() -> None:
    index = GraphIndex([Node("Symbol", "k", {"name": "load_all"})], [("Symbol", "name")])
    text = "load_all's bug: `load_all` (load_all), reload_all and src/load_all.py"
    [question] = absent(index, project_of(asked(text)))
    assert question is not None
    assert len(re.findall(r"\bload_all\b", question)) == 0
    assert "reload_all" in question
    new = identifier_terms(question)[0]
    assert question.count(new) == 4


def test_every_known_identifier_is_renamed_and_no_other() -> None:
    nodes = [Node("Symbol", str(i), {"name": "common_name"}) for i in range(5)]
    nodes.append(Node("Symbol", "k", {"name": "rare_name"}))
    index = GraphIndex(nodes, [("Symbol", "name")])
    [question] = absent(index, project_of(asked("common_name or rare_name, not new_thing")))
    assert question is not None
    assert "common_name" not in question
    assert "rare_name" not in question
    assert question.endswith("not new_thing")
    assert not index.digest(question).fires


def test_a_name_inside_another_does_not_break_it() -> None:
    names = ("src/load_all.py", "load_all", "Tank.load_all")
    nodes = [Node("Symbol", name, {"name": name}) for name in names]
    index = GraphIndex(nodes, [("Symbol", "name")])
    [question] = absent(index, project_of(asked("load_all of Tank.load_all in src/load_all.py")))
    assert question is not None
    short, dotted, path = identifier_terms(question)
    assert (shape(dotted), shape(path)) == ("Aa.a_a", "a/a_a.a")
    assert short not in dotted
    assert short not in path
    assert not index.digest(question).fires


def test_absent_is_none_where_one_of_the_names_cannot_be_renamed() -> None:
    nodes = [Node("Symbol", name, {"name": name}) for name in ("load_all", "issue 42")]
    index = GraphIndex(nodes, [("Symbol", "name")])
    assert absent(index, project_of(asked("load_all of #42"))) == (None,)
    assert absent(index, project_of(asked("load_all of #43"))) != (None,)


def test_absent_tries_the_coverage_gate() -> None:
    nodes = [Node("Symbol", "k", {"name": "load_all", "doc": "Fills empty tanks slowly."})]
    index = GraphIndex(nodes, [("Symbol", "name"), ("Symbol", "doc")])
    [question] = absent(index, project_of(asked("why does `load_all` fill empty tanks slowly")))
    assert question is not None
    assert not index.digest(question).fires
    assert index.digest(question, Recall(gate="coverage")).fires


@pytest.mark.parametrize("text", ["", "no names here", "unknown_name", "see #42"])
def test_absent_is_none_where_nothing_can_be_renamed(text: str) -> None:
    index = GraphIndex([Node("Symbol", "k", {"name": "issue 42"})], [("Symbol", "name")])
    assert absent(index, project_of(asked(text))) == (None,)


def test_absent_in_an_empty_graph_is_none() -> None:
    assert absent(GraphIndex([]), project_of(asked("load_all"))) == (None,)
