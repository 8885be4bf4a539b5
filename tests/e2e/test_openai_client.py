"""Turns of models, streamed through sessions by a server on this machine to the real ``openai`` client, sync and async.

The server is what a runtime would write: it feeds bytes as they come from a model, cut anywhere, and sends what
``untemplate.runtime.sse`` makes of the deltas. The client is the judge: what it cannot parse or add up is a fault of ours.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import openai
import pytest

from tests.declared import tool, weather
from tests.reading import fields
from untemplate import build_parser, load_spec
from untemplate.runtime.message import Message
from untemplate.runtime.sse import stream_events
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode

GOLDEN = Path(__file__).parents[2] / "golden"
FIXTURES = sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))
SIZES = (1, 2, 3, 5, 7, 1, 64)
"""Bytes of a piece, by turns: characters are cut in their middle."""
USAGE = {"prompt_tokens": 11, "completion_tokens": 22, "total_tokens": 33}
TOOLS = [weather(), tool("ping")]

THOUGHT = "<think>\nDas Wetter in Zürich … 🤔\n</think>\n\n"
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich \\"🌧\\"", "days": 3}}\n</tool_call>'
PING = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
TURNS: dict[str, tuple[str, str]] = {
    "content": ("hermes_json_tags", "Grüezi 🌍, a < b.\x85\u2028\r\n<|im_end|>\n"),
    "reasoning": ("reasoning_tagged", f"{THOUGHT}Grüezi.<|im_end|>\n"),
    "one call": ("hermes_json_tags", f"Let me look.\n{CALL}<|im_end|>\n"),
    "several calls": ("reasoning_tagged", f"{THOUGHT}{CALL}\n{PING}\n{CALL}<|im_end|>\n"),
    "raw arguments": (
        "function_parameter_tags",
        (
            '<tool_call>\n<function=get_weather>\n<parameter=city>\nZü"rich\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n'
            "</tool_call><|im_end|>\n"
        ),
    ),
    "ids behind arguments": (
        "json_array",
        (
            '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "北京"}, "id": "abc123def"}, '
            '{"name": "ping", "arguments": {}, "id": "abc123deg"}]</s>'
        ),
    ),
    "a cut call": ("hermes_json_tags", f"Let me look.\n{CALL[:-25]}"),
    "broken bytes": ("hermes_json_tags", "a\udcff\udce5\udc8cb"),
    "nothing": ("hermes_json_tags", ""),
}
"""Recorded outputs, by name: the format, and the text (bytes that are no UTF-8 as surrogates)."""


def composed(name: str) -> str:
    """Return a turn with all that a format can write."""
    spec = load_spec(GOLDEN / name / "spec.yaml")
    thought = "Hm, 北京." if spec.turn.reasoning.mode is not ReasoningMode.NONE else None
    if spec.turn.calls is None:
        return compose(spec.turn, reasoning=thought, content="Grüezi.")
    call = ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": "Zürich", "days": 3})
    return compose(spec.turn, reasoning=thought, calls=[call])


RECORDED = tuple(TURNS)
TURNS |= {name: (name, composed(name)) for name in FIXTURES}


@cache
def parser_of(fixture: str) -> Any:
    return build_parser(load_spec(GOLDEN / fixture / "spec.yaml"), tools=TOOLS, add_generation_prompt=False, new_id=lambda: "made")


def data_of(turn: str) -> bytes:
    return TURNS[turn][1].encode("utf-8", "surrogateescape")


def expected(turn: str, *, truncated: bool = False) -> Message:
    """Return the message of a turn that is read whole."""
    return parser_of(TURNS[turn][0]).parse(data_of(turn).decode("utf-8", "replace"), truncated=truncated)


def pieces(data: bytes) -> Iterator[bytes]:
    sizes = itertools.cycle(SIZES)
    while data:
        size = next(sizes)
        yield data[:size]
        data = data[size:]


class Handler(BaseHTTPRequestHandler):
    """Answers for the turn that the request names as its model."""

    printed: ClassVar[dict[str, bytes]] = {}
    """Streams that another program has written, by name."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        stream = request.get("stream", False)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if stream else "application/json")
        self.end_headers()
        if request["model"] in self.printed:
            self.wfile.write(self.printed[request["model"]])
        else:
            for part in self.streamed(request) if stream else self.whole(request):
                self.wfile.write(part.encode())
                self.wfile.flush()

    def streamed(self, request: dict[str, Any]) -> Iterator[str]:
        turn = request["model"]
        return stream_events(
            parser_of(TURNS[turn][0]).session(),
            pieces(data_of(turn)),
            id="chatcmpl-7",
            model=turn,
            created=1_700_000_000,
            truncated=lambda: "max_tokens" in request,
            reasoning_field=request.get("reasoning_field", "reasoning_content"),
            usage=(lambda: USAGE) if request.get("stream_options", {}).get("include_usage") else None,
        )

    def whole(self, request: dict[str, Any]) -> Iterator[str]:
        message = expected(request["model"], truncated="max_tokens" in request)
        choice = {"index": 0, "message": message.to_dict(), "finish_reason": message.finish_reason}
        yield json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE})

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")


