"""How calls are written, as frozen data: markers, fields, arguments, values, forms.

The part of the spec's model below a turn; ``spec.model`` hands these names on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

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
    guard: tuple[str, str] | None = None
    """Marks that stand only around a string that needs them, such as ``<![CDATA[`` and ``]]>``."""
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
    lead: str = ""
    """White space of layout before the calls, where neither content nor a marker writes it."""
    several_only: bool = False
    """Open and close are written only around two calls or more."""
    close_several_only: bool = False
    """Open is always written, close only behind two calls or more: behind one it may be left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    section: Section
    forms: tuple[CallForm, ...]
    """The first is what the template writes; the parser accepts all, the grammar emits the first."""
