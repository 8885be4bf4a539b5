"""What the package ``jsonschema`` says of a value, the ways to write the value, and what explains that it does not fit."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from urllib.parse import unquote

import jsonschema
from jsonschema import validators

from tests.schema_cases import FORMATS, PATTERNS

_CACHE: dict[type, type] = {}


class UncertainError(Exception):
    """A value of which the cases do not say whether it fits."""


def _pattern(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(value, str) and not re.search(PATTERNS.get(pattern, pattern), value, re.ASCII):
        yield jsonschema.ValidationError(f"{value!r} does not match")


def _format(_validator: Any, name: str, value: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(value, str):
        good, bad = FORMATS[name]
        if value in bad:
            yield jsonschema.ValidationError(f"{value!r} is no {name}")
        elif value not in good:
            raise UncertainError


def _multiple(_validator: Any, step: Any, value: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(value, float) and abs(value) >= 1e16 and step in (3, 7):
        raise UncertainError  # validators that count in doubles do not agree
    if isinstance(value, int | float) and not isinstance(value, bool) and (Fraction(str(value)) / Fraction(str(step))).denominator != 1:
        yield jsonschema.ValidationError(f"{value!r} is no multiple")


def validator(schema: Any) -> Any:
    """Return a validator of the draft that a schema names."""
    kind = validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    if kind not in _CACHE:
        words = {"pattern": _pattern, "format": _format, "multipleOf": _multiple}
        if kind is jsonschema.Draft201909Validator:  # its own overlooks what `additionalProperties` evaluated where that is a schema
            words["unevaluatedProperties"] = jsonschema.Draft202012Validator.VALIDATORS["unevaluatedProperties"]
        _CACHE[kind] = validators.extend(kind, words)
    return _CACHE[kind](schema)


def fits(schema: Any, value: Any) -> bool | None:
    """Tell whether a value fits; ``None`` where that cannot be told."""
    try:
        return bool(validator(schema).is_valid(value))
    except (UncertainError, RecursionError, TypeError):  # the package trips over ``items: false`` beside ``unevaluatedItems``
        return None


def blamed(schema: Any, value: Any) -> set[str]:
    """Return the keywords on the way to what does not fit, with those inside of what is a condition as a whole."""
    found: set[str] = set()
    try:
        todo = list(validator(schema).iter_errors(value))
    except (UncertainError, RecursionError, TypeError):
        return set(_words(schema))
    while todo:
        error = todo.pop()
        found.update(step for step in error.absolute_schema_path if isinstance(step, str))
        todo += error.context or ()
        if error.validator in ("not", "oneOf", "if", "contains", "unevaluatedProperties", "unevaluatedItems", "dependentSchemas"):
            found.update(_words(error.schema))
    if {"if", "then", "else"} & found:
        found.update(_words(schema))
    return found | (set(_words(schema)) if "$ref" in found else set())


def _words(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from _words(value)
    elif isinstance(schema, list):
        for one in schema:
            yield from _words(one)


def in_schema_order(schema: Any, value: Any) -> Any:
    """Return a value with declared keys in the order of their declaration, others last."""
    return _ordered(value, _at_place(schema, schema), schema)


def _ordered(value: Any, schemas: list[dict[str, Any]], root: Any) -> Any:
    if isinstance(value, list):
        return [_ordered(item, _inside(schemas, root, index), root) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    declared: dict[str, list[dict[str, Any]]] = {}
    for schema in schemas:
        for key, one in schema.get("properties", {}).items():
            declared.setdefault(key, []).extend(_at_place(one, root))
    extra = [found for schema in schemas for found in _at_place(schema.get("additionalProperties"), root)]
    extra += [found for schema in schemas for one in schema.get("patternProperties", {}).values() for found in _at_place(one, root)]
    keys = [*(key for key in declared if key in value), *(key for key in value if key not in declared)]
    return {key: _ordered(value[key], declared.get(key, extra), root) for key in keys}


def _inside(schemas: list[dict[str, Any]], root: Any, index: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for schema in schemas:
        first = schema.get("prefixItems", schema.get("items") if isinstance(schema.get("items"), list) else [])
        rest = schema.get("additionalItems") if isinstance(schema.get("items"), list) else schema.get("items")
        found += _at_place(first[index] if index < len(first) else rest, root) + _at_place(schema.get("contains"), root)
    return found


def _at_place(schema: Any, root: Any, depth: int = 0) -> list[dict[str, Any]]:
    """Return the schemas that speak of the same value."""
    if not isinstance(schema, dict) or depth > 12:
        return []
    found = [schema]
    if isinstance(schema.get("$ref"), str):
        target = root
        for step in schema["$ref"].split("/")[1:]:
            target = target.get(unquote(step).replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
        found += _at_place(target, root, depth + 1)
    for keyword in ("allOf", "anyOf", "oneOf"):
        found += [one for part in schema.get(keyword, ()) for one in _at_place(part, root, depth + 1)]
    for keyword in ("if", "then", "else"):
        found += _at_place(schema.get(keyword), root, depth + 1)
    return found


def common_texts(value: Any) -> list[str]:
    """Return how programs write a value: on one line, without spaces, over several lines, in ASCII."""
    return [
        json.dumps(value, ensure_ascii=False),
        json.dumps(value, separators=(",", ":"), ensure_ascii=False),
        json.dumps(value, indent=2, ensure_ascii=False),
        json.dumps(value),
    ]


def odd_text(value: Any, seed: int) -> str:
    """Return a value written as nobody would: exponents, escapes that are not needed, odd spaces."""
    return _odd(value, random.Random(seed))


def _odd(value: Any, chance: random.Random) -> str:
    space = chance.choice(("", " ", "\n", "\n  "))
    match value:
        case bool() | None:
            return json.dumps(value)
        case int() | float():
            return _odd_number(value, chance)
        case str():
            return _odd_string(value, chance)
        case list():
            return "[" + space + f",{space}".join(_odd(item, chance) for item in value) + space + "]"
        case _:
            members = (f"{_odd_string(key, chance)}:{space}{_odd(one, chance)}" for key, one in value.items())
            return "{" + space + f",{space}".join(members) + space + "}"


def _odd_number(value: float, chance: random.Random) -> str:
    forms = [json.dumps(value)]
    if abs(value) < 1e15:
        exact = Fraction(str(value))
        for power in (-2, -1, 1, 2, 3):
            shifted = exact / Fraction(10) ** power
            digits = str(int(shifted)) if shifted.denominator == 1 else str(float(shifted))
            if "e" not in digits and Fraction(digits) == shifted:
                forms += [f"{digits}e{power}", f"{digits}E{power:+d}", f"{digits}e{power:+03d}"]
        if isinstance(value, int) or value.is_integer():
            forms += [f"{int(value)}.0", f"{int(value)}.000", f"{int(value)}e0", f"{int(value)}E+00"]
        else:
            forms += [f"{json.dumps(value)}0"] if "e" not in json.dumps(value) else []
        if value == 0:
            forms += ["-0", "-0.0", "0e5", "0.0e-3"]
    return chance.choice(forms)


def _odd_string(text: str, chance: random.Random) -> str:
    return '"' + "".join(_odd_character(character, chance) for character in text) + '"'


def _odd_character(character: str, chance: random.Random) -> str:
    forms = [json.dumps(character, ensure_ascii=False)[1:-1], json.dumps(character)[1:-1]]
    if ord(character) < 0x10000:
        forms += [f"\\u{ord(character):04x}", f"\\u{ord(character):04X}"]
    if character == "/":
        forms.append("\\/")
    return chance.choice(forms)
