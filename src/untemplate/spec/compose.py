"""Rebuilds the text of a turn from a spec: the way back, for recomposition and for continuing a started message.

The text is what the template writes after the assistant's header and before the end of the turn.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from untemplate.spec.model import (
    Arguments,
    Block,
    CallForm,
    Calls,
    Content,
    ContentMode,
    Encoding,
    Field,
    FieldName,
    ItemList,
    JsonCall,
    JsonType,
    Marker,
    Notation,
    PairList,
    Part,
    Position,
    Text,
    Turn,
    Value,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposedCall:
    """One call to be written."""

    name: str
    id: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def compose(turn: Turn, *, reasoning: str | None = None, content: str | None = None, calls: Sequence[ComposedCall] = ()) -> str:
    """Return the text of a turn with these blocks, laid out as the template lays it out."""
    written: list[str] = []
    for block in turn.blocks:
        text = _block(turn, block, reasoning, content, calls)
        if text:
            written.append(text)
    if turn.frame is not None:
        return turn.frame.separator.text.join(written)
    return "".join(written)


def open_reasoning(turn: Turn, reasoning: str) -> str:
    """Return the text of a turn that is still in its reasoning."""
    return _first(turn.reasoning.open) + reasoning


def open_content(turn: Turn, content: str, reasoning: str | None = None) -> str:
    """Return the text of a turn that is still in its content."""
    before = ""
    if reasoning:
        before = _first(turn.reasoning.open) + reasoning + _first(turn.reasoning.close)
        before += turn.frame.separator.text if turn.frame is not None else ""
    return before + _opening(turn.content, bool(reasoning)) + content


def _block(turn: Turn, block: Block, reasoning: str | None, content: str | None, calls: Sequence[ComposedCall]) -> str:
    match block:
        case Block.REASONING:
            if reasoning:
                return _first(turn.reasoning.open) + reasoning + _first(turn.reasoning.close)
            return (turn.reasoning.empty_with_calls if calls else turn.reasoning.empty) or ""
        case Block.CONTENT:
            return _content(turn.content, content, bool(reasoning), bool(calls))
        case Block.CALLS:
            lead = turn.calls.section.lead if turn.calls is not None and not content else ""
            return lead + _calls(turn.calls, calls) if turn.calls is not None and calls else ""


def _first(markers: tuple[Marker, ...]) -> str:
    return markers[0].text if markers else ""


def _opening(content: Content, reasons: bool) -> str:
    if content.mode is ContentMode.WRAPPED_WITH_REASONING and not reasons:
        return ""
    return _first(content.open)


def _content(content: Content, text: str | None, reasons: bool, calls: bool) -> str:
    beside = content.with_calls if calls else None
    if not text and beside is not None and beside.always:
        return (beside.open.text if beside.open else "") + (beside.close.text if beside.close else "")
    if not text:
        return _first(content.open) + _first(content.close) if content.always else ""
    own = content.with_calls
    if not calls or own is None:
        closing = "" if content.mode is ContentMode.WRAPPED_WITH_REASONING and not reasons else _first(content.close)
        return _opening(content, reasons) + text + closing
    if content.mode is ContentMode.WRAPPED_WITH_REASONING and reasons:
        return _first(content.open) + text + _first(content.close) + (own.close.text if own.close else "")
    if own.position is Position.AFTER:
        return (own.open.text if own.open else _first(content.open)) + text + (own.close.text if own.close else _first(content.close))
    return (own.open.text if own.open else "") + text + (own.close.text if own.close else "")


def _calls(calls: Calls, items: Sequence[ComposedCall]) -> str:
    form, section = calls.forms[0], calls.section
    opened = section.open.text if section.open else ""
    closed = section.close.text if section.close else ""
    if section.several_only and len(items) < 2:
        opened = closed = ""
    if section.close_several_only and len(items) < 2:
        closed = ""
    if form.json is not None and form.json.array:
        return (
            opened
            + form.open.text
            + _json_text([_json_value(form.json, item, index) for index, item in enumerate(items)], form.json)
            + closed
        )
    return opened + section.separator.join(_call(form, item, index) for index, item in enumerate(items)) + closed


def _call(form: CallForm, item: ComposedCall, index: int) -> str:
    close = form.close.text if form.close else ""
    if form.json is not None:
        return form.open.text + _json_text(_json_value(form.json, item, index), form.json) + close
    written = []
    for part in form.fields:
        match part:
            case Text(text=text):
                written.append(text)
            case Field(field=FieldName.NAME):
                written.append(item.name)
            case Field(field=FieldName.ID):
                written.append(item.id)
            case Field(field=FieldName.COUNTER, start=start):
                written.append(str(start + index))
            case Field(field=FieldName.ARGUMENTS):
                written.append(_arguments(form.arguments, item.arguments) if form.arguments is not None else "")
            case _:
                pass
    return form.open.text + "".join(written) + close


def _json_value(layout: JsonCall, item: ComposedCall, index: int) -> Any:
    arguments: Any = dict(item.arguments)
    if layout.arguments_as_text:
        arguments = json.dumps(arguments, ensure_ascii=False)
    if layout.name_is_key:
        value: dict[str, Any] = {}
        _put(value, (*layout.arguments, item.name), arguments)
        return value
    value = dict.fromkeys(layout.order)
    for path, constant in layout.extra.items():
        _put(value, tuple(path.split(".")), constant)
    _put(value, layout.name, item.name)
    _put(value, layout.arguments, arguments)
    if layout.id is not None:
        _put(value, layout.id, item.id if layout.id_start is None else str(layout.id_start + index))
    return value


def _put(value: dict[str, Any], path: tuple[str, ...], item: Any) -> None:
    for step in path[:-1]:
        if not isinstance(value.get(step), dict):
            value[step] = {}
        value = value[step]
    value[path[-1]] = item


def _json_text(value: Any, layout: JsonCall) -> str:
    if layout.python:
        return repr(value)
    if layout.indent is not None:
        return json.dumps(value, ensure_ascii=False, indent=layout.indent)
    return json.dumps(value, ensure_ascii=False, separators=(layout.item_separator, layout.key_separator))


def _arguments(layout: Arguments, arguments: Mapping[str, Any]) -> str:
    if layout.object is not None:
        return _pairs(layout.object, layout.values, layout.notation, arguments)
    if layout.encoding is Encoding.PYTHON:
        return repr(dict(arguments))
    return json.dumps(dict(arguments), ensure_ascii=False)


def _pairs(layout: PairList, values: Mapping[JsonType, Value], notation: Notation | None, pairs: Mapping[str, Any]) -> str:
    if not pairs and layout.empty is not None:
        return layout.empty
    quote = layout.key_quotes[0]
    quoted_in_pair = any(isinstance(part, Text) and quote and part.text.endswith(quote) for part in layout.pair)
    written = []
    for key, value in pairs.items():
        rule = values.get(type_of(value)) or Value(encoding=Encoding.JSON)
        shown = key if quoted_in_pair else f"{quote}{key}{quote}"
        written.append("".join(_pair_part(part, shown, value, rule, notation) for part in layout.pair))
    return layout.open + layout.separator.join(written) + layout.close


def _pair_part(part: Part, key: str, value: Any, rule: Value, notation: Notation | None) -> str:
    match part:
        case Text(text=text):
            return text
        case Field(field=FieldName.KEY):
            return key
        case Field(field=FieldName.TYPE):
            return rule.label or ""
        case _:
            return rule.open + write_value(value, rule, notation) + rule.close


def write_value(value: Any, rule: Value, notation: Notation | None) -> str:
    """Return a value as its rule writes it, without the rule's own opening and closing."""
    match rule.encoding:
        case Encoding.RAW:
            return value if isinstance(value, str) else str(value)
        case Encoding.PYTHON:
            return repr(value)
        case Encoding.NOTATION if notation is not None:
            return _nested(value, notation)
        case _:
            return json.dumps(value, ensure_ascii=False)


def _nested(value: Any, notation: Notation) -> str:
    if isinstance(value, Mapping) and notation.object is not None:
        return _pairs(notation.object, notation.values, notation, value)
    if isinstance(value, list | tuple) and notation.array is not None:
        return _items(notation.array, notation, value)
    rule = notation.values.get(type_of(value)) or Value(encoding=Encoding.JSON)
    return rule.open + write_value(value, rule, notation) + rule.close


def _items(layout: ItemList, notation: Notation, items: Sequence[Any]) -> str:
    if not items and layout.empty is not None:
        return layout.empty
    written = ["".join(part.text if isinstance(part, Text) else _nested(item, notation) for part in layout.item) for item in items]
    return layout.open + layout.separator.join(written) + layout.close


def type_of(value: Any) -> JsonType:
    """Return the JSON type of a Python value."""
    match value:
        case bool():
            return JsonType.BOOLEAN
        case str():
            return JsonType.STRING
        case int():
            return JsonType.INTEGER
        case float():
            return JsonType.NUMBER
        case None:
            return JsonType.NULL
        case Mapping():
            return JsonType.OBJECT
        case _:
            return JsonType.ARRAY
