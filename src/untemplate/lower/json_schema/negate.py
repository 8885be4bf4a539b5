"""The opposite of a schema, as a choice between schemas, keyword by keyword."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from untemplate.lower.json_schema.document import Part, Wrapped, child
from untemplate.lower.json_schema.gather import Branch
from untemplate.lower.json_schema.keywords import ALIASES, EXCLUDED, FRACTION, MISSED, UNWANTED
from untemplate.lower.json_schema.values import TYPES, is_count, is_number

Alternatives = list[tuple[Part, ...]]

_TYPED = {
    "patternProperties": "object",
    "additionalProperties": "object",
    "propertyNames": "object",
    "unevaluatedProperties": "object",
    "prefixItems": "array",
    "additionalItems": "array",
    "uniqueItems": "array",
    "unevaluatedItems": "array",
    "format": "string",
}
"""Keywords whose opposite cannot be told, but which only values of one type can break."""
_UNTYPED = ("oneOf", "if", "dependencies", "dependentSchemas", "$dynamicRef", "$recursiveRef")


def negation(branch: Branch, part: Part) -> Alternatives:
    """Return schemas of which a value fits one when it does not fit ``part``; more may fit, and that is reported."""
    schema = part.schema
    found: Alternatives = []
    if isinstance(schema.get("$ref"), str):
        found.append((branch.document.resolve(part, schema["$ref"]).opposite,))
        if not branch.document.siblings_count:
            return found
    for keyword, value in schema.items():
        if not branch.document.means(keyword):
            continue
        if keyword in _UNTYPED or (keyword in _TYPED and not _says_nothing(keyword, value)):
            branch.report.add(part.pointer, "not", f"the opposite of {keyword} is not expressed")
            if keyword in _UNTYPED:
                return [()]
            found.append((branch.made(part, {"type": _TYPED[keyword]}, f"not/{keyword}"),))
        else:
            found.extend(_opposite(branch, part, keyword, value))
    return found


def _says_nothing(keyword: str, value: Any) -> bool:
    return not value if keyword == "uniqueItems" else value is True or value == {}


def _opposite(branch: Branch, part: Part, keyword: str, value: Any) -> Alternatives:
    match keyword:
        case "allOf" if isinstance(value, list):
            return [(child(part, one, keyword, number).opposite,) for number, one in enumerate(value)]
        case "anyOf" if isinstance(value, list):
            return [tuple(child(part, one, keyword, number).opposite for number, one in enumerate(value))]
        case "not":
            return [(child(part, value, keyword),)]
        case "properties" if isinstance(value, Mapping):
            return [
                (_made(branch, part, f"{keyword}/{key}", "object", required=[key], properties={key: Wrapped(opposite)}),)
                for key, one in value.items()
                if not _says_nothing(keyword, one)
                for opposite in [child(part, one, keyword, key).opposite]
            ]
        case "items" if not isinstance(value, list) and not _says_nothing(keyword, value) and "prefixItems" not in part.schema:
            return [(_made(branch, part, keyword, "array", contains=Wrapped(child(part, value, keyword).opposite)),)]
        case "items" if isinstance(value, list) or not _says_nothing(keyword, value):
            return [(_made(branch, part, keyword, "array"),)]
        case "contains" if part.schema.get("minContains", 1) == 1 and "maxContains" not in part.schema:
            return [(_made(branch, part, keyword, "array", items=Wrapped(child(part, value, keyword).opposite)),)]
        case "contains":
            return [(_made(branch, part, keyword, "array"),)]
        case "dependentRequired" if isinstance(value, Mapping):
            return [
                (_made(branch, part, f"{keyword}/{key}/{other}", "object", required=[key], properties={other: False}),)
                for key, others in value.items()
                for other in others
            ]
        case _:
            return [(branch.made(part, schema, f"not/{keyword}/{number}"),) for number, schema in enumerate(_simple(part, keyword, value))]


def _made(branch: Branch, part: Part, tag: str, kind: str, **keywords: Any) -> Part:
    return branch.made(part, {"type": kind, **keywords}, f"not/{tag}")


def _simple(part: Part, keyword: str, value: Any) -> list[dict[str, Any]]:
    """Return schemas for the opposite of a keyword without subschemas; none for a keyword that says nothing."""
    match keyword:
        case "type":
            return _other_types(value)
        case "enum" if isinstance(value, list):
            return [{EXCLUDED: value}]
        case "const":
            return [{EXCLUDED: [value]}]
        case "required" if isinstance(value, list):
            return [{"type": "object", "properties": {key: False}} for key in value]
        case "minimum" if is_number(value):
            return [{"type": "number", "maximum" if part.schema.get("exclusiveMinimum") is True else "exclusiveMaximum": value}]
        case "maximum" if is_number(value):
            return [{"type": "number", "minimum" if part.schema.get("exclusiveMaximum") is True else "exclusiveMinimum": value}]
        case "exclusiveMinimum" if is_number(value):
            return [{"type": "number", "maximum": value}]
        case "exclusiveMaximum" if is_number(value):
            return [{"type": "number", "minimum": value}]
        case "pattern" if isinstance(value, str):
            return [{"type": "string", UNWANTED: value}]
        case "multipleOf" if is_number(value) and value > 0:
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


def _other_types(value: Any) -> list[dict[str, Any]]:
    names = {ALIASES.get(name.lower()) for name in (value if isinstance(value, list) else [value]) if isinstance(name, str)}
    if None in names or not names:
        return []
    others = sorted(TYPES - names - ({"number"} if "integer" in names else set()))
    found: list[dict[str, Any]] = [{"type": others}] if others else []
    if "integer" in names and "number" not in names:
        found.append({"type": "number", FRACTION: True})
    return found
