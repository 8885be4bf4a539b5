"""The tools that tests declare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def tool(name: str, *, required: Sequence[str] = (), **types: str) -> dict[str, Any]:
    """Return a tool whose parameters have these types."""
    properties = {key: {"type": kind} for key, kind in types.items()}
    parameters = {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def weather(*, required: Sequence[str] = (), **types: str) -> dict[str, Any]:
    """Return the tool ``get_weather`` of a city and some days, with these parameters more."""
    return tool("get_weather", required=required, city="string", days="integer", **types)


NOW = tool("now")
