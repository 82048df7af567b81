from __future__ import annotations

import pytest

from ctxlab.dedup import Dedup, Ranges, Section, ServedFile, SessionRecord, served_ranges_for_file


def sent(path: str = "a.py", spans: Ranges = ((1, 10),), n_bytes: int = 100) -> Section:
    """Make a section of which the record keeps the given lines."""
    return Section(
        path=path,
        fingerprint="f",
        served=(),
        emit=spans,
        covered=(),
        folded=False,
        body_chars_before_fold=n_bytes,
        body_chars=n_bytes,
        full_body_chars=n_bytes,
        withheld_source_chars=0,
        pointer_chars=0,
        recorded_spans=spans,
        recorded_bytes=n_bytes,
    )


@pytest.mark.parametrize(
    ("calls", "ranges"),
    [
        (None, ()),
        ([], ()),
        (
            [[ServedFile("a.py", ((1, 4),), 9, "f")], [ServedFile("a.py", ((5, 9),), 0, "f")]],
            ((1, 9),),
        ),
        ([[ServedFile("./a.py", ((1, 4),), 9, "f")]], ()),
        ([[ServedFile("a.py", ((1, 4),), 9, "older")]], ()),
    ],
)
def test_held_lines_are_those_of_the_same_path_and_bytes(
    calls: list[list[ServedFile]] | None, ranges: Ranges
) -> None:
    assert served_ranges_for_file(calls, "a.py", "f") == ranges


def test_an_entry_without_a_fingerprint_proves_nothing() -> None:
    calls = [[ServedFile("a.py", ((1, 4),), 9, "")]]
    assert served_ranges_for_file(calls, "a.py", "") == ()


@pytest.mark.parametrize("view", [1, 2, 4, 8, 12])
def test_only_the_latest_calls_count(view: int) -> None:
    record = SessionRecord(Dedup(view_calls=view))
    record.record([sent()])
    for _ in range(view - 1):
        record.record([])  # a call without a result counts as well
        assert record.served("a.py", "f") == ((1, 10),)
    record.record([])
    assert record.served("a.py", "f") == ()


def test_without_a_horizon_nothing_is_forgotten() -> None:
    record = SessionRecord(Dedup(view_calls=None))
    record.record([sent()])
    for _ in range(100):
        record.record([])
    assert record.served("a.py", "f") == ((1, 10),)


@pytest.mark.parametrize(("view", "kept"), [(4, 8), (12, 12)])
def test_eight_calls_are_kept_or_as_many_as_are_seen(view: int, kept: int) -> None:
    record = SessionRecord(Dedup(view_calls=view))
    for n in range(20):
        record.record([sent(spans=((10 * n + 1, 10 * n + 1),))])
    unlimited = Dedup(view_calls=None)
    assert len(record.served("a.py", "f")) == view
    assert len(record.served("a.py", "f", params=unlimited)) == kept


def test_a_pointer_keeps_a_file_alive() -> None:
    record = SessionRecord(Dedup(view_calls=1))
    record.record([sent()])
    record.record([sent(n_bytes=0)])
    assert record.served("a.py", "f") == ((1, 10),)


def test_a_call_keeps_the_files_with_most_bytes_and_pointers_go_first() -> None:
    record = SessionRecord(Dedup(files_per_call=3))
    sizes = {"pointer": 0, "small": 5, "first equal": 7, "second equal": 7, "large": 9}
    record.record([sent(path, n_bytes=size) for path, size in sizes.items()])
    kept = {path for path in sizes if record.served(path, "f")}
    assert kept == {"first equal", "second equal", "large"}

    record.record([sent(f"tie {i}", n_bytes=1) for i in range(4)])
    assert [bool(record.served(f"tie {i}", "f")) for i in range(4)] == [True, True, True, False]


def test_a_section_without_lines_takes_no_place() -> None:
    record = SessionRecord(Dedup(files_per_call=1))
    record.record([sent("empty.py", spans=(), n_bytes=0), sent(n_bytes=0)])
    assert record.served("a.py", "f") == ((1, 10),)


def test_a_file_keeps_its_longest_ranges() -> None:
    record = SessionRecord(Dedup(ranges_per_file=2))
    record.record([sent(spans=((1, 9), (20, 21), (30, 38), (50, 58)))])
    assert record.served("a.py", "f") == ((1, 9), (30, 38))


def test_touching_ranges_are_one_to_the_cap() -> None:
    record = SessionRecord(Dedup(ranges_per_file=1))
    record.record([sent(spans=((5, 9), (1, 4)))])
    assert record.served("a.py", "f") == ((1, 9),)


def test_projects_do_not_see_each_other_and_the_least_recently_used_is_dropped() -> None:
    record = SessionRecord()
    for project in "abcd":
        record.record([sent()], project=project)
    assert record.served("a.py", "f") == ()
    assert record.served("a.py", "f", project="a") == ((1, 10),)  # now b is the oldest
    record.record([sent()], project="e")
    held = {p for p in "abcde" if record.served("a.py", "f", project=p)}
    assert held == set("acde")


def test_an_answer_is_a_use_of_its_project() -> None:
    record = SessionRecord()
    for project in "abcdae":
        record.record([sent()], project=project)
    assert record.served("a.py", "f", project="a") == ((1, 10),)
    assert record.served("a.py", "f", project="b") == ()


def test_other_projects_do_not_move_the_horizon() -> None:
    record = SessionRecord(Dedup(view_calls=1))
    record.record([sent()], project="a")
    record.record([], project="b")
    assert record.served("a.py", "f", project="a") == ((1, 10),)


def test_forgetting_a_thread_voids_its_lines_alone_and_keeps_the_horizon() -> None:
    record = SessionRecord(Dedup(view_calls=2))
    record.record([sent("main.py")], thread="main")
    record.record([sent("agent.py")], thread="agent")
    record.forget("agent")
    assert record.served("agent.py", "f") == ()
    assert record.served("main.py", "f") == ((1, 10),)
    record.record([], thread="agent")
    assert record.served("main.py", "f") == ()


def test_forgetting_in_an_unknown_project_does_nothing() -> None:
    record = SessionRecord()
    record.forget(project="never seen")
    assert record.served("a.py", "f", project="never seen") == ()
