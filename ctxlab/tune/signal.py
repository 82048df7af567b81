"""Whether the score of a prompt tells what will be used: asked before any floor is recommended."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np

from ctxlab.estimate import AucInterval, auc_interval
from ctxlab.recall.decide import decide
from ctxlab.recall.facts import QUESTION_KINDS, RecallFacts
from ctxlab.recall.params import Recall, without_floors

__all__ = ["PLACES", "Signal", "score_signal"]

PLACES: Final = {"pooled": "over all prompts", "within": "within one project"}
"""What the comparisons that can decide compare, in words."""


@dataclass(frozen=True, slots=True)
class Signal:
    """How often a prompt with a used line scores higher than one without, in three ways.

    `pooled` compares all prompts, `within` those of one project alone: a score grows with the size
    of the graph, so that the first can look good where the second tells nothing. `told` is `within`
    for lines that the prompt had not named itself.
    """

    pooled: AucInterval
    within: AucInterval
    told: AucInterval

    @property
    def decided_by(self) -> Literal["pooled", "within"]:
        """Which of the two decides whether there may be a floor: it speaks against, if any does."""
        return "within" if self.pooled.carries_signal() else "pooled"

    @property
    def weakest(self) -> AucInterval:
        """The one that decides."""
        return self.within if self.decided_by == "within" else self.pooled

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a floor should not be shipped without knowing."""
        told = self.told
        if told.value is None or told.low is None or told.high is None or told.low > 0.5:
            return ()
        ends = f"AUC {told.value:.2f}; {100 * told.confidence:g} % interval {told.low:.2f} to "
        ends += f"{told.high:.2f}"
        if told.high < 0.5:
            return (
                "of pointers that the prompt had not named, the used ones stand at prompts that "
                f"score lower ({ends}): a floor keeps what repeats the prompt and drops the rest",
            )
        return (
            "the score is not shown to find what the prompt had not named itself "
            f"({ends}, which includes 0.5)",
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: asdict(getattr(self, name)) for name in ("pooled", "within", "told")}


def score_signal(facts: RecallFacts, params: Recall | None = None) -> Signal:
    """Test the best phrase score against revealed use.

    Parameters
    ----------
    facts : RecallFacts
        Of the identifier gate: the coverage gate has no score.
    params : Recall, optional
        A prompt counts as used if a line was that these print without any floor; by default those
        of `Recall`.
    """
    questions, pointers = facts.questions, facts.pointers
    made = decide(facts, without_floors(params or Recall()))
    asked = (questions.kind == QUESTION_KINDS.index("asked")) & made.fires

    def used(which: Any) -> Any:
        hits = np.bincount(
            pointers.question, weights=which & made.printed, minlength=len(questions.kind)
        )
        return hits[asked] > 0

    score, family = questions.best_score[asked], questions.family[asked]
    project = questions.project[asked]
    return Signal(
        pooled=auc_interval(score, used(pointers.used), family),
        within=auc_interval(score, used(pointers.used), family, project),
        told=auc_interval(score, used(pointers.used & ~pointers.named), family, project),
    )
