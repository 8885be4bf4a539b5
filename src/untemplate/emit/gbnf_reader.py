"""Reads a caller's own GBNF into plain rules, so that it can stand inside a turn."""

from __future__ import annotations

import re

from untemplate.errors import GrammarError
from untemplate.lower import charset
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, chars, literal, rep, seq
from untemplate.peg.nodes import Node, Ref

_TOKEN = re.compile(
    r"""(?P<skip>[ \t]+|\#[^\n]*)
    |(?P<line>\r?\n)
    |(?P<name>[A-Za-z0-9_-]+)
    |(?P<is>::=)
    |(?P<text>"(?:[^"\\]|\\.)*")
    |(?P<set>\[(?:[^\]\\]|\\.)*\])
    |(?P<count>\{\s*\d*\s*,?\s*\d*\s*\})
    |(?P<mark>[()|*+?.])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SHORT = {"n": "\n", "r": "\r", "t": "\t"}
Token = tuple[str, str, int]


def read_gbnf(text: str, rules: RuleBook, prefix: str) -> Node:
    """Return a reference to the ``root`` rule of a grammar; its rules are added to ``rules`` under names of their own.

    Raises:
        GrammarError: E404, with the line, for text that is not GBNF, a missing rule or a token terminal.
    """
    tokens = _tokens(text)
    reader = _Reader(tokens, rules, prefix)
    return reader.grammar()


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _error(f"{text[position]!r} does not belong in GBNF here", line)
        if match.lastgroup != "skip":
            found.append((match.lastgroup or "", match.group(), line))
        line += match.group().count("\n")
        position = match.end()
    return [*found, ("end", "", line)]


def _error(message: str, line: int) -> GrammarError:
    return GrammarError(message, code="E404", where=f"grammar:{line}", hint="Token terminals are not supported; write texts in quotes.")


class _Reader:
    def __init__(self, tokens: list[Token], rules: RuleBook, prefix: str) -> None:
        self.tokens = tokens
        self.at = 0
        self.rules = rules
        self.prefix = prefix
        self.names: dict[str, str] = {}
        self.filled: set[str] = set()
        self.asked: dict[str, int] = {}

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def skip_lines(self) -> None:
        while self.peek()[0] == "line":
            self.at += 1

    def grammar(self) -> Node:
        self.skip_lines()
        while self.peek()[0] != "end":
            kind, name, line = self.peek()
            if kind != "name" or self.peek(1)[0] != "is":
                raise _error(f"expected NAME ::= and found {name!r}", line)
            self.at += 2
            self.skip_lines()
            self.rules.fill(self.name(name, line), self.alternatives(nested=False))
            self.filled.add(name)
            self.skip_lines()
        for name, line in self.asked.items():
            if name not in self.filled:
                raise _error(f"the rule {name!r} is missing", line)
        if "root" not in self.filled:
            raise _error("the rule 'root' is missing", 1)
        return Ref(name=self.names["root"])

    def name(self, name: str, line: int) -> str:
        self.asked.setdefault(name, line)
        if name not in self.names:
            self.names[name] = self.rules.reserve(f"{self.prefix}-{name}")
        return self.names[name]

    def alternatives(self, *, nested: bool) -> Node:
        options = [self.sequence(nested=nested)]
        while self.peek()[1] == "|" and self.peek()[0] == "mark":
            self.at += 1
            self.skip_lines()
            options.append(self.sequence(nested=nested))
        return alt(*options)

    def sequence(self, *, nested: bool) -> Node:
        items: list[Node] = []
        while True:
            if nested:
                self.skip_lines()
            kind, text, line = self.peek()
            if kind in ("line", "end") or text in ("|", ")") or (kind == "name" and self.peek(1)[0] == "is"):
                return seq(*items)
            self.at += 1
            items.append(self.counted(self.item(kind, text, line)))

    def item(self, kind: str, text: str, line: int) -> Node:
        match kind:
            case "text":
                return literal("".join(_letters(text[1:-1])))
            case "set":
                return chars(_members(text[1:-1], line))
            case "name":
                return Ref(name=self.name(text, line))
            case "mark" if text == ".":
                return chars(charset.ALL)
            case "mark" if text == "(":
                node = self.alternatives(nested=True)
                self.skip_lines()
                if self.peek()[1] != ")":
                    raise _error("a ( is not closed", line)
                self.at += 1
                return node
            case _:
                raise _error(f"{text!r} does not belong here", line)

    def counted(self, item: Node) -> Node:
        while True:
            kind, text, line = self.peek()
            if kind == "mark" and text in "*+?":
                low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[text]
            elif kind == "count":
                first, comma, second = text[1:-1].replace(" ", "").partition(",")
                low = int(first or 0)
                high = int(second) if second else None if comma else low
                if high is not None and high < low:
                    raise _error(f"a count that runs backwards: {text}", line)
            else:
                return item
            self.at += 1
            item = rep(item, low, high)


def _letters(text: str) -> list[str]:
    found: list[str] = []
    position = 0
    while position < len(text):
        match = _ESCAPE.match(text, position)
        if match is None:
            found.append(text[position])
            position += 1
            continue
        code = match.group(1)
        found.append(chr(int(code[1:], 16)) if len(code) > 1 else _SHORT.get(code, code))
        position = match.end()
    return found


def _members(text: str, line: int) -> charset.CharSet:
    negated = text.startswith("^")
    body = text[1:] if negated else text
    letters = _letters(body)
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(letters):
        low = ord(letters[index])
        if index + 2 < len(letters) and letters[index + 1] == "-":
            high = ord(letters[index + 2])
            index += 3
        else:
            high = low
            index += 1
        if high < low:
            raise _error(f"a range that runs backwards: [{text}]", line)
        found.append((low, high))
    members = charset.make_set(found)
    return charset.complement(members) if negated else members
