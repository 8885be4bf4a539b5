"""Which texts are one token. Read only when somebody asks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class TokenType(StrEnum):
    NORMAL = "normal"
    UNKNOWN = "unknown"
    CONTROL = "control"
    """Special: engines leave it out of the text that they return, unless told otherwise."""
    USER_DEFINED = "user_defined"
    """Added to the vocabulary, and written out like any text."""
    UNUSED = "unused"
    BYTE = "byte"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    text: str
    id: int
    type: TokenType


class Vocabulary(Protocol):
    """The tokens of one model."""

    @property
    def complete(self) -> bool:
        """Whether a text that is not found is no token. Otherwise only the added tokens are known."""

    def find(self, text: str) -> Token | None:
        """Return the token whose text this is; ``None``: the tokenizer writes it as several, or see ``complete``."""


def spell_bytes(text: str) -> str:
    """Return how byte-level vocabularies (GPT-2's and its kin) write ``text``: a printable letter for each byte."""
    return "".join(_BYTE_LETTERS[byte] for byte in text.encode("utf-8"))


def _make_letters() -> tuple[str, ...]:
    letters = []
    spare = 256
    for byte in range(256):
        if 33 <= byte <= 126 or 161 <= byte <= 172 or 174 <= byte <= 255:
            letters.append(chr(byte))
        else:
            letters.append(chr(spare))
            spare += 1
    return tuple(letters)


_BYTE_LETTERS = _make_letters()
