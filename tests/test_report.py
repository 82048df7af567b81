"""The report as a parser reads it: whole, closed, and made of escaped text."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import CtxlabError, ParameterError
from ctxlab.plots import context_timeline, savings_curve
from ctxlab.plots.labels import shortened, visible
from ctxlab.report import (
    BaseRate,
    DataDescription,
    Number,
    Outcome,
    Picture,
    Problems,
    RecommendationText,
    ReportContent,
    Sufficiency,
    UnrecordedChanges,
    render,
    write_report,
)
from ctxlab.report._words import CERTIFICATE_CAVEATS
from tests.pages import (
    HOSTILE,
    Page,
    check_named,
    check_only_words_changed,
    check_policy,
    check_self_contained,
)
from tests.plots.frames import settings, thread


def outcome(**changes: Any) -> Outcome:
    given: dict[str, Any] = {
        "label": "as shipped",
        "settings": {"min_covered_lines": 8, "view_calls": None, "reset_on_compaction": False},
        "harmful": Number(7, "count", "bounded"),
        "harm_by_cause": {"other_thread": 5, "compaction": 2, "clear": 0},
        "pointers": Number(20, "count", "bounded"),
        "net_bytes": Number(-43_000, "bytes", "bounded"),
        "of_touched": Number(-0.0028, "share", "bounded", "source bytes served", -0.006, 0.001),
    }
    return Outcome(**{**given, **changes})


def content(text: str = "plain", **changes: Any) -> ReportContent:
    """A report whose every free text is `text`."""
    given: dict[str, Any] = {
        "title": text,
        "generated": text,
        "versions": {"ctxlab": text},
        "data": DataDescription(
            transcripts=3,
            families=2,
            threads=4,
            agents={text: 3},
            lines=100,
            rejected={text: 2},
            unknown_kinds={text: 1},
            first=text,
            last=text,
            data_hash=text,
        ),
        "headline": (outcome(label=text, settings={"proof": text}, harm_by_cause={text: 7}),),
        "recommendations": (
            RecommendationText(title="shipped", status="none", reasons=(text,)),
            RecommendationText(
                title="per thread",
                status="recommended",
                reasons=(text,),
                outcome=outcome(),
                interval=text,
                certificate={text: text},
            ),
        ),
        "difference": text,
        "sweep": (outcome(settings={"m": 1, "p": text}), outcome(settings={"m": 2, "p": text})),
        "base_rates": (
            BaseRate(
                tool=text,
                lines=text,
                within=3,
                served=10,
                reobtained=Number(0.1, "share", "measured", text),
            ),
        ),
        "sufficiency": (
            Sufficiency(
                tool=text,
                answered=10,
                buckets={"sufficient": 9, text: 1},
                concurrent=0,
                errored=0,
                fallback=Number(0.1, "share", "measured", "answered calls"),
                wider=Number(None, "share"),
            ),
        ),
        "unrecorded_changes": (UnrecordedChanges(evidence=text, changes=2, files=1),),
        "problems": (Problems(cause=text, count=2, n_bytes=10, example=text),),
        "pictures": {
            "one": Picture(
                title=text, caption=text, alt=text, known="bounded", drawing="<svg></svg>"
            )
        },
        "notes": (text,),
    }
    return ReportContent(**{**given, **changes})


def test_page_is_well_formed_and_in_english() -> None:
    page = Page(render(content()))
    assert render(content()).startswith('<!DOCTYPE html>\n<html lang="en">')
    assert page.tags[2][1] == {"charset": "utf-8"}
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert [a["href"] for a in page.all("a")] == [f"#{name}" for name in ids]


def test_page_needs_nothing_outside_itself() -> None:
    real = Picture(
        title="curve", caption="c", alt="a", known="bounded", drawing=savings_curve(settings())
    )
    check_self_contained(render(content(pictures={"real": real})))


def test_policy_allows_the_own_style_sheet_and_pictures_alone() -> None:
    check_policy(Page(render(content())))


def test_page_adapts_to_dark_narrow_and_print() -> None:
    style = Page(render(content())).style
    assert "prefers-color-scheme: dark" in style
    assert "max-width: 48rem" in style
    assert "@media print" in style


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_has_contrast_on_every_ground() -> None:
    style = Page(render(content())).style
    schemes = re.findall(r":root \{[^}]*?(--ink[^}]*)\}", style)
    assert len(schemes) == 3
    for scheme in schemes:
        colour = dict(re.findall(r"--(\w+): (#\w{6})", scheme))
        for text in ("ink", "soft", "accent"):
            for ground in ("ground", "card"):
                dark, light = sorted((luminance(colour[text]), luminance(colour[ground])))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


def test_each_figure_has_alt_text_and_each_table_heads() -> None:
    page = Page(render(content()))
    check_named(page)
    assert len(page.all("table")) >= 6


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_changes_nothing_but_words(text: str, tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", render(content(text)))
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    check_only_words_changed(html, render(content()))


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_shown_as_it_is_or_escaped(text: str) -> None:
    page = Page(render(content(text, pictures={})))
    assert re.sub(r"\s+", " ", visible(text)) in page.words()


def test_long_text_is_cut_where_it_shows() -> None:
    shown = Page(render(content("p/" * 5000))).words()
    assert "[…9,840 characters left out…]" in shown


def test_figures_carry_sign_interval_denominator_and_how_they_are_known() -> None:
    shown = Page(render(content(sweep=None, recommendations=()))).words()
    assert "−43.0 kB" in shown
    assert "−0.28 % (−0.60 % to 0.10 %)" in shown
    assert "of source bytes served, bounded" in shown
    assert "7 of 20" in shown


def test_harm_is_the_first_figure_with_its_causes() -> None:
    shown = Page(render(content(headline=(outcome(),)))).words()
    table = shown[shown.index("Outcome of each setting") :]
    assert table.index("Harmful pointers") < table.index("Net bytes saved")
    assert "other thread 5, compaction 2" in table
    assert "clear" not in table[: table.index("−43.0 kB")]


def test_every_denominator_has_a_column_and_the_unmeasured_is_no_zero() -> None:
    shown = Page(render(content(sweep=None))).words()
    table = shown[shown.index("Outcome of each setting") : shown.index("Each figure says")]
    for head in ("source served", "all tool results", "new input tokens", "whole priced"):
        assert head in table
    assert table.count("not measured") == 4  # three totals and what was withheld
    assert not re.search(r"(?<![\d.])0 %", table)


def test_tables_that_were_not_measured_differ_from_those_that_found_nothing() -> None:
    absent = content(
        sweep=None, base_rates=None, sufficiency=None, unrecorded_changes=None, problems=None
    )
    assert Page(render(absent)).words().count("Not measured in this run.") == 5
    empty = content(sweep=(), base_rates=(), sufficiency=(), unrecorded_changes=(), problems=())
    shown = Page(render(empty)).words()
    assert "Not measured in this run." not in shown
    assert "Every record could be read." in shown
    assert "None was noticed; there may be others." in shown


def test_no_recommendation_is_said_with_its_reasons() -> None:
    shown = Page(render(content("because of harm"))).words()
    assert "No setting is recommended." in shown
    assert "No certificate was issued." in shown
    assert "Recommended: min_covered_lines 8, view_calls unlimited, reset_on_compaction no" in shown


def test_sweep_labels_each_row_and_has_a_column_for_what_else_varies() -> None:
    rows = [outcome(label=f"label {m}", settings={"m": m, "p": "line_text"}) for m in (1, 2)]
    shown = Page(render(content(headline=(), sweep=tuple(rows)))).words()
    assert "Show 2 settings" in shown
    assert "The same in all rows: p line_text" in shown
    assert "Setting m Harmful" in shown.replace("Settingm", "Setting m ")
    assert "label 1" in shown
    assert "label 2" in shown


def test_sweep_of_one_row_is_labelled() -> None:
    assert "only one" in Page(render(content(sweep=(outcome(label="only one"),)))).words()


def test_sweep_says_how_many_of_the_settings_are_shown() -> None:
    shown = Page(render(content(computed=1616))).words()
    assert "Show selected settings, 2 of 1,616 computed; all in frames/" in shown
    assert "every setting" not in shown


def data(**changes: Any) -> DataDescription:
    return replace(content().data, **changes)


def test_content_free_sets_have_no_time_span() -> None:
    dated = {"first": "2026-01-01", "last": "2026-02-01"}
    shown = Page(render(content(data=data(**dated)))).words()
    assert "2026-01-01 to 2026-02-01" in shown
    assert "content-free" not in shown
    shown = Page(render(content(data=data(first=None, last=None, undated=3)))).words()
    assert "Time spannot in a content-free set" in shown
    shown = Page(render(content(data=data(**dated, undated=1)))).words()
    assert "2026-02-01 (1 transcripts of a content-free set have no dates)" in shown


def test_share_of_windows_cut_and_incidence_stand_beside_the_rate() -> None:
    row = BaseRate(
        tool="read",
        lines="any line",
        within=10,
        served=20,
        reobtained=Number(0.1, "share", "measured"),
        cut=Number(0.5, "share", "measured"),
        incidence=Number(0.15, "share", "modelled"),
    )
    shown = Page(render(content(base_rates=(row,)))).words()
    assert "Windows cut short" in shown
    assert "10.00 %50.00 %15.00 %" in shown
    bare = Page(render(content(base_rates=(replace(row, incidence=Number(None, "share")),))))
    assert "10.00 %50.00 %not measured" in bare.words()


def test_card_counts_harmful_pointers_of_all_pointers() -> None:
    shown = Page(render(content())).words()
    assert "harmful pointers: 7 of 20 pointers, bounded;" in shown
    assert "of pointers" not in shown


@pytest.mark.parametrize(
    ("status", "name", "other"),
    [("none", "Judgement:", "Certificate:"), ("recommended", "Certificate:", "Judgement:")],
)
def test_only_a_recommendation_has_a_certificate(status: Any, name: str, other: str) -> None:
    card = RecommendationText(title="t", status=status, reasons=(), certificate={"a": 1})
    shown = Page(render(content(recommendations=(card,)))).words()
    assert name in shown
    assert other not in shown


def test_withheld_share_stands_before_net_bytes() -> None:
    row = outcome(withheld=Number(0.0157, "share", "bounded", "source bytes served"))
    shown = Page(render(content(headline=(row,)))).words()
    table = shown[shown.index("Outcome of each setting") :]
    assert table.index("Withheld") < table.index("Net bytes saved")
    assert table.index("1.57 %") < table.index("−43.0 kB")


def test_rejected_records_are_told_from_those_read_with_a_note() -> None:
    rejected = Problems(cause="broken", count=2, n_bytes=10)
    noted = Problems(cause="odd bytes", count=3, n_bytes=0)
    given = data(rejected={"broken": 2}, noted={"odd bytes": 3})
    shown = Page(render(content(data=given, problems=(rejected, noted)))).words()
    left_out = shown.index("Rejected records; none of them enters a figure")
    read = shown.index("Records read with a note; what was read of them enters the figures")
    assert left_out < shown.index("broken", left_out) < read < shown.index("odd bytes", read)
    assert "Records read with a note3" in shown
    assert "Rejected records;" not in Page(render(content(problems=(noted,)))).words()
    assert "with a note; what" not in Page(render(content(problems=(rejected,)))).words()


@pytest.mark.parametrize("words", CERTIFICATE_CAVEATS)
def test_caveats_of_the_certificate_are_said_once(words: str) -> None:
    assert Page(render(content())).words().count(words) == 1


@pytest.mark.parametrize(
    "words",
    [
        "hands the characters that deduplication freed to other source",
        "net savings are upper limits",
        "A record starts anew where the log shows that the agent's process was resumed",
        "no harm by resume can occur",
        "/clear counts as a clear also where the log goes on in the same file",
        "Sub-agents have a context of their own",
        "no file hashes",
        "The horizon counts calls",
        "Agents delete old transcripts",
    ],
)
def test_caveats_are_said(words: str) -> None:
    assert words in Page(render(content())).words()


def test_axes_are_drawn_and_stay_apart_from_the_page() -> None:
    path = "<script>alert(1)</script>"
    frame = thread()
    frame.loc[0, "path"] = path
    drawn = Picture(
        title="t", caption="c", alt="a", known="measured", drawing=context_timeline(frame)
    )
    (image,) = Page(render(content(pictures={"drawn": drawn}))).all("img")
    kind, _, data = str(image["src"]).partition(",")
    assert kind == "data:image/svg+xml;base64"
    assert b"<script" not in base64.b64decode(data)


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (Number(0, "share", "measured"), "0.00 %"),
        (Number(0.0000012, "share", "measured"), "0.0001 %"),
        (Number(1e15, "bytes", "measured"), "1,000 TB"),
        (Number(999, "bytes", "measured"), "999 B"),
        (Number(15_440_000, "bytes", "measured"), "15.4 MB"),
        (Number(-1234, "count", "measured"), "−1,234"),
        (Number(float("nan"), "share", "measured"), "not measured"),
        (Number(float("inf"), "usd", "measured"), "not measured"),
        (Number(-1.5, "usd", "modelled"), "−$1.50"),
    ],
)
def test_numbers_are_written_with_unit_and_sign(number: Number, shown: str) -> None:
    page = Page(render(content(headline=(outcome(net_bytes=number),), sweep=None)))
    assert f" {shown} " in f" {page.words()} " or shown in page.words()


def test_figure_without_a_statement_of_knowledge_is_refused() -> None:
    with pytest.raises(ParameterError, match="`known` must be measured, identified, bounded or"):
        Number(1, "count")


def test_same_content_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_report(tmp_path / name, render(content()))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_report_replaces_an_older_one_and_leaves_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    write_report(target, render(content("old")))
    write_report(target, render(replace(content(), title="new")))
    assert "<title>new</title>" in target.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [target]


def test_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(CtxlabError, match=r"cannot write the report .*report\.html: No such file"):
        write_report(tmp_path / "missing" / "report.html", "")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CtxlabError, match=r"cannot write the report .*folder: Is a directory"):
        write_report(tmp_path / "folder", "")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_text_is_shortened_at_the_chosen_end() -> None:
    assert shortened("abcdef", 4) == "…def"
    assert shortened("abcdef", 4, keep_end=False) == "abc…"
    assert shortened("abcd", 4) == "abcd"
