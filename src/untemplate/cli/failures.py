"""How an error is told: what is wrong, where, and what to do about it. On standard error, never a traceback."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

import click

from untemplate.cli.visible import visible
from untemplate.errors import UntemplateError

if TYPE_CHECKING:
    from untemplate.golden.batch import Failure

TROUBLE = 2
"""The exit code when a command could not do its work."""


def show_error(error: UntemplateError) -> None:
    """Write an error of ours with its code, place and hint."""
    _line("error", f"{error.code} {error.message}", "red")
    if error.where:
        _line("where", error.where, "cyan")
    if error.hint:
        _line("hint", error.hint, "green")


def show_failure(failure: Failure) -> None:
    """Write an error that came from another process as data."""
    show_error(UntemplateError(failure.message, code=failure.code, where=failure.where, hint=failure.hint))


def show_usage_error(error: click.ClickException) -> None:
    """Write an error in the command line itself."""
    _line("error", error.format_message().replace("\t", "  "), "red")
    context = getattr(error, "ctx", None)
    if isinstance(context, click.Context):
        _line("hint", f"see `{context.command_path} --help`", "green")


def as_ours(error: OSError) -> UntemplateError | None:
    """Return what a system says of a file that the command line names, as an error of ours; ``None`` where it names no file."""
    if not isinstance(error.filename, str):
        return None
    return UntemplateError(
        f"cannot be opened: {error.strerror}", code="E100", where=error.filename, hint="Check the path and its permissions."
    )


def show_fault(error: Exception) -> None:
    """Write an error that is our own fault; the traceback only where ``UNTEMPLATE_TRACEBACK`` asks for it."""
    _line("error", f"E999 untemplate itself failed: {type(error).__name__}: {error}", "red")
    _line("hint", "this is a fault of untemplate, not yours; please report it with the source and the command line", "green")
    if os.environ.get("UNTEMPLATE_TRACEBACK"):
        traceback.print_exception(error)


def _line(label: str, text: str, color: str) -> None:
    head, *rest = visible(text, keep_lines=True).splitlines() or [""]
    click.echo(f"{_styled(f'{label}:', color)} {head}", err=True)
    for line in rest:
        click.echo(f"  {line}", err=True)


def _styled(text: str, color: str) -> str:
    wanted = sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return click.style(text, fg=color, bold=True) if wanted else text
