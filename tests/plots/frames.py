"""Small invented frames, one for each figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def settings(
    thresholds: tuple[int, ...] = (1, 4, 8, 16),
    horizons: tuple[int | None, ...] = (1, 4, None),
    **changes: Any,
) -> pd.DataFrame:
    """A sweep that saves 1 % at most, with harm at unlimited horizons."""
    rows = [
        {
            "min_covered_lines": m,
            "view_calls": v,
            "net_share": 0.01 / m,
            "low": 0.005 / m,
            "high": 0.02 / m,
            "harmful_pointers": 3 if v is None else 0,
            "pointers": 10,
        }
        for v in horizons
        for m in thresholds
    ]
    return pd.DataFrame(rows).assign(**changes)


def transcripts(n: int = 5, **changes: Any) -> pd.DataFrame:
    """Transcripts of growing size and share; the last has harmful pointers."""
    return pd.DataFrame(
        {
            "transcript": [f"t{i}" for i in range(n)],
            "family": [f"f{i // 2}" for i in range(n)],
            "touched_bytes": [1000 * 4**i for i in range(n)],
            "net_bytes": [10 * i for i in range(n)],
            "net_share": [0.01 * (i - 1) for i in range(n)],
            "harmful_pointers": [0] * (n - 1) + [2] if n else [],
        }
    ).assign(**changes)


def served(path: str, request: int, outcome: str, lines: int = 10) -> dict[str, Any]:
    return {
        "what": "served",
        "at": 10 * request,
        "request": request,
        "path": path,
        "outcome": outcome,
        "lines": lines,
        "touched_bytes": 40 * lines,
    }


def event(what: str, request: int, path: str | None = None) -> dict[str, Any]:
    return {"what": what, "at": 10 * request + 5, "request": request, "path": path}


def thread(*rows: dict[str, Any]) -> pd.DataFrame:
    """A timeline; without rows, one of each kind of event."""
    given = rows or (
        served("src/a.py", 1, "sent", 100),
        served("src/b.py", 2, "sent"),
        event("edit", 2, "src/b.py"),
        served("src/a.py", 3, "pointer"),
        event("compaction", 3),
        event("microcompaction", 4),
        served("src/a.py", 5, "compaction"),
    )
    columns = ["what", "at", "request", "path", "outcome", "lines", "touched_bytes"]
    types = {"request": "int64", "at": "int64", "lines": "Int64", "touched_bytes": "Int64"}
    return pd.DataFrame(
        {c: pd.Series([r.get(c) for r in given], dtype=types.get(c, "object")) for c in columns}
    )


def scores(n_used: int = 60, n_unused: int = 240, **changes: Any) -> pd.DataFrame:
    """Prompts whose used pointers score a little higher; one in thirty found nothing."""
    rng = np.random.default_rng(7)
    score = np.concatenate([rng.gamma(7, 0.8, n_used), rng.gamma(5, 0.9, n_unused)])
    n = n_used + n_unused
    frame = pd.DataFrame(
        {
            "score": np.where(np.arange(n) % 30 == 29, np.nan, score),
            "used": np.arange(n) < n_used,
            "family": [f"f{i % 12}" for i in range(n)],
        }
    ).assign(**changes)
    frame.attrs["auc"] = (0.61, 0.54, 0.68)
    return frame


FLOORS = (0.0, 0.05, *(n / 2 for n in range(1, 29)))
BUDGETS = (200, 300, 400, 600, 800, 1200, 1600, 2400, 4000)


def pointers(floors: tuple[float, ...] = FLOORS, **changes: Any) -> pd.DataFrame:
    """Precision that rises a little with the floor, as recall falls; few pointers at the end."""
    floor = np.array(floors, float)
    recall = 1 / (1 + np.exp(floor - 6))
    precision = 0.2 + 0.01 * floor + 0.02 * np.sin(3 * floor)
    half = 0.03 + 0.1 * (1 - recall)
    return pd.DataFrame(
        {
            "floor": floor,
            "precision": np.where(recall < 0.001, np.nan, precision),
            "recall": recall,
            "low": precision - half,
            "high": precision + half,
            "recommended": floor == 5,
            "base_rate": 0.2,
        }
    ).assign(**changes)


def budgets(
    outputs: tuple[int, ...] = BUDGETS, hits: tuple[int, ...] = (1, 3, 6, 9, 12), **changes: Any
) -> pd.DataFrame:
    """Lines of 90 bytes in three of four prompts; the first ranks hold most used pointers."""
    rows = []
    for n in hits:
        for output in outputs:
            printed = min(n, max(0, (output - 130) // 90))
            rows.append(
                {
                    "max_output_bytes": output,
                    "max_hits": n,
                    "bytes_per_prompt": 0.75 * (120 + 90 * printed) if printed else 0.0,
                    "used_share": 1 - 0.6**printed,
                    "recommended": (output, n) == (600, 3),
                }
            )
    return pd.DataFrame(rows).assign(**changes)


def floors(values: tuple[float, ...] = FLOORS, **changes: Any) -> pd.DataFrame:
    """Controls fall silent a little earlier than recorded prompts; no prompt lacks its subject."""
    floor = np.array(values, float)
    precision = 0.2 + 0.01 * floor
    return pd.DataFrame(
        {
            "min_hit_score": floor,
            "fire_share": 0.8 / (1 + np.exp(floor - 7)),
            "precision": precision,
            "false_fire_unrelated": 0.5 / (1 + np.exp(floor - 4)),
            "false_fire_joined": 0.75 / (1 + np.exp(floor - 6)),
            "false_fire_absent": 0.4 / (1 + np.exp(floor - 5)),
            "low": precision - 0.05,
            "high": precision + 0.02 + 0.01 * floor,
            "recommended": floor == 5,
        }
    ).assign(**changes)


HOSTILE = {
    "long": "a" * 1000,
    "formula": "$x^2$ and $",
    "terminal": "\x1b[31mred\x1b[0m",
    "direction": "\u202egpj.py",
    "surrogate": "\ud800.py",
    "no glyph": "\u4e2d\u6587",
    "emoji": "\U0001f9ff\U0001f468\u200d\U0001f469",
    "newline": "two\nlines",
    "blank": " ",
}
"""Words that a prompt may hold, by what is bad about them."""


def leaks(**terms: int) -> pd.DataFrame:
    """Words let through and missed; given ones, by their number of prompts, are let through."""
    passed = {"GitHub": 41, "and/or": 30, "3.14": 12, "#42": 9, "e.g": 5, "I/O": 4} | {
        "https://example.org/a/long/address/page.html": 3
    }
    missed = {"HTTPServer": 18, "foo()": 15, "read-file": 7, "--verbose": 2}
    classes = {"GitHub": "name", "3.14": "number", "#42": "issue", "foo()": "call"}
    rows = [
        {
            "term": term,
            "kind": kind,
            "class": classes.get(term, "two words" if kind == "let through" else "inner hyphen"),
            "prompts": n,
            "matched": n // 3 if kind == "let through" else n // 2,
        }
        for kind, group in (("let through", terms or passed), ("missed", missed))
        for term, n in group.items()
        if not (terms and kind == "missed")
    ]
    return pd.DataFrame(rows, dtype=object)


def surface(
    max_items: tuple[int, ...] = (0, 5, 20, 100),
    truncate_content: tuple[int, ...] = (0, 80, 640),
    max_output_bytes: tuple[int, ...] = (0, 512, 4096, 32768),
    **changes: Any,
) -> pd.DataFrame:
    """Limits that save more and lose more the lower they are; a tiny ceiling makes answers grow."""
    rows = []
    for items in max_items:
        for chars in truncate_content:
            for output in max_output_bytes:
                cut = np.array(
                    [np.exp(-n / s) if n else 0.0 for n, s in ((items, 30), (chars, 400))]
                )
                ceiling = np.exp(-output / 9000) if output else 0.0
                grown = 0.06 * np.exp(-output / 300) if output else 0.0
                saved = 1 - (1 - 0.5 * cut[0]) * (1 - 0.3 * cut[1]) * (1 - 0.6 * ceiling) - grown
                lost = 60 * cut[0] ** 2 + 90 * cut[1] ** 4 + 70 * ceiling**2
                harmed = min(0.9, lost / 900)
                rows.append(
                    {
                        "max_items": items,
                        "truncate_content": chars,
                        "max_output_bytes": output,
                        "select": (),
                        "saved_share": saved,
                        "low": saved - 0.05 * (saved != 0),
                        "high": saved + 0.04 * (saved != 0),
                        "harmed_share": harmed,
                        "harmed_low": harmed * 0.5,
                        "harmed_high": 0.01 + harmed * 1.5,
                        "stubs": round(40 * np.exp(-output / 500)) if output else 0,
                        "grown": round(90 * np.exp(-output / 2000)) if output else 0,
                        "over_budget": 3 if 0 < output < 1000 else 0,
                        "non_monotonic": 2 if 500 < output < 20000 else 0,
                        "witnesses": 450,
                        "lost_paths": int(0.4 * lost),
                        "lost_ids": int(0.3 * lost),
                        "lost_numbers": int(0.1 * lost),
                        "lost_names": int(0.2 * lost),
                        "cut_names": int(40 * cut[1] ** 3),
                        "cut_texts": int(5000 * cut[1]),
                    }
                )
    frame = pd.DataFrame(rows)
    order = np.lexsort((frame["harmed_share"], -frame["saved_share"]))
    least = frame["harmed_share"].iloc[order].cummin().shift(1, fill_value=np.inf)
    frame["frontier"] = frame["harmed_share"] < least.sort_index()
    frame["shipped"] = (frame[["max_items", "truncate_content", "max_output_bytes"]] == 0).all(
        axis=1
    )
    return frame.assign(**changes)


CEILINGS = (0, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)


def ceilings(outputs: tuple[int, ...] = CEILINGS, **changes: Any) -> pd.DataFrame:
    """A sweep of the byte ceiling alone; 4 kB is recommended."""
    frame = surface((0,), (0,), outputs)
    return frame.assign(recommended=frame["max_output_bytes"] == 4096).assign(**changes)


def cuts(chars: tuple[int, ...] = (0, 40, 80, 160, 320, 640, 1280, 4000)) -> pd.DataFrame:
    """A sweep of the length of texts alone."""
    return surface((0,), chars, (0,))


def tools(n: int = 6, **changes: Any) -> pd.DataFrame:
    """Tools of falling size; the last one grows under the setting."""
    names = ["gh api", "bd list | jq", "mcp__notes__search_everything_there_is", "kubectl get"]
    recorded = np.array([8_000_000 // 2**i for i in range(n)])
    compact = recorded // 5
    saved = np.where(np.arange(n) == n - 1, -(recorded // 9), recorded // 3)
    return pd.DataFrame(
        {
            "tool": [*names, *(f"tool {i}" for i in range(len(names), n))][:n],
            "max_items": 20,
            "truncate_content": 0,
            "max_output_bytes": 4096,
            "recorded_bytes": recorded,
            "compact_bytes": compact,
            "saved_bytes": saved,
            "output_bytes": recorded - compact - saved,
            "json_answers": [1200 // (i + 1) for i in range(n)],
            "harmed_answers": [13 * i for i in range(n)],
        }
    ).assign(**changes)


def by_tool(n: int = 5, **changes: Any) -> pd.DataFrame:
    """The byte ceiling for tools of falling size and growing harm."""
    frames = [
        ceilings().assign(
            tool=tool,
            json_answers=answers,
            canonical_bytes=recorded,
            priced_share=lambda f: 0.9 * f["saved_share"],
            lossy_share=lambda f: 1.3 * f["harmed_share"],
        )
        for tool, answers, recorded in tools(n)[
            ["tool", "json_answers", "recorded_bytes"]
        ].itertuples(index=False)
    ]
    return pd.concat(frames, ignore_index=True).assign(**changes)


def keys(n: int = 9, **changes: Any) -> pd.DataFrame:
    """Keys of falling size, of which the small ones are quoted."""
    names = [
        "body",
        "labels",
        "html_url",
        "user.login",
        "title",
        "state",
        "id",
        "number",
        "node_id",
    ]
    weight = 0.6 ** np.arange(n)
    quotes = [0, 0, 3, 0, 12, 0, 140, 1250, 0]
    return pd.DataFrame(
        {
            "tool": "gh api",
            "key": [*names, *(f"key_{i}" for i in range(len(names), n))][:n],
            "bytes_share": weight / weight.sum(),
            "quotes": [*quotes, *([0] * n)][:n],
            "witnesses": [q // 2 for q in [*quotes, *([0] * n)][:n]],
            "kept": [q > 5 for q in [*quotes, *([0] * n)][:n]],
        }
    ).assign(**changes)


FRAMES = {
    "savings_curve": settings(),
    "horizon_heatmap": settings(),
    "transcript_distribution": transcripts(),
    "context_timeline": thread(),
    "score_distribution": scores(),
    "precision_recall": pointers(),
    "budget_curve": budgets(),
    "floor_curve": floors(),
    "gate_leaks": leaks(),
    "surface_frontier": surface(),
    "surface_budget": ceilings(),
    "surface_by_tool": by_tool(),
    "surface_tools": tools(),
    "surface_keys": keys(),
    "surface_losses": cuts(),
}
