"""The table at the end of a compilation of many sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from untemplate.cli.visible import shortened, visible
from untemplate.cli.voice import make_console
from untemplate.golden.batch import Outcome
from untemplate.golden.jobs import Compilation

LONGEST_NAME = 40
LONGEST = 60
"""Up to so many sources each gets a row; of more, only those with something to say."""


def show_summary(sources: Sequence[str], outcomes: Sequence[Outcome[Compilation]], seconds: float) -> None:
    """Write the table to standard error."""
    console = make_console(stderr=True)
    rows = outcomes if len(outcomes) <= LONGEST else [outcome for outcome in outcomes if not _is_plain(outcome)]
    if rows:
        console.print(_table(sources, rows))
    failed = sum(outcome.result is None for outcome in outcomes)
    warned = sum(bool(outcome.result and outcome.result.warnings) for outcome in outcomes)
    said = f"{len(outcomes) - failed} of {len(outcomes)} compiled, {warned} with warnings, in {seconds:.1f} s"
    console.print(Text(said, style="red" if failed else "green"))


def _is_plain(outcome: Outcome[Compilation]) -> bool:
    result = outcome.result
    return result is not None and not result.warnings and result.read_back == result.turns


def _table(sources: Sequence[str], outcomes: Sequence[Outcome[Compilation]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("calls", no_wrap=True)
    table.add_column("read back", justify="right", no_wrap=True)
    table.add_column("warnings", justify="right")
    for outcome in outcomes:
        if outcome.result is None:
            assert outcome.failure is not None
            name = Text(shortened(visible(Path(sources[outcome.index]).name), LONGEST_NAME), style="red")
            table.add_row(name, Text(f"failed: {outcome.failure.code}", style="red"))
            continue
        result = outcome.result
        style = "green" if result.read_back == result.turns else "yellow"
        read_back = Text(f"{result.read_back}/{result.turns}", style=style)
        table.add_row(shortened(result.name, LONGEST_NAME), result.calls, read_back, str(len(result.warnings) or ""))
    return table
