"""One member put into a JSON file, everything else in it left as it stands: numbers, escapes, order, indentation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from untemplate.errors import SpecError

_WHITE = " \t\r\n"
_DECODER = json.JSONDecoder()
_HINT = "give the model's own tokenizer_config.json"


def put_member(text: str, key: str, value: Any, name: str) -> str:
    """Return a JSON object's text with a member set, in its old place or behind the last one.

    Raises:
        SpecError: E515 when the text is no JSON object. ``name`` says which file it is.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise SpecError(f"this is not JSON: {error}", code="E515", where=name, hint=_HINT) from error
    if not isinstance(data, dict):
        raise SpecError("this is not a tokenizer configuration: it should be one JSON object", code="E515", where=name, hint=_HINT)
    members = list(_members(text))
    indent = _indent(text, members)
    written = json.dumps(value, ensure_ascii=text.isascii(), indent=indent)
    if indent is not None:
        written = written.replace("\n", f"\n{_lead(text, members)}")
    for found, start, stop in members:
        if found == key:
            return text[:start] + written + text[stop:]
    member = f"{json.dumps(key)}: {written}"
    if not members:
        opened = text.index("{") + 1
        return f"{text[:opened]}{member}{text[opened:].lstrip(_WHITE)}"
    last = members[-1][2]
    between = f",\n{_lead(text, members)}" if indent is not None else ", "
    return text[:last] + between + member + text[last:]


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each member's key and where its value starts and stops."""
    at = _skip(text, text.index("{") + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, stop = _DECODER.raw_decode(text, start)
        yield key, start, stop
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in _WHITE:
        at += 1
    return at


def _lead(text: str, members: list[tuple[str, int, int]]) -> str:
    """Return the white space before the first member, from its line's start."""
    if not members:
        return ""
    head = text[text.index("{") + 1 : members[0][1]]
    white = head[: len(head) - len(head.lstrip(_WHITE))]
    return white.rpartition("\n")[2] if "\n" in white else ""


def _indent(text: str, members: list[tuple[str, int, int]]) -> str | int | None:
    """Return how deep members are indented; ``None`` where all stands on one line."""
    lead = _lead(text, members)
    return None if not lead else lead if "\t" in lead else len(lead)
