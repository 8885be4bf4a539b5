"""The arguments of a field call: one JSON object, bare text, or pairs, with what closes the call behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from untemplate.lower.bodies import CUT
from untemplate.lower.closing import (
    begun,
    close_after_pairs,
    close_after_value,
    close_of_whole,
    confirm_close,
    doubled_close,
    spaced_chunks,
    stray_brackets,
)
from untemplate.lower.marks import (
    EMPTY,
    NEVER,
    SPACE,
    any_of,
    chunks,
    is_marker,
    literals,
    loose,
    many,
    maybe,
    next_chunk,
    white_after,
    white_before,
)
from untemplate.lower.notation import add_nested
from untemplate.lower.pair_parts import PairParts, closes_and_opens, cut_pair, key_marks, key_node
from untemplate.lower.tags import Code, Kind
from untemplate.lower.values import Around, Close, is_json_like, typed_value_node, value_node
from untemplate.lower.vocabulary import Vocabulary, name_like
from untemplate.peg import builder as b
from untemplate.peg.nodes import End, Json, JsonKind, Literal, Node, Until
from untemplate.spec.model import Arguments, Encoding, Field, FieldName, JsonType, PairList, Part, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """What comes after the arguments of a call."""

    tail: tuple[str, ...]
    """The chunks of the call's close."""
    structure: Node
    """What may follow a call (another one, the end of the section or of the turn), as a look-ahead without white space before it."""
    stops: tuple[str, ...]
    """Texts that ``structure`` may begin with."""


def arguments_start(arguments: Arguments | None, vocabulary: Vocabulary, behind: Behind) -> Node:
    """Return the look-ahead that tells that arguments (or the call's close) follow a name."""
    ends = any_of(spaced_chunks(behind.tail[:1]), b.seq(SPACE, any_of(End(), behind.structure)))
    if arguments is None:
        return b.peek(ends)
    if arguments.encoding in (Encoding.JSON, Encoding.PYTHON):
        return b.peek(any_of(b.seq(SPACE, any_of(b.lit("{"), b.lit('"'), b.seq(b.lit("["), SPACE, b.lit("{")))), ends))
    if arguments.encoding is Encoding.RAW:
        return b.negate(name_like(emit=False))
    assert arguments.object is not None
    opening = chunks(arguments.object.open)
    if opening:
        return b.peek(any_of(spaced_chunks(opening[:1]), ends))
    brace = b.lit("{") if is_marker(cut_pair(arguments.object).opening) else NEVER
    return b.peek(any_of(b.seq(SPACE, any_of(_pair_next(arguments, vocabulary, separated=False), brace)), ends))


def arguments_node(
    arguments: Arguments | None, vocabulary: Vocabulary, behind: Behind, rules: b.ArenaBuilder, *, whole: bool, implied: bool = False
) -> Node:
    """Return the arguments and the close of the call. Rules it needs are added to ``rules``.

    Args:
        whole: nothing may be missing.
        implied: but marks of the close may, where structure or the end follows.
    """
    ended = arguments is not None and arguments.encoding in (Encoding.JSON, Encoding.PYTHON)
    strict = close_of_whole(behind.tail, behind.structure, ended=ended) if implied else spaced_chunks(behind.tail)
    if arguments is None:
        return strict if whole else close_after_value(behind.tail)
    if arguments.encoding in (Encoding.JSON, Encoding.PYTHON):
        close = close_after_value(behind.tail) if behind.tail else stray_brackets(b.seq(SPACE, any_of(End(), behind.structure)))
        return b.seq(SPACE, _json(arguments, behind, whole=whole), strict if whole else close)
    if arguments.encoding is Encoding.RAW:
        return b.seq(SPACE, _text(behind), strict if whole else close_after_value(behind.tail))
    return _pairs(arguments, vocabulary, behind, rules, whole=whole, implied=implied)


