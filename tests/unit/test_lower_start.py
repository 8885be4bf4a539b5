"""Where a turn starts: after a prompt or its tail, after the template's own prompt, in a message to be continued."""

from __future__ import annotations

import pytest

from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import codes, read, stream
from untemplate.errors import RequestError
from untemplate.lower.start import start_of_prompt
from untemplate.parser import build_parser


class TestPrompt:
    @pytest.mark.parametrize(
        ("spec", "prompt", "prefill"),
        [
            (d.FUNCTION_TAGS, "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\n", "<think>\n"),
            (d.FUNCTION_TAGS, "<|im_start|>assistant\nold<|im_end|>\n<|im_start|>assistant\n", ""),
            (d.FUNCTION_TAGS, "<|im_start|>assistant\nSure, ", "Sure, "),
            (d.FUNCTION_TAGS, "<think>\n", "<think>\n"),
            (d.FUNCTION_TAGS, "user\nWhat is <think>?\n<think>\n\n</think>\n\n", "<think>\n\n</think>\n\n"),
            (d.CUSTOM_QUOTES, "<|turn>model\n<|channel>", "<|channel>"),
            (d.NAME_ARGS, "[INST]hi[/INST]", ""),
            (d.NAME_ARGS, "[INST]hi[/INST][THINK]", "[THINK]"),
        ],
    )
    def test_what_follows_the_last_header_has_been_written_already(self, spec, prompt, prefill):
        start = start_of_prompt(spec, prompt, extract_reasoning=True)
        assert (start.prefill, start.keep, start.problem) == (prefill, len(prefill), "")

    def test_a_prompt_that_tells_nothing_is_a_diagnostic(self):
        message = read(d.FUNCTION_TAGS, "Hi", prompt="some text")
        assert (message.content, codes(message)) == ("Hi", ["prompt_mismatch"])

    def test_a_client_may_begin_a_marker_or_the_answer(self):
        message = read(d.CUSTOM_QUOTES, "thought\nhm\n<channel|>Fine.", prompt="<|turn>model\n<|channel>")
        assert (message.reasoning_content, message.content) == ("hm", "Fine.")
        message = read(d.CUSTOM_QUOTES, " of course.", prompt="<|turn>model\nYes,")
        assert message.content == " of course."

    def test_a_marker_that_the_client_only_seemed_to_begin(self):
        message = read(d.CUSTOM_QUOTES, " but no.", prompt="<|turn>model\nA <|chan")
        assert message.content == " but no."

    def test_positions_of_diagnostics_count_from_the_turn(self):
        message = read(d.FUNCTION_TAGS, "hm</think>Hi<|im_end|>more", prompt="<|im_start|>assistant\n<think>\n")
        (diagnostic,) = message.diagnostics
        assert (diagnostic.code, diagnostic.position) == ("text_after_end", len("hm</think>Hi<|im_end|>"))


class TestRequest:
    def test_the_templates_own_prompt_decides_where_none_is_given(self):
        assert read(d.FUNCTION_TAGS, "hm").reasoning_content == "hm"
        assert read(d.FUNCTION_TAGS, "Hi", enable_thinking=False).content == "Hi"
        assert read(d.FUNCTION_TAGS, "Hi", add_generation_prompt=False).content == "Hi"


