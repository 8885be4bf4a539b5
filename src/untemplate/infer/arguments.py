"""Infers how the arguments of a field call are written: one JSON or Python object, or pairs of the template's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from untemplate.infer.call_gaps import TOKENS
from untemplate.infer.fields import merge, to_parts
from untemplate.infer.lists import ListCut, cut_list
from untemplate.infer.values import ValueLayout, infer_values
from untemplate.spec.model import Arguments, Encoding, Field, FieldName, ItemList, JsonType, Notation, PairList, Part, Text, Value
from untemplate.text import sentinels
from untemplate.text.align import Piece, Token, align
from untemplate.text.edges import common_prefix, common_suffix
from untemplate.text.literals import outermost

CallText = Callable[[Mapping[str, Any]], str | None]
"""Renders one call with these arguments and returns the text from its first field to the end of the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentsCut:
    """The arguments of a call and what stands before and after them, counted in characters."""

    arguments: Arguments
    before: int
    """Length of the text between the first key and the end of what precedes the arguments: taken off the literal before the key."""
    after: str
    """All that follows the arguments, to the end of the turn."""


def infer_arguments(call_text: CallText, *, special: tuple[str, ...] = (), lead: str = "") -> ArgumentsCut | None:
    """Return the layout of arguments, or ``None`` where neither an object nor pairs can be found.

    ``lead`` is the text with which the calls of a turn start.
    """
    two = {sentinels.key(0, i): sentinels.value(0, i) for i in range(2)}
    text = call_text(two)
    if text is None:
        return None
    return _as_object(text, two, call_text) or _as_pairs(call_text, special, lead)


def _as_object(text: str, two: Mapping[str, Any], call_text: CallText) -> ArgumentsCut | None:
    """Return the cut where the arguments are one JSON or Python object."""
    found = outermost(text, (*two, *two.values()), limit=text.index(next(iter(two))))
    if found is None or found.value != dict(two):
        return None
    encoding = Encoding.PYTHON if found.python else Encoding.JSON
    return ArgumentsCut(arguments=Arguments(encoding=encoding), before=text.index(next(iter(two))) - found.start, after=text[found.end :])


def _as_pairs(call_text: CallText, special: tuple[str, ...], lead: str) -> ArgumentsCut | None:
    found = _read_pairs(call_text, special, lead, sentinels.value, TOKENS)
    if found is not None and JsonType.INTEGER in found.arguments.values:
        return found
    return _read_pairs(call_text, special, lead, sentinels.integer, _INTEGER_TOKENS) or found


_INTEGER_TOKENS = {**TOKENS, **{str(sentinels.integer(0, item)): Token("value", 0, item) for item in range(4)}}
"""Integers have no quotes of their own: where a string's quotes pass for a mark of the pair, they tell the two apart."""


def _read_pairs(
    call_text: CallText, special: tuple[str, ...], lead: str, make: Callable[[int, int], Any], tokens: Mapping[str, Token]
) -> ArgumentsCut | None:
    """Return the layout of pairs as calls with 0 to 3 arguments show it, their values made by ``make``."""
    texts = [call_text({sentinels.key(0, i): make(0, i) for i in range(count)}) for count in (0, 1, 2, 3)]
    found = [cut for text in texts[1:] if text is not None and (cut := _cut_pairs(align(text, tokens))) is not None]
    pairs = _cut_all(found, special, lead) if found else None
    if pairs is None:
        return None
    empty_tail = _tail_without_pairs(texts[0])
    _, after, opened, closed, empty = _around_pairs(pairs.heads[0], pairs.close, empty_tail, special)
    layout = infer_values(_middle(call_text, pairs.item_open, pairs.close))
    if layout is None:
        return None
    pair, values, inner = _pair(found[0].inner, pairs.item_open, pairs.item_close, layout)
    quoted = _quotes(pairs.item_open, found[0].inner)
    arguments = Arguments(
        encoding=Encoding.PAIRS,
        object=PairList(open=opened, pair=pair, separator=pairs.separator, close=closed, empty=empty, key_quotes=quoted),
        values=values,
        notation=_notation(call_text, layout, pairs.item_open, pairs.close, inner, special),
    )
    if arguments.notation is not None:
        custom = {kind: Value(encoding=Encoding.NOTATION) for kind in layout.custom}
        arguments = replace(arguments, values={**values, **custom}, notation=_with_own(arguments.notation, custom))
    return ArgumentsCut(arguments=arguments, before=len(pairs.item_open) + len(opened), after=after)


