"""Plain copies of what a caller passes in, and messages as Hugging Face's tokenizers hand them to a template."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

_SCALARS = (str, int, float, bool, type(None))

REASONING_KEYS = ("reasoning_content", "thinking", "reasoning")
"""The names under which a message may carry its reasoning, the standard one first."""


def copy_plain(value: Any) -> Any:
    """Return a deep copy of ``value`` made of JSON's types only, so that nothing a template does reaches the caller.

    Subclasses become their base type; dataclasses and objects with ``model_dump`` become dicts; anything else becomes a
    text that names its type. Source: transformers 5.24, ``_plain_template_data``.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is dict:
        return {(key if type(key) is str else copy_plain(key)): copy_plain(item) for key, item in value.items()}
    if kind is list:
        return [copy_plain(item) for item in value]
    return _copy_rare(value)


def _copy_rare(value: Any) -> Any:
    match value:
        case str():
            return str.__str__(value)
        case int():
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case Mapping():
            return {copy_plain(key): copy_plain(item) for key, item in value.items()}
        case list():
            return [copy_plain(item) for item in value]
        case tuple():
            return tuple(copy_plain(item) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: copy_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return copy_plain(dump())
    return f"<{type(value).__name__}>"


def copy_messages(messages: Sequence[Mapping[str, Any]], *, nulls: bool = False) -> list[dict[str, Any]]:
    """Return the messages as a template sees them: plain copies, ``None`` members dropped, reasoning under its other names.

    ``nulls``: content that is ``None`` is kept.

    Reasoning under any of its names stands in ``reasoning_content``, and in ``thinking`` where the message has none.
    Source: transformers 5.24, ``_normalize_chat_messages`` and ``_alias_reasoning_fields``.

    Raises:
        TypeError: when a message is not an object.
    """
    result = []
    for message in messages:
        plain = copy_plain(message)
        if not isinstance(plain, dict):
            raise TypeError(f"a message must be an object, not {type(message).__name__}")
        kept = {key: value for key, value in plain.items() if value is not None or (nulls and key == "content")}
        for key in REASONING_KEYS:
            if key in kept:
                kept = {"thinking": kept[key], **kept, "reasoning_content": kept[key]}
                break
        result.append(kept)
    return result
