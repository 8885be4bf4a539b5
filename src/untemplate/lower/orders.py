"""Lists of members that are all different, in a fixed order or in any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, apart, opt, rep, seq
from untemplate.peg.nodes import Choice, Node, Ref, Repeat

MOST_EXACT = 6
"""Members that must all be there, in any order: the rules double with each one."""
_CHAIN = 4


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a list."""

    node: Node
    required: bool


def in_order(members: Sequence[Member], extra: Node | None, separator: Node, rules: RuleBook, hint: str) -> tuple[Node | None, bool]:
    """Return the lists of ``members`` in their order and then any number of ``extra``, and whether the list may be empty.

    The tree itself never matches the empty text. Its size is linear in the members. ``None``: only the empty list is left.
    """
    following = rep(seq(separator, extra), 0, None) if extra is not None else EMPTY
    needed = next((index for index, member in enumerate(members) if member.required), None)
    if needed is not None:
        before = [opt(seq(member.node, separator)) for member in members[:needed]]
        after = [_after(member, separator) for member in members[needed + 1 :]]
        return seq(*before, members[needed].node, *after, following), False
    first = [seq(extra, following)] if extra is not None else []
    if not members:
        return (first[0], True) if first else (None, True)
    rest: Node = following
    ways: list[Node] = []
    for index in range(len(members) - 1, -1, -1):
        ways.append(seq(members[index].node, rest))
        if index:
            rest = seq(_after(members[index], separator), rest)
            if len(members) > _CHAIN:
                rest = rules.fill(rules.reserve(f"{hint}-rest"), rest)
    return alt(*reversed(ways), *first), True


def _after(member: Member, separator: Node) -> Node:
    node = seq(separator, member.node)
    return node if member.required else opt(node)


def in_any_order(
    members: Sequence[Member], extra: Node | None, separator: Node, rules: RuleBook, hint: str
) -> tuple[Node | None, bool, bool]:
    """Return the lists of ``members`` in any order with ``extra`` anywhere, whether they may be empty, and whether that is exact.

    Exact means: each required member once. Optional ones and ``extra`` may repeat unless there are few members in all. Past
    ``MOST_EXACT`` required members only their number is held: as many members as are required, of any kind.
    """
    required = [member.node for member in members if member.required]
    optional = [member.node for member in members if not member.required]
    if len(required) > MOST_EXACT:
        any_one = rules.define(f"{hint}-any", alt(*required, *optional, *([extra] if extra is not None else [])))
        return seq(any_one, rep(seq(separator, any_one), len(required) - 1, None)), False, False
    free = [*optional, *([extra] if extra is not None else [])]
    once = len(members) <= MOST_EXACT - 1 and extra is None
    if once:
        required, free = [member.node for member in members], []
    needed = frozenset(index for index, member in enumerate(members) if member.required) if once else frozenset(range(len(required)))
    if not required and not free:
        return None, True, True
    spare = rules.define(f"{hint}-optional", alt(*free)) if len(free) > 1 else free[0] if free else None
    states = _Subsets(required, needed, spare, separator, rules, hint)
    return states.first(), not needed, True


class _Subsets:
    """One rule for each set of members that have not been written yet."""

    def __init__(
        self, members: list[Node], needed: frozenset[int], spare: Node | None, separator: Node, rules: RuleBook, hint: str
    ) -> None:
        self.members = members
        self.needed = needed
        self.spare = spare
        self.separator = separator
        self.rules = rules
        self.hint = hint
        self.names: dict[frozenset[int], str] = {}

    def first(self) -> Node:
        """Return the whole list."""
        return self.choice(frozenset(range(len(self.members))), None)

    def choice(self, left: frozenset[int], again: Node | None) -> Node:
        """Return one of the members that are ``left``, or a spare one, and what may follow it."""
        ways: list[Node] = []
        for index in sorted(left):
            rest = self.following(left - {index})
            ways.append(self.members[index] if rest == EMPTY else apart(self.members[index], rest))
        if self.spare is not None:
            ways.append(apart(self.spare, again or self.following(left)))
        return ways[0] if len(ways) == 1 else Choice(options=tuple(ways))

    def following(self, left: frozenset[int]) -> Node:
        """Return what may follow a member when ``left`` are still to be written."""
        if not left:
            return rep(apart(self.separator, self.spare), 0, None) if self.spare is not None else EMPTY
        if left in self.names:
            return Ref(name=self.names[left])
        name = self.names[left] = self.rules.reserve(self.hint)
        node = apart(self.separator, self.choice(left, Ref(name=name)))
        return self.rules.fill(name, node if left & self.needed else Repeat(item=node, maximum=1))


@dataclass(frozen=True, slots=True)
class EndedMember:
    """A member that ends in another way where it is the last."""

    next: Node
    """With what stands between it and the next one."""
    last: Node
    """With what ends the list."""
    required: bool


def ended_in_any_order(members: Sequence[EndedMember], extra: EndedMember | None, rules: RuleBook, hint: str) -> tuple[Node | None, bool]:
    """Return the non-empty lists of ``members`` in any order, ``extra`` anywhere, and whether that is exact (see ``in_any_order``).

    ``None``: there is none.
    """
    optional = [member for member in members if not member.required]
    if extra is not None:
        optional.append(extra)
    needed = [member for member in members if member.required]
    if len(needed) > MOST_EXACT:
        every = [*needed, *optional]
        another = rules.define(f"{hint}-next", alt(*(member.next for member in every)))
        last = rules.define(f"{hint}-last", alt(*(member.last for member in every)))
        return seq(rep(another, len(needed) - 1, None), last), False
    if len(members) < MOST_EXACT and extra is None:
        listed, free = list(members), []
    else:
        listed, free = needed, optional
    if not listed and not free:
        return None, True
    states = _EndedSubsets(listed, free, rules, hint)
    return states.state(frozenset(range(len(listed)))), True


class _EndedSubsets:
    """One rule for each set of members that have not been written yet; the last one ends the list."""

    def __init__(self, members: list[EndedMember], free: list[EndedMember], rules: RuleBook, hint: str) -> None:
        self.members = members
        self.needed = frozenset(index for index, member in enumerate(members) if member.required)
        self.rules = rules
        self.hint = hint
        self.names: dict[frozenset[int], str] = {}
        self.spare = rules.define(f"{hint}-next", alt(*(member.next for member in free))) if free else None
        self.spare_last = rules.define(f"{hint}-last", alt(*(member.last for member in free))) if free else None

    def state(self, left: frozenset[int]) -> Node:
        """Return the rest of the list when ``left`` are still to be written."""
        if left in self.names:
            return Ref(name=self.names[left])
        name = self.names[left] = self.rules.reserve(self.hint)
        ways: list[Node] = []
        for index in sorted(left):
            rest = left - {index}
            if rest or self.spare is not None:
                ways.append(apart(self.members[index].next, self.state(rest)))
            if not rest & self.needed:
                ways.append(self.members[index].last)
        if self.spare is not None and self.spare_last is not None:
            ways.append(apart(self.spare, Ref(name=name)))
            if not left & self.needed:
                ways.append(self.spare_last)
        return self.rules.fill(name, ways[0] if len(ways) == 1 else Choice(options=tuple(ways)))
