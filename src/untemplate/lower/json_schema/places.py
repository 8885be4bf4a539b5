"""All schemas that speak of the value at one place, those of every branch included, and the order in which they declare keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from untemplate.lower.json_schema.document import Document, Part, child
from untemplate.lower.json_schema.objects import MOST_FOREIGN

_DEPTH = 12


def common_order(own: tuple[str, ...], order: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the order of keys to keep: a given one where it has anything to say of a few keys, else a schema's own."""
    if order is None or not own:
        return own
    if len(order) - len(own) <= MOST_FOREIGN:
        return order
    mine = set(own)
    return tuple(key for key in order if key in mine)


def declared_order(document: Document, parts: tuple[Part, ...]) -> list[str]:
    """Return all keys that schemas at this place declare, in order of first declaration, those of branches included."""
    found: dict[str, None] = {}
    for part in _speaking(document, parts):
        found.update(dict.fromkeys(map(str, part.schema["properties"])))
    return list(found)


def declared_members(document: Document, parts: tuple[Part, ...]) -> dict[str, tuple[Part, ...]]:
    """Return the schemas of each key that several schemas at this place declare."""
    speaking = list(_speaking(document, parts))
    found: dict[str, tuple[Part, ...]] = {}
    if len(speaking) > 1:
        for part in speaking:
            for key, one in part.schema["properties"].items():
                found[str(key)] = (*found.get(str(key), ()), child(part, one, "properties", str(key)))
    return {key: schemas for key, schemas in found.items() if len(schemas) > 1}


def _speaking(document: Document, parts: tuple[Part, ...]) -> Iterator[Part]:
    """Yield the schemas with ``properties``, each once."""
    seen: set[str] = set()
    for part in parts:
        if not part.negated:
            yield from _with_properties(document, part, _DEPTH, seen)


def _with_properties(document: Document, part: Part, depth: int, seen: set[str]) -> Iterator[Part]:
    schema = part.schema
    if not isinstance(schema, Mapping) or depth == 0 or part.key in seen:
        return
    seen.add(part.key)
    if isinstance(schema.get("properties"), Mapping):
        yield part
    if isinstance(schema.get("$ref"), str):
        yield from _with_properties(document, document.resolve(part, schema["$ref"]), depth - 1, seen)
    for keyword in ("allOf", "anyOf", "oneOf"):
        branches: Any = schema.get(keyword)
        for number, one in enumerate(branches if isinstance(branches, list) else []):
            yield from _with_properties(document, child(part, one, keyword, number), depth - 1, seen)
    for keyword in ("if", "then", "else"):
        if keyword in schema:
            yield from _with_properties(document, child(part, schema[keyword], keyword), depth - 1, seen)
