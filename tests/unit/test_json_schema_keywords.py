"""One claim for each keyword: what its grammar takes, what it refuses, and what is said where it takes more."""

from __future__ import annotations

import pytest

from tests.grammars import keywords, sort_out, taken
from untemplate.emit.engine import read_back
from untemplate.emit.schema_grammar import json_schema_grammar

EXACT = [
    ("any value", True, [1, "a", None, {"b": [True]}, []], []),
    ("type", {"type": "string"}, ["a"], [1, None, [], {}]),
    ("types", {"type": ["integer", "null"]}, [1, None], ["a", 1.5]),
    ("integers", {"type": "integer"}, [0, -3, 12, 1.0, 1e20], [1.5, "1", 1e-7]),
    ("numbers", {"type": "number"}, [0, -3, 1.5, 1e-7, 1e20], ["1", True]),
    ("booleans", {"type": "boolean"}, [True, False], ["true", 1]),
    ("nullable", {"type": "string", "nullable": True}, ["a", None], [1]),
    ("nullable enum", {"type": "string", "enum": ["a"], "nullable": True}, ["a", None], ["b"]),
    ("names of types that people write", {"type": "dict"}, [{"a": 1}], [1]),
    ("const", {"const": 'a"\n'}, ['a"\n'], ["a"]),
    ("const object in any order", {"const": {"a": 1, "b": [None]}}, [{"a": 1, "b": [None]}, {"b": [None], "a": 1}], [{"a": 1}]),
    ("enum", {"enum": [1, "1", None, [2], {}]}, [1, 1.0, "1", None, [2], {}], [2, "2", [], {"a": 1}]),
    ("enum beside type", {"type": "string", "enum": ["a", 1]}, ["a"], [1]),
    ("minimum", {"type": "integer", "minimum": 7}, [7, 10, 123], [6, -7, 0]),
    ("maximum", {"type": "integer", "maximum": 12}, [12, 9, -100], [13, 20, 100]),
    ("a range of integers", {"type": "integer", "minimum": -12, "maximum": 345}, [-12, 0, 9, 345, 99], [-13, 346, 1000]),
    ("a range of numbers", {"type": "number", "minimum": -1.25, "maximum": 0.5}, [-1.25, -1, 0, 0.5, 0.49], [-1.26, 0.51, 1]),
    ("exclusive bounds", {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, [0.1, 0.999, 1e-7], [0, 1, -0.1]),
    ("exclusive bounds of draft 4", {"minimum": 0, "exclusiveMinimum": True, "type": "integer"}, [1], [0]),
    ("multiples", {"type": "integer", "multipleOf": 7}, [0, 7, -14, 700], [1, 8]),
    ("multiples of decimals", {"type": "number", "multipleOf": 0.01}, [1, 1.25, 0.5], [1.255]),
    ("multiples that have an exponent", {"type": "number", "multipleOf": 10}, [1e20, -3e17, 2.5e16, 20], [1e-7, 25]),
    ("multiples that are no doubles", {"type": "integer", "multipleOf": 7, "maximum": 100}, [98], [99, 1e20, 105]),
    ("bounds of numbers with an exponent", {"type": "number", "minimum": 1e-6, "maximum": 2.5e17}, [1e-6, 2.5e17, 1e17], [9e-7, 2.6e17, 0]),
    ("bounds of 64 bits", {"type": "integer", "maximum": 2**63 - 1}, [2**63 - 1, 9e18, -1e30], [2**63, 1e19]),
    ("multiples in a range", {"type": "integer", "multipleOf": 5, "minimum": 3, "maximum": 21}, [5, 20], [0, 25, 4]),
    ("lengths", {"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "abc", 'é"', "😀😀"], ["a", "abcd"]),
    ("a pattern without anchors", {"type": "string", "pattern": "b+"}, ["abc", "b"], ["ac", ""]),
    ("a pattern of what must be escaped", {"type": "string", "pattern": '^["\\\\\\n]+$'}, ['"\\\n'], ["a", ""]),
    ("anchors in alternatives", {"type": "string", "pattern": "^a|b$"}, ["ax", "xb"], ["xax"]),
    ("a pattern and lengths", {"type": "string", "pattern": "^a(b|cd)*$", "maxLength": 4}, ["a", "abcd", "abbb"], ["abbbb", "b"]),
    ("a length that a count takes in", {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3}, ["abc"], ["abcd", ""]),
    ("a look-ahead in the middle", {"type": "string", "pattern": "^[a-z](?!.*--)[a-z-]*$"}, ["a-b", "a"], ["a--b", "ab--", "-a"]),
    ("a look-ahead at the end", {"type": "string", "pattern": "foo(?=bar)"}, ["foobar", "foofoobar"], ["foo", "foofoo"]),
    ("look-aheads one after another", {"type": "string", "pattern": r"^a(?=\w{3}$)(?!.*\d)\w+$"}, ["abcd"], ["abc", "abc1", "abcde"]),
    ("a look-ahead in an alternative", {"type": "string", "pattern": "^x|^(?!y)z?"}, ["xa", "za", ""], ["ya"]),
    ("the largest double as a bound", {"type": "number", "maximum": 1.7976931348623157e308}, [1.7976931348623157e308, 1e308, -1e300], []),
    (
        "no integer in draft 4",
        {"$schema": "http://json-schema.org/draft-04/schema#", "not": {"type": "integer"}},
        [1e20, 1.5, "x"],
        [1, 100],
    ),
    ("date-time", {"type": "string", "format": "date-time"}, ["2024-02-29T10:00:00Z"], ["2023-02-29T10:00:00Z", "2024-01-01"]),
    ("date", {"type": "string", "format": "date"}, ["1999-12-31"], ["1999-13-01", "99-01-01"]),
    ("time", {"type": "string", "format": "time"}, ["10:00:00Z", "10:00:00.5+02:00"], ["25:00:00Z", "10:00"]),
    ("duration", {"type": "string", "format": "duration"}, ["P1Y2M", "PT5M", "P2W"], ["P", "1D"]),
    ("email", {"type": "string", "format": "email"}, ["a.b+c@x.org"], ["a", "a@b@c", "a..b@c.de"]),
    ("uuid", {"type": "string", "format": "uuid"}, ["12345678-1234-1234-1234-123456789abc"], ["12345678"]),
    ("ipv4", {"type": "string", "format": "ipv4"}, ["10.0.255.1"], ["10.0.256.1", "1.2.3"]),
    ("ipv6", {"type": "string", "format": "ipv6"}, ["::1", "2001:db8::8a2e:370:7334"], ["1::2::3", "12345::"]),
    ("hostname", {"type": "string", "format": "hostname"}, ["a-b.example"], ["-a", "a_b"]),
    ("uri", {"type": "string", "format": "uri"}, ["https://a.b/c?d#e", "urn:x:y"], ["a.b/c", "http://a b"]),
    ("uri-reference", {"type": "string", "format": "uri-reference"}, ["/a", "", "x://y"], ["a b"]),
    ("json-pointer", {"type": "string", "format": "json-pointer"}, ["", "/a~0b"], ["a", "/~2"]),
    ("items", {"type": "array", "items": {"type": "integer"}}, [[], [1, 2]], [["a"], [1, "a"]]),
    (
        "counts of items",
        {"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 2},
        [[None], [None, None]],
        [[], [None] * 3],
    ),
    ("no items", {"type": "array", "items": False}, [[]], [[1]]),
    (
        "prefixItems",
        {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}, "type": "array"},
        [[], [1], [1, "a"]],
        [["a"], [1, 2]],
    ),
    ("items of draft 4", {"items": [{"type": "integer"}], "additionalItems": False, "type": "array"}, [[], [1]], [["a"], [1, 2]]),
    ("minItems past a prefix", {"prefixItems": [True], "minItems": 2, "type": "array"}, [[1, 2]], [[], [1]]),
    ("contains", {"type": "array", "contains": {"const": 1}}, [[1], ["a", 1, None]], [[], ["a"]]),
    (
        "uniqueItems of a few values",
        {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True},
        [[], [2, 1], [3, 1, 2]],
        [[1, 1]],
    ),
    (
        "properties in their order",
        {"properties": {"a": {"type": "integer"}, "b": {}}, "type": "object"},
        [{}, {"b": 1}, {"a": 1, "b": 2, "c": 3}],
        [{"a": "x"}],
    ),
    ("required", {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}, [{"b": 1}, {"a": 1, "b": 2}], [{}, {"a": 1}]),
    ("required but not declared", {"type": "object", "required": ["x", "y"]}, [{"x": 1, "y": 2}, {"y": 1, "z": 0, "x": 2}], [{"x": 1}]),
    (
        "no additional properties",
        {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        [{}, {"a": 1}],
        [{"b": 1}, {"aa": 1}],
    ),
    (
        "typed additional properties",
        {"properties": {"ab": {}}, "additionalProperties": {"type": "null"}, "type": "object"},
        [{"ab": 1, "a": None, "abc": None}],
        [{"a": 1}, {"abc": 1}],
    ),
    (
        "an undeclared key is none that is declared",
        {"properties": {"ab": {"type": "integer"}}, "type": "object"},
        [{"ab": 1}, {"a": "x"}, {"": 1}],
        [{"ab": "x"}],
    ),
    (
        "patternProperties",
        {"type": "object", "patternProperties": {"^n_": {"type": "integer"}}, "additionalProperties": False},
        [{"n_a": 1}],
        [{"n_a": "x"}, {"m": 1}],
    ),
    (
        "a key of two patterns",
        {"type": "object", "patternProperties": {"^a": {"type": "integer"}, "b$": {"minimum": 5}}},
        [{"ab": 6}, {"a": 1}, {"b": 7}],
        [{"ab": 1}, {"b": 1}],
    ),
    (
        "a declared key of a pattern",
        {"type": "object", "properties": {"ab": {"type": "integer"}}, "patternProperties": {"^a": {"minimum": 5}}},
        [{"ab": 5}],
        [{"ab": 4}],
    ),
    ("propertyNames", {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}, [{"ab": 1}, {}], [{"A": 1}]),
    ("propertyNames as a list", {"type": "object", "propertyNames": {"enum": ["a", "b"]}}, [{"a": 1}], [{"c": 1}]),
    (
        "counts of properties",
        {"type": "object", "minProperties": 1, "maxProperties": 2},
        [{"a": 1}, {"a": 1, "b": 2}],
        [{}, {"a": 1, "b": 2, "c": 3}],
    ),
    (
        "counts of declared properties",
        {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}, "additionalProperties": False, "minProperties": 2},
        [{"a": 1, "c": 1}],
        [{"a": 1}, {}],
    ),
    (
        "dependentRequired",
        {"type": "object", "properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]}},
        [{}, {"b": 1}, {"a": 1, "b": 1}],
        [{"a": 1}],
    ),
    ("dependencies of draft 4", {"type": "object", "dependencies": {"a": {"required": ["b"]}}}, [{"a": 1, "b": 1}, {"c": 1}], [{"a": 1}]),
    (
        "unevaluatedProperties",
        {"type": "object", "allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False},
        [{"a": 1}],
        [{"b": 1}],
    ),
]


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"not": {"const": 100}}, "1e2"),
        ({"oneOf": [{"multipleOf": 0.5}, {}]}, "-2E+1"),
        ({"not": {"const": 1e20}}, "1.0e+20"),
        ({"type": "integer"}, "1E30743894"),
        ({"type": "number"}, "1e309"),
        ({"pattern": r"^\S$"}, '"\\u3000"'),
        ({"pattern": "^[^é]$"}, '"\\u00E9"'),
        ({"properties": {"é": {"type": "null"}}}, '{"\\u00e9": 1}'),
        ({"not": {"const": "é"}}, '"\\u00e9"'),
    ],
)
def test_what_does_not_fit_is_refused_however_it_is_written(schema, text):
    assert not read_back(json_schema_grammar(schema).text).accepts(text)


@pytest.mark.parametrize("text", ["1.7976931348623157e+308", "5e-324", "1e5", "1E-05", "12.5e3", "-0.0", "1e307"])
def test_numbers_are_taken_as_programs_write_them(text):
    assert read_back(json_schema_grammar({"type": "number"}).text).accepts(text)


def test_escapes_past_ascii_are_exactly_those_of_the_characters():
    engine = read_back(json_schema_grammar({"type": "string", "pattern": r"^[^\u00e9\u2028]$"}).text)
    assert all(map(engine.accepts, ['"\\u00e8"', '"\\u00EA"', '"\\u2027"', '"\\uffff"', '"\\ud83d\\ude00"', '"è"']))
    assert not any(map(engine.accepts, ['"\\u00e9"', '"\\u2028"', '"\\ud83d"', '"\\udc00"', '"é"']))


def test_required_keys_without_a_place_stand_anywhere_among_undeclared_ones_even_where_members_are_counted():
    schema = {"type": "object", "properties": {"a": {}}, "required": ["x", "y"], "maxProperties": 4, "minProperties": 3}
    good = [{"a": 1, "x": 1, "y": 1}, {"z": 1, "y": 1, "x": 1}, {"y": 1, "z": 1, "w": 1, "x": 1}]
    bad = [{"x": 1, "y": 1}, {"x": 1, "z": 1, "w": 1}, {"z": 1, "w": 1, "v": 1, "x": 1, "y": 1}]
    assert sort_out(schema, good, bad).warnings == ()


@pytest.mark.parametrize(("schema", "good", "bad"), [case[1:] for case in EXACT], ids=[case[0] for case in EXACT])
def test_a_keyword_is_exact(schema, good, bad):
    assert sort_out(schema, good, bad).warnings == ()


WIDENED = [
    ("uniqueItems", {"type": "array", "uniqueItems": True}, [[1, 2]], ("", "uniqueItems")),
    ("a back-reference", {"properties": {"a": {"pattern": "^(x|y)\\1$"}}}, [{"a": "xx"}], ("/properties/a", "pattern")),
    ("a look-around in a group", {"pattern": "(a(?=b)|c)b"}, ["ab"], ("", "pattern")),
    ("a pattern that is none", {"pattern": "("}, ["x"], ("", "pattern")),
    ("a format of somebody's own", {"format": "colour"}, ["x"], ("", "format")),
    ("contains with bounds", {"type": "array", "contains": {"const": 1}, "minItems": 3}, [[1, 2, 3]], ("", "contains")),
    ("a keyword with a value that it does not take", {"minLength": "3", "type": "string"}, ["x"], ("", "minLength")),
    ("required as draft 3 had it", {"properties": {"a": {"required": True}}}, [{}], ("/properties/a", "required")),
    ("properties that are no schemas", {"properties": {"a": "string"}}, [{"a": 1}], ("/properties/a", "properties")),
    ("a length past the budget", {"type": "string", "maxLength": 100_000}, ["x" * 500], ("", "maxLength")),
    ("a keyword that the draft does not have", {"$schema": "http://json-schema.org/draft-04/schema#", "const": 1}, [2], ("", "const")),
]


@pytest.mark.parametrize(("schema", "good", "said"), [case[1:] for case in WIDENED], ids=[case[0] for case in WIDENED])
def test_what_is_not_expressed_is_taken_and_said_with_path_and_keyword(schema, good, said):
    grammar = sort_out(schema, good, [])
    assert keywords(grammar) == [said]
    assert all(warning.code.startswith("W4") and warning.message for warning in grammar.warnings)


def test_bounds_of_contains_are_said_by_their_own_names():
    grammar = sort_out({"type": "array", "contains": {"const": 1}, "minContains": 2, "maxContains": 3}, [[1, 1]], [])
    assert keywords(grammar) == [("", "contains"), ("", "minContains"), ("", "maxContains")]


def test_undeclared_keys_come_last_and_declared_ones_in_order_unless_any_order_is_asked_for():
    schema = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}
    values = [{"a": 1, "b": 2, "c": 3}, {"b": 2, "a": 1}, {"c": 3, "a": 1, "b": 2}]
    assert taken(schema, values) == values[:1]
    assert taken(schema, [*values, {"a": 1}, {"b": 1, "c": 2}], any_order=True) == values


def test_any_order_past_six_required_members_is_said():
    schema = {"type": "object", "properties": {key: {} for key in "abcdefg"}, "required": list("abcdefg")}
    grammar = sort_out(schema, [dict.fromkeys("gfedcba", 1)], [{"a": 1}], any_order=True)
    assert ("", "required") in keywords(grammar)


def test_white_space_between_tokens_may_be_compact_or_indented():
    engine = read_back(json_schema_grammar({"type": "object", "properties": {"a": {"type": "array"}}}).text)
    assert all(map(engine.accepts, ['{"a":[1,2]}', '{ "a": [1, 2] }', '{\n  "a": [\n    1\n  ]\n}']))
    assert not engine.accepts('{"a" : 1}')
