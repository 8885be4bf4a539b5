"""``untemplate diff``: what changed for a parser between two templates or specs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from untemplate.cli.inputs import looks_like_spec, read_spec
from untemplate.cli.reporting import with_formats, write_report
from untemplate.cli.reports import Item, Level, ReportText
from untemplate.cli.sources import SourceOptions, compile_at
from untemplate.cli.visible import visible
from untemplate.cli.voice import Voice, print_all, with_voice, write_result
from untemplate.drift.model import Drift, Finding, Origin, Severity

if TYPE_CHECKING:
    from rich.console import RenderableType

    from untemplate.drift.diff import Side

_COLORS = {Severity.BREAKING: "red", Severity.COMPATIBLE: "yellow", Severity.COSMETIC: "cyan"}
_LEVELS = {Severity.BREAKING: Level.ERROR, Severity.COMPATIBLE: Level.WARNING, Severity.COSMETIC: Level.NOTE}
_FROM = {Origin.RENDERED: "as its template renders it", Origin.COMPOSED: "as its spec lays it out"}
_FAILS = {"breaking": Severity.BREAKING, "compatible": Severity.COMPATIBLE, "any": Severity.COSMETIC}


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--fail-on", type=click.Choice(list(_FAILS)), default="any", show_default=True, help="The least difference that exits with 1."
)
@with_formats("text", "json")
@with_voice
def diff(old: str, new: str, fail_on: str, form: str, summary: str | None, voice: Voice) -> int:
    """Tell what changed for a parser between OLD and NEW, each a template, model folder, GGUF file or spec.

    The verdict is proved: turns that the new template writes are read by the old parser, and the reverse. Breaking: the old one
    misreads some. Compatible: it reads all of them. Cosmetic: only the prompt changed.
    """
    if old == new == "-":
        raise click.UsageError("standard input cannot be both")
    from untemplate.drift.diff import diff as find_drift

    drift = find_drift(_side(old), _side(new))
    if form == "text":
        print_all(list(_shown(drift, old, new)))
    elif form == "json":
        from untemplate.spec.files import data_to_json

        write_result(data_to_json(drift_to_data(drift)))
    write_report(lambda: _report(drift, old, new), form, summary)
    worst = drift.verdict
    return 1 if worst is not None and worst.rank >= _FAILS[fail_on].rank else 0


def _side(path: str) -> Side:
    from untemplate.drift.sides import side_of_spec, side_of_template

    if looks_like_spec(path):
        return side_of_spec(read_spec(path))
    source, compiled = compile_at(path, SourceOptions(), verify=False)
    return side_of_template(source, compiled.spec, compiled.found, compiled.evidence)


def drift_to_data(drift: Drift) -> dict[str, Any]:
    """Return a drift as the data that ``--format json`` writes."""
    from untemplate.spec.codec import encode

    findings = [encode(finding) for finding in drift.findings]
    return {"verdict": drift.verdict or "same", "old": drift.old, "new": drift.new, "findings": findings}


# --- for people --------------------------------------------------------------------------------------------------------


def _shown(drift: Drift, old: str, new: str) -> Iterator[RenderableType]:
    from rich.text import Text

    for finding in drift.findings:
        yield from _shown_finding(finding)
    if drift.verdict is None:
        yield Text("same: a parser, a grammar and the prompts are unchanged", style="green")
        return
    counts = {severity: sum(finding.severity is severity for finding in drift.findings) for severity in reversed(Severity)}
    said = ", ".join(f"{count} {severity.value}" for severity, count in counts.items() if count)
    yield Text(f"{drift.verdict.value}: {said}", style=f"bold {_COLORS[drift.verdict]}")


def _shown_finding(finding: Finding) -> Iterator[RenderableType]:
    from rich.padding import Padding
    from rich.text import Text

    color = _COLORS[finding.severity]
    yield Text.assemble((finding.severity.value, f"bold {color}"), "  ", (finding.path, "bold"), (f"  {finding.kind}", "dim"))
    yield Padding(Text(finding.explanation), (0, 0, 0, 2), expand=False)
    if finding.old is not None or finding.new is not None:
        yield Padding(_side_by_side(finding), (0, 0, 0, 2))
    for name, text in _proof_lines(finding):
        yield Padding(Text.assemble((f"{name}: ", "dim"), text), (0, 0, 0, 2), expand=False)
    yield Text("")


def _side_by_side(finding: Finding) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("old", ratio=1, overflow="fold")
    table.add_column("new", ratio=1, overflow="fold")
    old, new = _values(finding)
    table.add_row(Text(old, style="red"), Text(new, style="green"))
    return table


def _values(finding: Finding) -> tuple[str, str]:
    """Return both values as YAML; of two mappings only the keys that differ."""
    old, new = finding.old, finding.new
    if isinstance(old, dict) and isinstance(new, dict):
        old, new = (
            {key: value for key, value in one.items() if key not in other or other[key] != value} or None
            for one, other in ((old, new), (new, old))
        )
    return _value(old), _value(new)


def _value(value: Any) -> str:
    """Return a value as YAML, or a dash for none."""
    from untemplate.spec.yaml_text import dump_yaml

    if value is None:
        return "-"
    if isinstance(value, str):
        return visible(value)
    text = dump_yaml(value) if isinstance(value, dict) else dump_yaml({"is": value}).removeprefix("is:")
    return textwrap.dedent(text.strip("\n")).strip()


def _proof_lines(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.proof is not None:
        yield f"a new turn, {_FROM[finding.proof.origin]}", visible(finding.proof.turn)
        yield "is meant as", visible(finding.proof.expected)
        yield "the old gets", "nothing: its grammar forbids the turn" if finding.proof.got is None else visible(finding.proof.got)
    for probe in finding.evidence:
        yield "seen in probe", visible(probe)


def _value_lines(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.old is not None or finding.new is not None:
        yield from zip(("old", "new"), _values(finding), strict=True)


# --- for programs ------------------------------------------------------------------------------------------------------


def _report(drift: Drift, old: str, new: str) -> ReportText:
    items = [
        Item(
            level=_LEVELS[finding.severity],
            rule=finding.kind,
            file=new,
            place=finding.path,
            message=f"{finding.severity.value}: {finding.explanation}",
            details=(*_value_lines(finding), *_proof_lines(finding)),
        )
        for finding in drift.findings
    ]
    return ReportText(title=f"untemplate diff {old} {new}", verdict=(drift.verdict or "same"), items=items)
