"""The report on surface: what a small lab gives, every state it can be in, and hostile words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ctxlab
from ctxlab.cli._surface_results import write_surface_results
from ctxlab.estimate import ShareInterval
from ctxlab.lab import Lab, SurfaceSweep, SurfaceTuned
from ctxlab.replay import SURFACE_METRICS
from ctxlab.report import (
    Advice,
    SurfaceContent,
    SurfacePrice,
    compose_surface,
    render_surface,
    write_report,
)
from ctxlab.report._surface_said import in_short, judged_keys, judged_words
from ctxlab.surface.params import NUMERIC, Surface
from ctxlab.tune import KeyJudgement, SurfaceChoice, SurfaceJudgement
from tests.pages import (
    HOSTILE,
    Page,
    check_named,
    check_only_words_changed,
    check_policy,
    check_self_contained,
)
from tests.sessions import BOARD, LIST, Session, compact, row_of, write_answers

NBSP = "\N{NO-BREAK SPACE}"
COLUMNS = {
    "Harmed answers": "harmed_answers",
    "Lossy answers": "lossy_answers",
    "Witnesses lost: ids": "lost_ids",
    f"…{NBSP}paths": "lost_paths",
    f"…{NBSP}numbers": "lost_numbers",
    f"…{NBSP}names": "lost_names",
    "Saved": "saved_bytes",
    "… of recorded bytes": "saved_share_of_recorded",
    "… of all tool results": "saved_share_of_results",
    "… of new input tokens": "saved_share_of_new_input",
    "Carried along": "priced_bytes",
    "… of carrying all": "priced_share",
    "Answers changed": "changed_answers",
    "Names cut": "cut_names",
    "Texts cut": "cut_texts",
    "Stubs": "stubs",
    "Answers that grow": "grown",
    "… over the ceiling": "over_budget",
    "… with fewer rows than at a smaller ceiling": "non_monotonic",
}
"""Where each figure of an outcome stands in the frames; `Share` is of two things."""
TOOL_COLUMNS = {
    "Answers in JSON": "json_answers",
    "… cut by the harness": "cut_answers",
    "… no JSON": "text_answers",
    "Bytes": "recorded_bytes",
    "Saved by compact printing": "compact_share_of_recorded",
    "Asked again": "requeries",
    "Quoted": "quoted_answers",
    "… with a witness": "witnessed_answers",
}
CURVE_COLUMNS = {
    "Saved": "saved_share",
    "Carried": "priced_share",
    "Harmed": "harmed_answers",
}


@dataclass(frozen=True)
class Made:
    lab: Lab
    tuned: SurfaceTuned
    content: SurfaceContent


def tuned_on(lab: Lab) -> Made:
    tuned = lab.tune_surface()
    return Made(lab, tuned, compose_surface(lab, tuned, "today"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("surface")
    with ctxlab.open(folder / "lab") as lab:
        lab.ingest(write_answers(folder / "logs"))
        yield tuned_on(lab)


@pytest.fixture(scope="module")
def saving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """Long lists of which only the first row is ever quoted: a limit is recommended."""
    folder = tmp_path_factory.mktemp("saving")
    for day in range(24):
        ids = [f"AB-{day:02}{i:02}" for i in range(30)]
        session = Session(f"s{day:02}", day).prompt()
        session.runs(f"{LIST} --json", compact({"items": [row_of(one) for one in ids]}))
        session.runs(f"tracker show {ids[0]}", "it waits")
        session.write(folder / "logs" / f"{day}.jsonl")
    with ctxlab.open(folder / "lab") as lab:
        lab.ingest(folder / "logs")
        yield tuned_on(lab)


def page_of(content: SurfaceContent) -> Page:
    """The page without its figures, which take long to draw."""
    return Page(render_surface(replace(content, pictures={})))


def check_clean(made: Made) -> str:
    """A page that is well-formed and self-contained; give its words."""
    html = render_surface(replace(made.content, pictures={}))
    check_self_contained(html)
    page = Page(html)
    check_policy(page)
    return page.words()


def measured(value: float | None) -> float | None:
    return None if value is None or value != value else value


# What it says, and where that stands --------------------------------------------------------------


def test_every_figure_stands_in_the_frames(made: Made, tmp_path: Path) -> None:
    write_surface_results(made.lab, made.tuned, tmp_path)
    frames = {f.stem: pd.read_parquet(f) for f in (tmp_path / "frames").iterdir()}
    assert len(made.content.outcomes) == 11
    for outcome in made.content.outcomes:
        name, _, value = outcome.label.partition(" ")
        row = frames[name].set_index(name).loc[int(value.replace(",", ""))]
        for head, given in {**outcome.loss, **outcome.saving, **outcome.hazards}.items():
            if head != "Share":
                assert given.value == measured(row[COLUMNS[head]]), head
        lost, saved = outcome.loss["Share"], outcome.saving["Share"]
        assert (lost.value, lost.low, lost.high) == tuple(
            measured(row[f"harmed_{end}"]) for end in ("share", "low", "high")
        )
        assert (saved.value, saved.low, saved.high) == (row.saved_share, row.low, row.high)
    tools = frames["tools"].set_index("tool")
    assert [tool for tool, _ in made.content.tools] == tools.index.tolist()
    for tool, figures in made.content.tools:
        assert list(figures) == list(TOOL_COLUMNS)
        for head, given in figures.items():
            assert given.value == measured(tools[TOOL_COLUMNS[head]][tool]), head
    curves = frames["tool_curves"].set_index(["tool", *NUMERIC]).sort_index()
    assert curves.index.is_unique
    assert set(made.content.curves) == set(NUMERIC)
    for knob, rows in made.content.curves.items():
        assert [tool for tool, _ in rows] == tools.index.tolist()
        for tool, figures in rows:
            for head, given in list(figures.items())[1:]:
                what, value = head.split(" at ")
                at = {**dict.fromkeys(NUMERIC, 0), knob: int(value.replace(",", ""))}
                row = curves.loc[(tool, *at.values())]
                assert given.value == measured(row[CURVE_COLUMNS[what]])
    assert len(frames["prices"]) == len(made.content.prices)
    assert len(frames["keys"]) == made.content.keys_in_all == len(made.content.keys)
    said = json.loads((tmp_path / "recommendation.json").read_bytes())
    assert said["result"]["reasons"] == list(made.content.recommendation.reasons)


def test_in_short_is_known_by_hand(made: Made) -> None:
    said = " ".join(made.content.short).replace(NBSP, " ")
    assert "42 answers in JSON of 2 tools took 4,182 bytes, 94 % of the bytes of all" in said
    assert "Printed compactly they would take 2 % less" in said
    assert "Later calls quoted something of 24 answers; of 24 something that the agent" in said
    assert "After 7 answers in JSON (17 %) the agent asked the like again" in said
    assert "after 1 with a larger limit, for the next page" in said
    assert "After other results of these tools it did so 0 times." in said
    assert "0 answers that the harness cut short, and 1 of the same tools that are no J" in said
    shown = page_of(made.content).words()
    for sentence in made.content.short:
        assert re.sub(r"\s+", " ", sentence) in shown


def test_page_is_complete_and_says_how_each_figure_is_known(made: Made) -> None:
    html = render_surface(made.content)
    check_self_contained(html)
    page = Page(html)
    check_policy(page)
    check_named(page)
    assert len(page.all("img")) == len(made.content.pictures) == 12
    for picture in made.content.pictures.values():
        assert re.search(r"stand in frames/\w+\.parquet\.$", picture.alt)
    shown = page.words()
    assert "of 42 answers in JSON, bounded" in shown
    assert "of bytes printed compactly, measured" in shown
    for outcome in made.content.outcomes:
        assert {given.known for given in outcome.loss.values()} == {"bounded"}
        modelled = {head for head, given in outcome.saving.items() if given.known == "modelled"}
        assert modelled == {"Carried along", "… of carrying all", "… of new input tokens"}
    priced = {name for name, metric in SURFACE_METRICS.items() if metric.known == "modelled"}
    assert priced == {"priced_bytes", "canonical_priced_bytes"}


def test_tables_have_nine_columns_at_most(saving: Made) -> None:
    html = render_surface(replace(saving.content, pictures={}))
    heads = [body.split("</thead>")[0].count("<th ") for body in html.split("<table>")[1:]]
    assert max(heads) <= 9


def test_no_bound_of_nothing(made: Made) -> None:
    """Where no answer was harmed the families bound the share: resampling would make it 0."""
    for outcome in made.content.outcomes:
        high = outcome.loss["Share"].high
        assert high is not None
        assert high > 0
    assert "(0.00 % to 0.00 %)" not in page_of(made.content).words()


def test_losses_have_a_minus_sign(made: Made) -> None:
    shown = page_of(made.content).words()
    assert "−2.54 kB" in shown or re.search(r"−[\d.]+ kB", shown)
    assert re.search(r"−\d+\.\d\d %", shown)


def test_frame_documents_each_of_its_columns(made: Made) -> None:
    frame, said = made.tuned.choices.frame(), SurfaceSweep.frame.__doc__ or ""
    named = set(re.findall(r"\b[a-z_]+\b", said))
    assert set(frame.columns) - set(Surface.params()) - named == set()


# States of a lab ----------------------------------------------------------------------------------


def test_nothing_answered_in_json(tmp_path: Path) -> None:
    Session("one").prompt().read("/project/a.py").runs("ls", "a.py").write(tmp_path / "a.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "a.jsonl")
        shown = check_clean(tuned_on(lab))
    assert "No tool of these transcripts answered in JSON, so that nothing could be" in shown
    assert "No tool answered in JSON." in shown
    assert "No answer holds rows with keys." in shown
    assert "No combination of the three limits saves anything" in shown
    assert "Nothing: no tool answered in JSON." in shown
    assert "No figures were made." in shown
    assert "Harmed answers" not in shown


@pytest.mark.parametrize(
    ("invalid", "told"), [(0, ""), (4, ", and 4 in JSON that breaks its rules (NaN and the like)")]
)
def test_answers_that_are_cut_text_or_invalid_are_told(invalid: int, told: str) -> None:
    forms = {"json": 0, "cut": 3, "text": 2, "invalid": invalid}
    seen = pd.Series({"answers": 9, **{f"{form}_answers": n for form, n in forms.items()}})
    [said] = in_short(seen, 0, 900.0)
    assert "(of 9 results of tools that seem to speak it 3 were cut short" in said
    assert f"2 are no JSON{told}), so that nothing could be measured." in said


def test_one_family(tmp_path: Path) -> None:
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(write_answers(tmp_path / "logs", 1))
        shown = check_clean(tuned_on(lab))
    assert "No limit is recommended. The answers stay whole." in shown
    assert "these logs cannot tell" in shown


def test_nothing_is_worth_its_price(made: Made) -> None:
    shown = check_clean(made)
    assert made.content.prices == ()
    assert "No combination of the three limits saves anything while it harms ten" in shown
    assert made.content.under_setting == ()
    assert "What the recommended setting does" not in shown


def test_recommended(saving: Made) -> None:
    shown = check_clean(saving)
    params = saving.tuned.recommended.params
    assert isinstance(params, Surface)
    given = {n: getattr(params, n) for n in NUMERIC if getattr(params, n)}
    said = ", ".join(f"{name} {value}" for name, value in given.items())
    assert f"Recommended: {said}" in shown
    assert "On the later transcripts it saves" in shown
    assert "What the recommended setting does" in shown
    assert saving.content.outcomes[0].label == "recommended"
    [(tool, figures)] = saving.content.under_setting
    row = saving.tuned.tools().iloc[0]
    assert tool == row.tool == LIST
    assert figures["Saved"].value == row.saved_bytes > 0
    assert figures["Harmed answers"].value == row.harmed_answers == 0


def test_what_is_recommended_is_written_everywhere(saving: Made, tmp_path: Path) -> None:
    write_surface_results(saving.lab, saving.tuned, tmp_path)
    params = saving.tuned.recommended.params
    assert isinstance(params, Surface)
    script = (tmp_path / "sqlite-graphrag.sh").read_text()
    for name in NUMERIC:
        value = getattr(params, name)
        assert (f"config set agent_surface.{name} {value}\n" in script) == (value > 0)
    said = json.loads((tmp_path / "recommendation.json").read_bytes())
    assert said["parameters"] == json.loads(json.dumps(params.as_dict()))
    answers = pd.read_parquet(tmp_path / "frames/answers.parquet")
    tools = pd.read_parquet(tmp_path / "frames/tools.parquet")
    assert tools.output_bytes.sum() == answers.output_bytes.sum() < answers.canonical_bytes.sum()
    assert "Recommended: " in Page((tmp_path / "report.html").read_text()).words()


def test_prices(saving: Made) -> None:
    shown = check_clean(saving)
    prices = saving.content.prices
    assert [price.allowed for price in prices] == [0, 1, 2, 5, 10]
    assert prices[0].setting
    assert prices[0].figures["Harmed answers"].value == 0
    assert "chosen with hindsight: not to ship" in shown


def judgement(upper: float | None = 0.25) -> SurfaceJudgement:
    share = ShareInterval(0.3, 0.2, 0.4, 12, 9.0, 0.95, indicative=True)
    return SurfaceJudgement(share, 3e4, 9e4, 1e5, 1200, 40, 30, 9, 2, 11, 10, upper)


def test_chosen_and_not_confirmed(made: Made) -> None:
    found = made.tuned.recommended
    why = ("the later transcripts refute it",)
    cell = made.tuned.choices.table.cells[made.tuned.choices.find(max_items=5)]
    choice = SurfaceChoice("none", cell, judgement(), judgement(), why)
    tuned = replace(made.tuned, recommended=type(found)(choice, found.certificate))
    given = Made(made.lab, tuned, compose_surface(made.lab, tuned, "today"))
    shown = check_clean(given).replace(NBSP, " ")
    assert "Chosen, and not confirmed: max_items 5." in shown
    assert "the later transcripts refute it" in shown
    assert "saves 30.0 % of the bytes of answers printed compactly" in shown
    assert "changes 40 of 1,200 answers and harms 2 (at 95 % in at most 25.0 % of the" in shown
    assert "families that have a witness to lose, which are 10)." in shown
    assert "recommended" not in [outcome.label for outcome in given.content.outcomes]


def test_judgements_without_bound_or_value() -> None:
    assert judged_words(None) == judged_keys(None) == ""
    assert "without bound on the share of families" in judged_words(judgement(None))
    nothing = ShareInterval(None, None, None, 0, 0.0, 0.95, indicative=True)
    assert judged_words(replace(judgement(), saved_share=nothing)) == ""
    bare = replace(nothing, value=-0.2)
    assert "−20.0" in judged_words(replace(judgement(), saved_share=bare))
    assert "no interval, indicative" in judged_words(replace(judgement(), saved_share=bare))
    keys = KeyJudgement(9, 20, 30, 2, 1, bare, None, 5.0, judgement().saved_share)
    assert "loses 2 of 30 quotes (without bound), with 1 harmed answer" in judged_keys(keys)


def test_few_cards(made: Made) -> None:
    own = replace(made.content.recommendation, status="recommended", ship={"max_items": 3})
    tools = tuple(replace(own, title=f"tool {i}") for i in range(8))
    page = page_of(replace(made.content, by_tool=tools))
    assert len(page.all("article")) == 1 + 5
    assert "A limit of its own is recommended for 3 more: tool by tool." in page.words()


def test_many_tools_stand_behind_a_word(made: Made) -> None:
    one = made.content.tools[0][1]
    many = replace(made.content, tools=tuple((f"tool {i}", one) for i in range(15)))
    page = page_of(many)
    assert "Show 3 more" in page.words()
    assert "tool 14" in page.words()


# Hostile words ------------------------------------------------------------------------------------


def filled(content: SurfaceContent, text: str) -> SurfaceContent:
    """The same report with a text wherever one may come from a transcript."""
    limit = Advice(
        title=text,
        status="recommended",
        ship={"select": text},
        judged=text,
        reasons=(text,),
    )
    tools = tuple((text, figures) for _, figures in content.tools)
    price = SurfacePrice(allowed=1, setting={"select": text}, figures=content.outcomes[0].saving)
    return replace(
        content,
        short=(text,),
        recommendation=limit,
        by_tool=(limit, replace(limit, status="none")),
        key_advice=(limit,),
        tools=tools,
        under_setting=tools,
        curves=dict.fromkeys(content.curves, tools),
        prices=(price,),
        keys=tuple((text, text, *rest) for _, _, *rest in content.keys),
        pictures={},
    )


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_change_nothing_but_words(made: Made, text: str, tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", render_surface(filled(made.content, text)))
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    check_only_words_changed(html, render_surface(filled(made.content, "plain")))


def test_hostile_tools_and_keys_reach_no_page(tmp_path: Path) -> None:
    session = Session("session").prompt()
    for name in (text for kind, text in HOSTILE.items() if kind != "link"):
        rows: dict[str, Any] = {"items": [{name: "AB-1000", "x": name}] * 2}
        session.call(f"mcp__{name}__list", {"query": name}, json.dumps(rows))
        session.runs("tracker show AB-1000", name)
    session.write(tmp_path / "logs" / "session.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "logs")
        given = tuned_on(lab)
        html = render_surface(given.content)
    assert any("script" in tool for tool, _ in given.content.tools)
    assert any("script" in key for _, key, *_ in given.content.keys)
    check_self_contained(html)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
    assert "p/" * 200 not in html
    assert "characters left out" in html
    assert BOARD not in html
