"""Lists of members of a limited length: declared ones in order, then those of no place of their own, in any order with others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from untemplate.lower.orders import Member
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, opt, rep, seq
from untemplate.peg.nodes import Node

MOST_STATES = 600
"""Rules of one object whose members are counted."""


@dataclass
class Counted:
    """Writes the lists of ``minimum`` to ``maximum`` members."""

    members: Sequence[Member]
    loose: Sequence[Member]
    """They come after the declared ones, in any order, ``extra`` between them."""
    extra: Node | None
    separator: Node
    rules: RuleBook
    hint: str
    minimum: int
    maximum: int | None
    _tails: dict[tuple[frozenset[int], int], Node | None] = field(default_factory=dict)

    @property
    def cap(self) -> int:
        """Counts from here on are not told apart."""
        return self.maximum if self.maximum is not None else self.minimum

    @property
    def is_small(self) -> bool:
        """There are not too many states."""
        free = len(self.loose) < 10 and 2 ** len(self.loose) * (self.cap + 1) <= MOST_STATES
        return len(self.members) * (self.cap + 1) <= MOST_STATES and (free or not self.loose)

    def node(self) -> Node | None:
        """Return the lists, the empty one left out unless nothing is required; ``None`` when there are none."""
        made: dict[tuple[int, int], Node | None] = {}
        everything = frozenset(range(len(self.loose)))
        for index in range(len(self.members), -1, -1):
            for count in range(min(index, self.cap), -1, -1):
                if index == len(self.members):
                    made[index, count] = self._tail(everything, count)
                    continue
                node = self._state(index, count, made)
                made[index, count] = node if node is None or node == EMPTY else self.rules.define(f"{self.hint}-{count}", node)
        return made[0, 0]

    def _state(self, index: int, count: int, made: dict[tuple[int, int], Node | None]) -> Node | None:
        """Return what may follow when ``count`` members (at most the cap) stand before member ``index``."""
        member = self.members[index]
        ways: list[Node] = []
        if count < self.cap or self.maximum is None:
            rest = made.get((index + 1, min(count + 1, self.cap)))
            if rest is not None:
                ways.append(seq(self._between(count), member.node, rest))
        if not member.required:
            rest = made[index + 1, count]
            if rest is not None:
                ways.append(rest)
        return alt(*ways) if ways else None

    def _between(self, count: int) -> Node:
        return self.separator if count else EMPTY

    def _tail(self, left: frozenset[int], count: int) -> Node | None:
        """Return what may follow the declared members when ``left`` of the loose ones are still to be written."""
        if not left:
            return self._others(count)
        if (left, count) not in self._tails:
            self._tails[left, count] = self._loose(left, count)
        return self._tails[left, count]

    def _loose(self, left: frozenset[int], count: int) -> Node | None:
        ways: list[Node] = []
        if not any(self.loose[index].required for index in left) and count >= self.minimum:
            ways.append(EMPTY)
        if count < self.cap or self.maximum is None:
            following = min(count + 1, self.cap)
            for index in sorted(left):
                rest = self._tail(left - {index}, following)
                if rest is not None:
                    ways.append(seq(self._between(count), self.loose[index].node, rest))
            if self.extra is not None:
                if following == count and count:
                    return self._looping(ways)
                rest = self._tail(left, following)
                if rest is not None:
                    ways.append(seq(self._between(count), self.extra, rest))
        node = alt(*ways) if ways else None
        return node if node is None or node == EMPTY else self.rules.define(f"{self.hint}-{count}", node)

    def _looping(self, ways: list[Node]) -> Node | None:
        """Return ``ways`` with any number of others before them: past the cap, which is no maximum, nothing is counted."""
        assert self.extra is not None
        if not ways:
            return None
        return self.rules.define(f"{self.hint}-{self.cap}", seq(rep(seq(self.separator, self.extra), 0, None), alt(*ways)))

    def _others(self, count: int) -> Node | None:
        least, most = max(0, self.minimum - count), None if self.maximum is None else self.maximum - count
        if self.extra is None or most == 0:
            return EMPTY if least == 0 else None
        if count:
            return rep(seq(self.separator, self.extra), least, most)
        filled = seq(self.extra, rep(seq(self.separator, self.extra), max(0, least - 1), None if most is None else most - 1))
        return filled if least else opt(filled)
