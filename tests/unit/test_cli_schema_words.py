"""A keyword that JSON Schema does not know is an error with its place."""

from __future__ import annotations

from typing import Any

import pytest

from untemplate.cli.schema_words import check_keywords
from untemplate.errors import RequestError


def tools(parameters: Any) -> list[dict[str, Any]]:
    return [{"type": "function", "function": {"name": "f", "parameters": parameters}}]


@pytest.mark.parametrize(
    ("parameters", "place", "hint"),
    [
        ({"propertes": {}}, "/0/function/parameters", "properties"),
        ({"properties": {"a": {"frobnicate": 1}}}, "/0/function/parameters/properties/a", "x-"),
        ({"anyOf": [{}, {"maxlen": 1}]}, "/0/function/parameters/anyOf/1", "x-"),
    ],
)
def test_an_unknown_keyword_is_an_error_with_its_place(parameters: Any, place: str, hint: str) -> None:
    with pytest.raises(RequestError) as caught:
        check_keywords(tools(parameters), "tools.json")
    assert caught.value.where == f"tools.json{place}"
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize("parameters", [None, {}, {"x-mine": 1, "properties": {"frobnicate": {"type": "string"}}}, {"enum": [{"any": 1}]}])
def test_names_and_values_are_no_keywords(parameters: Any) -> None:
    check_keywords(tools(parameters), "tools.json")
