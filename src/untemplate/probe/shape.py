"""The shape of conversation that a template takes, and how a case is put into it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from untemplate.probe.cases import CallCase, Case
from untemplate.text import sentinels

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a template wants where several forms of a message are possible."""

    arguments_as: str = "object"
    """``object`` or ``text``."""
    empty_content: str = "empty"
    """``empty`` (``""``), ``null`` or ``missing``."""
    parts: bool = False
    """Content is a list of ``{"type": "text", "text": …}``."""
    ids: str = "plain"
    """``plain`` or ``functions`` (``functions.NAME:0``)."""
    followed: bool = False
    """The turn is rendered only when tool results or a user message follow."""
    system: bool = False
    """A system message stands first: the template needs one."""
    reasoning_as: str = "field"
    """``field`` (``reasoning_content``), ``reasoning`` (a field of that name) or ``part`` (a ``thinking`` part of the content)."""
    reasoning_always: bool = False
    """A message without reasoning has an empty field for it: the template refuses one that has none."""


def content_of(text: str, shape: Shape) -> Any:
    """Return ``text`` as the shape wants content."""
    return [{"type": "text", "text": text}] if shape.parts else text


def user(text: str, shape: Shape) -> Message:
    """Return a user message."""
    return {"role": "user", "content": content_of(text, shape)}


def shaped_id(call: CallCase, index: int, shape: Shape) -> str:
    """Return the id under which call ``index`` is given to the template."""
    return f"functions.{call.name}:{index}" if shape.ids == "functions" else call.id


def assistant(case: Case, shape: Shape) -> Message:
    """Return the assistant message of ``case``."""
    message: Message = {"role": "assistant"}
    if case.content is not None:
        message["content"] = content_of(case.content, shape)
    elif shape.empty_content == "empty":
        message["content"] = content_of("", shape) if shape.parts and not case.calls else ""
    elif shape.empty_content == "null":
        message["content"] = None
    if case.reasoning is not None and shape.reasoning_as == "part":
        text = [{"type": "text", "text": case.content}] if case.content else []
        message["content"] = [{"type": "thinking", "thinking": case.reasoning}, *text]
    elif case.reasoning is not None or shape.reasoning_always:
        message["reasoning" if shape.reasoning_as == "reasoning" else "reasoning_content"] = case.reasoning or ""
    if case.calls:
        message["tool_calls"] = [
            {
                "id": shaped_id(call, index, shape),
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": dict(call.arguments)
                    if shape.arguments_as == "object"
                    else json.dumps(dict(call.arguments), ensure_ascii=False),
                },
            }
            for index, call in enumerate(case.calls)
        ]
    return message


def results(case: Case, shape: Shape) -> list[Message]:
    """Return one tool result for each call of ``case``."""
    return [
        {
            "role": "tool",
            "name": call.name,
            "tool_call_id": shaped_id(call, index, shape),
            "content": content_of(sentinels.RESULT, shape),
        }
        for index, call in enumerate(case.calls)
    ]
