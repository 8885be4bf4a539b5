"""A tree in the Lark dialect of llguidance: schemas as ``%json``, free text up to a marker as a lazy token."""

from __future__ import annotations

import json
from collections.abc import Mapping

from untemplate.emit.expand import Native, expand
from untemplate.emit.gbnf_text import characters_text, count_text, short_names
from untemplate.emit.plain import references, regular_rules
from untemplate.emit.tidy import tidy
from untemplate.errors import GrammarError
from untemplate.lower.warnings import GrammarWarning
from untemplate.peg.nodes import Arena, Characters, Choice, Literal, Node, Ref, Repeat, Sequence

_META = frozenset("\\^$.|?*+()[]{}/#&-~")


def emit_lark(arena: Arena, *, given: Mapping[str, Node] | None = None, behind: str = "") -> tuple[str, tuple[GrammarWarning, ...]]:
    """Return the strict side of a tree as a Lark grammar for llguidance, and what it allows although it should not.

    Args:
        given: rules that the tree refers to and that are plain already.
        behind: a text that has been written already: only what may follow it there is left.

    Raises:
        GrammarError: E403 for a look-around that a grammar cannot say.
        SchemaError: a schema in it that nothing fits.
    """
    expanded = expand(arena, given=given, behind=behind, native=True)
    plain = {name: node for name, node in expanded.rules.items() if name not in expanded.native}
    rules = tidy({**plain, **{name: _stand_in(name) for name in expanded.native}}, frame=expanded.frame)
    return _Writer(rules, expanded.native).text(), expanded.warnings


def _stand_in(name: str) -> Node:
    """Return a tree that no other rule equals and that nothing is made of."""
    return Repeat(item=Literal(text=name), minimum=2, maximum=2)


class _Writer:
    def __init__(self, rules: Mapping[str, Node], native: Mapping[str, Native]) -> None:
        self.rules = rules
        self.native = native
        tokens = regular_rules({name: references(node) for name, node in rules.items()}) - set(native)
        through = {name for name, node in rules.items() if any(used in native for used in references(node))}
        self.names: dict[str, str] = {}
        root = next(iter(rules))
        for name, short in short_names(rules).items():
            plain = short.replace("-", "_")
            self.names[name] = "start" if name == root else plain.upper() if name in tokens and name not in through else plain
        for name in native:
            if name in self.names:
                self.names[name] = self.names[name].lower()

    def text(self) -> str:
        return "%llguidance {}\n\n" + "".join(self.rule(name, node) for name, node in self.rules.items())

    def rule(self, name: str, node: Node) -> str:
        written = self.names[name]
        native = self.native.get(name)
        if native is not None and native.until is not None:
            return f"{written}[lazy]: /(?s:.*){_regex(native.until)}/\n"
        if native is not None:
            return f"{written}: %json {json.dumps(native.schema, ensure_ascii=False)}\n"
        options = [self.sequence(option) for option in (node.options if isinstance(node, Choice) else (node,))]
        return f"{written}: {' | '.join(options)}\n"

    def sequence(self, node: Node) -> str:
        if not isinstance(node, Sequence):
            return self.item(node)
        return " ".join(map(self.item, node.items)) or '""'

    def item(self, node: Node) -> str:
        match node:
            case Ref(name=name):
                return self.names[name]
            case Literal(text=text):
                return json.dumps(text, ensure_ascii=False)
            case Characters(ranges=ranges, negated=negated, minimum=minimum, maximum=maximum):
                one = characters_text(Characters(ranges=ranges, negated=negated)).replace("/", "\\/")
                return (one if one.startswith('"') else f"/{one}/") + count_text(minimum, maximum)
            case Repeat(item=item, minimum=minimum, maximum=maximum):
                return self.item(item) + count_text(minimum, maximum)
            case Sequence(items=()):
                return '""'
            case Sequence():
                return f"({self.sequence(node)})"
            case Choice(options=options):
                return f"({' | '.join(map(self.sequence, options))})"
            case _:
                raise GrammarError(f"{type(node).__name__} cannot be written as Lark", code="E401")


def _regex(text: str) -> str:
    return "".join("\\n" if character == "\n" else f"\\{character}" if character in _META else character for character in text)
