"""The events inside a call: its name, its id, and its arguments in whichever form the model wrote them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.lower.tags import CallData, Code, Kind, ValueData
from untemplate.lower.tool_schema import property_of
from untemplate.peg.events import ABORT, CLOSE, MENDED, NOTE, OPEN, Event
from untemplate.peg.nodes import Tag
from untemplate.runtime.calls import CallState
from untemplate.runtime.json_text import JsonText
from untemplate.runtime.message import ToolCallDelta
from untemplate.runtime.pair_value import PairValue

_NAMESPACE = re.compile(r"(?:functions?|tools?|default_api|api)[.:/]")
"""What models put before the name of a tool; any other prefix makes the name another tool's."""
_WORDS = frozenset({Kind.NAME, Kind.KEY, Kind.TYPE, Kind.ID})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the reading of a turn depends on beside the events."""

    schemas: Mapping[str, Any]
    """The parameters of each declared tool."""
    new_id: Callable[[], str]
    base: int = 0
    """Where the turn's own text begins: before it stands what the prompt had already written."""
    keep: int = 0
    """Text from here on belongs to the message."""
    most_calls: int | None = None
    """More calls than these were not asked for; they are given all the same."""
    named: str | None = None
    """The only tool that was asked for."""


Problem = tuple[str, str]
"""A diagnostic's code and what it is about."""


