"""The vocabulary of a GGUF file: its bytes as they stand, and an index of where tokens begin."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left

from untemplate.source.gguf_header import ArrayPlace, Cursor, ValueType
from untemplate.source.vocabulary import Token, TokenType, spell_bytes

_TYPES = {
    1: TokenType.NORMAL,
    2: TokenType.UNKNOWN,
    3: TokenType.CONTROL,
    4: TokenType.USER_DEFINED,
    5: TokenType.UNUSED,
    6: TokenType.BYTE,
}


class GgufVocabulary:
    """Finds tokens by their text. A few megabytes for 150,000 tokens: no string is made for any of them."""

    complete = True

    def __init__(self, cursor: Cursor, *, tokens: ArrayPlace, types: ArrayPlace | None, byte_level: bool) -> None:
        cursor.position = tokens.offset
        if tokens.type is ValueType.STRING:
            for _ in cursor.hop_strings(tokens.count, "the tokens"):
                pass
        end = cursor.position
        cursor.position = tokens.offset
        self._bytes = cursor.take(end - tokens.offset, "the tokens")
        self._count = tokens.count
        self._starts: array[int] | None = None
        self._types = b""
        if types is not None and types.type is ValueType.INT32:
            cursor.position = types.offset
            self._types = cursor.take(4 * types.count, "the token types")
        self._byte_level = byte_level

    def find(self, text: str) -> Token | None:
        """Return the token whose text this is, in the spelling of the vocabulary's kind."""
        spellings = (text, spell_bytes(text)) if self._byte_level else (text, text.replace(" ", "▁"), "▁" + text.replace(" ", "▁"))
        for spelling in dict.fromkeys(spellings):
            index = self._find_bytes(spelling.encode("utf-8"))
            if index is not None:
                return Token(text=text, id=index, type=self._type(index))
        return None

    def _find_bytes(self, raw: bytes) -> int | None:
        pattern = struct.pack("<Q", len(raw)) + raw
        at = self._bytes.find(pattern)
        while at >= 0:
            starts = self._index()
            index = bisect_left(starts, at)
            if index < len(starts) and starts[index] == at:
                return index
            at = self._bytes.find(pattern, at + 1)
        return None

    def _index(self) -> array[int]:
        """Return where each token begins; a text that is found may also stand inside another token."""
        if self._starts is None:
            starts = array("I")
            unpack, data, at = struct.Struct("<Q").unpack_from, self._bytes, 0
            for _ in range(self._count):
                starts.append(at)
                at += 8 + unpack(data, at)[0]
            self._starts = starts
        return self._starts

    def _type(self, index: int) -> TokenType:
        raw = self._types[4 * index : 4 * index + 4]
        return _TYPES.get(int.from_bytes(raw, "little"), TokenType.NORMAL) if raw else TokenType.NORMAL
