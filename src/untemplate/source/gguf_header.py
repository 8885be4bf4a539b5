"""A reader for the key/value part of a GGUF file. It never reads tensors, and hops over arrays.

Source: the GGUF specification of the ggml project, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import repeat
from typing import Any, BinaryIO

from untemplate.errors import SourceError

_WINDOW = 1 << 20
"""Bytes read at a time."""
_MAX_KEY = 1 << 16
_MAX_TEXT = 1 << 24
"""Bytes of the longest string that is kept; the specification has no bound, a template is far below."""
_MARK_EVERY = 1024
_MAX_DEPTH = 4

_unpack_length = struct.Struct("<Q").unpack_from


class ValueType(IntEnum):
    UINT8 = 0
    INT8 = 1
    UINT16 = 2
    INT16 = 3
    UINT32 = 4
    INT32 = 5
    FLOAT32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9
    UINT64 = 10
    INT64 = 11
    FLOAT64 = 12


_FORMATS = {
    ValueType.UINT8: "<B",
    ValueType.INT8: "<b",
    ValueType.UINT16: "<H",
    ValueType.INT16: "<h",
    ValueType.UINT32: "<I",
    ValueType.INT32: "<i",
    ValueType.FLOAT32: "<f",
    ValueType.BOOL: "<?",
    ValueType.UINT64: "<Q",
    ValueType.INT64: "<q",
    ValueType.FLOAT64: "<d",
}
_SCALARS = {kind: struct.Struct(form) for kind, form in _FORMATS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayPlace:
    """Where an array stands in the file; its items were not read."""

    type: ValueType
    count: int
    offset: int
    """Of the first item, in bytes from the start of the file."""
    marks: tuple[int, ...] = ()
    """Of strings only: the offset of every 1024th item."""


class Cursor:
    """A place in a file that moves forward, with a window of bytes around it. Every length is checked before it is used."""

    def __init__(self, stream: BinaryIO, path: str, position: int = 0) -> None:
        self._stream = stream
        self._path = path
        self._size = stream.seek(0, os.SEEK_END)
        self._window = b""
        self._base = 0
        self.position = position

    def fail(self, message: str, code: str = "E111", hint: str | None = None) -> SourceError:
        """Return an error that names the file and the place."""
        hint = hint or "Download or convert the file again, or give the model's template as a .jinja file."
        return SourceError(message, code=code, where=f"{self._path}: byte {self.position}", hint=hint)

    def check(self, size: int, what: str) -> None:
        """Check that the file holds ``size`` more bytes.

        Raises:
            SourceError: E110 when it ends before.
        """
        if size > self._size - self.position:
            left = max(0, self._size - self.position)
            raise self.fail(
                f"the GGUF header is cut or lies: {what} needs {size:,} bytes, {left:,} are left",
                code="E110",
                hint="Download the file again; a file that is still being written cannot be read.",
            )

    def take(self, size: int, what: str) -> bytes:
        """Return the next bytes.

        Raises:
            SourceError: E110 when the file ends before.
        """
        self.check(size, what)
        start = self.position - self._base
        if start < 0 or start + size > len(self._window):
            self._fill(size)
            start = 0
        self.position += size
        return self._window[start : start + size]

    def _fill(self, size: int) -> None:
        self._stream.seek(self.position)
        self._window = self._stream.read(max(size, _WINDOW))
        self._base = self.position

    def scalar(self, kind: ValueType, what: str) -> Any:
        """Return the next number or truth value."""
        form = _SCALARS[kind]
        return form.unpack(self.take(form.size, what))[0]

    def string(self, what: str, limit: int = _MAX_TEXT) -> bytes:
        """Return the next string's bytes.

        Raises:
            SourceError: E110 when the file ends before; E111 when it is longer than anything sensible.
        """
        length = self.scalar(ValueType.UINT64, f"the length of {what}")
        if length > limit:
            self.check(length, what)
            raise self.fail(f"{what} is {length:,} bytes long; at most {limit:,} are read")
        return self.take(length, what)

    def hop(self, size: int, what: str) -> None:
        """Move forward without reading.

        Raises:
            SourceError: E110 when the file ends before.
        """
        self.check(size, what)
        self.position += size

    def hop_strings(self, count: int, what: str) -> Iterator[int]:
        """Move over strings, giving the offset of every 1024th.

        Raises:
            SourceError: E110 when the file ends before.
        """
        self.check(8 * count, what)
        while count > 0:
            yield self.position
            block = min(count, _MARK_EVERY)
            self._hop_block(block, what)
            count -= block

    def _hop_block(self, count: int, what: str) -> None:
        unpack, done = _unpack_length, 0
        while True:
            window, start = self._window, self.position - self._base
            if start < 0 or start + 8 > len(window):
                self.check(8, what)
                self._fill(8)
                window, start = self._window, 0
            try:
                for _ in repeat(None, count - done):
                    start += 8 + unpack(window, start)[0]
                    done += 1
            except (struct.error, OverflowError):
                pass  # the window ends here, or a length is a lie: both are looked at below
            self.position = self._base + start
            if self.position > self._size:
                raise self.fail(f"the GGUF header is cut or lies: {what} ends after the end of the file", code="E110")
            if done == count:
                return


def open_header(cursor: Cursor) -> int:
    """Return the number of key/value pairs, with the cursor at the first.

    Raises:
        SourceError: E111 when it is no GGUF file or of a kind that is not read; E110 when it is cut.
    """
    if cursor.take(4, "the magic number") != b"GGUF":
        raise cursor.fail("not a GGUF file: it does not begin with GGUF")
    raw = cursor.take(4, "the version")
    version = int.from_bytes(raw, "little")
    if int.from_bytes(raw, "big") in (1, 2, 3):
        raise cursor.fail(
            "a big-endian GGUF file; only little-endian ones are read",
            hint="Convert it: python -m gguf.scripts.gguf_convert_endian FILE little",
        )
    if version not in (2, 3):
        raise cursor.fail(f"GGUF version {version}; versions 2 and 3 are read", hint="Convert the model again with a newer tool.")
    cursor.hop(8, "the number of tensors")
    count = cursor.scalar(ValueType.UINT64, "the number of keys")
    # A key needs its length, one byte, a type and one byte of value.
    cursor.check(14 * count, f"{count:,} keys")
    return int(count)


def read_pairs(cursor: Cursor, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """Return the wanted keys' values; arrays are ``ArrayPlace``, strings are bytes.

    Raises:
        SourceError: see ``open_header``.
    """
    result: dict[str, Any] = {}
    for number in range(open_header(cursor)):
        raw = cursor.string(f"key {number}", _MAX_KEY)
        key = raw.decode("utf-8", "replace")
        kind = _value_type(cursor, key)
        keep = wanted(key)
        match kind:
            case ValueType.STRING if keep:
                result[key] = cursor.string(key)
            case ValueType.STRING:
                cursor.hop(cursor.scalar(ValueType.UINT64, key), key)
            case ValueType.ARRAY:
                place = _hop_array(cursor, key, keep)
                if keep:
                    result[key] = place
            case _:
                value = cursor.scalar(kind, key)
                if keep:
                    result[key] = value
    return result


def _value_type(cursor: Cursor, key: str) -> ValueType:
    number = cursor.scalar(ValueType.UINT32, f"the type of {key}")
    try:
        return ValueType(number)
    except ValueError:
        raise cursor.fail(f"the GGUF header is damaged: {key!r} has the unknown type {number}") from None


def _hop_array(cursor: Cursor, key: str, keep: bool, depth: int = 0) -> ArrayPlace:
    kind = _value_type(cursor, key)
    count = cursor.scalar(ValueType.UINT64, f"the length of {key}")
    offset = cursor.position
    marks: array[int] = array("Q")
    if kind is ValueType.STRING:
        for mark in cursor.hop_strings(count, key):
            if keep:
                marks.append(mark)
    elif kind is ValueType.ARRAY:
        if depth == _MAX_DEPTH:
            raise cursor.fail(f"the GGUF header is damaged: {key!r} holds arrays more than {_MAX_DEPTH} deep")
        cursor.check(12 * count, key)
        for _ in repeat(None, count):
            _hop_array(cursor, key, keep=False, depth=depth + 1)
    else:
        cursor.hop(count * _SCALARS[kind].size, key)
    return ArrayPlace(type=kind, count=count, offset=offset, marks=tuple(marks))


def read_item(cursor: Cursor, place: ArrayPlace, index: int) -> Any:
    """Return one item of an array of strings (bytes) or of numbers; ``None`` when there is no such item.

    Raises:
        SourceError: E110 when the file is cut.
    """
    if not 0 <= index < place.count or place.type is ValueType.ARRAY:
        return None
    if place.type is not ValueType.STRING:
        cursor.position = place.offset + index * _SCALARS[place.type].size
        return cursor.scalar(place.type, "an item")
    cursor.position = place.marks[index // _MARK_EVERY]
    for _ in cursor.hop_strings(index % _MARK_EVERY, "an item"):
        pass
    return cursor.string("an item")
