"""A manifest held against its goldens."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

from untemplate.errors import RequestError
from untemplate.golden.batch import Failure, Outcome, run_batch
from untemplate.golden.compilation import Compilation, CompileJob, Extent, compile_one, safe_name
from untemplate.golden.folder import ERROR, Difference, compare_golden, find_orphans
from untemplate.golden.manifest import ManifestEntry, expand_entries, load_manifest
from untemplate.golden.tools import load_tools
from untemplate.spec.yaml_text import dump_yaml

Watch = Callable[[Iterator[Outcome[Compilation]], int], Iterator[Outcome[Compilation]]]
"""Passes outcomes on while it shows that they come; gets their number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenReport:
    """How a manifest's goldens compare with what its sources compile to now."""

    folder: Path
    names: tuple[str, ...]
    """Of all goldens that there should be, in the manifest's order."""
    differences: tuple[Difference, ...] = ()
    orphans: tuple[str, ...] = ()
    """Goldens without a source."""
    unexpected: tuple[tuple[str, str], ...] = ()
    """Names with a warning that the manifest does not expect."""

    @property
    def fine(self) -> bool:
        """Whether everything is as it should be."""
        return not (self.differences or self.orphans or self.unexpected)


def check_goldens(path: Path, *, workers: int = 1, executor: Executor | None = None, watch: Watch | None = None) -> GoldenReport:
    """Return how the goldens of a manifest compare with what its sources compile to.

    Raises:
        SpecError: when the manifest is none, or one name stands for two sources.
    """
    manifest = load_manifest(path)
    entries = expand_entries(manifest, path.parent)
    outcomes = run_batch(compile_one, [_job(entry) for entry in entries], workers=workers, executor=executor)
    if watch is not None:
        outcomes = watch(outcomes, len(entries))
    made = sorted(outcomes, key=lambda outcome: outcome.index)
    names = _names(entries, made)
    folder = path.parent / manifest.folder
    differences = [each for name, outcome in zip(names, made, strict=True) for each in compare_golden(folder, name, _texts(outcome))]
    return GoldenReport(
        folder=folder,
        names=tuple(names),
        differences=tuple(differences),
        orphans=find_orphans(folder, set(names)),
        unexpected=tuple(_unexpected(entries, names, made)),
    )


def refuse_in_ci() -> None:
    """Refuse to write goldens where nobody reads the diff.

    Raises:
        RequestError: E605 when the environment says that this is CI.
    """
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        raise RequestError("goldens are not updated in CI", code="E605", hint="run it where you can read the diff, and commit that")


def _job(entry: ManifestEntry) -> CompileJob:
    tools = load_tools(entry.tools) if entry.tools else None
    return CompileJob(
        source=entry.source,
        name=entry.name,
        template=entry.template,
        vocabulary=entry.vocabulary,
        overlays=entry.overlays,
        tools=tools,
        extent=Extent.GOLDEN,
    )


def _names(entries: Sequence[ManifestEntry], made: Sequence[Outcome[Compilation]]) -> list[str]:
    names: list[str] = []
    for entry, outcome in zip(entries, made, strict=True):
        name = outcome.result.name if outcome.result else safe_name(entry.name or Path(entry.source).stem)
        if name in names:
            other = entries[names.index(name)].source
            message = f"`{entry.source}` and `{other}` are both called `{name}`"
            raise RequestError(message, code="E521", hint="give one of them a `name:` in the manifest")
        names.append(name)
    return names


def _texts(outcome: Outcome[Compilation]) -> dict[str, str]:
    if outcome.result is not None:
        return dict(outcome.result.files)
    assert outcome.failure is not None
    return {ERROR: _error_text(outcome.failure)}


def _error_text(failure: Failure) -> str:
    """Return a failure without its place, which is another on each machine."""
    return dump_yaml({"code": failure.code, "message": failure.message, "hint": failure.hint})


def _unexpected(entries: Sequence[ManifestEntry], names: Sequence[str], made: Sequence[Outcome[Compilation]]) -> Iterator[tuple[str, str]]:
    for entry, name, outcome in zip(entries, names, made, strict=True):
        if entry.warnings is not None and outcome.result is not None:
            yield from ((name, warning) for warning in outcome.result.warnings if warning.split(" ")[0] not in entry.warnings)
