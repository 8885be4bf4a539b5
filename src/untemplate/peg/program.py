"""From an arena to the instructions that the machine runs."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from untemplate.peg import nodes, ops
from untemplate.peg.arena import check_arena, width
from untemplate.peg.firsts import Firsts
from untemplate.peg.frames import BARRIER, CATCH, FAIL, OPTION
from untemplate.peg.nodes import Arena, Node
from untemplate.peg.until import PassOne, ReadUntil, compile_stops


@dataclass(frozen=True, slots=True)
class Program:
    """Instructions, by number, and the one to begin with."""

    code: tuple[ops.Op, ...]
    start: int


def compile_program(arena: Arena, *, checked: bool = False) -> Program:
    """Return the instructions for an arena.

    Args:
        checked: the arena comes from ``ArenaBuilder.build``, which checks it.

    Raises:
        GrammarError: E401 for a reference to a rule that is not there, E402 for a rule that calls itself before it takes text.
    """
    if not checked:
        check_arena(arena)
    return _Compiler(arena).compile()


class _Compiler:
    """Writes instructions from the last to the first, so that each knows the one that follows it."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.code: list[ops.Op] = []
        self.firsts = Firsts(arena.rules)
        self.entries = {name: self.add(ops.do_fail) for name in arena.rules}

    def compile(self) -> Program:
        for name, node in self.arena.rules.items():
            self.code[self.entries[name]] = ops.Jump(self.node(node, self.add(ops.do_return)))
        start = self.add(ops.Call(self.entries[self.arena.root], self.add(ops.do_halt)))
        return Program(tuple(self.code), start)

    def add(self, op: ops.Op) -> int:
        self.code.append(op)
        return len(self.code) - 1

    def node(self, node: Node, then: int) -> int:
        """Return the number of the first instruction for ``node``, which goes on with ``then``."""
        leaf = _LEAVES.get(type(node))
        if leaf is not None:
            return self.add(leaf(node, then))
        match node:
            case nodes.Sequence(items=items):
                for item in reversed(items):
                    then = self.node(item, then)
                return then
            case nodes.Choice(options=options):
                return self.choice(options, then)
            case nodes.Repeat():
                return self.repeat(node, then)
            case nodes.Until():
                return self.until(node, then)
            case nodes.Ref(name=name):
                if self.code[then] is ops.do_return:
                    return self.entries[name]
                return self.add(ops.Call(self.entries[name], then))
            case nodes.Tolerant(also=also):
                return self.node(also, then)
            case nodes.Tag(item=item):
                return self.add(ops.OpenTag(node, self.node(item, self.add(ops.CloseTag(node, then)))))
            case nodes.Remember(text=text, item=item):
                kept = self.add(ops.Keep(self.node(item, self.add(ops.Forget(then)))))
                return self.add(ops.Enter(BARRIER, None, self.node(text, kept), 0))
            case _:
                return self.watched(node, then)

    def watched(self, node: Node, then: int) -> int:
        """Return the first instruction for a node that is given up as a whole."""
        match node:
            case nodes.Peek(item=item) | nodes.Negate(item=item):
                failing, leave = (then, FAIL) if isinstance(node, nodes.Negate) else (None, then)
                return self.add(ops.Enter(BARRIER, failing, self.node(item, self.add(ops.Leave(leave))), share(item, 1)))
            case nodes.Atomic(item=item):
                return self.add(ops.Enter(BARRIER, None, self.node(item, self.add(ops.Commit(then))), share(item, 1)))
            case nodes.Catch(item=item, handler=handler):
                return self.add(ops.Enter(CATCH, self.node(handler, then), self.node(item, self.add(ops.Commit(then))), 0))
        raise TypeError(f"no node of a tree: {node!r}")

    def choice(self, options: tuple[Node, ...], then: int) -> int:
        if not options:
            return self.add(ops.do_fail)
        commit = self.add(ops.Commit(then)) if len(options) > 1 else then
        entry = self.node(options[-1], then)
        for option in reversed(options[:-1]):
            enter = self.add(ops.Enter(OPTION, entry, self.node(option, commit), share(option, 2)))
            chars = self.firsts.of(option).test
            entry = enter if chars is None else self.add(ops.Test(chars, enter, entry))
        return entry

    def repeat(self, node: nodes.Repeat, then: int) -> int:
        single = _as_characters(node)
        if single is not None:
            return self.node(single, then)
        head = self.add(ops.do_fail)
        body = self.node(node.item, self.add(ops.EndLoop(head, node.minimum, then)))
        guard = share(node.item, 2) if node.maximum == 1 else 0
        self.code[head] = ops.HeadLoop(body, self.firsts.of(node.item).test, node.minimum, node.maximum, guard, then)
        return self.add(ops.StartLoop(head))

    def until(self, node: nodes.Until, then: int) -> int:
        scan = self.add(ops.do_fail)
        passer = self.add(PassOne(node.emit, scan))
        confirm = None if node.confirm is None else self.node(node.confirm, self.add(ops.Leave(then)))
        guarded = node.confirm is not None and share(node.confirm, 1) > 0
        self.code[scan] = ReadUntil(compile_stops(node.stops), node.quotable, node.emit, confirm, guarded, node.cut, passer, then)
        return scan


