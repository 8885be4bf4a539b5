"""A structural tag for one request: what xgrammar holds a model to, in the ``response_format`` of vLLM and SGLang.

Runtimes apply it after reasoning (their reasoning parser tells where that ends), so reasoning is no part of it. Where the calls are
written in a way that xgrammar knows, arguments are JSON Schema in the style that matches; elsewhere the grammar of the turn is embedded.
"""

from __future__ import annotations

import json
from typing import Any

from untemplate.emit.export import Exported, grammar_losses
from untemplate.emit.structural_tag_calls import call_tags
from untemplate.emit.turn_grammar import turn_grammar
from untemplate.lower.request import Request
from untemplate.lower.start import Start
from untemplate.spec.model import Calls, Marker, Spec

Format = dict[str, Any]

REASONING_NOTE = "reasoning is no part of it: run the server with a reasoning parser, which applies it to what follows"
ORDER_NOTE = "arguments are written in the order of the tool's schema"


def emit_structural_tag(spec: Spec, request: Request) -> Exported:
    """Return a ``response_format`` of type ``structural_tag`` as JSON text.

    Raises:
        SchemaError: a schema is malformed, or nothing fits it.
    """
    notes = [REASONING_NOTE] if spec.turn.reasoning.close else []
    if request.has_schema:
        schema: Format = {"type": "json_schema", "json_schema": request.response_schema}
        return _exported(schema, notes)
    if not request.callable_tools or spec.turn.calls is None:
        return _exported({"type": "any_text"}, notes)
    native = _native(spec, request)
    if native is not None:
        return _exported(native, [*notes, ORDER_NOTE])
    grammar = turn_grammar(spec, request, _after_reasoning(spec))
    embedded: Format = {"type": "grammar", "grammar": grammar.text}
    if grammar.lazy:
        free = {"type": "any_text", "excludes": list(grammar.triggers)}
        embedded = {"type": "sequence", "elements": [free, {"type": "optional", "content": embedded}]}
    notes.append("the calls are written in a way of their own: the grammar of the turn is embedded")
    made = _exported(embedded, notes)
    return Exported(text=made.text, losses=grammar_losses(grammar.warnings), notes=made.notes)


def _exported(made: Format, notes: list[str]) -> Exported:
    text = json.dumps({"type": "structural_tag", "format": made}, ensure_ascii=False, indent=2)
    return Exported(text=text + "\n", notes=tuple(notes))


def _after_reasoning(spec: Spec) -> Start:
    """Return the start of a turn whose reasoning is over."""
    reasoning = spec.turn.reasoning
    if not reasoning.close:
        return Start()
    opened = reasoning.open[0].text if reasoning.open else ""
    written = opened + reasoning.close[0].text
    return Start(prefill=written, keep=len(written))


def _native(spec: Spec, request: Request) -> Format | None:
    """Return a format made of xgrammar's own styles; ``None`` where they do not fit the calls."""
    calls = spec.turn.calls
    assert calls is not None
    tools = [tool for tool in request.callable_tools if request.named in (None, tool.name)]
    tags = call_tags(spec, tools)
    if tags is None or calls.section.close_several_only:
        return None
    single = not request.parallel or request.named is not None or spec.capabilities.max_calls == 1
    auto = request.tool_choice == "auto"
    form = calls.forms[0]
    array = form.json is not None and form.json.array
    opened, closed = ("[", "]") if array else ("", "")
    listed = _listed(tags, ", " if array else calls.section.separator, single=single)
    section = calls.section
    sectioned = section.open is not None and bool(section.open.core) and not section.several_only
    trigger = section.open.core if section.open is not None and sectioned else form.open.core
    if not trigger or auto and _opens_otherwise(spec, trigger):
        return None
    if not sectioned and not array:
        return _triggered([trigger], tags, single=single) if auto else _several(calls, tags, listed, single=single)
    begin = _text(section.open) * sectioned + form.open.text * array + opened
    end = closed + _text(section.close if sectioned else form.close)
    if not end:
        return None
    whole = _tag(begin, listed, end)
    return _triggered([trigger], [whole], single=True) if auto else whole


def _opens_otherwise(spec: Spec, trigger: str) -> bool:
    """Return whether content or reasoning opens with what a call opens with, so that it tells nothing."""
    content = spec.turn.content
    beside = content.with_calls.open if content.with_calls is not None else None
    markers = [*content.open, *spec.turn.reasoning.open, *([beside] if beside is not None else [])]
    return any(marker.core.startswith(trigger) for marker in markers)


def _several(calls: Calls, tags: list[Format], listed: Format, *, single: bool) -> Format:
    """Return required calls, in the section that stands around several only where there is one."""
    section = calls.section
    if section.close is not None and not section.close.core and section.close.text:
        return {"type": "sequence", "elements": [listed, {"type": "regex", "pattern": "[ \\n]*"}]}
    if single or not section.several_only or section.open is None:
        return listed
    return {"type": "or", "elements": [_tag(section.open.text, listed, _text(section.close)), _listed(tags, "", single=True)]}


def _text(marker: Marker | None) -> str:
    return marker.text if marker is not None else ""


def _tag(begin: str, content: Format, end: str) -> Format:
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def _listed(tags: list[Format], separator: str, *, single: bool) -> Format:
    return {"type": "tags_with_separator", "tags": tags, "separator": separator, "at_least_one": True, "stop_after_first": single}


def _triggered(triggers: list[str], tags: list[Format], *, single: bool) -> Format:
    return {"type": "triggered_tags", "triggers": triggers, "tags": tags, "at_least_one": False, "stop_after_first": single}
