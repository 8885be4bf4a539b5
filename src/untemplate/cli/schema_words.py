"""Finds keywords that no draft of JSON Schema knows, in the tools that a command reads."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from untemplate.errors import RequestError

_MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose members are schemas by names of the author's own."""
_SCHEMAS = ("items", "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems", "propertyNames", "contains")
_MORE_SCHEMAS = ("not", "if", "then", "else", "contentSchema")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
_TEXT_WORDS = {"enum", "const", "format", "pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"}
_NUMBER_WORDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
_COUNT_WORDS = {"minProperties", "maxProperties", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains"}
_NEED_WORDS = {"type", "required", "dependentRequired", "dependencies"}
_NOTES = {"title", "description", "default", "example", "examples", "readOnly", "writeOnly", "deprecated", "id"}
_ELSEWHERE = {"nullable", "discriminator", "xml", "externalDocs", "strict"}
"""What OpenAPI and OpenAI add."""
_WORDS = {*_TEXT_WORDS, *_NUMBER_WORDS, *_COUNT_WORDS, *_NEED_WORDS, *_NOTES, *_ELSEWHERE, *_MAPS, *_SCHEMAS, *_MORE_SCHEMAS, *_LISTS}


def check_keywords(tools: list[dict[str, Any]], path: str) -> None:
    """Refuse tools whose parameters use a keyword that is none; keywords of one's own start with ``x-`` or ``$``.

    Raises:
        RequestError: E609 with the file, the place and the nearest keyword.
    """
    for number, tool in enumerate(tools):
        function = tool.get("function", tool)
        for pointer, word in _unknown(function.get("parameters"), f"/{number}/function/parameters"):
            near = difflib.get_close_matches(word, sorted(_WORDS), n=1)
            hint = f"Did you mean `{near[0]}`? " if near else ""
            raise RequestError(
                f"`{word}` is no keyword of JSON Schema",
                code="E609",
                where=f"{path}{pointer}",
                hint=f"{hint}Keywords of your own start with `x-`.",
            )


def _unknown(schema: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """Yield the place and the name of each unknown keyword."""
    if not isinstance(schema, Mapping):
        return
    for word, value in schema.items():
        if word not in _WORDS and not str(word).startswith(("x-", "$")):
            yield pointer, str(word)
        here = f"{pointer}/{word}"
        if word in _MAPS and isinstance(value, Mapping):
            for name, item in value.items():
                yield from _unknown(item, f"{here}/{name}")
        elif isinstance(value, list) and word in _LISTS:
            for index, item in enumerate(value):
                yield from _unknown(item, f"{here}/{index}")
        elif word in (*_SCHEMAS, *_MORE_SCHEMAS):
            yield from _unknown(value, here)
