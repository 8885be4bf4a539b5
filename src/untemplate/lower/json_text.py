"""How decoded characters are written inside a JSON string, and the rules that every JSON grammar shares."""

from __future__ import annotations

from functools import lru_cache

from untemplate.lower import charset
from untemplate.lower.charset import ALL, CharSet
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, chars, literal, rep, seq
from untemplate.peg.nodes import Node

CONTROL: CharSet = ((0, 0x1F),)
_MUST_ESCAPE = charset.union(CONTROL, charset.of('"\\'))
_ASTRAL: CharSet = ((0x10000, charset.LAST),)
_MOST_RANGES = 16
"""A set of more ranges past ASCII is only written raw, and not as ``\\uXXXX``."""
_SHORT = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r"}
HEX: Node = chars(charset.of("0123456789abcdefABCDEF"))


def _pick(letters: str) -> Node:
    return chars(charset.of(letters))


def _surrogates() -> Node:
    """Return ``XXXX\\uXXXX`` of a surrogate pair, what follows the first ``\\u``."""
    return seq(_pick("dD"), _pick("89abAB"), rep(HEX, 2, 2), literal("\\u"), _pick("dD"), _pick("cdefCDEF"), rep(HEX, 2, 2))


def _escape_any() -> Node:
    plain = seq(chars(charset.of("0123456789abcefABCEF")), rep(HEX, 3, 3))
    low = seq(_pick("dD"), _pick("01234567"), rep(HEX, 2, 2))
    code = seq(literal("u"), alt(plain, low, _surrogates()))
    return seq(literal("\\"), alt(_pick('"\\/bfnrt'), code))


def _escape_wide(members: CharSet) -> Node | None:
    """Return ``\\uXXXX`` of exactly the characters past ASCII in a set; ``None`` where there are none, or too many ranges."""
    wide = charset.intersection(members, ((0x80, 0xFFFF),))
    if len(wide) > _MOST_RANGES:
        return None
    ways = [_hex(wide, 0, 4)] if wide else []
    if not charset.difference(_ASTRAL, members):
        ways.append(_surrogates())
    return seq(literal("\\u"), alt(*ways)) if ways else None


def _hex(members: CharSet, base: int, digits: int) -> Node:
    """Return the last ``digits`` hexadecimal digits of the codes in a set that lie from ``base`` on."""
    span = 16 ** (digits - 1)
    found: dict[Node, str] = {}
    for digit in range(16):
        low = base + digit * span
        inside = charset.intersection(members, ((low, low + span - 1),))
        if inside:
            whole = inside == ((low, low + span - 1),)
            rest = rep(HEX, digits - 1, digits - 1) if whole else _hex(inside, low, digits - 1)
            found[rest] = found.get(rest, "") + f"{digit:x}{digit:X}"
    return alt(*(seq(_pick("".join(dict.fromkeys(letters))), rest) for rest, letters in found.items()))


_ANY = _escape_any()
_RAW = chars(charset.difference(ALL, _MUST_ESCAPE))


def json_char(rules: RuleBook, members: CharSet) -> Node:
    """Return one character of ``members`` as JSON writes it inside a string: raw, or in its escaped forms."""
    key = ("json char", members)
    found = rules.shared.get(key)
    if found is None:
        found = rules.shared[key] = _char(rules, members)
    return found


def _char(rules: RuleBook, members: CharSet) -> Node:
    if members == ALL:
        return rules.define("char", alt(_RAW, rules.define("escape", _ANY)))
    raw, escaped, count, wide = _parts(members)
    options = [raw] if raw is not None else []
    if escaped is not None:
        options.append(rules.define("escape", escaped) if count > 1 else escaped)
    if wide is not None:
        options.append(rules.define("escape-wide", wide))
    return options[0] if len(options) == 1 else rules.define("char", alt(*options))


@lru_cache(maxsize=4096)
def _parts(members: CharSet) -> tuple[Node | None, Node | None, int, Node | None]:
    """Return the raw characters, the escaped ones with their number, and those past ASCII as ``\\uXXXX``."""
    raw = charset.difference(members, _MUST_ESCAPE)
    escaped = charset.intersection(members, _MUST_ESCAPE)
    count = sum(high - low + 1 for low, high in escaped)
    return (
        chars(raw) if raw else None,
        _escapes(escaped) if escaped else None,
        count,
        _escape_wide(members),
    )


@lru_cache(maxsize=512)
def _escapes(members: CharSet) -> Node:
    codes = [code for low, high in members for code in range(low, high + 1)]
    letters = "".join(_SHORT.get(code, chr(code) if code in (0x22, 0x5C) else "") for code in codes)
    options: list[Node] = [_pick(letters)] if letters else []
    for half in (0, 1):
        lows = [code & 15 for code in codes if code < 0x20 and code >> 4 == half]
        if lows:
            digits = "".join(f"{low:x}{low:X}" for low in lows)
            options.append(seq(literal(f"u00{half}"), _pick(digits)))
    return seq(literal("\\"), alt(*options))
