"""Deterministic automata over characters: built from regular expressions, combined, and made as small as they can be."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from untemplate.lower import charset
from untemplate.lower.charset import CharSet

State = TypeVar("State", bound=Hashable)

DEAD = -1
MOST_STATES = 6000
"""Larger automata are not built: what they stand for is widened by the caller."""
_KEPT = 32
"""Combinations that are remembered: schemas ask for the same few bounds again and again."""


class TooLargeError(Exception):
    """An automaton would pass ``MOST_STATES``."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """States are numbered from 0, which is the start. A missing transition is ``DEAD``."""

    classes: tuple[CharSet, ...]
    """A partition of all characters."""
    delta: tuple[tuple[int, ...], ...]
    """``delta[state][class]``."""
    accept: tuple[bool, ...]

    def matches(self, text: str) -> bool:
        """Tell whether the whole of ``text`` is accepted."""
        state = 0
        for character in text:
            code = ord(character)
            for index, chars in enumerate(self.classes):
                if charset.contains(chars, code):
                    state = self.delta[state][index]
                    break
            else:
                return False
            if state == DEAD:
                return False
        return self.accept[state]

    @property
    def empty(self) -> bool:
        """Nothing is accepted."""
        return not any(self.accept)


NONE = Automaton((charset.ALL,), ((DEAD,),), (False,))
ANY = Automaton((charset.ALL,), ((0,),), (True,))


def from_strings(texts: Iterable[str]) -> Automaton:
    """Return the automaton of exactly these strings."""
    delta: list[dict[str, int]] = [{}]
    accept = [False]
    for text in texts:
        state = 0
        for character in text:
            following = delta[state].get(character)
            if following is None:
                following = len(delta)
                delta[state][character] = following
                delta.append({})
                accept.append(False)
            state = following
        accept[state] = True
    letters = sorted({character for row in delta for character in row})
    rest = charset.complement(charset.of("".join(letters)))
    classes = tuple(charset.of(letter) for letter in letters) + ((rest,) if rest else ())
    rows = tuple(tuple(row.get(letter, DEAD) for letter in letters) + ((DEAD,) if rest else ()) for row in delta)
    return Automaton(classes, rows, tuple(accept))


def of_length(minimum: int, maximum: int | None) -> Automaton:
    """Return the automaton of all strings of these lengths, in characters."""
    count = (maximum if maximum is not None else minimum) + 1
    if count > MOST_STATES:
        raise TooLargeError
    last = count - 1 if maximum is None else DEAD
    rows = tuple((state + 1 if state + 1 < count else last,) for state in range(count))
    return Automaton((charset.ALL,), rows, tuple(state >= minimum for state in range(count)))


def explore(alphabet: str, start: State, step: Callable[[State, str], State | None], accepts: Callable[[State], bool]) -> Automaton:
    """Return the automaton of a step function over the characters of ``alphabet``; ``None`` is no way on.

    Raises:
        TooLargeError: past ``MOST_STATES``.
    """
    numbers = {start: 0}
    order = [start]
    rows: list[tuple[int, ...]] = []
    for state in order:
        row = []
        for character in alphabet:
            following = step(state, character)
            if following is None:
                row.append(DEAD)
                continue
            if following not in numbers:
                if len(order) > MOST_STATES:
                    raise TooLargeError
                numbers[following] = len(order)
                order.append(following)
            row.append(numbers[following])
        rows.append((*row, DEAD))
    classes = (*(charset.of(character) for character in alphabet), charset.complement(charset.of(alphabet)))
    return minimize(Automaton(classes, tuple(rows), tuple(accepts(state) for state in order)))


def followed_by(one: Automaton, text: str) -> Automaton:
    """Return the automaton of what ``one`` accepts with ``text`` behind it, up to the first place where that is complete."""
    classes: list[CharSet] = []
    pairs: list[int] = []
    for index, members in enumerate(one.classes):
        for part in charset.partition([charset.of(character) for character in dict.fromkeys(text)]):
            if chars := charset.intersection(members, part):
                classes.append(chars)
                pairs.append(index)
    start = (0, frozenset((0,)) if one.accept[0] else frozenset())
    numbers = {start: 0}
    order = [start]
    rows: list[tuple[int, ...]] = []
    for state, progress in order:
        row = []
        for chars, index in zip(classes, pairs, strict=True):
            if len(text) in progress:
                row.append(DEAD)
                continue
            following = one.delta[state][index] if state != DEAD else DEAD
            moved = {count + 1 for count in progress if charset.contains(chars, ord(text[count]))}
            if following != DEAD and one.accept[following]:
                moved.add(0)
            target = (following, frozenset(moved))
            if following == DEAD and not moved:
                row.append(DEAD)
                continue
            if target not in numbers:
                if len(order) > MOST_STATES:
                    raise TooLargeError
                numbers[target] = len(order)
                order.append(target)
            row.append(numbers[target])
        rows.append(tuple(row))
    return minimize(Automaton(tuple(classes), tuple(rows), tuple(len(text) in progress for _, progress in order)))


@lru_cache(maxsize=_KEPT)
def both(left: Automaton, right: Automaton) -> Automaton:
    """Return the automaton of what both accept."""
    return _product(left, right, lambda a, b: a and b, needs_left=True, needs_right=True)


@lru_cache(maxsize=_KEPT)
def without(left: Automaton, right: Automaton) -> Automaton:
    """Return the automaton of what ``left`` accepts and ``right`` does not."""
    return _product(left, right, lambda a, b: a and not b, needs_left=True, needs_right=False)


def either(left: Automaton, right: Automaton) -> Automaton:
    """Return the automaton of what either accepts."""
    return _product(left, right, lambda a, b: a or b, needs_left=False, needs_right=False)


def invert(one: Automaton) -> Automaton:
    """Return the automaton of all strings that ``one`` does not accept."""
    return without(ANY, one)


def _product(left: Automaton, right: Automaton, accepts: Callable[[bool, bool], bool], *, needs_left: bool, needs_right: bool) -> Automaton:
    classes: list[CharSet] = []
    pairs: list[tuple[int, int]] = []
    for i, one in enumerate(left.classes):
        for j, other in enumerate(right.classes):
            if chars := charset.intersection(one, other):
                classes.append(chars)
                pairs.append((i, j))
    numbers = {(0, 0): 0}
    order = [(0, 0)]
    rows: list[tuple[int, ...]] = []
    for a, b in order:
        row = []
        for i, j in pairs:
            following = (left.delta[a][i] if a != DEAD else DEAD, right.delta[b][j] if b != DEAD else DEAD)
            dead = (following[0] == DEAD and (needs_left or following[1] == DEAD)) or (following[1] == DEAD and needs_right)
            if dead:
                row.append(DEAD)
                continue
            number = numbers.get(following)
            if number is None:
                number = numbers[following] = len(order)
                order.append(following)
                if number > MOST_STATES:
                    raise TooLargeError
            row.append(number)
        rows.append(tuple(row))
    accept = tuple(accepts(a != DEAD and left.accept[a], b != DEAD and right.accept[b]) for a, b in order)
    return minimize(Automaton(tuple(classes), tuple(rows), accept))


def minimize(one: Automaton) -> Automaton:
    """Return the smallest automaton of the same language, its states numbered in the order in which they are reached."""
    live = _live(one)
    if 0 not in live:
        return NONE
    delta = [tuple(following if following in live else DEAD for following in row) for row in one.delta]
    block = _refine(one, delta, sorted(live))
    first: dict[int, int] = {}
    for state in sorted(live):
        first.setdefault(block[state], state)
    numbers = {block[0]: 0}
    order = [block[0]]
    rows = []
    for name in order:
        row = []
        for following in delta[first[name]]:
            if following == DEAD:
                row.append(DEAD)
                continue
            target = block[following]
            if target not in numbers:
                numbers[target] = len(order)
                order.append(target)
            row.append(numbers[target])
        rows.append(row)
    return _merge_classes(one.classes, rows, tuple(one.accept[first[name]] for name in order))


def _live(one: Automaton) -> set[int]:
    """Return the states from which an accepting one can be reached."""
    sources: dict[int, list[int]] = {}
    for state, row in enumerate(one.delta):
        for following in set(row):
            sources.setdefault(following, []).append(state)
    live = {state for state, accepting in enumerate(one.accept) if accepting}
    todo = list(live)
    while todo:
        for source in sources.get(todo.pop(), ()):
            if source not in live:
                live.add(source)
                todo.append(source)
    return live


def _refine(one: Automaton, delta: Sequence[tuple[int, ...]], states: list[int]) -> dict[int, int]:
    """Return each state's block of the coarsest partition that the transitions respect (Hopcroft 1971)."""
    sources: list[dict[int, list[int]]] = [{} for _ in one.classes]
    for state in states:
        for index, following in enumerate(delta[state]):
            sources[index].setdefault(following, []).append(state)
    members = [{s for s in states if one.accept[s]}, {s for s in states if not one.accept[s]}]
    members = [group for group in members if group]
    block = {state: number for number, group in enumerate(members) for state in group}
    todo = set(range(len(members)))
    splitter: Iterable[int] = (DEAD,)
    while True:
        for into in sources:
            touched: dict[int, set[int]] = {}
            for target in splitter:
                for source in into.get(target, ()):
                    touched.setdefault(block[source], set()).add(source)
            for number, inside in touched.items():
                if len(inside) == len(members[number]):
                    continue
                outside = members[number] - inside
                small, large = (inside, outside) if len(inside) <= len(outside) else (outside, inside)
                members[number] = large
                for state in small:
                    block[state] = len(members)
                todo.add(len(members))  # the other half needs no turn of its own: it had one as a part, or is still waiting
                members.append(small)
        if not todo:
            return block
        splitter = tuple(members[todo.pop()])


def _merge_classes(classes: tuple[CharSet, ...], rows: list[list[int]], accept: tuple[bool, ...]) -> Automaton:
    columns: dict[tuple[int, ...], list[CharSet]] = {}
    for index, chars in enumerate(classes):
        columns.setdefault(tuple(row[index] for row in rows), []).append(chars)
    merged = tuple(charset.union(*sets) for sets in columns.values())
    return Automaton(merged, tuple(zip(*columns, strict=True)), accept)
