"""What the files of several tools say of a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import orjson

__all__ = ["digest", "why"]


def digest(certificate: Mapping[str, Any]) -> str:
    """BLAKE2b digest of the certificate in canonical form, to quote beside what it is for."""
    text = orjson.dumps(dict(certificate), option=orjson.OPT_SORT_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    return blake2b(text, digest_size=16).hexdigest()


def why(certificate: Mapping[str, Any]) -> str:
    """Reasons of its result, to end a sentence with."""
    reasons = "; ".join((certificate.get("result") or {}).get("reasons", ()))
    return f": {reasons}" if reasons else ""
