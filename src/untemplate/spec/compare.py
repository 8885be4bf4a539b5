"""What differs between two specs, place by place, without a judgement of what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from untemplate.spec.codec import join
from untemplate.spec.files import spec_to_data
from untemplate.spec.model import Spec


class ChangeKind(StrEnum):
    """What happened to the value at a path."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One place where two specs differ."""

    kind: ChangeKind
    path: str
    """As the codec writes it: ``turn.calls.forms[0].open.core``."""
    old: Any
    """Plain data; ``None`` where the value was added."""
    new: Any
    """Plain data; ``None`` where the value was removed."""


def compare_specs(old: Spec, new: Spec) -> tuple[Change, ...]:
    """Return every place where two specs differ, in the order of the paths; defaults count as written out."""
    return compare_data(spec_to_data(old, complete=True), spec_to_data(new, complete=True))


def compare_data(old: Any, new: Any) -> tuple[Change, ...]:
    """Return every place where two pieces of plain data differ, in the order of the paths."""
    from deepdiff import DeepDiff  # takes as long to import as all else here together

    tree = DeepDiff(old, new, view="tree", threshold_to_diff_deeper=0, verbose_level=2, ignore_type_in_groups=[(str, StrEnum)])
    changes = [_change(category, level) for category, levels in tree.items() for level in levels]
    return tuple(sorted(changes, key=lambda change: _sort_key(change.path)))


def _change(category: str, level: Any) -> Change:
    if category.endswith("_added"):
        return Change(kind=ChangeKind.ADDED, path=_path(level), old=None, new=level.t2)
    if category.endswith("_removed"):
        return Change(kind=ChangeKind.REMOVED, path=_path(level), old=level.t1, new=None)
    return Change(kind=ChangeKind.CHANGED, path=_path(level), old=level.t1, new=level.t2)


def _path(level: Any) -> str:
    path = ""
    for step in level.path(output_format="list"):
        path = f"{path}[{step}]" if isinstance(step, int) else join(path, step)
    return path


def _sort_key(path: str) -> list[tuple[int, str]]:
    """Return a key that puts ``[10]`` after ``[9]``."""
    return [(int(number or -1), name) for number, name in re.findall(r"\[(\d+)\]|([^.\[]+)", path)]
