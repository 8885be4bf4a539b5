"""Tool calls and results written as plain text, for templates that know nothing of tools."""

from __future__ import annotations

import json
from typing import Any

Message = dict[str, Any]


def write_calls(message: Message) -> Message:
    """Return an assistant's message with its calls written into the content as JSON."""
    calls = []
    for call in message["tool_calls"]:
        function = call.get("function", call)
        entry = {"name": function.get("name"), "arguments": function.get("arguments", {})}
        calls.append({**entry, "id": call["id"]} if call.get("id") else entry)
    text = json.dumps({"tool_calls": calls}, ensure_ascii=False)
    kept = {key: value for key, value in message.items() if key != "tool_calls"}
    content = message.get("content")
    if isinstance(content, list):
        return {**kept, "content": [*content, {"type": "text", "text": text}]}
    return {**kept, "content": f"{content}\n\n{text}" if content else text}


def write_result(message: Message, names: dict[str, str]) -> Message:
    """Return a tool's result as a user's message that holds it as JSON. ``names``: the called functions, by call id."""
    identifier = message.get("tool_call_id")
    name = message.get("name") or names.get(str(identifier))
    entry: Message = {}
    if name:
        entry["tool"] = name
    if identifier:
        entry["tool_call_id"] = identifier
    entry["content"] = message.get("content")
    return {"role": "user", "content": json.dumps({"tool_response": entry}, ensure_ascii=False)}


def call_names(messages: list[Message]) -> dict[str, str]:
    """Return the names of all called functions, by call id."""
    return {
        str(call["id"]): str(call.get("function", call).get("name"))
        for message in messages
        for call in message.get("tool_calls") or ()
        if call.get("id")
    }
