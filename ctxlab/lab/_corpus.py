"""Facts, survey and sweeps of one store: each made once, with progress where somebody watches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ctxlab.dedup.params import Proof, RecordScope
from ctxlab.errors import ParameterError
from ctxlab.events import ToolKind
from ctxlab.lab._progress import advancing
from ctxlab.log import TOOL_KINDS
from ctxlab.replay import (
    PROOFS,
    Cell,
    DedupTable,
    Facts,
    Setting,
    Survey,
    corpus_facts,
    survey,
    sweep,
)
from ctxlab.store import Store

__all__ = ["Corpus", "tool_kinds"]


class Corpus:
    """What was derived of the store's transcripts so far."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._facts: dict[Setting, Facts] = {}
        self._survey: Survey | None = None

    def forget(self) -> None:
        """Derive anew from now on: the store has changed."""
        self._facts.clear()
        self._survey = None

    def survey(self) -> Survey:
        """The survey of all families."""
        if self._survey is None:
            with advancing("surveying families", len(self.store.families())) as advance:
                self._survey = survey(self.store, advance)
        return self._survey

    def facts(self, tools: tuple[ToolKind, ...], proof: Proof, record_scope: RecordScope) -> Facts:
        """Facts of all families for one setting."""
        setting = Setting(tools, proof, record_scope)
        self._derive([setting])
        return self._facts[setting]

    def table(self, grid: Sequence[Cell], tools: tuple[ToolKind, ...]) -> DedupTable:
        """Scores of a grid of cells."""
        wanted = {Setting(tools, cell.proof, cell.params.record_scope) for cell in grid}
        self._derive(sorted(wanted, key=lambda setting: setting.key))
        with advancing("sweeping", len(grid)) as advance:
            return sweep(
                lambda proof, scope: self._facts[Setting(tools, proof, scope)], grid, advance
            )

    def starts(self, families: Iterable[str]) -> list[int | None]:
        """First time stamp of each family, Unix milliseconds."""
        starts = {
            family.name: min(
                (m.started_ms for m in family.members if m.started_ms is not None), default=None
            )
            for family in self.store.families()
        }
        return [starts.get(name) for name in families]

    def _derive(self, settings: Sequence[Setting]) -> None:
        for setting in settings:
            if setting.proof not in PROOFS:
                raise ParameterError(
                    f"`proof` must be one of {', '.join(PROOFS)}, got {setting.proof!r}"
                )
        new = [setting for setting in settings if setting not in self._facts]
        if new:
            with advancing("deriving facts", len(self.store.families())) as advance:
                self._facts.update(corpus_facts(self.store, new, advance))


def tool_kinds(tools: Iterable[ToolKind] | None) -> tuple[ToolKind, ...]:
    """Tool kinds as given, in the order of their declaration; "read" if none are given.

    Raises
    ------
    ParameterError
        If one is unknown, or the list is empty.
    """
    kinds = ("read",) if tools is None else (tools,) if isinstance(tools, str) else tuple(tools)
    for kind in kinds:
        if kind not in TOOL_KINDS:
            raise ParameterError(f"`tools` must be among {', '.join(TOOL_KINDS)}, got {kind!r}")
    if not kinds:
        raise ParameterError(f"`tools` needs at least one of {', '.join(TOOL_KINDS)}")
    return tuple(kind for kind in TOOL_KINDS if kind in kinds)
