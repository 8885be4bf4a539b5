"""From an automaton to a tree without recursion: states become choices, loops repetitions, shared states rules.

An engine with a lexer can take such a tree as one token; a right-linear grammar with a rule for each state it could not.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from untemplate.lower import charset
from untemplate.lower.automaton import DEAD, Automaton, TooLargeError
from untemplate.lower.charset import CharSet
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, rep, seq
from untemplate.peg.nodes import Characters, Choice, Literal, Node, Ref, Repeat, Sequence

Writer = Callable[[CharSet], Node]
"""How one decoded character of a set is written."""

_MOST_WORK = 4_000
_MOST_KNOT = 20
"""States of one component with longer loops."""
_SHARED_SIZE = 3
_LARGE = 40
"""Larger trees become rules, so that no tree is deep."""


def automaton_tree(
    one: Automaton, rules: RuleBook, hint: str, write: Writer, *, most_work: int = _MOST_WORK, most_knot: int = _MOST_KNOT
) -> Node:
    """Return a tree of exactly the strings that ``one`` accepts, each character written by ``write``.

    Args:
        most_work: nodes that may be written for loops.
        most_knot: states that may be entangled with one another.

    Raises:
        TooLargeError: when loops are so entangled that the tree would explode.
    """
    return _Trees(one, rules, hint, write, most_work, most_knot).tree()


def automaton_rules(one: Automaton, rules: RuleBook, hint: str, write: Writer) -> Node:
    """Return the same with a rule for each state: of any automaton, as small as it is, but not one token for an engine's lexer."""
    names = [rules.reserve(hint) for _ in one.delta]
    for state, name in enumerate(names):
        ways = [seq(write(members), Ref(name=names[target])) for target, members in _edges(one, state).items()]
        rules.fill(name, alt(*ways, *([EMPTY] if one.accept[state] else [])))
    return Ref(name=names[0])


class _Trees:
    def __init__(self, one: Automaton, rules: RuleBook, hint: str, write: Writer, most_work: int, most_knot: int) -> None:
        self.one = one
        self.most_knot = most_knot
        self.rules = rules
        self.hint = hint
        self.write = write
        self.edges = [_edges(one, state) for state in range(len(one.delta))]
        self.written: dict[CharSet, Node] = {}
        self.done: dict[int, Node] = {}
        self.elimination = Elimination(rules, hint, most_work)
        self.entries: dict[int, int] = {}
        for state, row in enumerate(self.edges):
            for target in row:
                if target != state:
                    self.entries[target] = self.entries.get(target, 0) + 1

    def tree(self) -> Node:
        for component in _components(self.edges):
            if len(component) == 1:
                state = component[0]
                self.finish(state, seq(self.loop(self.edges[state].get(state)), self.exits(state, {state})))
            else:
                self.knot(component)
        return self.done[0]

    def char(self, members: CharSet) -> Node:
        node = self.written.get(members)
        if node is None:
            node = self.written[members] = self.write(members)
        return node

    def loop(self, members: CharSet | None) -> Node:
        return rep(self.char(members), 0, None) if members else EMPTY

    def exits(self, state: int, inside: set[int]) -> Node:
        options = [seq(self.char(members), self.done[target]) for target, members in self.edges[state].items() if target not in inside]
        if self.one.accept[state]:
            options.append(EMPTY)
        return alt(*options)

    def finish(self, state: int, node: Node) -> None:
        size = _size(node)
        if size > _LARGE or (self.entries.get(state, 0) > 1 and size >= _SHARED_SIZE):
            node = self.rules.define(self.hint, node)
        self.done[state] = node

    def knot(self, component: list[int]) -> None:
        """Finish the states of a component with longer loops, by eliminating its states one after another."""
        if len(component) > self.most_knot:
            raise TooLargeError
        inside = set(component)
        outer = {source for source, row in enumerate(self.edges) if source not in inside for target in row if target in inside}
        entered = {target for source in outer for target in self.edges[source] if target in inside} | ({0} & inside)
        exits: dict[int, Node | None] = {}
        for state in component:
            leaves = self.one.accept[state] or any(target not in inside for target in self.edges[state])
            exits[state] = self.exits(state, inside) if leaves else None
        for entry in sorted(entered):
            self.finish(entry, self.eliminate(component, entry, dict(exits)))

    def eliminate(self, component: list[int], entry: int, exits: dict[int, Node | None]) -> Node:
        inside = set(component)
        ways = {s: {t: self.char(members) for t, members in self.edges[s].items() if t in inside} for s in component}
        return self.elimination.run(ways, entry, exits)