def _json(arguments: Arguments, behind: Behind, *, whole: bool) -> Node:
    """Return one object, maybe in a list; a string that holds it; or nothing where the close follows at once."""
    text = b.tag(Kind.ARGUMENTS_TEXT, Json(kind=JsonKind.STRING, decoded=True))
    nothing = b.peek(spaced_chunks(behind.tail[:1])) if behind.tail else b.peek(b.seq(SPACE, any_of(End(), behind.structure)))
    missing = EMPTY if whole else any_of(b.seq(b.peek(b.seq(SPACE, End())), b.note(Code.UNCLOSED_CALL)), b.note(Code.REPAIRED))
    value = b.tag(Kind.ARGUMENTS, Json(kind=JsonKind.OBJECT, python=arguments.encoding is Encoding.PYTHON))
    return any_of(
        b.seq(b.peek(b.lit("{")), CUT, value),
        b.seq(
            b.peek(b.seq(b.lit("["), SPACE, b.lit("{"))),
            CUT,
            b.lit("["),
            SPACE,
            b.note(Code.REPAIRED),
            value,
            maybe(b.seq(SPACE, b.lit("]"))),
        ),
        b.seq(b.peek(b.seq(any_of(b.lit('"'), b.lit("'")), SPACE, b.lit("{"))), CUT, text),
        b.seq(b.lit("null"), nothing),
        b.seq(nothing, missing),
    )


def undeclared_start(arguments: Arguments | None, vocabulary: Vocabulary, behind: Behind) -> Node:
    """Return the look-ahead that tells that a name that is not declared is one: arguments are there, or a close."""
    if arguments is not None and arguments.encoding in (Encoding.JSON, Encoding.PYTHON):
        return b.peek(b.seq(SPACE, b.lit("{")))
    return arguments_start(arguments, vocabulary, behind)


def _text(behind: Behind) -> Node:
    """Return arguments that are JSON by agreement only."""
    stops = tuple(dict.fromkeys((*behind.tail[:1], *behind.stops)))
    return any_of(
        b.seq(b.peek(b.lit("{")), CUT, b.tag(Kind.ARGUMENTS, Json(kind=JsonKind.OBJECT))), b.tag(Kind.ARGUMENTS_TEXT, Until(stops=stops))
    )


_MOST_OWN = 100
"""Keys of pairs whose close repeats the key that get a tree of their own."""


def _quotes(arguments: Arguments) -> tuple[str, ...]:
    """Return the quotes that keys may stand in: those that the template writes, and its own around strings."""
    assert arguments.object is not None
    string = arguments.values.get(JsonType.STRING)
    own = string.open.strip() if string is not None and string.open.strip() == string.close.strip() else ""
    return (*arguments.object.key_quotes, own)


def _separator(pairs: PairList) -> tuple[str, ...]:
    """Return what stands between two pairs: where the template writes nothing, models write the comma of Python's calls."""
    parts = cut_pair(pairs)
    bare = not pairs.separator and not parts.opening.strip() and not parts.after
    return (",",) if bare and parts.key_end == "=" else chunks(pairs.separator)


def _pair_next(arguments: Arguments, vocabulary: Vocabulary, *, separated: bool = True) -> Node:
    """Return the look-ahead for the next pair, with a declared key."""
    pairs = arguments.object
    assert pairs is not None
    parts = cut_pair(pairs)
    end = parts.key_end
    separator = _separator(pairs) if separated else ()
    opening = b.seq(maybe(b.seq(loose(*separator), SPACE)) if separator else EMPTY, loose(parts.opening), SPACE, _doubled(parts))
    key = vocabulary.declared_key(end)
    quoted = [b.seq(b.lit(mark), key, b.lit(mark)) for mark in key_marks(parts.opening, end, _quotes(arguments))]
    ended = b.seq(SPACE, any_of(*map(b.lit, parts.key_ends))) if end else EMPTY
    return b.seq(opening, any_of(*quoted, key), any_of(ended, b.lit("\n")) if parts.ends_at_line else ended)


