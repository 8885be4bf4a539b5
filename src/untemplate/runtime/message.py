"""What a parser gives: messages, deltas and diagnostics, in OpenAI's shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call of a message."""

    id: str
    name: str
    arguments: str
    """JSON text; the beginning of it where the call is not ``complete``."""
    complete: bool = True
    """The call is whole. A call that was cut is never closed in silence."""

    def to_dict(self) -> dict[str, Any]:
        """Return the call as OpenAI's API has it."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing in a model's text that did not fit."""

    code: str
    """Stable: one of ``lower.tags.Code``, or ``schema_error``, ``prompt_mismatch``, ``budget``; ``docs/codes.md`` explains them."""
    position: int
    """Where, in characters of the turn's text, from 0."""
    expected: tuple[str, ...] = ()
    around: str = ""
    """The text before and behind that place."""
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnostic as plain data."""
        return {
            "code": self.code,
            "position": self.position,
            "expected": list(self.expected),
            "around": self.around,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """An assistant's message, as read from a model's text."""

    content: str = ""
    reasoning_content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    """``stop``, ``tool_calls`` or ``length``; ``None`` while the turn is still being written."""
    diagnostics: tuple[Diagnostic, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the message as OpenAI's API has it; absent parts are left out, content is ``null`` beside calls only."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content or (None if self.tool_calls else "")}
        if self.reasoning_content:
            message["reasoning_content"] = self.reasoning_content
        if self.tool_calls:
            message["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        return message


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta:
    """What is new of one call: its header (id, name, empty arguments) first, then pieces of its arguments."""

    index: int
    arguments: str = ""
    id: str | None = None
    name: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the piece as OpenAI's API has it."""
        if self.name is None:
            return {"index": self.index, "function": {"arguments": self.arguments}}
        function = {"name": self.name, "arguments": self.arguments}
        return {"index": self.index, "id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """What is new of a message."""

    content: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[ToolCallDelta, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the delta as OpenAI's API has it, with what is new only."""
        delta: dict[str, Any] = {}
        if self.content is not None:
            delta["content"] = self.content
        if self.reasoning_content is not None:
            delta["reasoning_content"] = self.reasoning_content
        if self.tool_calls:
            delta["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        return delta
