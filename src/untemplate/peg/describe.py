"""Nodes as one line of text, in the manner of EBNF: for people and for messages."""

from __future__ import annotations

from untemplate.peg import nodes
from untemplate.peg.nodes import Arena, Node


def describe(node: Node) -> str:
    """Return one line that reads like EBNF: ``"<a>" until("</a>") "</a>"``."""
    match node:
        case nodes.Sequence(items=items):
            return " ".join(_grouped(item, nodes.Choice) for item in items) or "()"
        case nodes.Choice(options=options):
            return " | ".join(map(describe, options)) or "never"
        case nodes.Repeat(item=item):
            return _grouped(item, nodes.Choice, nodes.Sequence) + _bounds(node.minimum, node.maximum)
        case nodes.Until(stops=stops, confirm=confirm):
            sure = "" if confirm is None else f" then &({describe(confirm)})"
            return f"until({' | '.join(map(quote, stops))}{sure})"
        case nodes.Peek(item=item):
            return "&" + _grouped(item, nodes.Choice, nodes.Sequence)
        case nodes.Negate(item=item):
            return "!" + _grouped(item, nodes.Choice, nodes.Sequence)
        case nodes.Atomic(item=item):
            return f"atomic({describe(item)})"
        case nodes.Tag(kind=kind, item=item):
            return f"{kind}:({describe(item)})"
        case nodes.Tolerant(strict=strict, also=also):
            return f"tolerant({describe(strict)}, also {describe(also)})"
        case nodes.Catch(item=item, handler=handler):
            return f"catch({describe(item)}, else {describe(handler)})"
        case nodes.Remember(text=text, item=item):
            return f"remember({describe(text)}, in {describe(item)})"
        case _:
            return _describe_leaf(node)


def _describe_leaf(
    node: nodes.Literal
    | nodes.Any
    | nodes.Characters
    | nodes.Json
    | nodes.Schema
    | nodes.Gbnf
    | nodes.Ref
    | nodes.Same
    | nodes.Space
    | nodes.End
    | nodes.Beginning
    | nodes.Cut
    | nodes.Note,
) -> str:
    match node:
        case nodes.Literal(text=text):
            return quote(text)
        case nodes.Any():
            return "any"
        case nodes.Characters():
            return _class(node)
        case nodes.Json(kind=kind):
            return f"json-{kind}"
        case nodes.Schema(tool=tool, pointer=pointer):
            return f"schema({tool or ''}{pointer})"
        case nodes.Gbnf():
            return "gbnf"
        case nodes.Ref(name=name):
            return name
        case nodes.Same():
            return "same"
        case nodes.Space():
            return "space"
        case nodes.End():
            return "end"
        case nodes.Beginning(text=text):
            return f"cut-in({quote(text)})"
        case nodes.Cut():
            return "cut"
        case nodes.Note(code=code):
            return f"note({code})"


def describe_arena(arena: Arena) -> str:
    """Return a line for each rule, the root first."""
    names = [arena.root, *(name for name in arena.rules if name != arena.root)]
    return "".join(f"{name} = {describe(arena.rules[name])}\n" for name in names)


def quote(text: str) -> str:
    """Return text in double quotes, with escapes for what cannot be seen."""
    written = "".join(char if char.isprintable() and char not in '"\\' else _escape(char) for char in text)
    return f'"{written}"'


def _escape(char: str) -> str:
    return "\\" + char if char in '"\\' else char.encode("unicode_escape").decode("ascii")


def _grouped(node: Node, *kinds: type) -> str:
    written = describe(node)
    return f"({written})" if isinstance(node, kinds) else written


def _bounds(minimum: int, maximum: int | None) -> str:
    match minimum, maximum:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _ if minimum == maximum:
            return f"{{{minimum}}}"
        case _:
            return f"{{{minimum},{'' if maximum is None else maximum}}}"


def _class(node: nodes.Characters) -> str:
    ranges = "".join(first if first == last else f"{first}-{last}" for first, last in node.ranges)
    bounds = "" if (node.minimum, node.maximum) == (1, 1) else _bounds(node.minimum, node.maximum)
    return f"[{'^' if node.negated else ''}{ranges}]{bounds}"
