"""What must hold of every schema: no value that fits is refused; without a warning, no other is taken."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.schemas import near, schemas, values
from untemplate.emit.engine import read_back
from untemplate.emit.grammar import Grammar
from untemplate.emit.schema_grammar import json_schema_grammar
from untemplate.errors import SchemaError
from untemplate.lower.json_schema.document import Document
from untemplate.lower.json_schema.places import declared_order


def fits(schema: Any, value: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


def grammar_of(schema: Any) -> Grammar | None:
    try:
        return json_schema_grammar(schema)
    except SchemaError:
        return None


def in_declared_order(schema: Any, value: Any, root: Any) -> Any:
    """Return a value with the keys of its outermost object in the order of the schema."""
    document = Document(root)
    order = declared_order(document, (document.root,))
    if not isinstance(value, dict):
        return value
    return {key: value[key] for key in [*(key for key in order if key in value), *(key for key in value if key not in order)]}


@given(schemas().flatmap(lambda schema: st.tuples(st.just(schema), near(schema) | values())))
@example(({"type": "object", "required": ["a"], "minProperties": 2}, {"a": 1, "b": 2}))
@example(({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 1))
def test_a_grammar_takes_what_fits_and_says_so_where_it_takes_more(pair: tuple[Any, Any]) -> None:
    schema, value = pair
    made = grammar_of(schema)
    if made is None:
        assert not fits(schema, value), f"{value!r} fits, but there is no grammar"
        return
    engine = read_back(made.text)
    text = json.dumps(value, ensure_ascii=False)
    taken = engine.accepts(text) or engine.accepts(json.dumps(in_declared_order(schema, value, schema), ensure_ascii=False))
    if fits(schema, value):
        assume(not _nested_objects(value))
        assert taken, f"{value!r} fits and is refused by\n{made.text}"
    elif not made.warnings:
        assert not taken, f"{value!r} does not fit and is taken by\n{made.text}"


def _nested_objects(value: Any, depth: int = 0) -> bool:
    """Tell whether the order of keys deeper inside matters, which this test does not sort out."""
    if isinstance(value, dict):
        return (depth > 0 and len(value) > 1) or any(_nested_objects(one, depth + 1) for one in value.values())
    return isinstance(value, list) and any(_nested_objects(one, depth + 1) for one in value)
