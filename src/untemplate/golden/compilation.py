"""One source compiled, as a function of data to data. Importing this imports the whole compiler; what finds a result kept does not."""

from __future__ import annotations

from dataclasses import replace

from untemplate.compiler import compile_source
from untemplate.golden.alike import Alike, reading_of
from untemplate.golden.artifacts import evidence_text, grammar_text
from untemplate.golden.deltas import deltas_text
from untemplate.golden.example_tools import EXAMPLE_TOOLS
from untemplate.golden.jobs import DELTAS, EVIDENCE, GRAMMAR, Compilation, CompileJob, Extent, safe_name
from untemplate.infer.quirks import load_overlay
from untemplate.source import TemplateSource
from untemplate.spec.files import spec_to_json, spec_to_yaml
from untemplate.spec.model import Spec

_ALIKE = Alike()


def compile_loaded(job: CompileJob, source: TemplateSource) -> Compilation:
    """Return the spec, evidence and grammar of a job's source as texts.

    Raises:
        UntemplateError: whatever is wrong with the template.
    """
    overlays = [quirk for each in job.overlays for quirk in load_overlay(each)]
    compiled = compile_source(source if job.name is None else replace(source, name=job.name), overlays=overlays)
    spec = compiled.spec
    main = f"spec.{job.form}"
    to_text = spec_to_json if job.form == "json" else spec_to_yaml
    files = {main: to_text(spec)}
    if job.extent is not Extent.SPEC:
        tools, reading = job.tools or EXAMPLE_TOOLS, reading_of(spec)
        files[EVIDENCE] = evidence_text(compiled.evidence)
        files[GRAMMAR] = _ALIKE.text(GRAMMAR, reading, tools, lambda: grammar_text(spec, tools))
        if job.extent is Extent.GOLDEN:
            files[DELTAS] = _ALIKE.text(DELTAS, reading, (), lambda: deltas_text(spec))
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


def call_style(spec: Spec) -> str:
    """Return in a word how calls are written."""
    if spec.turn.calls is None:
        return "-"
    form = spec.turn.calls.forms[0]
    if form.json is not None:
        return "JSON array" if form.json.array else "JSON"
    return f"fields, {form.arguments.encoding.value}" if form.arguments else "fields"
