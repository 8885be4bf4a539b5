"""JSON values as data: equality as JSON Schema has it, and types."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

TYPES = frozenset({"null", "boolean", "number", "string", "array", "object"})
"""JSON's own types; ``integer`` is a kind of number."""


def type_of(value: Any) -> str:
    """Return which of ``TYPES`` a value is of."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case Mapping():
            return "object"
        case _:
            return "array"


def identity(value: Any) -> Hashable:
    """Return something equal for equal JSON values: ``1`` equals ``1.0`` and not ``true``; the order of keys does not count."""
    match type_of(value):
        case "number":
            return ("number", Fraction(value) if value == value and abs(value) != float("inf") else str(value))
        case "object":
            return ("object", frozenset((key, identity(member)) for key, member in value.items()))
        case "array":
            return ("array", tuple(identity(item) for item in value))
        case kind:
            return (kind, value)


def distinct(values: Iterable[Any]) -> list[Any]:
    """Return ``values`` without doubles, in order."""
    return list({identity(value): value for value in reversed(list(values))}.values())[::-1]


def exact(value: int | float) -> Fraction:
    """Return a finite number as it is written, not as it is stored."""
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def is_integer(value: Any) -> bool:
    """Tell whether a number has no fraction."""
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number, which ``true`` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) != float("inf")


def is_count(value: Any) -> bool:
    """Tell whether a value can count something."""
    return is_number(value) and value >= 0 and is_integer(value)
