"""Reads a call (or a list of calls) that is one JSON value: where name, arguments and id stand in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from untemplate.probe.cases import CallCase
from untemplate.spec.model import JsonCall
from untemplate.text.literals import Decoded, outermost


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSpans:
    """Where the calls of a turn stand as literals: one span for each call, or one for all in an array."""

    array: bool
    spans: tuple[Decoded, ...]


def find_spans(text: str, calls: tuple[CallCase, ...]) -> JsonSpans | None:
    """Return the literals that hold name and arguments of each call, or ``None`` where a call is no such literal."""
    found = _find_call(text, calls[0])
    if found is None:
        return None
    if isinstance(found.value, list):
        if not all(call.name in text[found.start : found.end] for call in calls):
            return None
        return JsonSpans(array=True, spans=(found,))
    spans = [found]
    for call in calls[1:]:
        rest = _find_call(text[spans[-1].end :], call)
        if rest is None:
            return None
        offset = spans[-1].end
        spans.append(Decoded(rest.value, rest.start + offset, rest.end + offset, rest.python))
    return JsonSpans(array=False, spans=tuple(spans))


def _find_call(text: str, call: CallCase) -> Decoded | None:
    """Return the outermost literal that is a call or a list of calls: an object around such a list is a section, not a call."""
    holds = (call.name, *(str(value) for value in call.arguments.values()))

    def is_call(value: Any) -> bool:
        return isinstance(value, list) or any(item == call.name or path[-1:] == (call.name,) for path, item in _paths(value))

    return outermost(text, holds, accepts=is_call)


def _paths(value: Any, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield prefix, value
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _paths(item, (*prefix, str(key)))


def read_call(spans: JsonSpans, calls: tuple[CallCase, ...], text: str) -> JsonCall | None:
    """Return the key paths of the first call, checked against the others; ``None`` where they do not agree."""
    items = [spans.spans[0].value] if not spans.array else list(spans.spans[0].value)
    layouts = [_read_one(item, call) for item, call in zip(items, calls, strict=False)]
    if not layouts or layouts[0] is None or any(layout is None for layout in layouts):
        return None
    read = _agreed([layout for layout in layouts if layout is not None])
    if read is None:
        return None
    first = spans.spans[0]
    style = _style(first, text[first.start : first.end])
    return JsonCall(
        name=read.name,
        arguments=read.arguments,
        id=read.id,
        id_start=read.id_start,
        array=spans.array,
        name_is_key=read.name_is_key,
        arguments_as_text=read.arguments_as_text,
        order=read.order,
        extra=read.extra,
        python=first.python,
        **style,
    )


def _read_one(item: Any, call: CallCase) -> JsonCall | None:
    if not isinstance(item, Mapping):
        return None
    name: tuple[str, ...] | None = None
    arguments: tuple[str, ...] | None = None
    call_id: tuple[str, ...] | None = None
    as_text = False
    for path, value in _paths(item):
        if value == call.name and name is None:
            name = path
        elif value == dict(call.arguments) and arguments is None:
            arguments = path
        elif isinstance(value, str) and arguments is None and _is_text_of(value, call.arguments):
            arguments, as_text = path, True
        elif value == call.id or (isinstance(value, str) and call.id and value.endswith(call.id)):
            call_id = path
    if arguments is None:
        return None
    if name is None:
        if arguments and arguments[-1] == call.name:
            return JsonCall(name_is_key=True, arguments=arguments[:-1], arguments_as_text=as_text)
        return None
    taken = {name, arguments, call_id}
    extra = {
        ".".join(path): value
        for path, value in _paths(item)
        if path and path not in taken and not isinstance(value, Mapping) and path[: len(arguments)] != arguments
    }
    return JsonCall(
        name=name, arguments=arguments, id=call_id, arguments_as_text=as_text, order=tuple(str(key) for key in item), extra=extra
    )


def _agreed(layouts: list[JsonCall]) -> JsonCall | None:
    """Return what the layouts of several calls share; a member that counts the calls is their id where they have no other."""
    first = layouts[0]
    extra = dict(first.extra)
    call_id = first.id
    start: int | None = None
    for path, value in first.extra.items():
        if all(layout.extra.get(path) == value for layout in layouts):
            continue
        del extra[path]
        counts = [str(layout.extra.get(path)) for layout in layouts]
        if call_id is None and counts in ([str(i) for i in range(len(counts))], [str(i + 1) for i in range(len(counts))]):
            call_id, start = tuple(path.split(".")), int(counts[0])
    same = [replace(layout, extra=extra, id=call_id, id_start=start) for layout in layouts]
    return same[0] if all(layout == same[0] for layout in same) else None


def _is_text_of(value: str, arguments: Mapping[str, Any]) -> bool:
    try:
        return bool(json.loads(value) == dict(arguments))
    except ValueError:
        return False


def _style(found: Decoded, text: str) -> dict[str, Any]:
    """Return the separators and the indent with which ``text`` was dumped; the usual ones where none fits."""
    for indent in (None, 4, 2, 1):
        for item in (", ", ","):
            for key in (": ", ":"):
                if indent is not None and (item, key) != (", ", ": "):
                    continue
                dumped = json.dumps(
                    found.value, ensure_ascii=False, indent=indent, separators=(item, key) if indent is None else (",", key)
                )
                if dumped == text:
                    return {"item_separator": item, "key_separator": key, "indent": indent}
    return {}
