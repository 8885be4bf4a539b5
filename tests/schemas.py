"""Strategies for JSON Schemas and for values near them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

KEYS = ("a", "b", "ab", "key", "é", 'q"')
TEXTS = ("", "a", "ab", "x-1", "é", 'q"', "\n", "2024-01-31", "a@b.de", "\\", "😀")
PATTERNS = ("^a", "b$", "^[a-z]*$", "a.b|^x", "^\\d+$", "[^a]", "^(ab)*$", "^\\S{1,3}$", "\\w-\\d", "")
NUMBERS = (0, 1, -1, 2, 3, 7, 10, 15, 100, 0.5, -2.25, 1e-7, 1e20, 12.75)


def values(depth: int = 3) -> st.SearchStrategy[Any]:
    """Return JSON values, with the keys and texts that the schemas speak of."""
    flat = st.none() | st.booleans() | st.sampled_from(NUMBERS) | st.integers(-20, 120) | st.sampled_from(TEXTS) | st.text(max_size=4)
    if depth == 0:
        return flat
    inner = values(depth - 1)
    return flat | st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=4)


def _numbers() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.sampled_from(("integer", "number"))},
        optional={
            "minimum": st.sampled_from(NUMBERS[:13]),
            "maximum": st.sampled_from(NUMBERS[:13]),
            "exclusiveMinimum": st.sampled_from((0, -1, 0.5)),
            "exclusiveMaximum": st.sampled_from((10, 3, 1.5)),
            "multipleOf": st.sampled_from((1, 2, 5, 0.5, 0.25)),
        },
    )


def _strings() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("string")},
        optional={
            "minLength": st.integers(0, 3),
            "maxLength": st.integers(0, 5),
            "pattern": st.sampled_from(PATTERNS),
        },
    )


def _arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("array")},
        optional={
            "items": inner | st.booleans(),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "minItems": st.integers(0, 2),
            "maxItems": st.integers(0, 3),
            "contains": inner,
            "uniqueItems": st.booleans(),
        },
    )


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
            "required": st.lists(st.sampled_from(KEYS), unique=True, max_size=2),
            "additionalProperties": inner | st.booleans(),
            "patternProperties": st.dictionaries(st.sampled_from(("^a", "b$", "é")), inner, max_size=1),
            "propertyNames": st.sampled_from(({"maxLength": 2}, {"pattern": "^[a-z]*$"}, {"enum": ["a", "b"]})),
            "minProperties": st.integers(0, 2),
            "maxProperties": st.integers(0, 3),
            "dependentRequired": st.just({"a": ["b"]}),
        },
    )


def schemas(depth: int = 2) -> st.SearchStrategy[Any]:
    """Return schemas of the latest draft; most can be fitted."""
    flat = (
        st.booleans()
        | st.just({})
        | _numbers()
        | _strings()
        | st.sampled_from(({"type": "null"}, {"type": "boolean"}, {"type": ["string", "null"]}, {"type": ["integer", "string", "array"]}))
        | st.builds(lambda listed: {"enum": listed}, st.lists(values(1), min_size=1, max_size=3))
        | st.builds(lambda value: {"const": value}, values(2))
    )
    if depth == 0:
        return flat
    inner = schemas(depth - 1)
    several = st.lists(inner, min_size=1, max_size=3)
    return (
        flat
        | _arrays(inner)
        | _objects(inner)
        | st.builds(lambda parts: {"allOf": parts}, several)
        | st.builds(lambda parts, base: {**base, "anyOf": parts}, several, _objects(inner) | st.just({}))
        | st.builds(lambda parts: {"oneOf": parts}, several)
        | st.builds(lambda part, base: {**base, "not": part}, inner, _objects(inner) | _strings() | st.just({}))
        | st.builds(lambda test, then, other: {"if": test, "then": then, "else": other}, inner, inner, inner)
    )


def near(schema: Any, depth: int = 4) -> st.SearchStrategy[Any]:
    """Return values that often fit a schema of ``schemas``: built along it, without minding how keywords meet."""
    if not isinstance(schema, dict) or depth == 0:
        return values(1)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for keyword in ("anyOf", "oneOf", "allOf"):
        if keyword in schema:
            return st.one_of(
                [near({**part, **_rest(schema, keyword)} if isinstance(part, dict) else part, depth - 1) for part in schema[keyword]]
            )
    if "if" in schema:
        return near(schema["if"], depth - 1) | near(schema["then"], depth - 1) | near(schema["else"], depth - 1)
    kinds = schema.get("type")
    kind = kinds if isinstance(kinds, str) else None
    match kind:
        case "object":
            return _near_object(schema, depth)
        case "array":
            items = near(schema.get("items", True), depth - 1)
            first = [near(part, depth - 1) for part in schema.get("prefixItems", [])]
            return st.builds(lambda head, tail: [*head, *tail], st.tuples(*first) | st.just(()), st.lists(items, max_size=3))
        case "string":
            return st.sampled_from(TEXTS) | st.from_regex(schema.get("pattern", "^"), fullmatch=False).map(lambda text: text[:6])
        case "integer":
            return st.integers(-20, 120) | st.sampled_from((0, 1, 5, 10, 100))
        case "number":
            return st.sampled_from(NUMBERS) | st.integers(-4, 40).map(lambda number: number / 4)
        case _:
            return values(1)


def _rest(schema: dict[str, Any], keyword: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != keyword}


def _near_object(schema: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    declared = schema.get("properties", {})
    more = {**schema.get("patternProperties", {})}
    other = schema.get("additionalProperties", True)

    def of(key: str) -> st.SearchStrategy[Any]:
        found = declared.get(key, more.get("^a", True) if key.startswith("a") else other)
        return near(found, depth - 1)

    required = {key: of(key) for key in schema.get("required", [])}
    optional = {key: of(key) for key in (*declared, *KEYS) if key not in required}
    return st.fixed_dictionaries(required, optional=optional)