class CallReader:
    """Reads the events of one call."""

    def __init__(self, index: int, data: CallData, reading: Reading) -> None:
        self.state = CallState(index, data, reading.new_id)
        self.problems: list[Problem] = []
        """What has been found since they were last taken."""
        self.truncated = False
        self.ended = False
        self._reading = reading
        self._words: dict[str, list[str]] = {}
        """The text so far of the names, ids, keys and labels that are open."""
        self._key = ""
        self._label: str | None = None
        self._muted = False
        """The call has the key already: its value is passed over."""
        self._open: list[str] = []
        self._value: PairValue | None = None
        self._text: JsonText | None = None

    def copy(self) -> CallReader:
        """Return a reader that goes on independently."""
        other = CallReader.__new__(CallReader)
        other.state = self.state.copy()
        other.problems = self.problems.copy()
        other.truncated = self.truncated
        other.ended = self.ended
        other._reading = self._reading
        other._words = {kind: pieces.copy() for kind, pieces in self._words.items()}
        other._key, other._label, other._muted = self._key, self._label, self._muted
        other._open = self._open.copy()
        other._value = None if self._value is None else self._value.copy()
        other._text = None if self._text is None else self._text.copy()
        return other

    def read(self, event: Event) -> list[ToolCallDelta]:
        """Return what an event makes new of the call."""
        kind, payload, _ = event
        if kind == NOTE:
            return self._note(str(payload))
        if kind == OPEN:
            assert isinstance(payload, Tag)
            return self._begin(payload)
        if kind == CLOSE:
            assert isinstance(payload, Tag)
            return self._close(payload)
        if kind == ABORT:
            return self._abort()
        return self._add(str(payload))

    def _note(self, code: str) -> list[ToolCallDelta]:
        if code == Code.UNKNOWN_TOOL and self.state.name in self._reading.schemas:
            return []  # the name is declared: only its namespace, or an argument, is not
        self.problems.append((Code.REPAIRED if code == MENDED else code, self.state.name or ""))
        if code == Code.INCOMPLETE_CALL or (code == Code.UNCLOSED_CALL and (self.truncated or not self.state.begun)):
            self.state.complete = False
        return []

    def _begin(self, tag: Tag) -> list[ToolCallDelta]:
        self._open.append(tag.kind)
        if self._value is not None:
            self._value.begin(tag)
            return []
        match tag.kind:
            case Kind.NAME | Kind.ID | Kind.KEY | Kind.TYPE:
                self._words[tag.kind] = []
            case Kind.PAIR:
                self._label = None
            case Kind.ARGUMENTS_TEXT if not self.state.arguments_done:
                self._text = JsonText()
                return self.state.start_arguments()
            case Kind.ARGUMENTS | Kind.PAIRS if not self.state.arguments_done:
                return self.state.start_arguments()
            case Kind.VALUE:
                self._begin_value(tag)
        return []

    def _begin_value(self, tag: Tag) -> None:
        assert isinstance(tag.data, ValueData)
        root = self._reading.schemas.get(self.state.name or "")
        schema = property_of(root, self._key, root) if root is not None else None
        self._value = PairValue(tag.data, schema, root, self._label, muted=self._muted)

    def _taken(self, kind: Kind) -> str:
        """Return the text of a word that ends here."""
        return "".join(self._words.pop(kind))

    def _close_name(self) -> list[ToolCallDelta]:
        deltas = self.state.set_name(self._declared_name(self._taken(Kind.NAME).strip()))
        most, named = self._reading.most_calls, self._reading.named
        if (most is not None and self.state.index >= most) or (named is not None and self.state.name != named):
            self.problems.append((Code.UNEXPECTED_CALL, self.state.name or ""))
        return deltas

    def _declared_name(self, written: str) -> str:
        """Return the declared name that is meant: models put a namespace before it, such as ``functions.``."""
        name = written
        while name not in self._reading.schemas:
            namespace = _NAMESPACE.match(name)
            if namespace is None:
                return written
            name = name[namespace.end() :]
        if name != written:
            self.problems.append((Code.REPAIRED, name))
        return name

    def _close_key(self) -> list[ToolCallDelta]:
        self._key = self._taken(Kind.KEY).strip()
        lead = self.state.key(self._key)
        self._muted = lead is None
        if lead is None:
            self.problems.append((Code.REPEATED_KEY, self._key))
        return self.state.write(lead or "")

    def _add(self, text: str) -> list[ToolCallDelta]:
        if self._value is not None:
            return self.state.write(self._value.feed(text))
        words = [kind for kind in self._open if kind in _WORDS]
        if words:
            for kind in words:
                self._words[kind].append(text)
            return []
        if self.state.arguments_done or not self._open:
            return []
        if self._open[-1] == Kind.ARGUMENTS:
            return self.state.write(text)
        return self.state.write(self._text.feed(text)) if self._text is not None else []

    def _close(self, tag: Tag) -> list[ToolCallDelta]:
        if not self._open:
            self.ended = True
            return self.state.end()
        self._open.pop()
        if self._value is not None and tag.kind != Kind.VALUE:
            self._value.close_inner(tag)
            return []
        match tag.kind:
            case Kind.NAME:
                return self._close_name()
            case Kind.ID:
                return self.state.set_id(self._taken(Kind.ID))
            case Kind.KEY:
                return self._close_key()
            case Kind.TYPE:
                self._label = self._taken(Kind.TYPE).strip()
            case Kind.VALUE:
                return self._close_value()
            case Kind.ARGUMENTS:
                self.state.arguments_done = True
            case Kind.ARGUMENTS_TEXT:
                return self._close_text()
            case Kind.PAIRS:
                return self._close_pairs()
        return []

    def _close_value(self) -> list[ToolCallDelta]:
        assert self._value is not None
        value, self._value = self._value, None
        written = value.close()
        if not value.fits:
            self.problems.append(("schema_error", self._key))
        return self.state.write(written)

    def _close_text(self) -> list[ToolCallDelta]:
        if self._text is None or self.state.arguments_done:
            return []
        text, self._text = self._text, None
        self.state.arguments_done = True
        written = text.close()
        if text.broken:
            self.state.complete = False
            self.problems.append((Code.INCOMPLETE_CALL, self.state.name or ""))
        elif text.plain or text.mended:
            self.problems.append((Code.NOT_JSON if text.plain else Code.REPAIRED, self.state.name or ""))
        return self.state.write(written)

    def _close_pairs(self) -> list[ToolCallDelta]:
        self.state.arguments_done = True
        if not self.state.complete:
            return []
        return self.state.write("}" if self.state.pairs_open else "{}")

    def _abort(self) -> list[ToolCallDelta]:
        if not self._open:
            self.ended = True
            self.state.complete = False
            return self.state.end()
        kind = self._open.pop()
        self._words.pop(kind, None)
        if kind == Kind.VALUE and self._value is not None:
            value, self._value = self._value, None
            return self.state.write(value.cut())
        if kind == Kind.ARGUMENTS_TEXT:
            self._text = None
        return []
