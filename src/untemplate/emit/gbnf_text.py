"""Plain rules as GBNF, in the subset that llama.cpp, llguidance's converter and xgrammar all read.

No ``.``, no token terminals, no empty alternative without ``""``; a repetition never stands directly on a repetition;
code points past ASCII stand raw (one reader drops the leading zeros of ``\\u00e9``).
"""

from __future__ import annotations

import re
from functools import lru_cache

from untemplate.emit.plain import Rules
from untemplate.errors import GrammarError
from untemplate.lower.rulebook import RuleBook
from untemplate.peg.nodes import Characters, Choice, Literal, Node, Ref, Repeat, Sequence

_WIDE = 130
_NUMBER = re.compile(r"(-\d+)+$")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


def gbnf_text(rules: Rules) -> str:
    """Return ``rules`` as text, one a line, in their order; the first is ``root``."""
    return _Writer(rules).text()


def short_names(rules: Rules) -> dict[str, str]:
    """Return a name for each rule but the first, which keeps its own: the numbers in them are closed up, in order of appearance."""
    book = RuleBook(())
    root = next(iter(rules))
    return {name: root if name == root else book.reserve(_NUMBER.sub("", name)) for name in rules}


class _Writer:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.names = short_names(rules)

    def text(self) -> str:
        return "".join(self.rule(self.names[name], node) for name, node in self.rules.items())

    def rule(self, name: str, node: Node) -> str:
        options = [self.sequence(option) for option in (node.options if isinstance(node, Choice) else (node,))]
        line = f"{name} ::= {' | '.join(options)}\n"
        return line if len(line) <= _WIDE or len(options) == 1 else f"{name} ::= {_wrap(options)}\n"

    def sequence(self, node: Node) -> str:
        if not isinstance(node, Sequence):
            return self.item(node)
        return " ".join(map(self.item, node.items)) or '""'

    def item(self, node: Node) -> str:
        if type(node) is Ref:
            return self.names[node.name]
        if type(node) is Literal:
            return literal_text(node.text)
        match node:
            case Characters():
                return characters_text(node)
            case Repeat(item=item, minimum=minimum, maximum=maximum):
                return self.item(item) + count_text(minimum, maximum)
            case Sequence(items=()):
                return '""'
            case Sequence():
                return f"({self.sequence(node)})"
            case Choice(options=options):
                return f"({' | '.join(map(self.sequence, options))})"
            case _:
                raise GrammarError(f"{type(node).__name__} cannot be written as GBNF", code="E401")


def literal_text(text: str) -> str:
    """Return a text in quotes."""
    if text.isascii() and text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return '"' + "".join(map(_literal_char, text)) + '"'


def _wrap(options: list[str]) -> str:
    lines, line = [], ""
    for option in options:
        if line and len(line) + len(option) > _WIDE:
            lines.append(line)
            line = ""
        line += option + " | "
    lines.append(line.removesuffix(" | "))
    return "\n  ".join(line.rstrip() for line in lines)


def count_text(minimum: int, maximum: int | None) -> str:
    """Return how a repetition's bounds are written."""
    match minimum, maximum:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case 1, 1:
            return ""
        case _:
            return f"{{{minimum}}}" if minimum == maximum else f"{{{minimum},{'' if maximum is None else maximum}}}"


@lru_cache(maxsize=4096)
def characters_text(node: Characters) -> str:
    """Return a class in brackets: ``-`` stands last, ``^`` never first, so that no reader takes them for anything else."""
    parts: list[str] = []
    caret = dash = ""
    for low, high in node.ranges:
        if low == "^" and not parts and not node.negated:
            caret, low = "^", "_"
        if low <= "-" <= high and "-" in (low, high):
            dash = "-"
            low, high = ("." if low == "-" else low), ("," if high == "-" else high)
        if low <= high:
            parts.append(_range(low, high))
    count = count_text(node.minimum, node.maximum)
    if caret and not parts:
        return f"[-^]{count}" if dash else f'"^"{count}'
    return f"[{'^' if node.negated else ''}{''.join(parts)}{caret}{dash}]{count}"


def _range(low: str, high: str) -> str:
    first, second = _class_char(low), _class_char(high)
    return first if low == high else f"{first}{second}" if ord(high) == ord(low) + 1 else f"{first}-{second}"


def _class_char(character: str) -> str:
    return f"\\{character}" if character in "[]" else _char(character)


def _literal_char(character: str) -> str:
    return '\\"' if character == '"' else _char(character)


def _char(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    if 0x1000 <= code <= 0xFFFF and not character.isprintable():
        return f"\\u{code:04x}"
    return character
