"""Tells whether a given value fits a schema, for values that a schema lists. Where it cannot tell, it does not say no."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from untemplate.lower.automaton import TooLargeError
from untemplate.lower.formats import ANNOTATIONS, FORMATS
from untemplate.lower.json_schema.document import Document, Part, Wrapped, child
from untemplate.lower.json_schema.keywords import ALIASES, EXCLUDED, FRACTION, MISSED, UNWANTED
from untemplate.lower.json_schema.values import exact, identity, is_integer, is_number, type_of
from untemplate.lower.pattern import PatternError, parse_pattern
from untemplate.lower.pattern_automaton import search

Verdict = bool | None
"""``None``: cannot tell."""
_DEEPEST = 24


def may_fit(document: Document, value: Any, parts: Iterable[Part], depth: int = _DEEPEST) -> bool:
    """Return ``False`` only when ``value`` certainly does not fit one of ``parts``."""
    return all(_judge(document, value, part, depth) is not False for part in parts)


def _judge(document: Document, value: Any, part: Part, depth: int) -> Verdict:
    verdict = _fits(document, value, part, depth)
    return verdict if verdict is None or not part.negated else not verdict


def _fits(document: Document, value: Any, part: Part, depth: int) -> Verdict:
    schema = part.schema
    if isinstance(schema, Wrapped):
        return _judge(document, value, schema.part, depth)
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, Mapping) or depth == 0:
        return None
    if isinstance(schema.get("$ref"), str) and not document.siblings_count:
        return _judge(document, value, document.resolve(part, schema["$ref"]), depth - 1)
    return _all(_keyword(document, value, part, keyword, wanted, depth - 1) for keyword, wanted in schema.items())


def _all(verdicts: Iterable[Verdict]) -> Verdict:
    known: Verdict = True
    for verdict in verdicts:
        if verdict is False:
            return False
        known = known and verdict
    return known


def _combined(keyword: str, verdicts: list[Verdict]) -> Verdict:
    if keyword == "allOf" or not verdicts:
        return _all(verdicts)
    if keyword == "oneOf" and verdicts.count(True) > 1:
        return False
    if keyword == "oneOf" and None in verdicts:
        return None
    return True if True in verdicts else None if None in verdicts else False


def _keyword(document: Document, value: Any, part: Part, keyword: str, wanted: Any, depth: int) -> Verdict:
    def judge(schema: Any, *steps: str | int, of: Any = value) -> Verdict:
        return _judge(document, of, child(part, schema, *steps), depth)

    if not document.means(keyword, part):
        return True
    if keyword in ("allOf", "anyOf", "oneOf"):
        verdicts = [judge(one, keyword, number) for number, one in enumerate(wanted)] if isinstance(wanted, list) else []
        return _combined(keyword, verdicts)
    match keyword:
        case "type":
            return _has_type(value, wanted, part.schema.get("nullable") is True, unsure=document.draft <= 4)
        case "enum" if isinstance(wanted, list):
            nullable = value is None and part.schema.get("nullable") is True
            return nullable or identity(value) in document.identities(part.key, wanted)
        case "const":
            return identity(value) == identity(wanted)
        case "$ref" | "$dynamicRef" | "$recursiveRef" if isinstance(wanted, str):
            return None if document.is_open(keyword, wanted) else _judge(document, value, document.resolve(part, wanted, keyword), depth)
        case "extends" | "disallow":
            return None
        case "not":
            verdict = judge(wanted, keyword)
            return None if verdict is None else not verdict
        case "if":
            verdict = judge(wanted, keyword)
            branch = None if verdict is None else "then" if verdict else "else"
            return None if branch is None else judge(part.schema.get(branch, True), branch)
        case _ if keyword == EXCLUDED:
            return identity(value) not in {identity(one) for one in wanted}
        case _:
            return _of_type(document, value, part, keyword, wanted, depth)


def _of_type(document: Document, value: Any, part: Part, keyword: str, wanted: Any, depth: int) -> Verdict:
    match type_of(value):
        case "number":
            return _number(value, part.schema, keyword, wanted)
        case "string":
            return _string(value, keyword, wanted)
        case "array":
            return _array(document, value, part, keyword, wanted, depth)
        case "object":
            return _object(document, value, part, keyword, wanted, depth)
        case _:
            return True


def _has_type(value: Any, wanted: Any, nullable: bool, *, unsure: bool) -> Verdict:
    """``unsure``: validators of the draft do not agree on whether ``1.0`` is an integer."""
    names = wanted if isinstance(wanted, list) else [wanted]
    kinds = {ALIASES.get(name.lower()) if isinstance(name, str) else None for name in names}
    if None in kinds:
        return None
    kind = type_of(value)
    if kind == "number" and "integer" in kinds and "number" not in kinds and isinstance(value, float) and value.is_integer():
        return None if unsure else True
    return kind in kinds or (kind == "number" and "integer" in kinds and is_integer(value)) or (kind == "null" and nullable)


def _number(value: Any, schema: Mapping[str, Any], keyword: str, wanted: Any) -> Verdict:
    if keyword == FRACTION:
        return None if isinstance(value, float) and value.is_integer() else not is_integer(value)
    if keyword == MISSED:
        return (exact(value) / exact(wanted)).denominator != 1
    if not is_number(wanted):
        return True
    match keyword:
        case "minimum":
            return bool(value > wanted or (value == wanted and schema.get("exclusiveMinimum") is not True))
        case "maximum":
            return bool(value < wanted or (value == wanted and schema.get("exclusiveMaximum") is not True))
        case "exclusiveMinimum":
            return bool(value > wanted)
        case "exclusiveMaximum":
            return bool(value < wanted)
        case "multipleOf" | "divisibleBy" if wanted > 0:
            return (exact(value) / exact(wanted)).denominator == 1
        case _:
            return True


def _string(value: str, keyword: str, wanted: Any) -> Verdict:
    match keyword:
        case "minLength" if is_number(wanted):
            return bool(len(value) >= wanted)
        case "maxLength" if is_number(wanted):
            return bool(len(value) <= wanted)
        case "pattern" if isinstance(wanted, str):
            return _found(wanted, value)
        case "format" if isinstance(wanted, str):
            return _found(FORMATS[wanted], value) if wanted in FORMATS else True if wanted in ANNOTATIONS else None
        case _ if keyword == UNWANTED:
            verdict = _found(wanted, value)
            return None if verdict is None else not verdict
        case _:
            return True


def _found(pattern: str, value: str) -> Verdict:
    try:
        parsed = parse_pattern(pattern)
        searched = search(parsed.node)
    except (PatternError, TooLargeError):
        return None
    found = searched.automaton.matches(value)
    return found if (searched.exact and not parsed.notes) or not found else None


def _array(document: Document, value: Any, part: Part, keyword: str, wanted: Any, depth: int) -> Verdict:
    match keyword:
        case "minItems" if is_number(wanted):
            return bool(len(value) >= wanted)
        case "maxItems" if is_number(wanted):
            return bool(len(value) <= wanted)
        case "uniqueItems":
            return wanted is not True or len({identity(item) for item in value}) == len(value)
        case "items" | "prefixItems" if isinstance(wanted, list):
            pairs = enumerate(zip(value, wanted, strict=False))
            return _all(_judge(document, item, child(part, one, keyword, number), depth) for number, (item, one) in pairs)
        case "items" | "additionalItems":
            return _all(_judge(document, item, child(part, wanted, keyword), depth) for item in value[_first(part.schema, keyword) :])
        case "contains":
            verdicts = [_judge(document, item, child(part, wanted, keyword), depth) for item in value]
            return _within(verdicts.count(True), len(verdicts) - verdicts.count(False), part.schema)
        case "unevaluatedItems":
            return None
        case _:
            return True


def _first(schema: Mapping[str, Any], keyword: str) -> int:
    """Return the number of the first item that ``items`` or ``additionalItems`` speaks of; a large one where it speaks of none."""
    first = schema.get("prefixItems") if keyword == "items" else schema.get("items")
    if isinstance(first, list):
        return len(first)
    return 0 if keyword == "items" else _NONE


_NONE = 1 << 60


def _within(sure: int, possible: int, schema: Mapping[str, Any]) -> Verdict:
    """Tell whether as many items fit ``contains`` as there should, where ``sure`` to ``possible`` do."""
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    least, most = (least if is_number(least) else 1), (most if is_number(most) else None)
    if possible < least or (most is not None and sure > most):
        return False
    return True if sure >= least and (most is None or possible <= most) else None


def _object(document: Document, value: Any, part: Part, keyword: str, wanted: Any, depth: int) -> Verdict:
    def judge(of: Any, schema: Any, *steps: str) -> Verdict:
        return _judge(document, of, child(part, schema, *steps), depth)

    match keyword:
        case "required" if isinstance(wanted, list):
            return all(key in value for key in wanted)
        case "minProperties" if is_number(wanted):
            return bool(len(value) >= wanted)
        case "maxProperties" if is_number(wanted):
            return bool(len(value) <= wanted)
        case "properties" if document.draft == 3:
            return None
        case "properties" if isinstance(wanted, Mapping):
            return _all(judge(value[key], one, keyword, key) for key, one in wanted.items() if key in value)
        case "patternProperties" if isinstance(wanted, Mapping):
            return _all(
                _implied(_found(pattern, key), judge(member, one, keyword, pattern))
                for pattern, one in wanted.items()
                for key, member in value.items()
            )
        case "additionalProperties":
            return _all(_implied(_is_additional(key, part.schema), judge(member, wanted, keyword)) for key, member in value.items())
        case "propertyNames":
            return _all(judge(key, wanted, keyword) for key in value)
        case "dependencies" | "dependentRequired" | "dependentSchemas" if isinstance(wanted, Mapping):
            return _all(_dependency(document, value, part, (keyword, key), depth) for key in wanted if key in value)
        case "unevaluatedProperties":
            return None
        case _:
            return True


def _dependency(document: Document, value: Any, part: Part, steps: tuple[str, str], depth: int) -> Verdict:
    wanted = part.schema[steps[0]][steps[1]]
    if isinstance(wanted, str | list):
        return all(name in value for name in ([wanted] if isinstance(wanted, str) else wanted))
    return _judge(document, value, child(part, wanted, *steps), depth)


def _implied(condition: Verdict, verdict: Verdict) -> Verdict:
    """Tell whether ``verdict`` holds where ``condition`` does."""
    if condition is False or verdict is True:
        return True
    return verdict if condition is True else None


def _is_additional(key: str, schema: Mapping[str, Any]) -> Verdict:
    if key in (schema.get("properties") or {}):
        return False
    found = [_found(pattern, key) for pattern in schema.get("patternProperties") or {}]
    return False if True in found else None if None in found else True


def doubtful(document: Document, value: Any, parts: Iterable[Part]) -> Iterator[tuple[Part, str]]:
    """Yield the keywords of which it cannot be told whether ``value`` fits them."""
    for part in parts:
        if _judge(document, value, part, _DEEPEST) is not None or not isinstance(part.schema, Mapping):
            continue
        for keyword, wanted in part.schema.items():
            if _keyword(document, value, part, keyword, wanted, _DEEPEST) is None:
                yield part, keyword
