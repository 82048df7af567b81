"""Worlds with a known answer, to see what an estimator makes of them.

Sizes are heavy-tailed and the calls of one family resemble each other, as in real logs. Nothing
here reads a log; a world is drawn from a generator and a few numbers that say what is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError

__all__ = ["RecallWorld", "ShareWorld", "recall_world", "share_world"]

Floats = npt.NDArray[np.float64]

_MEDIAN, _LOG_SD = 3.0, 0.5  # of the scores of recall, about as BM25's of one word


@dataclass(frozen=True, slots=True, eq=False)
class ShareWorld:
    """Calls of families, each with the bytes that it touched and those that were saved of them.

    Arrays of shape (n_calls,). `share` is the true share: the expected bytes saved of a family
    over its expected bytes touched.
    """

    share: float
    n_families: int
    family: npt.NDArray[np.int64]
    saved_bytes: Floats
    touched_bytes: Floats

    def by_family(self) -> tuple[Floats, Floats]:
        """Bytes saved and touched, summed over each family: two arrays of shape (n_families,)."""
        summed = np.zeros((2, self.n_families))
        np.add.at(summed[0], self.family, self.saved_bytes)
        np.add.at(summed[1], self.family, self.touched_bytes)
        return summed[0], summed[1]


def share_world(
    random: np.random.Generator,
    n_families: int,
    *,
    share: float = 0.1,
    likeness: float = 0.1,
    calls_log_sd: float = 1.0,
    families_per_task: int = 1,
) -> ShareWorld:
    """Draw a world whose true share is `share`.

    Parameters
    ----------
    random
        Where chance comes from; the same state gives the same world.
    n_families
        Families to draw.
    share
        Expected share of the touched bytes that are saved, in (0, 1).
    likeness
        Correlation of two calls of one family: each family, or task, has a share of its own, and
        saves a call's bytes or not with it. In (0, 1).
    calls_log_sd
        Spread of the natural logarithm of calls a family, about a median of 10.
    families_per_task
        Families that share the share of their task. With more than one, families are not
        independent and intervals that resample them are too short.

    Raises
    ------
    ParameterError
        If a number is out of bounds.
    """
    for name, value in (("share", share), ("likeness", likeness)):
        if not 0 < value < 1:
            raise ParameterError(f"`{name}` must be in (0, 1), got {value}")
    for name, number in (("n_families", n_families), ("families_per_task", families_per_task)):
        if number < 1:
            raise ParameterError(f"`{name}` must be 1 or more, got {number}")
    n_tasks = -(-n_families // families_per_task)
    # A Beta of these two has the mean `share` and correlates two draws from it by `likeness`.
    strength = (1 - likeness) / likeness
    own = random.beta(share * strength, (1 - share) * strength, n_tasks)
    n_calls = np.ceil(10 * np.exp(calls_log_sd * random.standard_normal(n_families))).astype(int)
    family = np.repeat(np.arange(n_families), n_calls)
    touched = np.ceil(2000 * np.exp(random.standard_normal(len(family))))
    saves = random.random(len(family)) < own[family // families_per_task]
    return ShareWorld(share, n_families, family, np.where(saves, touched, 0.0), touched)


@dataclass(frozen=True, slots=True, eq=False)
class RecallWorld:
    """Questions of families, each with the score of its best pointer and whether it was used.

    Arrays of shape (n_questions,); `family` and `project` number theirs. `auc` is true of a used
    and an unused question of one project and different families. `output_bytes` is what the
    question prints where it fires.
    """

    auc: float
    n_families: int
    family: npt.NDArray[np.int64]
    project: npt.NDArray[np.int64]
    score: Floats
    used: npt.NDArray[np.bool_]
    output_bytes: Floats
    _shift: float

    def lost_share(self, floor: float) -> float:
        """True share of the used questions that score below a floor, without confounding."""
        from scipy.special import ndtr

        return float(ndtr(_standard(floor) - self._shift)) if floor > 0 else 0.0

    def by_family(self, floors: Floats) -> tuple[Floats, Floats, Floats]:
        """Bytes, fires and used pointers at each floor: arrays of shape (n_floors, n_families)."""
        fires = self.score >= floors[:, None]
        made = np.zeros((3, len(floors), self.n_families))
        for at, numbers in enumerate((self.output_bytes, np.ones_like(self.score), self.used)):
            for row, fired in enumerate(fires):
                made[at, row] = np.bincount(self.family, numbers * fired, self.n_families)
        return made[0], made[1], made[2]


def recall_world(
    random: np.random.Generator,
    n_families: int,
    *,
    auc: float = 0.7,
    used_share: float = 0.2,
    likeness: float = 0.3,
    questions_log_sd: float = 1.0,
    n_projects: int = 1,
    project_share: float = 0.0,
    confounding: float = 0.0,
) -> RecallWorld:
    """Draw a world in which the true AUC within a project is `auc`.

    Scores are log-normal about 3, as of BM25. Under them lie standard normal numbers, which use
    shifts; whether a question is used is a normal number above a bound. Both are sums of a part of
    the project, one of the family and one of the question.

    Parameters
    ----------
    random
        Where chance comes from; the same state gives the same world.
    n_families
        Families to draw.
    auc
        Chance that a used question scores higher than an unused one of another family of the same
        project, in (0, 1).
    used_share
        Expected share of the questions whose pointer is used, in (0, 1).
    likeness
        Share of the variance within a project, of scores and of use, that is the family's, in
        (0, 1).
    questions_log_sd
        Spread of the natural logarithm of questions a family, about a median of 5.
    n_projects
        Projects among which the families are dealt.
    project_share
        Share of the variance of scores, and of use, that is the project's, in [0, 1).
    confounding
        Correlation of a project's part in its scores with that in its use, in [0, 1]. Above 0
        pairs of different projects favour the score whatever `auc` is.

    Raises
    ------
    ParameterError
        If a number is out of bounds.
    """
    from scipy.special import ndtri

    shares = (("auc", auc), ("used_share", used_share), ("likeness", likeness))
    for name, value in shares:
        if not 0 < value < 1:
            raise ParameterError(f"`{name}` must be in (0, 1), got {value}")
    for name, number in (("n_families", n_families), ("n_projects", n_projects)):
        if number < 1:
            raise ParameterError(f"`{name}` must be 1 or more, got {number}")
    if not 0 <= project_share < 1:
        raise ParameterError(f"`project_share` must be in [0, 1), got {project_share}")
    if not 0 <= confounding <= 1:
        raise ParameterError(f"`confounding` must be in [0, 1], got {confounding}")
    n = np.ceil(5 * np.exp(questions_log_sd * random.standard_normal(n_families))).astype(int)
    family = np.repeat(np.arange(n_families), n)
    project = random.integers(0, n_projects, n_families)[family]
    of_use, other = random.standard_normal((2, n_projects))
    of_score = confounding * of_use + np.sqrt(1 - confounding**2) * other

    def standard(of_project: Floats) -> Floats:
        own = random.standard_normal(n_families)[family]
        apart = random.standard_normal(len(family))
        inner = np.sqrt(likeness) * own + np.sqrt(1 - likeness) * apart
        outer = np.sqrt(project_share) * of_project[project]
        drawn: Floats = outer + np.sqrt(1 - project_share) * inner
        return drawn

    used = standard(of_use) > ndtri(1 - used_share)
    shift = float(np.sqrt(2 * (1 - project_share)) * ndtri(auc))
    score = _MEDIAN * np.exp(_LOG_SD * (standard(of_score) + shift * used))
    printed = np.ceil(400 * np.exp(0.5 * random.standard_normal(len(family))))
    return RecallWorld(auc, n_families, family, project, score, used, printed, shift)


def _standard(score: float) -> float:
    """Normal number under a score."""
    return float(np.log(score / _MEDIAN) / _LOG_SD)