def _pairs(
    arguments: Arguments, vocabulary: Vocabulary, behind: Behind, rules: b.ArenaBuilder, *, whole: bool, implied: bool = False
) -> Node:
    pairs = arguments.object
    assert pairs is not None
    opening, separator = chunks(pairs.open), _separator(pairs)
    tail = (*chunks(pairs.close), *behind.tail)
    pair = _pair(arguments, pairs, vocabulary, Behind(tail=tail, structure=behind.structure, stops=behind.stops), rules)
    gap = b.seq(SPACE, maybe(b.seq(loose(*separator), SPACE))) if separator else SPACE
    empty = chunks(pairs.empty) if pairs.empty else ()
    strict = close_of_whole(tail, behind.structure, ended=False) if implied else spaced_chunks(tail)
    close = strict if whole else close_after_pairs(tail, behind.structure, chunks(cut_pair(pairs).opening))
    listed = b.seq(maybe(spaced_chunks(opening)) if opening else EMPTY, many(b.seq(gap, pair)), maybe(gap) if separator else EMPTY, close)
    if empty and empty != (*opening, *chunks(pairs.close)):
        listed = any_of(b.seq(spaced_chunks(empty), spaced_chunks(behind.tail)), listed)
    found = b.seq(b.tag(Kind.PAIRS, listed), EMPTY if whole else doubled_close(tail))
    if opening or not is_marker(cut_pair(pairs).opening):
        return found
    brace = b.seq(SPACE, b.peek(b.lit("{")), CUT, b.note(Code.REPAIRED))
    return any_of(b.seq(brace, b.tag(Kind.ARGUMENTS, Json(kind=JsonKind.OBJECT)), strict if whole else close_after_value(tail)), found)


def _pair(arguments: Arguments, pairs: PairList, vocabulary: Vocabulary, behind: Behind, rules: b.ArenaBuilder) -> Node:
    parts = cut_pair(pairs)
    nodes: list[Node] = [loose(parts.opening), SPACE, _doubled(parts)] if parts.opening.strip() else []
    if nodes and any(text.startswith(chunks(parts.opening)[0]) for text in (*behind.tail[:1], *behind.stops)):
        nodes.insert(0, b.negate(any_of(_told_apart(behind.tail, chunks(parts.opening)), behind.structure)))
    between, lead = _between(parts.between)
    if parts.key_ends == (":", "="):
        between = any_of(between, b.seq(SPACE, b.lit("="), SPACE, b.note(Code.REPAIRED)))
    if parts.ends_at_line:
        between = any_of(between, b.seq(b.peek(b.lit("\n")), b.note(Code.REPAIRED)))
    closes = _closes(arguments, parts.after)
    around = Around(
        lead=lead,
        closes=closes,
        separator=chunks(pairs.separator)[0] if pairs.separator.strip() else pairs.separator[:1],
        follow=_follow(arguments, vocabulary, confirm_close(behind.tail, behind.structure, _never_behind(closes, behind))),
        implied=_implied(behind, closed=bool(closes)) if all(behind.tail[:1] != (close.stop,) for close in closes) else (),
        next_instead=_next_instead(arguments, parts, vocabulary),
        unmarked=_unmarked(behind),
        undeclared=_undeclared_next(parts, chunks(pairs.separator), _quotes(arguments)),
    )
    nested: tuple[Node, ...] = ()
    if arguments.notation is not None and not is_json_like(arguments.notation):
        nested = add_nested(arguments.notation, rules, closes[0].stop if closes else "")
    own: list[Node] = []
    if vocabulary.typed and parts.key_ends and closes and not _repeats_key(parts):
        typed = key_node(parts.opening, parts.key_ends, _quotes(arguments), known=literals(vocabulary.typed, emit=True))
        own.append(b.tag(Kind.PAIR, *nodes, typed, between, CUT, typed_value_node(arguments, around, nested)))
    for key in _closed_by_name(parts, vocabulary):
        closed = replace(around, closes=_closes(arguments, _with_key(parts.after, key)))
        name = b.tag(Kind.KEY, Literal(text=key, emit=True))
        own.append(b.tag(Kind.PAIR, *nodes, name, between, CUT, value_node(arguments, closed, nested)))
    key_of_any_name = key_node(
        parts.opening, parts.key_ends, _quotes(arguments), odd=() if parts.opening.strip() else vocabulary.odd_keys()
    )
    return any_of(*own, b.tag(Kind.PAIR, *nodes, key_of_any_name, between, CUT, value_node(arguments, around, nested)))


