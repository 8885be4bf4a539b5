"""Server-sent events as OpenAI's API streams them: ``chat.completion.chunk`` objects and a last ``[DONE]``.

``stream_events`` does it all for a text that comes from an iterator. A server that waits for its model in another way (async, a
callback a token) writes with ``ChunkWriter``: ``first``, then ``deltas`` for what the session gives, then ``last``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.runtime.message import Delta, Message
from untemplate.runtime.session import Session

DONE = "data: [DONE]\n\n"

Usage = Mapping[str, Any]
"""Token counts as OpenAI's API has them: ``prompt_tokens``, ``completion_tokens``, ``total_tokens``, maybe more."""


_LINE_ENDS = {ord(each): f"\\u{ord(each):04x}" for each in "\x85\u2028\u2029"}
"""No end of a line to the protocol, but to many clients."""


def event(data: Mapping[str, Any]) -> str:
    """Return an object as one server-sent event: one line, whatever counts as the end of a line."""
    return f"data: {json.dumps(data, ensure_ascii=False).translate(_LINE_ENDS)}\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkWriter:
    """Writes the events of one completion, all with the same head."""

    id: str = "chatcmpl-0"
    model: str = "model"
    created: int = 0
    """Seconds since 1970."""
    reasoning_field: str = "reasoning_content"
    """The name under which reasoning is sent; some clients read ``reasoning``."""
    with_usage: bool = False
    """The client asked for token counts (``stream_options``): a last chunk without choices has them, the others say ``null``."""

    def first(self) -> str:
        """Return the event that opens the message: its role."""
        return self._choice({"role": "assistant", "content": ""})

    def deltas(self, deltas: Iterable[Delta]) -> list[str]:
        """Return one event for each delta."""
        return [self._choice(self._named(delta.to_dict())) for delta in deltas]

    def last(self, message: Message, usage: Usage | None = None) -> list[str]:
        """Return the events that end the message: its finish reason, ``usage`` where it was asked for, ``[DONE]``."""
        events = [self._choice({}, message.finish_reason or "stop")]
        if self.with_usage:
            events.append(event({**self._head(), "choices": [], "usage": dict(usage or {})}))
        return [*events, DONE]

    def _head(self) -> dict[str, Any]:
        return {"id": self.id, "object": "chat.completion.chunk", "created": self.created, "model": self.model}

    def _choice(self, delta: dict[str, Any], finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        return event({**self._head(), "choices": [choice], **({"usage": None} if self.with_usage else {})})

    def _named(self, delta: dict[str, Any]) -> dict[str, Any]:
        return {self.reasoning_field if key == "reasoning_content" else key: value for key, value in delta.items()}


def stream_events(
    session: Session,
    pieces: Iterable[str | bytes],
    *,
    id: str = "chatcmpl-0",
    model: str = "model",
    created: int = 0,
    truncated: bool | Callable[[], bool] = False,
    reasoning_field: str = "reasoning_content",
    usage: Usage | Callable[[], Usage] | None = None,
) -> Iterator[str]:
    """Yield the events for a turn whose text comes in ``pieces``: the role first, deltas as they come, the finish reason, ``[DONE]``.

    Args:
        truncated: the token limit cut the turn; a function is asked when the pieces have ended.
        reasoning_field: the name under which reasoning is sent; some clients read ``reasoning``.
        usage: token counts for a last chunk, where the client asked for them (``stream_options``); a function is asked when the
            pieces have ended.
    """
    writer = ChunkWriter(id=id, model=model, created=created, reasoning_field=reasoning_field, with_usage=usage is not None)
    yield writer.first()
    for piece in pieces:
        yield from writer.deltas(session.feed(piece) if isinstance(piece, str) else session.feed_bytes(piece))
    message, deltas = session.finish(truncated=truncated() if callable(truncated) else truncated)
    yield from writer.deltas(deltas)
    yield from writer.last(message, usage() if callable(usage) else usage)
