"""Which properties and items count as evaluated, for ``unevaluatedProperties`` and ``unevaluatedItems``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from untemplate.lower.json_schema.document import Document, Part, child, derived
from untemplate.lower.json_schema.facts import ArrayFacet, ObjectFacet

_DEPTH = 16


def in_place(document: Document, part: Part, depth: int = _DEPTH) -> Iterator[tuple[Part, bool]]:
    """Yield ``part`` and each schema that applies to the same value, and whether it always does."""
    if not isinstance(part.schema, Mapping) or depth == 0:
        return
    yield part, True
    for keyword, value in part.schema.items():
        match keyword:
            case "$ref" | "$dynamicRef" | "$recursiveRef" if isinstance(value, str):
                yield from in_place(document, document.resolve(part, value, keyword), depth - 1)
            case "allOf" if isinstance(value, list):
                for number, one in enumerate(value):
                    yield from in_place(document, child(part, one, keyword, number), depth - 1)
            case "anyOf" | "oneOf" if isinstance(value, list):
                for number, one in enumerate(value):
                    yield from ((found, False) for found, _ in in_place(document, child(part, one, keyword, number), depth - 1))
            case "if" | "then" | "else":
                yield from ((found, False) for found, _ in in_place(document, child(part, value, keyword), depth - 1))
            case "dependentSchemas" | "dependencies" if isinstance(value, Mapping):
                for name, one in value.items():
                    yield from ((found, False) for found, _ in in_place(document, child(part, one, keyword, name), depth - 1))


def evaluated_facet(document: Document, part: Part, other: Part) -> tuple[ObjectFacet | None, bool]:
    """Return what is said of properties that no schema at this place evaluates, and whether that is exact.

    A property that some branch declares counts as evaluated, whether or not that branch fits.
    """
    properties: dict[str, Part] = {}
    patterns: dict[str, Part] = {}
    exact = True
    for found, always in in_place(document, part):
        schema = found.schema
        said = [key for key in ("properties", "patternProperties", "additionalProperties", "unevaluatedProperties") if key in schema]
        if found is not part and ("additionalProperties" in said or "unevaluatedProperties" in said):
            return None, always
        if part.schema.get("additionalProperties") is not None and found is part:
            return None, True
        exact = exact and (always or not said)
        anything = derived(part, True, "evaluated")
        if isinstance(schema.get("properties"), Mapping):
            properties.update(dict.fromkeys(schema["properties"], anything))
        if isinstance(schema.get("patternProperties"), Mapping):
            patterns.update(dict.fromkeys(schema["patternProperties"], anything))
    return ObjectFacet(properties, tuple(patterns.items()), other), exact


def evaluated_items(document: Document, part: Part, other: Part) -> tuple[ArrayFacet | None, bool]:
    """Return what is said of items that no schema at this place evaluates, and whether that is exact."""
    longest, exact = 0, True
    for found, always in in_place(document, part):
        schema = found.schema
        prefix = schema.get("prefixItems", schema.get("items") if isinstance(schema.get("items"), list) else [])
        if "contains" in schema or "additionalItems" in schema or ("items" in schema and not isinstance(schema["items"], list)):
            return None, always and "contains" not in schema
        if found is not part and "unevaluatedItems" in schema:
            return None, always
        longest = max(longest, len(prefix) if isinstance(prefix, list) else 0)
        exact = exact and (always or not prefix)
    return ArrayFacet((derived(part, True, "evaluated"),) * longest, other), exact
