"""Call ids that a template demands: other ids are rewritten, the same way on the call and on its result."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]

_PIECE = re.compile(r"(\[[^\]]+\]|\\.|[^\\\[{}+*?])(?:\{(\d+)(?:,\d*)?\}|([+*?]))?")
_CLASSES = {"d": string.digits, "w": string.ascii_letters + string.digits}


def rewrite_ids(messages: list[Message], pattern: str) -> list[Message]:
    """Return the messages with every call id in the form of ``pattern``, made up where one is missing.

    Ids that fit stay. A result without an id belongs to the first call that has none yet. The same id always becomes the
    same new one. When no id can be made for the pattern, the messages come back unchanged.
    """
    fits = re.compile(pattern)
    known: dict[str, str] = {}
    taken = set(_ids(messages))

    def new_id(old: str) -> str | None:
        if old not in known:
            if fits.fullmatch(old):
                return old
            made = _make_id(pattern, old, taken)
            if made is None:
                return None
            taken.add(made)
            known[old] = made
        return known[old]

    waiting: list[str] = []
    result: list[Message] = []
    for place, message in enumerate(messages):
        changed = dict(message)
        if message.get("tool_calls"):
            calls = []
            for number, call in enumerate(message["tool_calls"]):
                made = new_id(str(call.get("id") or f"call {place} {number}"))
                if made is None:
                    return messages
                calls.append({**call, "id": made})
                waiting.append(made)
            changed["tool_calls"] = calls
        elif message.get("role") == "tool":
            old = message.get("tool_call_id")
            made = new_id(str(old)) if old else next(iter(waiting), None)
            if made is not None:
                changed["tool_call_id"] = made
                if made in waiting:
                    waiting.remove(made)
        result.append(changed)
    return result


def _ids(messages: list[Message]) -> Iterator[str]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            if call.get("id"):
                yield str(call["id"])


def _make_id(pattern: str, seed: str, taken: set[str]) -> str | None:
    """Return an id of the pattern's form that is not taken; the same seed gives the same id. ``None``: no idea how."""
    for salt in range(16):
        digest = hashlib.sha256(f"{salt} {seed}".encode()).digest()
        digits = iter(digest * 8)
        made = ""
        end = 0
        for piece in _PIECE.finditer(pattern):
            if piece.start() != end:
                return None
            end = piece.end()
            count = int(piece[2]) if piece[2] else {"+": 6, "*": 0, "?": 0}.get(piece[3] or "", 1)
            choices = _characters(piece[1])
            if not choices or count > 128:
                return None
            made += "".join(choices[next(digits) % len(choices)] for _ in range(count))
        if made not in taken and re.fullmatch(pattern, made):
            return made
    return None


def _characters(piece: str) -> str:
    """Return the characters that one piece of a pattern stands for; empty when the piece is not understood."""
    if piece.startswith("\\"):
        return _CLASSES.get(piece[1], "" if piece[1].isalnum() else piece[1])
    if not piece.startswith("["):
        return "" if piece in "()|.^$" else piece
    inner = piece[1:-1]
    if inner.startswith("^"):
        return ""
    found = ""
    while inner:
        if inner[0] == "\\":
            found += _characters(inner[:2])
            inner = inner[2:]
        elif len(inner) > 2 and inner[1] == "-":
            found += "".join(map(chr, range(ord(inner[0]), ord(inner[2]) + 1)))
            inner = inner[3:]
        else:
            found += inner[0]
            inner = inner[1:]
    return found
