"""Delimiters of a response template: literal texts where that will do, a regular expression where it will not.

The patterns keep to what both Python's ``re`` and the ``regex`` module read, without recursion and without look-behind of
open length. Literals are better: a reader streams up to them without looking ahead.

A streaming reader takes a delimiter as soon as one alternative is whole, even while a longer one is still growing behind it. So
what is optional at the end of a delimiter may only grow by one character at a time (``prefixes``); longer texts that may follow
(a section's close) are delimiters of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from untemplate.spec.model import Marker

_META = frozenset("\\.^$*+?{}[]()|")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MOST_LITERALS = 24
END = r"\Z"
"""The end of the text. In a delimiter it needs a look-behind: where it matches at the edge of a chunk, nothing is held back there."""
MOST_GROWTH = 3
"""Characters that may be optional at the end of a delimiter."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A piece of a delimiter that only a regular expression can say."""

    source: str


Piece = tuple[str, ...] | Pattern
"""Literal alternatives, the one that the template writes first; or a pattern."""
Delimiter = tuple[Piece, ...]
"""Pieces one after another."""


def quote(text: str) -> str:
    """Return a pattern that matches just ``text``."""
    return "".join(_ESCAPES.get(each, f"\\{each}" if each in _META else each) for each in text)


def quote_class(characters: Iterable[str]) -> str:
    """Return characters as they stand inside ``[…]``."""
    return "".join(_ESCAPES.get(each, f"\\{each}" if each in "\\]^-[" else each) for each in dict.fromkeys(characters))


def loose(text: str) -> str:
    """Return a pattern for ``text`` in which white space that holds a line break is free."""
    pieces: list[str] = []
    run = ""
    for each in (*text, ""):
        if each and each.isspace():
            run += each
            continue
        if run:
            pieces.append(r"\s*" if "\n" in run else quote(run))
            run = ""
        pieces.append(quote(each))
    return "".join(pieces)


def one_of(texts: Iterable[str]) -> str:
    """Return a pattern for whichever of the texts stands here, the longest first; ``""`` among them makes it optional."""
    ordered = sorted(dict.fromkeys(texts), key=lambda text: (-len(text), text))
    optional = "" in ordered
    quoted = [quote(text) for text in ordered if text]
    if not quoted:
        return ""
    if len(quoted) == 1:
        single = len(ordered[0]) == 1
        return f"{quoted[0] if single else f'(?:{quoted[0]})'}?" if optional else quoted[0]
    return f"(?:{'|'.join(quoted)}){'?' if optional else ''}"


def either(*patterns: str) -> str:
    """Return a pattern for any of the patterns; ``""`` for none of them."""
    distinct = list(dict.fromkeys(pattern for pattern in patterns if pattern))
    if not distinct:
        return ""
    return distinct[0] if len(distinct) == 1 else f"(?:{'|'.join(distinct)})"


def prefixes(text: str) -> tuple[str, ...]:
    """Return ``text`` and what it begins with, the longest first, nothing last."""
    return tuple(text[:size] for size in range(len(text), -1, -1))


def optional(text: str) -> tuple[str, ...]:
    """Return ``text`` or nothing, as alternatives."""
    return (text, "") if text else ("",)


def growing(*texts: str) -> tuple[str, ...]:
    """Return the short ones of the texts with all that they begin with, as alternatives, the longest first and nothing last."""
    found = {prefix for text in texts if not text.strip() or len(text) <= MOST_GROWTH for prefix in prefixes(text)}
    return tuple(sorted({*found, ""}, key=lambda text: (-len(text), text)))


def long_ones(*texts: str) -> tuple[str, ...]:
    """Return the texts that are too long to be optional at the end of a delimiter."""
    return tuple(dict.fromkeys(text for text in texts if text.strip() and len(text) > MOST_GROWTH))


def opening(marker: Marker) -> Delimiter:
    """Return a marker that opens: white space before it all or not at all, as much as there is after it."""
    return (optional(marker.before), (marker.core,), prefixes(marker.after))


closing = opening
"""A marker that closes has the same freedoms."""


def texts_of(delimiter: Delimiter) -> tuple[str, ...] | None:
    """Return every text that a delimiter may be, without duplicates; ``None`` where a pattern is in it."""
    literal = [piece for piece in delimiter if not isinstance(piece, Pattern)]
    if len(literal) != len(delimiter):
        return None
    return tuple(dict.fromkeys("".join(parts) for parts in product(*literal)))


def pattern_of(delimiter: Delimiter) -> str:
    """Return a delimiter as one pattern."""
    return "".join(piece.source if isinstance(piece, Pattern) else one_of(piece) for piece in delimiter)


def delimit(key: str, delimiters: Sequence[Delimiter]) -> dict[str, Any]:
    """Return ``{key: literal or literals}`` or ``{key_pattern: …}`` for any of the delimiters; empty for none of them.

    The barest literal comes first: runtimes take the first for the token that marks the place.
    """
    literals: list[str] = []
    for delimiter in delimiters:
        texts = texts_of(delimiter)
        if texts is None or len(literals) + len(texts) > _MOST_LITERALS:
            return {f"{key}_pattern": "|".join(dict.fromkeys(pattern_of(each) for each in _longest_first(delimiters)))}
        bare = min((text for text in texts if text), key=len, default="")
        literals += [bare, *sorted((text for text in texts if text != bare), key=lambda text: (-len(text), text))]
    found = list(dict.fromkeys(text for text in literals if text))
    if not found:
        return {}
    return {key: found[0] if len(found) == 1 else found}


def _longest_first(delimiters: Sequence[Delimiter]) -> list[Delimiter]:
    """Return delimiters so that the longest is tried first, as it is among literals, without those that another one covers."""
    literal = [(delimiter, texts) for delimiter in delimiters if (texts := texts_of(delimiter)) is not None]
    literal.sort(key=lambda each: -max(map(len, each[1]), default=0))
    kept: list[Delimiter] = []
    seen: set[str] = set()
    for delimiter, texts in literal:
        if not seen.issuperset(texts):
            kept.append(delimiter)
            seen.update(texts)
    return [*kept, *(delimiter for delimiter in delimiters if texts_of(delimiter) is None)]
