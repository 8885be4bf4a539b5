"""A spec as a response template: the JSON under ``response_template`` in ``tokenizer_config.json``, which runtimes parse turns with.

Loaded by transformers 5.13 and newer, vLLM (``--tool-call-parser hf --reasoning-parser hf``) and SGLang
(``--tool-call-parser response_template``). Two profiles: ``portable`` keeps to what all three take; ``transformers`` uses what only
transformers reads (``reasoning_content``, Python call lists, joined texts, ids inside JSON).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from untemplate.emit.export import Exported, Loss
from untemplate.emit.response_template_blocks import content_field, start_anchor, thinking_field
from untemplate.emit.response_template_calls import CallsField, calls_field
from untemplate.emit.response_template_check import check_response_template
from untemplate.emit.tokenizer_config import put_member
from untemplate.lower.signs import read_signs
from untemplate.spec.model import Spec

KEY = "response_template"


class Profile(StrEnum):
    """Who is to read the response template."""

    PORTABLE = "portable"
    TRANSFORMERS = "transformers"


def emit_response_template(spec: Spec, profile: Profile = Profile.PORTABLE) -> Exported:
    """Return the response template of a spec as JSON text, with what it loses."""
    template, losses, notes = response_template(spec, profile)
    named = {loss.field for loss in losses}
    found = tuple(loss for loss in check_response_template(spec, template) if loss.field not in named)
    return Exported(text=json.dumps(template, ensure_ascii=False, indent=2) + "\n", losses=(*losses, *found), notes=notes)


def response_template(spec: Spec, profile: Profile = Profile.PORTABLE) -> tuple[dict[str, Any], tuple[Loss, ...], tuple[str, ...]]:
    """Return the response template of a spec as data, what it loses, and notes."""
    richly = profile is Profile.TRANSFORMERS
    signs = read_signs(spec, with_calls=True)
    calls = calls_field(spec, signs, richly=richly) if spec.turn.calls is not None else CallsField(field=None, start=None)
    thinking = thinking_field(spec, signs, calls.start, calls.whole if richly else None)
    content, losses = content_field(spec, signs, calls.start, calls.strays)
    joined = {"repeats": True, "join": ""} if richly else {}
    fields: dict[str, Any] = {}
    if thinking is not None:
        fields["reasoning_content" if richly else "thinking"] = {**thinking, **joined}
    if calls.field is not None:
        fields["tool_calls"] = calls.field
    fields["content"] = {**content, **joined}
    template = {"version": 1, "defaults": {"role": "assistant"}, **start_anchor(spec, signs), "fields": fields}
    notes = calls.notes
    if not richly and spec.turn.interleaved:
        notes = (*notes, "of several texts of one kind in a turn, transformers keeps the last under this profile; vLLM and SGLang keep all")
    return template, (*losses, *calls.losses), notes


def patch_tokenizer_config(text: str, template: Mapping[str, Any], name: str) -> str:
    """Return a ``tokenizer_config.json`` with the response template in it, everything else as it stands.

    Raises:
        SpecError: E515 when the text is no JSON object. ``name`` says which file it is.
    """
    return put_member(text, KEY, dict(template), name)
