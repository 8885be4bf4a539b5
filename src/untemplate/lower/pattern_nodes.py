"""The syntax tree of a regular expression, and what can be read from it without an automaton."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from untemplate.lower.charset import ALL, CharSet


@dataclass(frozen=True, slots=True)
class Set:
    """One character of a set."""

    chars: CharSet


@dataclass(frozen=True, slots=True)
class Cat:
    """Its items one after another; no items: the empty text."""

    items: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Alt:
    options: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Rep:
    item: Regex
    minimum: int
    maximum: int | None


class Place(StrEnum):
    """Where a zero-width assertion holds."""

    START = "start"
    END = "end"
    WORD = "word"
    """At a word boundary."""
    INSIDE = "inside"
    """Not at a word boundary."""


@dataclass(frozen=True, slots=True)
class Assert:
    place: Place


@dataclass(frozen=True, slots=True)
class Look:
    """Look-ahead, or look-behind where ``behind``."""

    item: Regex
    behind: bool
    negated: bool


Regex = Set | Cat | Alt | Rep | Assert | Look

NOTHING = Cat(())
ANYTHING = Rep(Set(ALL), 0, None)


def cat(*items: Regex) -> Regex:
    """Return ``items`` in sequence, nested sequences opened."""
    flat: list[Regex] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Cat) else (item,))
    return flat[0] if len(flat) == 1 else Cat(tuple(flat))


def text_regex(text: str) -> Regex:
    """Return an expression that matches exactly ``text``."""
    return cat(*(Set(((ord(character), ord(character)),)) for character in text))


def lengths(node: Regex) -> tuple[int, int | None]:
    """Return the shortest and the longest length of what ``node`` matches, in characters; ``None``: unbounded."""
    match node:
        case Set():
            return 1, 1
        case Cat(items):
            pairs = [lengths(item) for item in items]
            tops = [high for _, high in pairs if high is not None]
            return sum(low for low, _ in pairs), sum(tops) if len(tops) == len(pairs) else None
        case Alt(options):
            bounds = [lengths(option) for option in options]
            highs = [high for _, high in bounds if high is not None]
            return min(low for low, _ in bounds), max(highs) if len(highs) == len(bounds) else None
        case Rep(item, minimum, maximum):
            least, most = lengths(item)
            if most == 0:
                return 0, 0
            return least * minimum, None if most is None or maximum is None else most * maximum
        case Assert() | Look():
            return 0, 0


def has_assertion(node: Regex) -> bool:
    """Tell whether a zero-width assertion of any kind stands in ``node``."""
    match node:
        case Set():
            return False
        case Cat(items):
            return any(has_assertion(item) for item in items)
        case Alt(options):
            return any(has_assertion(option) for option in options)
        case Rep(item, _, _):
            return has_assertion(item)
        case Assert() | Look():
            return True


def has_look(node: Regex) -> bool:
    """Tell whether a look-around stands in ``node``."""
    match node:
        case Set() | Assert():
            return False
        case Cat(items):
            return any(has_look(item) for item in items)
        case Alt(options):
            return any(has_look(option) for option in options)
        case Rep(item, _, _):
            return has_look(item)
        case Look():
            return True


def drop_looks(node: Regex) -> Regex:
    """Return ``node`` with each look-around taken as always true, which only matches more."""
    match node:
        case Set() | Assert():
            return node
        case Cat(items):
            return cat(*(drop_looks(item) for item in items))
        case Alt(options):
            return Alt(tuple(drop_looks(option) for option in options))
        case Rep(item, minimum, maximum):
            return Rep(drop_looks(item), minimum, maximum)
        case Look():
            return NOTHING


def whole(node: Regex) -> Regex | None:
    """Return an expression for the *whole* strings in which ``node`` is found, without assertions.

    ``^a|b$`` becomes ``a.*|.*b``. ``None`` where an assertion stands elsewhere than at the ends of an alternative: that needs
    an automaton.
    """
    if isinstance(node, Alt):
        options = [whole(option) for option in node.options]
        return Alt(tuple(option for option in options if option is not None)) if None not in options else None
    items = list(node.items) if isinstance(node, Cat) else [node]
    if len(items) == 1 and isinstance(items[0], Alt):
        return whole(items[0])
    start, end = False, False
    while items and items[0] == Assert(Place.START):
        start = True
        items.pop(0)
    while items and items[-1] == Assert(Place.END):
        end = True
        items.pop()
    if any(has_assertion(item) for item in items):
        return None
    before = [] if start or items[:1] == [ANYTHING] else [ANYTHING]
    after = [] if end or (items or before)[-1:] == [ANYTHING] else [ANYTHING]
    return cat(*before, *items, *after)
