"""Sample calls written from a spec, in named pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.cli.pieces import Kind, Piece, marker_piece
from untemplate.spec.model import CallForm, Calls, Encoding, Field, FieldName, JsonCall, JsonType, PairList, Part, Text, Value


@dataclass(frozen=True, slots=True)
class SampleCall:
    """A call as a sketch writes it."""

    name: str
    id: str
    arguments: Mapping[str, Any]


CALLS = (
    SampleCall("get_weather", "callid001", {"city": "Paris", "days": 3}),
    SampleCall("get_weather", "callid002", {"city": "Rome", "days": 1}),
)


def sketch_calls(calls: Calls, count: int) -> Iterator[Piece]:
    """Yield ``count`` sample calls, at most two, as a spec's first form writes them."""
    section, form = calls.section, calls.forms[0]
    around = count > 1 or not section.several_only
    yield from marker_piece(Kind.SECTION_OPENS, section.open if around else None)
    if form.json is not None and form.json.array:
        yield from _enclosed(form, _json_pieces(form.json, [_json_call(form.json, call) for call in CALLS[:count]]))
    else:
        for index, call in enumerate(CALLS[:count]):
            if index:
                yield Piece(Kind.BETWEEN, section.separator)
            yield from _enclosed(form, _call(form, call, index))
    yield from marker_piece(Kind.SECTION_CLOSES, section.close if around else None)


def _enclosed(form: CallForm, inner: Iterable[Piece]) -> Iterator[Piece]:
    yield from marker_piece(Kind.CALL_OPENS, form.open)
    yield from inner
    yield from marker_piece(Kind.CALL_CLOSES, form.close)


def _call(form: CallForm, call: SampleCall, index: int) -> Iterator[Piece]:
    """Yield the inside of one call, between the form's own markers."""
    if form.json is not None:
        yield from _json_pieces(form.json, _json_call(form.json, call))
        return
    for part in form.fields:
        match part:
            case Text():
                yield Piece(Kind.CALL, part.text)
            case Field(field=FieldName.NAME):
                yield Piece(Kind.NAME, call.name)
            case Field(field=FieldName.ID):
                yield Piece(Kind.ID, call.id)
            case Field(field=FieldName.COUNTER):
                yield Piece(Kind.ID, str(part.start + index))
            case Field(field=FieldName.ARGUMENTS):
                yield from _arguments(form, call)


def _arguments(form: CallForm, call: SampleCall) -> Iterator[Piece]:
    arguments = form.arguments
    if arguments is not None and arguments.encoding is Encoding.PAIRS and arguments.object is not None:
        yield from _pairs(arguments.object, arguments.values, call.arguments)
    elif arguments is not None and arguments.encoding is Encoding.PYTHON:
        yield from _cut(repr(dict(call.arguments)))
    else:
        yield from _cut(json.dumps(call.arguments))


def _pairs(layout: PairList, values: Mapping[JsonType, Value], arguments: Mapping[str, Any]) -> Iterator[Piece]:
    yield Piece(Kind.CALL, layout.open)
    for index, (key, value) in enumerate(arguments.items()):
        if index:
            yield Piece(Kind.CALL, layout.separator)
        written = values.get(JsonType.STRING if isinstance(value, str) else JsonType.INTEGER) or Value(encoding=Encoding.JSON)
        for part in layout.pair:
            yield from _pair_part(part, key, value, written, layout)
    yield Piece(Kind.CALL, layout.close)


def _pair_part(part: Part, key: str, value: Any, written: Value, layout: PairList) -> Iterator[Piece]:
    match part:
        case Text():
            yield Piece(Kind.CALL, part.text)
        case Field(field=FieldName.KEY):
            quote = layout.key_quotes[0] if layout.key_quotes else ""
            yield Piece(Kind.KEY, f"{quote}{key}{quote}")
        case Field(field=FieldName.VALUE):
            yield Piece(Kind.CALL, written.open)
            encode = {Encoding.RAW: str, Encoding.PYTHON: repr}.get(written.encoding, json.dumps)
            yield Piece(Kind.VALUE, encode(value))
            yield Piece(Kind.CALL, written.close)
        case Field(field=FieldName.TYPE):
            yield Piece(Kind.CALL, written.label or "")


# --- JSON -----------------------------------------------------------------------------------------------


def _json_call(layout: JsonCall, call: SampleCall) -> Any:
    if layout.name_is_key:
        return {call.name: dict(call.arguments)}
    arguments = json.dumps(call.arguments) if layout.arguments_as_text else dict(call.arguments)
    members: dict[str, Any] = {}
    for path, value in ((layout.name, call.name), (layout.arguments, arguments), (layout.id, call.id)):
        if path:
            _set(members, path, value)
    for joined, value in layout.extra.items():
        _set(members, tuple(joined.split(".")), value)
    order = {key: index for index, key in enumerate(layout.order)}
    return dict(sorted(members.items(), key=lambda member: order.get(member[0], len(order))))


def _set(members: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for key in path[:-1]:
        members = members.setdefault(key, {})
    members[path[-1]] = value


def _json_pieces(layout: JsonCall, value: Any) -> Iterator[Piece]:
    if layout.python:
        return _cut(repr(value))
    return _cut(json.dumps(value, indent=layout.indent, separators=(layout.item_separator, layout.key_separator)))


def _known_texts() -> Iterator[tuple[str, Kind]]:
    for call in CALLS:
        yield call.name, Kind.NAME
        yield call.id, Kind.ID
        for key, value in call.arguments.items():
            yield from ((f"{quote}{key}{quote}", Kind.KEY) for quote in "\"'")
            if isinstance(value, str):
                yield from ((f"{quote}{value}{quote}", Kind.VALUE) for quote in "\"'")


_KNOWN = dict(_known_texts())
_KNOWN_PATTERN = re.compile("|".join(re.escape(text) for text in sorted(_KNOWN, key=len, reverse=True)))


def _cut(text: str) -> Iterator[Piece]:
    """Yield JSON or Python text in pieces, the sample's own names and values apart from what is written around them."""
    at = 0
    for found in _KNOWN_PATTERN.finditer(text):
        yield Piece(Kind.CALL, text[at : found.start()])
        yield Piece(_KNOWN[found.group()], found.group())
        at = found.end()
    yield Piece(Kind.CALL, text[at:])
