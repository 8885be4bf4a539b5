"""The files that stand for one compiled template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from untemplate.infer.evidence import Evidence
from untemplate.parser import build_parser
from untemplate.spec.codec import encode
from untemplate.spec.model import Spec
from untemplate.spec.yaml_text import dump_yaml


def evidence_text(evidence: Mapping[str, Sequence[Evidence]]) -> str:
    """Return the text of an evidence file."""
    return dump_yaml(evidence_to_data(evidence))


def evidence_to_data(evidence: Mapping[str, Sequence[Evidence]]) -> dict[str, Any]:
    """Return evidence as plain data: by field of the spec, the probes and diff splits that it was read from."""
    return {path: [encode(entry, _unless_empty) for entry in entries] for path, entries in evidence.items()}


def _unless_empty(_owner: type, name: str) -> bool:
    return name == "probe"


def grammar_text(spec: Spec, tools: Sequence[dict[str, Any]]) -> str:
    """Return the GBNF of a request with ``tools`` in which the model must call one, if the template has calls at all."""
    choice = "required" if spec.turn.calls is not None else "auto"
    return build_parser(spec, tools=list(tools), tool_choice=choice).grammar().text
