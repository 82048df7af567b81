"""Settings to ship, or none, with what speaks for them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

from ctxlab.dedup.params import Dedup
from ctxlab.errors import ParameterError
from ctxlab.paths import user_path
from ctxlab.recall.params import Recall
from ctxlab.surface.params import Surface
from ctxlab.tune import Choice, FloorChoice, SurfaceChoice

__all__ = ["Recommendation"]

ChoiceT = TypeVar("ChoiceT", bound=Choice | FloorChoice | SurfaceChoice)


class Recommendation(Generic[ChoiceT]):
    """A choice made on the earlier transcripts and judged on the later ones.

    `params` is None unless `status` is "recommended"; `certificate` holds everything that a
    reader needs to doubt it.
    """

    def __init__(self, choice: ChoiceT, certificate: Mapping[str, Any]) -> None:
        self.choice, self.certificate = choice, dict(certificate)

    @property
    def status(self) -> str:
        """Whether there is something to ship: "recommended" or "none"; "default" is what it was."""
        return self.choice.status

    @property
    def params(self) -> Dedup | Recall | Surface | None:
        """The recommended parameters, None if there are none."""
        return self.choice.params if self.status == "recommended" else None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why nothing is recommended."""
        return self.choice.reasons

    def export(self, target: str, folder: str | os.PathLike[str] = ".") -> tuple[Path, ...]:
        """Write the settings in the form that a tool reads.

        Returns
        -------
        tuple of Path
            Files written.

        Raises
        ------
        ParameterError
            If the target is unknown.
        """
        from ctxlab.export import TARGETS

        if target not in TARGETS:
            raise ParameterError(
                f"`target` must be one of {', '.join(sorted(TARGETS))}, got {target!r}"
            )
        return TARGETS[target](self.params, self.certificate, user_path(folder))

    def __repr__(self) -> str:
        if self.params is None:
            return f"<Recommendation: none; {'; '.join(self.reasons)}>"
        return f"<Recommendation: {self.params}>"
