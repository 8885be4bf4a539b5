"""Values in a template's own notation: the tree that the parser read, as JSON typed by the schema."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from untemplate.lower.tags import ValueData
from untemplate.lower.tool_schema import items_of, property_of, types_of
from untemplate.runtime.values import TextValue
from untemplate.spec.model import JsonType


@dataclass(slots=True)
class NestedValue:
    """An object, an array or a leaf, while it is being read."""

    kind: str
    """``object``, ``array`` or ``leaf``."""
    data: ValueData = field(default_factory=ValueData)
    pieces: list[str] = field(default_factory=list)
    """The text of a leaf."""
    keys: list[str] = field(default_factory=list)
    items: list[NestedValue] = field(default_factory=list)


def nested_as_json(value: NestedValue, schema: Any, root: Any, verbatim: str) -> tuple[str, bool]:
    """Return the value as JSON, and whether it is of a type that the schema allows.

    ``verbatim``: the text of the whole value, which stands where the schema allows a string and nothing that the tree is.
    """
    types = types_of(schema, root)
    kind = JsonType.OBJECT if value.kind == "object" else JsonType.ARRAY
    if kind not in types and JsonType.STRING in types:
        return json.dumps(verbatim, ensure_ascii=False), True
    fits: list[bool] = [kind in types]
    return _written(value, schema, root, fits), all(fits)


def _written(value: NestedValue, schema: Any, root: Any, fits: list[bool]) -> str:
    if value.kind == "array":
        items = items_of(schema, root)
        return "[" + ", ".join(_written(item, items, root, fits) for item in value.items) + "]"
    if value.kind == "object":
        members: dict[str, str] = {}
        for key, item in zip(value.keys, value.items, strict=False):
            if key not in members:
                members[key] = _written(item, property_of(schema, key, root), root, fits)
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {text}" for key, text in members.items()) + "}"
    text = "".join(value.pieces)
    if value.data.json:
        return text
    types = frozenset({value.data.decided}) if value.data.decided is not None else types_of(schema, root)
    leaf = TextValue(types, value.data)
    written = leaf.feed(text) + leaf.close()
    fits.append(leaf.fits)
    return written
