"""What came of a source as plain data: a line of JSON for each, so that results can be read while others are still made."""

from __future__ import annotations

import json
from typing import Any

from untemplate.golden.batch import Failure, Outcome
from untemplate.golden.jobs import Compilation
from untemplate.golden.run import Checked


def to_line(record: dict[str, Any]) -> str:
    """Return a record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def compilation_record(source: str, outcome: Outcome[Compilation], *, folder: str | None = None) -> dict[str, Any]:
    """Return what came of a source: ``{source, error}``, or what was found in it.

    With ``folder``, where the files were written, it names them; without, it holds the spec, which must have been made as JSON.
    """
    result = outcome.result
    if result is None:
        return {"source": source, "error": failure_record(outcome.failure)}
    record: dict[str, Any] = {
        "source": source,
        "name": result.name,
        "blocks": result.blocks.split(),
        "calls": None if result.calls == "-" else result.calls,
        "turns": result.turns,
        "read_back": result.read_back,
        "warnings": list(result.warnings),
        "notes": list(result.notes),
    }
    if folder is not None:
        return {**record, "folder": folder, "files": list(result.files)}
    return {**record, "spec": json.loads(result.files[result.main])}


def checked_record(checked: Checked) -> dict[str, Any]:
    """Return how a golden compares: its ``state`` is one of those of ``_state``."""
    record: dict[str, Any] = {"name": checked.name, "source": checked.source, "state": _state(checked)}
    if checked.differences:
        record["differences"] = [{"file": each.file, "state": each.state.value} for each in checked.differences]
    if checked.unexpected:
        record["unexpected"] = list(checked.unexpected)
    if checked.failure is not None:
        record["error"] = failure_record(checked.failure)
    return record


def _state(checked: Checked) -> str:
    """Return ``same``, ``different``, ``unexpected`` (only the warnings are new) or ``trouble`` (nothing was compared)."""
    if checked.trouble:
        return "trouble"
    return "different" if checked.differences else "unexpected" if checked.unexpected else "same"


def failure_record(failure: Failure | None) -> dict[str, Any] | None:
    """Return a failure as data."""
    if failure is None:
        return None
    return {"code": failure.code, "message": failure.message, "where": failure.where, "hint": failure.hint}
