"""Named pieces of a turn's text: what is a marker, what is content, what is a call's name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from untemplate.spec.model import Marker


class Kind(StrEnum):
    """What a piece of a turn is."""

    PROMPT = "prompt"
    """What the template appends to ask for the turn."""
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
    """What stands between two calls, or between two blocks that are messages of their own."""
    END = "end of turn"


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a turn and what it is."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces that are shown together, under the name of what they are."""

    label: Kind
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """All of the row's text."""
        return "".join(piece.text for piece in self.pieces)


_IN_CALL = frozenset((Kind.CALL, Kind.NAME, Kind.ID, Kind.KEY, Kind.VALUE))


def group_rows(pieces: Iterable[Piece]) -> tuple[Row, ...]:
    """Return pieces as rows, those of one call together; white space alone goes with what stands before it."""
    rows: list[Row] = []
    for label, group in groupby(pieces, lambda piece: Kind.CALL if piece.kind in _IN_CALL else piece.kind):
        row = Row(label, tuple(group))
        if rows and not row.text.strip():
            rows[-1] = Row(rows[-1].label, rows[-1].pieces + row.pieces)
        else:
            rows.append(row)
    return tuple(rows)


def marker_piece(kind: Kind, marker: Marker | None) -> Iterator[Piece]:
    """Yield a marker as the template writes it, if there is one."""
    if marker is not None and marker.text:
        yield Piece(kind, marker.text)
