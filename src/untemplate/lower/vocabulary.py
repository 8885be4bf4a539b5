"""The names and keys that a request declares, as nodes: the one thing of the tools that the parser's tree depends on."""

from __future__ import annotations

import json
from dataclasses import dataclass

from untemplate.lower.marks import SPACE, any_of, literals
from untemplate.lower.request import Tool
from untemplate.lower.rules import Rules
from untemplate.lower.tags import Kind
from untemplate.lower.tool_schema import property_names
from untemplate.peg import builder as b
from untemplate.peg.nodes import Characters, Node

_NOT_IN_A_NAME = " \t\n\r\f\v<>{}[]()\"'`,;|=\\"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What the tools of a request are called, and what their arguments are called."""

    names: tuple[str, ...]
    keys: tuple[str, ...] | None
    """The keys of all tools together; ``None``: some tool does not list its own, so that any may come."""

    rules: Rules

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


def read_vocabulary(tools: tuple[Tool, ...], rules: Rules) -> Vocabulary:
    """Return the names and keys of the tools."""
    keys: dict[str, None] = {}
    known = True
    for tool in tools:
        listed = property_names(tool.parameters, tool.parameters)
        known = known and listed is not None
        keys.update(dict.fromkeys(listed or ()))
    return Vocabulary(names=tuple(tool.name for tool in tools), keys=tuple(keys) if known else None, rules=rules)


def name_like(ends: str = "", *, emit: bool = True) -> Node:
    """Return a run of characters that a name or a bare key may have, up to the first of ``ends`` at the latest."""
    excluded = dict.fromkeys(_NOT_IN_A_NAME + ends[:1])
    return Characters(ranges=tuple((each, each) for each in excluded), negated=True, minimum=1, maximum=None, emit=emit)


def any_name(ends: str = "") -> Node:
    """Return a name that need not be declared."""
    return b.tag(Kind.NAME, name_like(ends))
