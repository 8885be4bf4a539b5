"""One side of a comparison, from a spec alone or with the template that it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from untemplate.drift.diff import Side
from untemplate.drift.rendered import rendered_turns
from untemplate.drift.samples import TOOLS
from untemplate.errors import TemplateError
from untemplate.infer.evidence import Evidence
from untemplate.infer.turn import TurnFound
from untemplate.source import TemplateSource
from untemplate.spec.model import Spec
from untemplate.template import Template, load_template

_USER = {"role": "user", "content": "Hello"}
_SYSTEM = {"role": "system", "content": "Be brief."}


def side_of_spec(spec: Spec) -> Side:
    """Return a side of which nothing is known but the spec."""
    return Side(spec=spec)


def side_of_template(source: TemplateSource, spec: Spec, found: TurnFound, evidence: Mapping[str, tuple[Evidence, ...]]) -> Side:
    """Return a side whose template can still be rendered: its turns are its own, and its prompts are compared too."""
    prompts = dict(_prompts(load_template(source)))
    return Side(spec=spec, turns=rendered_turns(spec, found), prompts=prompts, evidence=evidence)


def _prompts(template: Template) -> Iterator[tuple[str, str]]:
    """Yield the prompts of small conversations by name; one that the template refuses is left out."""
    asked: tuple[tuple[str, list[dict[str, Any]], list[dict[str, Any]] | None], ...] = (
        ("of a user's message", [_USER], None),
        ("with tools", [_USER], TOOLS),
        ("with a system message", [_SYSTEM, _USER], None),
        ("with a system message and tools", [_SYSTEM, _USER], TOOLS),
        ("of a longer conversation", [_USER, {"role": "assistant", "content": "Hi."}, _USER], None),
    )
    for name, messages, tools in asked:
        try:
            yield name, template.render(messages, tools=tools, add_generation_prompt=True)
        except TemplateError:
            continue
