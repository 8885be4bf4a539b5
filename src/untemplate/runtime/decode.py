"""Text from bytes as they come: half a character waits, broken bytes become U+FFFD."""

from __future__ import annotations

import codecs

_STEPS = codecs.getincrementaldecoder("utf-8")


class Utf8Decoder:
    """A decoder that holds at most three bytes."""

    __slots__ = ("_decoder",)

    def __init__(self) -> None:
        self._decoder = _STEPS("replace")

    def feed(self, data: bytes) -> str:
        """Return the characters that are whole."""
        return self._decoder.decode(data)

    def finish(self) -> str:
        """Return what stands for a character that was never finished."""
        return self._decoder.decode(b"", final=True)

    def copy(self) -> Utf8Decoder:
        """Return a decoder that goes on independently."""
        other = Utf8Decoder()
        other._decoder.setstate(self._decoder.getstate())
        return other
