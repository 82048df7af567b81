"""Score arrays to the frames that people read, each share beside its denominators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ctxlab.estimate import ShareInterval, part_interval, share_bands
from ctxlab.replay import DedupTable, Survey, SweepTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cell_frame", "part_intervals", "score_frame", "shares_of_all", "transcript_frame"]

_SHARED = ("net", "withheld", "pointer")


def cell_frame(table: DedupTable, survey: Survey) -> pd.DataFrame:
    """One row a cell: parameters, sums, and shares of three denominators.

    `net_share` is of touched bytes; `low` and `high` are the 95 % interval of that cell by
    itself, `band_low` and `band_high` a band that holds for all rows at once, both by family.
    `net_share_of_results` is of all tool-result bytes. For `net_share_of_new_input` bytes become
    tokens by a modelled rate, over the transcripts whose tokens are measured; null without any.
    The same three shares stand for withheld and pointer bytes.
    """
    import pandas as pd

    frame = pd.DataFrame(table.totals())
    band = share_bands(table.by_family("net_bytes"), table.by_family("touched_bytes")[0])
    frame["net_share"] = band.share
    frame["low"], frame["high"] = band.low, band.high
    frame["band_low"], frame["band_high"] = band.band_low, band.band_high
    touched = frame.touched_bytes
    for name in _SHARED:
        if name != "net":
            frame[f"{name}_share"] = (frame[f"{name}_bytes"] / touched).where(touched > 0)
        for of, share in shares_of_all(table, survey, f"{name}_bytes").items():
            frame[f"{name}_share_of_{of}"] = share
    return frame


def shares_of_all(
    table: SweepTable[Any], survey: Survey, metric: str
) -> dict[str, npt.NDArray[np.float64]]:
    """Shares of a metric of bytes in what the surveyed transcripts hold, one a cell.

    `results` is of all tool-result bytes. For `new_input` bytes become tokens by a modelled rate,
    over the transcripts whose tokens are measured; null without any.
    """
    sizes, scores = survey.transcripts, table.metric(metric)
    measured = sizes[sizes.new_input_tokens.notna()]
    of_measured = scores[:, np.isin(table.transcripts, measured.transcript)].sum(axis=1)
    tokens = of_measured / survey.tokens.bytes_per_token
    return {
        "results": scores.sum(axis=1) / (sizes.tool_result_bytes.sum() or np.nan),
        "new_input": tokens / (measured.new_input_tokens.sum() or np.nan),
    }


def part_intervals(
    part: npt.NDArray[np.float64], whole: npt.NDArray[np.float64]
) -> list[ShareInterval]:
    """Interval by family of the share of each cell, both (n_cells, n_families).

    Cells of equal counts share one.
    """
    rows = [a.tobytes() + b.tobytes() for a, b in zip(part, whole, strict=True)]
    first = {key: i for i, key in reversed(list(enumerate(rows)))}
    # By the number of families, on which the bootstrap's draws depend: those are then found once.
    order = sorted(first, key=lambda key: int((whole[first[key]] > 0).sum()))
    found = {key: part_interval(part[first[key]], whole[first[key]]) for key in order}
    return [found[key] for key in rows]


def score_frame(table: SweepTable[Any]) -> pd.DataFrame:
    """Long form: one row a cell, transcript and metric, with the cell's parameters."""
    import pandas as pd

    n_cells, n = len(table.cells), len(table.transcripts)
    names = list(table.metrics)
    families = np.array(table.families, dtype=object)[table.family_of]
    columns: dict[str, Any] = {}
    for name in table.cells[0].as_dict() if table.cells else ():
        # One by one: of tuples `np.array` would make a table.
        given = np.fromiter((cell.as_dict()[name] for cell in table.cells), object, n_cells)
        columns[name] = np.repeat(given, n * len(names))
    columns["transcript"] = np.tile(np.repeat(np.array(table.transcripts), len(names)), n_cells)
    columns["family"] = np.tile(np.repeat(families, len(names)), n_cells)
    columns["metric"] = np.tile(np.array(names), n_cells * n)
    columns["value"] = np.stack([table.metric(name) for name in names], axis=2).ravel()
    return pd.DataFrame(columns).infer_objects()


def transcript_frame(table: DedupTable, cell: int) -> pd.DataFrame:
    """One row a transcript that was touched: bytes and net share under one cell."""
    import pandas as pd

    one = table.select([cell])
    frame = pd.DataFrame(
        {
            "transcript": table.transcripts,
            "family": np.array(table.families, dtype=object)[table.family_of],
            **{
                name: one.metric(name)[0]
                for name in ("touched_bytes", "net_bytes", "pointers", "harmful_pointers")
            },
        }
    )
    frame = frame[frame.touched_bytes > 0].reset_index(drop=True)
    frame["net_share"] = frame.net_bytes / frame.touched_bytes
    return frame
