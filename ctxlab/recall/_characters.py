"""Which characters are words and which are space, as Unicode's own properties define them.

Python's `str.isalnum` leaves out Other_Alphabetic: vowel signs and other combining marks that are
part of a word, and circled letters. Its `str.isspace` adds four control characters. Of Unicode 14
the two views of letters and digits differ in exactly the code points of `_OTHER_ALPHABETIC`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["SPACE", "lowered", "whole", "words"]

SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""White_Space, as the inside of a character class: U+001C to U+001F are none."""

_OTHER_ALPHABETIC = """
345 5b0+d 5bf 5c1+1 5c4+1 5c7 610+a 64b+c 659+6 670 6d6+6 6e1+3 6e7+1 6ed 711 730+f 7a6+a 816+1
81b+8 825+2 829+3 8d4+b 8e3+6 8f0+13 93a+1 93e+e 94e+1 955+2 962+1 981+2 9be+6 9c7+1 9cb+1 9d7
9e2+1 a01+2 a3e+4 a47+1 a4b+1 a51 a70+1 a75 a81+2 abe+7 ac7+2 acb+1 ae2+1 afa+2 b01+2 b3e+6
b47+1 b4b+1 b56+1 b62+1 b82 bbe+4 bc6+2 bca+2 bd7 c00+3 c3e+6 c46+2 c4a+2 c55+1 c62+1 c81+2
cbe+6 cc6+2 cca+2 cd5+1 ce2+1 d00+3 d3e+6 d46+2 d4a+2 d57 d62+1 d81+2 dcf+5 dd6 dd8+7 df2+1 e31
e34+6 e4d eb1 eb4+5 ebb+1 ecd f71+10 f8d+a f99+23 102b+b 1038 103b+3 1056+3 105e+2 1062+2 1067+6
1071+3 1082+b 108f 109a+3 1712+1 1732+1 1752+1 1772+1 17b6+12 1885+1 18a9 1920+b 1930+8 1a17+4
1a55+9 1a61+13 1abf+1 1acc+2 1b00+4 1b35+e 1b80+2 1ba1+8 1bac+1 1be7+a 1c24+12 1de7+d 24b6+33
2de0+1f a674+7 a69e+1 a802 a80b a823+4 a880+1 a8b4+f a8c5 a8ff a926+4 a947+b a980+3 a9b4+b a9e5
aa29+d aa43 aa4c+1 aa7b+2 aab0 aab2+2 aab7+1 aabe aaeb+4 aaf5 abe3+7 fb1e 10376+4 10a01+2
10a05+1 10a0c+3 10d24+3 10eab+1 11000+2 11038+d 11073+1 11082 110b0+8 110c2 11100+2 11127+b
11145+1 11180+2 111b3+c 111ce+1 1122c+8 11237 1123e 112df+9 11300+3 1133e+6 11347+1 1134b+1
11357 11362+1 11435+c 11443+2 114b0+11 115af+6 115b8+6 115dc+1 11630+e 11640 116ab+a 1171d+d
1182c+c 11930+5 11937+1 1193b+1 11940 11942 119d1+6 119da+5 119e4 11a01+9 11a35+4 11a3b+3
11a51+a 11a8a+d 11c2f+7 11c38+6 11c92+15 11ca9+d 11d31+5 11d3a 11d3c+1 11d3f+2 11d43 11d47
11d8a+4 11d90+1 11d93+3 11ef3+3 16f4f 16f51+36 16f8f+3 16ff0+1 1bc9e 1e000+6 1e008+10 1e01b+6
1e023+1 1e026+4 1e947 1f130+19 1f150+19 1f170+19
"""
"""First code point and number of further ones, in hexadecimal, of each run."""


def _runs() -> Iterator[str]:
    """Give each run as a part of a character class."""
    for run in _OTHER_ALPHABETIC.split():
        first, _, more = run.partition("+")
        yield f"{chr(int(first, 16))}-{chr(int(first, 16) + int(more or '0', 16))}"


_ASCII_WORD = re.compile("[a-z0-9]+")
# No word holds "_", which `\w` admits: it is replaced before.
_WORD = re.compile(rf"[\w{''.join(_runs())}]+")


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def whole(text: str) -> str:
    """Replace each lone surrogate, which UTF-8 does not know, by U+FFFD, which is as long."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def lowered(text: str) -> str:
    """Lower each character by itself: unlike `str.lower`, a sigma is the same at a word's end."""
    return text.replace("Σ", "σ").lower()


def words(text: str) -> list[str]:
    """Give the maximal runs of alphanumeric characters, lowered, in order."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [lowered(word) for word in _WORD.findall(text.replace("_", " "))]
