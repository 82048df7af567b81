"""What a report says, as plain values. Nothing is computed from them but their wording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ctxlab.errors import ParameterError
from ctxlab.plots import Drawing

__all__ = [
    "NOT_MEASURED",
    "Advice",
    "BaseRate",
    "Content",
    "DataDescription",
    "Known",
    "Number",
    "Outcome",
    "Picture",
    "Problems",
    "RecommendationText",
    "ReportContent",
    "Sufficiency",
    "UnrecordedChanges",
]

Known = Literal["measured", "identified", "bounded", "modelled"]
Unit = Literal["count", "bytes", "tokens", "share", "rate", "ratio", "usd"]


@dataclass(frozen=True, slots=True)
class Number:
    """A figure with its unit, how it is known and what it is a part of.

    `value` is None where it was not measured. Shares are 0-1 and may be negative; a rate is a share
    shown in whole percent, for what few observations tell. `of` names the denominator or population
    in words. `low` and `high` are the ends of an interval, if any.
    """

    value: float | None
    unit: Unit
    known: Known | None = None
    of: str = ""
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        """A figure without a statement of how it is known is refused."""
        if self.value is not None and self.known is None:
            raise ParameterError(
                f"`known` must be measured, identified, bounded or modelled for a figure "
                f"that has a value, got None for {self.value}"
            )


NOT_MEASURED = Number(None, "share")
"""What stands where nothing was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataDescription:
    """What the figures were made from.

    `threads` counts context windows that hold a call or a response, copies left out. `agents`
    counts transcripts by agent. `rejected` counts records that no figure holds, by cause; `noted`
    those that were read, with a note on what was wrong with them. Dates are text, None where no
    time stamp was found. `undated` counts transcripts of content-free sets, which keep an order
    and no dates. `unknown_kinds` counts records of kinds that no reader knows.
    """

    transcripts: int
    families: int
    threads: int
    agents: Mapping[str, int]
    lines: int
    rejected: Mapping[str, int]
    noted: Mapping[str, int] = field(default_factory=dict)
    unknown_kinds: Mapping[str, int] = field(default_factory=dict)
    first: str | None = None
    last: str | None = None
    undated: int = 0
    data_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one setting would have done to the transcripts.

    `harm_by_cause` splits `harmful`. `withheld` is the share of the source bytes served that
    pointers replaced, before the price of the pointers. The net saving stands against every
    denominator side by side: source bytes served, all tool results, new input tokens, the whole
    priced transcript.
    """

    label: str
    settings: Mapping[str, object]
    harmful: Number
    harm_by_cause: Mapping[str, int]
    pointers: Number
    net_bytes: Number
    of_touched: Number
    withheld: Number = NOT_MEASURED
    of_results: Number = NOT_MEASURED
    of_new_input: Number = NOT_MEASURED
    of_priced: Number = NOT_MEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendationText:
    """One recommendation, or the reasons why there is none.

    `certificate` holds what it was judged by, by name, None if it was not judged. It is called a
    certificate only where something is recommended.
    """

    title: str
    status: Literal["recommended", "none"]
    reasons: tuple[str, ...]
    outcome: Outcome | None = None
    interval: str = ""
    certificate: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRate:
    """How often agents obtained lines again without any policy.

    `lines` says which (such as those still in the context), `within` how many actions. `cut` is
    the share of windows that an edit, a compaction or the end cut short without an outcome;
    `incidence` is the cumulative incidence, which allows for the windows that the end cut.
    """

    tool: str
    lines: str
    within: int
    served: int
    reobtained: Number
    cut: Number = NOT_MEASURED
    incidence: Number = NOT_MEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class Sufficiency:
    """What agents did after an answer of one tool: counts by bucket, and both fallback rates."""

    tool: str
    answered: int
    buckets: Mapping[str, int]
    concurrent: int
    errored: int
    fallback: Number
    wider: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrecordedChanges:
    """Changes of files that left no hunk in the log, by what showed them."""

    evidence: str
    changes: int
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Problems:
    """Records with something wrong, by cause, with the first place each was met.

    `n_bytes` is the size of what was left out; 0 for records that were read with a note.
    """

    cause: str
    count: int
    n_bytes: int
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A figure: axes of `ctxlab.plots`, or finished SVG text. `alt` says in words what it shows."""

    title: str
    caption: str
    alt: str
    known: Known
    drawing: Drawing | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One recommendation, or the reasons why there is none.

    `ship` are the parameters that differ from the default; with status "none" those chosen on the
    earlier transcripts, if any. `judged` says how they did on the later ones. `warnings` say what
    not to ship them without knowing.
    """

    title: str
    status: Literal["recommended", "default", "none"]
    ship: Mapping[str, object]
    judged: str
    reasons: tuple[str, ...]
    warnings: tuple[str, ...] = ()


class Content(Protocol):
    """What the contents of all reports have: `pictures` by file name, and where they are from."""

    @property
    def title(self) -> str:
        """The head of the page."""

    @property
    def generated(self) -> str:
        """Date to print."""

    @property
    def versions(self) -> Mapping[str, str]:
        """What the page was made with."""

    @property
    def data(self) -> DataDescription:
        """What was read."""

    @property
    def pictures(self) -> Mapping[str, Picture]:
        """Figures by file name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContent:
    """All that a report says.

    None stands for a table that was not measured, an empty tuple for one that found nothing.
    `difference` is the sentence that says what the second recommendation needs over the first, and
    what that is worth. `sweep` holds some of the `computed` settings. `notes` are diagnostics
    of this run, such as too few families.
    """

    title: str
    generated: str
    versions: Mapping[str, str]
    data: DataDescription
    headline: tuple[Outcome, ...]
    recommendations: tuple[RecommendationText, ...]
    difference: str = ""
    sweep: tuple[Outcome, ...] | None = None
    computed: int | None = None
    base_rates: tuple[BaseRate, ...] | None = None
    sufficiency: tuple[Sufficiency, ...] | None = None
    unrecorded_changes: tuple[UnrecordedChanges, ...] | None = None
    problems: tuple[Problems, ...] | None = None
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
