"""The units in which two specs are compared: a whole marker or list of parts, not a character of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from untemplate.errors import SpecError
from untemplate.spec.compare import compare_data
from untemplate.spec.files import spec_from_data, spec_to_data
from untemplate.spec.model import Spec

_NOT_COMPARED = ("format", "template.name", "template.sha256", "template.source", "verification", "ambiguities", "warnings", "quirks")
"""What says nothing of how turns are written: provenance and remarks."""
_MARKER_FIELDS = frozenset(("core", "before", "after"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One place where two specs differ."""

    path: tuple[str | int, ...]
    old: Any
    new: Any

    @property
    def name(self) -> str:
        """The path as the spec's errors write it."""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).removeprefix(".")

    @property
    def steers_turns(self) -> bool:
        """Whether turns may be written or read otherwise for it."""
        return self.path[0] == "turn" or self.path[:2] in (("prompt", "end_of_turn"), ("prompt", "generation"))


def compare_units(old: Spec, new: Spec) -> tuple[Unit, ...]:
    """Return the units in which two specs differ, in the order of the spec."""
    before, after = (_compared(spec_to_data(spec, complete=True)) for spec in (old, new))
    paths = dict.fromkeys(_unit_path(change.path) for change in compare_data(before, after))
    units = [Unit(path=path, old=_value_at(before, path), new=_value_at(after, path)) for path in paths]
    return tuple(sorted(units, key=lambda unit: _place(before, unit.path)))


def with_unit(spec: Spec, unit: Unit) -> Spec | None:
    """Return ``spec`` with the new value of one unit; ``None`` where that alone makes no spec."""
    data: Any = spec_to_data(spec, complete=True)
    place = data
    try:
        for step in unit.path[:-1]:
            place = place[step]
        place[unit.path[-1]] = unit.new
        return spec_from_data(data)
    except (SpecError, TypeError, KeyError, IndexError):
        return None


def _compared(data: dict[str, Any]) -> dict[str, Any]:
    for name in _NOT_COMPARED:
        first, _, second = name.partition(".")
        if second:
            data[first] = {key: value for key, value in data[first].items() if key != second}
        else:
            data.pop(first)
    return data


def _unit_path(path: str) -> tuple[str | int, ...]:
    """Return where the unit of a changed value stands: the list or marker that it is part of; forms of calls count one by one."""
    steps: list[str | int] = []
    for number, name in re.findall(r"\[(\d+)\]|([^.\[]+)", path):
        if number:
            if not steps or steps[-1] != "forms":
                break
            steps.append(int(number))
        else:
            if steps and steps[-1] in ("roles", "ids", "special_tokens", "when", "extra", "values"):
                break
            steps.append(name)
    if steps and steps[-1] in _MARKER_FIELDS:
        steps.pop()
    return tuple(steps)


def _value_at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _place(data: Any, path: tuple[str | int, ...]) -> tuple[int, ...]:
    """Return where a path stands in the order of the data."""
    place = []
    for step in path:
        if isinstance(step, int):
            place.append(step)
            data = data[step] if isinstance(data, list) and step < len(data) else None
        else:
            place.append(list(data).index(step) if isinstance(data, dict) and step in data else 0)
            data = data.get(step) if isinstance(data, dict) else None
    return tuple(place)
