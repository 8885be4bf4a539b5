"""Which characters a node may begin with: what lets the machine pass over an option after one look at the text."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from untemplate.peg import nodes
from untemplate.peg.nodes import JsonKind, Node

_MOST: Final = 512
"""A larger class of characters is not listed."""
_WORD: Final = frozenset(string.ascii_letters + string.digits + "_+-.")
_JSON: Final = {
    JsonKind.VALUE: frozenset("{[(\"'") | _WORD,
    JsonKind.OBJECT: frozenset("{"),
    JsonKind.ARRAY: frozenset("[("),
    JsonKind.STRING: frozenset("\"'"),
    JsonKind.NUMBER: _WORD,
}


@dataclass(frozen=True, slots=True)
class First:
    """What a node needs to see where the text has a next character, so that it does not fail before it takes any or passes a cut."""

    chars: frozenset[str] | None
    """``None``: any character may do."""
    empty: bool
    """It may also match without taking a character that is there."""

    @property
    def test(self) -> frozenset[str] | None:
        """The characters of which the next one must be; ``None`` where nothing is sure."""
        return None if self.empty else self.chars


_NOTHING: Final = First(frozenset(), True)
_ANYTHING: Final = First(None, True)


class Firsts:
    """Finds what nodes begin with; each node is looked at once."""

    def __init__(self, rules: Mapping[str, Node]) -> None:
        self._rules = rules
        self._known: dict[int, First] = {}

    def of(self, node: Node) -> First:
        """Return what ``node`` begins with. The rules must be free of left recursion."""
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = self._find(node)
        return known

    def _find(self, node: Node) -> First:
        match node:
            case nodes.Sequence(items=items):
                return self._sequence(items)
            case nodes.Choice(options=options):
                return _either([self.of(option) for option in options])
            case nodes.Repeat(item=item, minimum=minimum):
                first = self.of(item)
                return First(first.chars, first.empty or minimum == 0)
            case nodes.Ref(name=name):
                return self.of(self._rules[name])
            case nodes.Tag(item=item) | nodes.Atomic(item=item) | nodes.Tolerant(also=item):
                return self.of(item)
            case nodes.Remember(text=text, item=item):
                return self._sequence((text, item))
            case nodes.Peek():
                return self._sequence((node,))
            case nodes.Negate(item=item):
                return _ANYTHING if self.of(item).empty else _NOTHING
            case _:
                return _leaf(node)

    def _sequence(self, items: tuple[Node, ...]) -> First:
        """Return what a sequence begins with; a look-ahead narrows what comes after it."""
        front: list[Node] = []
        for item in items:
            front.append(item)
            if not isinstance(item, nodes.Peek) and not self.of(item).empty:
                break
        result = _NOTHING
        for item in reversed(front):
            if isinstance(item, nodes.Peek):
                test = self.of(item.item).test
                if test is not None:
                    result = First(test if result.test is None else test & result.test, False)
                continue
            first = self.of(item)
            if first.empty:
                chars = None if first.chars is None or result.chars is None else first.chars | result.chars
                result = First(chars, result.empty)
            else:
                result = first
        return result


def _leaf(node: Node) -> First:
    match node:
        case nodes.Literal(text=text):
            return First(frozenset(text[:1]), not text)
        case nodes.Beginning(text=text):
            return First(frozenset(text[:1]), False)
        case nodes.Characters():
            return First(_listed(node), node.minimum == 0)
        case nodes.Any():
            return First(None, False)
        case nodes.Json(kind=kind, quotes=quotes):
            return First(_JSON[kind] | {opening[0] for opening, _ in quotes}, False)
        case nodes.Schema():
            return First(_JSON[JsonKind.VALUE], False)
        case nodes.Space():
            return First(frozenset(" \t\n\r\f\v"), True)
        case nodes.End():
            return First(frozenset(), False)
        case nodes.Note():
            return _NOTHING
        case _:
            return _ANYTHING


def _either(firsts: list[First]) -> First:
    if not firsts:
        return First(None, False)
    chars: frozenset[str] | None = frozenset()
    for first in firsts:
        chars = None if chars is None or first.chars is None else chars | first.chars
    return First(chars, any(first.empty for first in firsts))


@lru_cache(maxsize=1024)
def _listed(node: nodes.Characters) -> frozenset[str] | None:
    if node.negated or sum(ord(last) - ord(first) + 1 for first, last in node.ranges) > _MOST:
        return None
    return frozenset(chr(code) for first, last in node.ranges for code in range(ord(first), ord(last) + 1))