def _with_own(notation: Notation, custom: Mapping[JsonType, Value]) -> Notation:
    """Return the notation with its own objects and arrays inside others."""
    return replace(notation, values={**notation.values, **custom})


def _cut_all(cuts: Sequence[_PairsCut], special: tuple[str, ...], lead: str = "") -> ListCut | None:
    return cut_list(
        [cut.head for cut in cuts],
        [between for cut in cuts for between in cut.betweens],
        [cut.tail for cut in cuts],
        special=special,
        heads_after_value=True,
        lead=lead,
    )


@dataclass(frozen=True, slots=True)
class _PairsCut:
    head: str
    inner: tuple[Piece, ...]
    betweens: tuple[str, ...]
    tail: str


def _cut_pairs(pieces: tuple[Piece, ...]) -> _PairsCut | None:
    """Return one call cut at its pairs: from each key to the last of its sentinels."""
    spans: dict[int, list[int]] = {}
    for index, piece in enumerate(pieces):
        if isinstance(piece, Token) and piece.kind in ("key", "value"):
            spans.setdefault(piece.item, []).append(index)
    order = sorted(spans, key=lambda item: spans[item][0])
    if not order or any(spans[a][-1] > spans[b][0] for a, b in zip(order, order[1:], strict=False)):
        return None
    edges = [(spans[item][0], spans[item][-1]) for item in order]
    head, tail = pieces[edges[0][0] - 1], pieces[edges[-1][1] + 1]
    betweens = [pieces[end + 1] for _, end in edges[:-1]]
    inner = pieces[edges[0][0] : edges[0][1] + 1]
    assert isinstance(head, str)
    assert isinstance(tail, str)
    return _PairsCut(head, inner, tuple(b for b in betweens if isinstance(b, str)), tail)


def _tail_without_pairs(text: str | None) -> str | None:
    if text is None:
        return None
    last = align(text, TOKENS)[-1]
    return last if isinstance(last, str) else None


def _around_pairs(head: str, close: str, empty_tail: str | None, special: tuple[str, ...]) -> tuple[str, str, str, str, str | None]:
    """Return (text before the list, text after it, list open, list close, empty form) from the call without arguments."""
    if empty_tail is None:
        return head, close, "", "", None
    before = common_prefix([head, empty_tail], special=special)
    rest = empty_tail[len(before) :]
    after = common_suffix([close, rest], special=special, after_value=False, before_value=False)
    opened, closed = head[len(before) :], close[: len(close) - len(after)]
    empty = rest[: len(rest) - len(after)]
    return before, after, opened, closed, None if empty == opened + closed else empty


def _quotes(item_open: str, inner: tuple[Piece, ...]) -> tuple[str, ...]:
    follows = inner[1] if len(inner) > 1 else ""
    for quote in ('"', "'"):
        if item_open == quote and isinstance(follows, str) and follows.startswith(quote):
            return (quote,)
    return ("",)


def _middle(call_text: CallText, item_open: str, close: str) -> Callable[[Any], str | None]:
    """Return the function that renders one pair and gives the text between its key and the end of the list."""

    def middle_of(value: Any) -> str | None:
        text = call_text({sentinels.key(0, 0): value})
        if text is None or sentinels.key(0, 0) not in text or not text.endswith(close):
            return None
        start = text.index(item_open + sentinels.key(0, 0)) if item_open + sentinels.key(0, 0) in text else -1
        if start < 0:
            return None
        return text[start + len(item_open) + len(sentinels.key(0, 0)) : len(text) - len(close)]

    return middle_of


def _pair(
    inner: tuple[Piece, ...], item_open: str, item_close: str, layout: ValueLayout
) -> tuple[tuple[Part, ...], Mapping[JsonType, Value], tuple[Part, ...]]:
    """Return the parts of a pair: its opening, key, what leads to the value, the value and its closing."""
    closing = align(layout.after, TOKENS)
    parts: list[Part] = [Text(text=item_open)] if item_open else []
    parts += [Field(field=FieldName.KEY), *layout.before, Field(field=FieldName.VALUE), *to_parts(closing)]
    return merge(parts), layout.values, to_parts(closing)


