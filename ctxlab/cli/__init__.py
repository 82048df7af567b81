"""The command line: arguments in, tables and files out. Every decision is made further down."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ctxlab.errors import CtxlabError

__all__ = ["cli", "main"]

_EXIT_CODES = (
    "Exit codes: 0 done; 1 failed; 2 bad path, input or parameter; 3 trouble with the store "
    "folder; 130 interrupted."
)


class _Lazy(click.Group):
    """A group whose commands are loaded when one is asked for: `--version` imports nothing."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from ctxlab.cli._commands import COMMANDS

        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        from ctxlab.cli._commands import COMMANDS

        return COMMANDS.get(name)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _quiet_pipe():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> object:
        try:
            with _quiet_pipe():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            kept = "; what was read so far is kept" if ctx.invoked_subcommand in _READERS else ""
            raise _Interrupted(f"interrupted{kept}") from None
        except CtxlabError as error:
            from ctxlab.cli._typed import as_typed

            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if command is not None:
                error.args = (as_typed(str(error), command),)
            raise


_READERS = ("tune", "ingest")
"""Commands that fill a lab, which keeps what it has got."""


class _Interrupted(CtxlabError):
    """The user ended a command."""

    exit_code = 130


@contextmanager
def _quiet_pipe() -> Iterator[None]:
    """End in peace once whoever read the output has seen enough."""
    try:
        yield
    except BrokenPipeError:
        # Else the interpreter would flush into the pipe at its end, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise CtxlabError("the output cannot be written: no space left on the device") from error


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EXIT_CODES,
)
@click.version_option(package_name="ctxlab")
def cli() -> None:
    """Tune the context budgets of coding agents on your own recorded transcripts.

    Start with `ctxlab tune ~/.claude/projects`. Nothing leaves this machine.
    """


def main() -> None:
    """Run the command line; trouble with input or store becomes one line and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know ASCII only
    try:
        sys.exit(cli.main(prog_name="ctxlab", standalone_mode=False))
    except (click.exceptions.Abort, KeyboardInterrupt):
        _say_error("interrupted")
        sys.exit(130)
    except click.ClickException as error:
        _say_usage(error)
        sys.exit(error.exit_code)
    except CtxlabError as error:
        _say_error(str(error))
        sys.exit(error.exit_code)


def _say_error(text: str) -> None:
    from ctxlab.cli._text import printable

    click.echo(f"ctxlab: {printable(text, 2000)}", err=True)


def _say_usage(error: click.ClickException) -> None:
    """Show what click says; it quotes the words it was given as they are."""
    from ctxlab.cli._text import printable

    said = io.StringIO()
    error.show(said)
    click.echo(printable(said.getvalue(), 5000), err=True, nl=False)
