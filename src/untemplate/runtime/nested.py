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
    """Return the value as JSON, however deep it is: what is left to write stands on a list, the next last."""
    pieces: list[str] = []
    left: list[str | tuple[NestedValue, Any]] = [(value, schema)]
    while left:
        following = left.pop()
        if isinstance(following, str):
            pieces.append(following)
        elif following[0].kind == "leaf":
            pieces.append(_leaf(*following, root, fits))
        else:
            left += reversed(_parts(*following, root))
    return "".join(pieces)


def _parts(value: NestedValue, schema: Any, root: Any) -> list[str | tuple[NestedValue, Any]]:
    """Return an object or array as marks, keys, and the values in it with their schemas. Of a repeated key the first one stands."""
    if value.kind == "array":
        items = items_of(schema, root)
        members = [("", item, items) for item in value.items]
    else:
        pairs = dict(reversed([*zip(value.keys, value.items, strict=False)]))
        members = [
            (f"{json.dumps(key, ensure_ascii=False)}: ", pairs[key], property_of(schema, key, root))
            for key in dict.fromkeys(value.keys[: len(value.items)])
        ]
    opening, closing = "[]" if value.kind == "array" else "{}"
    found: list[str | tuple[NestedValue, Any]] = []
    for lead, item, own in members:
        found += [(", " if found else opening) + lead, (item, own)]
    return [*found, closing] if found else [opening + closing]


def _leaf(value: NestedValue, schema: Any, root: Any, fits: list[bool]) -> str:
    text = "".join(value.pieces)
    if value.data.json:
        return text
    types = frozenset({value.data.decided}) if value.data.decided is not None else types_of(schema, root)
    leaf = TextValue(types, value.data)
    written = leaf.feed(text) + leaf.close()
    fits.append(leaf.fits)
    return written
