from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.dedup import (
    GAP_MARKER,
    PROFILES,
    Dedup,
    Range,
    Ranges,
    Section,
    SessionRecord,
    answer,
    guard,
    merge_ranges,
    pointer_chars,
    serve,
    utf16_chars,
)

LINE = "a line of source that is long enough"
CONTENT = "\n".join(f"{LINE} {n}" for n in range(1, 101))
PLAIN = Dedup(min_delta_chars=0, guard=False)

SPANS = st.lists(
    st.tuples(st.integers(1, 100), st.integers(1, 100)).map(lambda p: (min(p), max(p))), max_size=4
).map(merge_ranges)
PARAMS = st.builds(
    Dedup,
    min_covered_lines=st.integers(1, 20),
    view_calls=st.one_of(st.none(), st.integers(1, 4)),
    min_delta_chars=st.sampled_from([0, 160, 1000]),
    guard=st.booleans(),
)
CALLS = st.lists(
    st.lists(st.tuples(st.sampled_from(["a.py", "b.py"]), SPANS), max_size=3), max_size=6
)


def lines(ranges: Ranges) -> set[int]:
    return {n for start, end in ranges for n in range(start, end + 1)}


def after(*calls: Range, params: Dedup = PLAIN) -> SessionRecord:
    """Record one call for each range of a.py."""
    record = SessionRecord(params)
    for wanted in calls:
        record.record([serve(record, "a.py", CONTENT, [wanted])])
    return record


def rendered(content: str, ranges: Ranges) -> str:
    text = content.split("\n")
    return GAP_MARKER.join(
        "\n".join(f"{n}\t{text[n - 1]}" for n in range(start, end + 1)) for start, end in ranges
    )


def test_the_defaults_are_those_of_the_real_tool() -> None:
    assert PROFILES["codegraph 1.6.1"] == Dedup() == SessionRecord().params
    assert Dedup().as_dict() == {
        "min_covered_lines": 8,
        "view_calls": 4,
        "min_delta_chars": 160,
        "record_scope": "connection",
        "reset_on_compaction": False,
        "guard": True,
        "max_spans_in_pointer": 4,
        "max_symbols_in_pointer": 5,
        "files_per_call": 24,
        "ranges_per_file": 24,
        "full_pointer_chars": 182,
        "partial_pointer_chars": 193,
    }


def test_held_lines_become_a_partial_pointer_and_the_rest_is_sent() -> None:
    section = serve(after((1, 20)), "a.py", CONTENT, [(11, 30)], symbols=[("f", "class", 1, 15)])
    assert section.emit == ((21, 30),)
    assert section.covered == ((11, 20),)
    assert section.body_chars == len(rendered(CONTENT, ((21, 30),)))
    assert section.full_body_chars == len(rendered(CONTENT, ((11, 30),)))
    assert section.withheld_source_chars == len("\n".join(CONTENT.split("\n")[10:20]))
    assert section.pointer_chars == pointer_chars("a.py", ((11, 20),), ["f"], partial=True)
    assert section.recorded_spans == ((21, 30), (11, 20))
    assert section.recorded_bytes == section.body_chars


@pytest.mark.parametrize(("above", "folded"), [(0, False), (1, True)])
def test_a_remainder_below_the_threshold_is_folded_and_not_recorded(
    above: int, folded: bool
) -> None:
    remainder = len(rendered(CONTENT, ((1, 2), (23, 29))))
    params = replace(PLAIN, min_delta_chars=remainder + above)
    section = serve(after((3, 22)), "a.py", CONTENT, [(1, 29)], params)
    assert section.folded is folded
    assert section.emit == ((1, 2), (23, 29))
    assert section.body_chars_before_fold == remainder
    assert section.body_chars == section.recorded_bytes == (0 if folded else remainder)
    assert section.recorded_spans == (((3, 22),) if folded else ((1, 2), (23, 29), (3, 22)))
    assert section.pointer_chars == pointer_chars("a.py", ((3, 22),), partial=not folded)


def test_a_short_section_without_a_held_run_is_never_folded() -> None:
    section = serve(SessionRecord(), "a.py", CONTENT, [(1, 1)], Dedup(min_delta_chars=1000))
    assert not section.folded
    assert section.body_chars == len(rendered(CONTENT, ((1, 1),)))


def test_any_edit_voids_what_was_sent_of_the_file() -> None:
    record = after((1, 20))
    assert serve(record, "a.py", CONTENT + "\n", [(1, 20)]).served == ()
    assert serve(record, "a.py", CONTENT, [(1, 20)]).served == ((1, 20),)


def test_another_spelling_of_the_path_is_another_file() -> None:
    assert serve(after((1, 20)), "./a.py", CONTENT, [(1, 20)]).covered == ()


def test_spans_of_one_file_do_not_see_each_other() -> None:
    record = after((1, 8))
    assert serve(record, "a.py", CONTENT, [(1, 4), (5, 8)]).covered == ()
    assert serve(record, "a.py", CONTENT, [(1, 8)]).covered == ((1, 8),)


def test_the_horizon_is_that_of_the_call() -> None:
    record = after((1, 20), (50, 60))
    near, far = (
        serve(record, "a.py", CONTENT, [(1, 20)], replace(PLAIN, view_calls=view)).covered
        for view in (1, 2)
    )
    assert (near, far) == ((), ((1, 20),))


def test_an_answer_names_the_symbols_of_its_pointers() -> None:
    record = after((1, 20))
    [section] = answer(record, [("a.py", CONTENT, [(1, 20)], [("f", "function", 3, 9)])])
    assert section.pointer_chars == pointer_chars("a.py", ((1, 20),), ["f"])


