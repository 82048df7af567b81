"""Text to its size and identity, as a tool written in JavaScript would state them.

A Python string may hold lone surrogates where a transcript was cut in the middle of a character;
they count as one unit and are hashed as the replacement character, as JavaScript does.
"""

from __future__ import annotations

import hashlib

__all__ = ["file_fingerprint", "utf16_chars"]


def utf16_chars(text: str) -> int:
    """Count the UTF-16 code units of a text (JavaScript's `length`)."""
    if text.isascii():
        return len(text)
    # Encoding is a copy in C: 50 times faster than looking for the largest character.
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def file_fingerprint(text: str) -> str:
    """Identify the bytes of a whole file; any edit anywhere in it changes the result.

    Returns
    -------
    str
        `"<n>:<h>"`: n in UTF-16 code units, h the first 16 hex digits of the SHA-1 of the text
        in UTF-8.

    Examples
    --------
    >>> file_fingerprint("abc")
    '3:a9993e364706816a'
    """
    units = text.encode("utf-16-le", "surrogatepass")
    utf8 = units.decode("utf-16-le", "replace").encode()  # joins split pairs, replaces lone halves
    digest = hashlib.sha1(utf8, usedforsecurity=False).hexdigest()
    return f"{len(units) // 2}:{digest[:16]}"
