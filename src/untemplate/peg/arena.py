"""Arenas: walking their nodes, naming their rules, and what must hold before they are used."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from operator import attrgetter
from typing import Any

from untemplate.errors import GrammarError
from untemplate.peg import nodes
from untemplate.peg.nodes import Arena, Node


def children(node: Node) -> tuple[Node, ...]:
    """Return the nodes directly within a node; a reference has none."""
    find = _CHILDREN.get(type(node))
    return () if find is None else find(node)


def _item(node: Any) -> tuple[Node, ...]:
    return (node.item,)


_CHILDREN: Mapping[type, Callable[[Any], tuple[Node, ...]]] = {
    nodes.Sequence: attrgetter("items"),
    nodes.Choice: attrgetter("options"),
    nodes.Until: lambda node: () if node.confirm is None else (node.confirm,),
    nodes.Tolerant: attrgetter("strict", "also"),
    nodes.Catch: attrgetter("item", "handler"),
    nodes.Remember: attrgetter("text", "item"),
    **dict.fromkeys((nodes.Repeat, nodes.Peek, nodes.Negate, nodes.Atomic, nodes.Tag), _item),
}
"""How to find the nodes within a node, by its type: every arena is walked several times."""


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes within it, parents first, in order."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        find = _CHILDREN.get(type(current))
        if find is not None:
            waiting.extend(find(current)[::-1])


def references(node: Node) -> list[str]:
    """Return the names of the rules that a node refers to, each once, in order."""
    found: dict[str, None] = {}
    waiting = [node]
    while waiting:  # as ``walk`` does
        current = waiting.pop()
        if type(current) is nodes.Ref:
            found[current.name] = None
        elif (find := _CHILDREN.get(type(current))) is not None:
            waiting += find(current)[::-1]
    return list(found)


def reachable(arena: Arena) -> list[str]:
    """Return the rules that the root needs, the root first, in order of their first mention."""
    found = [arena.root]
    for name in found:
        found += [other for other in references(arena.rules[name]) if other not in found]
    return found


def unique_name(wanted: str, taken: Container[str]) -> str:
    """Return a rule name made from ``wanted`` (letters, digits and ``-``) that is not taken."""
    base = re.sub(r"[^A-Za-z0-9]+", "-", wanted).strip("-") or "rule"
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    return name


def check_arena(arena: Arena) -> None:
    """Check that every reference has its rule and that no rule calls itself before it takes text.

    Raises:
        GrammarError: E401 for a missing rule, E402 for left recursion.
    """
    if arena.root not in arena.rules:
        raise GrammarError(f"the root rule {arena.root!r} is missing", code="E401")
    for name, node in arena.rules.items():
        for other in references(node):
            if other not in arena.rules:
                raise GrammarError(f"the rule {other!r} is missing", code="E401", where=name)
    _check_left_recursion(arena.rules)


def _check_left_recursion(rules: Mapping[str, Node]) -> None:
    empty = empty_rules(rules)
    edges = {name: _first_references(node, empty) for name, node in rules.items()}
    settled: set[str] = set()
    for name in rules:
        path: dict[str, Iterator[str]] = {}
        current: str | None = name if name not in settled else None
        while current is not None:
            if current not in path:
                path[current] = iter(edges[current])
            following = next((other for other in path[current] if other not in settled), None)
            if following is None:
                settled.add(current)
                del path[current]
                current = next(reversed(path), None)
            elif following in path:
                raise GrammarError(
                    f"the rule {following!r} calls itself before it takes any text",
                    code="E402",
                    where=following,
                    hint="Write the repetition as Repeat, or put what comes first in front of the reference.",
                )
            else:
                current = following


def empty_rules(rules: Mapping[str, Node]) -> set[str]:
    """Return the rules that may match without taking text."""
    empty: set[str] = set()
    while True:
        more = {name for name, node in rules.items() if name not in empty and may_be_empty(node, empty)}
        if not more:
            return empty
        empty |= more


def may_be_empty(node: Node, empty: Container[str]) -> bool:
    """Return whether a node may match without taking text, given the rules that may."""
    find = _MAY_BE_EMPTY.get(type(node))
    return True if find is None else find(node, empty)


def _never(_node: Any, _empty: Container[str]) -> bool:
    return False


_MAY_BE_EMPTY: Mapping[type, Callable[[Any, Container[str]], bool]] = {
    nodes.Literal: lambda node, _empty: not node.text,
    nodes.Sequence: lambda node, empty: all(may_be_empty(item, empty) for item in node.items),
    nodes.Choice: lambda node, empty: any(may_be_empty(option, empty) for option in node.options),
    nodes.Repeat: lambda node, empty: node.minimum == 0 or may_be_empty(node.item, empty),
    nodes.Characters: lambda node, _empty: node.minimum == 0,
    nodes.Ref: lambda node, empty: node.name in empty,
    nodes.Remember: lambda node, empty: may_be_empty(node.text, empty) and may_be_empty(node.item, empty),
    nodes.Tolerant: lambda node, empty: may_be_empty(node.strict, empty) or may_be_empty(node.also, empty),
    **dict.fromkeys((nodes.Atomic, nodes.Tag), lambda node, empty: may_be_empty(node.item, empty)),
    **dict.fromkeys((nodes.Any, nodes.Json, nodes.Schema), _never),
}


def width(node: Node) -> int | None:
    """Return the most characters that may be read again when ``node`` fails, which are those before a cut; ``None``: no bound."""
    return _reach(node, cuts=True)[0]


def _reach(node: Node, *, cuts: bool) -> tuple[int | None, bool]:
    """Return the most characters that ``node`` looks at before a cut, and whether it surely passes one where it matches."""
    match node:
        case nodes.Literal(text=text) | nodes.Beginning(text=text):
            return len(text), False
        case nodes.Any():
            return 1, False
        case nodes.Characters(maximum=maximum):
            return maximum, False
        case nodes.End() | nodes.Note():
            return 0, False
        case nodes.Cut():
            return 0, cuts
        case nodes.Sequence(items=items):
            total = 0
            for item in items:
                size, passed = _reach(item, cuts=cuts)
                if size is None:
                    return None, False
                total += size
                if passed:
                    return total, True
            return total, False
        case nodes.Choice(options=options):
            ways = [_reach(option, cuts=cuts) for option in options]
            sizes = [size for size, _ in ways if size is not None]
            return max(sizes, default=0) if len(sizes) == len(ways) else None, all(passed for _, passed in ways)
        case nodes.Tag(item=item) | nodes.Tolerant(also=item):
            return _reach(item, cuts=cuts)
        case nodes.Peek(item=item) | nodes.Negate(item=item) | nodes.Atomic(item=item):
            return _reach(item, cuts=False)
        case nodes.Repeat(item=item, maximum=maximum):
            size = _reach(item, cuts=False)[0]
            return None if size is None or maximum is None else size * maximum, False
        case _:
            return None, False


def _first_references(node: Node, empty: Container[str]) -> list[str]:
    """Return the rules that a node may call before it takes any text."""
    match node:
        case nodes.Ref(name=name):
            return [name]
        case nodes.Sequence() | nodes.Remember():
            found: list[str] = []
            for item in children(node):
                found += _first_references(item, empty)
                if not may_be_empty(item, empty):
                    break
            return found
        case _:
            return [name for child in children(node) for name in _first_references(child, empty)]
