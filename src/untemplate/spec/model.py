"""The parser spec: how one template lays out a turn, as frozen data.

A spec holds nothing of a request (no tools, no schema) and nothing of Jinja. Every literal in it is written the way the
template writes it, so that the text of a turn can be rebuilt from the spec (``spec.compose``) and compared.
Source: DESIGN.md section 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

FORMAT = 1
"""The version of the file format that this code reads and writes."""

_EMPTY: Mapping[Any, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """Literal text that decides, with the layout white space around it: ``before + core + after``."""

    core: str
    """What is looked for. Empty where only white space (or nothing) is written."""
    before: str = ""
    """White space written before the core; dropped by the parser only if all of it is there."""
    after: str = ""
    """White space written after the core; the parser drops the longest prefix of it that is there."""

    @property
    def text(self) -> str:
        """The marker as the template writes it."""
        return self.before + self.core + self.after


class FieldName(StrEnum):
    """What a part of a call or of a pair stands for."""

    NAME = "name"
    ID = "id"
    ARGUMENTS = "arguments"
    COUNTER = "counter"
    """A number that counts the calls of the turn, from ``start``."""
    KEY = "key"
    VALUE = "value"
    TYPE = "type"
    """A label that tells the value's type (``Value.label``)."""
    FREE = "free"
    """Any text up to the part that follows, on one line: noise that models write there (quirks only)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Literal text inside a call or a pair, exactly as written."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A place that changes from call to call. The same field twice is a back-reference."""

    field: FieldName
    start: int = 0
    """First value of a counter."""


Part = Text | Field