def ask(address: str, turn: str, **request: Any) -> list[Any]:
    """Return the chunks that the client gives."""
    with (
        openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client,
        client.chat.completions.create(model=turn, messages=[{"role": "user", "content": "?"}], stream=True, **request) as stream,
    ):
        return list(stream)


def ask_async(address: str, turn: str, **request: Any) -> list[Any]:
    async def asked() -> list[Any]:
        async with openai.AsyncOpenAI(base_url=address, api_key="none", max_retries=0) as client:
            messages = [{"role": "user", "content": "?"}]
            async with await client.chat.completions.create(model=turn, messages=messages, stream=True, **request) as stream:
                return [chunk async for chunk in stream]

    return asyncio.run(asked())


each_client = pytest.mark.parametrize("asking", [ask, ask_async])


def add_up(chunks: list[Any], reasoning_field: str = "reasoning_content") -> tuple[str, str, list[tuple[str, str]]]:
    """Return reasoning, content and calls as users of the client add them up."""
    reasoning = content = ""
    calls: defaultdict[int, dict[str, str]] = defaultdict(lambda: {"id": "", "name": "", "arguments": ""})
    for chunk in chunks:
        for choice in chunk.choices:
            content += choice.delta.content or ""
            reasoning += getattr(choice.delta, reasoning_field, None) or ""
            for part in choice.delta.tool_calls or ():
                call = calls[part.index]
                call["id"] += part.id or ""
                call["name"] += part.function.name or ""
                call["arguments"] += part.function.arguments or ""
                assert part.type == ("function" if part.id else None)
    assert list(calls) == list(range(len(calls)))
    assert all(call["id"] for call in calls.values())
    return reasoning, content, [(call["name"], call["arguments"]) for call in calls.values()]


@pytest.mark.parametrize(("asking", "turn"), [*((ask, turn) for turn in TURNS), *((ask_async, turn) for turn in RECORDED)])
def test_the_client_adds_up_the_message(asking, turn, address):
    chunks = asking(address, turn)
    message = expected(turn)
    assert add_up(chunks) == fields(message)
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason] == [message.finish_reason]
    for call in message.tool_calls:
        assert not call.complete or isinstance(json.loads(call.arguments), dict)


@pytest.mark.parametrize(
    ("turn", "reason", "calls"),
    [
        ("content", "stop", []),
        ("one call", "tool_calls", [("get_weather", {"city": 'Zürich "🌧"', "days": 3})]),
        (
            "several calls",
            "tool_calls",
            [("get_weather", {"city": 'Zürich "🌧"', "days": 3}), ("ping", {}), ("get_weather", {"city": 'Zürich "🌧"', "days": 3})],
        ),
        ("raw arguments", "tool_calls", [("get_weather", {"city": 'Zü"rich', "days": 3})]),
        ("ids behind arguments", "tool_calls", [("get_weather", {"city": "北京"}), ("ping", {})]),
    ],
)
def test_fragments_of_arguments_join_to_json(turn, reason, calls, address):
    chunks = ask(address, turn)
    assert [(name, json.loads(arguments)) for name, arguments in add_up(chunks)[2]] == calls
    assert chunks[-1].choices[0].finish_reason == reason
    fragments = [part for chunk in chunks for part in chunk.choices[0].delta.tool_calls or () if not part.id]
    assert len(fragments) >= len(calls)
    assert not any(part.function.name for part in fragments)


