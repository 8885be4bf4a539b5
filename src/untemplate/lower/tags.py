"""The kinds of tags and notes in a lowered tree: what the parser's events mean to whoever builds messages from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from untemplate.spec.model import JsonType, Value


class Kind(StrEnum):
    """What the text inside a tag is."""

    CONTENT = "content"
    REASONING = "reasoning"
    CALL = "call"
    """``data`` is a ``CallData``; holds the tags below."""
    NAME = "name"
    ID = "id"
    """May hold the name."""
    ARGUMENTS = "arguments"
    """All of the arguments as JSON text."""
    ARGUMENTS_TEXT = "arguments_text"
    """All of the arguments as JSON text that the model wrote inside a string, or as plain text."""
    PAIRS = "pairs"
    """The arguments as pairs."""
    PAIR = "pair"
    KEY = "key"
    TYPE = "type"
    """The label of a pair's value (``ValueData.values``)."""
    VALUE = "value"
    """The text of a value; ``data`` is a ``ValueData``."""
    OBJECT = "object"
    """Inside a value: an object in the template's own notation; holds ``pair``. Its text includes the marks."""
    ARRAY = "array"
    """Inside a value: an array in the template's own notation; holds ``item``. Its text includes the marks."""
    ITEM = "item"
    LEAF = "leaf"
    """Inside a nested value: the text of a value that is neither object nor array."""


class Code(StrEnum):
    """What a note says. Codes are stable."""

    REPAIRED = "repaired"
    """A marker is missing or written twice, or JSON was mended; the meaning is certain."""
    UNKNOWN_TOOL = "unknown_tool"
    """A whole call to a tool that was not declared; it is delivered."""
    UNKNOWN_MEMBER = "unknown_member"
    """A member of a call written as JSON that means nothing; it is dropped."""
    REPEATED_KEY = "repeated_key"
    """An argument that the call has already; the first one stands, for it has been sent."""
    UNEXPECTED_CALL = "unexpected_call"
    """A call that the request did not ask for: one more than the only one, or of another tool than the named one; it is delivered."""
    INCOMPLETE_CALL = "incomplete_call"
    """A call that began and does not fit any more, or was cut; its arguments stay open."""
    UNCLOSED_CALL = "unclosed_call"
    """The text ends after a whole argument, without the call's close."""
    CUT_MARKER = "cut_marker"
    """The beginning of a marker at the very end, which is dropped."""
    STRAY_MARKER = "stray_marker"
    """A closing marker where nothing is open, an opening one with nothing behind, or a token that seems to end the turn; it is dropped."""
    TEXT_AFTER_END = "text_after_end"
    """Text behind the end-of-turn marker; it is dropped."""
    NOT_JSON = "not_json"
    """No JSON value where a response schema asked for one, or arguments that are no object: all of it stands as it is."""
    TEXT_AFTER_VALUE = "text_after_value"
    """Text behind the JSON value that a response schema asked for; it is content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallData:
    """How a call is to be read by whoever builds the message."""

    has_id: bool = False
    """The model writes an id."""
    late_id: bool = False
    """The id comes after the arguments, so that the call's header waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueData:
    """How the text of a value becomes JSON."""

    json: bool = False
    """The text is JSON already."""
    values: Mapping[JsonType, Value] = field(default_factory=dict, hash=False)
    """How the template writes each type; tells labels and whether Python's words count."""
    decided: JsonType | None = None
    """The type, where marks around the value tell it."""
