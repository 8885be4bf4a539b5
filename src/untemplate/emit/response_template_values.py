"""Arguments that are written as pairs: the tag pattern that finds them, and what of their values is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.emit.export import Loss
from untemplate.emit.response_template_anchors import END, either, loose, one_of, quote, quote_class
from untemplate.spec.model import Arguments, Encoding, Field, FieldName, JsonType, PairList, Part, Text, Value

_DEPTH = 5
_CONTAINERS = (JsonType.OBJECT, JsonType.ARRAY)
_NOT_IN_KEYS = " \t\n\r\"',[]{}"

TYPED_BY_TOOLS = "values get their types from the tools' schemas: pass `tools` (transformers 5.15 or newer; vLLM and SGLang always do)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """How a list of pairs is read: arguments of ``xml-inline``."""

    content_args: Mapping[str, Any]
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The texts of a pair around its key and its value."""

    begin: str
    middle: str
    end: str
    closed: bool
    """Some text marks the end of every value."""
    behind_key: str
    """The first character of what follows the key."""


def read_pairs(arguments: Arguments, behind: str = "") -> Pairs:
    """Return how arguments written as pairs are read. ``behind``: a pattern for what may stand between the last pair and the close."""
    pairs = arguments.object
    assert pairs is not None
    layout = _layout(pairs, arguments.values)
    values = arguments.values
    string = values.get(JsonType.STRING, Value(encoding=Encoding.JSON))
    key = _key(pairs, layout)
    if layout.closed:
        following = f"(?=\\s*{either(layout.begin or _bare_key(pairs, layout), behind, END)})"
        if string.encoding is Encoding.RAW:
            value = f"{_marks(values, 0)}(?P<value>.*?){_marks(values, 1)}"
            return _as_text(layout.begin + key + layout.middle + value + layout.end + following, values)
        return _as_json(layout.begin + key + layout.middle + "(?P<value>.*?)" + layout.end + following, values)
    follows = rf"(?=\s*(?:{_separator(pairs)}{layout.begin}{_bare_key(pairs, layout)}{layout.middle}|{END}))"
    if string.encoding is Encoding.RAW and not string.open:
        return _as_text(layout.begin + key + layout.middle + f"(?P<value>.*?){follows}", values)
    if string.encoding is Encoding.RAW and len(string.open) == 1 and string.open == string.close:
        mark = quote(string.open)
        simple = f"[^{quote_class(string.open)}]*{mark}{follows}"
        value = f"(?:(?P<quote>{mark})(?!{simple}))?(?P<value>{mark}{simple}|.*?)(?(quote){mark}){follows}"
        return _as_json(layout.begin + key + layout.middle + value, values)
    return _as_json(layout.begin + key + layout.middle + f"(?P<value>{_nested_value(values)})", values)


def _layout(pairs: PairList, values: Mapping[JsonType, Value]) -> _Layout:
    """Return the patterns before the key, between key and value, and after the value."""
    places = [index for index, part in enumerate(pairs.pair) if isinstance(part, Field) and part.field in (FieldName.KEY, FieldName.VALUE)]
    first = next(index for index in places if _is(pairs.pair[index], FieldName.KEY))
    value = next(index for index in places if _is(pairs.pair[index], FieldName.VALUE))
    middle = "".join(part.text for part in pairs.pair[first + 1 : value] if isinstance(part, Text))
    end = "".join(part.text for part in pairs.pair[value + 1 :] if isinstance(part, Text))
    return _Layout(
        begin=_patterns(pairs.pair[:first], values),
        middle=_patterns(pairs.pair[first + 1 : value], values, tight_end=True),
        end=_patterns(pairs.pair[value + 1 :], values, tight_start=True),
        closed=bool(end.strip()),
        behind_key=middle.strip()[:1],
    )


def _is(part: Part, name: FieldName) -> bool:
    return isinstance(part, Field) and part.field is name


def _patterns(parts: tuple[Part, ...], values: Mapping[JsonType, Value], *, tight_start: bool = False, tight_end: bool = False) -> str:
    """Return parts as a pattern; where it touches the value, white space is what the template writes, or none."""
    found = []
    for index, part in enumerate(parts):
        match part:
            case Text(text=text):
                lead = text[: len(text) - len(text.lstrip())] if tight_start and index == 0 else ""
                trail = text[len(text.rstrip()) :] if tight_end and index == len(parts) - 1 and text.strip() else ""
                core = text[len(lead) : len(text) - len(trail)]
                found.append(one_of((lead, "")) + loose(core) + one_of((trail, "")))
            case Field(field=FieldName.KEY):
                found.append("(?P=key)")
            case Field(field=FieldName.TYPE):
                found.append(one_of(value.label for value in values.values() if value.label is not None))
            case _:
                found.append(".*?")
    return "".join(found)


