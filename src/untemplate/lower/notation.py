"""Nested values in a notation of the template's own, read as a tree.

All text inside is an event, marks included, so that whoever types the value by the schema can also have it verbatim. A pair is
closed by the key that opened it: a text that only begins like a pair is text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from untemplate.lower.marks import EMPTY, any_of, chunks, many, maybe, next_chunk
from untemplate.lower.tags import Kind, ValueData
from untemplate.lower.vocabulary import name_like
from untemplate.peg import builder as b
from untemplate.peg.nodes import Characters, Json, Literal, Node, Until
from untemplate.spec.model import Encoding, Field, FieldName, ItemList, JsonType, Notation, PairList, Part, Text

_WHITE = Characters(ranges=((" ", " "), ("\t", "\t"), ("\n", "\n"), ("\r", "\r")), minimum=0, maximum=None)
_RULE = "nested"


def add_nested(notation: Notation, rules: b.ArenaBuilder, outer_stop: str) -> tuple[Node, ...]:
    """Return references to the rules for an array and an object in ``notation``, added to ``rules``: the ways to write a nested value.

    Which of them a value is, what closes it tells: each way is tried up to there.

    Args:
        outer_stop: the text that closes the pair whose value this is.
    """
    kinds: list[tuple[str, Callable[[Node], Node], tuple[Part, ...]]] = []
    if notation.array is not None and _has_marks(notation.array):
        kinds.append(("array", partial(_array, notation.array), notation.array.item))
    if notation.object is not None:
        kinds.append(("object", partial(_object, notation.object), notation.object.pair))
    ways = tuple(rules.reserve(f"{_RULE}-{kind}") for kind, _, _ in kinds)
    leaves = rules.add(f"{_RULE}-leaf", any_of(*_leaves(notation, outer_stop)))
    for reference, (kind, write, parts) in zip(ways, kinds, strict=True):
        closed = b.peek(b.seq(*_plain(_after(parts), 0, EMPTY, b.same() if _repeats_key(parts) else None)))
        inner = rules.add(f"{_RULE}-in-{kind}", any_of(*(b.seq(way, closed) for way in ways), leaves))
        rules.define(reference, write(inner))
    return ways


def _has_marks(array: ItemList) -> bool:
    return bool(array.open.strip()) or any(isinstance(part, Text) and part.text.strip() for part in array.item)


def _text(*texts: str) -> Node:
    """Return the texts as events, with free white space before each chunk."""
    nodes: list[Node] = []
    for chunk in (chunk for text in texts for chunk in chunks(text)):
        nodes += [_WHITE, Literal(text=chunk, emit=True)]
    return b.seq(*nodes) if nodes else EMPTY


def _parts(parts: tuple[Part, ...], inner: Node) -> Node:
    """Return the parts of a pair or an item, its value being ``inner``; a second key is the same as the first."""
    for index, part in enumerate(parts):
        if isinstance(part, Field) and part.field is FieldName.KEY:
            key = b.tag(Kind.KEY, name_like(next_chunk(parts, index)))
            rest = _plain(parts, index + 1, inner, b.same())
            return b.seq(*_plain(parts[:index], 0, inner, None), b.remember(key, *rest) if _repeats_key(parts) else b.seq(key, *rest))
    return b.seq(*_plain(parts, 0, inner, None))


def _repeats_key(parts: tuple[Part, ...]) -> bool:
    return sum(isinstance(part, Field) and part.field is FieldName.KEY for part in parts) > 1


def _plain(parts: tuple[Part, ...], start: int, inner: Node, key: Node | None) -> list[Node]:
    """Return the parts from ``start`` on; ``key``: what a key there is, ``None``: any."""
    nodes: list[Node] = []
    for index, part in enumerate(parts[start:], start):
        if isinstance(part, Text):
            nodes.append(_text(part.text))
        elif part.field is FieldName.VALUE:
            nodes.append(inner)
        elif part.field is FieldName.KEY and key is not None:
            nodes.append(key)
        else:
            nodes.append(name_like(next_chunk(parts, index)))
    return nodes


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
