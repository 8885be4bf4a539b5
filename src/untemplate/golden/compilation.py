"""One source compiled, as a function of data to data, so that any process can do it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from untemplate.compiler import compile_source
from untemplate.golden.artifacts import DELTAS, make_artifacts
from untemplate.golden.deltas import deltas_text
from untemplate.golden.example_tools import EXAMPLE_TOOLS
from untemplate.infer.quirks import load_overlay
from untemplate.source import load_source
from untemplate.spec.files import spec_to_json, spec_to_yaml
from untemplate.spec.model import Spec


class Extent(StrEnum):
    """How many of the files are made."""

    SPEC = "spec"
    """The spec alone."""
    WHOLE = "whole"
    """Spec, evidence and grammar."""
    GOLDEN = "golden"
    """Also the deltas of sample turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileJob:
    """One source and what is wanted of it."""

    source: str
    name: str | None = None
    template: str | None = None
    vocabulary: str | None = None
    overlays: tuple[str, ...] = ()
    """Files of quirks."""
    tools: Sequence[dict[str, Any]] | None = None
    """Of the grammar; ``None``: the examples."""
    form: str = "yaml"
    """``yaml`` or ``json``: how the spec is written."""
    extent: Extent = Extent.WHOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """What came of one source."""

    source: str
    name: str
    main: str
    """The name of the spec's file."""
    files: Mapping[str, str]
    """Texts by file name."""
    notes: tuple[str, ...]
    """What was decided while loading."""
    warnings: tuple[str, ...]
    blocks: str
    """Of the turn, in words."""
    calls: str
    """How calls are written, in a word."""
    turns: int
    read_back: int

    @property
    def verdict(self) -> str:
        """How much of what the template writes the parser reads."""
        return f"{self.read_back} of {self.turns} turns read back"


def compile_one(job: CompileJob) -> Compilation:
    """Return the spec, evidence and grammar of one source as texts.

    Raises:
        UntemplateError: whatever is wrong with the source.
    """
    source = load_source(job.source, template=job.template, vocabulary=job.vocabulary)
    overlays = [quirk for each in job.overlays for quirk in load_overlay(each)]
    compiled = compile_source(source if job.name is None else replace(source, name=job.name), overlays=overlays)
    spec = compiled.spec
    main = f"spec.{job.form}"
    to_text = spec_to_json if job.form == "json" else spec_to_yaml
    files = {main: to_text(spec)}
    if job.extent is not Extent.SPEC:
        files |= make_artifacts(compiled, job.tools or EXAMPLE_TOOLS)
    if job.extent is Extent.GOLDEN:
        files[DELTAS] = deltas_text(spec, EXAMPLE_TOOLS)
    checked = spec.verification
    return Compilation(
        source=job.source,
        name=safe_name(spec.template.name),
        main=main,
        files=files,
        notes=tuple(source.notes),
        warnings=tuple(f"{warning.code} {warning.message}" for warning in spec.warnings),
        blocks=" ".join(block.value for block in spec.turn.blocks),
        calls=call_style(spec),
        turns=checked.turns if checked else 0,
        read_back=checked.read_back if checked else 0,
    )


def safe_name(name: str) -> str:
    """Return a name that is one folder on any system."""
    return re.sub(r"[^\w.+-]+", "-", name).strip(".-") or "template"


def call_style(spec: Spec) -> str:
    """Return in a word how calls are written."""
    if spec.turn.calls is None:
        return "-"
    form = spec.turn.calls.forms[0]
    if form.json is not None:
        return "JSON array" if form.json.array else "JSON"
    return f"fields, {form.arguments.encoding.value}" if form.arguments else "fields"
