"""Worlds with a known answer, to see what an estimator makes of them.

Sizes are heavy-tailed and the calls of one family resemble each other, as in real logs. Nothing
here reads a log; a world is drawn from a generator and a few numbers that say what is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ctxlab.errors import ParameterError

__all__ = ["ShareWorld", "share_world"]

Floats = npt.NDArray[np.float64]


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
