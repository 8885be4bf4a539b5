"""The value of a pair: text up to its close where structure follows, or JSON that ends by itself.

White space beside a text value is exact: the layout that the template writes before it is dropped once, and the one behind
it only if there was one before (decided in ``docs/decisions``). A closing marker ends a text value only where the next pair
or the close of the call follows; else it was part of the value. Source: DESIGN.md section 5, and section 8, rule 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.lower.bodies import CUT
from untemplate.lower.marks import EMPTY, SPACE, any_of, is_marker, many, maybe
from untemplate.lower.tags import Code, Kind, ValueData
from untemplate.peg import builder as b
from untemplate.peg.nodes import Json, Literal, Node, Until
from untemplate.spec.model import Arguments, Encoding, JsonType, Notation, PairList, Text, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What stands beside a value."""

    lead: str
    """White space of layout before it."""
    trail: str
    """White space of layout behind it."""
    close: tuple[Node, ...]
    """The nodes of what closes the pair, without the white space before them; empty where nothing does."""
    stop: str
    """The text that ``close`` begins with; ``""`` where nothing closes the pair."""
    last: str
    """The last chunk of ``close``, which models write twice."""
    follow: Node
    """The look-ahead for what may follow the pair: the next one, or the close of the call."""
    implied: tuple[str, Node] | None
    """The close of the call where the pair's own is left out: the text it begins with, and all of it."""


def value_node(arguments: Arguments, around: Around, nested: Node | None) -> Node:
    """Return a value with what closes its pair. ``nested``: values in the template's own notation, as a tree."""
    options = [_marked(value, kind, around) for kind, value in _marked_values(arguments)]
    if (json := json_value(arguments)) is not None:
        return any_of(*options, _json(json, arguments, around))
    if nested is not None:
        tree = b.tag(Kind.VALUE, nested, SPACE, *around.close, data=ValueData(values=arguments.values))
        options.append(b.seq(maybe(b.lit(around.lead)) if around.lead else EMPTY, tree, b.peek(b.seq(SPACE, around.follow))))
    data = ValueData(values=arguments.values)
    if around.lead:
        options.append(b.seq(b.lit(around.lead), CUT, _raw(around, data, around.trail)))
        options.append(_raw(around, data, ""))
    else:
        options.append(_raw(around, data, around.trail))
    return any_of(*options)


def _raw(around: Around, data: ValueData, trail: str) -> Node:
    """Return text up to the close of its pair, which is inside the tag: the tag closes only if the value was closed."""
    closes: list[Node] = []
    confirms: list[Node] = []
    starts: list[str] = []
    white = maybe(b.lit(trail)) if trail else EMPTY
    if around.stop:
        doubled = many(b.seq(SPACE, b.lit(around.last), b.note(Code.REPAIRED))) if is_marker(around.last) else EMPTY
        closes.append(b.seq(*around.close, doubled))
        confirms.append(b.seq(white, *around.close, many(b.seq(SPACE, b.lit(around.last))), SPACE, around.follow))
        starts.append(around.stop)
    if around.implied is not None:
        start, node = around.implied
        closes.append(b.seq(b.peek(b.seq(SPACE, node)), b.note(Code.REPAIRED) if around.stop else EMPTY))
        confirms.append(b.seq(white, node))
        starts.append(start)
    if not around.stop:
        closes.append(b.peek(b.seq(SPACE, around.follow)))
        confirms.append(b.seq(white, SPACE, around.follow))
        starts.append("\n")
    stops = tuple(dict.fromkeys(text for start in starts for text in (trail + start, start)))
    text = Until(stops=stops, confirm=any_of(*confirms))
    return b.tag(Kind.VALUE, text, white, any_of(*closes), data=data)


def _marked_values(arguments: Arguments) -> list[tuple[JsonType, Value]]:
    """Return the types whose values stand between marks of their own, such as quotes without escapes."""
    found = [(kind, value) for kind, value in arguments.values.items() if value.open.strip() and value.close.strip()]
    return [(kind, value) for kind, value in found if value.encoding is Encoding.RAW]


def _marked(value: Value, kind: JsonType, around: Around) -> Node:
    close = b.seq(b.lit(value.close.strip()), SPACE, *around.close)
    data = ValueData(values={kind: value}, decided=kind)
    text = Until(stops=(value.close.strip(),), confirm=b.seq(close, SPACE, around.follow))
    return b.seq(SPACE, b.lit(value.open.strip()), CUT, b.tag(Kind.VALUE, text, close, data=data))


def json_value(arguments: Arguments) -> Json | None:
    """Return the reader of values that end by themselves; ``None`` where strings are bare text."""
    string = arguments.values.get(JsonType.STRING)
    if string is None:
        return Json() if arguments.encoding is Encoding.PYTHON else None
    if string.encoding in (Encoding.JSON, Encoding.PYTHON):
        return Json(python=string.encoding is Encoding.PYTHON)
    marks = string.open.strip(), string.close.strip()
    if string.encoding is Encoding.RAW and all(marks) and is_json_like(arguments.notation):
        return Json(quotes=(marks,), bare_keys=arguments.notation is not None)
    return None


def is_json_like(notation: Notation | None) -> bool:
    """Return whether a notation has JSON's brackets, colons and commas, so that a JSON reader can read it."""
    if notation is None:
        return False
    objects = notation.object is None or _brackets(notation.object.open, notation.object.close, notation.object.separator) == "{},"
    arrays = notation.array is None or _brackets(notation.array.open, notation.array.close, notation.array.separator) == "[],"
    return objects and arrays and (notation.object is None or _has_colon(notation.object))


def _brackets(open: str, close: str, separator: str) -> str:
    return open.strip() + close.strip() + (separator.strip() or ",")


def _has_colon(pairs: PairList) -> bool:
    return "".join(part.text for part in pairs.pair if isinstance(part, Text)).strip(" \n\"'") == ":"


def _json(json: Json, arguments: Arguments, around: Around) -> Node:
    """Return JSON with what closes its pair; where the pair has a close, bare text up to it is taken too."""
    value = b.tag(Kind.VALUE, json, data=ValueData(json=True))
    if not around.stop:
        return b.seq(SPACE, value)
    opening = any_of(*(Literal(text=mark) for mark in ('"', "{", "[", *(mark for mark, _ in json.quotes))))
    close = b.seq(SPACE, *around.close)
    return any_of(
        b.seq(SPACE, b.peek(opening), CUT, value, close),
        b.atomic(b.seq(SPACE, value, close)),
        _raw(around, ValueData(values=arguments.values), around.trail),
    )