def test_files_of_one_answer_do_not_see_each_other() -> None:
    first, second = answer(SessionRecord(PLAIN), [("a.py", CONTENT, [(1, 20)])] * 2)
    assert first == second
    assert first.covered == ()


@pytest.mark.parametrize(
    ("span", "kept"),
    [((95, 200), ((95, 100),)), ((-5, 3), ((1, 3),)), ((101, 120), ()), ((9, 3), ())],
)
def test_a_span_is_cut_to_the_file(span: Range, kept: Ranges) -> None:
    section = serve(SessionRecord(), "a.py", CONTENT, [span])
    assert section.emit == section.recorded_spans == kept
    assert section.body_chars == section.full_body_chars == len(rendered(CONTENT, kept))


def test_an_empty_file_can_be_served() -> None:
    section = serve(SessionRecord(), "a.py", "", [(1, 1)])
    assert section.body_chars == len("1\t")


def test_the_guard_restores_the_first_suppressed_file_in_full() -> None:
    params = replace(PLAIN, guard=True)
    record = SessionRecord(params)
    files = [("a.py", CONTENT, [(1, 20)]), ("b.py", CONTENT, [(1, 20), (40, 60)])]
    fresh = answer(record, files)
    restored, pointed = answer(record, files)
    assert restored == replace(fresh[0], served=((1, 20),))
    assert pointed.covered == ((1, 20), (40, 60))
    assert pointed.body_chars == 0


def test_the_guard_restores_a_folded_file_too() -> None:
    section = serve(after((1, 20)), "a.py", CONTENT, [(1, 21)], Dedup())
    assert section.folded
    [restored] = guard([section])
    assert restored.emit == restored.recorded_spans == ((1, 21),)
    assert restored.body_chars == restored.recorded_bytes == section.full_body_chars
    assert not restored.folded
    assert restored.pointer_chars == restored.withheld_source_chars == 0


def test_the_guard_leaves_an_answer_with_source_or_without_pointers_alone() -> None:
    pointed = serve(after((1, 20)), "a.py", CONTENT, [(1, 20)])
    sent = serve(SessionRecord(), "b.py", CONTENT, [(1, 3)])
    empty = serve(SessionRecord(), "c.py", CONTENT, [])
    assert guard([pointed, sent]) == (pointed, sent)
    assert guard([empty]) == (empty,)
    assert guard([]) == ()
    assert guard([empty, pointed])[1].body_chars == pointed.full_body_chars


def test_an_answer_is_of_its_project_and_thread() -> None:
    record = SessionRecord(PLAIN)
    for _ in range(2):
        [section] = answer(record, [("a.py", CONTENT, [(1, 20)])], project="p", thread="t")
    assert section.covered == ((1, 20),)
    record.forget("t", project="p")
    [section] = answer(record, [("a.py", CONTENT, [(1, 20)])], project="p", thread="t")
    assert section.covered == ()


@given(st.text(st.sampled_from("a😀é日\ud83d\n\r"), max_size=80), SPANS, SPANS)
def test_lengths_are_those_of_the_rendered_text(content: str, first: Ranges, then: Ranges) -> None:
    record, params = SessionRecord(PLAIN), replace(PLAIN, min_covered_lines=1)
    answer(record, [("a.py", content, first)])
    section = serve(record, "a.py", content, then, params)
    assert section.body_chars == utf16_chars(rendered(content, section.emit))
    source = content.split("\n")
    withheld = ["\n".join(source[start - 1 : end]) for start, end in section.covered]
    assert section.withheld_source_chars == sum(map(utf16_chars, withheld))


@given(CALLS, PARAMS)
def test_laws_of_a_session(calls: list[list[tuple[str, Ranges]]], params: Dedup) -> None:
    record = SessionRecord(params)
    for call in calls:
        sections = answer(record, [(path, CONTENT, spans) for path, spans in call])
        for (_, spans), section in zip(call, sections, strict=True):
            check_laws(spans, section, params)
        suppressed = any(section.covered for section in sections)
        assert not (params.guard and suppressed) or any(s.body_chars for s in sections)


def check_laws(wanted: Ranges, section: Section, params: Dedup) -> None:
    emit, covered = lines(section.emit), lines(section.covered)
    recorded = lines(section.recorded_spans)
    assert emit | covered == lines(wanted)
    assert not emit & covered
    assert covered <= lines(section.served)
    assert all(end - start + 1 >= params.min_covered_lines for start, end in section.covered)
    assert (section.pointer_chars > 0) == bool(covered), "withheld lines stand in a pointer"
    assert recorded == (covered if section.folded else lines(wanted))
    assert section.recorded_bytes == section.body_chars
    assert section.body_chars == (0 if section.folded else section.body_chars_before_fold)
    assert not section.folded or section.body_chars_before_fold < params.min_delta_chars
    if not covered:
        assert section.body_chars == section.full_body_chars


@given(SPANS, SPANS, st.integers(1, 20))
def test_a_higher_threshold_never_withholds_more(first: Ranges, then: Ranges, low: int) -> None:
    record = SessionRecord(PLAIN)
    answer(record, [("a.py", CONTENT, first)])
    withheld = [
        serve(record, "a.py", CONTENT, then, replace(PLAIN, min_covered_lines=m)).covered
        for m in (low, low + 1)
    ]
    assert lines(withheld[1]) <= lines(withheld[0])


@given(SPANS, st.integers(1, 20))
def test_a_repeated_request_withholds_every_long_span(spans: Ranges, threshold: int) -> None:
    params = replace(PLAIN, min_covered_lines=threshold)
    record = SessionRecord(params)
    for _ in range(3):
        [section] = answer(record, [("a.py", CONTENT, spans)])
    assert section.covered == tuple(r for r in spans if r[1] - r[0] + 1 >= threshold)