class Elimination:
    """Writes automata with loops as trees, by eliminating their states one after another (Brzozowski and McCluskey 1963)."""

    def __init__(self, rules: RuleBook, hint: str, most_work: int = _MOST_WORK) -> None:
        self.rules = rules
        self.hint = hint
        self.work = 0
        self.most_work = most_work

    def run(self, ways: dict[int, dict[int, Node]], entry: int, exits: dict[int, Node | None]) -> Node:
        """Return all that leads from ``entry`` through ``ways`` to an exit, and the exit. Both mappings are used up.

        Raises:
            TooLargeError: when loops are so entangled that the tree would explode.
        """
        entering: dict[int, dict[int, None]] = {state: {} for state in ways}
        for source, row in ways.items():
            for target in row:
                if target != source:
                    entering[target][source] = None
        waiting = [(len(entering[state]) * len(ways[state]), state) for state in ways if state != entry]
        heapify(waiting)
        while waiting:
            cost, state = heappop(waiting)
            if state not in ways or cost != len(entering[state]) * len(ways[state]):
                continue  # it is done, or waits with another cost
            row = ways.pop(state)
            own = row.pop(state, None)
            loop = rep(own, 0, None) if own is not None else EMPTY
            sources = list(entering.pop(state))
            rests = {target: self.shared(seq(loop, node), len(sources)) for target, node in row.items()}
            for target in row:
                del entering[target][state]
                entering[target].update((source, None) for source in sources if source != target)
            leave = exits.pop(state)
            end = self.shared(seq(loop, leave), len(sources)) if leave is not None else None
            for source in sources:
                into = ways[source].pop(state)
                for target, rest in rests.items():
                    self.work += 1
                    way = seq(into, rest)
                    before = ways[source].get(target)
                    ways[source][target] = way if before is None else alt(before, way)
                if end is not None:
                    way = seq(into, end)
                    known = exits[source]
                    exits[source] = way if known is None else alt(known, way)
            for touched in (*sources, *row):
                if touched != entry:
                    heappush(waiting, (len(entering[touched]) * len(ways[touched]), touched))
            if self.work > self.most_work:
                raise TooLargeError
        own = ways[entry].get(entry)
        leave = exits[entry]
        assert leave is not None  # a live component can be left
        return seq(rep(own, 0, None) if own is not None else EMPTY, leave)

    def shared(self, node: Node, uses: int) -> Node:
        """Return a node, or the rule for it where it is large or used again."""
        size = _size(node)
        self.work += size
        if self.work > self.most_work:
            raise TooLargeError
        return self.rules.define(self.hint, node) if size > _LARGE or (uses > 1 and size >= _SHARED_SIZE) else node


def _edges(one: Automaton, state: int) -> dict[int, CharSet]:
    found: dict[int, list[CharSet]] = {}
    for index, target in enumerate(one.delta[state]):
        if target != DEAD:
            found.setdefault(target, []).append(one.classes[index])
    return {target: charset.union(*sets) for target, sets in found.items()}


def _size(node: Node) -> int:
    match node:
        case Sequence(items=items):
            return sum(_size(item) for item in items)
        case Choice(options=options):
            return 1 + sum(_size(option) for option in options)
        case Repeat(item=item):
            return 1 + _size(item)
        case Literal() | Characters():
            return 1
        case _:
            return 1


def _components(edges: list[dict[int, CharSet]]) -> list[list[int]]:
    """Return the strongly connected components, each after those that it leads to (Tarjan 1972, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    work = [(0, iter(edges[0]))]
    index[0] = low[0] = 0
    stack.append(0)
    on_stack.add(0)
    while work:
        state, targets = work[-1]
        for target in targets:
            if target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                on_stack.add(target)
                work.append((target, iter(edges[target])))
                break
            if target in on_stack:
                low[state] = min(low[state], index[target])
        else:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[state])
            if low[state] == index[state]:
                component = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.append(member)
                    if member == state:
                        break
                found.append(sorted(component))
    return found
