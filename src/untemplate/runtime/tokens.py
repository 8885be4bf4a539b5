"""Token ids beside the text: they settle whether a marker is one, or was spelled out in prose.

A character that no text holds is put where the machine must not see a marker (inside one that other tokens spell), or must see
one (between a marker that is its own token and the second of the quotes around it). It is taken out of the events again. Source:
DESIGN.md section 8, rule 5.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence

from untemplate.peg.events import TEXT, Event
from untemplate.runtime.log import Log

BREAK = "\ufdd0"
"""A noncharacter of Unicode: for use inside a program only."""
_QUOTES = "`\"'"


class TokenReader:
    """Turns tokens into text for the machine."""

    __slots__ = ("_breakable", "_longest", "_markers", "_quote", "_tail", "_trusted", "breaks")

    def __init__(self, markers: Mapping[int, str], ends: Collection[str] = ()) -> None:
        """Take the markers that are one token; ``ends`` of them end a turn however they are spelled."""
        self._markers = markers
        self._breakable = tuple(marker for marker in markers.values() if marker not in ends)
        self._longest = max(map(len, self._breakable), default=0)
        self._quote = ""
        """The quote that a marker stands directly behind, where nothing has come since."""
        self._trusted = True
        """Ids and pieces have agreed so far."""
        self._tail = ""
        """The end of the text so far, behind the last marker."""
        self.breaks: Log[int] = Log()
        """Where breaks have been put, counted in the text with them."""

    def copy(self) -> TokenReader:
        """Return a reader that goes on independently."""
        other = object.__new__(TokenReader)
        other._markers, other._breakable, other._longest, other._trusted = self._markers, self._breakable, self._longest, self._trusted
        other._quote = self._quote
        other._tail, other.breaks = self._tail, self.breaks.copy()
        return other

    def marker(self, piece: bytes, token_id: int) -> str | None:
        """Return the text of a token that is a marker, ``None`` for any other.

        Where id and piece disagree, the ids are those of another vocabulary: from there on the text counts alone.
        """
        if not self._trusted:
            return None
        text = piece.decode("utf-8", "replace")
        marker = self._markers.get(token_id)
        if marker is not None and text.strip() in ("", marker):
            return text if text.strip() else marker
        if marker is not None or text.strip() in self._breakable:
            self._trusted = False
        return None

    def read_marker(self, marker: str) -> str:
        """Return the text for a marker."""
        before, self._tail = self._tail[-1:], ""
        self._quote = before if before and before in _QUOTES and marker == marker.strip() else ""
        return marker

    def read_text(self, text: str, length: int) -> str:
        """Return the text of other tokens, with every marker that they spell broken, and a break before a quote that closes around one.

        ``length``: how much text there has been before it.
        """
        if not self._trusted:
            return text
        quote, self._quote = self._quote, ""
        if quote and text.startswith(quote):
            self._note_break(length)
            return BREAK + self._with_breaks(text, length)
        return self._with_breaks(text, length)

    def _with_breaks(self, text: str, length: int) -> str:
        if not self._longest:
            self._tail = text[-1:]
            return text
        whole = self._tail + text
        shift = length - len(self._tail)
        ends = {start + len(marker) for marker in self._breakable for start in _places(whole, marker)}
        places = sorted(end - 1 for end in ends if end > len(self._tail))
        for place in places:
            self._note_break(shift + place)
        start = len(self._tail)
        pieces: list[str] = []
        for place in places:
            pieces += [whole[start:place], BREAK]
            start = place
        self._tail = whole[-self._longest :]
        return "".join([*pieces, whole[start:]])

    def position(self, place: int) -> int:
        """Return a place of the machine's text in the text without breaks."""
        return place - bisect_left(self.breaks, place)

    def _note_break(self, place: int) -> None:
        """Take notice of a break. ``place``: in the text without breaks."""
        self.breaks.append(len(self.breaks) + place)


def break_markers(text: str, ranges: Sequence[tuple[int, int]], markers: Iterable[str]) -> str:
    """Return a text with every marker broken that stands in one of the ranges."""
    known = tuple(markers)
    pieces: list[str] = []
    done = 0
    for start, stop in ranges:
        own = text[start:stop]
        pieces.append(text[done:start])
        done = start
        for place in sorted({at + len(marker) - 1 for marker in known for at in _places(own, marker)}):
            pieces += [text[done : start + place], BREAK]
            done = start + place
    return "".join([*pieces, text[done:]])


def _places(text: str, marker: str) -> list[int]:
    places: list[int] = []
    place = text.find(marker)
    while place >= 0:
        places.append(place)
        place = text.find(marker, place + 1)
    return places


def without_breaks(events: list[Event]) -> list[Event]:
    """Return the events without breaks in their text."""
    cleaned: list[Event] = []
    for event in events:
        kind, payload, position = event
        if kind == TEXT and BREAK in str(payload):
            text = str(payload).replace(BREAK, "")
            if text:
                cleaned.append((TEXT, text, position))
        else:
            cleaned.append(event)
    return cleaned