_FEW = 256
"""Characters that may be read again at any time."""


def share(node: Node, wanted: int) -> int:
    """Return ``wanted`` where a node may read far, and 0 where it reads a few characters at most."""
    size = width(node)
    return wanted if size is None or size > _FEW else 0


_ANY = re.compile(r"[\s\S]+")


def class_pattern(node: nodes.Characters) -> re.Pattern[str]:
    """Return a pattern for a run of the class's characters."""
    return _class_pattern(node.ranges, node.negated)


@lru_cache(maxsize=1024)
def _class_pattern(ranges: tuple[tuple[str, str], ...], negated: bool) -> re.Pattern[str]:
    if not ranges:
        return _ANY if negated else re.compile("(?!)")
    listed = "".join(f"{re.escape(first)}-{re.escape(last)}" for first, last in ranges)
    return re.compile(f"[{'^' if negated else ''}{listed}]+")


_LEAVES: Mapping[type, Callable[[typing.Any, int], ops.Op]] = {
    nodes.Literal: lambda node, then: ops.Match(node.text, node.emit, then),
    nodes.Any: lambda _node, then: ops.Run(_ANY, 1, 1, True, then),
    nodes.Characters: lambda node, then: ops.Run(class_pattern(node), node.minimum, node.maximum, node.emit, then),
    nodes.Json: ops.ReadJson,
    nodes.Schema: lambda _node, then: ops.ReadJson(nodes.Json(), then),
    nodes.Gbnf: lambda _node, then: ReadUntil(compile_stops(()), False, True, None, False, False, then, then),
    nodes.Same: lambda _node, then: ops.MatchSame(then),
    nodes.Space: lambda _node, then: ops.Skip(then),
    nodes.End: lambda _node, then: ops.AtEnd(then),
    nodes.Beginning: lambda node, then: ops.MatchBeginning(node.text, then),
    nodes.Cut: lambda _node, then: ops.DoCut(then),
    nodes.Note: lambda node, then: ops.WriteNote(node.code, then),
}
"""The instruction for a node that has none within it, by its type."""


def _as_characters(node: nodes.Repeat) -> nodes.Characters | None:
    """Return the run of characters that a repeat of single ones is."""
    match node.item:
        case nodes.Characters(minimum=1, maximum=1):
            item = node.item
        case nodes.Any():
            item = nodes.Characters(ranges=(), negated=True)
        case _:
            return None
    return nodes.Characters(ranges=item.ranges, negated=item.negated, minimum=node.minimum, maximum=node.maximum, emit=item.emit)
