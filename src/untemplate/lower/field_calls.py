"""Calls that are literal text with fields in between: name, id, arguments, counters."""

from __future__ import annotations

from dataclasses import replace

from untemplate.lower.arguments import Behind, arguments_node, arguments_start, undeclared_start
from untemplate.lower.bodies import CallBody, Way
from untemplate.lower.marks import EMPTY, NEVER, SPACE, chunks, is_marker, loose, maybe, next_chunk
from untemplate.lower.tags import CallData, Code, Kind
from untemplate.lower.vocabulary import Vocabulary, any_name, name_like
from untemplate.peg import builder as b
from untemplate.peg.nodes import Literal, Node, Until
from untemplate.spec.model import CallForm, Encoding, Field, FieldName, Part, Text

_DIGITS = b.chars("0-9", 1, None, emit=False)
_DIGITS_OF_ID = b.chars("0-9", 1, None)


def inner_opening(form: CallForm) -> tuple[str, ...]:
    """Return the chunks that a field call begins with behind its opening marker."""
    return chunks(form.fields[0].text) if form.fields and isinstance(form.fields[0], Text) else ()


def inner_closing(form: CallForm) -> tuple[str, ...]:
    """Return the chunks that a field call ends with before its closing marker."""
    place = max(_place(form, FieldName.ARGUMENTS), _late_name(form) or 0)
    return tuple(chunk for part in form.fields[place + 1 :] if isinstance(part, Text) for chunk in chunks(part.text))


def _place(form: CallForm, name: FieldName) -> int:
    """Return where a field stands first, the number of fields where it does not."""
    return next((index for index, part in enumerate(form.fields) if _is(part, name)), len(form.fields))


def _late_name(form: CallForm) -> int | None:
    """Return where the name stands, if only behind the arguments."""
    place = _place(form, FieldName.NAME)
    return place if _place(form, FieldName.ARGUMENTS) < place < len(form.fields) else None


def begins_with_name(form: CallForm) -> bool:
    """Return whether a field call begins with its name, or with an id that holds it."""
    named = any(_is(part, FieldName.NAME) for part in form.fields)
    first = form.fields[0] if form.fields else None
    return first is not None and (
        _is(first, FieldName.NAME) or (form.id_parts or (1, 1))[0] == 0 or (not named and _is(first, FieldName.ID))
    )


def field_call(form: CallForm, vocabulary: Vocabulary, behind: Behind, rules: b.ArenaBuilder, *, implied: bool = True) -> CallBody:
    """Return the body of a call of literal text and fields.

    Args:
        behind: what closes the call, and what may follow it.
        implied: a whole call may lack marks of its close where structure or the end follows.
    """
    place = _place(form, FieldName.ARGUMENTS)
    before, after = form.fields[:place], form.fields[place + 1 :]
    if _late_name(form) is not None:
        return _named_behind(form, vocabulary, behind, rules)
    tail = (*inner_closing(form), *behind.tail)
    behind = Behind(tail=tail, structure=behind.structure, stops=behind.stops)
    any_key = vocabulary.with_any_key()
    start = undeclared_start(form.arguments, any_key, behind)
    unknown, remaining = _head(form, before, None, start)
    unknown_whole = b.seq(*remaining, start, arguments_node(form.arguments, any_key, behind, rules, whole=True))
    paired = form.arguments is not None and form.arguments.object is not None
    ways = [_known(form, before, part, behind, rules, implied=implied) for part in (vocabulary.parts if paired else (vocabulary,))]
    ways[0] = replace(ways[0], unknown=unknown, unknown_whole=unknown_whole)
    short = _without_separator(form, before, vocabulary)
    if short is not None:
        ways.append(replace(ways[0], head=short, unknown=NEVER))
    return CallBody(ways=tuple(ways), data=_data(form, after))


def _known(
    form: CallForm, before: tuple[Part, ...], vocabulary: Vocabulary, behind: Behind, rules: b.ArenaBuilder, *, implied: bool
) -> Way:
    """Return the way to write a call to the tools of a vocabulary. ``before``: what stands before the arguments."""
    head, remaining = _head(form, before, vocabulary.name(), arguments_start(form.arguments, vocabulary, behind))
    return Way(
        head=head,
        unknown=NEVER,
        rest=b.seq(*remaining, arguments_node(form.arguments, vocabulary, behind, rules, whole=False)),
        whole=b.seq(*remaining, arguments_node(form.arguments, vocabulary, behind, rules, whole=True, implied=implied)),
        unknown_whole=NEVER,
    )


def _named_behind(form: CallForm, vocabulary: Vocabulary, behind: Behind, rules: b.ArenaBuilder) -> CallBody:
    """Return the body of a call whose arguments come first: they wait until the name is known."""
    place, named = _place(form, FieldName.ARGUMENTS), _late_name(form) or 0
    before, between = form.fields[:place], form.fields[place + 1 : named]
    lead = tuple(chunk for part in between if isinstance(part, Text) for chunk in chunks(part.text))
    inside = Behind(tail=lead, structure=behind.structure, stops=behind.stops)
    arguments = arguments_node(form.arguments, vocabulary.with_any_key(), inside, rules, whole=True)
    opened = [_part(before, index, EMPTY) for index in range(len(before))]
    tail = (*inner_closing(form), *behind.tail)
    closed = b.seq(*(b.seq(SPACE, b.lit(chunk)) for chunk in tail)) if tail else EMPTY

    def head(name: Node) -> Node:
        return b.seq(*opened, b.atomic(arguments), SPACE, name)

    unknown = head(any_name(tail[0] if tail else ""))
    way = Way(head=head(vocabulary.name()), unknown=unknown, rest=closed, whole=closed, unknown_whole=closed)
    return CallBody(ways=(way,), data=_data(form, form.fields[named + 1 :]))


