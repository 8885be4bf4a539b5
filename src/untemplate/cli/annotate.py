"""A turn's text cut into pieces that are named: what is a marker, what is content, what is a call's name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from untemplate.spec.model import CallForm, Field, FieldName, Marker, Part, Spec, Text


class Kind(StrEnum):
    """What a piece of a turn is."""

    REASONING_OPENS = "reasoning opens"
    REASONING = "reasoning"
    REASONING_CLOSES = "reasoning closes"
    CONTENT_OPENS = "content opens"
    CONTENT = "content"
    CONTENT_CLOSES = "content closes"
    SECTION_OPENS = "calls open"
    SECTION_CLOSES = "calls close"
    CALL_OPENS = "call opens"
    CALL_CLOSES = "call closes"
    CALL = "call"
    """Literal text inside a call."""
    NAME = "name"
    ID = "id"
    KEY = "key"
    VALUE = "value"
    BETWEEN = "between"
    """A frame's text between two blocks."""
    END = "end of turn"
    LAYOUT = "layout"
    """White space that belongs to the marker beside it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a turn and what it is."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces that are shown on one line, under the name of what they are together."""

    label: Kind
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """All of the row's text."""
        return "".join(piece.text for piece in self.pieces)


_IN_CALL = frozenset((Kind.CALL, Kind.NAME, Kind.ID, Kind.KEY, Kind.VALUE))


def cut_turn(text: str, spec: Spec, values: Mapping[str, Kind]) -> tuple[Piece, ...]:
    """Return a turn's text in pieces; ``values`` says what the distinctive texts that it was made from are.

    Joined, the pieces are ``text`` again. What is neither a value nor a marker is part of the call around it, or layout.
    """
    known = {**dict(spec_literals(spec)), **values}
    pattern = "|".join(re.escape(literal) for literal in sorted(known, key=len, reverse=True) if literal)
    pieces: list[Piece] = []
    at = 0
    for found in re.finditer(pattern, text) if pattern else ():
        if found.start() > at:
            pieces.extend(_unnamed(text[at : found.start()], pieces))
        pieces.append(Piece(known[found.group()], found.group()))
        at = found.end()
    if at < len(text):
        pieces.extend(_unnamed(text[at:], pieces))
    return tuple(pieces)


def _unnamed(text: str, before: list[Piece]) -> Iterator[Piece]:
    if not (before and before[-1].kind in _IN_CALL):
        rest = text.lstrip()
        if len(rest) < len(text):
            yield Piece(Kind.LAYOUT, text[: len(text) - len(rest)])
        text = rest
    if text:
        yield Piece(Kind.CALL, text)


def group_rows(pieces: tuple[Piece, ...]) -> tuple[Row, ...]:
    """Return pieces as rows: a call's pieces together, white space of layout with what stands before it."""
    rows: list[Row] = []
    for piece in pieces:
        label = Kind.CALL if piece.kind in _IN_CALL else piece.kind
        last = rows[-1] if rows else None
        if last and (label is Kind.LAYOUT or (label is Kind.CALL and last.label is Kind.CALL)):
            rows[-1] = Row(last.label, (*last.pieces, piece))
        else:
            rows.append(Row(label, (piece,)))
    return tuple(rows)


def spec_literals(spec: Spec) -> Iterator[tuple[str, Kind]]:
    """Yield the literal texts of a spec with what they are; a text that is several things comes with the likeliest last."""
    turn = spec.turn
    for end in (*spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls):
        yield end.strip(), Kind.END
    if turn.frame:
        yield turn.frame.separator.core, Kind.BETWEEN
    yield from _cores(turn.content.open, Kind.CONTENT_OPENS)
    yield from _cores(turn.content.close, Kind.CONTENT_CLOSES)
    if (beside := turn.content.with_calls) is not None:
        yield from _cores((beside.open,), Kind.CONTENT_OPENS)
        yield from _cores((beside.close,), Kind.CONTENT_CLOSES)
    yield from _cores(turn.reasoning.open, Kind.REASONING_OPENS)
    yield from _cores(turn.reasoning.close, Kind.REASONING_CLOSES)
    if turn.calls is not None:
        yield from _cores((turn.calls.section.open,), Kind.SECTION_OPENS)
        yield from _cores((turn.calls.section.close,), Kind.SECTION_CLOSES)
        for form in turn.calls.forms:
            yield from _cores((form.open,), Kind.CALL_OPENS)
            yield from _cores((form.close,), Kind.CALL_CLOSES)


def _cores(markers: tuple[Marker | None, ...], kind: Kind) -> Iterator[tuple[str, Kind]]:
    for marker in markers:
        if marker is not None and marker.core.strip():
            yield marker.core, kind


# --- layouts in one line -----------------------------------------------------------------------------------------------


def sketch_parts(parts: tuple[Part, ...]) -> tuple[Piece, ...]:
    """Return parts of a call or a pair as pieces, each field as its name in capitals."""
    return tuple(_sketch_part(part) for part in parts)


def _sketch_part(part: Part) -> Piece:
    match part:
        case Text():
            return Piece(Kind.CALL, part.text)
        case Field():
            return Piece(_FIELD_KINDS.get(part.field, Kind.VALUE), part.field.value.upper())
    assert_never(part)


_FIELD_KINDS = {FieldName.NAME: Kind.NAME, FieldName.ID: Kind.ID, FieldName.COUNTER: Kind.ID, FieldName.KEY: Kind.KEY}


def sketch_call(form: CallForm) -> tuple[Piece, ...]:
    """Return one form of a call as pieces, with its own markers around it."""
    inner = sketch_parts(form.fields)
    if form.json is not None:
        inner = (Piece(Kind.CALL, _sketch_json(form)),)
    close = (Piece(Kind.CALL_CLOSES, form.close.text),) if form.close else ()
    return (Piece(Kind.CALL_OPENS, form.open.text), *inner, *close)


def _sketch_json(form: CallForm) -> str:
    json = form.json
    assert json is not None
    if json.name_is_key:
        text = "{NAME: ARGUMENTS}"
    else:
        paths = {"NAME": json.name, "ARGUMENTS": json.arguments, "ID": json.id or ()}
        members = [f"{'.'.join(path)}: {what}" for what, path in paths.items() if path]
        members += [f"{key}: {value}" for key, value in json.extra.items()]
        text = "{" + ", ".join(members) + "}"
    return f"[{text}, …]" if json.array else text
