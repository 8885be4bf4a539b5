"""The nodes of the PEG tree from which both the parser and the grammar come.

A node is frozen data. The parser (``peg.machine``) runs a tree over text as it arrives; ``emit`` writes the same tree as a
grammar. Nodes that only steer the parser (``Cut``, ``Catch``, ``Note``, ``Tag``, ``Atomic``) are transparent to a grammar;
where the parser is to take more than a model should write, ``Tolerant`` says so. Source: DESIGN.md section 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import cast


class Combinable:
    """What every node can do: ``a + b`` is a sequence, ``a | b`` a choice; both flatten on the left."""

    __slots__ = ()

    def __add__(self, other: Node) -> Sequence:
        return Sequence(items=(*(self.items if isinstance(self, Sequence) else (cast("Node", self),)), other))

    def __or__(self, other: Node) -> Choice:
        return Choice(options=(*(self.options if isinstance(self, Choice) else (cast("Node", self),)), other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Combinable):
    """Exactly this text. It is not an event unless ``emit``: markers vanish."""

    text: str
    emit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence(Combinable):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Combinable):
    """The first option that matches. The parser goes back to the next one only until a ``Cut`` is passed."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Combinable):
    item: Node
    minimum: int = 0
    maximum: int | None = None
    """``None``: unbounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Until(Combinable):
    """Free text, an event as it comes, up to the first place where a stop stands (which is not consumed) or the input ends.

    The parser holds back the shortest tail that may still become a stop. The grammar writes text that contains no stop.
    """

    stops: tuple[str, ...]
    """Literal texts, none empty. No stops: everything to the end of input."""
    confirm: Node | None = None
    """Must match at the stop (a look-ahead that starts with the stop itself); where it fails, the stop was text."""
    cut: bool = False
    """At the end of input, the beginning of a stop counts as one, where ``confirm`` matches there."""
    quotable: bool = False
    """A stop with the same quote or backtick directly before and after it is text."""
    emit: bool = True
    unbegun: tuple[str, ...] = ()
    """The grammar writes no text that begins with one of these, or with white space and one of these; the parser does not look at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Any(Combinable):
    """One character of any kind, as an event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Characters(Combinable):
    """A run of characters of a class, as an event."""

    ranges: tuple[tuple[str, str], ...]
    """Inclusive ranges of single characters: ``(("a", "z"), ("_", "_"))``."""
    negated: bool = False
    minimum: int = 1
    maximum: int | None = 1
    emit: bool = True


class JsonKind(StrEnum):
    VALUE = "value"
    OBJECT = "object"
    ARRAY = "array"
    STRING = "string"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Json(Combinable):
    """A JSON value of a kind; the parser emits it as valid JSON text, piece by piece, as it arrives.

    The reader is lenient: Python's ``True``/``None``/single and triple quotes/tuples, bad escapes (the backslash is doubled),
    raw line breaks in strings, a repeated key (the later one is dropped). The grammar writes strict JSON.
    """

    kind: JsonKind = JsonKind.VALUE
    quotes: tuple[tuple[str, str], ...] = ()
    """Further (open, close) marks of strings, without escapes inside: ``(('<|"|>', '<|"|>'),)``."""
    bare_keys: bool = False
    """Keys may stand without quotes, up to ``:``; the grammar writes them so."""
    python: bool = False
    """The grammar writes Python literals instead of JSON."""
    argument: bool = False
    """The value of an argument in Python's call: sets and quotes without a backslash inside strings are read."""
    decoded: bool = False
    """Of a string only: the event is its decoded text, not JSON text (names, ids)."""
    emit: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema(Combinable):
    """A JSON value. The parser reads any (as ``Json``); the grammar writes those that fit ``schema``."""

    schema: Any_
    root: Any_
    """What ``#/…`` references point into."""
    tool: str | None = None
    """For messages."""
    pointer: str = ""
    """Where ``schema`` stands in ``root``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gbnf(Combinable):
    """A caller's own grammar, as GBNF with a ``root`` rule. The parser takes any text to the end."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Peek(Combinable):
    """Succeeds where ``item`` matches, and consumes nothing."""

    item: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Negate(Combinable):
    """Succeeds where ``item`` does not match, and consumes nothing."""

    item: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Atomic(Combinable):
    """``item`` whole or not at all: its events wait in the journal until it has ended, and cuts inside do not reach outside."""

    item: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag(Combinable):
    """Wraps the events of ``item`` in an open and a close event. ``kind`` is for the runtime; the machine does not look at it."""

    kind: str
    item: Node
    data: Any_ = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref(Combinable):
    """A rule of the arena, by name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Combinable):
    """``text``, then ``item``, in which ``Same`` is what ``text`` has taken. Cuts inside ``text`` do not reach outside."""

    text: Node
    item: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Same(Combinable):
    """What the text of the nearest ``Remember`` around it has taken, as an event; nothing matches where there is none around it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Space(Combinable):
    """White space, any amount, no event. The grammar writes none at all, or up to ``written`` where that is not empty."""

    written: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class End(Combinable):
    """The end of input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning(Combinable):
    """At the end of input, the beginning of a text that is cut there: not all of it, and no single character. For the parser only."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerant(Combinable):
    """The parser takes ``also`` (which covers ``strict``); the grammar writes ``strict`` only."""

    strict: Node
    also: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(Combinable):
    """From here there is no way back: every open choice up to the nearest ``Atomic`` or ``Catch`` is settled and events are released."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch(Combinable):
    """Where ``item`` fails after its last way back, ``handler`` goes on at that place; nothing is taken back."""

    item: Node
    handler: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Combinable):
    """A diagnostic event with the current position."""

    code: str


Any_ = object
"""``typing.Any`` under a name that the node ``Any`` does not take."""

Node = (
    Literal
    | Sequence
    | Choice
    | Repeat
    | Until
    | Any
    | Characters
    | Json
    | Schema
    | Gbnf
    | Peek
    | Negate
    | Atomic
    | Tag
    | Ref
    | Remember
    | Same
    | Space
    | End
    | Beginning
    | Tolerant
    | Cut
    | Catch
    | Note
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """A tree with its named rules. ``rules`` is ordered; ``root`` is one of its names."""

    rules: Mapping[str, Node]
    root: str = "root"
