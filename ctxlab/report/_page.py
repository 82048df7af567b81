"""Report content to one HTML page: no script, no network, nothing outside the file."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.report._evidence import NOT_COUNTED, again, changes, described, problems
from ctxlab.report._frame import (
    caveats,
    how_known,
    page,
    paragraphs,
    pictures,
    sentences,
)
from ctxlab.report._html import Html, element, join, sentence, untrusted
from ctxlab.report._tables import Column, number, outcomes, setting, settings
from ctxlab.report._words import CAVEATS, CERTIFICATE_CAVEATS, METHOD
from ctxlab.report.content import (
    Outcome,
    RecommendationText,
    ReportContent,
)

__all__ = ["render"]


def render(content: ReportContent) -> str:
    """Give the whole page as text that can be encoded as UTF-8."""
    read = (
        described(content.data),
        changes(content.unrecorded_changes),
        problems(content.problems),
    )
    return page(
        content,
        (
            ("recommendations", "What to set", _recommendations(content)),
            ("outcome", "What it would have done", _headline(content)),
            ("figures", "Figures", pictures(content.pictures)),
            ("again", "How often agents go back anyway", again(content)),
            ("data", "What was read, and what could not be", join(read)),
            ("settings", "Selected settings", _sweep(content.sweep, content.computed)),
            ("method", "Method", paragraphs(METHOD)),
            ("caveats", "What these figures cannot show", caveats(CERTIFICATE_CAVEATS, CAVEATS)),
        ),
    )


def _recommendations(content: ReportContent) -> Html:
    if not content.recommendations:
        return element("p", NOT_COUNTED)
    parts = [element("div", *map(_recommendation, content.recommendations), class_="cards")]
    if content.difference:
        parts.append(element("p", sentence(content.difference)))
    if content.notes:
        parts.append(sentences(content.notes))
    return join(parts)


def _recommendation(given: RecommendationText) -> Html:
    parts = [element("h3", given.title)]
    if given.status == "none":
        parts.append(element("p", element("strong", "No setting is recommended.")))
    elif given.outcome is not None:
        parts.append(
            element("p", element("strong", "Recommended: "), settings(given.outcome.settings))
        )
    if given.outcome is not None:
        parts.append(_in_short(given.outcome))
    if given.interval:
        parts.append(element("p", "Interval: ", sentence(given.interval)))
    parts.append(sentences(given.reasons))
    if given.certificate is None:
        parts.append(element("p", "No certificate was issued."))
    else:
        facts = [
            part
            for name, value in given.certificate.items()
            for part in (element("dt", untrusted(name)), element("dd", untrusted(str(value))))
        ]
        name = "Certificate:" if given.status == "recommended" else "Judgement:"
        parts += [element("p", name), element("dl", *facts)]
    return element("article", *parts, class_=f"card {given.status}")


def _in_short(outcome: Outcome) -> Html:
    return element(
        "p",
        "On all transcripts: harmful pointers: ",
        number(outcome.harmful, beside=False),
        " of ",
        number(outcome.pointers, beside=False),
        " pointers, ",
        element("small", outcome.harmful.known or "not measured"),
        "; net saving: ",
        number(outcome.net_bytes),
        "; share: ",
        number(outcome.of_touched),
        ".",
    )


def _headline(content: ReportContent) -> Html:
    legend = [how_known()]
    if not content.headline:
        return join([element("p", NOT_COUNTED), *legend])
    labels = [
        join([untrusted(row.label), " ", element("small", settings(row.settings))])
        for row in content.headline
    ]
    caption = "Outcome of each setting on these transcripts; a minus sign is a loss"
    return join([outcomes(caption, content.headline, [Column("Setting", labels)]), *legend])


def _sweep(rows: Sequence[Outcome] | None, computed: int | None) -> Html:
    if rows is None or not rows:
        return element("p", NOT_COUNTED if rows is None else "No settings were tried.")
    names = dict.fromkeys(name for row in rows for name in row.settings)
    varied = [n for n in names if len({repr(row.settings.get(n)) for row in rows}) > 1]
    fixed = {n: rows[0].settings.get(n) for n in names if n not in varied}
    columns = [
        Column("Setting", [untrusted(row.label) for row in rows]),
        *(Column(name, [setting(row.settings.get(name)) for row in rows]) for name in varied),
    ]
    same = [element("p", "The same in all rows: ", settings(fixed), ".")] if fixed else []
    which = (
        f"{len(rows):,} settings"
        if computed is None
        else f"selected settings, {len(rows):,} of {computed:,} computed; all in frames/"
    )
    return element(
        "details",
        element("summary", f"Show {which}"),
        *same,
        outcomes(f"Outcome of {which}", rows, columns),
    )
