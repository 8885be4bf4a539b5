"""From regular expressions to automata, anchors and word boundaries included."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce

from untemplate.lower import automaton, charset
from untemplate.lower.automaton import DEAD, Automaton, TooLargeError
from untemplate.lower.charset import CharSet
from untemplate.lower.pattern_classes import WORD
from untemplate.lower.pattern_nodes import ANYTHING, Alt, Assert, Cat, Look, Place, Regex, Rep, Set, cat, drop_looks, has_look

_ACCEPT = 0
_UNIVERSAL = 1
"""Accepts whatever follows: the loop at the end of an unanchored pattern."""
_MOST_NODES = 40_000
_START, _OTHER, _IN_WORD = 0, 1, 2
"""What stands before a position: nothing, a character that is no word character, one that is."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The automaton of the whole strings in which a pattern is found."""

    automaton: Automaton
    exact: bool
    """``False`` where a look-around was taken as always true."""


@lru_cache(maxsize=2048)
def search(node: Regex) -> Searched:
    """Return the automaton of all strings in which ``node`` is found somewhere, as JSON Schema's ``pattern`` means it.

    Look-aheads outside of groups, look-behinds before a final ``$`` and ``^((?!x).)*$`` are exact; other look-arounds are taken
    as always true.

    Raises:
        TooLargeError: past ``MOST_STATES``.
    """
    if isinstance(node, Alt) and has_look(node):
        ways = [search(option) for option in node.options]
        return Searched(reduce(automaton.either, (way.automaton for way in ways)), all(way.exact for way in ways))
    core, demands = _split_looks(node)
    found, exact = _from_here((ANYTHING, *(core.items if isinstance(core, Cat) else (core,))))
    for look, wanted in demands:
        exact = exact and not has_look(look)
        other = _build(drop_looks(look))
        found = automaton.both(found, other) if wanted else automaton.without(found, other)
    return Searched(found, exact)


def _from_here(items: tuple[Regex, ...]) -> tuple[Automaton, bool]:
    """Return the automaton of the texts that begin with ``items``, up to their end, and whether it is exact.

    What follows a look-ahead is an automaton of its own, which what it asks for narrows.
    """
    place = next((index for index, item in enumerate(items) if isinstance(item, Look) and not item.behind), None)
    if place is None or any(_depends_on_before(item) for item in items[place:]) or any(map(has_look, items[:place])):
        return _build(cat(*map(drop_looks, items), ANYTHING)), not any(map(has_look, items))
    look = items[place]
    assert isinstance(look, Look)
    rest, exact = _from_here(items[place + 1 :])
    if has_look(look.item):
        exact = False
    else:
        asked = _build(cat(look.item, ANYTHING))
        rest = automaton.without(rest, asked) if look.negated else automaton.both(rest, asked)
    return (_build(cat(*items[:place]), rest) if place else rest), exact


def _depends_on_before(node: Regex) -> bool:
    """Tell whether an assertion in it asks what stands before."""
    match node:
        case Assert(place):
            return place is not Place.END
        case Cat(items) | Alt(items):
            return any(map(_depends_on_before, items))
        case Rep(item, _, _):
            return _depends_on_before(item)
        case Look(item, _, _):
            return _depends_on_before(item)
        case _:
            return False


def _split_looks(node: Regex) -> tuple[Regex, list[tuple[Regex, bool]]]:
    """Return ``node`` without the look-arounds that are conditions on the whole string, and those conditions."""
    if not isinstance(node, Cat) or not has_look(node):
        return node, []
    items = list(node.items)
    demands: list[tuple[Regex, bool]] = []
    if items[0] == Assert(Place.START):
        while len(items) > 1 and isinstance(look := items[1], Look) and not look.behind:
            demands.append((cat(Assert(Place.START), look.item, ANYTHING), not look.negated))
            del items[1]
    if items[-1] == Assert(Place.END):
        while len(items) > 1 and isinstance(look := items[-2], Look) and look.behind:
            demands.append((cat(ANYTHING, look.item, Assert(Place.END)), not look.negated))
            del items[-2]
    if items[0] == Assert(Place.START) and items[-1] == Assert(Place.END):
        for index, item in enumerate(items):
            tempered = _tempered(item)
            if tempered is not None and len(items) == 3:
                items[index] = tempered[0]
                demands.append((cat(ANYTHING, tempered[1], ANYTHING), False))
    return cat(*items), demands


def _tempered(item: Regex) -> tuple[Regex, Regex] | None:
    """Return ``(.*, x)`` for ``((?!x).)*``: text of the dot's kind in which no ``x`` starts."""
    if isinstance(item, Rep) and isinstance(item.item, Cat) and len(item.item.items) == 2:
        look, one = item.item.items
        if isinstance(look, Look) and look.negated and not look.behind and isinstance(one, Set):
            return Rep(one, item.minimum, item.maximum), look.item
    return None


