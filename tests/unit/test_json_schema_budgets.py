"""Large schemas make grammars of a bounded size, in one pass, which engines still load."""

from __future__ import annotations

import re

from tests.grammars import keywords, sort_out, taken
from tests.steps import steps
from untemplate.emit.schema_grammar import json_schema_grammar
from untemplate.lower.json_schema.context import Budget

COUNT = re.compile(r"\{(\d+)(?:,(\d*))?\}")


def counts(text):
    return [int(number) for pair in COUNT.findall(re.sub(r'"(?:[^"\\]|\\.)*"', "", text)) for number in pair if number]


def test_a_count_above_a_thousand_is_nested_and_exact():
    grammar = sort_out(
        {"type": "string", "minLength": 1500, "maxLength": 4321}, ["a" * 1500, "a" * 4321, "é" * 2000], ["a" * 1499, "a" * 4322]
    )
    assert max(counts(grammar.text)) <= 1000
    assert len(grammar.text) < 1000


def test_a_count_past_the_budget_is_widened_and_said():
    grammar = json_schema_grammar({"type": "array", "minItems": 20_000, "maxItems": 30_000})
    assert keywords(grammar) == [("", "maxItems"), ("", "minItems")]


def test_the_budget_is_one_for_the_whole_grammar():
    budget = Budget(left=500)
    assert budget.allows(300)
    assert not budget.allows(300)
    assert budget.allows(200)


def test_two_thousand_values_are_written_by_their_beginnings():
    values = [f"value number {number}" for number in range(2000)]
    grammar = json_schema_grammar({"enum": values})
    assert len(grammar.text) < 40_000
    assert taken({"enum": values}, ["value number 7", "value number 1999", "value number 2000", "value number"]) == [
        "value number 7",
        "value number 1999",
    ]


def test_thirty_levels_are_no_problem():
    schema, value = {"type": "string"}, "x"
    for level in range(30):
        schema = {"type": "object", "properties": {f"k{level}": schema}, "required": [f"k{level}"], "additionalProperties": False}
        value = {f"k{level}": value}
    grammar = sort_out(schema, [value], [{"k29": {}}])
    assert len(grammar.text) < 3000


def test_size_is_linear_in_the_properties():
    sizes = [
        len(json_schema_grammar({"type": "object", "properties": {f"property {n}": {} for n in range(count)}}).text)
        for count in (50, 100, 200)
    ]
    assert sizes[2] - sizes[1] < 2.5 * (sizes[1] - sizes[0])


def test_equal_parts_are_one_rule():
    part = {"type": "object", "properties": {"x": {"type": "string", "maxLength": 40}}, "additionalProperties": False}
    text = json_schema_grammar({"type": "object", "properties": dict.fromkeys("abcdef", part), "additionalProperties": False}).text
    assert text.count("{0,40}") == 1


def test_the_same_schema_gives_the_same_bytes():
    schema = {"type": "object", "properties": {"a": {"pattern": "x|y"}, "b": {"anyOf": [{"type": "string"}, {"enum": [1, 2]}]}}}
    assert json_schema_grammar(schema) == json_schema_grammar(schema)


def many(count, keys=20):
    """Return a schema with ``count`` objects of different keys, whose values are of a few kinds."""
    kinds = [
        {"type": "integer", "minimum": -40, "maximum": 12_345},
        {"type": "string", "description": "x"},
        {"type": "array", "items": {"enum": ["red", "blue"]}},
        {"type": "number", "multipleOf": 0.01},
        {"anyOf": [{"type": "string", "pattern": "^[a-z]+-[0-9]{2,9}$"}, {"type": "null"}]},
    ]
    objects = [
        {
            "type": "object",
            "properties": {f"key-{number}-{key}": {**kinds[(number + key) % len(kinds)], "title": f"{number}"} for key in range(keys)},
            "required": [f"key-{number}-{key}" for key in range(4)],
            "additionalProperties": False,
        }
        for number in range(count)
    ]
    return {"type": "object", "properties": {f"tool{number}": one for number, one in enumerate(objects)}}


def test_work_is_linear_in_the_tools():
    json_schema_grammar(many(8))  # what is worked out once for good
    small, middle, large = (steps(lambda count=count: json_schema_grammar(many(count))) for count in (8, 16, 32))
    assert large - middle < 2.3 * (middle - small)


def test_what_equal_schemas_stand_for_is_worked_out_once_whatever_describes_them():
    json_schema_grammar(many(1))
    once, many_times = (steps(lambda count=count: json_schema_grammar(many(1, count))) for count in (5, 105))
    assert many_times - once < 100 * 450  # each kind takes thousands the first time


def test_schemas_that_python_takes_for_equal_stay_apart():
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": True}, "c": {"const": 1.5}, "d": {"const": "1"}}}
    sort_out(schema, [{"a": 1, "b": True, "c": 1.5, "d": "1"}], [{"a": True}, {"b": 1}, {"c": 1}, {"d": 1}])
