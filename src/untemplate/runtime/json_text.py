"""Arguments that come as decoded text: JSON that the model wrote inside a string, or plain text."""

from __future__ import annotations

from functools import cache

from untemplate.peg import builder as b
from untemplate.peg.events import MENDED, NOTE, TEXT, Event
from untemplate.peg.machine import Machine
from untemplate.peg.nodes import Cut, Json, JsonKind, Space, Until
from untemplate.peg.program import Program, compile_program
from untemplate.runtime.values import escape

_PLAIN = "plain"
_BROKEN = "broken"


@cache
def _program() -> Program:
    """Return the program for an object, else for any text."""
    whole = b.seq(b.peek("{"), Cut(), b.catch(Json(kind=JsonKind.OBJECT), b.note(_BROKEN)))
    return compile_program(b.arena(b.seq(Space(), b.choice(whole, b.seq(b.note(_PLAIN), Cut(), Until(stops=()))))))


class JsonText:
    """Reads such text as it comes, and gives valid JSON."""

    __slots__ = ("_machine", "_plain", "_begun", "broken", "mended")

    def __init__(self) -> None:
        self._machine = Machine(_program())
        self._plain = False
        self._begun = False
        self.broken = False
        """The text began as an object and is none."""
        self.mended = False
        """The object was no JSON as it stood."""

    def copy(self) -> JsonText:
        """Return a reader that goes on independently."""
        other = JsonText()
        other._machine = self._machine.copy()
        other._plain, other._begun, other.broken, other.mended = self._plain, self._begun, self.broken, self.mended
        return other

    @property
    def plain(self) -> bool:
        """Whether the text is no object: it is given as one JSON string."""
        return self._plain and self._begun

    def feed(self, text: str) -> str:
        """Return the JSON that this text makes certain."""
        return self._written(self._machine.feed(text))

    def close(self) -> str:
        """Return the rest; nothing at all stands for no arguments."""
        written = self._written(self._machine.finish())
        return written + ('"' if self._plain and self._begun else "")

    def _written(self, events: list[Event]) -> str:
        pieces: list[str] = []
        for kind, payload, _ in events:
            if kind == NOTE:
                self._plain = self._plain or payload == _PLAIN
                self.broken = self.broken or payload == _BROKEN
                self.mended = self.mended or payload == MENDED
            elif kind == TEXT:
                if self._plain:
                    pieces.append(escape(str(payload)) if self._begun else '"' + escape(str(payload)))
                else:
                    pieces.append(str(payload))
                self._begun = True
        return "".join(pieces)
