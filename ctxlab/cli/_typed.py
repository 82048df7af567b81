"""Messages of the library in the words of the command line."""

from __future__ import annotations

import re

import click

__all__ = ["as_typed"]

_NAMED = re.compile(r"`(\w+)`")


def as_typed(text: str, command: click.Command) -> str:
    """Name each argument of the library as the command's user writes it.

    Messages name an argument in backticks, as `max_items`; what the command has no option for
    stays so.
    """
    names = {parameter.name: parameter for parameter in command.params}

    def typed(found: re.Match[str]) -> str:
        parameter = names.get(found[1])
        if parameter is None:
            return found[0]
        is_option = isinstance(parameter, click.Option)
        return parameter.opts[0] if is_option else parameter.make_metavar(click.Context(command))

    return _NAMED.sub(typed, text)
