"""Argument values of every JSON type, each under a key whose schema declares the type."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untemplate.turns.strings import HOSTILE, LIKE_JSON, PLAIN, WHITE

Schema = Mapping[str, Any]

_STRING: Schema = {"type": "string"}
_INTEGER: Schema = {"type": "integer"}
_NUMBER: Schema = {"type": "number"}
_BOOLEAN: Schema = {"type": "boolean"}
_NULL: Schema = {"type": "null"}


def _array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


INNER: Schema = _object(label=_STRING, size=_INTEGER, on=_BOOLEAN, ratio=_NUMBER, tags=_array(_STRING), none=_NULL)
"""Schema of an object of scalars."""
OUTER: Schema = _object(title=_STRING, inner=INNER, rows=_array(INNER), grid=_array(_array(_INTEGER)), extra=_object())
"""Schema of an object of objects and arrays."""

PROPERTIES: Mapping[str, Schema] = {
    "city": _STRING,
    "query": _STRING,
    "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
    "kebab-key": _STRING,
    "dotted.key": _STRING,
    "camelCase2": _STRING,
    "count": _INTEGER,
    "ratio": _NUMBER,
    "flag": _BOOLEAN,
    "nothing": _NULL,
    "limit": {"type": ["integer", "null"]},
    "options": INNER,
    "plan": OUTER,
    "words": _array(_STRING),
    "numbers": _array(_NUMBER),
    "grid": _array(_array(_INTEGER)),
    "rows": _array(INNER),
}
"""Schema of every argument that a made call may have."""

STRING_KEYS = ("city", "query", "kebab-key", "dotted.key", "camelCase2")


@dataclass(frozen=True, slots=True)
class Pool:
    """What random values are drawn from."""

    rng: random.Random
    strings: Sequence[str]

    def string(self) -> str:
        """Return one of the strings, or two of them in a row."""
        text = self.rng.choice(self.strings)
        return text if self.rng.random() < 0.8 else f"{text} {self.rng.choice(self.strings)}"

    def value(self, schema: Schema) -> Any:
        """Return a random value of ``schema``, empty ones included."""
        if "enum" in schema:
            return self.rng.choice(schema["enum"])
        kind = schema["type"] if isinstance(schema["type"], str) else self.rng.choice(schema["type"])
        return _MAKERS[kind](self, schema)


def _make_number(pool: Pool, _: Schema) -> float:
    return pool.rng.choice((0.5, -3.25, 1e-07, 123456.789, 2.0, 1e22))


def _make_array(pool: Pool, schema: Schema) -> list[Any]:
    return [pool.value(schema["items"]) for _ in range(pool.rng.choice((0, 1, 2, 3)))]


def _make_object(pool: Pool, schema: Schema) -> dict[str, Any]:
    properties = schema.get("properties", {})
    return {key: pool.value(item) for key, item in properties.items() if pool.rng.random() < 0.6}


_MAKERS: Mapping[str, Callable[[Pool, Schema], Any]] = {
    "string": lambda pool, _: pool.string(),
    "integer": lambda pool, _: pool.rng.choice((0, 1, -17, 42, 2**53 + 1)),
    "number": _make_number,
    "boolean": lambda pool, _: pool.rng.random() < 0.5,
    "null": lambda _pool, _schema: None,
    "array": _make_array,
    "object": _make_object,
}

_INNER_FULL = {"label": 'a "b" c', "size": 3, "on": False, "ratio": -0.5, "tags": ["x", "y z"], "none": None}

SAMPLES: Mapping[str, tuple[str, Sequence[Any]]] = {
    "string": ("city", PLAIN),
    "hostile string": ("query", HOSTILE),
    "string with white space": ("query", WHITE),
    "string that looks like JSON": ("query", LIKE_JSON),
    "enum": ("unit", ("celsius",)),
    "dashed key": ("kebab-key", ("Oslo", "10")),
    "dotted key": ("dotted.key", ("Oslo", "true")),
    "integer": ("count", (0, 7, -12, 2**53 + 1)),
    "number": ("ratio", (0.5, -3.25, 2.0, 1e-07, 1e22)),
    "boolean": ("flag", (True, False)),
    "null": ("nothing", (None,)),
    "nullable": ("limit", (None, 5)),
    "object": ("options", ({}, {"label": "x"}, {"label": "10", "size": 10}, _INNER_FULL)),
    "nested object": (
        "plan",
        (
            {"inner": {}},
            {"title": "t", "extra": {}},
            {"title": "it's", "inner": _INNER_FULL, "rows": [{"label": "a"}, {"size": 2}], "grid": [[1, 2], []], "extra": {}},
        ),
    ),
    "array": ("words", ([], ["one"], ["a b", "c, d", "10", "true"], ['say "hi"', "line\nbreak", "it's"])),
    "array of numbers": ("numbers", ([1.5, -2.0], [0.25])),
    "nested array": ("grid", ([[1, 2], [3]], [[]], [])),
    "array of objects": ("rows", ([{"label": "a", "size": 1}, {"on": True, "tags": []}], [_INNER_FULL], [{}])),
}
"""By kind of value: the key that declares its type, and the values to try."""
