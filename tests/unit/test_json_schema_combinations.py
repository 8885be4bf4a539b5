"""How schemas hold together: allOf, anyOf, oneOf, not, if; references and recursion; what has no grammar."""

from __future__ import annotations

import pytest

from tests.grammars import keywords, sort_out, taken
from untemplate.emit.schema_grammar import json_schema_grammar
from untemplate.errors import SchemaError

NODE = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {"v": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
            "required": ["v"],
            "additionalProperties": False,
        }
    },
}
EXACT = [
    (
        "allOf merges objects",
        {
            "allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}],
            "type": "object",
        },
        [{"a": 1, "b": 2}],
        [{"a": 1}, {"a": "x", "b": 1}],
    ),
    (
        "allOf closes what another opens",
        {"type": "object", "allOf": [{"properties": {"a": {}}, "additionalProperties": False}, {"properties": {"b": {}}}]},
        [{"a": 1}],
        [{"b": 1}],
    ),
    ("allOf of two patterns", {"type": "string", "allOf": [{"pattern": "a"}, {"pattern": "b"}]}, ["ab", "bxa"], ["a", "b"]),
    ("allOf of ranges", {"type": "integer", "allOf": [{"minimum": 3}, {"maximum": 5}, {"minimum": 4}]}, [4, 5], [3, 6]),
    (
        "anyOf beside the parent's own keywords",
        {"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        [{"a": 1}, {"b": 1}, {"a": 1, "b": 1}],
        [{}],
    ),
    ("anyOf of types", {"anyOf": [{"type": "string"}, {"type": "array"}]}, ["a", []], [1]),
    (
        "branches that declare keys in different orders",
        {
            "anyOf": [
                {"properties": {"a": {"const": 1}, "b": {}}, "required": ["a"]},
                {"properties": {"b": {}, "a": {"const": 2}}, "required": ["a"]},
            ],
            "type": "object",
        },
        [{"a": 2, "b": 1}],
        [{"a": 3, "b": 1}],
    ),
    (
        "oneOf of required members is exclusive",
        {"type": "object", "properties": {"a": {}, "b": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        [{"a": 1}, {"b": 1}],
        [{}, {"a": 1, "b": 1}],
    ),
    ("oneOf of overlapping numbers", {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}, [1, 2.5], [3, 1.5]),
    ("oneOf of multiples", {"oneOf": [{"type": "integer", "multipleOf": 3}, {"type": "integer", "multipleOf": 5}]}, [3, 10], [15, 1]),
    ("oneOf of patterns", {"type": "string", "oneOf": [{"pattern": "^a"}, {"pattern": "b$"}]}, ["ax", "xb"], ["ab", "x"]),
    (
        "oneOf with a discriminator",
        {
            "oneOf": [
                {"properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k"]},
                {"properties": {"k": {"const": "b"}, "x": {"type": "string"}}, "required": ["k"]},
            ],
            "type": "object",
        },
        [{"k": "a", "x": 1}, {"k": "b", "x": "y"}],
        [{"k": "a", "x": "y"}],
    ),
    ("not a type", {"not": {"type": ["string", "object"]}}, [1, None, []], ["a", {}]),
    ("not an integer", {"type": "number", "not": {"type": "integer"}}, [0.5], [1, 1.0]),
    ("not a value", {"type": "string", "not": {"enum": ["a", "b"]}}, ["", "c", "ab"], ["a", "b"]),
    ("not a pattern", {"type": "string", "not": {"pattern": "^x"}}, ["", "ax"], ["xa"]),
    ("not required", {"type": "object", "not": {"required": ["a"]}}, [{}, {"b": 1}], [{"a": 1}]),
    ("not several", {"type": "integer", "not": {"anyOf": [{"minimum": 5}, {"const": 2}]}}, [1, 4], [2, 5]),
    ("not not", {"not": {"not": {"type": "null"}}}, [None], [1]),
    (
        "if, then and else",
        {
            "type": "object",
            "properties": {"k": {"enum": ["a", "b"]}},
            "required": ["k"],
            "if": {"properties": {"k": {"const": "a"}}},
            "then": {"required": ["x"]},
            "else": {"required": ["y"]},
        },
        [{"k": "a", "x": 1}, {"k": "b", "y": 1}],
        [{"k": "a", "y": 1}, {"k": "b", "x": 1}],
    ),
    ("if without else", {"if": {"type": "string"}, "then": {"maxLength": 1}}, ["a", 12], ["ab"]),
    ("recursion", NODE, [{"v": 1}, {"v": 1, "next": {"v": 2, "next": None}}], [{"next": None}, {"v": 1, "next": {"v": "x"}}]),
    ("recursion with a way out", {"type": "array", "items": {"$ref": "#"}}, [[], [[[]], []]], [1, [1]]),
    ("a reference beside keywords", {"$ref": "#/$defs/s", "maxLength": 2, "$defs": {"s": {"type": "string"}}}, ["ab"], ["abc", 1]),
    (
        "a reference beside keywords in draft 7",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"a": {"$ref": "#/definitions/s", "maxLength": 2}},
            "definitions": {"s": {"type": "string"}},
        },
        [{"a": "abc"}],
        [{"a": 1}],
    ),
    (
        "an escaped pointer",
        {"properties": {"a": {"$ref": "#/definitions/x~1y~0z%25"}}, "definitions": {"x/y~z%": {"type": "integer"}}},
        [{"a": 1}],
        [{"a": "x"}],
    ),
    ("the opposite of oneOf", {"not": {"oneOf": [{"type": "integer"}, {"minimum": 3}]}}, [4, 1.5], [1, 3.5, "x"]),
    (
        "the opposite of if",
        {"not": {"if": {"type": "integer"}, "then": {"minimum": 3}, "else": {"type": "string"}}},
        [1, 1.5, None],
        [3, "x"],
    ),
    (
        "the opposite of items one by one",
        {"not": {"prefixItems": [{"type": "integer"}, {"const": 1}]}},
        [["x"], [1, 2]],
        [[], [1], [1, 1], 1],
    ),
    ("the opposite of a dependency", {"not": {"dependentSchemas": {"a": {"required": ["b"]}}}}, [{"a": 1}], [{}, {"a": 1, "b": 2}, 1]),
    (
        "the opposite of items in draft 4",
        {"$schema": "http://json-schema.org/draft-04/schema#", "not": {"items": {"type": "integer"}}},
        [["x"], [1, None]],
        [[], [1], 1],
    ),
    (
        "listed values that other keywords rule out",
        {
            "enum": [[1], ["x"], {"a": 1}, {"b": 1}, {"ab": "x"}],
            "contains": {"type": "integer"},
            "patternProperties": {"^a": {"minimum": 1}},
        }
        | {"propertyNames": {"maxLength": 1}, "dependencies": {"b": ["c"]}},
        [[1], {"a": 1}],
        [["x"], {"b": 1}, {"ab": "x"}],
    ),
    (
        "keys inside of branches in the order of all branches",
        {
            "oneOf": [
                {"properties": {"k": {"const": 1}, "v": {"properties": {"a": {}, "b": {}}}}},
                {"properties": {"k": {"const": 2}, "v": {"properties": {"b": {"type": "null"}, "a": {}}}}},
            ],
            "type": "object",
            "required": ["k"],
        },
        [{"k": 1, "v": {"a": 1, "b": 1}}, {"k": 2, "v": {"a": 1, "b": None}}],
        [{"k": 2, "v": {"a": 1, "b": 1}}],
    ),
    ("an alternative that is another's value", {"oneOf": [{"enum": [{}, []]}, {}]}, [{"a": 1}, [1], 1], [{}, []]),
    (
        "a pointer into a list",
        {"properties": {"a": {"$ref": "#/x-parts/1"}}, "x-parts": [True, {"type": "integer"}]},
        [{"a": 1}],
        [{"a": "x"}],
    ),
    ("an anchor", {"$ref": "#here", "$defs": {"x": {"$anchor": "here", "type": "integer"}}}, [1], ["x"]),
    (
        "an id",
        {
            "$id": "http://x.org/root.json",
            "properties": {"a": {"$ref": "item.json"}},
            "$defs": {"i": {"$id": "item.json", "type": "integer"}},
        },
        [{"a": 1}],
        [{"a": "x"}],
    ),
    (
        "a pointer inside an embedded id",
        {
            "$id": "http://x.org/r",
            "$ref": "#/$defs/i",
            "$defs": {"i": {"$id": "http://x.org/i", "$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}},
        },
        [1],
        ["x"],
    ),
    (
        "references that lead in a circle",
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        [1, "x"],
        [],
    ),
]


@pytest.mark.parametrize(("schema", "good", "bad"), [case[1:] for case in EXACT], ids=[case[0] for case in EXACT])
def test_schemas_hold_together(schema, good, bad):
    assert sort_out(schema, good, bad).warnings == ()


def test_a_choice_that_cannot_be_told_apart_is_taken_as_any_and_said():
    schema = {"oneOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "array", "uniqueItems": True}]}
    grammar = sort_out(schema, [[1, 1]], [1])
    assert ("", "oneOf") in keywords(grammar)


def test_the_opposite_of_what_cannot_be_told_is_said():
    assert keywords(json_schema_grammar({"type": "string", "not": {"format": "uri"}})) == [("/not", "format")]
    assert keywords(json_schema_grammar({"not": {"enum": [[1]]}})) == [("/not", "enum")]


def test_too_many_combinations_are_widened_not_written_out():
    schema = {"type": "object", "allOf": [{"anyOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(12)]}
    grammar = json_schema_grammar(schema)
    assert len(grammar.text) < 300_000
    assert any(keyword == "anyOf" for _, keyword in keywords(grammar))


FAULTY = [
    ({"$ref": "#/nope"}, "E411", "", "$ref"),
    ({"properties": {"a": {"$ref": "http://elsewhere.org/x.json"}}}, "E411", "/properties/a", "$ref"),
    (False, "E412", "", "type"),
    ({"type": "string", "enum": [1]}, "E412", "", "enum"),
    (
        {"properties": {"a": {"minimum": 2, "maximum": 1, "type": "number"}}, "required": ["a"], "type": "object"},
        "E412",
        "/properties/a",
        "minimum",
    ),
    ({"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]}, "E412", "", "$ref"),
    (None, "E410", "", "$schema"),
    ([{"type": "string"}], "E410", "", "$schema"),
]


@pytest.mark.parametrize(("schema", "code", "pointer", "keyword"), FAULTY)
def test_what_has_no_grammar_is_an_error_that_names_pointer_and_keyword(schema, code, pointer, keyword):
    with pytest.raises(SchemaError) as caught:
        json_schema_grammar(schema)
    assert (caught.value.code, caught.value.pointer, caught.value.keyword) == (code, pointer, keyword)
    assert caught.value.message


def test_nesting_without_measure_is_an_error_and_no_traceback_of_ours():
    schema = {"type": "string"}
    for _ in range(200):
        schema = {"type": "array", "items": schema}
    with pytest.raises(SchemaError) as caught:
        json_schema_grammar(schema)
    assert caught.value.code == "E413"


def test_a_branch_without_an_end_is_left_out():
    schema = {
        "type": "object",
        "properties": {"a": {}, "n": {"$ref": "#/$defs/n"}},
        "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}, "minItems": 1}},
    }
    text = json_schema_grammar(schema).text
    assert '"\\"n\\":"' not in text


def test_a_property_that_nothing_fits_may_be_left_out():
    schema = {"type": "object", "properties": {"a": False, "b": {}}}
    assert taken(schema, [{"b": 1}, {"a": 1}, {}]) == [{"b": 1}, {}]


def test_a_dynamic_reference_leads_to_the_anchor_of_the_root_and_past_several_others_to_anything():
    tree = {
        "$id": "https://x.org/tree",
        "$dynamicAnchor": "node",
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
    }
    strict = {"$id": "https://x.org/strict", "$dynamicAnchor": "node", "$ref": "tree", "unevaluatedProperties": False, "$defs": {"t": tree}}
    sort_out(strict, [{"children": [{"children": []}]}], [{"child": 1}, {"children": [{"child": 1}]}])
    several = {"$defs": {"t": tree, "s": {**strict, "$defs": {}}}, "properties": {"a": {"$ref": "https://x.org/tree"}}}
    grammar = sort_out(several, [{"a": {"children": [{"child": 1}]}}], [{"a": {"children": 1}}])
    assert ("/$defs/t/properties/children/items", "$dynamicRef") in keywords(grammar)


DRAFT_3 = "http://json-schema.org/draft-03/schema#"


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"disallow": ["string", {"properties": {"a": {"required": True}}}]}, [{}], ["x", {"a": 1}]),
        ({"extends": {"properties": {"a": {"type": "integer"}}}}, [{"a": 1}, {}], [{"a": "x"}]),
        ({"type": ["string", {"type": "object", "properties": {"a": {"required": True}}}]}, ["x", {"a": 1}], [1, {}]),
        ({"divisibleBy": 3, "type": "number"}, [3, 0], [4]),
    ],
)
def test_draft_3_is_read_where_it_is_named(schema, good, bad):
    assert sort_out({"$schema": DRAFT_3, **schema}, good, bad).warnings == ()


def test_a_format_and_a_pattern_that_says_less_are_one():
    assert sort_out({"format": "hostname", "pattern": "^[^/]*$"}, ["a.de", 1], ["a..b", "/"]).warnings == ()


def test_what_is_left_out_where_conditions_are_too_large_together_is_named():
    grammar = sort_out({"type": "string", "pattern": "x", "format": "hostname"}, ["x.de"], ["a.de"])
    assert keywords(grammar) == [("", "format")]
    grammar = sort_out({"type": "object", "propertyNames": {"format": "email"}}, [{"a@b.de": 1}], [1])
    assert keywords(grammar) == [("", "propertyNames")]


def test_a_keyword_that_listed_values_cannot_be_held_to_is_named():
    grammar = sort_out({"enum": [{"a": 1}, 1], "unevaluatedProperties": False}, [{"a": 1}, 1], [2])
    assert ("", "unevaluatedProperties") in keywords(grammar)
    assert sort_out({"enum": ["a"], "format": "password"}, ["a"], ["b"]).warnings == ()
