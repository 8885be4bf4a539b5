"""The tools of grammars and turns that are made without a caller's own."""

from __future__ import annotations

from typing import Any

EXAMPLE_TOOLS: tuple[dict[str, Any], ...] = (
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Tell the weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer", "minimum": 1, "maximum": 14},
                    "unit": {"enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "add_event",
            "description": "Put an event into the calendar.",
            "parameters": {
                "type": "object",
                "properties": {
                    "title": {"type": "string"},
                    "all_day": {"type": "boolean"},
                    "guests": {"type": "array", "items": {"type": "string"}},
                    "place": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "latitude": {"type": "number"}},
                        "required": ["name"],
                    },
                },
                "required": ["title", "all_day"],
                "additionalProperties": False,
            },
        },
    },
)
"""Two tools whose parameters have every JSON type, required and optional."""
