"""The pipeline, in order: open the source, probe, infer, verify, keep what reads back."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from untemplate.infer.evidence import Evidence
from untemplate.infer.quirks import Quirk, shipped_quirks
from untemplate.infer.spec import infer_spec
from untemplate.infer.turn import TurnFound
from untemplate.infer.vocabulary import with_vocabulary
from untemplate.source import TemplateSource, load_source
from untemplate.spec.model import Spec
from untemplate.template import load_template
from untemplate.verify.verify import verify_shortly


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What a template compiles to."""

    spec: Spec
    evidence: Mapping[str, tuple[Evidence, ...]]
    """For each inferred field, the probes that it was read from."""
    found: TurnFound
    """The turn as inferred, with what renders it."""


def compile_source(source: TemplateSource, *, overlays: Sequence[Quirk] = (), verify: bool = True) -> Compiled:
    """Return the spec of a source's chosen template, with its evidence. ``verify``: a dozen turns are read back and counted in it.

    Raises:
        TemplateError: E2xx when the template does not compile or breaks a limit.
        InferenceError: E3xx when no conversation renders.
    """
    template = load_template(source)
    inferred = infer_spec(template, kind=str(source.kind), notes=source.notes, quirks=(*shipped_quirks(), *overlays))
    spec = inferred.spec
    if source.load_vocabulary is not None:
        spec = with_vocabulary(spec, source.load_vocabulary())
    if verify:
        spec = replace(spec, verification=verify_shortly(spec, inferred.found).summary())
    return Compiled(spec=spec, evidence=inferred.evidence, found=inferred.found)


def compile_template(source: str | os.PathLike[str] | TemplateSource, name: str | None = None) -> Spec:
    """Return the spec of a template.

    Args:
        source: a path (template file, ``tokenizer_config.json``, model folder, GGUF file) or a loaded source.
        name: what the spec calls the template; by default the source's own name.

    Raises:
        UntemplateError: with a stable code and a hint, when there is no spec to be had.
    """
    loaded = source if isinstance(source, TemplateSource) else load_source(source)  # type: ignore[arg-type]
    spec = compile_source(loaded).spec
    return spec if name is None else replace(spec, template=replace(spec.template, name=name))
