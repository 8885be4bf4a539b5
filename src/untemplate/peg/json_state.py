"""Where the reader of a JSON value stands: open containers, the keys of each, the place in a token; and what it has yet to give.

A comma waits for the item that it announces and a key for its colon, so what has been given is at any time the beginning of
valid JSON.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final, Self

from untemplate.peg.events import MENDED
from untemplate.peg.json_strings import PLAIN_MARKS, Quotes
from untemplate.peg.nodes import Json

_SPACE: Final = re.compile(r"[ \t\n\r]*")


class State(IntEnum):
    ROOT = 0
    VALUE = 1
    ITEM = 2
    """A value or the end of the array."""
    KEY = 3
    """A key or the end of the object."""
    BARE_KEY = 4
    COLON = 5
    AFTER = 6
    """A comma or the end of the container."""
    OPENED = 7
    """Directly after one quote, which may be the first of three."""
    STRING = 8
    DONE = 9


class JsonState:
    """Where a reader of one JSON value stands, and what it gives and holds."""

    __slots__ = (
        "_key",
        "_keys",
        "_muted",
        "_node",
        "_pending",
        "_python",
        "_quotes",
        "_stack",
        "_state",
        "at",
        "held",
        "notes",
        "pieces",
        "start",
    )

    def __init__(self, node: Json) -> None:
        self._node = node
        self._state = State.ROOT
        self._stack: list[str] = []
        self._keys: list[set[str] | None] = []
        self._key: list[str] | None = None
        self._pending: list[str] = []
        """A comma and the white space after it, which wait for what it announces."""
        self._muted: int | None = None
        self._quotes: Quotes = PLAIN_MARKS['"']
        self._python = node.python
        """Python is written here: single quotes have been seen, so that what only Python escapes is an escape anywhere."""
        self.held = 0
        """How many characters have been read but neither given nor dropped; they stand directly before the reader's place."""
        self.pieces: list[str] = []
        """What the last ``read`` gave; the caller takes it."""
        self.at = 0
        """Where in the text the first of the pieces was read."""
        self.start = 0
        """Where in the input the text that is read begins."""
        self.notes: list[tuple[str, int]] = []
        """What was mended or dropped, and where in the input."""

    def copy(self) -> Self:
        """Return a reader that goes on independently."""
        other = type(self)(self._node)
        other._state = self._state
        other._stack = self._stack.copy()
        other._keys = [None if keys is None else keys.copy() for keys in self._keys]
        other._key = None if self._key is None else self._key.copy()
        other._pending = self._pending.copy()
        other._muted = self._muted
        other._quotes = self._quotes
        other._python = self._python
        other.held = self.held
        other.notes = self.notes.copy()
        return other

    def _mend(self, index: int, needed: bool = True, *, python: bool = False) -> None:
        """Take notice of what is no JSON, once for all of the value; ``python``: what no Python reads either, where Python is written."""
        if needed and python >= self._node.python and not any(code == MENDED for code, _ in self.notes):
            self.notes.append((MENDED, self.start + index))

    def _emit(self, piece: str, size: int) -> None:
        """Give a piece that ``size`` characters were read for: to the key being read, or out."""
        if self._key is not None:
            self._key.append(piece)
            self.held += size
            return
        if self._muted is None:
            if self._pending:
                self.pieces += self._pending
            if piece:
                self.pieces.append(piece)
        self._pending = []
        self.held = 0

    def _space(self, text: str, index: int) -> int:
        match = _SPACE.match(text, index)
        assert match is not None
        if self._key is None and self._pending:
            self._pending.append(match.group())
            self.held += match.end() - index
        else:
            self._emit(match.group(), match.end() - index)
        return match.end()
