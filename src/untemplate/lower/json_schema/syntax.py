"""How values are written: JSON here; other notations of templates override parts of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from untemplate.lower.charset import ALL, CharSet, of
from untemplate.lower.json_schema.values import is_integer, type_of
from untemplate.lower.json_text import json_char
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, any_of, chars, literal, opt, rep, seq
from untemplate.peg.nodes import Literal, Node, Ref


class Syntax:
    """JSON as ``json.dumps`` writes it, with a little more white space between tokens."""

    name: str = "json"

    @property
    def forbidden(self) -> tuple[str, ...]:
        """What no string may contain, because there are no escapes."""
        return ()

    @property
    def styles(self) -> tuple[Syntax, ...]:
        """The ways to write a string, each as a notation of its own."""
        return (self,)

    @property
    def member_syntax(self) -> Syntax:
        """How values of members are written."""
        return self

    @property
    def item_syntax(self) -> Syntax:
        """How items are written."""
        return self

    def of_kind(self, kind: str) -> Syntax:
        """Return how values of a JSON type are written here."""
        return self

    def space(self, rules: RuleBook) -> Node:
        """Return what may stand between tokens: nothing, a space, or a line break with up to 20 characters of indentation.

        The rule is recursive (over ``\r``) so that no object or array is regular: an engine with a lexer would take one that is
        as a single token, which hides the tokens that it has in common with its alternatives.
        """
        if "ws" not in rules.rules:
            pad = rules.define("pad", rep(chars(of(" \t")), 1, 20))
            indent = rules.reserve("indent")
            rules.fill(indent, opt(alt(pad, seq(literal("\r"), Ref(name=indent)))))
            rules.fill(rules.reserve("ws"), opt(alt(literal(" "), seq(literal("\n"), Ref(name=indent)))))
        return Ref(name="ws")

    def char(self, rules: RuleBook, members: CharSet) -> Node:
        """Return one decoded character inside a string."""
        return json_char(rules, members)

    def string(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole string around its characters."""
        return seq(literal('"'), body, literal('"'))

    def key(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole key around its characters, with what separates it from its value: one token, fixed or free."""
        return seq(self.string(rules, body), literal(":"))

    def free_key(self, rules: RuleBook, body: Node | None) -> Node:
        """Return a key of any name; ``body``: its characters, where they are limited."""
        return self.key(rules, body if body is not None else rep(self.char(rules, ALL), 0, None))

    def fixed(self, rules: RuleBook, text: str) -> Node:
        """Return a string with a fixed text."""
        return _token(rules, self.string(rules, self.text(text)))

    def fixed_key(self, rules: RuleBook, text: str) -> Node:
        """Return a key with a fixed text."""
        if _is_plain(text) and type(self) is Syntax:
            return literal(f'"{text}":')
        return _token(rules, self.key(rules, self.text(text)))

    def text(self, text: str) -> Node:
        """Return a string's fixed text as it stands between its quotes."""
        if _is_plain(text):
            return literal(text)
        return any_of(dict.fromkeys(json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)))

    def member(self, rules: RuleBook, key: Node, value: Node) -> Node:
        """Return a member of an object."""
        return seq(key, self.space(rules), value)

    def item(self, rules: RuleBook, value: Node) -> Node:
        """Return an item of an array."""
        return value

    def comma(self, rules: RuleBook, *, members: bool) -> Node:
        """Return what stands between two members, or two items."""
        return seq(literal(","), self.space(rules))

    def listing(self, rules: RuleBook, inside: Node, *, members: bool, may_be_empty: bool) -> Node:
        """Return an object or an array around its list of members or items, which is not empty itself."""
        opening, closing = "{}" if members else "[]"
        inner = opt(inside) if may_be_empty else inside
        return seq(literal(opening), self.space(rules), inner, self.space(rules), literal(closing))

    def empty(self, rules: RuleBook, *, members: bool) -> Node:
        """Return an object or an array without anything in it."""
        opening, closing = "{}" if members else "[]"
        return seq(literal(opening), self.space(rules), literal(closing))

    def word(self, value: bool | None) -> str:
        """Return the text of ``null``, ``true`` or ``false``."""
        return json.dumps(value)

    def constant(self, rules: RuleBook, value: Any) -> Node:
        """Return exactly this value; members of objects in any order where there are up to 4."""
        match type_of(value):
            case "string":
                return self.fixed(rules, value)
            case "number":
                return rules.define("constant", self._number(value))
            case "array":
                return rules.define("constant", self._array(rules, value))
            case "object":
                return rules.define("constant", self._object(rules, value))
            case _:
                return literal(self.word(value))

    def _number(self, value: int | float) -> Node:
        if not is_integer(value):
            return literal(json.dumps(value))
        digits = seq(literal(str(int(value))), opt(literal(".0")))
        written = json.dumps(float(value)) if abs(value) < 1e300 else ""
        return alt(digits, literal(written)) if "e" in written and float(written) == value else digits

    def _array(self, rules: RuleBook, value: Sequence[Any]) -> Node:
        if not value:
            return self.empty(rules, members=False)
        items: list[Node] = []
        for one in value:
            items += [self.comma(rules, members=False)] * bool(items) + [
                self.item(rules, rules.define("constant", self.constant(rules, one)))
            ]
        return self.listing(rules, seq(*items), members=False, may_be_empty=False)

    def _object(self, rules: RuleBook, value: Mapping[str, Any]) -> Node:
        if not value:
            return self.empty(rules, members=True)
        members = [
            rules.define("constant", self.member(rules, self.fixed_key(rules, key), self.constant(rules, one)))
            for key, one in value.items()
        ]
        inside = in_any_order(members, self.comma(rules, members=True))
        return self.listing(rules, inside, members=True, may_be_empty=False)


def in_any_order(members: Sequence[Node], separator: Node) -> Node:
    """Return ``members`` each once: in any order up to 4, in the given order beyond."""
    if len(members) > 4:
        return seq(*[part for member in members for part in (separator, member)][1:])
    if len(members) == 1:
        return members[0]
    ways = []
    for index, member in enumerate(members):
        rest = [*members[:index], *members[index + 1 :]]
        ways.append(seq(member, separator, in_any_order(rest, separator)))
    return alt(*ways)


_is_plain = re.compile(r"[ !#-\[\]-~]*").fullmatch
"""Tells whether a text stands in JSON as it is."""


def _token(rules: RuleBook, node: Node) -> Node:
    """Return a text that may be written in several ways as a rule, so that an engine's lexer takes it as one token."""
    return node if isinstance(node, Literal) else rules.define("token", node)


JSON = Syntax()
