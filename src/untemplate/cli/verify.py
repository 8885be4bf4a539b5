"""``untemplate verify``: whether the parser reads what the template writes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.failures import TROUBLE, show_error
from untemplate.cli.inputs import looks_like_spec, read_spec
from untemplate.cli.reporting import with_formats, write_report
from untemplate.cli.reports import Item, Level, ReportText
from untemplate.cli.sources import SourceOptions, compile_at, with_source_options
from untemplate.cli.visible import shortened, visible
from untemplate.cli.voice import Voice, make_console, print_all, with_voice, write_result
from untemplate.errors import UntemplateError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from untemplate.verify.report import Mismatch, Report

SHOWN = 10
"""Mismatches that are shown to a person; ``--verbose`` shows all."""
LONGEST = 1200
"""Characters of a text that are shown to a person."""
AROUND = 24
"""Characters that are shown on either side of where two texts differ."""


@dataclass(frozen=True, slots=True)
class _Verified:
    """What came of one source: a report, or why there is none."""

    source: str
    report: Report | None = None
    error: UntemplateError | None = None


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE|SPEC...")
@with_source_options
@click.option("--budget", type=click.IntRange(min=1), default=300, show_default=True, help="Messages to try.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random messages: the same seed, the same report.")
@with_formats("text", "json")
@with_voice
def verify(sources: tuple[str, ...], chosen: SourceOptions, budget: int, seed: int, form: str, summary: str | None, voice: Voice) -> int:
    """Render many messages, read them back, and show the first turns that come back as something else.

    Of a SPEC alone, whose template is not at hand, the turns are laid out by the spec itself. Exits with 1 on a mismatch, with 2
    when a source does not compile; the others are verified all the same.
    """
    done = []
    for source in sources:
        done.append(_verified(source, chosen, seed, budget, voice))
        if form == "text":
            print_all(list(_shown(done[-1], verbose=voice.verbose)))
    if form == "json":
        from untemplate.spec.files import data_to_json

        told = [_record(each, seed, budget) for each in done]
        write_result(data_to_json(told[0] if len(told) == 1 else {"passed": all(each["passed"] for each in told), "reports": told}))
    write_report(lambda: _report(done, seed, budget), form, summary)
    if any(each.report is None for each in done):
        return TROUBLE
    return 0 if all(each.report and each.report.passed for each in done) else 1


def _verified(path: str, chosen: SourceOptions, seed: int, budget: int, voice: Voice) -> _Verified:
    from untemplate.verify.verify import verify_at_length, verify_composed

    try:
        with _progress(budget, voice) as step:
            if looks_like_spec(path):
                return _Verified(path, verify_composed(read_spec(path), seed=seed, budget=budget, progress=step))
            _source, compiled = compile_at(path, chosen, verify=False)
            return _Verified(path, verify_at_length(compiled.spec, compiled.found, seed=seed, budget=budget, progress=step))
    except UntemplateError as error:
        show_error(error)
        return _Verified(path, error=error)


@contextlib.contextmanager
def _progress(total: int, voice: Voice) -> Iterator[Callable[[int], None]]:
    """Give the function that moves a progress bar on standard error; there is none without a terminal."""
    from rich.progress import Progress

    console = make_console(stderr=True)
    with Progress(console=console, transient=True, disable=voice.quiet or not console.is_terminal) as progress:
        task = progress.add_task("verifying", total=total)
        yield lambda done: progress.update(task, completed=done)


# --- for people --------------------------------------------------------------------------------------------------------


def _shown(done: _Verified, *, verbose: bool) -> Iterator[RenderableType]:
    from rich.text import Text

    report = done.report
    if report is None:
        return
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
    from rich.padding import Padding
    from rich.text import Text

    different = mismatch.difference
    yield Text.assemble((f"{mismatch.kind}", "bold"), (f"  {mismatch.mode}", "dim"), (f"  {different.what} differs", "red"))
    for name, text in _details(mismatch):
        shown = visible(text)
        told = Text.assemble((f"{name}: ", "dim"), shown if longest is None else shortened(shown, longest))
        yield Padding(told, (0, 0, 0, 2), expand=False)
    yield Text("")


def _details(mismatch: Mismatch) -> Iterator[tuple[str, str]]:
    different = mismatch.difference
    yield "after", mismatch.prompt_tail
    yield "the turn", mismatch.text
    yield "meant", different.want
    yield "read", different.got
    parts = _marked(different.want, different.got)
    if parts is not None:
        yield "apart at", parts
    if mismatch.rebuilt is not None:
        yield "the spec would write", mismatch.rebuilt
    yield "look at", f"{different.field or 'the parser'}, {'what was inferred' if mismatch.fault == 'spec' else 'how it is read'}"


def _marked(want: str, got: str) -> str | None:
    """Return where two texts part: ``before[-meant-]{+read+}after``; ``None`` where both are short, or have nothing in common."""
    from untemplate.text.split import split

    parts = split(want, got)
    if len(want) + len(got) <= 2 * AROUND or not parts.prefix + parts.suffix:
        return None
    before, after = parts.prefix[-AROUND:], parts.suffix[:AROUND]
    left, right = (shortened(text, 3 * AROUND) for text in (parts.left, parts.right))
    more = ("…" if before != parts.prefix else "", "…" if after != parts.suffix else "")
    return more[0] + before + (f"[-{left}-]" if left else "") + (f"{{+{right}+}}" if right else "") + after + more[1]


# --- for programs ------------------------------------------------------------------------------------------------------


def _record(done: _Verified, seed: int, budget: int) -> dict[str, Any]:
    from untemplate.spec.codec import encode

    told: dict[str, Any] = {"source": done.source, "seed": seed, "budget": budget}
    if done.report is not None:
        return {"passed": done.report.passed, **told, "turns": done.report.turns, **encode(done.report)}
    error = done.error
    assert error is not None
    return {"passed": False, **told, "error": {"code": error.code, "message": error.message, "where": error.where, "hint": error.hint}}


def _report(done: Sequence[_Verified], seed: int, budget: int) -> ReportText:
    reports = [each.report for each in done if each.report is not None]
    verdict = f"{sum(each.read_back for each in reports)} of {sum(each.turns for each in reports)} turns read back"
    if len(done) > 1:
        verdict += f", {sum(each.passed for each in reports)} of {len(done)} templates without a mismatch"
    names = done[0].source if len(done) == 1 else f"of {len(done)} templates"
    items = tuple(item for each in done for item in _items(each))
    return ReportText(title=f"untemplate verify {names}", verdict=f"{verdict} (seed {seed}, budget {budget})", items=items)


def _items(done: _Verified) -> Iterator[Item]:
    if done.error is not None:
        message = f"{done.error.code} {done.error.message}"
        yield Item(level=Level.ERROR, rule="source", file=done.source, place=done.error.where or done.source, message=message)
    for mismatch in done.report.mismatches if done.report is not None else ():
        yield Item(
            level=Level.ERROR,
            rule=mismatch.difference.what,
            file=done.source,
            place=mismatch.difference.field or "parser",
            message=f"{mismatch.kind}, {mismatch.mode}: {mismatch.difference.what} differs",
            details=tuple(_details(mismatch)),
        )
