"""Schemas as strangers write them, of all drafts, against ``jsonschema``: nothing valid refused, nothing invalid taken in silence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.schema_cases import Near, SchemaMaker
from tests.schema_truth import blamed, common_texts, fits, in_schema_order, odd_text
from untemplate.emit.engine import Engine, read_back
from untemplate.emit.schema_grammar import json_schema_grammar
from untemplate.errors import SchemaError

VALUES = 12
BLOCK = 30
"""Seeds in one test, so that a failure is near its seed."""


def faults(seed: int) -> list[str]:
    """Return what is wrong with the grammar of one schema; the seed makes the schema and the values."""
    maker = SchemaMaker(seed)
    schema = maker.root()
    values = list(Near(seed + 1, schema, maker).values(VALUES))
    try:
        grammar = json_schema_grammar(schema)
    except SchemaError as problem:
        return [f"{value!r} fits, but {problem}: {schema}" for value in values if fits(schema, value)]
    engine = read_back(grammar.text)
    said = {warning.keyword for warning in grammar.warnings}
    found: list[str] = []
    for number, value in enumerate(values):
        verdict = fits(schema, value)
        if verdict is True and (text := refused_text(engine, schema, value)) is not None:
            found.append(f"{text} fits and is refused: {schema}")
        if verdict is False and (text := taken_text(engine, schema, value, number)) is not None and not said & blamed(schema, value):
            found.append(f"{text} does not fit and is taken; warned of: {said}: {schema}")
    return found


def refused_text(engine: Engine, schema: Any, value: Any) -> str | None:
    """Return a common way to write a value that fits which the grammar does not take, keys in any order that it might ask for."""
    letters = r"\p" in json.dumps(schema, ensure_ascii=False)  # sets of hundreds of ranges: their letters are only written raw
    for text, ordered in zip(common_texts(value), common_texts(in_schema_order(schema, value)), strict=True):
        if not engine.accepts(text) and not engine.accepts(ordered) and not (letters and r"\u" in ordered):
            return ordered
    return None


def taken_text(engine: Engine, schema: Any, value: Any, seed: int) -> str | None:
    """Return a way to write a value that does not fit which the grammar takes, odd ways among them.

    For the drafts to which an exponent makes an integer none, another way to write a value may fit.
    """
    ordered = in_schema_order(schema, value)
    texts = [
        common_texts(value)[0],
        common_texts(ordered)[0],
        *(odd_text(one, seed + turn) for one in (value, ordered) for turn in range(3)),
    ]
    return next((text for text in texts if engine.accepts(text) and fits(schema, json.loads(text)) is not True), None)


@pytest.mark.parametrize("block", range(4))
def test_schemas_of_strangers_are_held_to(block: int) -> None:
    check(range(block * BLOCK, (block + 1) * BLOCK))


@pytest.mark.deep
@pytest.mark.parametrize("start", range(4 * BLOCK, 5000, 488))
def test_thousands_of_schemas_of_strangers_are_held_to(start: int) -> None:
    check(range(start, start + 488))


def check(seeds: range) -> None:
    found = [f"seed {seed}: {fault}" for seed in seeds for fault in faults(seed)]
    assert not found, "\n".join(found)
