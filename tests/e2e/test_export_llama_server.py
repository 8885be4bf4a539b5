"""Exported requests in llama.cpp's own server: a random model writes what a session of ours reads, whatever it says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.model_requests import TOOLS, Asked, faults, fixture
from tests.e2e.model_server import ModelServer
from untemplate.emit.llama_server import emit_llama_server

DIALECTS = ("hermes_json_tags", "function_parameter_tags", "reasoning_tagged", "json_array", "section_with_fences")
REQUIRED = Asked("required", {"tools": TOOLS, "tool_choice": "required", "enable_thinking": False})
AUTO = Asked("auto", {"tools": TOOLS, "enable_thinking": False})


def exported(name: str, asked: Asked) -> dict[str, Any]:
    parser = asked.parser(fixture(name))
    made: dict[str, Any] = json.loads(emit_llama_server(parser.spec, parser.request, parser.start).text)
    return made


@pytest.mark.parametrize("name", DIALECTS)
def test_a_required_call_is_written_and_read(name: str, server: ModelServer) -> None:
    request = exported(name, REQUIRED)
    assert request["grammar_lazy"] is False
    for seed in range(2):
        wrote = server.generate(request["generation_prompt"] or "x", request, seed=seed, limit=600)
        message = REQUIRED.parser(fixture(name)).parse(wrote.text, truncated=not wrote.ended)
        if wrote.ended:
            assert faults(REQUIRED, message) == []
        assert message.tool_calls


@pytest.mark.parametrize("name", ["hermes_json_tags", "function_parameter_tags", "reasoning_tagged"])
def test_a_lazy_grammar_wakes_up_at_a_call(name: str, server: ModelServer) -> None:
    request = exported(name, AUTO)
    assert request["grammar_lazy"] is True
    spec = fixture(name)
    (word,) = spec.tokens.triggers
    pushed = {"logit_bias": [[word, 100.0]]}
    wrote = server.generate(request["generation_prompt"], request, seed=1, limit=400, **pushed)
    assert wrote.text.startswith(word)
    message = AUTO.parser(spec).parse(wrote.text, truncated=not wrote.ended)
    assert message.tool_calls, wrote.text
    assert message.tool_calls[0].name in {tool["function"]["name"] for tool in TOOLS}
    free = server.generate(request["generation_prompt"], {**request, "grammar": "", "grammar_lazy": False}, seed=1, limit=40, **pushed)
    assert free.text == word * 40, "without the grammar the model writes nothing but the word"


def test_a_session_reads_the_text_as_the_server_streams_it(server: ModelServer) -> None:
    request = exported("hermes_json_tags", REQUIRED)
    wrote = server.generate(request["generation_prompt"], request, seed=5, limit=600)
    parser = REQUIRED.parser(fixture("hermes_json_tags"))
    session = parser.session()
    for character in wrote.text:
        session.feed(character)
    message, _ = session.finish(truncated=not wrote.ended)
    whole = parser.parse(wrote.text, truncated=not wrote.ended)
    assert [(call.name, call.arguments) for call in message.tool_calls] == [(call.name, call.arguments) for call in whole.tool_calls]
