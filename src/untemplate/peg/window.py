"""The part of the input that the machine can see, and what it may have to go back to."""

from __future__ import annotations

from typing import Final

_SMALL: Final = 1_024
"""Characters of an archived piece that grows by the next one."""
_Archive = tuple["_Archive | None", int, str]


class Window:
    """Text from ``start`` (an absolute position) on, with ``index`` the place of the machine in it.

    Adding a chunk costs what the chunk costs: text before the place of the machine leaves the window. Where an open choice
    may go back to it, it is kept in a linked archive, which a copy shares, and joined only when the choice does go back.
    """

    __slots__ = ("archive", "ended", "index", "start", "text")

    def __init__(self) -> None:
        self.text = ""
        self.start = 0
        self.index = 0
        self.ended = False
        self.archive: _Archive | None = None

    @property
    def position(self) -> int:
        """The absolute position of the machine."""
        return self.start + self.index

    def append(self, text: str, oldest: int) -> None:
        """Add a chunk; nothing before ``oldest`` is asked for again, but for one character before the machine's place."""
        cut = self.index - 1
        if cut > 0:
            if oldest < self.start + cut:
                self._keep(self.archive if oldest < self.start else None, self.text[:cut])
            else:
                self.archive = None
            self.start += cut
            self.index = 1
            self.text = self.text[cut:] + text
        else:
            self.text += text

    def _keep(self, below: _Archive | None, text: str) -> None:
        """Put the beginning of the window into the archive; small pieces are joined, so that their number does not matter."""
        if below is not None and len(below[2]) < _SMALL:
            self.archive = (below[0], below[1], below[2] + text)
        else:
            self.archive = (below, self.start, text)

    def seek(self, position: int) -> None:
        """Go back to an absolute position that ``append`` was told to keep."""
        if position < self.start:
            parts = [self.text]
            while position < self.start:
                assert self.archive is not None, "text that was let go is asked for"
                self.archive, self.start, piece = self.archive
                parts.append(piece)
            parts.reverse()
            self.text = "".join(parts)
        self.index = position - self.start

    def text_from(self, position: int) -> str:
        """Return the text from an absolute position on that ``append`` was told to keep."""
        parts, start, archive = [self.text], self.start, self.archive
        while position < start and archive is not None:
            archive, start, piece = archive
            parts.append(piece)
        parts.reverse()
        return "".join(parts)[position - start :]

    def copy(self) -> Window:
        """Return a window that goes on independently, at a constant cost."""
        other = Window()
        other.text = self.text
        other.start = self.start
        other.index = self.index
        other.ended = self.ended
        other.archive = self.archive
        return other