def _without_separator(form: CallForm, parts: tuple[Part, ...], vocabulary: Vocabulary) -> Node | None:
    """Return the head of a call whose JSON stands directly behind its name; ``None`` where nothing else stands there."""
    if form.arguments is None or form.arguments.encoding not in (Encoding.JSON, Encoding.PYTHON) or len(parts) < 2:
        return None
    *lead, name, separator = parts
    if not (_is(name, FieldName.NAME) and isinstance(separator, Text) and separator.text.strip()) or form.id_parts is not None:
        return None
    nodes = [_part(parts, index, EMPTY) for index in range(len(lead))]
    return b.seq(*nodes, SPACE, vocabulary.name(), b.peek(b.seq(SPACE, b.lit("{"))), b.note(Code.REPAIRED))


def _data(form: CallForm, after: tuple[Part, ...]) -> CallData:
    late = any(_is(part, FieldName.ID) for part in after)
    has_id = form.id_parts is not None or any(_is(part, FieldName.ID) for part in form.fields)
    return CallData(has_id=has_id, late_id=late)


def _is(part: Part, name: FieldName) -> bool:
    return isinstance(part, Field) and part.field is name


def _head(form: CallForm, parts: tuple[Part, ...], name: Node | None, start: Node) -> tuple[Node, list[Node]]:
    """Return the nodes up to the name and the first text that ends it, and the nodes left before the arguments.

    Where that text is not there (or blank), ``start`` tells that arguments follow.
    """
    first, last = form.id_parts or (len(parts), len(parts))
    last = min(last, len(parts))
    named = next((index for index, part in enumerate(parts) if _is(part, FieldName.NAME)), None)
    nodes: list[Node] = []
    index = 0
    while index < len(parts):
        if index == first and first < last:
            inside = [_in_id(parts, each, name, optional=named is None or each > named) for each in range(first, last)]
            nodes.append(b.tag(Kind.ID, *inside))
            index = last
        elif _is(parts[index], FieldName.ID) and named is None:
            nodes.append(_id_with_name(next_chunk(parts, index), name))
            index += 1
        else:
            nodes.append(_part(parts, index, name if index == named else EMPTY))
            index += 1
        if index > (len(parts) if named is None else named):
            break
    if named is None:
        index = next((each + 1 for each, part in enumerate(parts) if _is(part, FieldName.ID)), len(parts))
        nodes = nodes[:index]
    return _terminated(parts, index, nodes, start)


def _terminated(parts: tuple[Part, ...], index: int, nodes: list[Node], start: Node) -> tuple[Node, list[Node]]:
    """Return the head with the text that ends the name, and the rest."""
    while index < len(parts):
        part = parts[index]
        if isinstance(part, Text) and part.text.strip():
            return b.seq(*nodes, SPACE, loose(part.text)), [_part(parts, each, EMPTY) for each in range(index + 1, len(parts))]
        nodes.append(_part(parts, index, EMPTY))
        index += 1
    return b.seq(*nodes, start), []


def _part(parts: tuple[Part, ...], index: int, name: Node | None) -> Node:
    """Return one part; ``name``: what the name is here, ``None`` any, ``EMPTY`` a repetition of it."""
    part = parts[index]
    following = next_chunk(parts, index)
    if isinstance(part, Text):
        nodes: list[Node] = []
        for chunk in chunks(part.text):
            nodes += [SPACE, b.lit(chunk)]
        return b.seq(*nodes) if nodes else SPACE
    match part.field:
        case FieldName.NAME if name != EMPTY:
            return b.seq(SPACE, any_name(following) if name is None else name)
        case FieldName.COUNTER:
            return b.seq(SPACE, _DIGITS)
        case FieldName.ID:
            text: Node = Until(stops=(following, "\n")) if following else name_like()
            return b.seq(SPACE, b.tag(Kind.ID, text))
        case _:
            return Until(stops=(following, "\n"), emit=False) if following else name_like(emit=False)


def _in_id(parts: tuple[Part, ...], index: int, name: Node | None, *, optional: bool) -> Node:
    """Return a part of an id that is put together from several parts: its text is the id's."""
    part = parts[index]
    if isinstance(part, Text):
        text = b.seq(SPACE, Literal(text=part.text.strip(), emit=True))
        return text if is_marker(part.text) else maybe(text)
    if part.field is FieldName.NAME:
        return any_name(next_chunk(parts, index)) if name is None else name
    return maybe(_DIGITS_OF_ID) if optional else _DIGITS_OF_ID


def _id_with_name(following: str, name: Node | None) -> Node:
    """Return an id that holds the name, such as ``functions.get_weather:0``, of a form that writes no name beside it."""
    named = any_name(":") if name is None else name
    counter = b.optional(b.seq(Literal(text=":", emit=True), _DIGITS_OF_ID))
    return b.seq(SPACE, b.tag(Kind.ID, b.optional(Literal(text="functions.", emit=True)), named, counter))
