"""Nested values in a notation of the template's own, read as a tree.

All text inside is an event, marks included, so that whoever types the value by the schema can also have it verbatim. Which
key closes a pair is not compared with the one that opened it: what matters is that the tree is well formed.
"""

from __future__ import annotations

from untemplate.lower.marks import EMPTY, any_of, chunks, many, maybe, next_chunk
from untemplate.lower.tags import Kind, ValueData
from untemplate.lower.vocabulary import name_like
from untemplate.peg import builder as b
from untemplate.peg.nodes import Characters, Json, Literal, Node, Until
from untemplate.spec.model import Encoding, Field, FieldName, ItemList, JsonType, Notation, PairList, Part, Text

_WHITE = Characters(ranges=((" ", " "), ("\t", "\t"), ("\n", "\n"), ("\r", "\r")), minimum=0, maximum=None)
_DEPTH_RULE = "nested"


def add_nested(notation: Notation, rules: b.ArenaBuilder, outer_stop: str) -> Node:
    """Return a reference to the rule for an object or an array in ``notation``, added to ``rules``.

    ``outer_stop``: the text that closes the pair whose value this is.
    """
    nested = rules.reserve(_DEPTH_RULE)
    inner = rules.reserve(f"{_DEPTH_RULE}-value")
    options: list[Node] = []
    if notation.array is not None and _has_marks(notation.array):
        options.append(_array(notation.array, inner))
    if notation.object is not None:
        options.append(_object(notation.object, inner))
    rules.define(nested, any_of(*options))
    rules.define(inner, any_of(nested, *_leaves(notation, outer_stop)))
    return nested


def _has_marks(array: ItemList) -> bool:
    return bool(array.open.strip()) or any(isinstance(part, Text) and part.text.strip() for part in array.item)


def _text(*texts: str) -> Node:
    """Return the texts as events, with free white space before each chunk."""
    nodes: list[Node] = []
    for chunk in (chunk for text in texts for chunk in chunks(text)):
        nodes += [_WHITE, Literal(text=chunk, emit=True)]
    return b.seq(*nodes) if nodes else EMPTY


def _parts(parts: tuple[Part, ...], inner: Node) -> Node:
    """Return the parts of a pair or an item, its value being ``inner``; a second key repeats the first."""
    nodes: list[Node] = []
    keyed = False
    for index, part in enumerate(parts):
        following = next_chunk(parts, index)
        if isinstance(part, Text):
            nodes.append(_text(part.text))
        elif part.field is FieldName.VALUE:
            nodes.append(inner)
        elif part.field is FieldName.KEY and not keyed:
            keyed = True
            nodes.append(b.tag(Kind.KEY, name_like(following)))
        else:
            nodes.append(name_like(following))
    return b.seq(*nodes)


def _array(array: ItemList, inner: Node) -> Node:
    item = b.tag(Kind.ITEM, _parts(array.item, inner))
    return b.tag(Kind.ARRAY, _text(array.open), _list(item, array.separator, needed=not array.open.strip()), _text(array.close))


def _object(pairs: PairList, inner: Node) -> Node:
    closing = _after(pairs.pair)
    guard = b.negate(b.seq(_WHITE, b.lit(chunks(closing[0].text)[0]))) if closing and isinstance(closing[0], Text) else EMPTY
    pair = b.tag(Kind.PAIR, guard, _parts(pairs.pair, inner))
    return b.tag(Kind.OBJECT, _text(pairs.open), _list(pair, pairs.separator, needed=not pairs.open.strip()), _text(pairs.close))


def _list(item: Node, separator: str, *, needed: bool) -> Node:
    gap = maybe(_text(separator)) if separator.strip() else EMPTY
    some = b.seq(item, many(b.seq(gap, item)))
    return some if needed else maybe(some)


def _leaves(notation: Notation, outer_stop: str) -> list[Node]:
    """Return the ways to write a value that is neither object nor array."""
    leaves: list[Node] = []
    string = notation.values.get(JsonType.STRING)
    if string is not None and string.open.strip() and string.close.strip():
        text = Until(stops=(string.close.strip(),))
        marked = b.tag(Kind.LEAF, text, data=ValueData(decided=JsonType.STRING))
        leaves.append(b.seq(_text(string.open), marked, _text(string.close)))
    elif string is not None and string.encoding in (Encoding.JSON, Encoding.PYTHON):
        leaves.append(b.seq(_WHITE, b.tag(Kind.LEAF, Json(), data=ValueData(json=True))))
    ends = [
        parts
        for parts in (_after(notation.array.item) if notation.array else (), _after(notation.object.pair) if notation.object else ())
        if parts
    ]
    starts = [_before(parts) for parts in (notation.array.item if notation.array else (), notation.object.pair if notation.object else ())]
    lists = [layout for layout in (notation.array, notation.object) if layout is not None]
    closes = [text for layout in lists for text in (layout.close, layout.separator) if text.strip()]
    stops = [chunks(parts[0].text)[0] for parts in ends if isinstance(parts[0], Text)] or [chunks(text)[0] for text in closes]
    follow = any_of(*(_text(text) for text in (*starts, *closes, outer_stop) if text.strip()), *(_parts(parts, EMPTY) for parts in ends))
    confirm = any_of(*(_parts(parts, EMPTY) for parts in ends)) if ends else EMPTY
    text = Until(stops=tuple(dict.fromkeys(stops)), confirm=b.seq(confirm, _WHITE, follow))
    leaves.append(b.tag(Kind.LEAF, text, data=ValueData(values=notation.values)))
    return leaves


def _before(parts: tuple[Part, ...]) -> str:
    """Return the text before the first field."""
    return parts[0].text if parts and isinstance(parts[0], Text) else ""


def _after(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts behind the value, from the first text on."""
    place = next((index for index, part in enumerate(parts) if isinstance(part, Field) and part.field is FieldName.VALUE), len(parts))
    rest = parts[place + 1 :]
    return rest if rest and isinstance(rest[0], Text) and rest[0].text.strip() else ()
