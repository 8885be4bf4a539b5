"""The manifest: which sources have goldens, with what options."""

from __future__ import annotations

import glob
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from untemplate.errors import SpecError
from untemplate.golden.packages import expand_package
from untemplate.source.hub import is_hub
from untemplate.spec.codec import decode
from untemplate.spec.files import join_place, read_text
from untemplate.spec.yaml_text import find_line, load_yaml

DEFAULT_MANIFEST = "golden.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestEntry:
    """One source, or all those that a pattern finds."""

    source: str
    """A path or glob beside the manifest, ``pip:PACKAGE:PATH`` for files of an installed package, or ``hf:REPO@REVISION``."""
    name: str | None = None
    """Of the golden's folder; the source's own if not given. Not for a pattern that finds several."""
    template: str | None = None
    """Which of several templates in the source."""
    vocabulary: str | None = None
    overlays: tuple[str, ...] = ()
    """Files of quirks, beside the manifest."""
    tools: str | None = None
    """File of the tools for the grammar, beside the manifest."""
    warnings: tuple[str, ...] | None = None
    """Codes of the warnings that are expected; any other fails the check. ``None``: no opinion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What is compiled and where the goldens lie."""

    folder: str = "golden"
    """Of the goldens, beside the manifest."""
    sources: tuple[ManifestEntry, ...]


def load_manifest(path: Path) -> Manifest:
    """Return the manifest in a YAML file.

    Raises:
        SpecError: with the line, when it is none.
    """
    text = ""
    try:
        text = read_text(path)
        return decode(load_yaml(text, str(path)), Manifest)
    except SpecError as error:
        line = find_line(text, error.where or "") if error.code not in ("E500", "E501") else None
        where = join_place(f"{path}:{line}", error.where) if line else error.where or str(path)
        hint = "a manifest is `sources:` with a list of `- source: PATH`"
        raise SpecError(error.message, code=error.code, where=where, hint=hint) from error


def expand_entries(manifest: Manifest, base: Path) -> tuple[ManifestEntry, ...]:
    """Return one entry for each source that the manifest's patterns find under ``base``, in order; paths are made whole.

    Raises:
        SpecError: E520 for a pattern that finds nothing, E521 for one name on several sources.
    """
    return tuple(entry for each in manifest.sources for entry in _expand(each, base))


def _expand(entry: ManifestEntry, base: Path) -> Iterator[ManifestEntry]:
    found = [str(path) for path in _find(entry.source, base)] if not is_hub(entry.source) else [entry.source]
    if not found:
        raise SpecError(f"`{entry.source}` finds nothing", code="E520", where=str(base), hint="paths are relative to the manifest")
    if entry.name is not None and len(found) > 1:
        raise SpecError(
            f"`{entry.source}` finds {len(found)} sources, which cannot all be called `{entry.name}`", code="E521", where=str(base)
        )
    vocabulary = entry.vocabulary if is_hub(entry.vocabulary or "") else str(base / entry.vocabulary) if entry.vocabulary else None
    tools = str(base / entry.tools) if entry.tools else None
    overlays = tuple(str(base / each) for each in entry.overlays)
    yield from (replace(entry, source=each, vocabulary=vocabulary, tools=tools, overlays=overlays) for each in found)


def _find(pattern: str, base: Path) -> list[Path]:
    return expand_package(pattern) if pattern.startswith("pip:") else _expand_path(pattern, base)


def _expand_path(pattern: str, base: Path) -> list[Path]:
    if not glob.has_magic(pattern):
        return [base / pattern] if (base / pattern).exists() else []
    return [base / each for each in sorted(glob.glob(pattern, root_dir=base, recursive=True))]