def _doubled(parts: PairParts) -> Node:
    """Return the opening of a pair, written again."""
    return many(b.seq(loose(parts.opening), SPACE, b.note(Code.REPAIRED))) if is_marker(parts.opening.strip()) else EMPTY


def _told_apart(tail: tuple[str, ...], opening: tuple[str, ...]) -> Node:
    """Return as much of the close of a call as tells it from the opening of a pair, which may begin with the same token."""
    alike = next(
        (size for size, (left, right) in enumerate(zip(tail, opening, strict=False)) if left != right), min(len(tail), len(opening))
    )
    return loose(*tail[: alike + 1]) if tail else NEVER


def _closed_by_name(parts: PairParts, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the keys whose pairs only a close with the same key ends: all that are declared, where it repeats them.

    Each has a tree of its own; where they are too many, a close with any key is taken.
    """
    keys = vocabulary.keys or ()
    return keys if _repeats_key(parts) and len(keys) <= _MOST_OWN else ()


def _repeats_key(parts: PairParts) -> bool:
    return any(isinstance(part, Field) and part.field is FieldName.KEY for part in parts.after)


def _with_key(after: tuple[Part, ...], key: str) -> tuple[Part, ...]:
    """Return what closes a pair with its key as text."""
    texts = (part.text if isinstance(part, Text) else key for part in after)
    return (Text(text="".join(texts)),)


def _between(parts: tuple[Part, ...]) -> tuple[Node, str]:
    """Return what stands between a key and its value, and the layout at its end. A type between two texts may be missing."""
    nodes: list[Node] = []
    lead = ""
    for index, part in enumerate(parts):
        if isinstance(part, Text):
            nodes += between_chunks(part.text, first=index == 0)
            lead = white_after(part.text)
        elif part.field is FieldName.TYPE:
            following = next_chunk(parts, index)
            nodes.append(b.tag(Kind.TYPE, Until(stops=(following, "\n")) if following else name_like()))
            lead = ""
    match parts:
        case (Text(text=before), Field(field=FieldName.TYPE), Text(text=behind)) if chunks(behind)[0].startswith(chunks(before)[0]):
            return any_of(b.seq(*nodes), b.seq(SPACE, loose(behind), b.note(Code.REPAIRED))), lead
    return b.seq(*nodes), lead


def _follow(arguments: Arguments, vocabulary: Vocabulary, close: Node) -> Node:
    """Return the look-ahead for what may follow a pair: the next one, or the close of the call, maybe behind a separator too many."""
    assert arguments.object is not None
    separator = _separator(arguments.object)
    extra = [b.seq(loose(*separator), SPACE, close)] if separator else []
    opening = begun(chunks(cut_pair(arguments.object).opening)[:1])
    return any_of(_pair_next(arguments, vocabulary), close, *extra, opening)


def between_chunks(text: str, *, first: bool) -> list[Node]:
    """Return the text between key and value; the tag that ends the key may come twice, it or the one behind it may be missing."""
    found = chunks(text)
    if not first or not closes_and_opens(found):
        return [spaced_chunks(found)] if found else []
    repaired = b.note(Code.REPAIRED)
    ended = b.seq(SPACE, b.lit(found[0]), many(b.seq(SPACE, b.lit(found[0]), repaired)))
    opened = spaced_chunks(found[1:])
    return [any_of(b.seq(ended, opened), b.seq(opened, repaired), b.seq(ended, repaired))]


def _implied(behind: Behind, *, closed: bool) -> tuple[tuple[str, Node], ...]:
    """Return the call's close as what may stand in place of a pair's. ``closed``: pairs have a close of their own."""
    if not behind.tail:
        return ()
    ended = b.peek(b.seq(SPACE, any_of(End(), behind.structure)))
    if is_marker(behind.tail[0]):
        return ((behind.tail[0], b.seq(loose(*behind.tail), ended)),)
    if len(behind.tail) > 1:
        short = ((behind.tail[1], b.seq(loose(*behind.tail[1:]), ended)),) if not closed and is_marker(behind.tail[1]) else ()
        return ((behind.tail[0], loose(*behind.tail)), *short)
    after = b.peek(b.seq(SPACE, any_of(End(), b.lit(","), behind.structure)))
    return () if closed else ((behind.tail[0], b.seq(loose(*behind.tail), after)),)


def _next_instead(arguments: Arguments, parts: PairParts, vocabulary: Vocabulary) -> tuple[tuple[str, Node], ...]:
    """Return the next pair, with a declared key, as what may stand in place of a pair's close."""
    opening = parts.opening.strip()
    return ((chunks(opening)[0], _pair_next(arguments, vocabulary)),) if is_marker(opening) and parts.key_end else ()


def _unmarked(behind: Behind) -> tuple[str, Node] | None:
    """Return the close of the call as what may stand in place of the mark that ends a value: only one with a marker is certain."""
    if not any(is_marker(chunk) for chunk in behind.tail):
        return None
    return behind.tail[0], b.seq(loose(*behind.tail), b.peek(b.seq(SPACE, any_of(End(), behind.structure))))


def _undeclared_next(parts: PairParts, separator: tuple[str, ...], quotes: tuple[str, ...]) -> Node:
    """Return the look-ahead for a next pair with any key: behind a value that is no text, what stands around a key is enough."""
    if not separator or not parts.key_ends:
        return NEVER
    marks = key_marks(parts.opening, parts.key_end, quotes)
    key = name_like(parts.key_end, emit=False)
    quoted = [b.seq(b.lit(mark), key, b.lit(mark)) for mark in marks]
    return b.seq(loose(*separator), SPACE, loose(parts.opening), any_of(*quoted, key), SPACE, any_of(*map(b.lit, parts.key_ends)))


def _never_behind(closes: tuple[Close, ...], behind: Behind) -> Node:
    """Return the closes of pairs that are markers and begin nothing else: none stands behind a call."""
    found = [close.stop for close in closes if is_marker(close.stop)]
    others = (*behind.tail, *behind.stops)
    return any_of(*(b.lit(stop) for stop in found if not any(other.startswith(stop) or stop.startswith(other) for other in others)))


def _closes(arguments: Arguments, after: tuple[Part, ...]) -> tuple[Close, ...]:
    """Return what may close a pair: the text behind its value, and before it what belongs to values of some types only."""
    own = dict.fromkeys(value.close for value in arguments.values.values() if value.close.strip() and not value.open.strip())
    lists = [(Text(text=text), *after) for text in own] if own else [after]
    return tuple(close for parts in lists if (close := _close(parts)) is not None)


def _close(after: tuple[Part, ...]) -> Close | None:
    nodes: list[Node] = []
    texts: list[str] = []
    stop = last = ""
    for index, part in enumerate(after):
        if isinstance(part, Text):
            for chunk in chunks(part.text):
                nodes += [SPACE, b.lit(chunk)] if nodes else [b.lit(chunk)]
                stop, last = stop or chunk, chunk
                texts.append(chunk)
        else:
            nodes.append(name_like(next_chunk(after, index), emit=False))
            last = ""
    trail = white_before(after[0].text) if after and isinstance(after[0], Text) else ""
    return Close(nodes=tuple(nodes), stop=stop, last=last, trail=trail, begun=begun(tuple(texts))) if stop else None
