"""How strings are quoted and escaped in JSON, in Python, and between marks of a model's own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Final

WAIT: Final = -1
"""More text is needed to tell."""
FAIL: Final = -2
"""The text is not what is read here."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """One way to quote a string, with what a run of its plain text looks like."""

    opening: str
    closing: str
    plain: re.Pattern[str]
    """Text without a backslash (where it escapes) or the first character of the closing mark."""
    ready: re.Pattern[str] | None
    """Text that is the inside of a JSON string as it stands, and also means itself between these quotes."""
    escapes: bool
    python: bool
    """Escapes that only Python knows count too."""


_READY_ESCAPE: Final = r'\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})'


def _quotes(opening: str, closing: str, *, escapes: bool, python: bool) -> Quotes:
    stops = re.escape(closing[0]) + (r"\\" if escapes else "")
    plain = re.compile(f"[^{stops}]+")
    ready = re.compile(rf'(?:[^"\\\x00-\x1f{re.escape(closing[0])}]++|{_READY_ESCAPE})++') if escapes else None
    return Quotes(opening, closing, plain, ready, escapes, python)


DOUBLE: Final = _quotes('"', '"', escapes=True, python=False)
SINGLE: Final = _quotes("'", "'", escapes=True, python=True)
TRIPLE: Final = {mark: _quotes(mark * 3, mark * 3, escapes=True, python=True) for mark in "\"'"}
PLAIN_MARKS: Final = {'"': DOUBLE, "'": SINGLE}


@lru_cache(maxsize=256)
def own_quotes(opening: str, closing: str) -> Quotes:
    """Return quotes of a model's own, which know no escapes."""
    return _quotes(opening, closing, escapes=False, python=False)


def encode(text: str) -> str:
    """Return the text as the inside of a JSON string."""
    return encode_basestring(text)[1:-1]


_SIMPLE: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON_SIMPLE: Final = {"a": "\a", "v": "\v"}
_HEX: Final = re.compile("[0-9a-fA-F]*")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def read_escape(text: str, index: int, ended: bool, python: bool) -> tuple[int, str, str]:
    """Return where the escape at ``index`` ends, its JSON form and its meaning; ``(WAIT, "", "")`` where more text decides.

    A valid escape keeps its own spelling. ``\\'`` is an apostrophe. The backslash of anything else is a backslash. Half of a
    surrogate pair becomes U+FFFD.
    """
    if index + 1 == len(text):
        return (FAIL if ended else WAIT), "", ""
    mark = text[index + 1]
    if mark in _SIMPLE:
        return index + 2, "\\" + mark, _SIMPLE[mark]
    if mark == "'":
        return index + 2, "'", "'"
    if mark == "u":
        return _read_unicode(text, index, ended)
    if python:
        if mark in _PYTHON_SIMPLE:
            return index + 2, encode(_PYTHON_SIMPLE[mark]), _PYTHON_SIMPLE[mark]
        if mark in "xU":
            return _read_python_code(text, index, ended, 2 if mark == "x" else 8)
    return index + 1, "\\\\", "\\"


def _read_digits(text: str, index: int, ended: bool, count: int) -> int | None:
    """Return the value of exactly ``count`` hexadecimal digits; ``WAIT`` where they may still come, ``None`` where they are missing."""
    match = _HEX.match(text, index, index + count)
    assert match is not None
    if match.end() - index == count:
        return int(match.group(), 16)
    if match.end() == len(text) and not ended:
        return WAIT
    return None


def _read_unicode(text: str, index: int, ended: bool) -> tuple[int, str, str]:
    code = _read_digits(text, index + 2, ended, 4)
    if code == WAIT:
        return WAIT, "", ""
    if code is None:
        return index + 1, "\\\\", "\\"
    end = index + 6
    if not 0xD800 <= code <= 0xDFFF:
        return end, text[index:end], chr(code)
    if code <= 0xDBFF:
        lead = text[end : end + 2]
        if lead == "\\u":
            low = _read_digits(text, end + 2, ended, 4)
            if low == WAIT:
                return WAIT, "", ""
            if low is not None and 0xDC00 <= low <= 0xDFFF:
                return end + 6, text[index : end + 6], chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        elif not ended and end + len(lead) == len(text) and "\\u".startswith(lead):
            return WAIT, "", ""
    return end, "\\ufffd", _REPLACEMENT


def _read_python_code(text: str, index: int, ended: bool, count: int) -> tuple[int, str, str]:
    code = _read_digits(text, index + 2, ended, count)
    if code == WAIT:
        return WAIT, "", ""
    if code is None or code > 0x10FFFF:
        return index + 1, "\\\\", "\\"
    meaning = _REPLACEMENT if 0xD800 <= code <= 0xDFFF else chr(code)
    return index + 2 + count, encode(meaning), meaning
