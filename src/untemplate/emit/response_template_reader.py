"""A plain reader of response templates, for whole turns: tells what a runtime would make of a text.

Written from the format's description, for checking what is exported where transformers is not installed. It reads what we emit
(texts, JSON, inline tags, Python call lists); tests hold it against transformers' own reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from untemplate.emit.response_template_content import ReadError, read_content

_PLACEHOLDER = re.compile(r"\{(\w+(?:\.\w+)*)\}")


@dataclass(slots=True)
class _Region:
    """The field that text goes to just now."""

    name: str | None
    captures: dict[str, str] = field(default_factory=dict)
    text: str = ""
    opened: bool = False


def read_turn(template: Mapping[str, Any], text: str, *, prefix: str, tools: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Return the message that a runtime reads from a turn.

    Args:
        template: the response template as data.
        prefix: the prompt before the turn.
        tools: OpenAI tools, whose schemas type arguments that are text.

    Raises:
        ReadError: a region's content is not what its field says.
    """
    return _Reader(template, tools).read(_after_anchor(template, prefix) + text)


def _after_anchor(template: Mapping[str, Any], prefix: str) -> str:
    anchor = _compiled(template, "start_anchor")
    last = None
    for match in anchor.finditer(prefix) if anchor is not None else ():
        last = match.end()
    return prefix if last is None else prefix[last:]


def _compiled(holder: Mapping[str, Any], key: str) -> re.Pattern[str] | None:
    if (pattern := holder.get(f"{key}_pattern")) is not None:
        return re.compile(pattern, re.DOTALL)
    if (literals := holder.get(key)) is None:
        return None
    texts = sorted([literals] if isinstance(literals, str) else literals, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, texts)), re.DOTALL)


class _Reader:
    """One reading of one turn."""

    def __init__(self, template: Mapping[str, Any], tools: Sequence[Mapping[str, Any]]) -> None:
        self._fields: Mapping[str, Mapping[str, Any]] = template["fields"]
        self._opens = {name: each for name, spec in self._fields.items() if (each := _compiled(spec, "open")) is not None}
        self._closes = {name: each for name, spec in self._fields.items() if (each := _compiled(spec, "close")) is not None}
        self._free = next((name for name in self._fields if name not in self._opens), None)
        self._schemas = {tool["function"]["name"]: tool["function"].get("parameters", {}).get("properties", {}) for tool in tools}
        self._defaults = dict(template.get("defaults", {}))
        self._message: dict[str, Any] = dict(self._defaults)

    def read(self, text: str) -> dict[str, Any]:
        """Return the message in ``text``, which begins with the turn."""
        region = _Region(self._free)
        at = 0
        while (found := self._next(region, text, at)) is not None:
            kind, name, match = found
            self._take(region, text[at : match.start()])
            at = match.end()
            if kind == "open":
                self._close(region)
                region = _Region(name, captures=_groups(match), opened=True)
                continue
            stuck = not region.opened and match.start() == match.end()
            region.captures.update(_groups(match))
            self._close(region)
            region = _Region(self._free)
            if stuck:
                break
        self._take(region, text[at:])
        self._close(region)
        return {key: value for key, value in self._message.items() if key in self._defaults or value not in (None, "", [], {})}

    def _next(self, region: _Region, text: str, at: int) -> tuple[str, str, re.Match[str]] | None:
        """Return the earliest delimiter from ``at`` on, of several at one place the longest."""
        if region.opened and region.name != self._free:
            watched = [("close", region.name, self._closes.get(region.name or ""))]
        else:
            watched = [("open", name, pattern) for name, pattern in self._opens.items()]
            watched += [("close", self._free, self._closes.get(self._free or ""))]
        found = []
        for kind, name, pattern in watched:
            if pattern is not None and name is not None and (match := pattern.search(text, at)) is not None:
                found.append(((match.start(), match.start() - match.end(), kind != "open", name), kind, name, match))
        return min(found, key=lambda each: each[0])[1:] if found else None

    @staticmethod
    def _take(region: _Region, text: str) -> None:
        if text and region.name is not None:
            region.text += text
            region.opened = True

    def _close(self, region: _Region) -> None:
        if region.name is None or not region.opened:
            return
        spec = self._fields[region.name]
        value = _transformed(read_content(region.text, spec.get("content", "text"), spec.get("content_args", {})), spec, region.captures)
        value = self._typed(value)
        if (glue := spec.get("join")) is not None:
            self._message[region.name] = self._message[region.name] + glue + value if region.name in self._message else value
        elif spec.get("repeats"):
            self._message.setdefault(region.name, []).append(value)
        else:
            self._message[region.name] = value

    def _typed(self, value: Any) -> Any:
        """Return calls whose arguments that are text have the types of their tool's schema."""
        if isinstance(value, list):
            return [self._typed(item) for item in value]
        function = value.get("function") if isinstance(value, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("arguments"), dict):
            return value
        properties = self._schemas.get(function.get("name"), {})
        typed = {
            key: _cast(item, _types(properties[key])) if isinstance(item, str) and key in properties else item
            for key, item in function["arguments"].items()
        }
        return {**value, "function": {**function, "arguments": typed}}


def _groups(match: re.Match[str]) -> dict[str, str]:
    return {name: text for name, text in match.groupdict().items() if text is not None}


def _transformed(value: Any, spec: Mapping[str, Any], captures: Mapping[str, str]) -> Any:
    if spec.get("transform") is None:
        return value
    if spec.get("transform_each"):
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise ReadError("not a list of objects")
        return [_filled(spec["transform"], {**captures, **item}) for item in value]
    return _filled(spec["transform"], {**captures, "content": value})


def _filled(shape: Any, scope: Mapping[str, Any]) -> Any:
    if isinstance(shape, dict):
        return {key: _filled(item, scope) for key, item in shape.items()}
    found = _PLACEHOLDER.fullmatch(shape) if isinstance(shape, str) else None
    if found is None:
        return shape
    value: Any = scope
    for step in found.group(1).split("."):
        if not isinstance(value, Mapping) or step not in value:
            raise ReadError(f"nothing for {shape}")
        value = value[step]
    return value


def _types(schema: Any) -> tuple[str, ...]:
    if not isinstance(schema, Mapping):
        return ()
    named = schema.get("type")
    found = [named] if isinstance(named, str) else [each for each in named or [] if isinstance(each, str)]
    for word in ("anyOf", "oneOf"):
        found += [kind for option in schema.get(word) or () for kind in _types(option)]
    return tuple(found)


def _cast(text: str, types: tuple[str, ...]) -> Any:
    """Return ``text`` as the first of the types that it can be; as it is where it is none."""
    for name in types:
        try:
            value = _CASTS[name](text) if name in _CASTS else None
        except (ValueError, ReadError):
            continue
        if value is not None or (name == "null" and text.strip() in ("null", "None")):
            return value
    return text


def _to_integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return int(number) if number.is_integer() else None


def _to_number(text: str) -> float | int | None:
    number = float(text)
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return int(number) if number.is_integer() and "." not in text else number


def _to_boolean(text: str) -> bool | None:
    word = text.strip().lower()
    return word in ("true", "1") if word in ("true", "1", "false", "0") else None


def _to_container(kind: type) -> Any:
    def cast(text: str) -> Any:
        value = read_content(text, "json", {})
        return value if isinstance(value, kind) else None

    return cast


_CASTS: Mapping[str, Any] = {
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "null": lambda _: None,
    "object": _to_container(dict),
    "array": _to_container(list),
}
