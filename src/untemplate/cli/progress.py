"""A progress bar on standard error for work on many sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from untemplate.cli.voice import make_console
from untemplate.golden.batch import Failure


class Done(Protocol):
    """What came of one source."""

    @property
    def failure(self) -> Failure | None: ...


Each = TypeVar("Each", bound=Done)


def with_progress(outcomes: Iterator[Each], total: int, what: str) -> Iterator[Each]:
    """Yield the outcomes while a bar shows how many there are; nothing is drawn where there is no terminal."""
    console = make_console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total, failed="")
        failed = 0
        for outcome in outcomes:
            failed += outcome.failure is not None
            progress.update(task, advance=1, failed=f"{failed} failed" if failed else "")
            yield outcome
