"""Free text up to a stop: scanned at the speed of ``re``, holding back the shortest tail that may still become a stop."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from untemplate.peg.frames import BARRIER, WAIT, Frame

if TYPE_CHECKING:
    from untemplate.peg.machine import Machine

_QUOTES: Final = "`\"'"


@dataclass(frozen=True, slots=True)
class Stops:
    """Where stops stand in a text, and where one may begin at its end."""

    stops: re.Pattern[str] | None
    """The longest first; ``None``: there are no stops."""
    firsts: re.Pattern[str] | None
    prefixes: frozenset[str]
    """Proper ones."""
    longest: int
    nested: bool
    """A stop stands inside another one, so that it is none where the other may still come."""

    def find(self, text: str, index: int) -> tuple[int, int] | None:
        """Return where the first stop from ``index`` on begins and ends."""
        if self.stops is None:
            return None
        match = self.stops.search(text, index)
        return None if match is None else match.span()

    def find_tail(self, text: str, index: int) -> int:
        """Return where the shortest tail begins that may become a stop; the end of the text where there is none."""
        size = len(text)
        if self.firsts is not None:
            for match in self.firsts.finditer(text, max(index, size - self.longest + 1)):
                if text[match.start() :] in self.prefixes:
                    return match.start()
        return size


@lru_cache(maxsize=1024)
def compile_stops(stops: tuple[str, ...]) -> Stops:
    """Return what scans for these texts."""
    if not stops:
        return Stops(None, None, frozenset(), 0, False)
    ordered = sorted(set(stops), key=lambda stop: (-len(stop), stop))
    firsts = "".join(sorted({re.escape(stop[0]) for stop in ordered}))
    return Stops(
        re.compile("|".join(map(re.escape, ordered))),
        re.compile(f"[{firsts}]"),
        frozenset(stop[:size] for stop in ordered for size in range(1, len(stop))),
        len(ordered[0]),
        any(inner in outer[1:] for inner in ordered for outer in ordered if inner != outer),
    )


@dataclass(slots=True, eq=False)
class ReadUntil:
    """Text up to a stop that stands. The machine's register tells whether this text has a last character already."""

    stops: Stops
    quotable: bool
    emit: bool
    confirm: int | None
    """The look-ahead that must match at a stop."""
    guarded: bool
    """The look-ahead may read far."""
    cut: bool
    """At the end of input, the beginning of a stop counts as one."""
    passer: int
    """The instruction that takes one character of a stop as text and comes back here."""
    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        text, start = window.text, window.index
        place, found = self._next(text, start, window.ended, started=machine.register is True)
        if place > start:
            if self.emit:
                machine.emit_text(text[start:place], window.start + start)
            window.index = place
            machine.register = True
        if not found:
            if not window.ended:
                return WAIT
            machine.register = None
            return self.following
        if self.confirm is None:
            machine.register = None
            return self.following
        if self.guarded and machine.refuses(1):
            return self.passer
        machine.register = None
        height = len(machine.stack)
        machine.push(BARRIER, self.passer)
        machine.frame = Frame(machine.frame, None, height)
        return self.confirm

    def _next(self, text: str, start: int, ended: bool, *, started: bool) -> tuple[int, bool]:
        """Return up to where there is text, and whether a stop stands there."""
        index = start
        while (span := self.stops.find(text, index)) is not None:
            place, end = span
            if self.stops.nested and not ended and (tail := self.stops.find_tail(text, index)) < place:
                return tail, False
            if not self.quotable or not (place > start or started) or text[place - 1] not in _QUOTES:
                return place, True
            if not ended and (end == len(text) or text[place:] in self.stops.prefixes):
                return place, False
            if end == len(text) or text[end] != text[place - 1]:
                return place, True
            index = place + 1
        if ended and not self.cut:
            return len(text), False
        tail = self.stops.find_tail(text, index)
        return tail, ended and tail < len(text)


@dataclass(slots=True, eq=False)
class PassOne:
    """One character of a stop that does not stand, as text."""

    emit: bool
    until: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        if self.emit:
            machine.emit_text(window.text[window.index], window.position)
        window.index += 1
        machine.register = True
        return self.until
