"""The opposite of a schema, as a choice between schemas, keyword by keyword."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from untemplate.lower.json_schema.document import Part, Wrapped, child
from untemplate.lower.json_schema.gather import Branch
from untemplate.lower.json_schema.keywords import ALIASES, EXCLUDED, FRACTION, MISSED, UNWANTED, union_types
from untemplate.lower.json_schema.values import TYPES, is_count, is_number

Alternatives = list[tuple[Part, ...]]

_TYPED = {
    "patternProperties": "object",
    "additionalProperties": "object",
    "propertyNames": "object",
    "unevaluatedProperties": "object",
    "additionalItems": "array",
    "uniqueItems": "array",
    "unevaluatedItems": "array",
    "format": "string",
}
"""Keywords whose opposite cannot be told, but which only values of one type can break."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_MOST_PAIRED = 5
"""Alternatives of a ``oneOf`` of which two may fit: each pair is a way not to fit."""


def negation(branch: Branch, part: Part) -> Alternatives:
    """Return schemas of which a value fits one when it does not fit ``part``; more may fit, and that is reported."""
    schema = part.schema
    if isinstance(schema.get("$ref"), str) and not branch.document.siblings_count:
        return [(branch.document.resolve(part, schema["$ref"]).opposite,)]
    found: Alternatives = []
    for keyword, value in schema.items():
        if not branch.document.means(keyword, part):
            continue
        if keyword in _TYPED and not _says_nothing(keyword, value):
            _widened(branch, part, keyword)
            found.append((branch.made(part, {"type": _TYPED[keyword]}, f"not/{keyword}"),))
        else:
            found.extend(_opposite(branch, part, keyword, value))
    return found


def _widened(branch: Branch, part: Part, keyword: str) -> None:
    branch.report.about([part], keyword, "its opposite, which a not, if or oneOf around it asks for, is not expressed")


def _says_nothing(keyword: str, value: Any) -> bool:
    return not value if keyword == "uniqueItems" else value is True or value == {}


def _opposite(branch: Branch, part: Part, keyword: str, value: Any) -> Alternatives:
    match keyword:
        case "allOf" | "extends" if isinstance(value, list):
            return [(child(part, one, keyword, number).opposite,) for number, one in enumerate(value)]
        case "anyOf" if isinstance(value, list) and value:
            return [tuple(child(part, one, keyword, number).opposite for number, one in enumerate(value))]
        case "oneOf" if isinstance(value, list) and value:
            return _none_or_two(branch, part, value)
        case "type" if isinstance(value, list) and any(isinstance(one, Mapping) for one in value):  # draft 3
            return [tuple(one.opposite for (one,) in union_types(part, value))]
        case "disallow":
            return [(branch.made(part, {"type": value}, "disallow"),)]
        case "not":
            return [(child(part, value, keyword),)]
        case "if":
            return _unmet_condition(part)
        case _ if keyword in _REFERENCES and isinstance(value, str):
            if branch.document.is_open(keyword, value):
                _widened(branch, part, keyword)
                return [()]
            return [(branch.document.resolve(part, value, keyword).opposite,)]
        case "properties" if isinstance(value, Mapping):
            return _properties(branch, part, value)
        case "dependencies" | "dependentRequired" | "dependentSchemas" if isinstance(value, Mapping):
            return [way for key, wanted in value.items() for way in _unmet_dependency(branch, part, keyword, key, wanted)]
        case "items" | "prefixItems" | "contains":
            return _items(branch, part, keyword, value)
        case _:
            made = _simple(branch, part, keyword, value)
            return [(branch.made(part, schema, f"not/{keyword}/{number}"),) for number, schema in enumerate(made)]


def _properties(branch: Branch, part: Part, value: Mapping[str, Any]) -> Alternatives:
    ways: Alternatives = []
    for key, one in value.items():
        if not _says_nothing("properties", one):
            opposite = child(part, one, "properties", key).opposite
            ways.append((_made(branch, part, f"properties/{key}", "object", required=[key], properties={key: Wrapped(opposite)}),))
        if branch.document.draft == 3 and isinstance(one, Mapping) and one.get("required") is True:
            ways.append((_made(branch, part, f"properties/{key}/none", "object", properties={key: False}),))
    return ways


def _none_or_two(branch: Branch, part: Part, value: list[Any]) -> Alternatives:
    """Return how a value fits none of the alternatives of ``oneOf``, or two of them."""
    parts = [child(part, one, "oneOf", number) for number, one in enumerate(value)]
    if len(parts) > _MOST_PAIRED:
        _widened(branch, part, "oneOf")
        return [()]
    return [tuple(one.opposite for one in parts), *combinations(parts, 2)]


def _unmet_condition(part: Part) -> Alternatives:
    condition = child(part, part.schema["if"], "if")
    ways: Alternatives = []
    for keyword, first in (("then", condition), ("else", condition.opposite)):
        if keyword in part.schema:
            ways.append((first, child(part, part.schema[keyword], keyword).opposite))
    return ways


