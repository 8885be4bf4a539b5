"""The body of a call: what stands behind its opening marker, cut where it is certain that it is a call."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.lower.marks import NEVER, any_of
from untemplate.lower.tags import CallData, Code, Kind
from untemplate.peg import builder as b
from untemplate.peg.nodes import Cut, Node

CUT = Cut()
INCOMPLETE = b.note(Code.INCOMPLETE_CALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One way to write a call."""

    head: Node
    """Up to a declared name and what ends it."""
    unknown: Node
    """The same with any name."""
    rest: Node
    """What follows, with all that is tolerated."""
    whole: Node
    """What follows, with nothing missing."""
    unknown_whole: Node
    """The same for a tool whose arguments are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBody:
    """A call behind its opening marker."""

    ways: tuple[Way, ...]
    data: CallData

    def committed(self) -> Node:
        """Return the call for where it may not be taken back once its name is there: what does not fit leaves it incomplete."""
        return any_of(*(self._call(way.head, CUT, b.catch(way.rest, INCOMPLETE)) for way in self.ways))

    def complete(self) -> Node:
        """Return the call for where it counts only as a whole."""
        return any_of(*(b.atomic(self._call(way.head, way.whole)) for way in self.ways))

    def undeclared(self) -> Node:
        """Return a whole call to a tool of any name."""
        return any_of(
            *(b.atomic(self._call(way.unknown, b.note(Code.UNKNOWN_TOOL), way.unknown_whole)) for way in self.ways if way.unknown != NEVER)
        )

    def _call(self, *nodes: Node) -> Node:
        return b.tag(Kind.CALL, *nodes, data=self.data)
