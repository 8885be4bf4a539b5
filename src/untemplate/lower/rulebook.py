"""Rules under construction: equal trees get one name, names never collide."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from functools import lru_cache

from untemplate.peg.nodes import Node, Ref

_UNFIT = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=8192)
def rule_name(hint: str) -> str:
    """Return ``hint`` as a rule name of every dialect: lower case, dashes, starting with a letter, at most 16 characters."""
    name = _UNFIT.sub("-", hint.lower()).strip("-")[:16].strip("-")
    return name if name[:1].isalpha() else f"r-{name}".strip("-")


class RuleBook:
    """Collects rules; nothing else in lowering is mutable."""

    def __init__(self, reserved: Iterable[str] = ("root",)) -> None:
        self.rules: dict[str, Node] = {}
        self.shared: dict[Hashable, Node] = {}
        """Trees that whoever fills the book made once and needs again, by a key of their own."""
        self.final: set[str] = set()
        """Rules that are as small as they get, come to an end, and equal no other: whoever tidies up may pass them by."""
        self._taken = {*reserved, "root", "start"}
        self._counters: dict[str, int] = {}
        self._names: dict[Node, str] = {}

    def reserve(self, hint: str) -> str:
        """Return a name like ``hint`` that no other rule has; its tree follows by ``fill``."""
        name = base = rule_name(hint)
        while name in self._taken:
            self._counters[base] = number = self._counters.get(base, 1) + 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name

    def fill(self, name: str, node: Node) -> Ref:
        """Give a reserved name its tree."""
        self.rules[name] = node
        return Ref(name=name)

    def define(self, hint: str, node: Node) -> Node:
        """Return a reference to a rule for ``node``: an earlier one if there is an equal tree."""
        if isinstance(node, Ref):
            return node
        name = self._names.get(node)
        if name is None:
            name = self._names[node] = self.reserve(hint)
            self.rules[name] = node
        return Ref(name=name)
