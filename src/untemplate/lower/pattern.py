"""A reader of regular expressions as JSON Schemas have them: ECMA 262, with what other dialects add where it does no harm.

A part that cannot be expressed by a regular language (a back-reference) is read as something that matches more, and noted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from untemplate.lower import charset
from untemplate.lower.charset import CharSet
from untemplate.lower.pattern_classes import DIGIT, DOT, SPACE, WORD, fold_case, get_property
from untemplate.lower.pattern_nodes import ANYTHING, NOTHING, Alt, Assert, Look, Place, Regex, Rep, Set, cat


class PatternError(ValueError):
    """The text is not a regular expression that can be read; the first argument says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, read."""

    text: str
    node: Regex
    notes: tuple[str, ...] = ()
    """What was read as matching more than it does."""


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0", "a": "\a", "e": "\x1b"}
_CLASSES = {
    "d": DIGIT,
    "D": charset.complement(DIGIT),
    "w": WORD,
    "W": charset.complement(WORD),
    "s": SPACE,
    "S": charset.complement(SPACE),
}
_PLACES = {"b": Place.WORD, "B": Place.INSIDE, "A": Place.START, "Z": Place.END, "z": Place.END}
_HEX = frozenset("0123456789abcdefABCDEF")
_MOST = 100_000
"""Largest count of a quantifier that is read."""
_DEEPEST = 200


@lru_cache(maxsize=4096)
def parse_pattern(text: str) -> Pattern:
    """Return the tree of ``text``.

    Raises:
        PatternError: an unbalanced group, a bad range, a quantifier with nothing to repeat, nesting past 200.
    """
    reader = _Reader(text)
    node = reader.alternatives(0)
    if reader.position < len(text):
        raise PatternError("unbalanced )")
    return Pattern(text, node, tuple(dict.fromkeys(reader.notes)))


@dataclass
class _Reader:
    text: str
    position: int = 0
    notes: list[str] = field(default_factory=list)
    ignore_case: bool = False
    dot_all: bool = False

    def peek(self, length: int = 1) -> str:
        return self.text[self.position : self.position + length]

    def take(self, wanted: str) -> bool:
        if self.text.startswith(wanted, self.position):
            self.position += len(wanted)
            return True
        return False

    def next(self) -> str:
        character = self.peek()
        if not character:
            raise PatternError("the pattern ends too early")
        self.position += 1
        return character

    def alternatives(self, depth: int) -> Regex:
        if depth > _DEEPEST:
            raise PatternError("groups are nested too deeply")
        options = [self.sequence(depth)]
        while self.take("|"):
            options.append(self.sequence(depth))
        return options[0] if len(options) == 1 else Alt(tuple(options))

    def sequence(self, depth: int) -> Regex:
        items: list[Regex] = []
        while self.peek() not in ("", "|", ")"):
            items.append(self.quantified(self.atom(depth)))
        return cat(*items) if items else NOTHING

    def quantified(self, item: Regex) -> Regex:
        while True:
            bounds = self.quantifier()
            if bounds is None:
                return item
            if self.take("+"):
                self.notes.append("a possessive quantifier")
            else:
                self.take("?")
            item = Rep(item, *bounds)

    def quantifier(self) -> tuple[int, int | None] | None:
        if self.take("*"):
            return 0, None
        if self.take("+"):
            return 1, None
        if self.take("?"):
            return 0, 1
        end = self.text.find("}", self.position) if self.peek() == "{" else -1
        if end < 0:
            return None
        low, comma, high = self.text[self.position + 1 : end].partition(",")
        low, high = low.strip(), high.strip()
        if not ((low.isdecimal() or (not low and high)) and (high.isdecimal() or not high)):
            return None
        minimum = int(low or 0)
        maximum = int(high) if high else None if comma else minimum
        if minimum > _MOST or (maximum or 0) > _MOST or (maximum is not None and maximum < minimum):
            raise PatternError(f"a quantifier out of range: {{{low}{comma}{high}}}")
        self.position = end + 1
        return minimum, maximum

    def atom(self, depth: int) -> Regex:
        character = self.next()
        match character:
            case "(":
                return self.group(depth)
            case "[":
                return Set(self.char_class())
            case ".":
                return Set(charset.ALL if self.dot_all else DOT)
            case "^":
                return Assert(Place.START)
            case "$":
                return Assert(Place.END)
            case "\\":
                return self.escape()
            case "*" | "+" | "?":
                raise PatternError(f"nothing to repeat before {character}")
        return self.one(charset.of(character))

    def one(self, chars: CharSet) -> Regex:
        return Set(fold_case(chars) if self.ignore_case else chars)

    def group(self, depth: int) -> Regex:
        saved = self.ignore_case, self.dot_all
        node: Regex | None = None
        if self.take("?"):
            node = self.special_group(depth)
            if node is not None:
                return node
        node = self.alternatives(depth + 1)
        if not self.take(")"):
            raise PatternError("unbalanced (")
        self.ignore_case, self.dot_all = saved
        return node

    def special_group(self, depth: int) -> Regex | None:
        """Return the group whose ``(?`` was read; ``None`` where only a prefix was, and a plain group follows."""
        for prefix, behind, negated in (("=", False, False), ("!", False, True), ("<=", True, False), ("<!", True, True)):
            if self.take(prefix):
                node = self.alternatives(depth + 1)
                if not self.take(")"):
                    raise PatternError("unbalanced (")
                return Look(node, behind, negated)
        if self.take(":") or self.take(">"):
            return None
        if self.take("#"):
            self.position = self.text.find(")", self.position) + 1 or len(self.text)
            return NOTHING
        if self.take("P=") or self.take("("):
            self.notes.append("a back-reference")
            self.position = self.text.find(")", self.position) + 1 or len(self.text)
            return ANYTHING
        if self.take("P<") or self.take("<") or self.take("'"):
            end = min((found for mark in ">'" if (found := self.text.find(mark, self.position)) >= 0), default=-1)
            if end < 0:
                raise PatternError("a group name that does not end")
            self.position = end + 1
            return None
        return self.flags()

    def flags(self) -> Regex | None:
        on = True
        while (character := self.next()) not in ":)":
            match character:
                case "-":
                    on = False
                case "i":
                    self.ignore_case = on
                case "s":
                    self.dot_all = on
                case "m" | "x":
                    self.notes.append(f"the flag {character}")
                case "u" | "a" | "L" | "U" | "g":
                    pass
                case _:
                    raise PatternError(f"an unknown group (?{character}")
        return NOTHING if character == ")" else None

    def escape(self) -> Regex:
        character = self.peek()
        if character in _PLACES:
            self.position += 1
            return Assert(_PLACES[character])
        if character in "123456789" and character:
            while self.peek().isdecimal():
                self.position += 1
            self.notes.append("a back-reference")
            return ANYTHING
        if character == "k" and self.peek(2) == "k<":
            self.position = self.text.find(">", self.position) + 1 or len(self.text)
            self.notes.append("a back-reference")
            return ANYTHING
        return self.one(self.escaped_set())

    def escaped_set(self) -> CharSet:
        """Return what the escape at this place (its backslash read) stands for, in a class or outside."""
        character = self.next()
        if character in _CLASSES:
            return _CLASSES[character]
        if character in "pP":
            return self.property(character == "P")
        if character in _ESCAPES:
            return charset.of(_ESCAPES[character])
        if character == "c" and self.peek().isalpha():
            return charset.of(chr(ord(self.next().upper()) & 31))
        if character == "u" and self.peek() == "{":
            return self.braced_code()
        if (character == "x" and self.is_hex(2)) or (character == "u" and self.is_hex(4)):
            return self.code(2 if character == "x" else 4)
        return charset.of(character)

    def is_hex(self, length: int) -> bool:
        digits = self.peek(length)
        return len(digits) == length and all(digit in _HEX for digit in digits)

    def code(self, length: int) -> CharSet:
        code = int(self.peek(length), 16)
        self.position += length
        if 0xD800 <= code < 0xDC00 and self.peek(2) == "\\u":
            low = self.text[self.position + 2 : self.position + 6]
            if len(low) == 4 and all(digit in _HEX for digit in low) and 0xDC00 <= int(low, 16) < 0xE000:
                self.position += 6
                code = 0x10000 + ((code - 0xD800) << 10) + (int(low, 16) - 0xDC00)
        return charset.make_set([(code, code)])

    def braced_code(self) -> CharSet:
        end = self.text.find("}", self.position)
        digits = self.text[self.position + 1 : end] if end >= 0 else ""
        if not digits or not all(digit in _HEX for digit in digits) or int(digits, 16) > charset.LAST:
            raise PatternError("a bad \\u{…}")
        self.position = end + 1
        return charset.make_set([(int(digits, 16), int(digits, 16))])

    def property(self, negated: bool) -> CharSet:
        name = self.next()
        if name == "{":
            end = self.text.find("}", self.position)
            if end < 0:
                raise PatternError("a property that does not end")
            name = self.text[self.position : end]
            self.position = end + 1
        if name.startswith("^"):
            name, negated = name[1:], not negated
        chars = get_property(name)
        if chars is None:
            self.notes.append(f"the property {name}")
            return charset.ALL
        return charset.complement(chars) if negated else chars

    def char_class(self) -> CharSet:
        negated = self.take("^")
        found: list[tuple[int, int]] = []
        noted = len(self.notes)
        while not self.take("]"):
            low = self.class_item()
            if self.peek() == "-" and self.peek(2) != "-]" and len(self.peek(2)) == 2:
                self.position += 1
                high = self.class_item()
                if _is_one(low) and _is_one(high):
                    if high[0][0] < low[0][0]:
                        raise PatternError("a range that runs backwards")
                    found.append((low[0][0], high[0][0]))
                    continue
                found.extend((*high, *charset.of("-")))
            found.extend(low)
        chars = charset.make_set(found)
        if self.ignore_case:
            chars = fold_case(chars)
        if len(self.notes) > noted:
            return charset.ALL
        return charset.complement(chars) if negated else chars

    def class_item(self) -> CharSet:
        if self.take("\\"):
            if self.take("b"):
                return charset.of("\b")
            return self.escaped_set()
        return charset.make_set([(ord(self.peek()), ord(self.next()))]) if self.peek() else self._unended()

    def _unended(self) -> CharSet:
        raise PatternError("unbalanced [")


def _is_one(chars: CharSet) -> bool:
    return len(chars) == 1 and chars[0][0] == chars[0][1]
