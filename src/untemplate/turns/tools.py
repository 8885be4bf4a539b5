"""The tools that made calls name: their schemas declare every argument's type."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from untemplate.turns.kinds import PROPERTIES

EVERYTHING = "do_everything"
"""Takes every argument."""
ZERO = "get-time"
"""Takes none."""
NAMES = (EVERYTHING, "searchWeb2", ZERO, "x")


def make_tools(keys: Container[str] | None = None, names: Sequence[str] = NAMES) -> list[dict[str, Any]]:
    """Return OpenAI tools of these names, none of whose arguments is required; ``keys``: with these arguments only."""
    properties = {key: schema for key, schema in PROPERTIES.items() if keys is None or key in keys}
    return [_tool(name, {} if name == ZERO else properties) for name in names]


def _tool(name: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    described = {key: {**schema, "description": f"The {key}."} for key, schema in properties.items()}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Runs {name}.",
            "parameters": {"type": "object", "properties": described, "required": []},
        },
    }


def plainly_typed(schema: Any) -> Any:
    """Return tools or a schema with one type, and never ``null``, where there are several: some templates fail over others."""
    match schema:
        case {"type": list() as types, **rest}:
            return plainly_typed({"type": next((each for each in types if each != "null"), "string"), **rest})
        case Mapping():
            return {key: "string" if key == "type" and item == "null" else plainly_typed(item) for key, item in schema.items()}
        case list():
            return [plainly_typed(item) for item in schema]
        case _:
            return schema
