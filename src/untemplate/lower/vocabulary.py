"""The names and keys that a request declares, as nodes: the one thing of the tools that the parser's tree depends on."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from untemplate.lower.marks import SPACE, any_of, literals
from untemplate.lower.request import Tool
from untemplate.lower.rules import Rules
from untemplate.lower.tags import Kind
from untemplate.lower.tool_schema import property_names, property_of, types_of
from untemplate.peg import builder as b
from untemplate.peg.nodes import Characters, Node
from untemplate.spec.model import JsonType

_NOT_IN_A_NAME = " \t\n\r\f\v<>{}[]()\"'`,;|=\\"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What the tools of a request are called, and what their arguments are called."""

    names: tuple[str, ...]
    keys: tuple[str, ...] | None
    """The keys that all tools of the request list; ``None``: one of these tools does not list its own, so that any may come."""
    typed: tuple[str, ...] = ()
    """Those whose values are strings in none of these tools that know them."""
    apart: tuple[Vocabulary, ...] = ()
    """The tools that list their keys, and those that do not, where there are both."""
    rules: Rules

    @property
    def parts(self) -> tuple[Vocabulary, ...]:
        """The vocabularies that arguments in pairs are read with: a tool that takes any key must not loosen the others."""
        return self.apart or (self,)

    def with_any_key(self) -> Vocabulary:
        """Return the same for tools of which nothing is known."""
        return replace(self, keys=None, typed=(), apart=())

    def name(self) -> Node:
        """Return a declared name."""
        return self.rules.share("name", b.tag(Kind.NAME, literals(self.names, emit=True)))

    def json_name(self) -> Node:
        """Return a declared name between JSON's or Python's quotes."""
        escaped = [json.dumps(name, ensure_ascii=ascii)[1:-1] for name in self.names for ascii in (False, True)]
        name = self.rules.share("json-name", b.tag(Kind.NAME, literals(escaped, emit=True)))
        return self.rules.share("quoted-name", any_of(*(b.seq(b.lit(mark), SPACE, name, SPACE, b.lit(mark)) for mark in "\"'")))

    def declared_key(self, ends: str) -> Node:
        """Return a declared key, any key where they are not known; no event. ``ends``: what may follow it."""
        return name_like(ends, emit=False) if self.keys is None else self.rules.share("key", literals(self.keys))

    def odd_keys(self) -> tuple[str, ...]:
        """Return the declared keys that hold what a bare key may not, such as a space."""
        return tuple(key for key in self.keys or () if any(character in _NOT_IN_A_NAME for character in key))


def read_vocabulary(tools: tuple[Tool, ...], rules: Rules) -> Vocabulary:
    """Return the names and keys of the tools."""
    listed = {tool.name: property_names(tool.parameters, tool.parameters) for tool in tools}
    keys = tuple(dict.fromkeys(key for names in listed.values() for key in names or ()))
    closed = tuple(tool for tool in tools if listed[tool.name] is not None)
    open = tuple(tool for tool in tools if listed[tool.name] is None)
    parts = tuple(_of(part, keys, rules, known=part is closed) for part in (closed, open) if part)
    if len(parts) == 1:
        return parts[0]
    return replace(_of(tools, keys, rules, known=not open), apart=parts)


def _of(tools: tuple[Tool, ...], keys: tuple[str, ...], rules: Rules, *, known: bool) -> Vocabulary:
    """Return the vocabulary of some of the tools. ``known``: they list their keys."""
    typed = tuple(key for key in keys if _never_a_string(key, tools, known=known))
    return Vocabulary(names=tuple(tool.name for tool in tools), keys=keys if known else None, typed=typed, rules=rules)


def _never_a_string(key: str, tools: tuple[Tool, ...], *, known: bool) -> bool:
    """Return whether some tool declares a key and none lets its value be a string, as one that takes any key would."""
    schemas = [(property_of(tool.parameters, key, tool.parameters), tool.parameters) for tool in tools]
    declared = [types_of(schema, root) for schema, root in schemas if schema is not None]
    return bool(declared) and (known or len(declared) == len(tools)) and not any(JsonType.STRING in types for types in declared)


def name_like(ends: str = "", *, emit: bool = True) -> Node:
    """Return a run of characters that a name or a bare key may have, up to the first of ``ends`` at the latest."""
    excluded = dict.fromkeys(_NOT_IN_A_NAME + ends[:1])
    return Characters(ranges=tuple((each, each) for each in excluded), negated=True, minimum=1, maximum=None, emit=emit)


def any_name(ends: str = "") -> Node:
    """Return a name that need not be declared."""
    return b.tag(Kind.NAME, name_like(ends))
