"""Server-sent events as OpenAI's API streams them: ``chat.completion.chunk`` objects and a last ``[DONE]``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from untemplate.runtime.message import Delta, Message
from untemplate.runtime.session import Session

DONE = "data: [DONE]\n\n"


def chunk(
    delta: dict[str, Any],
    *,
    id: str,
    model: str,
    created: int = 0,
    finish_reason: str | None = None,
    usage: dict[str, int] | None = None,
) -> dict[str, Any]:
    """Return one ``chat.completion.chunk`` object."""
    choices = [{"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}]
    found: dict[str, Any] = {"id": id, "object": "chat.completion.chunk", "created": created, "model": model, "choices": choices}
    if usage is not None:
        found |= {"choices": [], "usage": usage}
    return found


def event(data: dict[str, Any]) -> str:
    """Return an object as one server-sent event."""
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def stream_events(
    session: Session,
    pieces: Iterable[str | bytes],
    *,
    id: str = "chatcmpl-0",
    model: str = "model",
    created: int = 0,
    truncated: bool = False,
    reasoning_field: str = "reasoning_content",
    usage: dict[str, int] | None = None,
) -> Iterator[str]:
    """Yield the events for a turn whose text comes in ``pieces``: the role first, deltas as they come, the finish reason, ``[DONE]``.

    Args:
        reasoning_field: the name under which reasoning is sent; some clients read ``reasoning``.
        usage: token counts for a last chunk, where the client asked for them (``stream_options``).
    """

    def written(delta: Delta) -> str:
        data = delta.to_dict()
        if reasoning_field != "reasoning_content" and "reasoning_content" in data:
            data[reasoning_field] = data.pop("reasoning_content")
        return event(chunk(data, id=id, model=model, created=created))

    yield event(chunk({"role": "assistant", "content": ""}, id=id, model=model, created=created))
    for piece in pieces:
        deltas = session.feed(piece) if isinstance(piece, str) else session.feed_bytes(piece)
        yield from map(written, deltas)
    message, deltas = session.finish(truncated=truncated)
    yield from map(written, deltas)
    yield event(chunk({}, id=id, model=model, created=created, finish_reason=_reason(message)))
    if usage is not None:
        yield event(chunk({}, id=id, model=model, created=created, usage=usage))
    yield DONE


def _reason(message: Message) -> str:
    return message.finish_reason or "stop"
