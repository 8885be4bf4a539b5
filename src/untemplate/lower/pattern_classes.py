"""Named sets of characters: ``\\d``, ``\\w``, ``\\s``, ``.``, Unicode properties and case folding."""

from __future__ import annotations

import sys
import unicodedata
from functools import lru_cache

from untemplate.lower.charset import ALL, CharSet, complement, make_set, of, union

DIGIT: CharSet = ((0x30, 0x39),)
WORD: CharSet = union(DIGIT, ((0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)))
SPACE: CharSet = make_set(
    [(9, 13), (32, 32), (160, 160), (5760, 5760), (8192, 8202), (8232, 8233), (8239, 8239), (8287, 8287), (12288, 12288), (65279, 65279)]
)
DOT: CharSet = complement(of("\n\r\u2028\u2029"))
"""Any character but a line terminator, as ECMA 262 has it."""

_LONG_NAMES = {
    "letter": "L",
    "uppercase_letter": "Lu",
    "lowercase_letter": "Ll",
    "mark": "M",
    "number": "N",
    "decimal_number": "Nd",
    "punctuation": "P",
    "symbol": "S",
    "separator": "Z",
    "space_separator": "Zs",
    "other": "C",
    "control": "Cc",
    "alphabetic": "L",
    "uppercase": "Lu",
    "lowercase": "Ll",
}
_SCRIPTS = {
    "latin": [
        (65, 90),
        (97, 122),
        (170, 170),
        (186, 186),
        (192, 214),
        (216, 246),
        (248, 696),
        (7680, 7935),
        (11360, 11391),
        (42786, 43007),
        (65313, 65338),
        (65345, 65370),
    ],
    "greek": [(0x370, 0x3FF), (0x1F00, 0x1FFF)],
    "cyrillic": [(0x400, 0x52F), (0x1C80, 0x1C88), (0x2DE0, 0x2DFF), (0xA640, 0xA69F)],
    "han": [
        (11904, 12245),
        (12293, 12295),
        (12321, 12329),
        (12344, 12347),
        (13312, 19903),
        (19968, 40959),
        (63744, 64217),
        (131072, 205743),
    ],
    "hiragana": [(0x3041, 0x309F), (0x1B001, 0x1B11F)],
    "katakana": [(0x30A1, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)],
}


@lru_cache(maxsize=1)
def _categories() -> dict[str, CharSet]:
    found: dict[str, list[tuple[int, int]]] = {}
    start, last = 0, unicodedata.category("\0")
    for code in range(1, sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category != last:
            found.setdefault(last, []).append((start, code - 1))
            start, last = code, category
    found.setdefault(last, []).append((start, sys.maxunicode))
    return {name: make_set(ranges) for name, ranges in found.items()}


def get_property(name: str) -> CharSet | None:
    """Return the characters of ``\\p{name}``: a general category or one of the common scripts; ``None`` for another."""
    kind, _, value = name.rpartition("=")
    value = value.strip()
    folded = value.lower().removeprefix("is")
    if folded in _SCRIPTS and kind.lower() in ("", "script", "sc", "script_extensions", "scx"):
        return make_set(_SCRIPTS[folded])
    if kind.lower() not in ("", "general_category", "gc"):
        return None
    if folded in ("any", "assigned"):
        return ALL
    if folded == "ascii":
        return ((0, 0x7F),)
    wanted = _LONG_NAMES.get(folded, value)
    sets = [chars for category, chars in _categories().items() if category == wanted or (len(wanted) == 1 and category[0] == wanted)]
    return union(*sets) if sets else None


def fold_case(chars: CharSet) -> CharSet:
    """Return ``chars`` with both cases of each letter (of sets up to 2,000 characters; of larger ones, of the ASCII letters)."""
    if sum(high - low + 1 for low, high in chars) <= 2000:
        codes = [code for low, high in chars for code in range(low, high + 1)]
    else:
        codes = [code for low, high in chars for code in range(max(low, 0x41), min(high, 0x7A) + 1)]
    extra = [(ord(other), ord(other)) for code in codes for other in (chr(code).lower(), chr(code).upper()) if len(other) == 1]
    return make_set([*chars, *extra])
