"""Calls that the end of the text cuts: in their closing marks, in their header, in a key."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.reading import fields, stream
from untemplate.compiler import compile_source
from untemplate.parser import Parser, build_parser
from untemplate.runtime.message import Message
from untemplate.source import load_source
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import PromptState, Spec

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "list_files",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "depth": {"type": "integer"}}},
        },
    }
]
WANTED = {"path": "/tmp/x", "depth": 7}
WITHOUT_MARKS = {"bare_json", "code_fence"}
"""Their calls open with what prose may hold."""


@cache
def compiled(name: str) -> Spec:
    return compile_source(load_source(FIXTURES / f"{name}.jinja"), verify=False).spec


NAMES = sorted(path.stem for path in FIXTURES.glob("*.jinja") if compiled(path.stem).turn.calls is not None)


@cache
def parser_of(name: str) -> Parser:
    """Return a parser whose turns begin past reasoning."""
    spec = compiled(name)
    prompts = [prompt.text for prompt in spec.prompt.generation if prompt.state is not PromptState.REASONING]
    opened = spec.prompt.generation[0].text if spec.prompt.generation else ""
    closed = opened + "x" + spec.turn.reasoning.close[0].text if spec.turn.reasoning.close else opened
    return build_parser(spec, prompt=(prompts or [closed])[0], tools=TOOLS)


def turn_of(name: str) -> str:
    call = ComposedCall(name="list_files", id="functions.list_files:0" if name == "counter_ids" else "abc123def", arguments=WANTED)
    return compose(compiled(name).turn, calls=[call])


def read(name: str, text: str, *, truncated: bool = False) -> Message:
    """Return the message, which is the same fed whole and one character at a time."""
    whole, client = stream(parser_of(name), [text], truncated=truncated)
    slowly, _ = stream(parser_of(name), list(text), truncated=truncated)
    assert fields(whole) == fields(slowly)
    assert client.content == whole.content
    return whole


def arguments(message: Message) -> list[Any]:
    return [json.loads(call.arguments) for call in message.tool_calls]


def cuts_behind_the_values(name: str) -> list[str]:
    """Return the turn cut behind its last value, at every place where two characters or more of a mark are there."""
    text = turn_of(name)
    behind = max(text.rfind("7") + 1, text.rfind("/tmp/x") + len("/tmp/x"))
    return [text[:at] for at in range(behind + 2, len(text) + 1) if text[at - 1] not in "<`[]{} \n"]


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_is_cut_in_its_closing_marks_is_whole_where_the_turn_ended_by_itself(name: str) -> None:
    for text in cuts_behind_the_values(name):
        message = read(name, text)
        assert (arguments(message), message.content.strip(), message.finish_reason) == ([WANTED], "", "tool_calls"), text


@pytest.mark.parametrize("name", ["function_parameter_tags", "key_value_tags", "typed_attributes"])
def test_a_call_that_the_limit_cut_in_its_closing_marks_keeps_its_values_and_stays_open(name: str) -> None:
    text = turn_of(name)
    cut = text[: text.rindex("7") + text[text.rindex("7") :].index("</") + 3]
    message = read(name, cut, truncated=True)
    (call,) = message.tool_calls
    assert not call.complete
    assert json.loads(call.arguments + "}") == WANTED
    assert "cut_marker" in [each.code for each in message.diagnostics]


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITHOUT_MARKS))
def test_nothing_of_a_call_that_the_limit_cut_is_content(name: str) -> None:
    text = turn_of(name)
    for at in range(1, text.index("/tmp")):
        message = read(name, text[:at], truncated=True)
        left = message.content.strip()
        assert all(not call.complete for call in message.tool_calls)
        assert "list_files" not in left, text[:at]
        assert "path" not in left, text[:at]
        assert text[:at].rstrip().endswith(left), text[:at]


@pytest.mark.parametrize("name", NAMES)
def test_content_that_the_limit_cut_is_kept_and_was_streamed_before(name: str) -> None:
    prefill = parser_of(name).start.prefill
    whole = compose(compiled(name).turn, content="Helloworld").removeprefix(prefill)
    session = parser_of(name).session()
    streamed = "".join(delta.content or "" for delta in session.feed(whole[: whole.index("world") + len("world")]))
    message, _ = session.finish(truncated=True)
    assert (streamed, message.content, message.diagnostics) == ("Helloworld", "Helloworld", ())


def test_markup_of_a_call_that_is_none_yet_is_told_of() -> None:
    message = read("counter_ids", "Hi.<|calls_begin|><|call_begin|>functions.list", truncated=True)
    assert (message.content, message.tool_calls, message.finish_reason) == ("Hi.", (), "length")
    (problem,) = message.diagnostics
    assert (problem.code, problem.position) == ("incomplete_call", 3)


def test_a_name_that_is_cut_behind_a_marker_of_the_prompt_is_told_of() -> None:
    message = read("chevron_name", "list_f", truncated=True)
    (problem,) = message.diagnostics
    assert (message.content, problem.code, problem.position, problem.message) == ("", "incomplete_call", 0, "list_f")


def test_prose_about_a_marker_is_kept_where_no_call_can_come_of_it() -> None:
    text = "A call is written <tool_call>, then the na"
    assert read("hermes_json_tags", text, truncated=True).content == text


def test_json_that_the_limit_cut_is_content_where_calls_have_no_marker() -> None:
    text = '{"name": "Ada", "born": 18'
    assert read("bare_json", text, truncated=True).content == text


def test_a_json_list_as_an_answer_is_no_call_where_calls_have_no_marker() -> None:
    text = '[{"name": "Ada", "born": 1815}]'
    message = read("bare_json", text)
    assert (message.content, message.tool_calls, message.diagnostics) == (text, (), ())


def test_a_cut_opening_of_a_further_call_is_dropped() -> None:
    text = turn_of("hermes_json_tags") + "\n<tool_ca"
    message = read("hermes_json_tags", text)
    assert (arguments(message), message.content, [each.code for each in message.diagnostics]) == ([WANTED], "", ["cut_marker"])


def test_a_cut_opening_of_a_further_pair_is_dropped() -> None:
    text = turn_of("function_parameter_tags")
    cut = text[: text.index("<parameter=depth") + len("<param")]
    message = read("function_parameter_tags", cut)
    assert (arguments(message), message.content) == ([{"path": "/tmp/x"}], "")
    assert {"cut_marker", "unclosed_call"} <= {each.code for each in message.diagnostics}


def test_the_bracket_that_closes_a_keys_tag_may_be_left_out_at_the_end_of_a_line() -> None:
    text = turn_of("function_parameter_tags").replace("<parameter=path>", "<parameter=path")
    message = read("function_parameter_tags", text)
    assert (arguments(message), [each.code for each in message.diagnostics]) == ([WANTED], ["repaired"])
