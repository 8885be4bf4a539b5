"""What a schema says of names and types."""

from __future__ import annotations

import pytest

from untemplate.lower.tool_schema import ALL_TYPES, items_of, property_names, property_of, resolve, types_of
from untemplate.spec.model import JsonType

STRING, INTEGER, NUMBER, NULL, OBJECT = JsonType.STRING, JsonType.INTEGER, JsonType.NUMBER, JsonType.NULL, JsonType.OBJECT


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({}, ALL_TYPES),
        (True, ALL_TYPES),
        (None, ALL_TYPES),
        ({"type": "string"}, {STRING}),
        ({"type": "STRING"}, {STRING}),
        ({"type": "number"}, {NUMBER, INTEGER}),
        ({"type": ["string", "null"]}, {STRING, NULL}),
        ({"type": "string", "nullable": True}, {STRING, NULL}),
        ({"type": "something"}, ALL_TYPES),
        ({"enum": ["a", 1]}, {STRING, INTEGER, NUMBER}),
        ({"const": None}, {NULL}),
        ({"properties": {}}, {OBJECT}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {STRING, NULL}),
        ({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]}, {STRING}),
        ({"$ref": "#/$defs/a"}, {STRING}),
        ({"$ref": "#/$defs/loop"}, ALL_TYPES),
        ({"$ref": "http://example.invalid/x"}, ALL_TYPES),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, ALL_TYPES),
    ],
)
def test_types(schema, types):
    root = {"$defs": {"a": {"type": "string"}, "loop": {"$ref": "#/$defs/loop"}}}
    assert types_of(schema, root) == types


def test_pointers_have_escapes_and_indexes():
    root = {"$defs": {"a/b": {"c~d": [1, {"x": 2}]}}}
    assert resolve("#/$defs/a~1b/c~0d/1/x", root) == 2
    assert resolve("#/%24defs/a~1b/c~0d/0", root) == 1
    assert resolve("#", root) is root
    assert resolve("#/nothing", root) is None
    assert resolve("#/$defs/a~1b/c~0d/9", root) is None


def test_properties_are_found_through_references_and_combinations():
    schema = {"$ref": "#/$defs/base", "allOf": [{"properties": {"b": {"type": "null"}}}], "properties": {"a": {"type": "integer"}}}
    root = {"$defs": {"base": {"properties": {"a": {"type": "string"}, "c": {}}}}}
    assert property_names(schema, root) == ("a", "c", "b")
    assert property_of(schema, "b", root) == {"type": "null"}
    assert types_of(property_of(schema, "a", root), root) == {STRING, INTEGER}
    assert property_of(schema, "d", root) is None


def test_properties_that_are_not_listed_may_have_a_schema():
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    assert property_names(schema, schema) is None
    assert property_of(schema, "any", schema) == {"type": "integer"}


def test_items():
    assert items_of({"items": {"type": "string"}}, {}) == {"type": "string"}
    assert items_of({"anyOf": [{"type": "null"}, {"items": {"type": "string"}}]}, {}) == {"type": "string"}
    assert items_of({"type": "array"}, {}) is None