def _notation(
    call_text: CallText, layout: ValueLayout, item_open: str, close: str, closing: tuple[Part, ...], special: tuple[str, ...]
) -> Notation | None:
    """Return the notation of nested values, or ``None`` where none is needed or none can be read."""
    if not layout.custom:
        return None
    before = "".join(part.text for part in layout.before if isinstance(part, Text))
    middle_of = _middle(call_text, item_open, close)

    def region(value: Any) -> str | None:
        text = middle_of(value)
        if text is None or not text.startswith(before) or not text.endswith(layout.after):
            return None
        return text[len(before) : len(text) - len(layout.after)]

    return Notation(object=_nested_object(region, special), array=_nested_array(region, special), values=layout.values)


def _nested_object(region: Callable[[Any], str | None], special: tuple[str, ...]) -> PairList | None:
    texts = [region({sentinels.key(1, i): sentinels.value(1, i) for i in range(count)}) for count in (1, 2, 3)]
    cuts = [cut for text in texts if text is not None and (cut := _cut_pairs(align(text, TOKENS))) is not None]
    if not cuts:
        return None
    pairs = _cut_all(cuts, special)
    if pairs is None:
        return None
    base = region({}) or ""

    def middle_of(value: Any) -> str | None:
        text = region({sentinels.key(1, 0): value})
        lead = pairs.heads[0] + pairs.item_open + sentinels.key(1, 0)
        if text is None or not text.startswith(lead) or not text.endswith(pairs.close):
            return None
        return text[len(lead) : len(text) - len(pairs.close)].replace(sentinels.key(1, 0), sentinels.key(0, 0))

    layout = infer_values(lambda value: _swap(middle_of, value))
    if layout is None:
        return None
    pair, _, _ = _pair((), pairs.item_open, "", layout)
    empty = None if base == pairs.heads[0] + pairs.close else base
    quotes = _quotes(pairs.item_open, cuts[0].inner)
    return PairList(open=pairs.heads[0], pair=pair, separator=pairs.separator, close=pairs.close, empty=empty, key_quotes=quotes)


def _swap(middle_of: Callable[[Any], str | None], value: Any) -> str | None:
    text = middle_of(sentinels.value(1, 0) if value == sentinels.value(0, 0) else value)
    return None if text is None else text.replace(sentinels.value(1, 0), sentinels.value(0, 0))


def _nested_array(region: Callable[[Any], str | None], special: tuple[str, ...]) -> ItemList | None:
    texts = [region([sentinels.value(1, i) for i in range(count)]) for count in (1, 2, 3)]
    heads, betweens, tails = [], [], []
    for text in texts:
        if text is None:
            continue
        pieces = align(text, TOKENS)
        literals = [piece for piece in pieces if isinstance(piece, str)]
        if len(literals) < 2:
            continue
        heads.append(literals[0])
        betweens += literals[1:-1]
        tails.append(literals[-1])
    if not heads:
        return None
    items = cut_list(heads, betweens, tails, special=special, heads_after_value=True)
    if items is None:
        return None
    numbers = region([sentinels.INTEGER])
    opening, closing = items.item_open, items.item_close
    if numbers is not None and str(sentinels.INTEGER) in numbers:
        before, after = numbers.split(str(sentinels.INTEGER), 1)
        opening = _own(opening, before[len(items.heads[0]) :])
        closing = closing[: len(after) - len(items.close)] if after.endswith(items.close) else closing
    parts: list[Part] = [Text(text=opening)] if opening else []
    parts.append(Field(field=FieldName.VALUE))
    if closing:
        parts.append(Text(text=closing))
    empty = region([])
    empty = None if empty == items.heads[0] + items.close else empty
    return ItemList(open=items.heads[0], item=tuple(parts), separator=items.separator, close=items.close, empty=empty)


def _own(opening: str, before_number: str) -> str:
    """Return the part of an item's opening that numbers have too: the rest are a string's own quotes."""
    return opening if before_number == opening else opening[: len(before_number)] if opening.startswith(before_number) else before_number
