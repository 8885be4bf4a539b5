"""A manifest held against its goldens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untemplate.errors import RequestError
from untemplate.golden.batch import Failure, Outcome
from untemplate.golden.cache import Cache
from untemplate.golden.corpus import compile_corpus
from untemplate.golden.folder import ERROR, Difference, compare_golden, find_orphans
from untemplate.golden.jobs import Compilation, CompileJob, Extent, safe_name
from untemplate.golden.manifest import ManifestEntry, expand_entries, load_manifest
from untemplate.golden.tools import load_tools
from untemplate.source import name_source
from untemplate.spec.yaml_text import dump_yaml


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """How one source's golden compares with what the source compiles to now."""

    index: int
    """Of the source in the expanded manifest."""
    source: str
    name: str
    differences: tuple[Difference, ...] = ()
    unexpected: tuple[str, ...] = ()
    """Warnings that the manifest does not expect."""
    failure: Failure | None = None
    """Why the source does not compile; its golden is that error, unless ``trouble``."""
    trouble: bool = False
    """Whether the failure says nothing of the template (no network, a process that was killed): nothing was compared."""

    @property
    def fine(self) -> bool:
        """Whether nothing differs and nothing surprises."""
        return not (self.differences or self.unexpected or self.trouble)


Watch = Callable[[Iterator[Checked], int], Iterator[Checked]]
"""Passes on what was checked while it shows that it comes; gets the number of sources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenReport:
    """How a manifest's goldens compare with what its sources compile to now."""

    folder: Path
    checked: tuple[Checked, ...]
    """One for each source, in the manifest's order."""
    orphans: tuple[str, ...] = ()
    """Goldens without a source."""

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All files that differ."""
        return tuple(each for checked in self.checked for each in checked.differences)

    @property
    def unexpected(self) -> tuple[tuple[str, str], ...]:
        """Names with a warning that the manifest does not expect."""
        return tuple((checked.name, warning) for checked in self.checked for warning in checked.unexpected)

    @property
    def troubles(self) -> tuple[tuple[str, Failure], ...]:
        """Names of the goldens that could not be compared, and why."""
        return tuple((each.name, each.failure) for each in self.checked if each.trouble and each.failure is not None)

    @property
    def fine(self) -> bool:
        """Whether everything is as it should be."""
        return not self.orphans and all(checked.fine for checked in self.checked)


def check_goldens(
    path: Path,
    *,
    cache: Cache | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    watch: Watch | None = None,
) -> GoldenReport:
    """Return how the goldens of a manifest compare with what its sources compile to. Texts that are the same are not held.

    Raises:
        SpecError: when the manifest is none, or finds nothing.
        RequestError: E521 when one name stands for two sources.
    """
    manifest = load_manifest(path)
    entries = expand_entries(manifest, path.parent)
    folder = path.parent / manifest.folder
    tools = {each: load_tools(each) for each in {entry.tools: None for entry in entries} if each is not None}
    jobs = (_job(entry, tools) for entry in entries)
    outcomes = compile_corpus(jobs, cache=cache, workers=workers, executor=executor)
    found = (_check(folder, entries[outcome.index], outcome) for outcome in outcomes)
    checked = sorted(found if watch is None else watch(found, len(entries)), key=lambda each: each.index)
    return GoldenReport(folder=folder, checked=tuple(checked), orphans=find_orphans(folder, _distinct_names(checked)))


def refuse_in_ci() -> None:
    """Refuse to write goldens where nobody reads the diff.

    Raises:
        RequestError: E605 when the environment says that this is CI.
    """
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise RequestError("goldens are not updated in CI", code="E605", hint="run it where you can read the diff, and commit that")


def _job(entry: ManifestEntry, tools: Mapping[str, Sequence[dict[str, Any]]]) -> CompileJob:
    return CompileJob(
        source=entry.source,
        name=entry.name,
        template=entry.template,
        vocabulary=entry.vocabulary,
        overlays=entry.overlays,
        tools=tools[entry.tools] if entry.tools else None,
        extent=Extent.GOLDEN,
    )


def _check(folder: Path, entry: ManifestEntry, outcome: Outcome[Compilation]) -> Checked:
    name = outcome.result.name if outcome.result else safe_name(entry.name or name_source(entry.source))
    if outcome.failure is not None and not _is_of_the_template(outcome.failure):
        return Checked(index=outcome.index, source=entry.source, name=name, failure=outcome.failure, trouble=True)
    warnings = outcome.result.warnings if outcome.result else ()
    unexpected = () if entry.warnings is None else tuple(each for each in warnings if each.split(" ")[0] not in entry.warnings)
    return Checked(
        index=outcome.index,
        source=entry.source,
        name=name,
        differences=compare_golden(folder, name, _texts(outcome)),
        unexpected=unexpected,
        failure=outcome.failure,
    )


_ELSEWHERE = frozenset(("E100", "E101", "E120", "E121", "E122"))
"""Failures to get at a source: the same source may be fine on another machine, or tomorrow."""


def _is_of_the_template(failure: Failure) -> bool:
    """Return whether a failure is what the template compiles to, and not what happened to this run."""
    return failure.code[:2] in ("E1", "E2", "E3", "E4") and failure.code not in _ELSEWHERE


def _distinct_names(checked: Sequence[Checked]) -> set[str]:
    """Return the names of all goldens.

    Raises:
        RequestError: E521 when two sources share one.
    """
    first: dict[str, Checked] = {}
    for each in checked:
        other = first.setdefault(each.name, each)
        if other is not each:
            message = f"`{each.source}` and `{other.source}` are both called `{each.name}`"
            raise RequestError(message, code="E521", hint="give one of them a `name:` in the manifest")
    return set(first)


def _texts(outcome: Outcome[Compilation]) -> dict[str, str]:
    if outcome.result is not None:
        return dict(outcome.result.files)
    assert outcome.failure is not None
    return {ERROR: _error_text(outcome.failure)}


def _error_text(failure: Failure) -> str:
    """Return a failure without its place, which is another on each machine."""
    return dump_yaml({"code": failure.code, "message": failure.message, "hint": failure.hint})
