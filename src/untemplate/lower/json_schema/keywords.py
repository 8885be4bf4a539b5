"""What each keyword of JSON Schema adds to the facts: a table of functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from untemplate.lower.json_schema.document import Part, child
from untemplate.lower.json_schema.evaluated import evaluated_facet, evaluated_items
from untemplate.lower.json_schema.facts import ArrayFacet, ArrayFacts, Contains, ObjectFacet, ObjectFacts
from untemplate.lower.json_schema.gather import Branch
from untemplate.lower.json_schema.values import TYPES, exact, is_count, is_number

_Holder = TypeVar("_Holder", ArrayFacts, ObjectFacts)
Handler = Callable[[Branch, Part, Any], None]

EXCLUDED, UNWANTED, FRACTION, MISSED = "\0excluded", "\0unwanted", "\0fraction", "\0missed"
"""Keywords of made-up schemas: values that are ruled out, a pattern that must not be found, no integers, no multiples."""

ALIASES: Mapping[str, str] = {
    **{name: name for name in TYPES},
    "integer": "integer",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "str": "string",
    "text": "string",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "map": "object",
    "none": "null",
    "nonetype": "null",
}
"""Names of types that people write."""


def _type(branch: Branch, part: Part, value: Any) -> None:
    names = value if isinstance(value, list) else [value]
    found: set[str] = set()
    for name in names:
        if isinstance(name, Mapping):  # draft 3
            branch.choose(union_types(part, names), "type", part)
            return
        if not isinstance(name, str) or name.lower() == "any":
            if name != "any":
                branch.malformed(part, "type")
            return
        kind = ALIASES.get(name.lower())
        if kind is None:
            branch.malformed(part, "type")
            return
        found.add(kind)
    if part.schema.get("nullable") is True:
        found.add("null")
    if "integer" in found and "number" not in found:
        branch.restrict(number=replace(branch.facts.number, integer=True))
    branch.restrict(types=branch.facts.types & {"number" if kind == "integer" else kind for kind in found})


def union_types(part: Part, names: list[Any]) -> list[tuple[Part, ...]]:
    """Return the alternatives of a list of types with schemas in it, as draft 3 has them."""
    made = [name if isinstance(name, Mapping) else {"type": name} for name in names]
    return [(child(part, schema, "type", number),) for number, schema in enumerate(made)]


def _disallow(branch: Branch, part: Part, value: Any) -> None:
    branch.add(branch.made(part, {"type": value}, "disallow").opposite)


def _enum(branch: Branch, part: Part, value: Any) -> None:
    if isinstance(value, list):
        branch.restrict_values([*value, None] if part.schema.get("nullable") is True else value)
    else:
        branch.malformed(part, "enum")


def _const(branch: Branch, part: Part, value: Any) -> None:
    branch.restrict_values([value])


def _excluded(branch: Branch, part: Part, value: Any) -> None:
    facts = branch.facts
    texts = tuple(one for one in value if isinstance(one, str))
    numbers = tuple(exact(one) for one in value if is_number(one))
    types = facts.types - {"null"} if None in value else facts.types
    if any(one is True for one in value) and any(one is False for one in value):
        types -= {"boolean"}
    arrays = tuple(one for one in value if isinstance(one, list))
    objects = tuple(one for one in value if isinstance(one, Mapping))
    branch.restrict(
        types=types,
        array=_not_among(facts.array, arrays) if arrays else facts.array,
        object=_not_among(facts.object, objects) if objects else facts.object,
        string=replace(facts.string, excluded=facts.string.excluded + texts),
        number=replace(facts.number, excluded=facts.number.excluded + numbers),
    )


def _not_among(facts: _Holder, values: tuple[Any, ...]) -> _Holder:
    minimum = max(facts.minimum, 1) if any(not one for one in values) else facts.minimum
    return replace(facts, minimum=minimum, excluded=(*facts.excluded, *(one for one in values if one)))


def _bound(keyword: str, *, lower: bool, is_open: bool) -> Handler:
    flag = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}.get(keyword)

    def handle(branch: Branch, part: Part, value: Any) -> None:
        if isinstance(value, bool) and is_open:  # draft 4: read with the bound itself
            return
        if is_open and branch.document.draft <= 4 and part.made is None:
            branch.report.add(part.pointer, keyword, "draft 4, which the schema names, takes only true or false here; it is ignored")
            return
        if not is_number(value):
            branch.malformed(part, keyword)
            return
        excluded = is_open or (flag is not None and part.schema.get(flag) is True)
        facts = branch.facts.number
        limit = exact(value)
        branch.restrict(number=facts.above(limit, is_open=excluded) if lower else facts.below(limit, is_open=excluded))

    return handle


def _multiple_of(branch: Branch, part: Part, value: Any) -> None:
    if is_number(value) and value > 0:
        facts = branch.facts.number
        branch.restrict(number=replace(facts, steps=(*facts.steps, exact(value))))
    else:
        branch.malformed(part, "multipleOf" if "multipleOf" in part.schema else "divisibleBy")


def _missed(branch: Branch, part: Part, value: Any) -> None:
    facts = branch.facts.number
    branch.restrict(number=replace(facts, missed=(*facts.missed, exact(value))))


def _fraction(branch: Branch, part: Part, value: Any) -> None:
    branch.restrict(number=replace(branch.facts.number, fraction=True))


def _least(keyword: str, field: str) -> Handler:
    def handle(branch: Branch, part: Part, value: Any) -> None:
        if not is_count(value):
            branch.malformed(part, keyword)
            return
        facts = getattr(branch.facts, field)
        branch.restrict(**{field: replace(facts, minimum=max(facts.minimum, int(value)))})

    return handle


def _most(keyword: str, field: str) -> Handler:
    def handle(branch: Branch, part: Part, value: Any) -> None:
        if not is_number(value) or (value >= 0 and not is_count(value)):
            branch.malformed(part, keyword)
            return
        facts = getattr(branch.facts, field)
        limit = int(value) if facts.maximum is None else min(facts.maximum, int(value))
        branch.restrict(**{field: replace(facts, maximum=limit)})

    return handle


def _text(keyword: str, field: str) -> Handler:
    def handle(branch: Branch, part: Part, value: Any) -> None:
        if not isinstance(value, str):
            branch.malformed(part, keyword)
            return
        facts = branch.facts.string
        known: tuple[str, ...] = getattr(facts, field)
        if value not in known:
            changes: dict[str, Any] = {field: (*known, value)}
            branch.restrict(string=replace(facts, **changes))

    return handle


def _items(branch: Branch, part: Part, value: Any) -> None:
    schema = part.schema
    items, prefix = schema.get("items"), schema.get("prefixItems")
    first = next(name for name in schema if name in ("items", "prefixItems", "additionalItems"))
    if part.schema[first] is not value:  # read once, at the first of the three
        return
    parts: tuple[Part, ...] = ()
    rest: Part | None = None
    if isinstance(prefix, list):
        parts = tuple(child(part, one, "prefixItems", number) for number, one in enumerate(prefix))
        rest = child(part, items, "items") if "items" in schema and not isinstance(items, list) else None
    elif isinstance(items, list):
        parts = tuple(child(part, one, "items", number) for number, one in enumerate(items))
        rest = child(part, schema["additionalItems"], "additionalItems") if "additionalItems" in schema else None
    elif "items" in schema:
        rest = child(part, items, "items")
    if parts or rest is not None:
        facts = branch.facts.array
        branch.restrict(array=replace(facts, facets=(*facts.facets, ArrayFacet(parts, rest))))


def _contains(branch: Branch, part: Part, value: Any) -> None:
    least, most = part.schema.get("minContains", 1), part.schema.get("maxContains")
    facts = branch.facts.array
    wanted = Contains(child(part, value, "contains"), int(least) if is_count(least) else 1, int(most) if is_count(most) else None)
    minimum = max(facts.minimum, wanted.minimum)
    branch.restrict(array=replace(facts, contains=(*facts.contains, wanted), minimum=minimum))


def _unique(branch: Branch, part: Part, value: Any) -> None:
    if value is True:
        branch.restrict(array=replace(branch.facts.array, unique=True))


def _members(branch: Branch, part: Part, value: Any) -> None:
    schema = part.schema
    first = next(name for name in schema if name in ("properties", "patternProperties", "additionalProperties"))
    if schema[first] is not value:
        return
    for keyword in ("properties", "patternProperties"):
        if keyword in schema and not isinstance(schema[keyword], Mapping):
            branch.malformed(part, keyword)
    properties = schema.get("properties")
    patterns = schema.get("patternProperties")
    facet = ObjectFacet(
        {str(key): child(part, one, "properties", str(key)) for key, one in properties.items()} if isinstance(properties, Mapping) else {},
        tuple((key, child(part, one, "patternProperties", key)) for key, one in patterns.items()) if isinstance(patterns, Mapping) else (),
        child(part, schema["additionalProperties"], "additionalProperties") if "additionalProperties" in schema else None,
    )
    facts = branch.facts.object
    branch.restrict(object=replace(facts, facets=(*facts.facets, facet)))
    if branch.document.draft == 3:
        needed = [key for key, one in facet.properties.items() if isinstance(one.schema, Mapping) and one.schema.get("required") is True]
        branch.restrict(object=replace(branch.facts.object, required=tuple(dict.fromkeys((*branch.facts.object.required, *needed)))))


def _required(branch: Branch, part: Part, value: Any) -> None:
    if isinstance(value, bool) and branch.document.draft == 3:
        return
    if not isinstance(value, list) or not all(isinstance(key, str) for key in value):
        branch.malformed(part, "required")
        return
    facts = branch.facts.object
    branch.restrict(object=replace(facts, required=tuple(dict.fromkeys((*facts.required, *value)))))


def _names(branch: Branch, part: Part, value: Any) -> None:
    facts = branch.facts.object
    branch.restrict(object=replace(facts, names=(*facts.names, child(part, value, "propertyNames"))))


def _dependencies(keyword: str) -> Handler:
    def handle(branch: Branch, part: Part, value: Any) -> None:
        if not isinstance(value, Mapping):
            branch.malformed(part, keyword)
            return
        for key, wanted in value.items():
            if isinstance(wanted, str):
                wanted = [wanted]
            if isinstance(wanted, list):
                then = branch.made(part, {"required": wanted}, f"{keyword}/{key}/then")
            else:
                then = child(part, wanted, keyword, key)
            has = branch.made(part, {"type": "object", "required": [key]}, f"{keyword}/{key}/has")
            branch.choose([(has.opposite,), (has, then)], keyword, part)

    return handle


def _all_of(branch: Branch, part: Part, value: Any) -> None:
    keyword = "allOf" if "allOf" in part.schema else "extends"
    if isinstance(value, list):
        branch.add(*(child(part, one, keyword, number) for number, one in enumerate(value)))
    elif isinstance(value, Mapping) and keyword == "extends":
        branch.add(child(part, value, keyword))
    else:
        branch.malformed(part, keyword)


def _any_of(keyword: str, *, exclusive: bool) -> Handler:
    def handle(branch: Branch, part: Part, value: Any) -> None:
        if not isinstance(value, list) or not value:
            branch.malformed(part, keyword)
            return
        branch.choose([(child(part, one, keyword, number),) for number, one in enumerate(value)], keyword, part, exclusive=exclusive)

    return handle


def _not(branch: Branch, part: Part, value: Any) -> None:
    branch.add(child(part, value, "not").opposite)


def _if(branch: Branch, part: Part, value: Any) -> None:
    condition = child(part, value, "if")
    then = (child(part, part.schema["then"], "then"),) if "then" in part.schema else ()
    otherwise = (child(part, part.schema["else"], "else"),) if "else" in part.schema else ()
    if then or otherwise:
        branch.choose([(condition, *then), (condition.opposite, *otherwise)], "if", part)


def _reference(keyword: str) -> Handler:
    def handle(branch: Branch, part: Part, value: Any) -> None:
        if not isinstance(value, str):
            branch.malformed(part, keyword)
            return
        if branch.document.is_open(keyword, value):
            branch.report.add(part.pointer, keyword, "what it refers to depends on who refers to it; any value is taken")
        else:
            branch.add(branch.document.resolve(part, value, keyword))

    return handle


def _unevaluated_properties(branch: Branch, part: Part, value: Any) -> None:
    facet, exact = evaluated_facet(branch.document, part, child(part, value, "unevaluatedProperties"))
    if facet is not None:
        facts = branch.facts.object
        branch.restrict(object=replace(facts, facets=(*facts.facets, facet)))
    if not exact:
        branch.report.about([part], "unevaluatedProperties", "properties of every branch count as evaluated")


def _unevaluated_items(branch: Branch, part: Part, value: Any) -> None:
    facet, exact = evaluated_items(branch.document, part, child(part, value, "unevaluatedItems"))
    if facet is not None:
        facts = branch.facts.array
        branch.restrict(array=replace(facts, facets=(*facts.facets, facet)))
    if not exact:
        branch.report.about([part], "unevaluatedItems", "items of every branch count as evaluated")


HANDLERS: dict[str, Handler] = {
    "type": _type,
    "disallow": _disallow,
    "enum": _enum,
    "const": _const,
    EXCLUDED: _excluded,
    "minimum": _bound("minimum", lower=True, is_open=False),
    "maximum": _bound("maximum", lower=False, is_open=False),
    "exclusiveMinimum": _bound("exclusiveMinimum", lower=True, is_open=True),
    "exclusiveMaximum": _bound("exclusiveMaximum", lower=False, is_open=True),
    "multipleOf": _multiple_of,
    "divisibleBy": _multiple_of,
    FRACTION: _fraction,
    MISSED: _missed,
    "minLength": _least("minLength", "string"),
    "maxLength": _most("maxLength", "string"),
    "pattern": _text("pattern", "wanted"),
    UNWANTED: _text(UNWANTED, "unwanted"),
    "format": _text("format", "formats"),
    "items": _items,
    "prefixItems": _items,
    "additionalItems": _items,
    "minItems": _least("minItems", "array"),
    "maxItems": _most("maxItems", "array"),
    "contains": _contains,
    "uniqueItems": _unique,
    "properties": _members,
    "patternProperties": _members,
    "additionalProperties": _members,
    "required": _required,
    "minProperties": _least("minProperties", "object"),
    "maxProperties": _most("maxProperties", "object"),
    "propertyNames": _names,
    "dependencies": _dependencies("dependencies"),
    "dependentRequired": _dependencies("dependentRequired"),
    "dependentSchemas": _dependencies("dependentSchemas"),
    "allOf": _all_of,
    "extends": _all_of,
    "anyOf": _any_of("anyOf", exclusive=False),
    "oneOf": _any_of("oneOf", exclusive=True),
    "not": _not,
    "if": _if,
    "$ref": _reference("$ref"),
    "$dynamicRef": _reference("$dynamicRef"),
    "$recursiveRef": _reference("$recursiveRef"),
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}
