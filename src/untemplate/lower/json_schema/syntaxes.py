"""Notations beside JSON: Python literals, strings between marks of a template's own, JSON inside a JSON string."""

from __future__ import annotations

import json
from dataclasses import dataclass

from untemplate.lower import charset
from untemplate.lower.charset import ALL, CharSet, of
from untemplate.lower.json_schema.syntax import Syntax
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, any_of, chars, literal, opt, rep, seq
from untemplate.peg.nodes import Node, Ref

_CONTROL: CharSet = ((0, 0x1F), (0x7F, 0x7F))
_HEX = chars(of("0123456789abcdef"))
_FOUR = rep(_HEX, 4, 4)
_CODES = alt(
    seq(literal("x"), _HEX, _HEX),
    seq(literal("u"), alt(seq(chars(of("0123456789abcef")), rep(_HEX, 3, 3)), seq(literal("d"), chars(of("01234567")), _HEX, _HEX))),
    seq(literal("U00"), alt(seq(literal("0"), chars(of("123456789abcdef"))), literal("10")), _FOUR),
)
"""What stands behind the backslash where ``repr`` writes a character that is not printable as its number."""


@dataclass(frozen=True)
class PythonSyntax(Syntax):
    """Python's ``repr``. A string is in the given quotes; ``styles`` has both."""

    quote: str = "'"
    name: str = "python"

    @property
    def styles(self) -> tuple[Syntax, ...]:
        """The ways to write a string."""
        return PythonSyntax("'"), PythonSyntax('"')

    def char(self, rules: RuleBook, members: CharSet) -> Node:
        """Return one decoded character inside a string."""
        special = charset.union(_CONTROL, of(self.quote + "\\"))
        ways: list[Node] = []
        if raw := charset.difference(members, special):
            ways.append(chars(raw))
        escaped = charset.intersection(members, special)
        letters = "".join(
            letter
            for character, letter in (("\n", "n"), ("\r", "r"), ("\t", "t"), (self.quote, self.quote), ("\\", "\\"))
            if charset.contains(escaped, ord(character))
        )
        if letters:
            ways.append(seq(literal("\\"), chars(of(letters))))
        if members == ALL:
            return rules.define("char", alt(*ways, seq(literal("\\"), _CODES)))
        codes = [code for low, high in escaped for code in range(low, high + 1) if chr(code) not in "\n\r\t\\" + self.quote]
        if codes:
            every = len(codes) == 30
            ways.append(
                seq(literal("\\x"), alt(seq(chars(of("01")), _HEX), literal("7f"))) if every else any_of(f"\\x{code:02x}" for code in codes)
            )
        node = alt(*ways)
        return node if len(ways) == 1 else rules.define("char", node)

    def string(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole string around its characters."""
        return seq(literal(self.quote), body, literal(self.quote))

    def text(self, text: str) -> Node:
        """Return a string's fixed text as it stands between its quotes."""
        inner = repr(text + ('"' if self.quote == "'" else "'"))[1:-1]
        return literal(inner[:-2] if inner.endswith("\\'") else inner[:-1])

    def fixed(self, rules: RuleBook, text: str) -> Node:
        """Return a string with a fixed text."""
        both = [style.string(rules, style.text(text)) for style in self.styles if isinstance(style, PythonSyntax)]
        return alt(*both)

    def fixed_key(self, rules: RuleBook, text: str) -> Node:
        """Return a key with a fixed text."""
        return alt(*(style.key(rules, style.text(text)) for style in self.styles))

    def word(self, value: bool | None) -> str:
        """Return the text of ``None``, ``True`` or ``False``."""
        return repr(value)


PYTHON = PythonSyntax()


@dataclass(frozen=True)
class MarkedSyntax(Syntax):
    """JSON's brackets, with strings between marks and without escapes; keys bare where the template writes them so."""

    opening: str = '"'
    closing: str = '"'
    bare_keys: bool = False
    name: str = "marked"

    @property
    def forbidden(self) -> tuple[str, ...]:
        """What no string may contain."""
        return (self.closing,)

    def char(self, rules: RuleBook, members: CharSet) -> Node:
        """Return one decoded character inside a string: itself."""
        return chars(members)

    def string(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole string around its characters."""
        return seq(literal(self.opening), body, literal(self.closing))

    def key(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole key around its characters, with what separates it from its value."""
        return seq(body, literal(":")) if self.bare_keys else seq(self.string(rules, body), literal(":"))

    def free_key(self, rules: RuleBook, body: Node | None) -> Node:
        """Return a key of any name."""
        if not self.bare_keys:
            return super().free_key(rules, body)
        return seq(rep(chars(charset.complement(of(' \t\n\r:,{}[]"'))), 1, None), literal(":"))

    def text(self, text: str) -> Node:
        """Return a string's fixed text as it stands between its marks."""
        return literal(text)


class TextSyntax(Syntax):
    """JSON as it stands inside a JSON string: each quote and backslash escaped once more, no line breaks."""

    name = "text"

    def space(self, rules: RuleBook) -> Node:
        """Return what may stand between tokens. The rule is recursive, as JSON's is."""
        if "text-ws" not in rules.rules:
            name = rules.reserve("text-ws")
            rules.fill(name, opt(alt(literal(" "), seq(literal("\\r"), Ref(name=name)))))
        return Ref(name="text-ws")

    def char(self, rules: RuleBook, members: CharSet) -> Node:
        """Return one decoded character inside a string inside the string."""
        special = charset.union(((0, 0x1F),), of('"\\'))
        ways: list[Node] = []
        if raw := charset.difference(members, special):
            ways.append(chars(raw))
        escaped = charset.intersection(members, special)
        if charset.contains(escaped, 0x22):
            ways.append(literal('\\\\\\"'))
        if charset.contains(escaped, 0x5C):
            ways.append(literal("\\\\\\\\"))
        letters = "".join(
            letter for code, letter in ((8, "b"), (9, "t"), (10, "n"), (12, "f"), (13, "r")) if charset.contains(escaped, code)
        )
        if letters:
            ways.append(seq(literal("\\\\"), chars(of(letters))))
        if members == ALL:
            ways.append(seq(literal("\\\\u"), rep(chars(of("0123456789abcdefABCDEF")), 4, 4)))
        node = alt(*ways)
        return node if len(ways) == 1 else rules.define("text-char", node)

    def string(self, rules: RuleBook, body: Node) -> Node:
        """Return a whole string around its characters."""
        return seq(literal('\\"'), body, literal('\\"'))

    def text(self, text: str) -> Node:
        """Return a string's fixed text as it stands between its quotes."""
        once = json.dumps(text, ensure_ascii=False)[1:-1]
        return literal(json.dumps(once, ensure_ascii=False)[1:-1])


TEXT = TextSyntax()
