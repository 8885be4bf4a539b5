"""The value of a pair: text up to its close where structure follows, or JSON that ends by itself.

White space beside a text value is exact: the layout that the template writes before it is dropped once, and the one behind
it only if there was one before (decided in ``docs/decisions``). A closing marker ends a text value only where the next pair
or the close of the call follows; else it was part of the value. Source: DESIGN.md section 5, and section 8, rule 5.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from untemplate.lower.bodies import CUT
from untemplate.lower.marks import EMPTY, SPACE, any_of, is_marker, literals, many, maybe
from untemplate.lower.tags import Code, Kind, ValueData
from untemplate.peg import builder as b
from untemplate.peg.nodes import Json, JsonKind, Node, Until
from untemplate.spec.model import Arguments, Encoding, JsonType, Notation, PairList, Text, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """What closes a pair."""

    nodes: tuple[Node, ...]
    """Without the white space before them."""
    stop: str
    """The text that they begin with."""
    last: str
    """The last chunk, which models write twice; ``""`` where it is a key."""
    trail: str
    """White space of layout before them."""
    begun: Node
    """Their beginning, cut by the end of the text."""

    @property
    def node(self) -> Node:
        """All of it."""
        return b.seq(*self.nodes)

    @property
    def again(self) -> Node:
        """Its last chunk once more, any number of times."""
        return many(b.seq(SPACE, b.lit(self.last), b.note(Code.REPAIRED))) if is_marker(self.last) else EMPTY


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What stands beside a value."""

    lead: str
    """White space of layout before it."""
    closes: tuple[Close, ...]
    """What may close the pair: more than one where that depends on the value's type, none where nothing does."""
    separator: str
    """What the text between two pairs begins with."""
    follow: Node | None
    """The look-ahead for what may follow the pair: the next one, or the close of the call; ``None``: a close is one by itself."""
    implied: tuple[tuple[str, Node], ...]
    """What stands in place of the pair's own close where that is left out, such as the call's: the text it begins with, and all of it."""
    next_instead: tuple[tuple[str, Node], ...]
    """The next pair in place of the close, behind a value that is no string: a string may quote one."""
    unmarked: tuple[str, Node] | None
    """The close of the call where the mark that ends a value is left out too."""
    undeclared: Node
    """The look-ahead for a next pair whose key no tool declares."""

    @property
    def after(self) -> Node:
        """What must follow the pair, behind free white space."""
        return EMPTY if self.follow is None else b.seq(SPACE, self.follow)


def value_node(arguments: Arguments, around: Around, nested: tuple[Node, ...]) -> Node:
    """Return a value with what closes its pair. ``nested``: the ways to write one in the template's own notation, as a tree."""
    options = [_marked(value, kind, around) for kind, value in _marked_values(arguments)]
    json = json_value(arguments)
    if json is None and options and not around.closes:
        json = Json(python=writes_python(arguments))
    if json is not None:
        return any_of(*options, _json(json, arguments, around))
    closes = any_of(*(close.node for close in around.closes))
    if nested:
        tree = b.tag(Kind.VALUE, any_of(*(b.seq(way, SPACE, closes) for way in nested)), data=ValueData(values=arguments.values))
        options.append(b.seq(maybe(b.lit(around.lead)) if around.lead else EMPTY, tree, b.peek(around.after)))
    data = ValueData(values=arguments.values)
    if not around.closes:
        options.append(_quoted(around))
    if around.lead:
        options.append(b.seq(b.lit(around.lead), CUT, _raw(around, data, framed=True)))
    options.append(_raw(around, data, framed=not around.lead))
    return any_of(*options)


def typed_value_node(arguments: Arguments, around: Around, nested: tuple[Node, ...]) -> Node:
    """Return a value that is never a string, with the close of its pair: where values are bare text, that close ends it, whatever follows.

    An object or an array ends where its own brackets say, so that its strings may hold the close too.
    """
    usual = value_node(arguments, around, nested)
    if json_value(arguments) is not None or _marked_values(arguments) or nested:
        return usual
    data = ValueData(values=arguments.values)
    closes = any_of(*(b.seq(close.node, close.again) for close in around.closes))
    json = Json(python=writes_python(arguments))
    container = b.atomic(b.seq(SPACE, b.peek(b.chars("{[", emit=False)), b.tag(Kind.VALUE, json, SPACE, closes, data=data)))
    own = replace(around, follow=None, implied=(*around.implied, *around.next_instead))
    framed = [b.seq(b.lit(around.lead), CUT, _raw(own, data, framed=True))] if around.lead else []
    return any_of(container, *framed, _raw(own, data, framed=not around.lead))


def _quoted(around: Around) -> Node:
    """Return a string in quotes, all of it: where a template writes text bare and nothing closes it, models write Python's or JSON's."""
    string = b.tag(Kind.VALUE, Json(kind=JsonKind.STRING, python=True), data=ValueData(json=True))
    return b.atomic(b.seq(SPACE, b.peek(literals(('"', "'"))), string, b.peek(around.after)))


