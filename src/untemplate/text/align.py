"""Field alignment: a rendering cut at its sentinels into literal text and the fields found between.

A sentinel is a value that occurs nowhere else. What lies between found sentinels is the template's own text.
Source: DESIGN.md section 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Token:
    """A field that a sentinel stood for: ``name`` of call 0, ``key`` 1 of call 0 …."""

    kind: str
    call: int = 0
    item: int = 0


Piece = str | Token


def align(text: str, sentinels: Mapping[str, Token]) -> tuple[Piece, ...]:
    """Return ``text`` as literals and tokens by turns: always an odd number of pieces, literals at both ends (maybe empty)."""
    if not sentinels:
        return (text,)
    pieces: list[Piece] = []
    last = 0
    for match in _any_of(tuple(sentinels)).finditer(text):
        pieces += [text[last : match.start()], sentinels[match.group()]]
        last = match.end()
    pieces.append(text[last:])
    return tuple(pieces)


@lru_cache(maxsize=64)
def _any_of(sentinels: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds these texts, the longest first. Probes use the same few sets again and again."""
    return re.compile("|".join(re.escape(text) for text in sorted(sentinels, key=len, reverse=True)))
