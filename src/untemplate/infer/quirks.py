"""Quirks: facts about a model that its template does not show, as data.

A quirk is a YAML file with an id, a reason, a predicate on the spec or on the template's rendering (``when``) and the fields that it
changes (``set``, in the form of a spec file, laid over the inferred one). Users may bring their own (``--overlay``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from untemplate.errors import SpecError
from untemplate.spec.files import spec_from_data, spec_to_data
from untemplate.spec.model import AppliedQuirk, Spec

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quirk:
    id: str
    reason: str
    when: Mapping[str, Any]
    """``prompt_contains`` / ``prompt_lacks`` / ``source_contains``: texts; ``spec``: field path to the value that it must have."""
    set: Mapping[str, Any]
    """Field path to the value that is put there; a last step of ``+`` (``++`` for a second one …) adds to a list."""


@lru_cache(maxsize=1)
def shipped_quirks() -> tuple[Quirk, ...]:
    """Return the quirks that come with the package, by file name."""
    folder = files("untemplate.infer") / "quirks"
    named = sorted((item for item in folder.iterdir() if item.name.endswith(".yaml")), key=lambda item: item.name)
    return tuple(_quirk(yaml.load(item.read_text("utf-8"), Loader=_LOADER), item.name) for item in named)


def load_overlay(path: str | Path) -> tuple[Quirk, ...]:
    """Return the quirks of a user's file: one mapping, or a list of them.

    Raises:
        SpecError: E510 when the file cannot be read or is not such a mapping.
    """
    try:
        data = yaml.load(Path(path).read_text("utf-8"), Loader=_LOADER)
    except (OSError, ValueError, yaml.YAMLError) as problem:
        raise SpecError(f"this overlay cannot be read: {problem}", code="E510", where=str(path)) from problem
    return tuple(_quirk(item, str(path)) for item in (data if isinstance(data, list) else [data]))


def _quirk(data: Any, where: str) -> Quirk:
    if not isinstance(data, dict) or not {"id", "reason", "set"} <= data.keys() <= {"id", "reason", "when", "set"}:
        raise SpecError(
            "a quirk has the members id, reason, when (optional) and set",
            code="E510",
            where=where,
            hint="See docs/quirks.md for the format.",
        )
    return Quirk(id=str(data["id"]), reason=str(data["reason"]), when=data.get("when") or {}, set=data["set"])


def apply_quirks(spec: Spec, quirks: Sequence[Quirk], prompt: str, source: str) -> Spec:
    """Return the spec with every quirk laid over it whose predicate holds, each listed.

    Args:
        prompt: a conversation with tools as the template renders it.

    Raises:
        SpecError: when a quirk names a field that does not exist or gives it a wrong type.
    """
    data = spec_to_data(spec, complete=True)
    for quirk in quirks:
        if not _holds(quirk.when, data, prompt, source):
            continue
        for path, value in quirk.set.items():
            _put(data, path, value)
        spec = spec_from_data(data)
        spec = replace(spec, quirks=(*spec.quirks, AppliedQuirk(id=quirk.id, reason=quirk.reason)))
        data = spec_to_data(spec, complete=True)
    return spec


def _holds(when: Mapping[str, Any], data: Any, prompt: str, source: str) -> bool:
    for kind, wanted in when.items():
        match kind:
            case "prompt_contains":
                good = all(text in prompt for text in _listed(wanted))
            case "prompt_lacks":
                good = not any(text in prompt for text in _listed(wanted))
            case "source_contains":
                good = all(text in source for text in _listed(wanted))
            case "spec":
                good = all(_get(data, path) == value for path, value in wanted.items())
            case _:
                raise SpecError(
                    f"a quirk's predicate has no {kind!r}", code="E510", hint="Known: prompt_contains, prompt_lacks, source_contains, spec."
                )
        if not good:
            return False
    return True


def _listed(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _steps(path: str) -> list[str | int]:
    return [int(step) if step.isdigit() else step for step in path.split(".")]


def _get(data: Any, path: str) -> Any:
    for step in _steps(path):
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _put(data: Any, path: str, value: Any) -> None:
    *lead, last = _steps(path)
    for step in lead:
        if isinstance(data, dict) and data.get(step) is None and isinstance(step, str):
            data[step] = {}
        data = data[step]
    if isinstance(data, list) and str(last).strip("+") == "":
        if value not in data:
            data.append(value)
    else:
        data[last] = value