def _unmet_dependency(branch: Branch, part: Part, keyword: str, key: str, wanted: Any) -> Alternatives:
    if isinstance(wanted, str):
        wanted = [wanted]
    if isinstance(wanted, list):
        return [
            (_made(branch, part, f"{keyword}/{key}/{other}", "object", required=[key], properties={other: False}),)
            for other in wanted
            if other != key
        ]
    has = _made(branch, part, f"{keyword}/{key}/has", "object", required=[key])
    return [(has, child(part, wanted, keyword, key).opposite)]


def _items(branch: Branch, part: Part, keyword: str, value: Any) -> Alternatives:
    """Return arrays with an item that does not fit, or in which none does."""
    schema = part.schema
    if keyword == "contains":
        if schema.get("minContains", 1) == 1 and "maxContains" not in schema:
            return [(_made(branch, part, keyword, "array", items=Wrapped(child(part, value, keyword).opposite)),)]
        if schema.get("minContains", 1) == 0 and "maxContains" not in schema:
            return []
    elif isinstance(value, list):
        return [
            (_made(branch, part, f"{keyword}/{number}", "array", minItems=number + 1, prefixItems=[*[True] * number, Wrapped(opposite)]),)
            for number, one in enumerate(value)
            if not _says_nothing(keyword, one)
            for opposite in [child(part, one, keyword, number).opposite]
        ]
    elif _says_nothing(keyword, value):
        return []
    elif "prefixItems" not in schema:
        return [(_made(branch, part, keyword, "array", contains=Wrapped(child(part, value, keyword).opposite)),)]
    _widened(branch, part, keyword)
    return [(_made(branch, part, keyword, "array"),)]


def _made(branch: Branch, part: Part, tag: str, kind: str, **keywords: Any) -> Part:
    return branch.made(part, {"type": kind, **keywords}, f"not/{tag}")


def _simple(branch: Branch, part: Part, keyword: str, value: Any) -> list[dict[str, Any]]:
    """Return schemas for the opposite of a keyword without subschemas; none for a keyword that says nothing."""
    schema = part.schema
    nullable = schema.get("nullable") is True
    match keyword:
        case "type":
            return _other_types(value, nullable)
        case "enum" if isinstance(value, list):
            return [{EXCLUDED: [*value, None] if nullable else value}]
        case "const":
            return [{EXCLUDED: [value]}]
        case "required" if isinstance(value, list):
            return [{"type": "object", "properties": {key: False}} for key in value]
        case "minimum" if is_number(value):
            return [{"type": "number", "maximum" if schema.get("exclusiveMinimum") is True else "exclusiveMaximum": value}]
        case "maximum" if is_number(value):
            return [{"type": "number", "minimum" if schema.get("exclusiveMaximum") is True else "exclusiveMinimum": value}]
        case "exclusiveMinimum" | "exclusiveMaximum" if is_number(value) and (branch.document.draft > 4 or part.made is not None):
            return [{"type": "number", "maximum" if keyword == "exclusiveMinimum" else "minimum": value}]
        case "pattern" if isinstance(value, str):
            return [{"type": "string", UNWANTED: value}]
        case "multipleOf" | "divisibleBy" if is_number(value) and value > 0:
            return [{"type": "number", MISSED: value}]
        case "minLength" | "minItems" | "minProperties" if is_count(value):
            return [{"type": _COUNTED[keyword[3:]], "max" + keyword[3:]: value - 1}] if value > 0 else []
        case "maxLength" | "maxItems" | "maxProperties" if is_count(value):
            return [{"type": _COUNTED[keyword[3:]], "min" + keyword[3:]: value + 1}]
        case _:
            return _made_up(keyword, value)


def _made_up(keyword: str, value: Any) -> list[dict[str, Any]]:
    if keyword == EXCLUDED:
        return [{"enum": value}]
    if keyword == UNWANTED:
        return [{"type": "string", "pattern": value}]
    if keyword == MISSED:
        return [{"type": "number", "multipleOf": value}]
    return [{"type": "integer"}] if keyword == FRACTION else []


_COUNTED = {"Length": "string", "Items": "array", "Properties": "object"}


def _other_types(value: Any, nullable: bool) -> list[dict[str, Any]]:
    listed = value if isinstance(value, list) else [value]
    names = {ALIASES.get(name.lower()) for name in listed if isinstance(name, str)}
    if None in names or not names:
        return []
    if nullable:
        names.add("null")
    others = sorted(TYPES - names - ({"number"} if "integer" in names else set()))
    found: list[dict[str, Any]] = [{"type": others}] if others else []
    if "integer" in names and "number" not in names:
        found.append({"type": "number", FRACTION: True})
    return found
