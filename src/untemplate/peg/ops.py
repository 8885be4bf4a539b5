"""The instructions of the machine. Each is called with it and returns the next instruction, ``WAIT``, ``FAIL`` or ``DONE``.

They never change. They are not frozen because that makes each three times as dear to make, and a program has thousands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from untemplate.peg.events import CLOSE, NOTE, OPEN
from untemplate.peg.frames import DONE, FAIL, OPTION, WAIT, Frame
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.nodes import Json, Tag

if TYPE_CHECKING:
    from untemplate.peg.machine import Machine

Op = Callable[["Machine"], int]

_SPACE: Final = re.compile(r"[ \t\n\r\f\v]*")


@dataclass(slots=True, eq=False)
class Match:
    """A literal."""

    text: str
    emit: bool
    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        index = window.index
        if window.text.startswith(self.text, index):
            if self.emit:
                machine.emit_text(self.text, window.start + index)
            window.index = index + len(self.text)
            return self.following
        if not window.ended and len(window.text) - index < len(self.text) and self.text.startswith(window.text[index:]):
            return WAIT
        return FAIL


@dataclass(slots=True, eq=False)
class MatchBeginning:
    """The beginning of a text, two characters or more, that the end of input cuts."""

    text: str
    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        there = window.text[window.index :]
        if len(there) >= len(self.text) or not self.text.startswith(there):
            return FAIL
        if not window.ended:
            return WAIT
        if len(there) < 2:
            return FAIL
        window.index = len(window.text)
        return self.following


@dataclass(slots=True, eq=False)
class Run:
    """Characters of a class. Nothing is read before there are enough of them."""

    pattern: re.Pattern[str]
    minimum: int
    maximum: int | None
    emit: bool
    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        text, start = window.text, window.index
        count = machine.register if isinstance(machine.register, int) else 0
        limit = len(text) if self.maximum is None else min(len(text), start + self.maximum - count)
        match = self.pattern.match(text, start, limit)
        end = start if match is None else match.end()
        count += end - start
        undecided = end == len(text) and not window.ended and (self.maximum is None or count < self.maximum)
        if count < self.minimum:
            return WAIT if undecided else FAIL
        if self.emit:
            machine.emit_text(text[start:end], window.start + start)
        window.index = end
        if undecided:
            machine.register = count
            return WAIT
        machine.register = None
        return self.following


@dataclass(slots=True, eq=False)
class Skip:
    """White space."""

    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        match = _SPACE.match(window.text, window.index)
        assert match is not None
        window.index = match.end()
        return WAIT if window.index == len(window.text) and not window.ended else self.following


@dataclass(slots=True, eq=False)
class ReadJson:
    """A JSON value."""

    node: Json
    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        reader = machine.register if isinstance(machine.register, JsonReader) else JsonReader(self.node)
        reader.start = window.start
        whole, index = reader.read(window.text, window.index, window.ended)
        if reader.pieces and self.node.emit:
            machine.emit_text("".join(reader.pieces), window.start + reader.at)
        if whole is None:
            window.index = index
            machine.register = reader
            machine.unreleased = reader.held
            return WAIT
        for code, position in reader.notes if self.node.emit else ():
            machine.emit((NOTE, code, position))
        window.seek(window.start + index)
        machine.register = None
        machine.unreleased = 0
        return self.following if whole else FAIL


@dataclass(slots=True, eq=False)
class Call:
    """A rule."""

    target: int
    following: int

    def __call__(self, machine: Machine) -> int:
        machine.frame = Frame(machine.frame, None, self.following)
        return self.target


def do_return(machine: Machine) -> int:
    """End a rule."""
    frame = machine.frame
    assert frame is not None
    machine.frame = frame.below
    return frame.number


@dataclass(slots=True, eq=False)
class Jump:
    target: int

    def __call__(self, machine: Machine) -> int:
        return self.target


@dataclass(slots=True, eq=False)
class Test:
    """One look at the next character before an option or a round of a loop. It is only taken with the character there, so that
    what is tried does not depend on how the text was cut."""

    chars: frozenset[str]
    trying: int
    following: int
    """Where the character does not fit."""

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        if window.index < len(window.text):
            return self.trying if window.text[window.index] in self.chars else self.following
        return self.trying if window.ended else WAIT


@dataclass(slots=True, eq=False)
class Enter:
    """Something that may be given up: an option, an atomic, a peek or a catch; it ends with ``Commit`` or ``Leave``."""

    kind: int
    target: int | None
    """Where a failure goes on."""
    body: int
    share: int
    """How often the means to read text again may be used up before this is not tried; 0: it is always tried."""

    def __call__(self, machine: Machine) -> int:
        if self.share and machine.refuses(self.share):
            return FAIL if self.target is None else self.target
        height = len(machine.stack)
        machine.push(self.kind, self.target)
        machine.frame = Frame(machine.frame, None, height)
        return self.body


@dataclass(slots=True, eq=False)
class Commit:
    """The end of something that may not be given up any more as a part."""

    following: int

    def __call__(self, machine: Machine) -> int:
        frame = machine.frame
        assert frame is not None
        machine.frame = frame.below
        machine.drop(frame.number)
        return self.following


@dataclass(slots=True, eq=False)
class Keep:
    """The end of a text that is remembered while what follows is read."""

    following: int

    def __call__(self, machine: Machine) -> int:
        frame, window = machine.frame, machine.window
        assert frame is not None
        start = machine.stack[frame.number].position
        text = window.text_from(start)[: window.position - start]
        machine.frame = Frame(frame.below, None, frame.number, text=text)
        machine.drop(frame.number)
        return self.following


@dataclass(slots=True, eq=False)
class Forget:
    """The end of what a text was remembered for."""

    following: int

    def __call__(self, machine: Machine) -> int:
        assert machine.frame is not None
        machine.frame = machine.frame.below
        return self.following


@dataclass(slots=True, eq=False)
class MatchSame:
    """The text remembered last."""

    following: int

    def __call__(self, machine: Machine) -> int:
        frame = machine.frame
        while frame is not None and frame.text is None:
            frame = frame.below
        return FAIL if frame is None or frame.text is None else Match(frame.text, True, self.following)(machine)


@dataclass(slots=True, eq=False)
class Leave:
    """The end of a look-ahead that matched: nothing of it stays."""

    following: int
    """``FAIL`` for a negation."""

    def __call__(self, machine: Machine) -> int:
        frame = machine.frame
        assert frame is not None
        machine.leave_look(frame.number)
        return self.following


@dataclass(slots=True, eq=False)
class StartLoop:
    head: int

    def __call__(self, machine: Machine) -> int:
        machine.frame = Frame(machine.frame, None, len(machine.stack), machine.window.position)
        return self.head


@dataclass(slots=True, eq=False)
class HeadLoop:
    """Begin a round: one that must be, one that may fail, or none."""

    body: int
    chars: frozenset[str] | None
    """One of them must be next where a round is to match; ``None``: nothing is sure."""
    minimum: int
    maximum: int | None
    share: int
    """As of ``Enter``."""
    following: int

    def __call__(self, machine: Machine) -> int:
        frame = machine.frame
        assert frame is not None
        if self.maximum is not None and frame.rounds >= self.maximum:
            machine.frame = frame.below
            return self.following
        if frame.rounds >= self.minimum:
            window = machine.window
            if self.chars is not None:
                if window.index == len(window.text):
                    if not window.ended:
                        return WAIT
                elif window.text[window.index] not in self.chars:
                    machine.frame = frame.below
                    return self.following
            machine.frame = frame.below
            if self.share and machine.refuses(self.share):
                return self.following
            machine.push(OPTION, self.following)
            machine.frame = frame
        return self.body


@dataclass(slots=True, eq=False)
class EndLoop:
    """End a round. One that was not needed and took no text is given up, and the loop ends."""

    head: int
    minimum: int
    following: int

    def __call__(self, machine: Machine) -> int:
        frame = machine.frame
        assert frame is not None
        position = machine.window.position
        if position == frame.start and frame.rounds >= self.minimum:
            if len(machine.stack) > frame.number:
                machine.leave_look(frame.number)
            machine.frame = frame.below
            return self.following
        machine.drop(frame.number)
        machine.frame = Frame(frame.below, None, len(machine.stack), position, frame.rounds + 1)
        return self.head


@dataclass(slots=True, eq=False)
class OpenTag:
    tag: Tag
    following: int

    def __call__(self, machine: Machine) -> int:
        machine.emit((OPEN, self.tag, machine.window.position))
        machine.frame = Frame(machine.frame, self.tag, 0)
        return self.following


@dataclass(slots=True, eq=False)
class CloseTag:
    tag: Tag
    following: int

    def __call__(self, machine: Machine) -> int:
        assert machine.frame is not None
        machine.frame = machine.frame.below
        machine.emit((CLOSE, self.tag, machine.window.position))
        return self.following


@dataclass(slots=True, eq=False)
class WriteNote:
    code: str
    following: int

    def __call__(self, machine: Machine) -> int:
        machine.emit((NOTE, self.code, machine.window.position))
        return self.following


@dataclass(slots=True, eq=False)
class DoCut:
    following: int

    def __call__(self, machine: Machine) -> int:
        machine.cut()
        return self.following


@dataclass(slots=True, eq=False)
class AtEnd:
    following: int

    def __call__(self, machine: Machine) -> int:
        window = machine.window
        if window.index < len(window.text):
            return FAIL
        return self.following if window.ended else WAIT


def do_fail(machine: Machine) -> int:
    """Match nothing: a choice without options."""
    return FAIL


def do_halt(machine: Machine) -> int:
    """End the root."""
    return DONE
