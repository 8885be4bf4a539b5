"""A comparison of goldens as findings, for the programs that show those."""

from __future__ import annotations

from collections.abc import Iterator

from untemplate.cli.golden import SHOWN_LINES, changed_lines
from untemplate.cli.reports import Item, Level, ReportText
from untemplate.golden.explain import find_drift
from untemplate.golden.folder import Difference, State
from untemplate.golden.run import GoldenReport

_SAID = {
    State.CHANGED: "is not what the source compiles to now",
    State.MISSING: "is not there; the source compiles to it now",
    State.EXTRA: "is there; the source does not compile to it now",
}


def golden_report(report: GoldenReport, manifest: str) -> ReportText:
    """Return every difference, orphan and unexpected warning as an item."""
    return ReportText(
        title=f"untemplate golden check {manifest}",
        verdict=f"{sum(each.fine for each in report.checked)} of {len(report.checked)} goldens are as they should be",
        items=tuple(_items(report, manifest)),
    )


def _items(report: GoldenReport, manifest: str) -> Iterator[Item]:
    for each in report.differences:
        yield Item(
            level=Level.ERROR,
            rule=f"golden-{each.state.value}",
            file=str(report.folder / each.name / each.file),
            place=each.name,
            message=f"{each.file} {_SAID[each.state]}",
            details=tuple(_details(each)),
        )
    for name, failure in report.troubles:
        message = f"not compared: {failure.code} {failure.message}"
        yield Item(level=Level.ERROR, rule="golden-trouble", file=manifest, place=name, message=message)
    for name in report.orphans:
        message = "no source of the manifest stands for this golden"
        yield Item(level=Level.ERROR, rule="golden-orphan", file=str(report.folder / name), place=name, message=message)
    for name, warning in report.unexpected:
        yield Item(level=Level.ERROR, rule="golden-warning", file=manifest, place=name, message=f"not expected: {warning}")


def _details(each: Difference) -> Iterator[tuple[str, str]]:
    drift = find_drift(each)
    for finding in drift.findings if drift is not None else ():
        yield finding.severity.value, f"{finding.path}: {finding.explanation}"
    lines = changed_lines(each)
    shown = SHOWN_LINES if each.file.startswith("spec.") else SHOWN_LINES // 4
    more = len(lines) - shown
    yield "diff", "\n".join(lines[:shown] + ([f"… {more} more lines"] if more > 0 else []))