def _key(pairs: PairList, layout: _Layout) -> str:
    quotes = _quotes(pairs)
    return f"{quotes}(?P<key>{_key_characters(layout)}){quotes}"


def _bare_key(pairs: PairList, layout: _Layout) -> str:
    quotes = _quotes(pairs)
    return f"{quotes}{_key_characters(layout)}{quotes}"


def _quotes(pairs: PairList) -> str:
    """Return a pattern for the quotes that a key may stand in, where the pair's own text does not hold them."""
    marks = [mark for mark in pairs.key_quotes if mark]
    return f"[{quote_class(''.join(marks))}]?" if marks else ""


def _key_characters(layout: _Layout) -> str:
    stop = "" if layout.behind_key.isalnum() else layout.behind_key
    return f"[^{quote_class(_NOT_IN_KEYS + stop)}]+"


def _separator(pairs: PairList) -> str:
    return rf"{loose(pairs.separator.strip())}\s*" if pairs.separator.strip() else ""


def _marks(values: Mapping[JsonType, Value], side: int) -> str:
    """Return a pattern for the marks that only some types of values stand in, optional."""
    found = {
        mark for value in values.values() for mark in ((value.open, value.close)[side], value.guard[side] if value.guard else "") if mark
    }
    return one_of((*sorted(found), "")) if found else ""


def _nested_value(values: Mapping[JsonType, Value]) -> str:
    """Return a pattern for one value of JSON-like notation, containers up to some depth."""
    strings = ['"(?:[^"\\\\]|\\\\.)*"']
    stops = '"'
    for value in values.values():
        if value.encoding is Encoding.RAW and value.open:
            strings.append(f"{quote(value.open)}(?:(?!{quote(value.close)}).)*{quote(value.close)}")
            stops += value.open[0]
        elif value.encoding is Encoding.PYTHON and "'" not in stops:
            strings.append("'(?:[^'\\\\]|\\\\.)*'")
            stops += "'"
    loners = either(*(f"{quote(value.open[0])}(?!{quote(value.open[1:])})" for value in values.values() if len(value.open) > 1))
    plain = f"[^{quote_class('[]{}' + stops)}]" + (f"|{loners}" if loners else "")
    text = either(*strings)
    nested = rf"[\[{{](?:{plain}|{text})*[\]}}]"
    for _ in range(_DEPTH - 1):
        nested = rf"[\[{{](?:{plain}|{text}|{nested})*[\]}}]"
    return f"{text}|{nested}|[^{quote_class(' ,[]{}' + chr(10))}]+"


def _as_text(pattern: str, values: Mapping[JsonType, Value]) -> Pairs:
    """Return values kept as their text, which the tools' schemas type."""
    losses = []
    for kind in _CONTAINERS:
        encoding = values.get(kind, Value(encoding=Encoding.JSON)).encoding
        if encoding is not Encoding.JSON:
            how = "as Python writes it" if encoding is Encoding.PYTHON else "in the template's own notation"
            losses.append(
                Loss(field=f"calls.arguments.{kind.value}", message=f"stays text: it is written {how}, which no content parser reads")
            )
    return Pairs(content_args={"tag_pattern": pattern}, losses=tuple(losses), notes=(TYPED_BY_TOOLS,))


def _as_json(pattern: str, values: Mapping[JsonType, Value]) -> Pairs:
    """Return values read as JSON, with the template's marks for strings; what is no JSON stays text, which the schemas type."""
    losses = []
    marks = sorted({(value.open, value.close) for value in values.values() if value.encoding is Encoding.RAW and value.open})
    python = [kind for kind, value in values.items() if value.encoding is Encoding.PYTHON]
    string = values.get(JsonType.STRING, Value(encoding=Encoding.JSON))
    if python and ("'", "'") not in marks and string.encoding is not Encoding.JSON:
        marks.append(("'", "'"))
    if string.encoding is Encoding.PYTHON:
        losses.append(Loss(field="calls.arguments.string", message="Python's escapes in it are not undone, such as \\n, \\' and \\\\"))
    for kind in _CONTAINERS:
        if values.get(kind, Value(encoding=Encoding.JSON)).encoding is Encoding.PYTHON:
            message = "stays text where it holds True, False, None, or a string with quotes or escapes: it is written as Python writes it"
            losses.append(Loss(field=f"calls.arguments.{kind.value}", message=message))
    args: dict[str, Any] = {}
    if marks:
        args["string_delims"] = [list(mark) for mark in marks]
    if any(value.encoding is Encoding.NOTATION for value in values.values()):
        args["unquoted_keys"] = True
        message = "stays text where a key inside is more than letters, digits and _"
        losses.append(Loss(field="calls.arguments.object", message=message))
    args["allow_non_json"] = True
    notes = (TYPED_BY_TOOLS,) if python else ()
    return Pairs(content_args={"tag_pattern": pattern, "value_parser": {"name": "json", "args": args}}, losses=tuple(losses), notes=notes)
