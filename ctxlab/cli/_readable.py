"""Figures as people read them: separated thousands, words for what is no number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ctxlab.cli._option_values import written
from ctxlab.cli._text import count

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.params import ParamSet

__all__ = ["readable"]


def readable(frame: pd.DataFrame, cells: Sequence[Any], kind: type[ParamSet]) -> pd.DataFrame:
    """Give the texts of a frame that has one row a cell: parameters as their options take them."""
    import pandas as pd

    declared = kind.params()
    points = [cell.as_dict() for cell in cells]
    return pd.DataFrame(
        {
            name: [written(declared[name], point[name]) for point in points]
            if name in declared
            else [_read(value) for value in frame[name]]
            for name in frame.columns
        }
    )


def _read(value: Any) -> str:
    import pandas as pd

    if pd.isna(value):
        return "not measured"
    if isinstance(value, (str, bool, np.bool_)):
        return value if isinstance(value, str) else str(value).lower()
    number = float(value)
    return count(number) if number.is_integer() or abs(number) >= 1000 else f"{number:.4g}"
