"""Text that carries no type of its own, as JSON: streamed where it is certain to be a string, else decided at its end.

A string stays verbatim. Other text becomes JSON only where it is exactly how JSON (or the template's own encoding) writes a type
that the schema allows; where no type fits it is a string and the caller is told. Source: DESIGN.md section 8, rule 6.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from json.encoder import encode_basestring

from untemplate.lower.tags import ValueData
from untemplate.lower.tool_schema import ALL_TYPES
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.nodes import Json, JsonKind
from untemplate.runtime.log import TextLog
from untemplate.spec.model import Encoding, JsonType, Value

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)
_NUMBER_BEGUN = re.compile(r"-?(?:\d+(?:\.\d*)?)?(?:[eE][-+]?\d*)?", re.ASCII)
_PADDED = re.compile(r"(?P<sign>-?)0+(?P<number>\d+)", re.ASCII)
"""A whole number with zeros before it: a number only where no string is allowed."""
_LONGEST_NUMBER = 400
_HALVES = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}")
"""What may be half of a surrogate pair, which no UTF-8 can carry."""
_WORDS: Mapping[JsonType, tuple[str, ...]] = {JsonType.NULL: ("null",), JsonType.BOOLEAN: ("true", "false")}
_PYTHON_WORDS: Mapping[JsonType, tuple[str, ...]] = {JsonType.NULL: ("None",), JsonType.BOOLEAN: ("True", "False")}
_AS_JSON = {"None": "null", "True": "true", "False": "false"}
_HALF = re.compile("[\ud800-\udfff]")
_ANY_CASE = {"true": "true", "false": "false", "null": "null", "none": "null"}
_NUMBERS = frozenset({JsonType.INTEGER, JsonType.NUMBER})
_STRING_ONLY = frozenset({JsonType.STRING})


def escape(text: str) -> str:
    """Return the text as the inside of a JSON string."""
    return encode_basestring(text)[1:-1]


def allowed_types(schema_types: frozenset[JsonType], data: ValueData, label: str | None) -> frozenset[JsonType]:
    """Return the types that a value may have: marks around it decide, then its label, then the schema."""
    if data.decided is not None:
        return frozenset({data.decided})
    if label is None or not any(value.label is not None for value in data.values.values()):
        return schema_types
    named = frozenset(kind for kind, value in data.values.items() if value.label == label)
    if not named and label in frozenset(JsonType):
        named = frozenset({JsonType(label)})
    if JsonType.NUMBER in named:
        named |= {JsonType.INTEGER}
    return (named & schema_types) or named or schema_types


class TextValue:
    """One value, from its text to JSON."""

    __slots__ = ("_begun", "_held", "_labelled", "_mark", "_marked", "_opened", "_python", "_string", "_types", "_waits", "fits")

    def __init__(self, types: frozenset[JsonType], data: ValueData, *, labelled: bool = False) -> None:
        self._types = types
        self._labelled = labelled
        self._python = (
            frozenset(kind for kind, value in data.values.items() if _is_python(value)) if JsonType.STRING in types else ALL_TYPES
        )
        self._mark = _long_mark(data)
        self._held = TextLog()
        """The text while its type is not decided."""
        self._begun = ""
        """The beginning of that text, as far as it tells whether it may become something else than a string."""
        self._waits = JsonType.STRING not in types
        """Only the whole text tells its type."""
        self._marked = ""
        self._opened = False
        self._string = types == _STRING_ONLY
        self.fits = True
        """The text is of a type that the schema allows."""

    def copy(self) -> TextValue:
        """Return a value that goes on independently."""
        other = object.__new__(TextValue)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other._held = self._held.copy()
        return other

    def feed(self, text: str) -> str:
        """Return the JSON that this text makes certain."""
        if self._string:
            return self._opening() + escape(self._unmark(text))
        self._held.append(text)
        if self._waits or self._may_be_other(text):
            return ""
        self._string = True
        held, self._held = str(self._held), TextLog()
        return self._opening() + escape(held)

    def close(self) -> str:
        """Return the rest of the JSON: all that waited is decided."""
        if self._string:
            return self._opening() + escape(self._unmark("", final=True)) + '"'
        held = str(self._held)
        text = held.strip()
        other = self._as_other(text)
        if other is None and JsonType.STRING not in self._types:
            other = self._as_misspelt(text)
        if other is not None:
            return other
        self.fits = JsonType.STRING in self._types
        return self._as_quoted(text) or json.dumps(held, ensure_ascii=False)

    def _as_quoted(self, text: str) -> str | None:
        """Return text that is a whole JSON string, where a label says that JSON stands here."""
        if not self._labelled or not text.startswith('"'):
            return None
        try:
            json.loads(text)
        except ValueError:
            return None
        reader = JsonReader(Json(kind=JsonKind.STRING))
        reader.read(text, 0, True)
        return "".join(reader.pieces)

    @property
    def begun(self) -> bool:
        """Whether it is a string of which the beginning has been given."""
        return self._opened

    def cut(self) -> str:
        """Return the JSON that is certain where the value breaks off: the beginning of what can be no string."""
        if self._string:
            return self._opening() + escape(self._unmark("", final=True))
        if JsonType.STRING in self._types:
            return ""
        reader = JsonReader(Json())
        text = str(self._held).strip()
        reader.read(text, 0, _NUMBER.fullmatch(text) is not None)
        return "".join(reader.pieces)

    def _opening(self) -> str:
        opened, self._opened = self._opened, True
        return "" if opened else '"'

    def _unmark(self, text: str, *, final: bool = False) -> str:
        """Return text in which the marks that stand around the value, where they stand inside it, are plain quotes."""
        if not self._mark:
            return text
        text = (self._marked + text).replace(self._mark, '"')
        keep = 0 if final else next((size for size in range(len(self._mark) - 1, 0, -1) if text.endswith(self._mark[:size])), 0)
        self._marked = text[len(text) - keep :]
        return text[: len(text) - keep]

    def _words(self, kind: JsonType) -> tuple[str, ...]:
        if kind not in self._types:
            return ()
        return _WORDS[kind] + (_PYTHON_WORDS[kind] if kind in self._python else ())

    def _may_be_other(self, more: str) -> bool:
        """Return whether text behind this may still make it something else than a string. Of white space at an end only some counts."""
        begun = (self._begun + more).lstrip()
        text = begun.rstrip()
        self._begun = begun[: len(text) + 1]
        if not text:
            return True
        if text[0] == "{" or text[0] == "[":
            self._waits = (JsonType.OBJECT if text[0] == "{" else JsonType.ARRAY) in self._types
            return self._waits
        if any(word.startswith(text) for kind in _WORDS for word in self._words(kind)):
            return True
        return bool(self._types & _NUMBERS) and len(text) < _LONGEST_NUMBER and _NUMBER_BEGUN.fullmatch(text) is not None

    def _as_other(self, text: str) -> str | None:
        """Return the text as JSON of a type other than string, or ``None``."""
        if not text:
            return self._as_empty()
        if any(text in self._words(word) for word in _WORDS):
            return _AS_JSON.get(text, text)
        if self._types & _NUMBERS and _NUMBER.fullmatch(text):
            return text if JsonType.NUMBER in self._types or _is_integral(text) else None
        padded = _PADDED.fullmatch(text) if self._types & _NUMBERS and JsonType.STRING not in self._types else None
        if padded is not None:
            return padded["sign"] + padded["number"]
        kind = {"{": JsonType.OBJECT, "[": JsonType.ARRAY, "(": JsonType.ARRAY}.get(text[0])
        if kind is None or kind not in self._types:
            return None
        return _container(text, lenient=kind in self._python)

    def _as_misspelt(self, text: str) -> str | None:
        """Return text as JSON where no string is allowed: words in other cases, and JSON that was written as a string."""
        word = _ANY_CASE.get(text.lower())
        if word is not None:
            return self._as_other(word)
        for quoted in (text, f'"{text}"') if "\\" in text or text.startswith('"') else ():
            try:
                inner = json.loads(quoted)
            except ValueError:
                continue
            if not isinstance(inner, str) or inner == text or _HALF.search(inner) is not None:
                continue
            if (other := self._as_other(inner.strip())) is not None:
                return other
        return None

    def _as_empty(self) -> str | None:
        if JsonType.STRING in self._types:
            return None
        for kind, empty in ((JsonType.ARRAY, "[]"), (JsonType.OBJECT, "{}"), (JsonType.NULL, "null")):
            if kind in self._types:
                return empty
        return None


def _long_mark(data: ValueData) -> str:
    """Return the mark around a string that stands for a plain quote inside it; ``""`` where the mark is a plain quote itself."""
    value = None if data.decided is None else data.values.get(data.decided)
    mark = "" if value is None else value.close.strip()
    return mark if len(mark) > 1 else ""


def _is_python(value: Value) -> bool:
    return value.encoding in (Encoding.PYTHON, Encoding.RAW)


def _is_integral(text: str) -> bool:
    number = json.loads(text)
    return isinstance(number, int) or number.is_integer()


def _refuse(constant: str) -> None:
    """Refuse ``NaN`` and its like, which are no JSON."""
    raise ValueError(constant)


def _container(text: str, *, lenient: bool) -> str | None:
    """Return an object or array as JSON, read strictly or as models write it; ``None`` where it is malformed."""
    try:
        repeated: list[bool] = []
        json.loads(text, object_pairs_hook=lambda pairs: repeated.append(len(dict(pairs)) < len(pairs)), parse_constant=_refuse)
        if not any(repeated) and not _HALVES.search(text):
            return text
        lenient = True
    except (ValueError, RecursionError):
        pass
    if not lenient:
        return None
    reader = JsonReader(Json())
    whole, index = reader.read(text, 0, True)
    return "".join(reader.pieces) if whole and index == len(text) else None
