"""Helpers of the tests that read turns: a client that adds up deltas, and the ways to cut a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from untemplate.parser import Parser, build_parser
from untemplate.runtime.message import Delta, Message
from untemplate.spec.model import Spec


class Client:
    """Adds up deltas as an OpenAI streaming client does, and refuses what such a client cannot add up."""

    def __init__(self) -> None:
        self.content = ""
        self.reasoning = ""
        self.calls: list[dict[str, str]] = []

    def add(self, deltas: Iterable[Delta]) -> None:
        for delta in deltas:
            data = delta.to_dict()
            assert data, "an empty delta"
            self.content += data.get("content") or ""
            self.reasoning += data.get("reasoning_content") or ""
            for part in data.get("tool_calls", []):
                self._add_call(part)

    def _add_call(self, part: Mapping[str, Any]) -> None:
        function = part["function"]
        if part["index"] == len(self.calls):
            assert function["name"], part
            assert part["id"], part
            assert function["arguments"] == "", part
            self.calls.append({"id": part["id"], "name": function["name"], "arguments": ""})
        else:
            assert part["index"] == len(self.calls) - 1, part
            assert not {"name", "id"} & {*function, *part}, part
            assert function["arguments"], "an empty piece of arguments"
            self.calls[-1]["arguments"] += function["arguments"]

    def fields(self) -> tuple[str, str, list[tuple[str, str]]]:
        return self.reasoning, self.content, [(call["name"], call["arguments"]) for call in self.calls]


def fields(message: Message) -> tuple[str, str, list[tuple[str, str]]]:
    """Return reasoning, content and calls of a message."""
    return message.reasoning_content, message.content, [(call.name, call.arguments) for call in message.tool_calls]


def cut(text: str, places: Iterable[int]) -> list[str]:
    """Return a text cut at these places."""
    edges = [0, *sorted({place for place in places if 0 < place < len(text)}), len(text)]
    return [text[start:stop] for start, stop in zip(edges, edges[1:], strict=False)]


def stream(parser: Parser, chunks: Iterable[str | bytes], *, truncated: bool = False) -> tuple[Message, Client]:
    """Return the message of a turn fed in chunks, and the client that added up its deltas."""
    session, client = parser.session(), Client()
    for chunk in chunks:
        client.add(session.feed(chunk) if isinstance(chunk, str) else session.feed_bytes(chunk))
    message, deltas = session.finish(truncated=truncated)
    client.add(deltas)
    assert client.fields() == fields(message), "the deltas do not add up to the message"
    return message, client


def read(spec: Spec, text: str, *, truncated: bool = False, **request: Any) -> Message:
    """Return the message of a turn, read whole and one character at a time, which must agree."""
    numbers = iter(range(10_000))
    parser = build_parser(spec, new_id=lambda: f"id{next(numbers)}", **request)
    whole = parser.parse(text, truncated=truncated)
    single, _ = stream(parser, text, truncated=truncated)
    assert fields(single) == fields(whole), "one character at a time reads otherwise"
    assert [each.code for each in single.diagnostics] == [each.code for each in whole.diagnostics]
    assert single.finish_reason == whole.finish_reason
    return whole


def load_strictly(arguments: str) -> Any:
    """Return the value of a call's arguments, in which no object may have a key twice."""
    return json.loads(arguments, object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    assert len(dict(pairs)) == len(pairs), "a key stands twice"
    return dict(pairs)


def codes(message: Message) -> list[str]:
    """Return the codes of what did not fit."""
    return [each.code for each in message.diagnostics]


def calls(message: Message) -> list[tuple[str, Any]]:
    """Return names and decoded arguments of the calls, all of which must be whole."""
    assert all(call.complete for call in message.tool_calls), "a call is not complete"
    return [(call.name, json.loads(call.arguments)) for call in message.tool_calls]
