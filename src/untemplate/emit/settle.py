"""The strict side of an arena: what only steers the parser is gone, and what stands for a language of its own has a name."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from untemplate.errors import GrammarError
from untemplate.peg.nodes import (
    Any,
    Arena,
    Atomic,
    Beginning,
    Catch,
    Characters,
    Choice,
    Cut,
    End,
    Gbnf,
    Json,
    Literal,
    Negate,
    Node,
    Note,
    Peek,
    Ref,
    Remember,
    Repeat,
    Same,
    Schema,
    Sequence,
    Space,
    Tag,
    Tolerant,
    Until,
)

Leaf = Json | Schema | Gbnf
NOTHING = Sequence(items=())


def settle(arena: Arena, given: Container[str] = ()) -> tuple[dict[str, Node], dict[str, Leaf]]:
    """Return the rules that the strict side of ``arena`` needs, and the values and grammars in them by made-up names.

    Args:
        given: names of rules that are written out already.

    Raises:
        GrammarError: E403 for a look-around that a grammar cannot say.
    """
    rules: dict[str, Node] = {}
    settled = _Settled()
    todo = [arena.root]
    while todo:
        name = todo.pop()
        if name in rules or name in given:
            continue
        settled.asked = []
        rules[name] = settled.node(arena.rules[name])
        todo += settled.asked
    return rules, settled.leaves


class _Settled:
    def __init__(self) -> None:
        self.leaves: dict[str, Leaf] = {}
        self.asked: list[str] = []

    def node(self, node: Node) -> Node:
        match node:
            case Literal(text=text, emit=emit):
                return Literal(text=text) if emit else node
            case Characters() | Any() | Space() | End():
                return node
            case Ref(name=name):
                self.asked.append(name)
                return node
            case Sequence(items=items):
                return Sequence(items=tuple(self.node(item) for item in items))
            case Choice(options=options):
                return Choice(options=tuple(self.node(option) for option in options))
            case Repeat(item=item):
                return replace(node, item=self.node(item))
            case Until(confirm=confirm):
                return replace(node, confirm=None if confirm is None else self.node(confirm))
            case Tag(item=item) | Atomic(item=item) | Catch(item=item) | Tolerant(strict=item):
                return self.node(item)
            case Cut() | Note():
                return NOTHING
            case Json() | Schema() | Gbnf():
                name = f"\0leaf-{len(self.leaves)}"
                self.leaves[name] = node
                return Ref(name=name)
            case Peek(item=item):
                if self.node(item) in (NOTHING, End()):
                    return NOTHING
                raise GrammarError("a look-ahead cannot be written", code="E403")
            case Negate() | Beginning() | Remember() | Same():
                raise GrammarError("a look-ahead cannot be written", code="E403")
