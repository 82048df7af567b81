"""What a text costs that stays in the context: written to the cache once, read at each request.

The price of a model is left out: the unit is the price of one uncached input token.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["READ_MULTIPLIER", "WRITE_MULTIPLIER", "carried"]

WRITE_MULTIPLIER = 1.25
"""Price of a token written to a five-minute prompt cache, of list input (Anthropic, 2026)."""

READ_MULTIPLIER = 0.10
"""Price of a token read from the prompt cache, of list input (most models of 2026; newer: less)."""

Size = TypeVar("Size", float, npt.NDArray[np.floating])


def carried(
    size: Size,
    requests: Size,
    write: float = WRITE_MULTIPLIER,
    read: float = READ_MULTIPLIER,
) -> Size:
    """Weight what enters the context at one request and stays for `requests` of them.

    Parameters
    ----------
    size : float or array
        Bytes or tokens.
    requests : float or array
        Requests that are sent it, the first included; at 0 nothing is paid.
    write, read : float
        Price of writing to and of reading from the cache, of the list price of input.

    Returns
    -------
    float or array
        In the unit of `size`: how much uncached input would cost as much. Modelled, for no log
        tells whether the cache still held it.

    Examples
    --------
    >>> carried(1000.0, 20.0)
    3150.0
    """
    paid = np.where(np.asarray(requests) > 0, write + read * (np.asarray(requests) - 1), 0.0)
    result = size * paid
    return result if isinstance(size, np.ndarray) else float(result)
