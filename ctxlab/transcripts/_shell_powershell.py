"""PowerShell commands that print a file or a part of it → the same in POSIX words."""

from __future__ import annotations

import re
import shlex

__all__ = ["posix_of"]

_GET_CONTENT = re.compile(
    r"(?:Get-Content|gc|cat|type)\s+(?:-(?:Literal)?Path\s+)?"
    r"(?P<path>'[^']+'|\"[^\"$`]+\"|[^\s'\"$`|;&*?-][^\s'\"$`|;&*?]*)(?:\s+-Raw)?"
    r"(?:\s+-(?:TotalCount|Head|First)\s+(?P<total>\d+))?"
    r"(?:\s*\|\s*Select-Object(?:\s+-Skip\s+(?P<skip>\d+))?(?:\s+-First\s+(?P<first>\d+))?)?\s*",
    re.IGNORECASE,
)


def posix_of(script: str) -> str | None:
    """Translate one file print; None for any other script."""
    match = _GET_CONTENT.fullmatch(script.strip())
    if match is None:
        return None
    path = shlex.quote(match["path"].strip("'\""))
    start = 1 + int(match["skip"] or 0)
    counts = [int(n) for n in (match["total"], match["first"]) if n]
    if match["total"] and match["skip"]:
        counts = [
            int(match["total"]) - start + 1,
            *([int(match["first"])] if match["first"] else []),
        ]
    end = str(start + min(counts) - 1) if counts else "$"
    return f"sed -n '{start},{end}p' {path}"
