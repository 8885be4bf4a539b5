"""A matcher of whole texts, as plain as the definition of the nodes: what the machine is held against in tests.

It recurs over the tree and looks at free text character by character. It gives the same events as the machine, but knows
no budget for reading again, takes time that grows with every way back, and as much of Python's stack as the tree is deep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from untemplate.peg import nodes
from untemplate.peg.describe import describe
from untemplate.peg.events import ABORT, CLOSE, NOTE, OPEN, TEXT, Event, merge_text
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.nodes import Arena, Node


class Outcome(StrEnum):
    MATCHED = "matched"
    FAILED = "failed"
    NEEDS_MORE = "needs more"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """How a text fits an arena."""

    outcome: Outcome
    position: int
    """Where the match ends, where it failed, or where it waits."""
    events: tuple[Event, ...]
    """With neighbouring texts joined."""


def match_text(
    arena: Arena, text: str, *, lenient: bool = False, complete: bool = False, debug: Callable[[str], object] | None = None
) -> MatchResult:
    """Return how the whole text fits.

    Args:
        arena: the rules; they must pass ``check_arena``.
        text: all of it.
        lenient: the text may be a prefix; where its end leaves something open the outcome is "needs more".
        complete: a match must reach the end of the text.
        debug: is told each rule as it is entered and left, as a line of text.
    """
    run = _Run(arena, text, lenient, debug)
    try:
        matched = run.rule(arena.root)
    except _NeedsMore:
        return MatchResult(outcome=Outcome.NEEDS_MORE, position=run.position, events=tuple(merge_text(run.events)))
    if matched and complete and run.position < len(text):
        matched = False
    if not matched:
        run.abort(0)
    outcome = Outcome.MATCHED if matched else Outcome.FAILED
    return MatchResult(outcome=outcome, position=run.position, events=tuple(merge_text(run.events)))


class _NeedsMore(Exception):
    pass


_Mark = tuple[int, int, int]


class _Run:
    """The state of one match. After a failure it stays where that was; who has another way takes it back."""

    def __init__(self, arena: Arena, text: str, lenient: bool, debug: Callable[[str], object] | None) -> None:
        self.arena = arena
        self.text = text
        self.lenient = lenient
        self.debug = debug
        self.depth = 0
        self.position = 0
        self.events: list[Event] = []
        self.open: list[nodes.Tag] = []
        self.kept: list[str] = []
        """What is remembered, the nearest last."""
        self.cuts = 0
        """How many cuts have been passed; who finds it changed has no way back."""

    def mark(self) -> _Mark:
        return self.position, len(self.events), len(self.open)

    def restore(self, mark: _Mark) -> None:
        self.position, events, tags = mark
        del self.events[events:]
        del self.open[tags:]

    def emit_to(self, end: int, emit: bool) -> None:
        if emit and end > self.position:
            self.events.append((TEXT, self.text[self.position : end], self.position))
        self.position = end

    def at_end(self) -> bool:
        """Return whether the text is at its end; where it may go on, nobody can tell."""
        if self.position < len(self.text):
            return False
        if self.lenient:
            raise _NeedsMore
        return True

    def abort(self, height: int) -> None:
        while len(self.open) > height:
            self.events.append((ABORT, self.open.pop(), self.position))

    def match(self, node: Node) -> bool:
        """Return whether ``node`` matches here."""
        match node:
            case nodes.Sequence(items=items):
                return all(self.match(item) for item in items)
            case nodes.Choice(options=options):
                return self.choice(options)
            case nodes.Repeat(item=item, minimum=minimum, maximum=maximum):
                return self.repeat(item, minimum, maximum)
            case nodes.Peek() | nodes.Negate() | nodes.Atomic():
                return self.barred(node)
            case nodes.Tag(item=item):
                return self.tag(node, item)
            case nodes.Ref(name=name):
                return self.rule(name)
            case nodes.Tolerant(also=also):
                return self.match(also)
            case nodes.Catch(item=item, handler=handler):
                return self.catch(item, handler)
            case nodes.Remember(text=text, item=item):
                return self.remember(text, item)
            case nodes.Cut():
                self.cuts += 1
                return True
            case nodes.Note(code=code):
                self.events.append((NOTE, code, self.position))
                return True
            case _:
                return self.text_node(node)

    def text_node(
        self,
        node: nodes.Literal
        | nodes.Until
        | nodes.Any
        | nodes.Characters
        | nodes.Json
        | nodes.Schema
        | nodes.Gbnf
        | nodes.Same
        | nodes.Space
        | nodes.End
        | nodes.Beginning,
    ) -> bool:
        match node:
            case nodes.Literal(text=text, emit=emit):
                return self.literal(text, emit)
            case nodes.Until():
                return self.until(node)
            case nodes.Any():
                return self.characters(nodes.Characters(ranges=(), negated=True))
            case nodes.Characters():
                return self.characters(node)
            case nodes.Json():
                return self.json(node)
            case nodes.Schema():
                return self.json(nodes.Json())
            case nodes.Gbnf():
                return self.until(nodes.Until(stops=()))
            case nodes.Same():
                return bool(self.kept) and self.literal(self.kept[-1], True)
            case nodes.Space():
                while not self.at_end() and self.text[self.position] in " \t\n\r\f\v":
                    self.position += 1
                return True
            case nodes.End():
                return self.at_end()
            case nodes.Beginning(text=text):
                return self.beginning(text)

    def catch(self, item: Node, handler: Node) -> bool:
        height, cuts = len(self.open), self.cuts
        matched = self.match(item)
        self.cuts = cuts
        if not matched:
            self.abort(height)
            matched = self.match(handler)
        return matched

    def remember(self, text: Node, item: Node) -> bool:
        mark, cuts = self.mark(), self.cuts
        matched = self.match(text)
        self.cuts = cuts
        if not matched:
            self.restore(mark)
            return False
        self.kept.append(self.text[mark[0] : self.position])
        matched = self.match(item)
        self.kept.pop()
        return matched

    def literal(self, text: str, emit: bool) -> bool:
        if self.text.startswith(text, self.position):
            self.emit_to(self.position + len(text), emit)
            return True
        if self.lenient and text.startswith(self.text[self.position :]):
            raise _NeedsMore
        return False

    def beginning(self, text: str) -> bool:
        there = self.text[self.position :]
        if len(there) >= len(text) or not text.startswith(there):
            return False
        if self.lenient:
            raise _NeedsMore
        if len(there) < 2:
            return False
        self.emit_to(len(self.text), False)
        return True

    def choice(self, options: tuple[Node, ...]) -> bool:
        for number, option in enumerate(options):
            mark, cuts = self.mark(), self.cuts
            if self.match(option):
                return True
            if self.cuts != cuts or number == len(options) - 1:
                return False
            self.restore(mark)
        return False

    def repeat(self, item: Node, minimum: int, maximum: int | None) -> bool:
        rounds = 0
        while maximum is None or rounds < maximum:
            mark, cuts = self.mark(), self.cuts
            if not self.match(item):
                if rounds < minimum or self.cuts != cuts:
                    return False
                self.restore(mark)
                break
            if self.position == mark[0] and rounds >= minimum:
                if self.cuts == cuts:
                    self.restore(mark)
                break
            rounds += 1
        return True

    def barred(self, node: nodes.Peek | nodes.Negate | nodes.Atomic) -> bool:
        mark, cuts = self.mark(), self.cuts
        matched = self.match(node.item)
        self.cuts = cuts
        if not matched or not isinstance(node, nodes.Atomic):
            self.restore(mark)
        return matched is not isinstance(node, nodes.Negate)

    def tag(self, node: nodes.Tag, item: Node) -> bool:
        self.events.append((OPEN, node, self.position))
        self.open.append(node)
        if not self.match(item):
            return False
        self.open.pop()
        self.events.append((CLOSE, node, self.position))
        return True

    def rule(self, name: str) -> bool:
        node = self.arena.rules[name]
        if self.debug is None:
            return self.match(node)
        indent = "  " * self.depth
        self.debug(f"{indent}{name} at {self.position}: {describe(node)}")
        self.depth += 1
        matched = self.match(node)
        self.depth -= 1
        self.debug(f"{indent}{name} {'matched to' if matched else 'failed at'} {self.position}")
        return matched

    def characters(self, node: nodes.Characters) -> bool:
        end = self.position
        while node.maximum is None or end - self.position < node.maximum:
            if end == len(self.text):
                if self.lenient:
                    if end - self.position >= node.minimum:
                        self.emit_to(end, node.emit)
                    raise _NeedsMore
                break
            if any(first <= self.text[end] <= last for first, last in node.ranges) is node.negated:
                break
            end += 1
        if end - self.position < node.minimum:
            return False
        self.emit_to(end, node.emit)
        return True

    def json(self, node: nodes.Json) -> bool:
        reader = JsonReader(node)
        whole, end = reader.read(self.text, self.position, not self.lenient)
        if node.emit and reader.pieces:
            self.events.append((TEXT, "".join(reader.pieces), reader.at))
        self.position = end
        if whole is None:
            raise _NeedsMore
        self.events += [(NOTE, code, position) for code, position in reader.notes] if node.emit else []
        return whole

    def until(self, node: nodes.Until) -> bool:
        start = end = self.position
        while end < len(self.text):
            stop = max((stop for stop in node.stops if self.text.startswith(stop, end)), key=len, default=None)
            open_end = self.lenient and any(len(other) > len(self.text) - end and other.startswith(self.text[end:]) for other in node.stops)
            if stop is None and open_end:
                break
            if node.cut and not self.lenient and stop is None and self.is_cut(node.stops, end):
                self.emit_to(end, node.emit)
                if node.confirm is None or self.confirmed(node.confirm):
                    return True
            if stop is not None:
                before = self.text[end - 1] if end > start else ""
                after = self.text[end + len(stop) : end + len(stop) + 1]
                quoted = False
                if node.quotable and before and before in "`\"'":
                    if self.lenient and (open_end or not after):
                        break
                    quoted = before == after
                if not quoted:
                    self.emit_to(end, node.emit)
                    if node.confirm is None or self.confirmed(node.confirm):
                        return True
            end += 1
        self.emit_to(end, node.emit)
        if self.lenient:
            raise _NeedsMore
        return True

    def is_cut(self, stops: tuple[str, ...], start: int) -> bool:
        """Return whether the rest of the text is the beginning of a stop."""
        there = self.text[start:]
        return any(len(stop) > len(there) and stop.startswith(there) for stop in stops)

    def confirmed(self, node: Node) -> bool:
        mark, cuts = self.mark(), self.cuts
        matched = self.match(node)
        self.cuts = cuts
        self.restore(mark)
        return matched
