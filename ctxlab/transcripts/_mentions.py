"""Text of an answer → the base names of files that stand in it."""

from __future__ import annotations

import re

__all__ = ["file_mentions"]

_TOKEN = re.compile("[\\w.+@\ud800-\udfff-]+")
_MAX_EXTENSION_CHARS = 10


def file_mentions(text: str) -> tuple[str, ...]:
    """Give what looks like the base name of a file, once each, in order of appearance.

    A name needs a stem and an extension that starts with a letter. `os.path` looks like one too:
    mentions are only ever asked whether a given file is among them.

    Examples
    --------
    >>> file_mentions("See src/pump.py:12 and pump.py, version 1.2.")
    ('pump.py',)
    """
    tokens = (token.rstrip(".-") for token in _TOKEN.findall(text))
    return tuple(dict.fromkeys(filter(_is_file_name, tokens)))


def _is_file_name(token: str) -> bool:
    stem, _, extension = token.rpartition(".")
    return bool(stem) and extension[:1].isalpha() and len(extension) <= _MAX_EXTENSION_CHARS
