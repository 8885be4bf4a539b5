"""Text that only grows, with cheap copies: for marks that a session may go back to."""

from __future__ import annotations


class Log:
    """Pieces of text in order. A copy shares them until one of the two goes its own way."""

    __slots__ = ("_pieces", "_size")

    def __init__(self, pieces: list[str] | None = None, size: int = 0) -> None:
        self._pieces: list[str] = [] if pieces is None else pieces
        self._size = size

    def append(self, text: str) -> None:
        """Add a piece."""
        if len(self._pieces) != self._size:
            self._pieces = self._pieces[: self._size]
        self._pieces.append(text)
        self._size += 1

    def copy(self) -> Log:
        """Return a log that goes on independently, at a constant cost."""
        return Log(self._pieces, self._size)

    def __bool__(self) -> bool:
        return self._size > 0

    def __str__(self) -> str:
        return "".join(self._pieces if len(self._pieces) == self._size else self._pieces[: self._size])
