"""The options that say in what form a command's findings are written, and where to besides standard output."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from untemplate.cli.reports import FORMATS, ReportText, to_format
from untemplate.cli.voice import write_result
from untemplate.errors import SpecError


def with_formats(*own: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that gives a command ``--format`` and ``--summary``, which it gets as ``form`` and ``summary``.

    ``own``: formats beside those of reports, the default first.
    """
    told = "Of the result; jsonl: a line of JSON for each source, as it is done." if "jsonl" in own else "Of the result."

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @click.option("--format", "form", type=click.Choice([*own, *FORMATS]), default=own[0], show_default=True, help=told)
        @click.option("--summary", metavar="FILE", help="Also append the result to FILE as Markdown, such as $GITHUB_STEP_SUMMARY.")
        @functools.wraps(command)
        def wrapped(*args: Any, summary: str | None, **options: Any) -> Any:
            if summary is not None:
                _append(summary, "")  # before all the work, not after it
            return command(*args, summary=summary, **options)

        return wrapped

    return decorate


def write_report(report: Callable[[], ReportText], form: str, summary: str | None) -> None:
    """Write a report in its form where that is one of reports, and its summary where one is wanted.

    Raises:
        SpecError: E500 when the summary cannot be written.
    """
    if form not in FORMATS and summary is None:
        return
    made = report()
    if form in FORMATS:
        write_result(to_format(made, form))
    if summary is not None:
        _append(summary, to_format(made, "markdown"))


def _append(path: str, text: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", newline="\n") as file:  # noqa: PTH123 - it may be a pipe or /dev/stdout
            file.write(text)
    except OSError as error:
        hint = "give --summary a file that can be written"
        raise SpecError(f"the summary cannot be written: {error.strerror or error}", where=path, hint=hint) from error
