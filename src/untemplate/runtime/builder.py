"""From the machine's events to deltas and the message."""

from __future__ import annotations

from collections.abc import Iterable

from untemplate.lower.tags import CallData, Code, Kind
from untemplate.peg.events import MENDED, NOTE, OPEN, TEXT, Event
from untemplate.peg.nodes import Tag
from untemplate.runtime.call_reader import CallReader, Reading
from untemplate.runtime.log import TextLog
from untemplate.runtime.message import Delta, Message, ToolCallDelta

Found = tuple[str, int, str]
"""A diagnostic's code, its position in what the machine read, and what it is about."""


class MessageBuilder:
    """Adds up events to a message, and tells what each of them makes new."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._content = TextLog()
        self._reasoning = TextLog()
        self.kind: str | None = None
        """The kind of text that is open."""
        self._calls: list[CallReader] = []
        self._call: CallReader | None = None
        """The call that is open."""
        self.found: list[Found] = []
        """What did not fit, since it was last taken."""

    @property
    def in_call(self) -> bool:
        """A call is open."""
        return self._call is not None

    def copy(self) -> MessageBuilder:
        """Return a builder that goes on independently."""
        other = MessageBuilder(self._reading)
        other._content, other._reasoning = self._content.copy(), self._reasoning.copy()
        other.kind = self.kind
        other._calls = self._calls.copy()
        if self._call is not None:
            other._call = self._call.copy()
            other._calls[-1] = other._call
        other.found = self.found.copy()
        return other

    def add(self, events: Iterable[Event], *, truncated: bool = False) -> list[Delta]:
        """Return what the events make new, texts of one kind joined. ``truncated``: the token limit cut the turn behind them."""
        news = _News()
        for event in events:
            kind, payload, position = event
            if self._call is not None:
                self._in_call(self._call, event, news, truncated)
            elif kind == TEXT:
                self._text(str(payload), position, news)
            elif kind == NOTE:
                self.found.append((Code.REPAIRED if payload == MENDED else str(payload), position, ""))
            elif kind == OPEN:
                assert isinstance(payload, Tag)
                self._open(payload)
            else:
                self.kind = None
        return news.deltas()

    def _open(self, tag: Tag) -> None:
        if tag.kind == Kind.CALL:
            data = tag.data if isinstance(tag.data, CallData) else CallData()
            self._call = CallReader(len(self._calls), data, self._reading)
            self._calls.append(self._call)
        else:
            self.kind = tag.kind

    def _in_call(self, call: CallReader, event: Event, news: _News, truncated: bool) -> None:
        call.truncated = truncated
        for delta in call.read(event):
            news.call(delta)
        self.found += [(code, event[2], about) for code, about in call.problems]
        call.problems = []
        if call.ended:
            self._call = None
            if not call.state.announced:
                self._calls.pop()

    def _text(self, text: str, position: int, news: _News) -> None:
        skipped = self._reading.keep - position
        if skipped > 0:
            text = text[skipped:]
        if not text:
            return
        if self.kind == Kind.REASONING:
            self._reasoning.append(text)
            news.text(text, reasoning=True)
        else:
            self._content.append(text)
            news.text(text, reasoning=False)

    def message(self) -> Message:
        """Return the message so far, without a finish reason and diagnostics."""
        calls = [call.state.snapshot() for call in self._calls]
        return Message(
            content=str(self._content),
            reasoning_content=str(self._reasoning),
            tool_calls=tuple(call for call in calls if call is not None),
        )


class _News:
    """What is new of a message: neighbouring pieces of one kind are joined."""

    def __init__(self) -> None:
        self._items: list[tuple[str, list[str], int]] = []
        self._deltas: list[Delta] = []

    def text(self, text: str, *, reasoning: bool) -> None:
        self._add("reasoning" if reasoning else "content", text, -1)

    def call(self, delta: ToolCallDelta) -> None:
        if delta.name is None:
            self._add("arguments", delta.arguments, delta.index)
        else:
            self._flush()
            self._deltas.append(Delta(tool_calls=(delta,)))

    def _add(self, kind: str, text: str, index: int) -> None:
        if self._items and self._items[-1][0] == kind and self._items[-1][2] == index:
            self._items[-1][1].append(text)
        else:
            self._items.append((kind, [text], index))

    def _flush(self) -> None:
        for kind, parts, index in self._items:
            text = "".join(parts)
            if kind == "content":
                self._deltas.append(Delta(content=text))
            elif kind == "reasoning":
                self._deltas.append(Delta(reasoning_content=text))
            else:
                self._deltas.append(Delta(tool_calls=(ToolCallDelta(index=index, arguments=text),)))
        self._items = []

    def deltas(self) -> list[Delta]:
        self._flush()
        return self._deltas