class _Graph:
    """A nondeterministic automaton, built backwards from what follows."""

    def __init__(self) -> None:
        self.chars: list[CharSet | None] = [None, None]
        self.next: list[tuple[int, ...]] = [(), ()]
        self.place: list[Place | None] = [None, None]

    def add(self, chars: CharSet | None, following: tuple[int, ...], place: Place | None = None) -> int:
        if len(self.next) >= _MOST_NODES:
            raise TooLargeError
        self.chars.append(chars)
        self.next.append(following)
        self.place.append(place)
        return len(self.next) - 1

    def build(self, node: Regex, following: int) -> int:
        match node:
            case Set(chars):
                return self.add(chars, (following,))
            case Cat(items):
                for item in reversed(items):
                    following = self.build(item, following)
                return following
            case Alt(options):
                return self.add(None, tuple(self.build(option, following) for option in options))
            case Rep(item, minimum, maximum):
                return self.repeat(item, minimum, maximum, following)
            case Assert(place):
                return self.add(None, (following,), place)
            case Look():
                return following

    def automaton(self, one: Automaton) -> int:
        """Return the node from which on the whole rest of the text is what ``one`` accepts."""
        end = self.add(None, (_ACCEPT,), Place.END)
        states = [self.add(None, ()) for _ in one.delta]
        for state, row in enumerate(one.delta):
            targets: dict[int, list[CharSet]] = {}
            for index, target in enumerate(row):
                if target != DEAD:
                    targets.setdefault(target, []).append(one.classes[index])
            ways = [self.add(charset.union(*sets), (states[target],)) for target, sets in targets.items()]
            self.next[states[state]] = (*ways, *([end] if one.accept[state] else []))
        return states[0]

    def repeat(self, item: Regex, minimum: int, maximum: int | None, following: int) -> int:
        if maximum is None:
            if item == ANYTHING.item and following == _ACCEPT:
                following = _UNIVERSAL
            else:
                loop = self.add(None, ())
                self.next[loop] = (self.build(item, loop), following)
                following = loop
        else:
            end = following
            for _ in range(maximum - minimum):
                following = self.add(None, (self.build(item, following), end))
        for _ in range(minimum):
            following = self.build(item, following)
        return following


def _build(node: Regex, rest: Automaton | None = None) -> Automaton:
    """Return the automaton of ``node`` with ``rest`` behind it."""
    graph = _Graph()
    start = graph.build(node, _ACCEPT if rest is None else graph.automaton(rest))
    bounded = any(place in (Place.WORD, Place.INSIDE) for place in graph.place)
    sets = [chars for chars in graph.chars if chars is not None]
    classes = charset.partition([*sets, WORD] if bounded else sets)
    words = [charset.contains(WORD, chars[0][0]) for chars in classes]
    return automaton.minimize(_determinize(graph, start, classes, words, bounded))


def _determinize(graph: _Graph, start: int, classes: tuple[CharSet, ...], words: list[bool], bounded: bool) -> Automaton:
    indices: dict[CharSet, frozenset[int]] = {}
    for chars in {chars for chars in graph.chars if chars is not None}:
        indices[chars] = frozenset(i for i, one in enumerate(classes) if charset.contains(chars, one[0][0]))
    first = (frozenset((start,)), _START)
    numbers = {first: 0}
    order = [first]
    rows: list[tuple[int, ...]] = []
    accept: list[bool] = []
    for kernel, before in order:
        accept.append(bool(_close(graph, kernel, before, _OTHER, end=True) & {_ACCEPT, _UNIVERSAL}))
        targets = _targets(graph, kernel, before, indices, words, bounded)
        row = []
        for index, target in enumerate(targets):
            if not target:
                row.append(DEAD)
                continue
            kernel_ = frozenset((_UNIVERSAL,)) if _UNIVERSAL in target else frozenset(target)
            key = (kernel_, (_IN_WORD if words[index] else _OTHER) if bounded else _OTHER)
            number = numbers.get(key)
            if number is None:
                number = numbers[key] = len(order)
                order.append(key)
                if number > automaton.MOST_STATES:
                    raise TooLargeError
            row.append(number)
        rows.append(tuple(row))
    return Automaton(classes, tuple(rows), tuple(accept))


def _targets(
    graph: _Graph, kernel: frozenset[int], before: int, indices: dict[CharSet, frozenset[int]], words: list[bool], bounded: bool
) -> list[set[int]]:
    """Return the nodes that each class of characters leads to."""
    targets: list[set[int]] = [set() for _ in words]
    every = frozenset(range(len(words)))
    for kind in (_OTHER, _IN_WORD) if bounded else (_OTHER,):
        for node in _close(graph, kernel, before, kind, end=False):
            members = graph.chars[node]
            if members is None and node != _UNIVERSAL:
                continue
            following = _UNIVERSAL if members is None else graph.next[node][0]
            for index in every if members is None else indices[members]:
                if not bounded or words[index] == (kind == _IN_WORD):
                    targets[index].add(following)
    return targets


def _close(graph: _Graph, kernel: frozenset[int], before: int, after: int, *, end: bool) -> set[int]:
    """Return what is reached from ``kernel`` without a character, given what stands before and after."""
    seen = set(kernel)
    todo = list(kernel)
    while todo:
        node = todo.pop()
        if graph.chars[node] is not None:
            continue
        place = graph.place[node]
        if place is not None and not _holds(place, before, after, end):
            continue
        for following in graph.next[node]:
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return seen


def _holds(place: Place, before: int, after: int, end: bool) -> bool:
    match place:
        case Place.START:
            return before == _START
        case Place.END:
            return end
        case Place.WORD | Place.INSIDE:
            boundary = (before == _IN_WORD) != (not end and after == _IN_WORD)
            return boundary == (place is Place.WORD)
