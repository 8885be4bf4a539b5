"""Goldens on disk: what differs from what was made, and writing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from untemplate.golden.jobs import DELTAS, EVIDENCE, GRAMMAR
from untemplate.spec.files import write_texts

ERROR = "error.yaml"
"""Stands alone in the golden of a source that does not compile."""
_TELLING = {file: place for place, file in enumerate((ERROR, "spec.yaml", GRAMMAR, EVIDENCE, DELTAS))}
"""Files in the order in which a reader wants to see what changed of them."""
ARTIFACTS = frozenset(_TELLING)


class State(StrEnum):
    """How a golden's file compares with what was made."""

    CHANGED = "changed"
    MISSING = "missing"
    """Made, and not on disk."""
    EXTRA = "extra"
    """On disk, and not made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One file of a golden that is not as it was made."""

    name: str
    """Of the golden."""
    file: str
    state: State
    old: str = ""
    new: str = ""


def compare_golden(folder: Path, name: str, texts: Mapping[str, str]) -> tuple[Difference, ...]:
    """Return the files of the golden ``name`` that differ from ``texts``, byte for byte, the most telling first."""
    place = folder / name
    present = {path.name for path in place.iterdir() if path.name in ARTIFACTS} if place.is_dir() else set()
    differences = []
    for file in sorted(present | texts.keys(), key=lambda file: (_TELLING.get(file, len(_TELLING)), file)):
        old = (place / file).read_bytes() if file in present else None
        new = texts[file].encode("utf-8") if file in texts else None
        if old != new:
            state = State.MISSING if old is None else State.EXTRA if new is None else State.CHANGED
            old_text = (old or b"").decode("utf-8", "backslashreplace")
            differences.append(Difference(name=name, file=file, state=state, old=old_text, new=texts.get(file, "")))
    return tuple(differences)


def find_orphans(folder: Path, names: set[str]) -> tuple[str, ...]:
    """Return the goldens in a folder that no source stands for."""
    if not folder.is_dir():
        return ()
    return tuple(sorted(path.name for path in folder.iterdir() if path.is_dir() and path.name not in names and _is_golden(path)))


def _is_golden(path: Path) -> bool:
    return any((path / file).exists() for file in ARTIFACTS)


def update_golden(folder: Path, differences: tuple[Difference, ...]) -> None:
    """Bring the files that differ to what was made; no other file is touched.

    Raises:
        SpecError: E500 when one cannot be written; then none is.
    """
    write_texts({folder / each.name / each.file: each.new for each in differences if each.state is not State.EXTRA})
    for each in differences:
        if each.state is State.EXTRA:
            (folder / each.name / each.file).unlink()


def remove_golden(folder: Path, name: str) -> None:
    """Remove the files of a golden, and its folder unless something else lies there."""
    place = folder / name
    for path in sorted(place.iterdir()):
        if path.name in ARTIFACTS:
            path.unlink()
    if not any(place.iterdir()):
        place.rmdir()
