"""What a compiled result depends on, as one short text: the same key, the same result."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from untemplate.golden.jobs import CompileJob
from untemplate.source import TemplateSource
from untemplate.source.files import MAX_TEXT, read_bytes, unreadable

_RENDERERS = ("jinja2",)
"""Libraries whose code decides what a template renders."""


@lru_cache(maxsize=1)
def version_stamp() -> str:
    """Return a hash of the code that makes results: untemplate's own files, quirks included, the renderer's and Python's version."""
    digest = hashlib.sha256(repr(sys.version_info[:3]).encode())
    folders = [Path(__file__).parents[1]]
    for name in _RENDERERS:
        found = find_spec(name)
        folders += [Path(place) for place in (found and found.submodule_search_locations) or ()]
    for folder in folders:
        for path in _code_of(folder):
            digest.update(f"\n{path.relative_to(folder).as_posix()}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _code_of(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".yaml", ".json") and path.is_file():
            yield path


def key_of(job: CompileJob, source: TemplateSource) -> str:
    """Return the key of a job's result, given its loaded source.

    Raises:
        SourceError: E100 when an overlay or a file of the vocabulary is there and cannot be read.
    """
    told: dict[str, Any] = {
        "version": version_stamp(),
        "template": source.text,
        "chosen": source.chosen,
        "name": job.name if job.name is not None else source.name,
        "kind": source.kind.value,
        "special_tokens": sorted(source.special_tokens.items()),
        "adds_bos": source.adds_bos,
        "notes": source.notes,
        "vocabulary": [_file_stamp(path) for path in source.vocabulary_files if path.is_file()] if source.load_vocabulary else None,
        "overlays": [_hash(read_bytes(Path(path))) for path in job.overlays],
        "tools": job.tools,
        "form": job.form,
        "extent": job.extent.value,
    }
    return _hash(json.dumps(told).encode("utf-8", "surrogatepass"))


def _file_stamp(path: Path) -> list[str | int]:
    """Return what tells a file from another: its content, or for model weights its place, size and time of change."""
    try:
        known = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    if known.st_size > MAX_TEXT:
        return [str(path.resolve()), known.st_size, known.st_mtime_ns]
    return [path.name, _hash(read_bytes(path))]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
