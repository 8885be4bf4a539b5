"""Numbers and keywords of JSON and Python, as JSON."""

from __future__ import annotations

import re
from typing import Final

LONGEST_NUMBER: Final = 4300
"""Characters; what Python itself reads as an integer. A longer one is malformed."""

WORD: Final = re.compile(r"[-+.\w]+", re.ASCII)

_KEYWORDS: Final = {
    "true": "true",
    "false": "false",
    "null": "null",
    "True": "true",
    "False": "false",
    "None": "null",
    "NaN": "null",
    "nan": "null",
    "Infinity": "null",
    "-Infinity": "null",
    "inf": "null",
    "-inf": "null",
}
_PREFIXES: Final = frozenset(word[:size] for word in _KEYWORDS for size in range(1, len(word) + 1))
_NUMBER: Final = re.compile(r"[-+]?(?:(?:0|[1-9](?:_?\d)*)(?:\.(?:\d(?:_?\d)*)?)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_NUMBER_PREFIX: Final = re.compile(r"[-+]?(?:\d[\d_]*)?(?:\.[\d_]*)?(?:[eE][-+]?\d*)?", re.ASCII)
_STRICT: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?", re.ASCII)


def may_become_word(text: str) -> bool:
    """Return whether more characters may make this a number or a keyword."""
    return text in _PREFIXES or (len(text) <= LONGEST_NUMBER and _NUMBER_PREFIX.fullmatch(text) is not None)


def number_as_json(text: str) -> str | None:
    """Return a number in JSON's spelling (``1_000``, ``.5``, ``1.`` and ``+1`` are Python's); ``None`` where it is none."""
    if len(text) > LONGEST_NUMBER:
        return None
    if _STRICT.fullmatch(text):
        return text
    if not _NUMBER.fullmatch(text):
        return None
    text = text.replace("_", "").removeprefix("+")
    text = re.sub(r"(^|-)\.", r"\g<1>0.", text)
    return re.sub(r"\.(?!\d)", ".0", text)


def word_as_json(text: str) -> str | None:
    """Return a number or keyword as JSON; what JSON has no word for (``nan``) is ``null``; ``None`` where it is neither."""
    return _KEYWORDS.get(text) or number_as_json(text)
