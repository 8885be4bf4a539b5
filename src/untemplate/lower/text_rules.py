"""Free text up to a place where structure follows, as rules: one for each state of an automaton over the texts looked for.

The automaton is that of Aho and Corasick (1975), with white space that may stand between the chunks of a stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from untemplate.lower import charset
from untemplate.lower.automaton import TooLargeError
from untemplate.lower.automaton_tree import Elimination
from untemplate.lower.fragments import Fragment, make_fragment
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, apart, chars, literal, opt, seq
from untemplate.peg.nodes import Node, Ref

_WHITE = " \t\n\r"
_NESTED = 8
MOST_WORK = 20_000
"""A text with more loops gets a rule for each state, which engines that keep all open rules take up to some length only."""
Stop = tuple[str, ...]
"""Chunks of a text with free white space between them."""
EDGE = "\0"
"""The first chunk of a stop that counts only where the text begins, or the last one of a stop with which the text may not end."""
Positions = frozenset[tuple[int, int, int]]
"""How far each stop and exit has been read: (which, chunk, character)."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A text that ends the free text, and what follows it."""

    text: str
    then: Node = EMPTY


class TextRules:
    """Makes and shares the rules of free text in one rule book."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self._made: dict[tuple[tuple[Stop, ...], tuple[Exit, ...], bool, bool], Node] = {}

    def text(self, stops: Iterable[Stop], exits: Iterable[Exit], *, may_end: bool = False, alone: bool = True, hint: str = "text") -> Node:
        """Return text in which no stop stands, up to and including one of the exits (or, where it may end so, without one).

        A stop that completes inside an exit is no stop there. Where an exit is not covered by a stop, the text may go on.

        Args:
            alone: nothing else begins where the text does, so that it may be one token for an engine with a lexer.
        """
        key = (tuple(stops), tuple(exits), may_end, alone)
        if key not in self._made:
            wanted = _needed(stop for stop in dict.fromkeys(key[0]) if stop and all(stop))
            leaving = tuple(_shortened(one, wanted) for one in dict.fromkeys(key[1]))
            self._made[key] = _Build(wanted, leaving, may_end, self.rules, hint).start(alone=alone)
        return self._made[key]


def _needed(stops: Iterable[Stop]) -> tuple[Stop, ...]:
    """Return the stops but those in which a shorter one stands."""
    listed = tuple(stops)
    single = [stop[0] for stop in listed if len(stop) == 1]
    return tuple(stop for stop in listed if not any(text in chunk for text in single for chunk in stop if stop != (text,)))


def _shortened(one: Exit, stops: tuple[Stop, ...]) -> Exit:
    """Return an exit that ends where the first stop in it is complete; the rest of its text follows."""
    positions: Positions = frozenset()
    for place, character in enumerate(one.text):
        positions, done, _ = _step(positions, character, stops, len(stops))
        if done:
            return Exit(one.text[: place + 1], seq(literal(one.text[place + 1 :]), one.then))
    return one


def _step(positions: Positions, character: str, chunked: Sequence[Stop], stops: int) -> tuple[Positions, bool, tuple[int, ...]]:
    """Return the positions after a character, whether a stop is complete, and which exits are.

    Args:
        chunked: the stops, and behind them the exits, each as one chunk.
        stops: how many of them are stops.
    """
    found: set[tuple[int, int, int]] = set()
    stopped = False
    left: list[int] = []
    for which, chunk, at in (*positions, *_starts(len(chunked))):
        if chunk and at == 0 and character in _WHITE:
            found.add((which, chunk, 0))
        if chunked[which][chunk][at] != character:
            continue
        if at + 1 < len(chunked[which][chunk]):
            found.add((which, chunk, at + 1))
        elif chunk + 1 < len(chunked[which]):
            found.add((which, chunk + 1, 0))
        elif which < stops:
            stopped = True
        else:
            left.append(which - stops)
    return frozenset(found), stopped, tuple(sorted(set(left)))


@lru_cache(maxsize=64)
def _starts(count: int) -> tuple[tuple[int, int, int], ...]:
    return tuple((number, 0, 0) for number in range(count))


Ways = Mapping[Positions, tuple[Mapping[Positions, list[str]], list[tuple[str, int]]]]
"""From each state to those that follow it, by characters, and to the exits; the character ``""`` stands for all that no stop has."""


def _first(stops: tuple[Stop, ...]) -> Positions:
    """Return where stops have been read to that count only where the text begins."""
    return frozenset((which, 1, 0) for which, stop in enumerate(stops) if stop[0] == EDGE)


@lru_cache(maxsize=512)
def _automaton(stops: tuple[Stop, ...], exits: tuple[str, ...]) -> tuple[tuple[str, ...], Ways, Mapping[Positions, int]]:
    """Return the characters that matter, the ways between states, and how often each state is entered.

    Templates of one family, and the values of one template, end with the same few texts: what was found is kept.
    """
    chunked = (*stops, *((text,) for text in exits))
    letters = {character for stop in chunked for chunk in stop for character in chunk} - {EDGE}
    if any(len(stop) > 1 for stop in stops):
        letters |= set(_WHITE)
    first = _first(stops)
    ways: dict[Positions, tuple[Mapping[Positions, list[str]], list[tuple[str, int]]]] = {}
    uses: dict[Positions, int] = {first: 2}
    todo = [first]
    while todo:
        state = todo.pop()
        if state in ways:
            continue
        ways[state] = _leaving(state, sorted(letters), chunked, len(stops))
        for target in ways[state][0]:
            if target != state:
                uses[target] = uses.get(target, 0) + 1
            todo.append(target)
    return tuple(sorted(letters)), ways, uses


def _leaving(
    state: Positions, letters: Sequence[str], chunked: Sequence[Stop], stops: int
) -> tuple[Mapping[Positions, list[str]], list[tuple[str, int]]]:
    """Return the states that follow by character, and the exits."""
    following: dict[Positions, list[str]] = {}
    leaving: list[tuple[str, int]] = []
    begun = _begun(tuple(chunked), stops)
    awaited = {chunked[which][chunk][at] for which, chunk, at in state}
    waits = any(chunk and at == 0 for _, chunk, at in state)
    for character in letters:
        if character in awaited or (waits and character in _WHITE):
            target, stopped, left = _step(state, character, chunked, stops)
        else:
            target, stopped, left = begun.get(character, _NOWHERE)
        leaving += [(character, which) for which in left]
        if not stopped:
            following.setdefault(target, []).append(character)
    following.setdefault(frozenset(), []).append("")
    return following, leaving


_NOWHERE: tuple[Positions, bool, tuple[int, ...]] = (frozenset(), False, ())


@lru_cache(maxsize=8)
def _begun(chunked: tuple[Stop, ...], stops: int) -> Mapping[str, tuple[Positions, bool, tuple[int, ...]]]:
    """Return what ``_step`` returns where nothing has been read yet, for each character that begins something."""
    firsts = {stop[0][0] for stop in chunked}
    return {character: _step(frozenset(), character, chunked, stops) for character in firsts}


def _members(listed: Sequence[str], letters: Sequence[str]) -> charset.CharSet:
    """Return a set of characters; ``""`` among those listed stands for all that no stop has."""
    found = charset.of("".join(listed))
    return found if "" not in listed else charset.complement(charset.difference(charset.of("".join(letters)), found))


def _may_end(state: Positions, stops: tuple[Stop, ...]) -> bool:
    """Tell whether a text that may end can end here."""
    return not any(at == 0 and chunk and which < len(stops) and stops[which][chunk] == EDGE for which, chunk, at in state)


@lru_cache(maxsize=128)
def _loops(stops: tuple[Stop, ...], exits: tuple[str, ...], group: tuple[int, ...]) -> Fragment:
    """Return the text up to one of a group of the exits as loops; without a group, the text alone, which may end anywhere."""
    letters, states, _ = _automaton(stops, exits)
    number = {state: place for place, state in enumerate(states)}
    ways: dict[int, dict[int, Node]] = {}
    ends: dict[int, Node | None] = {}
    for state, (following, leaving) in states.items():
        ways[number[state]] = {number[target]: chars(_members(listed, letters)) for target, listed in following.items()}
        last = [literal(character) for character, which in leaving if which in group]
        if group:
            ends[number[state]] = alt(*last) if last else None
        else:
            ends[number[state]] = EMPTY if _may_end(state, stops) else None
    return make_fragment(lambda rules, hint: Elimination(rules, hint, MOST_WORK).run(ways, number[_first(stops)], ends))


class _Build:
    def __init__(self, stops: tuple[Stop, ...], exits: tuple[Exit, ...], may_end: bool, rules: RuleBook, hint: str) -> None:
        self.stops = stops
        self.exits = exits
        self.may_end = may_end
        self.rules = rules
        self.hint = hint
        self.letters, self.ways, self.uses = _automaton(stops, tuple(one.text for one in exits))
        self.first = _first(stops)
        self.names: dict[Positions, str] = {}

    def ends(self, state: Positions) -> bool:
        """Tell whether the text may end here."""
        return self.may_end and _may_end(state, self.stops)

    def start(self, *, alone: bool) -> Node:
        """Return the text: as loops, which any engine takes at any length; else as the rule of the first state."""
        ways = self.ways.values()
        if alone and all(character not in letters for following, exits in ways for letters in following.values() for character, _ in exits):
            try:
                return self.loops()
            except TooLargeError:
                pass
        return self.linear()

    def loops(self) -> Node:
        """Return the text with each of its exits, as a rule of its own without recursion: an engine with a lexer takes it as one token.

        Raises:
            TooLargeError: when the texts looked for are so entangled that the tree would explode.
        """
        texts = tuple(one.text for one in self.exits)
        groups: dict[Node | None, tuple[int, ...]] = {None: ()} if self.may_end else {}
        for _, exits in self.ways.values():
            for _, which in exits:
                then = self.exits[which].then
                groups[then] = (*groups.get(then, ()), which)
        options: list[Node] = []
        for behind, group in groups.items():
            whole = _loops(self.stops, texts, tuple(sorted(set(group)))).written(self.rules, self.hint)
            options.append(whole if behind is None else apart(whole, behind))
        return alt(*options)

    def linear(self) -> Node:
        """Return the rule of the first state, with a rule for every state that is entered more than once."""
        for state in self.ways:
            if self.uses.get(state, 0) > 1 or state in self.ways[state][0]:
                self.names[state] = self.rules.reserve(self.hint)
        for state in list(self.names):
            self.rules.fill(self.names[state], self.tree(state, 0))
        return Ref(name=self.names[self.first])

    def tree(self, state: Positions, depth: int) -> Node:
        following, exits = self.ways[state]
        ways: list[Node] = []
        for target, letters in following.items():
            ways.append(seq(chars(_members(letters, self.letters)), self.target(target, depth)))
        ways += [apart(literal(character), self.exits[which].then) for character, which in exits]
        return opt(alt(*ways)) if self.ends(state) else alt(*ways)

    def target(self, state: Positions, depth: int) -> Node:
        if state in self.names:
            return Ref(name=self.names[state])
        if depth >= _NESTED:
            name = self.names[state] = self.rules.reserve(self.hint)
            return self.rules.fill(name, self.tree(state, 0))
        return self.tree(state, depth + 1)
