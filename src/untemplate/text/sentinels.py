"""Sentinel values: words that occur in no template, so that they can be found again in a rendering.

They are lower-case letters only (identifiers everywhere, unchanged by ``trim``, ``lower`` or an identifier check) and none is part of
another. Ids are nine letters or digits, the strictest form that public templates demand.
"""

from __future__ import annotations

from untemplate.text.align import Token

_ORDINALS = ("ane", "bis", "cin", "dor", "ewe", "fox")
"""In alphabetical order: some templates sort keys."""

USER = "zuserqtext"
USER_AGAIN = "zusagqtext"
SYSTEM = "zsystqtext"
CONTENT = "zcontqtext"
REASONING = "zreasqtext"
RESULT = "zresuqtext"

INTEGER = 7351942
NUMBER = 7351.625


def name(call: int) -> str:
    """Return the name of tool ``call``."""
    return f"zname{_ORDINALS[call]}q"


def call_id(call: int) -> str:
    """Return a call id of nine letters."""
    return f"zxid{_ORDINALS[call]}qk"


def key(call: int, item: int) -> str:
    """Return the name of argument ``item`` of tool ``call``."""
    return f"zkey{_ORDINALS[call]}x{_ORDINALS[item]}q"


def value(call: int, item: int) -> str:
    """Return a string value for argument ``item`` of tool ``call``."""
    return f"zval{_ORDINALS[call]}x{_ORDINALS[item]}q"


def integer(call: int, item: int) -> int:
    """Return an integer value for argument ``item`` of tool ``call``."""
    return 735194000 + 10 * call + item


def all_tokens(calls: int = 4, items: int = 4) -> dict[str, Token]:
    """Return every sentinel with the token that it stands for."""
    tokens = {
        USER: Token("user"),
        USER_AGAIN: Token("user", 1),
        SYSTEM: Token("system"),
        CONTENT: Token("content"),
        REASONING: Token("reasoning"),
        RESULT: Token("result"),
    }
    for c in range(calls):
        tokens[name(c)] = Token("name", c)
        tokens[call_id(c)] = Token("id", c)
        for i in range(items):
            tokens[key(c, i)] = Token("key", c, i)
            tokens[value(c, i)] = Token("value", c, i)
    return tokens
