"""What only grows, with cheap copies: for marks that a session may go back to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

T = TypeVar("T")


class Log(Generic[T]):
    """Items in order. A copy shares them until one of the two goes its own way, so that adding one costs the same at any time."""

    __slots__ = ("_items", "_size")

    def __init__(self, items: list[T] | None = None, size: int = 0) -> None:
        self._items: list[T] = [] if items is None else items
        self._size = size

    def append(self, item: T) -> None:
        """Add an item."""
        if len(self._items) != self._size:
            self._items = self._items[: self._size]
        self._items.append(item)
        self._size += 1

    def copy(self) -> Log[T]:
        """Return a log that goes on independently, at a constant cost."""
        return Log(self._items, self._size)

    def __bool__(self) -> bool:
        return self._size > 0

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return iter(self._whole())

    def __getitem__(self, index: int) -> T:
        if not 0 <= index < self._size:
            raise IndexError(index)
        return self._items[index]

    def _whole(self) -> list[T]:
        return self._items if len(self._items) == self._size else self._items[: self._size]


_FULL: Final = 256


class TextLog:
    """Text that grows: it takes the memory of its characters, however small the pieces were."""

    __slots__ = ("_last", "_whole")

    def __init__(self) -> None:
        self._whole: Log[str] = Log()
        """Pieces joined from so many small ones that their number does not matter."""
        self._last: list[str] = []

    def append(self, text: str) -> None:
        """Add a piece."""
        self._last.append(text)
        if len(self._last) == _FULL:
            self._whole.append("".join(self._last))
            self._last = []

    def copy(self) -> TextLog:
        """Return a log that goes on independently, at a constant cost."""
        other = TextLog()
        other._whole, other._last = self._whole.copy(), self._last.copy()
        return other

    def __bool__(self) -> bool:
        return bool(self._last) or bool(self._whole)

    def __str__(self) -> str:
        return "".join((*self._whole, *self._last))
