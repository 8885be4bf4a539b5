"""``untemplate golden``: what templates compile to, kept beside a manifest and compared byte for byte."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from untemplate.cli.caching import tell_trouble, with_cache
from untemplate.cli.failures import TROUBLE, show_failure
from untemplate.cli.reporting import with_formats, write_report
from untemplate.cli.visible import visible
from untemplate.cli.voice import Voice, with_voice, write_result
from untemplate.golden.manifest import DEFAULT_MANIFEST

if TYPE_CHECKING:
    from untemplate.cli.reports import ReportText
    from untemplate.golden.cache import Cache
    from untemplate.golden.folder import Difference
    from untemplate.golden.run import Checked, GoldenReport

SHOWN_LINES = 40
"""Of one file's differences; ``--verbose`` shows all."""


@click.group()
def golden() -> None:
    """Keep what templates compile to beside a manifest, and see what changes.

    A manifest is a YAML file: `sources:` with a list of `- source: PATH`, globs allowed.
    """


_MANIFEST = click.argument("manifest", default=DEFAULT_MANIFEST, type=click.Path(path_type=Path))
_JOBS = click.option("--jobs", type=click.IntRange(min=0), default=1, show_default=True, help="Processes to use; 0: one for each core.")


@golden.command()
@_MANIFEST
@_JOBS
@with_formats("text", "jsonl")
@with_cache
@with_voice
def check(manifest: Path, jobs: int, form: str, summary: str | None, cache: Cache | None, voice: Voice) -> int:
    """Compare the goldens of MANIFEST with what its sources compile to now.

    Writes nothing. Exits with 1 when they differ, with 2 when a source cannot be had.
    """
    report = _compile(manifest, jobs, cache, voice, lines=form == "jsonl")
    if form == "text":
        _show_report(report, voice)
    write_report(lambda: _report(report, manifest), form, summary)
    if report.fine:
        voice.say("1 golden is as it should be" if len(report.checked) == 1 else f"{len(report.checked)} goldens are as they should be")
        return 0
    voice.say(f"{sum(each.fine for each in report.checked)} of {len(report.checked)} goldens are as they should be")
    if report.troubles:
        return _tell_troubles(report)
    voice.say(f"`untemplate golden update {manifest}` writes what the sources compile to now; read the diff before you commit it")
    return 1


@golden.command()
@_MANIFEST
@_JOBS
@with_cache
@with_voice
def update(manifest: Path, jobs: int, cache: Cache | None, voice: Voice) -> int:
    """Write what the sources of MANIFEST compile to now. Touches only what changed, and refuses in CI."""
    from untemplate.golden.folder import remove_golden, update_golden
    from untemplate.golden.run import refuse_in_ci

    refuse_in_ci()
    report = _compile(manifest, jobs, cache, voice)
    update_golden(report.folder, report.differences)
    for each in report.differences:
        click.echo(f"{each.name}/{each.file}: {'removed' if each.state.value == 'extra' else 'written'}")
    for name in report.orphans:
        remove_golden(report.folder, name)
        click.echo(f"{name}: removed, no source stands for it")
    for name, warning in report.unexpected:
        voice.warn(f"{name}: not expected by the manifest: {warning}")
    count = len(report.checked)
    voice.say(f"{count} golden{'' if count == 1 else 's'}, {len({each.name for each in report.differences})} changed")
    return _tell_troubles(report) if report.troubles else 0


def _report(report: GoldenReport, manifest: Path) -> ReportText:
    from untemplate.cli.golden_report import golden_report

    return golden_report(report, str(manifest))


def _tell_troubles(report: GoldenReport) -> int:
    """Say on standard error which goldens were not looked at, and why; return the exit code."""
    for _, failure in report.troubles:
        show_failure(failure)
    return TROUBLE


def _compile(manifest: Path, jobs: int, cache: Cache | None, voice: Voice, *, lines: bool = False) -> GoldenReport:
    """Return how a manifest's goldens compare, a bar on standard error meanwhile; ``lines``: tell of each on standard output."""
    from untemplate.golden.batch import default_workers
    from untemplate.golden.run import check_goldens

    def watch(checked: Iterator[Checked], total: int) -> Iterator[Checked]:
        if not voice.quiet and sys.stderr.isatty():
            from untemplate.cli.progress import with_progress

            checked = with_progress(checked, total, "compiling")
        return _written(checked) if lines else checked

    report = check_goldens(manifest, cache=cache, workers=jobs or default_workers(), watch=watch)
    if lines:
        from untemplate.golden.records import to_line

        write_result("".join(to_line({"name": name, "state": "orphan"}) for name in report.orphans))
    tell_trouble(cache, voice)
    return report


def _written(checked: Iterator[Checked]) -> Iterator[Checked]:
    from untemplate.golden.batch import in_order
    from untemplate.golden.records import checked_record, to_line

    for each in in_order(checked):
        write_result(to_line(checked_record(each)))
        yield each


def _show_report(report: GoldenReport, voice: Voice) -> None:
    for each in report.differences:
        lines = changed_lines(each)
        whole = voice.verbose or (each.state.value == "changed" and each.file.startswith("spec."))
        changed = sum(line.startswith(("+", "-")) for line in lines)
        note = "" if whole or each.state.value != "changed" else f", {changed} lines; `--verbose` shows them"
        click.echo(f"{each.name}/{each.file}: {each.state.value}{note}")
        _show_meaning(each)
        if whole:
            _show_lines(lines, None if voice.verbose else SHOWN_LINES)
    for name, failure in report.troubles:
        click.echo(f"{name}: not compared: {visible(failure.message)}")
    for name in report.orphans:
        click.echo(f"{name}: no source of the manifest stands for this golden")
    for name, warning in report.unexpected:
        click.echo(f"{name}: a warning that the manifest does not expect: {visible(warning)}")


def _show_meaning(each: Difference) -> None:
    from untemplate.golden.explain import find_drift

    drift = find_drift(each)
    if drift is None:
        return
    for finding in drift.findings:
        click.echo(visible(f"  {finding.severity.value}: {finding.path}: {finding.explanation}"))
    if drift.verdict is None:
        click.echo("  the same for a parser")


def _show_lines(lines: Sequence[str], limit: int | None) -> None:
    for line in lines[:limit]:
        click.echo(f"  {visible(line)}")
    if limit is not None and len(lines) > limit:
        click.echo(f"  … {len(lines) - limit} more lines; `--verbose` shows them")


def changed_lines(each: Difference) -> list[str]:
    """Return a unified diff of a golden's file, without its head."""
    return list(difflib.unified_diff(each.old.splitlines(), each.new.splitlines(), "golden", "now", n=1, lineterm=""))[2:]