@each_client
def test_the_role_comes_first_and_once_and_all_chunks_have_one_head(asking, address):
    chunks = asking(address, "several calls")
    assert [chunk.choices[0].delta.role for chunk in chunks] == ["assistant"] + [None] * (len(chunks) - 1)
    assert {(chunk.id, chunk.model, chunk.created, chunk.object) for chunk in chunks} == {
        ("chatcmpl-7", "several calls", 1_700_000_000, "chat.completion.chunk")
    }
    assert all(chunk.choices[0].index == 0 for chunk in chunks)


@each_client
@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_comes_under_the_name_that_was_asked_for(asking, field, address):
    chunks = asking(address, "reasoning", extra_body={"reasoning_field": field})
    (other,) = {"reasoning_content", "reasoning"} - {field}
    assert add_up(chunks, field)[:2] == ("Das Wetter in Zürich … 🤔", "Grüezi.")
    assert add_up(chunks, other)[0] == ""


@each_client
def test_usage_comes_last_without_choices_where_it_was_asked_for(asking, address):
    *chunks, last = asking(address, "one call", stream_options={"include_usage": True})
    assert (last.choices, last.usage.to_dict()) == ([], USAGE)
    assert all(chunk.usage is None and "usage" in chunk.model_fields_set for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
    assert all(chunk.choices and chunk.usage is None for chunk in asking(address, "one call"))


@each_client
@pytest.mark.parametrize("turn", ["content", "one call", "a cut call"])
def test_length_is_the_reason_where_the_limit_ended_the_turn(asking, turn, address):
    chunks = asking(address, turn, max_tokens=1)
    assert chunks[-1].choices[0].finish_reason == "length"
    assert add_up(chunks) == fields(expected(turn, truncated=True))


def test_a_stream_ends_with_done_and_each_event_is_one_object(address):
    written = list(stream_events(parser_of("hermes_json_tags").session(), pieces(data_of("content"))))
    assert written[-1] == "data: [DONE]\n\n"
    for event in written[:-1]:
        assert event.startswith("data: {")
        assert len(event.splitlines()) == 2
        assert event.endswith("\n\n")
        json.loads(event.removeprefix("data: "))


def test_the_clients_own_accumulator_takes_the_stream(address):
    with (
        openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client,
        client.chat.completions.stream(model="several calls", messages=[{"role": "user", "content": "?"}]) as stream,
    ):
        done = [event for event in stream if event.type == "tool_calls.function.arguments.done"]
        message = stream.get_final_completion().choices[0].message
    assert [(call.function.name, call.function.arguments) for call in message.tool_calls] == fields(expected("several calls"))[2]
    assert [event.name for event in done] == ["get_weather", "ping", "get_weather"]


@pytest.mark.parametrize("turn", ["content", "reasoning", "several calls"])
def test_a_whole_message_is_a_completion_of_the_client(turn, address):
    with openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client:
        answer = client.chat.completions.create(model=turn, messages=[{"role": "user", "content": "?"}])
    choice, message = answer.choices[0], expected(turn)
    assert choice.finish_reason == message.finish_reason
    assert choice.message.content == (message.content or None)
    assert getattr(choice.message, "reasoning_content", "") == message.reasoning_content
    calls = [(call.function.name, call.function.arguments) for call in choice.message.tool_calls or ()]
    assert calls == fields(message)[2]


@each_client
def test_what_the_command_line_streams_goes_through_the_client(asking, address, tmp_path):
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), "utf-8")
    command = [sys.executable, "-m", "untemplate", "parse", GOLDEN / "reasoning_tagged", "--tools", tmp_path / "tools.json", "--stream"]
    done = subprocess.run([*command, "--reasoning-field", "reasoning"], input=data_of("several calls"), capture_output=True, check=True)
    Handler.printed["printed"] = done.stdout
    chunks = asking(address, "printed")
    assert add_up(chunks, "reasoning") == fields(expected("several calls"))
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
