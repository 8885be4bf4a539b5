"""Text of unknown origin made safe and legible for a terminal."""

from __future__ import annotations

import re

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff]")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, *, keep_lines: bool = False) -> str:
    """Return ``text`` with everything that cannot be seen, or that steers a terminal, as an escape.

    ``keep_lines`` lets line feeds through.
    """
    return _CONTROLS.sub(lambda found: found.group() if keep_lines and found.group() == "\n" else _escaped(found.group()), text)


def _escaped(character: str) -> str:
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def shortened(text: str, width: int) -> str:
    """Return ``text`` in at most ``width`` characters, its middle left out where it is longer."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :] if tail else ''}"
