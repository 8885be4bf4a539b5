"""A plain reader of llama.cpp's parser trees, from the description of their nodes: what its server makes of a text.

No part of llama.cpp is in it. The server itself, where a build with trees is installed, tells in ``tests/e2e`` what it takes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Event = tuple[str, str]
MEMBERS = {
    "epsilon": set(),
    "end": set(),
    "space": set(),
    "any": set(),
    "literal": {"literal"},
    "sequence": {"children"},
    "choice": {"children"},
    "repetition": {"child", "min_count", "max_count"},
    "and": {"child"},
    "not": {"child"},
    "chars": {"pattern", "ranges", "negated", "min_count", "max_count"},
    "string": {"delimiter"},
    "until": {"delimiters"},
    "rule": {"name", "child", "trigger"},
    "ref": {"name"},
    "atomic": {"child"},
    "tag": {"child", "tag"},
}
"""The members that a node of each type must have."""


def faults(tree: dict[str, Any]) -> list[str]:
    """Return what a server would refuse: members that are missing or unknown, numbers and names of nothing."""
    parsers, found = tree["parsers"], []
    for place, node in enumerate(parsers):
        if set(node) - {"type"} != MEMBERS.get(node["type"]):
            found.append(f"{place}: {node}")
        numbers = [*node.get("children", ()), *([node["child"]] if "child" in node else [])]
        found += [f"{place}: no node {number}" for number in numbers if not 0 <= number < len(parsers)]
        if node["type"] == "ref" and node["name"] not in tree["rules"]:
            found.append(f"{place}: no rule {node['name']}")
    return found


@dataclass
class Reader:
    """Reads one text."""

    tree: dict[str, Any]
    text: str

    def read(self) -> list[Event] | None:
        """Return the tagged texts in order; ``None`` where the tree does not take the text."""
        found = self._at(self.tree["root"], 0)
        return None if found is None else found[1]

    def _at(self, number: int, at: int) -> tuple[int, list[Event]] | None:
        node, text = self.tree["parsers"][number], self.text
        match node["type"]:
            case "epsilon":
                return at, []
            case "end":
                return (at, []) if at == len(text) else None
            case "space":
                while at < len(text) and text[at] in " \t\n":
                    at += 1
                return at, []
            case "any":
                return (at + 1, []) if at < len(text) else None
            case "literal":
                return (at + len(node["literal"]), []) if text.startswith(node["literal"], at) else None
            case "sequence":
                events: list[Event] = []
                for child in node["children"]:
                    if (found := self._at(child, at)) is None:
                        return None
                    at, more = found
                    events += more
                return at, events
            case "choice":
                return next((found for child in node["children"] if (found := self._at(child, at)) is not None), None)
            case "repetition":
                return self._many(node, at)
            case "and":
                return (at, []) if self._at(node["child"], at) is not None else None
            case "not":
                return (at, []) if self._at(node["child"], at) is None else None
            case "chars":
                return self._chars(node, at)
            case "string":
                while at < len(text) and text[at] != node["delimiter"]:
                    at += 2 if text[at] == "\\" else 1
                return at, []
            case "until":
                places = [place for stop in node["delimiters"] if (place := text.find(stop, at)) >= 0]
                return min(places, default=len(text)), []
            case "ref":
                return self._at(self.tree["rules"][node["name"]], at)
            case "rule" | "atomic":
                return self._at(node["child"], at)
            case "tag":
                found = self._at(node["child"], at)
                return None if found is None else (found[0], [(node["tag"], text[at : found[0]]), *found[1]])
        raise AssertionError(node)

    def _many(self, node: dict[str, Any], at: int) -> tuple[int, list[Event]] | None:
        events: list[Event] = []
        count = 0
        while node["max_count"] < 0 or count < node["max_count"]:
            found = self._at(node["child"], at) if at < len(self.text) else None
            if found is None or found[0] == at:
                break
            at, count = found[0], count + 1
            events += found[1]
        return (at, events) if count >= node["min_count"] else None

    def _chars(self, node: dict[str, Any], at: int) -> tuple[int, list[Event]] | None:
        count = 0
        while at < len(self.text) and (node["max_count"] < 0 or count < node["max_count"]):
            inside = any(each["start"] <= ord(self.text[at]) <= each["end"] for each in node["ranges"])
            if inside is node["negated"]:
                break
            at, count = at + 1, count + 1
        return (at, []) if count >= node["min_count"] else None


@dataclass
class Message:
    """What a server makes of tagged texts."""

    reasoning_content: str = ""
    content: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)


def message_of(events: list[Event]) -> Message:
    """Return the message that the tagged texts are."""
    made = Message()
    call: dict[str, Any] = {}
    for tag, text in events:
        match tag:
            case "reasoning":
                made.reasoning_content += text
            case "content":
                made.content += text
            case "tool-open":
                call = {"name": "", "pairs": []}
                made.tool_calls.append(call)
            case "tool-name":
                call["name"] = text
            case "tool-args" if text.startswith("{"):
                call["arguments"] = json.loads(text)
            case "tool-arg-name":
                call["pairs"].append([text, None])
            case "tool-arg-value":
                words = {"True": True, "False": False, "None": None}
                call["pairs"][-1][1] = words[text] if text in words else json.loads(text)
            case "tool-arg-string-value":
                call["pairs"][-1][1] = text
    for call in made.tool_calls:
        call.setdefault("arguments", dict(call.pop("pairs")))
        call.pop("pairs", None)
    return made
