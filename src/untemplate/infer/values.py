"""Infers how values of each JSON type are written at a pair's value, from typed probes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os.path import commonprefix
from typing import Any

from untemplate.spec.model import Encoding, Field, FieldName, JsonType, Part, Text, Value
from untemplate.text import sentinels

HOSTILE = "zq\"uo\\te\nli'ne<b>&amp;zq"
"""A string with both quotes, a backslash, a newline, tags and an entity: tells an encoding from bare text."""

TYPED: Mapping[JsonType, Any] = {
    JsonType.INTEGER: sentinels.INTEGER,
    JsonType.NUMBER: sentinels.NUMBER,
    JsonType.BOOLEAN: True,
    JsonType.NULL: None,
    JsonType.OBJECT: {"zkobjq": sentinels.INTEGER, "zkbooq": True},
    JsonType.ARRAY: [sentinels.INTEGER, "zvarrq", True],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """A value found in a pair: the text after the key, the text before the pair's end, and the encoding."""

    before: str
    after: str
    encoding: Encoding
    guard: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueLayout:
    """How the value stands in its pair, for every type that could be read."""

    before: tuple[Part, ...]
    """Between key and value: literal text, and the type's label where it has one."""
    after: str
    values: Mapping[JsonType, Value]
    custom: tuple[JsonType, ...]
    """Types that are written in none of the known encodings."""


def candidates(value: Any) -> list[tuple[str, Encoding]]:
    """Return the ways to write ``value`` in a known encoding, JSON first."""
    if isinstance(value, str):
        quoted = [(json.dumps(value, ensure_ascii=a), Encoding.JSON) for a in (False, True)]
        return [*quoted, (repr(value), Encoding.PYTHON), (value, Encoding.RAW)]
    compact = [json.dumps(value, ensure_ascii=False, separators=separators) for separators in ((", ", ": "), (",", ":"))]
    indented = [json.dumps(value, ensure_ascii=False, indent=indent) for indent in (4, 2)]
    return [*((text, Encoding.JSON) for text in (*compact, *indented)), (repr(value), Encoding.PYTHON)]


def find_value(middle: str, value: Any) -> Around | None:
    """Return where ``value`` stands in the text between a key and the end of its pair, or ``None``."""
    for text, encoding in candidates(value):
        at = middle.find(text) if isinstance(value, str) else middle.rfind(text)
        if at >= 0:
            return Around(before=middle[:at], after=middle[at + len(text) :], encoding=encoding)
    return None


def infer_values(middle_of: Callable[[Any], str | None]) -> ValueLayout | None:
    """Return the layout of values, or ``None`` where not even a plain string can be found.

    ``middle_of(value)`` renders one pair with that value and returns the text between its key and the end of the pair.
    """
    plain = middle_of(sentinels.value(0, 0))
    if plain is None or sentinels.value(0, 0) not in plain:
        return None
    found: dict[JsonType, Around] = {JsonType.STRING: _string(plain, middle_of(HOSTILE))}
    custom: list[JsonType] = []
    for kind, value in TYPED.items():
        middle = middle_of(value)
        around = None if middle is None else find_value(middle, value)
        if around is not None:
            found[kind] = around
        elif middle is not None and kind in (JsonType.OBJECT, JsonType.ARRAY):
            custom.append(kind)
    return _layout(found, tuple(custom))


def _string(plain: str, hostile: str | None) -> Around:
    """Return how strings are written: the hostile one tells an encoding, the plain one the text around it."""
    mark = sentinels.value(0, 0)
    encoded = None if hostile is None else find_value(hostile, HOSTILE)
    around = find_value(plain, mark)
    assert around is not None
    if encoded is not None and encoded.encoding in (Encoding.JSON, Encoding.PYTHON):
        quoted = json.dumps(mark) if encoded.encoding is Encoding.JSON else repr(mark)
        if quoted in plain:
            at = plain.index(quoted)
            return Around(before=plain[:at], after=plain[at + len(quoted) :], encoding=encoded.encoding)
    at = plain.index(mark)
    before, after = plain[:at], plain[at + len(mark) :]
    return Around(before=before, after=after, encoding=Encoding.RAW, guard=_guard(before, after, encoded))


def _guard(before: str, after: str, hostile: Around | None) -> tuple[str, str] | None:
    """Return the marks that the hostile string has around it and the plain one has not."""
    if hostile is None or not (hostile.before.startswith(before) and hostile.after.endswith(after)):
        return None
    opening, closing = hostile.before[len(before) :], hostile.after[: len(hostile.after) - len(after)]
    return (opening, closing) if opening.strip() and closing.strip() else None


def _layout(found: Mapping[JsonType, Around], custom: tuple[JsonType, ...]) -> ValueLayout:
    befores = [around.before for around in found.values()]
    afters = [around.after for around in found.values()]
    shared = _word_prefix(befores)
    after = _word_suffix(afters)
    rests = [text[len(shared) :] for text in befores]
    shared_end = _word_suffix(rests)
    labelled = bool(shared_end) and len(set(befores)) > 1
    values: dict[JsonType, Value] = {}
    for kind, around in found.items():
        middle = around.before[len(shared) : len(around.before) - (len(shared_end) if labelled else 0)]
        values[kind] = Value(
            encoding=around.encoding,
            open="" if labelled else middle,
            close=around.after[: len(around.after) - len(after)],
            guard=around.guard,
            label=middle if labelled else None,
        )
    before: list[Part] = [Text(text=shared)] if shared else []
    if labelled:
        before += [Field(field=FieldName.TYPE), Text(text=shared_end)]
    return ValueLayout(before=tuple(before), after=after, values=values, custom=custom)


def _word_prefix(texts: list[str]) -> str:
    """Return the longest common prefix that does not cut a word."""
    size = len(commonprefix(texts))
    while size and any(_in_word(text, size) for text in texts):
        size -= 1
    return texts[0][:size]


def _word_suffix(texts: list[str]) -> str:
    size = len(commonprefix([text[::-1] for text in texts]))
    while size and any(_in_word(text, len(text) - size) for text in texts):
        size -= 1
    return texts[0][len(texts[0]) - size :] if size else ""


def _in_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
