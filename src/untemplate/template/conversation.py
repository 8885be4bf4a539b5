"""A caller's conversation as the template writes it, in the gentlest form that it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from untemplate.errors import TemplateRefusal
from untemplate.spec.model import Capabilities, Support
from untemplate.template.normalize import prepare
from untemplate.template.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What a template wrote, and what had to be done to the messages for it."""

    text: str
    notes: tuple[str, ...] = ()


def render_conversation(
    template: Template, messages: Sequence[Mapping[str, Any]], capabilities: Capabilities, **variables: Any
) -> Rendered:
    """Return the conversation as the template writes it. ``variables``: as ``Template.render`` takes them.

    What a template refuses only together (such as visible text and thinking beside a call) is no capability of its own: where it
    refuses the messages in the form that its capabilities ask for, they are tried with such parts moved apart.

    Raises:
        TemplateRefusal: E210 when it refuses every form; the first refusal.
        TemplateError: as ``Template.render``.
    """
    refusal: TemplateRefusal | None = None
    for wanted in _forms(capabilities):
        prepared = prepare(messages, wanted)
        try:
            return Rendered(text=template.render(prepared.messages, **variables), notes=prepared.notes)
        except TemplateRefusal as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _forms(capabilities: Capabilities) -> Iterator[Capabilities]:
    """Yield the capabilities, then poorer ones."""
    yield capabilities
    apart = replace(capabilities, content_with_calls=Support.REFUSED)
    yield apart
    yield replace(apart, alternation=True)
    yield replace(apart, alternation=True, system=Support.REFUSED)
