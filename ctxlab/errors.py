"""The errors ctxlab raises at its users. Every one says what to do about it."""

from __future__ import annotations

__all__ = ["CtxlabError", "InputError", "ParameterError", "StoreError"]


class CtxlabError(Exception):
    """Base of every error that is the input's, the store's or the caller's fault.

    The command line prints the message of one of these and exits with its `exit_code`;
    anything else that escapes is a defect of ctxlab.
    """

    exit_code = 1


class InputError(CtxlabError):
    """A path or file that cannot be read as transcripts."""

    exit_code = 2


class ParameterError(CtxlabError, ValueError):
    """A parameter outside its bounds, of the wrong type, or of no such name."""

    exit_code = 2


class StoreError(CtxlabError):
    """A store folder that cannot be opened, locked or written."""

    exit_code = 3
