"""What a tool's JSON Schema says of names and types, with references and combinations resolved.

Nothing here validates: it answers which properties an object may have and which JSON types a value may be of, so that text
without types can be given one. Source: DESIGN.md section 8, rule 6.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from untemplate.spec.model import JsonType

ALL_TYPES = frozenset(JsonType)
_DEPTH = 32


def types_of(schema: Any, root: Any) -> frozenset[JsonType]:
    """Return the types that a value may have; all of them where the schema does not say."""
    return _types(schema, root, _DEPTH)


def _types(schema: Any, root: Any, depth: int) -> frozenset[JsonType]:
    if not isinstance(schema, Mapping) or depth == 0:
        return ALL_TYPES
    allowed = ALL_TYPES
    if (named := _named_types(schema.get("type"))) is not None:
        allowed &= named
    elif "properties" in schema:
        allowed &= {JsonType.OBJECT}
    elif "items" in schema or "prefixItems" in schema:
        allowed &= {JsonType.ARRAY}
    if "const" in schema:
        allowed &= type_of(schema["const"])
    if isinstance(schema.get("enum"), list):
        allowed &= frozenset().union(*(type_of(value) for value in schema["enum"]))
    if isinstance(schema.get("$ref"), str):
        allowed &= _types(resolve(schema["$ref"], root), root, depth - 1)
    for part in _list(schema, "allOf"):
        allowed &= _types(part, root, depth - 1)
    for keyword in ("anyOf", "oneOf"):
        if options := _list(schema, keyword):
            allowed &= frozenset().union(*(_types(option, root, depth - 1) for option in options))
    if schema.get("nullable") is True:
        allowed |= {JsonType.NULL}
    return allowed or ALL_TYPES


def _named_types(value: Any) -> frozenset[JsonType] | None:
    """Return the types that a ``type`` keyword names, in any case; ``None`` where it names none that JSON has."""
    names = value if isinstance(value, list) else [value]
    found: set[JsonType] = set()
    for name in names:
        if isinstance(name, Mapping):  # some clients nest schemas here
            found |= _types(name, name, _DEPTH)
        elif isinstance(name, str) and name.lower() in _TYPES:
            found |= _TYPES[name.lower()]
    return frozenset(found) or None


_TYPES: Mapping[str, frozenset[JsonType]] = {
    **{kind.value: frozenset({kind}) for kind in JsonType},
    "number": frozenset({JsonType.NUMBER, JsonType.INTEGER}),
    "float": frozenset({JsonType.NUMBER, JsonType.INTEGER}),
    "int": frozenset({JsonType.INTEGER}),
    "str": frozenset({JsonType.STRING}),
    "bool": frozenset({JsonType.BOOLEAN}),
    "list": frozenset({JsonType.ARRAY}),
    "dict": frozenset({JsonType.OBJECT}),
}


def type_of(value: Any) -> frozenset[JsonType]:
    """Return the types that admit a JSON value: an integer is a number too."""
    match value:
        case bool():
            return frozenset({JsonType.BOOLEAN})
        case None:
            return frozenset({JsonType.NULL})
        case str():
            return frozenset({JsonType.STRING})
        case int():
            return frozenset({JsonType.INTEGER, JsonType.NUMBER})
        case float():
            return frozenset({JsonType.NUMBER, JsonType.INTEGER} if value.is_integer() else {JsonType.NUMBER})
        case Mapping():
            return frozenset({JsonType.OBJECT})
        case _:
            return frozenset({JsonType.ARRAY})


def property_of(schema: Any, key: str, root: Any) -> Any:
    """Return the schema of a property; ``None`` where nothing is said of it."""
    found = list(_property(schema, key, root, _DEPTH))
    return found[0] if len(found) == 1 else {"anyOf": found} if found else None


def _property(schema: Any, key: str, root: Any, depth: int) -> Iterator[Any]:
    for part in _parts(schema, root, depth):
        properties = part.get("properties")
        if isinstance(properties, Mapping) and key in properties:
            yield properties[key]
        elif isinstance(part.get("additionalProperties"), Mapping):
            yield part["additionalProperties"]


def items_of(schema: Any, root: Any) -> Any:
    """Return the schema of an array's items; ``None`` where nothing is said of them."""
    found = [part["items"] for part in _parts(schema, root, _DEPTH) if isinstance(part.get("items"), Mapping)]
    return found[0] if len(found) == 1 else {"anyOf": found} if found else None


def property_names(schema: Any, root: Any) -> tuple[str, ...] | None:
    """Return the names of an object's declared properties; ``None`` where it may have others: it lists none, or says so.

    An empty schema is that of a tool without parameters.
    """
    names: dict[str, None] = {}
    listed = not schema
    for part in _parts(schema, root, _DEPTH):
        if isinstance(part.get("properties"), Mapping):
            listed = True
            names.update(dict.fromkeys(str(name) for name in part["properties"]))
        if part.get("additionalProperties") is True or any(
            isinstance(part.get(keyword), Mapping) for keyword in ("additionalProperties", "patternProperties")
        ):
            return None
    return tuple(names) if listed else None


def _parts(schema: Any, root: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the schema and all that it refers to or combines at the same place."""
    if not isinstance(schema, Mapping) or depth == 0:
        return
    yield schema
    if isinstance(schema.get("$ref"), str):
        yield from _parts(resolve(schema["$ref"], root), root, depth - 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        for part in _list(schema, keyword):
            yield from _parts(part, root, depth - 1)
    for keyword in ("then", "else"):
        yield from _parts(schema.get(keyword), root, depth - 1)


def _list(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def resolve(reference: str, root: Any) -> Any:
    """Return what ``#/…`` points to in ``root``; ``None`` where it points to nothing or elsewhere."""
    if not reference.startswith("#"):
        return None
    found = root
    for step in reference[1:].split("/")[1:]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found
