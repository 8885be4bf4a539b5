"""Results that were compiled before: one small file for each key, in a folder for each version of untemplate.

A file is written whole or not at all and carries a hash of what it holds; one that is broken is as good as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from untemplate.golden.batch import Failure
from untemplate.golden.jobs import Compilation
from untemplate.golden.keys import version_stamp

_HEAD = b"untemplate result 1 "
_VERSION_FOLDER = re.compile(r"[0-9a-f]{16}")
_TAG = "CACHEDIR.TAG"
"""The file that tells backup programs what a folder is. Source: bford.info/cachedir."""
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# Results of untemplate; may be deleted at any time.\n"
KEPT_VERSIONS = 3
"""Folders of other versions beyond these are removed, those first that were not written for the longest time."""
_PASSING = frozenset(("E204", "E205", "E206", "E207"))
"""Failures that another machine, or the same one on another day, may not have: limits of time, memory and depth."""


@dataclass(slots=True)
class Cache:
    """A folder of results."""

    folder: Path
    trouble: str | None = None
    """Why results are not kept, once that was found out."""
    _ready: bool = field(default=False, repr=False)

    def find(self, key: str) -> Compilation | Failure | None:
        """Return the result kept under a key, with ``source`` and ``where`` left empty; ``None`` when there is none that is whole."""
        try:
            data = self._path(key).read_bytes()
        except OSError:
            return None
        head, _, body = data.partition(b"\n")
        if head != _HEAD + _hash(body):
            return None
        try:
            return _decode(json.loads(body))
        except (ValueError, TypeError, KeyError):
            return None

    def keep(self, key: str, result: Compilation | Failure) -> None:
        """Keep a result, unless it is a failure that need not happen again. A folder that cannot be written is no error."""
        if self.trouble is not None or (isinstance(result, Failure) and not _is_lasting(result)):
            return
        body = json.dumps(_encode(result), ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            self._prepare()
            _replace(self._path(key), _HEAD + _hash(body) + b"\n" + body)
        except OSError as error:
            self.trouble = f"{self.folder}: {error.strerror or error}"

    def _path(self, key: str) -> Path:
        return self.folder / version_stamp()[:16] / f"{key}.json"

    def _prepare(self) -> None:
        """Make the folder of this version, and room for it."""
        if self._ready:
            return
        mine = self._path("").parent
        mine.mkdir(parents=True, exist_ok=True)
        os.utime(mine)
        if not (self.folder / _TAG).exists():
            _replace(self.folder / _TAG, _SIGNATURE.encode())
        others = [path for path in self.folder.iterdir() if path != mine and _VERSION_FOLDER.fullmatch(path.name) and path.is_dir()]
        for old in sorted(others, key=_age)[KEPT_VERSIONS:]:
            shutil.rmtree(old, ignore_errors=True)
        self._ready = True


def default_folder() -> Path | None:
    """Return where results are kept unless told otherwise: ``UNTEMPLATE_CACHE`` or the user's cache folder.

    ``None`` where ``UNTEMPLATE_CACHE`` is ``off``.
    """
    told = os.environ.get("UNTEMPLATE_CACHE", "")
    if told.lower() in ("off", "no", "0"):
        return None
    if told:
        return Path(told)
    home = os.environ.get("XDG_CACHE_HOME", "")
    # A relative path there is to be ignored. Source: XDG Base Directory Specification.
    base = Path(home) if Path(home).is_absolute() else Path("~/.cache")
    with contextlib.suppress(RuntimeError):
        return base.expanduser() / "untemplate"
    return None


def _is_lasting(failure: Failure) -> bool:
    return failure.code[:2] in ("E2", "E3") and failure.code not in _PASSING


def _encode(result: Compilation | Failure) -> dict[str, Any]:
    if isinstance(result, Failure):
        return {"failure": {"code": result.code, "message": result.message, "where": result.where, "hint": result.hint}}
    return {
        "name": result.name,
        "main": result.main,
        "files": dict(result.files),
        "notes": result.notes,
        "warnings": result.warnings,
        "blocks": result.blocks,
        "calls": result.calls,
        "turns": result.turns,
        "read_back": result.read_back,
    }


def _decode(data: dict[str, Any]) -> Compilation | Failure:
    if "failure" in data:
        return Failure(**data["failure"])
    data |= {name: tuple(data[name]) for name in ("notes", "warnings")}
    return Compilation(source="", **data)


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).hexdigest().encode()


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0


def _replace(target: Path, data: bytes) -> None:
    handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(scratch).replace(target)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