def _raw(around: Around, data: ValueData, *, framed: bool) -> Node:
    """Return text up to the close of its pair, which is inside the tag: the tag closes only if the value was closed.

    ``framed``: the layout before the close belongs to it.
    """
    ends: list[Node] = []
    confirms: list[Node] = []
    stops: list[str] = []
    trails = [close.trail for close in around.closes if close.trail] if framed else []
    white = any_of(*(b.lit(trail) for trail in trails), EMPTY) if trails else EMPTY
    for close in around.closes:
        ends += [b.seq(close.node, close.again), b.seq(close.begun, b.note(Code.CUT_MARKER))]
        again = many(b.seq(SPACE, b.lit(close.last))) if close.last and around.follow is not None else EMPTY
        confirms += [b.seq(white, close.node, again, around.after), b.seq(white, close.begun)]
        stops += [close.trail + close.stop, close.stop] if framed else [close.stop]
    for start, node in around.implied:
        ends.append(b.seq(b.peek(b.seq(SPACE, node)), b.note(Code.REPAIRED) if around.closes else EMPTY))
        confirms.append(b.seq(white, node))
        stops += [*(trail + start for trail in trails), start]
    if not around.closes:
        ends.append(b.peek(around.after))
        confirms.append(around.after)
        stops.append(around.separator or "\n")
    text = Until(stops=tuple(dict.fromkeys(stops)), confirm=any_of(*confirms), cut=bool(around.closes))
    return b.tag(Kind.VALUE, text, white, any_of(*ends), data=data)


def _marked_values(arguments: Arguments) -> list[tuple[JsonType, Value]]:
    """Return the types whose values stand between marks of their own, such as quotes without escapes."""
    raw = [(kind, value) for kind, value in arguments.values.items() if value.encoding is Encoding.RAW]
    guarded = [(kind, replace(value, open=value.guard[0], close=value.guard[1])) for kind, value in raw if value.guard is not None]
    return [*guarded, *((kind, value) for kind, value in raw if value.open.strip() and value.close.strip())]


def _marked(value: Value, kind: JsonType, around: Around) -> Node:
    mark = value.close.strip()
    closes = any_of(*(b.seq(SPACE, close.node) for close in around.closes)) if around.closes else EMPTY
    close = b.seq(b.lit(mark), closes)
    data = ValueData(values={kind: value}, decided=kind)
    ends, stops, confirms = [close], [mark], [b.seq(close, around.after)]
    if around.unmarked is not None:
        start, node = around.unmarked
        ends.append(b.seq(b.peek(node), b.note(Code.REPAIRED)))
        stops.append(start)
        confirms.append(node)
    text = Until(stops=tuple(stops), confirm=any_of(*confirms))
    return b.seq(SPACE, b.lit(value.open.strip()), CUT, b.tag(Kind.VALUE, text, any_of(*ends), data=data))


def json_value(arguments: Arguments) -> Json | None:
    """Return the reader of values that end by themselves; ``None`` where strings are bare text."""
    string = arguments.values.get(JsonType.STRING)
    if string is None:
        return Json() if arguments.encoding is Encoding.PYTHON else None
    if string.encoding in (Encoding.JSON, Encoding.PYTHON):
        return Json(python=writes_python(arguments))
    marks = string.open.strip(), string.close.strip()
    if string.encoding is Encoding.RAW and all(marks) and is_json_like(arguments.notation):
        return Json(quotes=(marks,), bare_keys=arguments.notation is not None)
    return None


def writes_python(arguments: Arguments) -> bool:
    """Return whether values of some type are Python literals."""
    return any(value.encoding is Encoding.PYTHON for value in arguments.values.values())


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


def _unopened(json: Json, arguments: Arguments, around: Around) -> list[Node]:
    """Return a string whose opening mark is left out, up to its closing one: only a mark that is no single character is certain."""
    string = arguments.values.get(JsonType.STRING)
    if string is None:
        return []
    data = ValueData(values={JsonType.STRING: string}, decided=JsonType.STRING)
    texts = (b.tag(Kind.VALUE, Until(stops=(mark,)), b.lit(mark), data=data) for _, mark in json.quotes if len(mark) > 1)
    return [b.atomic(b.seq(SPACE, b.note(Code.REPAIRED), text, b.peek(around.after))) for text in texts]


def _run_on(around: Around) -> Node:
    """Return a number or a word of JSON that the next key follows without anything between them."""
    digits = b.chars("0-9", 1, None)
    power = b.seq(b.chars("eE"), b.chars("+-", 0, 1), digits)
    number = b.seq(maybe(b.lit("-", emit=True)), digits, maybe(b.seq(b.lit(".", emit=True), digits)), maybe(power))
    value = any_of(literals(("true", "false", "null"), emit=True), number)
    return b.atomic(b.seq(SPACE, b.tag(Kind.VALUE, value, data=ValueData(json=True)), b.peek(around.after)))


def _json(json: Json, arguments: Arguments, around: Around) -> Node:
    """Return JSON with what closes its pair; bare text up to that, or up to what follows the pair, is taken too."""
    if not around.closes and not json.quotes and around.separator.strip() == ",":
        json = replace(json, argument=True)
    value = b.tag(Kind.VALUE, json, data=ValueData(json=True))
    if not around.closes:
        opening = literals(('"', "'", "{", "[", "(", *(mark for mark, _ in json.quotes)))
        marks = [b.lit(mark) for _, mark in json.quotes if len(mark) > 1]
        stray = b.optional(b.seq(SPACE, any_of(*marks), b.note(Code.REPAIRED))) if marks else EMPTY
        return any_of(
            b.seq(SPACE, b.peek(opening), CUT, value, stray),
            b.atomic(b.seq(SPACE, value, b.peek(any_of(around.after, b.seq(SPACE, around.undeclared))))),
            *_unopened(json, arguments, around),
            *([_run_on(around)] if not around.separator else []),
            b.seq(SPACE, b.note(Code.REPAIRED), _raw(around, ValueData(values=arguments.values), framed=True)),
        )
    opening = literals(('"', "{", "[", *(mark for mark, _ in json.quotes)))
    close = any_of(*(b.seq(SPACE, each.node, each.again) for each in around.closes))
    return any_of(
        b.seq(SPACE, b.peek(opening), CUT, value, close),
        b.atomic(b.seq(SPACE, value, close)),
        _raw(around, ValueData(values=arguments.values), framed=True),
    )
