"""Reads a JSON or Python literal that starts at an offset of a rendering."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_DECODER = json.JSONDecoder()
_PAIRS = {"{": "}", "[": "]", "(": ")"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A literal found in a text, ``text[start:end]``."""

    value: Any
    start: int
    end: int
    python: bool


def decode_at(text: str, start: int) -> Decoded | None:
    """Return the JSON value, else the Python literal, that starts at ``start``; ``None`` where there is neither."""
    try:
        value, end = _DECODER.raw_decode(text, start)
        return Decoded(value, start, end, python=False)
    except (ValueError, RecursionError):
        pass
    stop = _closing(text, start)
    if stop is None:
        return None
    try:
        return Decoded(ast.literal_eval(text[start:stop]), start, stop, python=True)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _closing(text: str, start: int) -> int | None:
    """Return the offset behind the bracket that closes the one at ``start``, strings passed over."""
    stack: list[str] = []
    quote = ""
    i = start
    while i < len(text):
        char = text[i]
        if quote:
            if char == "\\":
                i += 1
            elif char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char in _PAIRS:
            stack.append(_PAIRS[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return i + 1
        elif not stack:
            return None
        i += 1
    return None


def outermost(
    text: str, holds: tuple[str, ...], *, limit: int | None = None, accepts: Callable[[Any], bool] | None = None
) -> Decoded | None:
    """Return the leftmost object or array in ``text`` whose literal text holds every string of ``holds``.

    ``limit``: the literal must start before that offset. ``accepts``: a further demand on its value.
    """
    last = min(text.find(mark) for mark in holds)
    if last < 0:
        return None
    for start in range(min(last, len(text) if limit is None else limit)):
        if text[start] not in "{[":
            continue
        found = decode_at(text, start)
        if found is None or not all(mark in text[found.start : found.end] for mark in holds):
            continue
        if accepts is None or accepts(found.value):
            return found
    return None
