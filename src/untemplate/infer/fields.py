"""Field calls: literal text, name, id, arguments and counters in a row; also back-references."""

from __future__ import annotations

import re
from collections.abc import Sequence

from untemplate.spec.model import Field, FieldName, Part, Text
from untemplate.text.align import Piece, Token

_KINDS = {"name": FieldName.NAME, "id": FieldName.ID, "key": FieldName.KEY, "value": FieldName.VALUE, "arguments": FieldName.ARGUMENTS}
_DIGITS = re.compile(r"\d+")


def to_parts(pieces: Sequence[Piece]) -> tuple[Part, ...]:
    """Return literals and tokens as parts of a spec, empty literals left out."""
    parts: list[Part] = []
    for piece in pieces:
        if isinstance(piece, Token):
            parts.append(Field(field=_KINDS[piece.kind]))
        elif piece:
            parts.append(Text(text=piece))
    return tuple(parts)


def shape_of(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Return the pieces with every token reduced to its kind, so that two calls can be compared."""
    return tuple(f"\0{piece.kind}" if isinstance(piece, Token) else piece for piece in pieces)


def unify(calls: Sequence[Sequence[Piece]]) -> tuple[Part, ...] | None:
    """Return the parts that the calls share, numbers that count the calls turned into counters; ``None`` where they differ otherwise.

    A number is a counter only if it changes from call to call in step with the position.
    """
    shapes = [shape_of(call) for call in calls]
    if any(len(shape) != len(shapes[0]) for shape in shapes):
        return None
    parts: list[Part] = []
    for index, piece in enumerate(calls[0]):
        column = [shape[index] for shape in shapes]
        if len(set(column)) == 1:
            parts += to_parts([piece])
            continue
        counted = _counted(column)
        if counted is None:
            return None
        parts += counted
    return merge(parts)


def _counted(column: Sequence[str]) -> list[Part] | None:
    """Return a literal with its counters, or ``None`` where the literals differ in more than numbers in step."""
    frames = {_DIGITS.sub("\0", text) for text in column}
    if len(frames) != 1:
        return None
    numbers = [[int(match) for match in _DIGITS.findall(text)] for text in column]
    parts: list[Part] = []
    literals = _DIGITS.split(column[0])
    for position, literal in enumerate(literals):
        if literal:
            parts.append(Text(text=literal))
        if position == len(literals) - 1:
            break
        run = [row[position] for row in numbers]
        if len(set(run)) == 1:
            parts.append(Text(text=_DIGITS.findall(column[0])[position]))
        elif run == list(range(run[0], run[0] + len(run))):
            parts.append(Field(field=FieldName.COUNTER, start=run[0]))
        else:
            return None
    return parts


def merge(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return the parts with neighbouring literals joined."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, Text) and merged and isinstance(merged[-1], Text):
            merged[-1] = Text(text=merged[-1].text + part.text)
        else:
            merged.append(part)
    return tuple(merged)