class TestContinuation:
    MESSAGES = ({"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello, ", "reasoning_content": "I'm thinking"})

    @pytest.mark.parametrize("name", ["function_tags", "name_args", "custom_quotes", "channels", "wrapped_content", "separate_blocks"])
    def test_of_content_includes_what_the_message_had(self, name):
        parser = build_parser(d.DIALECTS[name], messages=self.MESSAGES, add_generation_prompt=False, continue_final_message="content")
        message, client = stream(parser, ["world!", "\nWhat's up?"])
        assert (message.reasoning_content, message.content) == ("I'm thinking", "Hello, world!\nWhat's up?")
        assert (client.reasoning, client.content) == ("I'm thinking", "Hello, world!\nWhat's up?")

    def test_of_reasoning(self):
        messages = [{"role": "assistant", "content": "", "reasoning_content": "I'm"}]
        message = read(d.FUNCTION_TAGS, " thinking\n</think>\n\nHello.", messages=messages, continue_final_message="reasoning")
        assert (message.reasoning_content, message.content) == ("I'm thinking", "Hello.")

    def test_content_may_be_parts(self):
        messages = [{"role": "assistant", "content": [{"type": "text", "text": "Hello, "}]}]
        assert read(d.HERMES, "you.", messages=messages, continue_final_message="content").content == "Hello, you."

    @pytest.mark.parametrize(
        ("messages", "which", "where"),
        [
            ([{"role": "user", "content": "hi"}], "content", "messages"),
            (None, "content", "messages"),
            ([{"role": "assistant", "content": "a"}], "calls", "continue_final_message"),
        ],
    )
    def test_what_cannot_be_continued_is_refused(self, messages, which, where):
        with pytest.raises(RequestError) as refusal:
            build_parser(d.HERMES, messages=messages, continue_final_message=which)
        assert refusal.value.where == where


class TestRequests:
    def test_tools_and_a_grammar_of_ones_own_are_an_error(self):
        with pytest.raises(RequestError):
            build_parser(d.HERMES, tools=TOOLS, grammar='root ::= "a"')
        assert build_parser(d.HERMES, grammar='root ::= "a"').parse("a").content == "a"

    @pytest.mark.parametrize("choice", ["sometimes", {"type": "function", "function": {"name": "nope"}}, 3])
    def test_an_unknown_tool_choice_is_refused(self, choice):
        with pytest.raises(RequestError) as refusal:
            build_parser(d.HERMES, tools=TOOLS, tool_choice=choice)
        assert refusal.value.where == "tool_choice"
        assert refusal.value.hint

    def test_a_required_call_needs_tools(self):
        with pytest.raises(RequestError):
            build_parser(d.HERMES, tool_choice="required")

    @pytest.mark.parametrize("tools", [[{}], [{"type": "function"}], ["x"], [{"type": "function", "function": {"name": ""}}]])
    def test_a_tool_needs_a_name(self, tools):
        with pytest.raises(RequestError):
            build_parser(d.HERMES, tools=tools)

    def test_a_tool_needs_no_parameters_and_no_wrapper(self):
        text = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
        for tools in ([{"name": "ping"}], [{"type": "function", "function": {"name": "ping", "parameters": None}}]):
            assert read(d.HERMES, text, tools=tools).tool_calls[0].name == "ping"


class TestSchema:
    SCHEMA = {"type": "object", "properties": {"amount": {"type": "number"}}}

    @pytest.mark.parametrize(
        ("spec", "text"),
        [
            (d.NAME_ARGS, '[THINK]hm[/THINK]```json\n{"amount":  1.50}\n```'),
            (d.NAME_ARGS, '[THINK]hm[/THINK]{"amount":  1.50}\n'),
            (
                d.CHANNELS,
                (
                    "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>"
                    '{"amount":  1.50}<|return|>'
                ),
            ),
            (d.WRAPPED_CONTENT, '<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>{"amount":  1.50}<|END_RESPONSE|>'),
        ],
    )
    def test_the_turn_is_one_json_value_as_it_was_written(self, spec, text):
        message = read(spec, text, response_schema=self.SCHEMA)
        assert (message.reasoning_content, message.content, codes(message)) == ("hm", '{"amount":  1.50}', [])

    @pytest.mark.parametrize("text", ['"42"', '```json\n"42"\n```', '"42"\n', '```\n"42"```\n<|eot_id|>'])
    def test_a_fence_is_dropped_around_any_value(self, text):
        assert read(d.BARE_JSON, text, response_schema={"const": "42"}).content == '"42"'

    def test_it_wins_over_tools(self):
        message = read(d.BARE_JSON, '{"name": "ping", "parameters": {}}', response_schema=True, tools=TOOLS)
        assert (message.content, message.tool_calls) == ('{"name": "ping", "parameters": {}}', ())

    def test_what_is_no_json_is_content_and_said(self):
        message = read(d.BARE_JSON, "Sorry, I cannot.", response_schema=self.SCHEMA)
        assert (message.content, codes(message)) == ("Sorry, I cannot.", ["not_json"])