class JsonType(StrEnum):
    """The types of a JSON value, as a template can tell them apart."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    OBJECT = "object"
    ARRAY = "array"


class Encoding(StrEnum):
    """How a value (or the whole of the arguments) is written."""

    JSON = "json"
    """JSON text; a string is quoted and escaped."""
    RAW = "raw"
    """A string's own characters, or ``str()`` of another type, without quotes or escapes."""
    PYTHON = "python"
    """Python's ``repr``: ``True``, ``None``, ``{'k': 1}``."""
    NOTATION = "notation"
    """The spec's own ``Notation``: lists and pairs with marks of the template's."""
    PAIRS = "pairs"
    """Of arguments only: a list of key/value pairs, laid out by ``Arguments.object``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """How values of one type are written at the ``value`` field of a pair."""

    encoding: Encoding
    open: str = ""
    """Written before the value for this type only: a quote, ``<![CDATA[``."""
    close: str = ""
    label: str | None = None
    """What stands in the pair's ``type`` field for this type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairList:
    """An object's layout: ``open pair (separator pair)* close``, or ``empty``."""

    open: str = ""
    pair: tuple[Part, ...]
    separator: str = ""
    close: str = ""
    empty: str | None = None
    """What is written for an object without pairs; ``None``: ``open + close``."""
    key_quotes: tuple[str, ...] = ("",)
    """Quotes that a key may stand in; the first is what the template writes (``""``: bare)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList:
    """An array's layout: ``open item (separator item)* close``, or ``empty``. ``item`` holds one ``value`` field."""

    open: str = ""
    item: tuple[Part, ...]
    separator: str = ""
    close: str = ""
    empty: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """How nested values are written where it is neither JSON nor Python. Values inside use ``values`` of this notation."""

    object: PairList | None
    array: ItemList | None
    values: Mapping[JsonType, Value] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """How the arguments of a call are written at its ``arguments`` field."""

    encoding: Encoding
    """``json`` or ``python``: one object in that notation; ``pairs``: see ``object``; ``raw``: a text that is JSON by agreement only."""
    object: PairList | None = None
    values: Mapping[JsonType, Value] = field(default_factory=lambda: _EMPTY)
    notation: Notation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonCall:
    """Where name, arguments and id stand in a call (or a list of calls) that is one JSON value."""

    name: tuple[str, ...] = ()
    """Key path of the name, such as ``("function", "name")``; empty when ``name_is_key``."""
    arguments: tuple[str, ...] = ()
    """Key path of the arguments; empty when ``name_is_key`` (they are the value at that key)."""
    id: tuple[str, ...] | None = None
    id_start: int | None = None
    """Where the id is only the call's position: the first one's; ``None``: ids are given."""
    array: bool = False
    """All calls of a section are items of one JSON array."""
    name_is_key: bool = False
    """``{"get_weather": {…}}``."""
    arguments_as_text: bool = False
    """The arguments are a JSON string that holds JSON."""
    order: tuple[str, ...] = ()
    """Top-level keys in the order that the template writes, ``extra`` ones included."""
    extra: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    """Constant members that the template writes, such as ``{"type": "function"}``; a key path is joined by dots."""
    python: bool = False
    """Written as a Python literal: ``{'name': 'f', 'arguments': {'x': True}}``."""
    item_separator: str = ", "
    """What ``json.dumps`` was given, with ``key_separator`` and ``indent``."""
    key_separator: str = ": "
    indent: int | None = None


class CallStart(StrEnum):
    """Where a call may begin."""

    ANYWHERE = "anywhere"
    START = "start"
    """Only as the first thing after reasoning: the call has no marker of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForm:
    """One way to write a call: either ``json`` or ``fields`` with ``arguments``, between ``open`` and ``close``."""

    at: CallStart = CallStart.ANYWHERE
    open: Marker
    close: Marker | None
    json: JsonCall | None = None
    fields: tuple[Part, ...] = ()
    arguments: Arguments | None = None
    id_parts: tuple[int, int] | None = None
    """``fields[start:stop]`` together are the call's id, as in ``functions.NAME:0``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What stands around and between the calls of a turn."""

    open: Marker | None = None
    close: Marker | None = None
    separator: str = ""
    several_only: bool = False
    """Open and close are written only around two calls or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    section: Section
    forms: tuple[CallForm, ...]
    """The first is what the template writes; the parser accepts all, the grammar emits the first."""


class ReasoningMode(StrEnum):
    NONE = "none"
    TAGGED = "tagged"
    TOOLS_ONLY = "tools_only"
    """Rendered only in turns that call tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning:
    mode: ReasoningMode = ReasoningMode.NONE
    open: tuple[Marker, ...] = ()
    """The first is what the template writes; others are accepted."""
    close: tuple[Marker, ...] = ()
    empty: str | None = None
    """What stands for reasoning that is empty (an empty pair of tags); ``None``: nothing is written."""
    empty_with_calls: str | None = None
    """The same in a turn that calls tools."""


class ContentMode(StrEnum):
    PLAIN = "plain"
    WRAPPED = "wrapped"
    WRAPPED_WITH_REASONING = "wrapped_with_reasoning"
    """Open and close are written only in turns that hold reasoning."""


class Position(StrEnum):
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentWithCalls:
    """How content is written in a turn that also calls tools, where that differs."""

    position: Position = Position.BEFORE
    """Where content stands relative to the calls."""
    open: Marker | None = None
    close: Marker | None = None
    """Also the text between content and the first call (after the last call), such as a newline of layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    mode: ContentMode = ContentMode.PLAIN
    open: tuple[Marker, ...] = ()
    close: tuple[Marker, ...] = ()
    always: bool = False
    """The wrapper is written even around empty content."""
    with_calls: ContentWithCalls | None = None
    after_reasoning: Marker | None = None
    """Text between reasoning's close and content that is not part of either marker."""


class Block(StrEnum):
    REASONING = "reasoning"
    CONTENT = "content"
    CALLS = "calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Text between blocks that are messages of their own: ``<|end|><|start|>assistant``."""

    separator: Marker
    """Written between two blocks of a turn."""
    ignored: tuple[str, ...] = ()
    """Header text that models write at the start of a block and that means nothing (quirks only)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    frame: Frame | None = None
    blocks: tuple[Block, ...] = (Block.CONTENT,)
    """In the order in which the template writes them."""
    any_order: bool = False
    interleaved: bool = False
    """Reasoning may open again after content or calls."""
    reasoning: Reasoning = field(default_factory=Reasoning)
    content: Content = field(default_factory=Content)
    calls: Calls | None = None
    """``None``: the template shows no calls."""


class PromptState(StrEnum):
    """Where a turn starts, seen from the end of the prompt."""

    CONTENT = "content"
    """Nothing is open."""
    REASONING = "reasoning"
    """The prompt opened reasoning."""
    AFTER_REASONING = "after_reasoning"
    """The prompt opened and closed reasoning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationPrompt:
    """What the template appends to ask for a turn, under some setting of its switches."""

    when: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    """Switch values that give this prompt; empty for the template's default."""
    thinking: bool | None = None
    """Whether this is the prompt with thinking on or off; ``None``: the template does not tell them apart."""
    tools: bool | None = None
    """Written only with tools (``True``) or only without (``False``); ``None``: both."""
    text: str
    """All that is appended: ``header + prefill``."""
    prefill: str = ""
    """The end of ``text`` that already belongs to the turn, such as ``<think>\\n``."""
    state: PromptState = PromptState.CONTENT

    @property
    def header(self) -> str:
        """The part of ``text`` before the turn."""
        return self.text[: len(self.text) - len(self.prefill)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfTurn:
    """Texts that end a turn, first the one that the template writes; white space of layout included."""

    content: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    generation: tuple[GenerationPrompt, ...] = ()
    roles: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """Opening delimiter of a message, by role: ``system``, ``user``, ``assistant``, ``tool``."""
    end_of_turn: EndOfTurn = field(default_factory=EndOfTurn)


class Support(StrEnum):
    """What the template does with something it is given."""

    KEPT = "kept"
    DROPPED = "dropped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What conversations the template takes. ``refusals`` has its own words for what it does not."""

    system: Support = Support.KEPT
    tools: bool = False
    """The prompt changes when tools are given."""
    calls: Support = Support.DROPPED
    max_calls: int | None = None
    """``1``: a second call is refused or dropped; ``None``: no bound was found."""
    tool_results: Support = Support.DROPPED
    reasoning: Support = Support.DROPPED
    content_with_calls: Support = Support.KEPT
    arguments_as: str = "object"
    """``object`` or ``text``: what the template wants in ``function.arguments``."""
    empty_content: str = "empty"
    """Safe absence of content: ``empty`` (``""``), ``null`` or ``missing``."""
    content_parts: bool = False
    """Content must be a list of parts."""
    alternation: bool = False
    """Roles must alternate."""
    id_pattern: str | None = None
    """A regular expression for the call ids that the template demands."""
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A variable of the template that changes the prompt or the turn."""

    name: str
    values: tuple[Any, ...]
    default: Any = None
    changes: tuple[str, ...] = ()
    """``prompt``, ``generation``, ``turn``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    preserved: tuple[str, ...] = ()
    """Markers that must stay whole in the text that the engine returns."""
    triggers: tuple[str, ...] = ()
    """Texts at which a lazy grammar wakes up."""
    stops: tuple[str, ...] = ()
    ids: Mapping[str, int] = field(default_factory=lambda: _EMPTY)
    """Token ids of markers that are one token, when the source has a vocabulary."""
    types: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """How the vocabulary classes them: ``control``, ``user_defined``, ``normal`` …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateInfo:
    name: str
    sha256: str
    """Of the template's text in UTF-8."""
    source: str
    """Kind of the source: ``jinja``, ``tokenizer_config``, ``folder``, ``gguf``."""
    special_tokens: Mapping[str, str] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedQuirk:
    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ambiguity:
    """Fields that the rendering cannot tell apart."""

    fields: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecWarning:
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    turns: int
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    turns: int = 0
    read_back: int = 0
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    format: int = FORMAT
    template: TemplateInfo
    capabilities: Capabilities = field(default_factory=Capabilities)
    switches: tuple[Switch, ...] = ()
    prompt: Prompt = field(default_factory=Prompt)
    turn: Turn = field(default_factory=Turn)
    tokens: Tokens = field(default_factory=Tokens)
    quirks: tuple[AppliedQuirk, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    warnings: tuple[SpecWarning, ...] = ()
    verification: Verification | None = None
