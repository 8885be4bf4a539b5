"""How nested values are written in a template's own notation, as a syntax that schemas can be written in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from untemplate.lower import charset
from untemplate.lower.charset import CharSet
from untemplate.lower.json_schema.syntax import JSON, Syntax
from untemplate.lower.json_schema.syntaxes import PYTHON
from untemplate.lower.json_schema.values import type_of
from untemplate.lower.marks import chunks
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import EMPTY, alt, chars, literal, rep, seq
from untemplate.peg.nodes import Node
from untemplate.spec.model import Encoding, Field, FieldName, JsonType, Notation, Part, Text, Value

_NO_KEY = charset.of(" \t\n\r<>{}[]()\"'`,;:=|\\/")


@dataclass(frozen=True)
class NotationSyntax(Syntax):
    """Lists and pairs with the marks of a template; strings raw or between marks."""

    notation: Notation
    outer_stop: str = ""
    """The text that closes the pair whose value this is."""
    in_member: bool = False
    """The value is that of a member: lists and objects are only written in the notation where their rule says so."""
    name: str = "notation"

    def __hash__(self) -> int:
        return hash((self.name, self.outer_stop, self.in_member))

    @property
    def member_syntax(self) -> Syntax:
        """How values of members are written."""
        return replace(self, in_member=True)

    @property
    def item_syntax(self) -> Syntax:
        """How items are written."""
        return replace(self, in_member=False)

    def of_kind(self, kind: str) -> Syntax:
        """Return how values of a JSON type are written here."""
        rule = self.notation.values.get(JsonType(kind)) or Value(encoding=Encoding.JSON)
        layout = {"object": self.notation.object, "array": self.notation.array}.get(kind)
        if kind in ("object", "array"):
            if layout is not None and (not self.in_member or rule.encoding is Encoding.NOTATION):
                return self
            return JSON if rule.encoding in (Encoding.JSON, Encoding.NOTATION) else PYTHON
        if kind == "string" and rule.encoding in (Encoding.JSON, Encoding.PYTHON):
            return PYTHON if rule.encoding is Encoding.PYTHON else JSON
        return self

    @property
    def _string(self) -> Value:
        return self.notation.values.get(JsonType.STRING) or Value(encoding=Encoding.RAW)

    @property
    def forbidden(self) -> tuple[str, ...]:
        """What no string may contain: its closing mark, or whatever ends a value without marks."""
        string = self._string
        if string.encoding is not Encoding.RAW:
            return ()
        if string.close.strip():
            return (string.close.strip(),)
        layouts = [parts for parts in (self._pair, self._item) if parts]
        ends = [text for parts in layouts if (text := _text_behind(parts))]
        lists = [layout for layout in (self.notation.object, self.notation.array) if layout is not None]
        ends += [
            text for layout in lists for text in (layout.separator, layout.close) if text.strip() and not all(map(_text_behind, layouts))
        ]
        return tuple(dict.fromkeys(chunks(text)[0] for text in (*ends, self.outer_stop) if text.strip()))

    @property
    def _pair(self) -> tuple[Part, ...]:
        return self.notation.object.pair if self.notation.object is not None else ()

    @property
    def _item(self) -> tuple[Part, ...]:
        return self.notation.array.item if self.notation.array is not None else ()

    def space(self, rules: RuleBook) -> Node:
        """Return what may stand between tokens: nothing but what the notation itself writes."""
        return EMPTY

    def char(self, rules: RuleBook, members: CharSet) -> Node:
        """Return one decoded character inside a string."""
        return chars(members)

    def string(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole string around its characters."""
        return seq(literal(self._string.open), body, literal(self._string.close))

    def text(self, text: str) -> Node:
        """Return a string's fixed text."""
        return literal(text)

    def constant(self, rules: RuleBook, value: Any) -> Node:
        """Return exactly this value."""
        own = self.of_kind(type_of(value))
        return super().constant(rules, value) if own is self else own.constant(rules, value)

    def key(self, rules: RuleBook, body: Node) -> Node:
        """Return a key around its characters; what stands beside it is written with the member."""
        quote = self.notation.object.key_quotes[0] if self.notation.object is not None and self.notation.object.key_quotes else ""
        in_pair = any(isinstance(part, Text) and quote and part.text.endswith(quote) for part in self._pair)
        return body if in_pair else seq(literal(quote), body, literal(quote))

    def fixed_key(self, rules: RuleBook, text: str) -> Node:
        """Return a key with a fixed text."""
        return self.key(rules, literal(text))

    def free_key(self, rules: RuleBook, body: Node | None) -> Node:
        """Return a key of any name."""
        return self.key(rules, rep(chars(charset.complement(_NO_KEY)), 1, None))

    def member(self, rules: RuleBook, key: Node, value: Node) -> Node:
        """Return a member of an object."""
        return _laid_out(self._pair, key, value)

    def item(self, rules: RuleBook, value: Node) -> Node:
        """Return an item of an array."""
        return _laid_out(self._item, EMPTY, value)

    def comma(self, rules: RuleBook, *, members: bool) -> Node:
        """Return what stands between two members, or two items; white space behind a mark is free, as it is in JSON."""
        layout = self.notation.object if members else self.notation.array
        separator = layout.separator if layout is not None else ""
        mark = separator.rstrip()
        return literal(separator) if mark in ("", separator) else seq(literal(mark), JSON.space(rules))

    def listing(self, rules: RuleBook, inside: Node, *, members: bool, may_be_empty: bool) -> Node:
        """Return an object or an array around its list of members or items, which is not empty itself."""
        layout = self.notation.object if members else self.notation.array
        if layout is None:
            return JSON.listing(rules, inside, members=members, may_be_empty=may_be_empty)
        filled = seq(literal(layout.open), inside, literal(layout.close))
        return alt(filled, self.empty(rules, members=members)) if may_be_empty else filled

    def empty(self, rules: RuleBook, *, members: bool) -> Node:
        """Return an object or an array without anything in it."""
        layout = self.notation.object if members else self.notation.array
        if layout is None:
            return JSON.empty(rules, members=members)
        return literal(layout.open + layout.close if layout.empty is None else layout.empty)

    def word(self, value: bool | None) -> str:
        """Return the text of ``null``, ``true`` or ``false``."""
        kind = JsonType.NULL if value is None else JsonType.BOOLEAN
        rule = self.notation.values.get(kind)
        python = rule is not None and rule.encoding in (Encoding.PYTHON, Encoding.RAW)
        return (PYTHON if python else JSON).word(value)


def _laid_out(parts: tuple[Part, ...], key: Node, value: Node) -> Node:
    nodes: list[Node] = []
    for part in parts:
        match part:
            case Text(text=text):
                nodes.append(literal(text))
            case Field(field=FieldName.KEY):
                nodes.append(key)
            case Field(field=FieldName.VALUE):
                nodes.append(value)
            case _:
                pass
    return seq(*nodes)


def _text_behind(parts: tuple[Part, ...]) -> str:
    """Return the first text behind the value."""
    place = next((index for index, part in enumerate(parts) if isinstance(part, Field) and part.field is FieldName.VALUE), len(parts))
    return next((part.text for part in parts[place + 1 :] if isinstance(part, Text) and part.text.strip()), "")
