"""Findings in the formats that other programs read: Markdown, SARIF, JUnit XML, GitHub's annotations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from untemplate.cli.visible import visible

FORMATS = ("markdown", "sarif", "junit", "github")


MOST_MARKDOWN = 900_000
"""Bytes of findings; a job's summary on GitHub is refused past 1 MiB."""


_ON_ONE_LINE = 80


class Level(StrEnum):
    """How bad an item is."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One finding."""

    level: Level
    rule: str
    """A stable word for what is wrong."""
    file: str
    """Of which source or spec."""
    place: str
    """Where in it: a path of the spec."""
    message: str
    details: tuple[tuple[str, str], ...] = ()
    """More to show: a name and a text for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportText:
    """A report before it is given a format."""

    title: str
    verdict: str
    items: Sequence[Item]


def to_format(report: ReportText, form: str) -> str:
    """Return a report in one of ``FORMATS``."""
    clean = replace(report, items=[_cleaned(item) for item in report.items])
    return {"markdown": _to_markdown, "sarif": _to_sarif, "junit": _to_junit, "github": _to_github}[form](clean)


def _cleaned(item: Item) -> Item:
    """Return an item without characters that steer a terminal, or that XML cannot hold."""
    details = tuple((name, visible(text, keep_lines=True)) for name, text in item.details)
    return replace(
        item, file=visible(item.file), place=visible(item.place), message=visible(item.message, keep_lines=True), details=details
    )


def _to_markdown(report: ReportText) -> str:
    parts = [f"## {report.title}\n\n**{report.verdict}**\n"]
    room = MOST_MARKDOWN
    for number, item in enumerate(report.items):
        part = _markdown_item(item)
        room -= len(part.encode())
        if room < 0:
            parts.append(f"… and {len(report.items) - number} more.\n")
            break
        parts.append(part)
    return "\n".join(parts)


def _markdown_item(item: Item) -> str:
    lines = [f"### {item.level.value}: `{item.place}` ({item.rule})", "", item.message, ""]
    for name, text in item.details:
        plain = text and len(text) <= _ON_ONE_LINE and not {"\n", "`"} & set(text) and text == text.strip()
        lines += [f"{name}: `{text}`", ""] if plain else [f"{name}:", "", *_fenced(text), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _fenced(text: str) -> list[str]:
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence, text, fence]


def _to_sarif(report: ReportText) -> str:
    rules = sorted({item.rule for item in report.items})
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "untemplate", "rules": [{"id": rule} for rule in rules]}},
        "results": [_sarif_result(item) for item in report.items],
    }
    sarif = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(sarif, ensure_ascii=False, indent=2) + "\n"


def _sarif_result(item: Item) -> dict[str, Any]:
    location = {
        "physicalLocation": {"artifactLocation": {"uri": item.file.replace("\\", "/")}},
        "logicalLocations": [{"fullyQualifiedName": item.place}],
    }
    text = "\n".join([item.message, *(f"{name}: {shown}" for name, shown in item.details)])
    return {"ruleId": item.rule, "level": item.level.value, "message": {"text": text}, "locations": [location]}


def _to_junit(report: ReportText) -> str:
    from xml.sax.saxutils import quoteattr  # it imports half of urllib

    failures = sum(item.level is Level.ERROR for item in report.items)
    cases = [_junit_case(item) for item in report.items] or [f'  <testcase classname={quoteattr(report.title)} name="no findings"/>']
    head = f'<testsuite name={quoteattr(report.title)} tests="{len(cases)}" failures="{failures}" errors="0">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"]) + "\n"


def _junit_case(item: Item) -> str:
    from xml.sax.saxutils import escape, quoteattr

    body = escape("\n".join([item.message, *(f"{name}: {text}" for name, text in item.details)]))
    element = "failure" if item.level is Level.ERROR else "system-out"
    told = f" message={quoteattr(item.message)}" if element == "failure" else ""
    head = f"<testcase classname={quoteattr(item.file)} name={quoteattr(f'{item.place}: {item.rule}')}>"
    return f"  {head}<{element}{told}>{body}</{element}></testcase>"


def _to_github(report: ReportText) -> str:
    lines = [_github_line(item) for item in report.items]
    return "".join(f"{line}\n" for line in lines) or f"::notice title=untemplate::{_command(report.title)}: {_command(report.verdict)}\n"


def _github_line(item: Item) -> str:
    command = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}[item.level]
    text = "\n".join([item.message, *(f"{name}: {shown}" for name, shown in item.details)])
    return f"::{command} file={_property(item.file)},title={_property(f'{item.rule} {item.place}')}::{_command(text)}"


def _command(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _command(text).replace(":", "%3A").replace(",", "%2C")
