"""The report on recall: what a small lab gives, every state it can be in, and hostile words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

import ctxlab
from ctxlab.cli import _recall_tables
from ctxlab.cli._recall_results import write_recall_results
from ctxlab.estimate import AucInterval, ShareInterval
from ctxlab.lab import Lab, RecallSweep, RecallTuned
from ctxlab.recall.params import Recall
from ctxlab.replay.recall_scores import RECALL_METRICS
from ctxlab.report import (
    Number,
    RecallContent,
    compose_recall,
    render_recall,
    write_report,
)
from ctxlab.report._recall_said import judged_words, verdict
from ctxlab.report._tables import rate
from ctxlab.tune import FloorChoice, FloorJudgement
from tests.pages import (
    HOSTILE,
    Page,
    check_named,
    check_only_words_changed,
    check_policy,
    check_self_contained,
)
from tests.repositories import commit
from tests.sessions import START, Session

COLUMNS = {
    "Used": "precision",
    "… by chance": "chance_share",
    "… and named by the prompt": "named_used_share",
    "… and not named": "told_share",
    "File opened with no search before": "averted_share",
    "Used files pointed at": "reached_share",
    "Fires at recorded prompts": "fire_share",
    "… at unrelated prompts": "false_fire_unrelated",
    "… at joined topics": "false_fire_joined",
    "… at absent subjects": "false_fire_absent",
    "Digests": "fires",
    "Pointers": "pointers",
    "… with a used pointer": "used_fire_share",
    "Repeated pointers": "repeat_share",
    "Mean bytes of a digest": "bytes_per_fire",
    "… in tokens": "tokens_per_fire",
    "… in tokens of uncached input, carried along": "carried_tokens_per_fire",
}
"""Where each figure of an outcome stands in the frames."""


@dataclass(frozen=True)
class Made:
    lab: Lab
    tuned: RecallTuned
    content: RecallContent


def write_prompts(folder: Path, n: int = 8) -> Path:
    """`n` families of two projects; one prompt of a known name is followed by use, one is not."""
    for day in range(n):
        place = f"/project/{('shop', 'forge')[day % 2]}"
        session = Session(f"session-{day}", day, cwd=place).prompt("look around")
        session.shows(f"{place}/cart.py", "def parse_cart(text):", "    return text")
        session.shows(f"{place}/index.py", "def load_index(path):", "    return path")
        session.prompt("why does `parse_cart` fail, as GitHub says?")
        session.shows(f"{place}/cart.py", "def parse_cart(text):", "    return text")
        session.prompt("and what of `load_index`, in cart?").says("nothing to do")
        session.prompt("thank you").says("done")
        session.write(folder / f"session-{day}.jsonl")
    return folder


def tuned_on(lab: Lab, graph: str = "history") -> Made:
    tuned = lab.tune_recall(graph=graph)
    return Made(lab, tuned, compose_recall(lab, tuned, "today"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("recall")
    with ctxlab.open(folder / "lab") as lab:
        lab.ingest(write_prompts(folder / "logs"))
        yield tuned_on(lab)


def shipped(made: Made) -> Any:
    frame = made.tuned.repeats.frame()
    return frame[~frame.suppress_repeats.astype(bool)].iloc[0]


def page_of(content: RecallContent) -> Page:
    """The page without its figures, which take long to draw."""
    return Page(render_recall(replace(content, pictures={})))


# What it says, and where that stands ---------------------------------------------------------


def test_every_figure_of_an_outcome_stands_in_the_frames(made: Made, tmp_path: Path) -> None:
    write_recall_results(made.lab, made.tuned, tmp_path)
    frames = {f.stem: pd.read_parquet(f) for f in (tmp_path / "frames").iterdir()}
    floors, repeats = frames["floors"], frames["repeats"].set_index("suppress_repeats")
    rows = {
        "as shipped": repeats.loc[False],
        "repeats suppressed": repeats.loc[True],
        "coverage gate of 0.7": frames["coverage_gate"].iloc[0],
        **{f"min_hit_score {m:g}": row for m, (_, row) in _by_floor(floors)},
    }
    assert len(made.content.outcomes) == 8
    for outcome in made.content.outcomes:
        row = rows[outcome.label]
        for head, given in {**outcome.use, **outcome.controls, **outcome.amount}.items():
            value = row[COLUMNS[head]]
            assert given.value == (None if value != value else value), head
        used = outcome.use["Used"]
        assert (used.low, used.high) == (_value(row.low), _value(row.high))
    said = json.loads((tmp_path / "recommendation.json").read_bytes())
    assert [said["signal"][name]["value"] for name in ("pooled", "within", "told")] == [
        row.auc.value for row in made.content.signal
    ]
    assert said["result"]["reasons"] == list(made.content.recommendations[0].reasons)
    assert set(said["own"]) >= {"parameters", "result", "signal"}
    assert len(frames["gate_leaks"]) == made.content.leaks_in_all
    assert len(frames["graphs"]) == len(made.content.graphs)


def _by_floor(frame: pd.DataFrame) -> Iterator[tuple[float, tuple[int, Any]]]:
    return ((row[1].min_hit_score, row) for row in frame.iterrows())


def _value(number: float | None) -> float | None:
    return None if number != number else number


def test_page_shows_the_figures_of_the_shipped_default(made: Made) -> None:
    row, shown = shipped(made), page_of(made.content).words()
    assert row.fires > 0
    assert row.used_pointers > 0
    said = " ".join(made.content.short)
    assert f"Nothing was the right answer at {rate(row.nothing_right_share)} of the prompts" in said
    assert f"{rate(row.precision)} of its {row.pointers:,.0f} pointers were used" in said
    assert f"{rate(row.told_share)} of all pointers" in said
    for kind in ("unrelated", "joined", "absent"):
        if row[f"{kind}_questions"]:
            assert f"{rate(row[f'false_fire_{kind}'])} of {row[f'{kind}_questions']:.0f} " in said
    for sentence in made.content.short:
        assert re.sub(r"\s+", " ", sentence) in shown


def test_what_sobers_stands_first(made: Made) -> None:
    shown = page_of(made.content).words()
    order = ["Nothing was the right answer", "had named", "No floor is", "AUC is", "Mean bytes"]
    places = [shown.index(words) for words in order]
    assert places == sorted(places)


def test_tables_are_narrow_and_say_of_what_and_how_known(made: Made) -> None:
    html = render_recall(replace(made.content, pictures={}))
    for body in re.findall("<table>.*?</table>", html):
        assert body.split("</thead>")[0].count("<th ") <= 7
    shown = Page(html).words()
    assert "of pointers printed, measured" in shown
    assert f"of {shipped(made).prompts:.0f} prompts, measured" in shown
    assert "measured: counted." in shown
    assert "bounded" not in shown


def test_modelled_figures_are_called_so(made: Made) -> None:
    for outcome in made.content.outcomes:
        for head, given in {**outcome.use, **outcome.controls, **outcome.amount}.items():
            assert given.known == ("modelled" if "in tokens" in head else "measured"), head
    assert {p.known for p in made.content.pictures.values()} == {"measured"}
    modelled = {name for name, metric in RECALL_METRICS.items() if metric.known == "modelled"}
    assert modelled == {"carried_bytes", "priced_bytes"}


def test_funnel_leads_from_all_prompts_to_used_ones(made: Made) -> None:
    numbers = [number.value or 0 for number, _ in made.content.funnel.values()]
    prompts, _, _, used, missed, nothing, empty = numbers
    assert numbers[:4] == sorted(numbers[:4], reverse=True)
    assert used + missed + nothing == prompts
    assert empty <= nothing
    shares = [share.value for _, share in made.content.funnel.values()]
    assert shares[0] == 1.0


def test_figures_say_in_words_what_they_show_and_where_the_numbers_are(made: Made) -> None:
    page = Page(render_recall(made.content))
    check_named(page)
    assert len(page.all("img")) == len(made.content.pictures) == 5
    for picture in made.content.pictures.values():
        assert re.search(r"stand in frames/\w+\.parquet\.$", picture.alt)
        assert picture.title in picture.alt


def test_frame_documents_each_of_its_columns(made: Made) -> None:
    frame, said = made.tuned.floors.frame(), RecallSweep.frame.__doc__ or ""
    named = {
        name.strip(",")
        for line in re.findall(r"^ {8}([a-z_]+(?:, [a-z_]+)?) +\S", said, re.MULTILINE)
        for name in line.split()
    }
    like = {"joined_fires", "absent_fires", "false_fire_joined", "false_fire_absent"}
    assert set(frame.columns) - set(Recall.params()) - named == like
    for name in ("prompts", "used_share", "told_share", "carried_tokens_per_fire"):
        assert name in named


# The page as a page --------------------------------------------------------------------------


def test_page_is_closed_and_needs_nothing_outside_itself(made: Made, tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", render_recall(made.content))
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    check_self_contained(html)
    page = Page(html)
    check_policy(page)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert [a["href"] for a in page.all("a")] == [f"#{name}" for name in ids]


def filled(content: RecallContent, text: str) -> RecallContent:
    """Every word that a transcript, a graph or a file name can bring in is `text`."""
    floor = content.recommendations[0]
    return replace(
        content,
        generated=text,
        versions={"ctxlab": text},
        data=replace(content.data, agents={text: 3}, rejected={text: 1}, unknown_kinds={text: 2}),
        recommendations=(replace(floor, reasons=(text,)),),
        graph=text,
        graphs=((text, 3, 1, 7, text), ("other", 1, 0, 2, "elsewhere")),
        leaks=((text, "let through", text, 2, 1), ("cart", "missed", "plain word", 1, 1)),
        pictures={},
    )


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_change_nothing_but_words(made: Made, text: str, tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", render_recall(filled(made.content, text)))
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    check_only_words_changed(html, render_recall(filled(made.content, "plain")))


def test_long_names_are_cut_where_they_show(made: Made) -> None:
    shown = page_of(filled(made.content, "p/" * 5000)).words()
    assert "[…9,840 characters left out…]" in shown  # a project, a word, a graph
    assert "[…9,000 characters left out…]" in shown  # where a graph is from


def test_hostile_prompts_and_places_reach_no_page(tmp_path: Path) -> None:
    place = "/project/<b>shop\u202e</bdi>\x1b[31m"
    session = Session("session", cwd=place).prompt("look")
    session.shows(f"{place}/cart.py", "def parse_cart(text):", "    return text")
    session.prompt("`<script>alert(1)</script>` \u202eand `parse_cart`\x1b[31m").says("no")
    session.write(tmp_path / "logs" / "session.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "logs")
        hostile = tuned_on(lab)
        html = render_recall(hostile.content)
        assert any("script" in row[0] for row in hostile.content.leaks)
        check_self_contained(html)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)
        said = terminal(hostile.tuned)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", said)


# States of a lab -------------------------------------------------------------------------------


def terminal(tuned: RecallTuned, width: int = 80) -> str:
    """All that the main job prints, at most `width` wide where it is a table."""
    console = Console(width=width, record=True, file=None, color_system=None)
    with console.capture() as captured:
        for table in _recall_tables.tables(tuned):
            console.print(table)
    drawn = captured.get()
    assert max(map(len, drawn.splitlines()), default=0) <= width
    return "\n".join(
        [
            *_recall_tables.survey_lines(tuned),
            drawn,
            *_recall_tables.recommendation_lines(tuned),
        ]
    )


def check_clean(given: Made) -> str:
    """No NaN and no None in anything that a person reads."""
    shown = page_of(given.content).words()
    for said in (shown, terminal(given.tuned)):
        assert not re.search(r"\b([Nn]a[Nn]|None|null|inf)\b", said)
    return shown


def test_a_lab_with_use_reads_well(made: Made) -> None:
    check_clean(made)
    said = terminal(made.tuned)
    table = said[said.index("┏") : said.index("A pointer is")]
    assert "…" not in table  # nothing is cut for want of columns


def test_no_prompt_has_a_graph(tmp_path: Path) -> None:
    commit(tmp_path / "shop", {"a.py": "def run(): ...\n"}, at=START + timedelta(days=1))
    session = Session("session", cwd=str(tmp_path / "shop")).prompt("see `a.py`")
    session.read("/project/a.py").write(tmp_path / "logs" / "session.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "logs")
        given = tuned_on(lab, "git")
        shown = check_clean(given)
    assert "No prompt of these transcripts has a graph to be looked up in" in shown
    assert "Prompts with a graph to look in0" in shown
    assert "No floor is recommended." in shown
    assert "no prompt of these transcripts has a graph to be looked up in" in shown
    assert "cannot be tested: no prompt with use beside one without" in shown
    assert "Nothing: no prompt has a graph to be looked up in." in shown
    assert "No figures were made." in shown
    assert "no prompt of these transcripts can be looked up" in terminal(given.tuned)


def test_one_family_and_nothing_matched(tmp_path: Path) -> None:
    session = Session("session").prompt("what of this?").read("/project/a.py").prompt("go on")
    session.says("done").write(tmp_path / "logs" / "session.jsonl")
    with ctxlab.open(tmp_path / "lab") as lab:
        lab.ingest(tmp_path / "logs")
        given = tuned_on(lab)
        shown = check_clean(given)
    assert "As shipped, the hook prints nothing at any of them." in shown
    assert "not measured" in shown
    assert "every term that passed names something" in shown


def test_no_controls_and_no_leaks(made: Made) -> None:
    missing = Number(None, "rate")
    outcomes = tuple(
        replace(outcome, controls=dict.fromkeys(outcome.controls, missing))
        for outcome in made.content.outcomes
    )
    shown = page_of(replace(made.content, outcomes=outcomes, leaks=(), leaks_in_all=0)).words()
    table = shown[shown.index("How often it fires") : shown.index("Controls are questions")]
    assert table.count("not measured") == 4 * len(outcomes)
    assert "Nothing: every term that passed names something, and none was missed." in shown


def test_prompts_without_a_graph_are_counted_apart(made: Made) -> None:
    shown = page_of(replace(made.content, left_out=1234)).words()
    assert "Prompts without a graph, in no figure: 1,234." in shown
    assert "in no figure" not in page_of(replace(made.content, left_out=0, short=())).words()


def test_one_origin_is_said_once(made: Made) -> None:
    one = replace(made.content, graphs=(("a", 1, 0, 2, "here"), ("b", 2, 0, 3, "here")))
    shown = page_of(one).words()
    assert "Where it is from" not in shown
    assert shown.count("here") == page_of(replace(one, graphs=())).words().count("here") + 1
    two = replace(made.content, graphs=(("a", 1, 0, 2, "here"), ("b", 2, 0, 3, "there")))
    assert "Where it is from" in page_of(two).words()


# What it comes to ------------------------------------------------------------------------------


def judgement(upper: float | None = 0.04) -> FloorJudgement:
    def share(value: float) -> ShareInterval:
        return ShareInterval(value, value - 0.1, value + 0.1, 12, 9.0, 0.95, indicative=True)

    return FloorJudgement(share(0.3), share(0.01), upper, 12, 7, 10, 3, 4, 7, 9, 5, 5)


def with_choice(made: Made, status: Any, params: Recall | None, reasons: tuple[str, ...]) -> Made:
    """The same lab with another answer for mushroomdb as shipped."""
    auc = made.tuned.signal.within
    judged = judgement() if params else None
    choice = FloorChoice(status, params, judged, judged, auc, 0.95, reasons)
    found = made.tuned.recommended
    tuned = replace(made.tuned, recommended=type(found)(choice, found.certificate))
    return Made(made.lab, tuned, compose_recall(made.lab, tuned, "today"))


def test_recommended(made: Made) -> None:
    given = with_choice(made, "recommended", Recall(min_hit_score=4.0), ())
    shown = check_clean(given)
    assert "Recommended: min_hit_score 4" in shown
    assert "prints 30.0 % fewer bytes than the shipped default" in shown
    assert "(95 % interval 20.0 % to 40.0 %, indicative: few families)" in shown
    assert "loses 1.0 % of the used pointers (at 95 % at most 4.0 %; 12 families have one)" in shown
    assert [outcome.label for outcome in given.content.outcomes][1] == "recommended"
    assert "chosen" in terminal(given.tuned)
    assert "ship: min_hit_score 4" in terminal(given.tuned)


def test_shipped_default_stays(made: Made) -> None:
    given = with_choice(made, "default", None, ("nothing prints less",))
    shown = check_clean(given)
    assert "The shipped settings stay." in shown
    assert "nothing prints less" in shown
    assert "the shipped settings stay" in terminal(given.tuned)


def test_chosen_and_not_confirmed(made: Made) -> None:
    given = with_choice(made, "none", Recall(max_hits=3), ("the later ones do not confirm it",))
    shown = check_clean(given)
    assert "No floor is recommended." in shown
    assert "Chosen, and not confirmed: max_hits 3" in shown
    assert "the later ones do not confirm it" in shown
    assert "recommended" not in [outcome.label for outcome in given.content.outcomes]


def test_two_answers_that_are_one_are_said_once(made: Made) -> None:
    assert len(made.content.recommendations) == 1
    title = made.content.recommendations[0].title
    assert "mushroomdb as shipped" in title
    assert "relative floors" in title
    assert "  the same" in terminal(made.tuned)
    other = with_choice(made, "default", None, ("because",))
    assert [floor.status for floor in other.content.recommendations] == ["default", "none"]


def test_judgement_without_bound_or_interval() -> None:
    assert judged_words(None) == ""
    assert "without bound" in judged_words(judgement(None))
    bare = ShareInterval(-0.2, None, None, 1, 1.0, 0.95, indicative=True)
    said = judged_words(replace(judgement(), saved_share=bare))
    assert "−20.0\N{NO-BREAK SPACE}% fewer bytes than the shipped default (no interval" in said
    unknown = replace(bare, value=None)
    assert judged_words(replace(judgement(), lost_share=unknown)) == ""


@pytest.mark.parametrize(
    ("value", "low", "high", "meant"),
    [
        (0.7, 0.6, 0.8, "a higher score means more use; indicative, few families"),
        (0.3, 0.2, 0.4, "a higher score means less use; indicative, few families"),
        (0.6, 0.4, 0.8, "cannot be told from chance; indicative, few families"),
        (0.6, None, None, "cannot be told: no interval, too few families"),
        (None, None, None, "cannot be tested: no prompt with use beside one without"),
    ],
)
def test_verdict(value: float | None, low: float | None, high: float | None, meant: str) -> None:
    assert verdict(AucInterval(value, low, high, 3, 4, 5, 4.0, 0.95, indicative=True)) == meant


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0 %"), (0.004, "< 1 %"), (0.36, "36 %"), (0.996, "> 99 %"), (1, "100 %")],
)
def test_rates_are_whole_and_never_none_or_all_by_rounding(share: float, shown: str) -> None:
    assert rate(share).replace("\N{NO-BREAK SPACE}", " ") == shown
