"""``untemplate verify``: whether the parser reads what the template writes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from untemplate.cli.inputs import looks_like_spec, read_spec
from untemplate.cli.reports import FORMATS, Item, Level, ReportText, to_format
from untemplate.cli.sources import SourceOptions, compile_at, with_source_options
from untemplate.cli.visible import shortened, visible
from untemplate.cli.voice import Voice, make_console, print_all, with_voice, write_result

if TYPE_CHECKING:
    from rich.console import RenderableType

    from untemplate.verify.report import Mismatch, Report

SHOWN = 10
"""Mismatches that are shown to a person; ``--verbose`` shows all."""
LONGEST = 1200
"""Characters of a text that are shown to a person."""


@click.command()
@click.argument("source", metavar="SOURCE|SPEC")
@with_source_options
@click.option("--budget", type=click.IntRange(min=1), default=300, show_default=True, help="Messages to try.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random messages: the same seed, the same report.")
@click.option("--format", "form", type=click.Choice(["text", "json", *FORMATS]), default="text", show_default=True, help="Of the result.")
@with_voice
def verify(source: str, chosen: SourceOptions, budget: int, seed: int, form: str, voice: Voice) -> int:
    """Render many messages, read them back, and show the first turns that come back as something else.

    Of a SPEC alone, whose template is not at hand, the turns are laid out by the spec itself. Exits with 1 on a mismatch.
    """
    report = _verified(source, chosen, seed, budget, voice)
    if form == "text":
        print_all(list(_shown(report, verbose=voice.verbose)))
    elif form == "json":
        from untemplate.spec.codec import encode
        from untemplate.spec.files import data_to_json

        write_result(data_to_json({"passed": report.passed, "turns": report.turns, **encode(report)}))
    else:
        write_result(to_format(_report(report, source), form))
    return 0 if report.passed else 1


def _verified(path: str, chosen: SourceOptions, seed: int, budget: int, voice: Voice) -> Report:
    from untemplate.verify.verify import verify_at_length, verify_composed

    with _progress(budget, voice) as step:
        if looks_like_spec(path):
            return verify_composed(read_spec(path), seed=seed, budget=budget, progress=step)
        _source, compiled = compile_at(path, chosen, verify=False)
        return verify_at_length(compiled.spec, compiled.found, seed=seed, budget=budget, progress=step)


@contextlib.contextmanager
def _progress(total: int, voice: Voice) -> Iterator[Callable[[int], None]]:
    """Give the function that moves a progress bar on standard error; there is none without a terminal."""
    from rich.progress import Progress

    console = make_console(stderr=True)
    with Progress(console=console, transient=True, disable=voice.quiet or not console.is_terminal) as progress:
        task = progress.add_task("verifying", total=total)
        yield lambda done: progress.update(task, completed=done)


# --- for people --------------------------------------------------------------------------------------------------------


def _shown(report: Report, *, verbose: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    shown = report.mismatches if verbose else report.mismatches[:SHOWN]
    for mismatch in shown:
        yield from _shown_mismatch(mismatch, LONGEST if not verbose else None)
    if len(shown) < len(report.mismatches):
        yield Text(f"… {len(report.mismatches) - len(shown)} more; `--verbose` shows them\n", style="dim")
    for skipped in report.skipped:
        yield Text(visible(f"{skipped.turns} not tried: {skipped.because}"), style="dim")
    for code, count in report.remarks:
        yield Text(visible(f"{count} read back with the remark {code}"), style="dim")
    style = "bold green" if report.passed else "bold red"
    yield Text(visible(f"{report.name}: {report.read_back} of {report.turns} turns read back"), style=style)


def _shown_mismatch(mismatch: Mismatch, longest: int | None) -> Iterator[RenderableType]:
    from rich.text import Text

    different = mismatch.difference
    yield Text.assemble((f"{mismatch.kind}", "bold"), (f"  {mismatch.mode}", "dim"), (f"  {different.what} differs", "red"))
    for name, text in _details(mismatch):
        shown = visible(text)
        yield Text.assemble((f"  {name}: ", "dim"), shown if longest is None else shortened(shown, longest))
    yield Text("")


def _details(mismatch: Mismatch) -> Iterator[tuple[str, str]]:
    different = mismatch.difference
    yield "after", mismatch.prompt_tail
    yield "the turn", mismatch.text
    yield "meant", different.want
    yield "read", different.got
    if mismatch.rebuilt is not None:
        yield "the spec would write", mismatch.rebuilt
    yield "look at", f"{different.field or 'the parser'}, {'what was inferred' if mismatch.fault == 'spec' else 'how it is read'}"


# --- for programs ------------------------------------------------------------------------------------------------------


def _report(report: Report, source: str) -> ReportText:
    items = [
        Item(
            level=Level.ERROR,
            rule=mismatch.difference.what,
            file=source,
            place=mismatch.difference.field or "parser",
            message=f"{mismatch.kind}, {mismatch.mode}: {mismatch.difference.what} differs",
            details=tuple(_details(mismatch)),
        )
        for mismatch in report.mismatches
    ]
    return ReportText(title=f"untemplate verify {source}", verdict=f"{report.read_back} of {report.turns} turns read back", items=items)
