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

from untemplate.spec.calls_model import (
    Arguments as Arguments,
)
from untemplate.spec.calls_model import (
    CallForm as CallForm,
)
from untemplate.spec.calls_model import (
    Calls as Calls,
)
from untemplate.spec.calls_model import (
    CallStart as CallStart,
)
from untemplate.spec.calls_model import (
    Encoding as Encoding,
)
from untemplate.spec.calls_model import (
    Field as Field,
)
from untemplate.spec.calls_model import (
    FieldName as FieldName,
)
from untemplate.spec.calls_model import (
    ItemList as ItemList,
)
from untemplate.spec.calls_model import (
    JsonCall as JsonCall,
)
from untemplate.spec.calls_model import (
    JsonType as JsonType,
)
from untemplate.spec.calls_model import (
    Marker as Marker,
)
from untemplate.spec.calls_model import (
    Notation as Notation,
)
from untemplate.spec.calls_model import (
    PairList as PairList,
)
from untemplate.spec.calls_model import (
    Part as Part,
)
from untemplate.spec.calls_model import (
    Section as Section,
)
from untemplate.spec.calls_model import (
    Text as Text,
)
from untemplate.spec.calls_model import (
    Value as Value,
)

FORMAT = 1
"""The version of the file format that this code reads and writes."""

_EMPTY: Mapping[Any, Any] = MappingProxyType({})


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
    always: bool = False
    """Open and close are written around empty content too."""


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
    reasoning_always: bool = False
    """Every message of the assistant must have a field for its reasoning, an empty one where it holds none."""
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
    free: bool = False
    """Any text is taken: it is written into the prompt as it is."""


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
