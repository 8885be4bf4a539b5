"""One turn of a model, fed as it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from untemplate.errors import RequestError
from untemplate.lower.tags import Code, Kind
from untemplate.peg.events import Event
from untemplate.peg.machine import Machine
from untemplate.peg.program import Program
from untemplate.runtime.builder import MessageBuilder
from untemplate.runtime.call_reader import Reading
from untemplate.runtime.cut import last_events, without_cut_marker
from untemplate.runtime.decode import Utf8Decoder
from untemplate.runtime.log import Log, TextLog
from untemplate.runtime.message import Delta, Diagnostic, Message
from untemplate.runtime.tokens import BREAK, TokenReader, without_breaks
from untemplate.spec.model import Marker

_AROUND = 32
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a character of UTF-16, which no UTF-8 can carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a session needs: made once for a request, shared by all of its sessions."""

    program: Program
    reading: Reading
    prefill: str = ""
    """Text of the turn that the prompt holds already; it is read first. There may be breaks in it."""
    markers: tuple[str, ...] = ()
    """Texts around blocks and calls, whose beginning at the end of a turn is no text."""
    openings: tuple[str, ...] = ()
    """Openings of calls and their sections that prose does not hold by chance."""
    token_texts: Mapping[int, str]
    """The texts of markers that are one token."""
    ends: frozenset[str] = frozenset()
    """Texts that end a turn however they are spelled in tokens."""
    prompt_problem: str = ""
    """Why the given prompt tells nothing of where the turn starts."""
    reasoning_closes: tuple[Marker, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of a session, to go back to."""

    machine: Machine
    builder: MessageBuilder
    decoder: Utf8Decoder
    tokens: TokenReader
    problems: Log[Diagnostic]
    text: TextLog
    length: int
    started: tuple[Delta, ...]
    given: int
    """How many deltas the session had given."""


class Session:
    """Reads one turn. ``feed`` as text arrives, then ``finish`` once."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._machine = Machine(plan.program)
        self._builder = MessageBuilder(plan.reading)
        self._decoder = Utf8Decoder()
        self._text = TextLog()
        """What has been fed, for diagnostics."""
        self._problems: Log[Diagnostic] = Log()
        """What did not fit, without the text around it."""
        self._length = 0
        self._tokens = TokenReader(plan.token_texts, plan.ends)
        self._finished = False
        self._started: list[Delta] = []
        self._given = 0
        self._sent = 0
        if plan.prompt_problem:
            self._problems.append(Diagnostic(code="prompt_mismatch", position=0, message=plan.prompt_problem))
        if plan.prefill:
            self._started = self._builder.add(self._cleaned(self._machine.feed(plan.prefill)))
            self._take_problems()

    def feed(self, text: str) -> list[Delta]:
        """Return what this text makes new of the message.

        Raises:
            RequestError: after ``finish``.
        """
        if self._finished:
            raise RequestError("the session is finished", hint="Start a new session for a new turn.")
        started, self._started = self._started, []
        self._given += len(started)
        if not text:
            return started
        if not text.isascii():
            text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
        return started + self._read(text, text)

    def _read(self, text: str, marked: str) -> list[Delta]:
        """Return what a text makes new; ``marked``: the same with breaks in it, for the machine."""
        self._text.append(text)
        self._length += len(text)
        deltas = self._builder.add(self._cleaned(self._machine.feed(marked)))
        self._given += len(deltas)
        if self._builder.found:
            self._take_problems()
        return deltas

    def _cleaned(self, events: list[Event]) -> list[Event]:
        return without_breaks(events) if self._tokens.breaks or BREAK in self._plan.prefill else events

    def feed_injected(self, text: str) -> list[Delta]:
        """Return what text makes new that the engine put in by itself, such as the close of reasoning when a budget ran out.

        A close of reasoning in it does not count: reasoning goes on until the model closes it. Feed such text with ``feed`` where
        the model is known to answer after it.

        Raises:
            RequestError: after ``finish``.
        """
        if self._builder.kind != Kind.REASONING:
            return self.feed(text)
        for marker in self._plan.reasoning_closes:
            head, core, tail = text.partition(marker.core)
            if core:
                written = head.removesuffix(marker.before)
                layout = marker.before if len(written) == len(head) and self._ends_with(marker.before) else ""
                text = written + tail.removeprefix(layout)
        return self.feed(text)

    def _ends_with(self, text: str) -> bool:
        return bool(text) and str(self._text).endswith(text)

    def feed_bytes(self, data: bytes) -> list[Delta]:
        """Return what these bytes of UTF-8 make new: half a character waits, broken bytes become U+FFFD."""
        return self.feed(self._decoder.feed(data))

    def feed_token(self, piece: bytes, token_id: int) -> list[Delta]:
        """Return what one token makes new.

        A marker that is one token is a marker, even between quotes or where the engine gives no text for it; the same text spelled
        out by other tokens is prose.

        Raises:
            RequestError: after ``finish``.
        """
        marker = self._tokens.marker(piece, token_id)
        deltas = self.feed("" if marker is None else self._decoder.finish())
        text = self._decoder.feed(piece) if marker is None else marker
        if not text:
            return deltas
        marked = self._tokens.read_text(text, self._length) if marker is None else self._tokens.read_marker(marker)
        return deltas + self._read(text, marked)

    def finish(self, *, truncated: bool = False) -> tuple[Message, list[Delta]]:
        """Return the message and the last deltas. ``truncated``: the token limit cut the turn.

        Raises:
            RequestError: when it is called twice.
        """
        deltas = self.feed(self._decoder.finish())
        self._finished = True
        events = self._last_events(truncated)
        last = self._builder.add(events, truncated=truncated)
        self._given += len(last)
        deltas += last
        self._take_problems()
        return self._final(truncated), deltas

    def _last_events(self, truncated: bool) -> list[Event]:
        if truncated:
            events, found = last_events(self._machine, self._builder, self._plan.openings, base=len(self._plan.prefill))
            self._builder.found += [found] if found is not None else []
        else:
            events = self._machine.finish()
        return without_cut_marker(
            self._cleaned(events), self._builder, self._plan.markers, length=self._machine.position, truncated=truncated
        )

    def message(self) -> Message:
        """Return the message as it is now; its finish reason is ``None`` until ``finish``."""
        return replace(self._builder.message(), diagnostics=self._diagnostics())

    def mark(self) -> Mark:
        """Return the state to which ``rewind`` goes back, such as before draft tokens that may be rejected."""
        return Mark(
            self._machine.copy(),
            self._builder.copy(),
            self._decoder.copy(),
            self._tokens.copy(),
            self._problems.copy(),
            self._text.copy(),
            self._length,
            tuple(self._started),
            self._given,
        )

    def rewind(self, mark: Mark) -> None:
        """Go back to a mark. Deltas that were given since (``given`` less ``mark.given``) are void: they must not be sent on.

        Raises:
            RequestError: after ``finish``; E608 where some of those deltas have been sent, as ``sent`` was told.
        """
        if self._finished:
            raise RequestError("the session is finished", hint="Rewind before you finish it.")
        if mark.given < self._sent:
            raise RequestError(
                f"{self._sent - mark.given} deltas that were given after the mark have been sent, and cannot be taken back",
                code="E608",
                hint="Hold back what drafts give until they are accepted, then call `sent`.",
            )
        self._machine, self._builder, self._decoder = mark.machine.copy(), mark.builder.copy(), mark.decoder.copy()
        self._tokens, self._problems = mark.tokens.copy(), mark.problems.copy()
        self._text, self._length, self._started = mark.text.copy(), mark.length, list(mark.started)
        self._given = mark.given

    @property
    def given(self) -> int:
        """How many deltas have been given so far; as many as a mark has where nothing was given since."""
        return self._given

    def sent(self) -> None:
        """Take notice that all deltas given so far have been sent on: no mark that stands before the last of them can be gone back to."""
        self._sent = self._given

    def _final(self, truncated: bool) -> Message:
        message = self.message()
        whole = any(call.complete for call in message.tool_calls)
        return replace(message, finish_reason="length" if truncated else "tool_calls" if whole else "stop")

    def _take_problems(self) -> None:
        """Turn what did not fit into diagnostics, what the prompt itself wrote left out."""
        base = len(self._plan.prefill)
        found, self._builder.found = self._builder.found, []
        for code, place, about in found:
            position = base + self._tokens.position(place - base) if self._tokens.breaks else place
            # A stray marker is noted behind it, so that one at the end of the prompt is the prompt's own.
            if position > base or (position == base and (not base or code != Code.STRAY_MARKER)):
                self._problems.append(Diagnostic(code=str(code), position=position - base, message=about))

    def _diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what did not fit with the text around it, which does not depend on how the text was cut."""
        if not self._problems:
            return ()
        text = str(self._text)
        return tuple(replace(each, around=text[max(0, each.position - _AROUND) : each.position + _AROUND]) for each in self._problems)
