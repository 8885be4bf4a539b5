"""Streams made to break a reader, in the format of every fixture: nothing raises, and what was sent stands.

Markers whole, cut and quoted, in prose, reasoning and values; JSON that is deep, huge, repeated or broken; bytes that are no
text; ends where none belongs. Whatever comes, the message must be the same however the bytes are cut, each field of each
beginning the beginning of that field, a complete call's arguments one JSON object, and all of it sendable as UTF-8.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading import Client, fields, load_strictly, stream
from untemplate import load_spec
from untemplate.lower.signs import marker_texts, read_signs
from untemplate.parser import Parser, build_parser
from untemplate.peg.json_reader import JsonReader
from untemplate.peg.nodes import Json
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode, Spec

GOLDEN = Path(__file__).parents[2] / "golden"
FIXTURES = sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))
each_fixture = pytest.mark.parametrize("name", FIXTURES)
some = settings(max_examples=max(12, settings.default.max_examples // 5))

STRING = {"type": "string"}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "put",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": STRING,
                    "size": {"type": ["integer", "null"]},
                    "any": {},
                    "map": {"type": "object"},
                    "tags": {"type": "array", "items": STRING},
                },
            },
        },
    },
    {"type": "function", "function": {"name": "open", "parameters": {"type": "object", "additionalProperties": True}}},
    {"type": "function", "function": {"name": "ping", "parameters": {}}},
]
DEEP = 100
VALUES = (
    '"\\ud800"',
    '"\\udc00\\ud83d"',
    '"\\ud83d\\ude00 \\u0000"',
    '{"a": "\\udfff", "\\ud800": 1}',
    '{"a": 1, "a": 2, "a": {"b": 1, "b": 2}}',
    "[" * DEEP + "]" * DEEP,
    '{"a":' * DEEP + "1" + "}" * DEEP,
    "9" * 400,
    "-1e999",
    "0.1e-999",
    "9" * 5000,
    "01",
    "NaN",
    "[1,,2]",
    "{'a': True, \"b\": None}",
    '"a\nb\x00"',
    '"\\x41 \\q"',
    '{"a": ',
    '"',
    "tru",
    "",
    "\r\n",
    "\ufeff",
    '"\\',
    "{}",
)
"""What stands where a value is expected."""
PROSE = (
    "a ",
    "\r\n",
    "\n",
    "\n\n",
    " ",
    "\ufeff",
    "\x00",
    "é🙂",
    '"',
    "'",
    "`",
    "<",
    "|",
    ">",
    "{",
    "}",
    "\\",
    "[",
    "put",
    ": ",
    "\ufdd0",
    "x",
)
ARGUMENTS = ({"text": "HERE", "size": 3}, {"size": "HERE"}, {"map": {"a": "HERE"}, "tags": ["HERE"]}, {"extra": "HERE"}, {})
BYTES = (b"\xff", b"\xc3", b"\xf0\x9f", b"\xed\xa0\x80", b"\x00")


@cache
def spec_of(name) -> Spec:
    return load_spec(GOLDEN / name / "spec.yaml")


NAMED = {"type": "function", "function": {"name": "put"}}
REQUESTS = {
    "behind the header": {"tools": TOOLS, "add_generation_prompt": False},
    "behind the prompt": {"tools": TOOLS},
    "without thinking": {"tools": TOOLS, "enable_thinking": False},
    "without tools": {},
    "without a choice": {"tools": TOOLS, "tool_choice": "none"},
    "one tool named": {"tools": TOOLS, "tool_choice": NAMED, "parallel_tool_calls": False},
    "reasoning kept": {"tools": TOOLS, "extract_reasoning": False},
    "one value": {"response_schema": {"type": "object"}},
    "another prompt": {"tools": TOOLS, "prompt": "You are <think>"},
}
"""The first two come most often."""
requests = st.sampled_from([*list(REQUESTS)[:2] * 4, *REQUESTS])


@cache
def parser_of(name, request) -> Parser:
    return build_parser(spec_of(name), **REQUESTS[request], new_id=lambda: "made")


@cache
def markers(name) -> tuple[str, ...]:
    return marker_texts(read_signs(spec_of(name), with_calls=True))


@cache
def skeletons(name) -> tuple[str, ...]:
    """Return turns with ``HERE`` where a value, reasoning or content stands."""
    turn = spec_of(name).turn
    found = [compose(turn, content="HERE")]
    if turn.reasoning.mode is not ReasoningMode.NONE:
        found.append(compose(turn, reasoning="HERE", content="b"))
    if turn.calls is not None:
        for called in ("put", "open", "ping", "unknown"):
            found += [compose(turn, calls=[ComposedCall(name=called, id="a1B2c3D4e", arguments=each)]) for each in ARGUMENTS]
        found.append(compose(turn, calls=[ComposedCall(name="HERE", id="HERE", arguments={"HERE": 1})]))
    return tuple(dict.fromkeys(found))


@st.composite
def pieces_of_marker(draw, name) -> str:
    """Return a marker, or a piece of one, maybe between quotes."""
    marker = draw(st.sampled_from(markers(name) or ("<x>",)))
    if draw(st.booleans()):
        start = draw(st.integers(0, len(marker) - 1))
        marker = marker[start : draw(st.integers(start + 1, len(marker)))]
    quote = draw(st.sampled_from(("", "", "", "`", '"', "\n")))
    return quote + marker + quote


@st.composite
def hostile(draw, name) -> bytes:
    """Return the bytes of a turn that no good model writes."""
    text = st.one_of(st.sampled_from(PROSE), pieces_of_marker(name), st.sampled_from(VALUES))
    filled = st.lists(text, max_size=4).map("".join)
    blocks = []
    for _ in range(draw(st.integers(1, 3))):
        block = draw(st.sampled_from(skeletons(name)))
        value = draw(filled)
        if draw(st.booleans()):  # a value of any type: the quotes around the place go
            block = re.sub(r'"HERE"', lambda _, value=value: value, block)
        block = block.replace("HERE", value)
        if draw(st.integers(0, 3)) == 0:
            block = block[: draw(st.integers(0, len(block)))]
        blocks += [block, draw(st.one_of(st.just(""), filled))]
    end = draw(st.sampled_from(("", "", *spec_of(name).prompt.end_of_turn.content, *spec_of(name).prompt.end_of_turn.calls)))
    data = ("".join(blocks) + end).encode()
    for _ in range(draw(st.sampled_from((0, 0, 0, 1, 2)))):
        place = draw(st.integers(0, len(data)))
        data = data[:place] + draw(st.sampled_from(BYTES)) + data[place:]
    return data


def check_message(message, *, truncated):
    """Demand what holds of any message."""
    json.dumps(message.to_dict(), ensure_ascii=False).encode()
    whole = [call for call in message.tool_calls if call.complete]
    assert message.finish_reason == ("length" if truncated else "tool_calls" if whole else "stop")
    not_json = "not_json" in {each.code for each in message.diagnostics}
    for call in message.tool_calls:
        assert call.name.strip()
        if call.complete:
            value = load_strictly(call.arguments)
            json.dumps(value, ensure_ascii=False).encode()
            assert isinstance(value, dict) or not_json
        else:
            reader = JsonReader(Json())
            assert reader.read(call.arguments, 0, False)[0] is not False, "not the beginning of JSON"
            assert not reader.notes


@each_fixture
@some
@given(data=st.data())
def test_whatever_comes_is_one_message_and_what_was_sent_stands(name, data):
    turn, truncated = data.draw(hostile(name)), data.draw(st.booleans())
    parser = parser_of(name, data.draw(requests))
    whole, _ = stream(parser, [turn], truncated=truncated)
    check_message(whole, truncated=truncated)
    assert parser.parse(turn.decode("utf-8", "replace"), truncated=truncated) == whole

    places = [0, *sorted(data.draw(st.lists(st.integers(0, len(turn)), max_size=6))), len(turn)]
    assert stream(parser, [turn[a:b] for a, b in zip(places, places[1:], strict=False)], truncated=truncated)[0] == whole

    session, client = parser.session(), Client()
    reasoning, content, calls = fields(whole)
    for byte in turn:
        client.add(session.feed_bytes(bytes([byte])))
        assert reasoning.startswith(client.reasoning)
        assert content.startswith(client.content)
        assert len(client.calls) <= len(calls)
        for mine, (called, arguments) in zip(client.calls, calls, strict=False):
            assert mine["name"] == called
            assert arguments.startswith(mine["arguments"])
    message, deltas = session.finish(truncated=truncated)
    client.add(deltas)
    assert message == whole
    assert client.fields() == fields(whole)
