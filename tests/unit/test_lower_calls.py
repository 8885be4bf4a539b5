"""Where a call begins and ends, and what is tolerated around it."""

from __future__ import annotations

import pytest

from tests import dialects as d
from tests.dialects import TOOLS, tool
from tests.reading import calls, codes, read
from untemplate.parser import build_parser

CALL = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'


SPELLINGS = [
    (d.HERMES, '<tool_call>\n{"name": "act", "arguments": {"count": 1}}\n</tool_call>'),
    (d.HERMES, '<tool_call>{ "arguments" : {"count": 1},\n "name":"act" }</tool_call><|im_end|>'),
    (d.HERMES, '<tool_call>\n{"id": 7, "name": "act", "note": [1, {"x": null}], "arguments": {"count": 1}}\n</tool_call>'),
    (d.HERMES, '<tool_call>\n{"name": "act", "parameters": {"count": 1}}\n</tool_call>'),
    (d.HERMES, '<tool_call>\n{"name": "act", "arguments": "{\\"count\\": 1}"}\n</tool_call>'),
    (d.HERMES, '<tool_call>\n{"type": "function", "function": {"name": "act", "arguments": {"count": 1}}}\n</tool_call>'),
    (d.HERMES, '<tool_call>\n[{"name": "act", "arguments": {"count": 1}}]\n</tool_call>'),
    (d.HERMES, "<tool_call>\n{'name': 'act', 'arguments': {'count': 1}}\n</tool_call>"),
    (d.FUNCTION_TAGS, "<tool_call>\n<function=act>\n<parameter=count>\n1\n</parameter>\n</function>\n</tool_call>"),
    (d.FUNCTION_TAGS, "<tool_call><function=act><parameter=count>1</parameter></function></tool_call>"),
    (d.FUNCTION_TAGS, '<tool_call>\n<function=act>\n<parameter="count">\n1\n</parameter>\n</function>\n</tool_call>'),
    (d.KEY_VALUE_TAGS, "<tool_call>act\n<arg_key>count</arg_key>\n<arg_value>1</arg_value>\n</tool_call>"),
    (d.KEY_VALUE_TAGS, "<tool_call>act<arg_key>count</arg_key></arg_key><arg_value>1</arg_value></tool_call>"),
    (d.JSON_ARRAY, '[TOOL_CALLS] [{"name": "act", "arguments": {"count": 1}, "id": "123456789"}]</s>'),
    (d.JSON_ARRAY, '[TOOL_CALLS][{"name": "act", "arguments": {"count": 1}}]'),
    (d.JSON_ARRAY, '[TOOL_CALLS]{"name": "act", "arguments": {"count": 1}}'),
    (d.NAME_ARGS, '[TOOL_CALLS]act[ARGS]{"count": 1}'),
    (
        d.COUNTED_IDS,
        (
            "<|tool_calls_section_begin|> \n<|tool_call_begin|>functions.act:0\n<|tool_call_argument_begin|>"
            '{"count": 1}<|tool_call_end|><|tool_calls_section_end|>'
        ),
    ),
    (
        d.TYPED_ATTRIBUTES,
        (
            '\n\n<｜DSML｜calls>\n<｜DSML｜invoke name="act">\n<｜DSML｜parameter name="count" string="false">'
            "1</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜calls>"
        ),
    ),
    (d.CUSTOM_QUOTES, "<|tool_call>call:act{count:1}<tool_call|>"),
    (d.PYTHON_CALLS, "<|tool_call_start|>[act(count=1)]<|tool_call_end|>"),
    (
        d.NESTED_XML,
        (']<]mm[>[<tool_call>\n]<]mm[>[<invoke name="act">]<]mm[>[<count>1]<]mm[>[</count>]<]mm[>[</invoke>\n]<]mm[>[</tool_call>'),
    ),
    (d.CHANNELS, '<|channel|>commentary to=functions.act <|constrain|>json<|message|>{"count": 1}<|call|>'),
    (d.CHANNELS, ' to=functions.act<|channel|>commentary json<|message|>{"count": 1}'),
    (d.CHANNELS, '<|channel|>analysis to=functions.act<|message|>{"count": 1}<|call|>'),
    (
        d.OPEN_SEP_CLOSE,
        (
            '<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="act" index="1"<|sep|>'
            '<|open|>argument key="count" type="number"<|sep|>1<|close|>argument<|sep|>'
            "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>"
        ),
    ),
    (
        d.WRAPPED_CONTENT,
        ('<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "act", "parameters": {"count": 1}}\n]<|END_ACTION|>'),
    ),
    (d.BARE_JSON, '{"name": "act", "parameters": {"count": 1}}<|eot_id|>'),
    (d.BARE_JSON, '{"type": "function", "name": "act", "arguments": {"count": 1}}'),
    (d.ROLE_HEADER_CALLS, '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "act", "arguments": {"count": 1}}'),
    (d.NAME_IN_TAG, '<function=act>{"count": 1}</function>'),
    (d.CODE_FENCE, 'Action:\n```json\n[{"tool_name": "act", "parameters": {"count": 1}}]\n```'),
    (
        d.SEPARATE_BLOCKS,
        ('<|tool_calls|><|tool_call:begin|>a1<|tool_call:name|>act<|tool_call:args|>{"count": 1}<|tool_call:end|><|calls|>'),
    ),
    (
        d.OPENAI_WRAPPER,
        ('<calls>[{"id": "i1", "type": "function", "function": {"name": "act", "arguments": "{\\"count\\": 1}"}}]</calls>'),
    ),
    (d.OPENAI_WRAPPER, '<calls>[{"name": "act", "arguments": {"count": 1}}]</calls>'),
    (d.NAME_AS_KEY, '<call>{"act": {"count": 1}}</call>'),
]


@pytest.mark.parametrize(("spec", "text"), SPELLINGS)
def test_a_call_is_read_in_every_dialect_and_spelling(spec, text):
    message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
    assert calls(message) == [("act", {"count": 1})]
    assert (message.content, message.reasoning_content) == ("", "")
    assert message.finish_reason == "tool_calls"


def test_ids_that_the_model_writes_are_kept_and_missing_ones_are_made():
    def ids(spec, text):
        return [call.id for call in read(spec, text, tools=TOOLS, add_generation_prompt=False).tool_calls]

    assert ids(d.JSON_ARRAY, '[TOOL_CALLS] [{"name": "ping", "arguments": {}, "id": "123456789"}, {"name": "ping", "arguments": {}}]') == [
        "123456789",
        "id0",
    ]
    assert ids(
        d.COUNTED_IDS,
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:3<|tool_call_argument_begin|>{}<|tool_call_end|>"
        "<|tool_calls_section_end|>",
    ) == ["functions.ping:3"]
    assert ids(d.SEPARATE_BLOCKS, "<|tool_calls|><|tool_call:begin|>a1<|tool_call:name|>ping<|tool_call:args|>{}<|tool_call:end|>") == [
        "a1"
    ]


def test_a_header_waits_for_an_id_that_comes_after_the_arguments():
    session = build_parser(d.JSON_ARRAY, tools=TOOLS, add_generation_prompt=False).session()
    assert session.feed('[TOOL_CALLS] [{"name": "ping", "arguments": {"a": 1}, ') == []
    (header, body) = session.feed('"id": "123456789"}')
    assert header.to_dict()["tool_calls"][0]["id"] == "123456789"
    assert body.to_dict() == {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": 1}'}}]}


def test_arguments_before_the_name_wait_for_it():
    session = build_parser(d.HERMES, tools=TOOLS, add_generation_prompt=False).session()
    assert session.feed('<tool_call>{"arguments": {"count": 1}, "name": "ac') == []
    deltas = session.feed('t"')
    assert [delta.to_dict()["tool_calls"][0]["function"] for delta in deltas] == [
        {"name": "act", "arguments": ""},
        {"arguments": '{"count": 1}'},
    ]


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (d.HERMES, "The marker <tool_call> opens a call, </tool_call> closes it."),
        (d.HERMES, 'Example:\n```json\n{"name": "ping", "arguments": {}}\n```'),
        (d.HERMES, '<tool_call>{"title": "no name"}</tool_call>'),
        (d.FUNCTION_TAGS, "A <function=...> tag, then <function types> and <parameter=x>."),
        (d.CUSTOM_QUOTES, "The token <|tool_call> starts a call, as in <|tool_call>call:name{…}<tool_call|>."),
        (d.PYTHON_CALLS, "Use items = [1, 2], x[0], or [ping] and ping() with a [link](https://x.y)."),
        (d.BARE_JSON, '{"name": "Bob", "age": 3}'),
        (d.BARE_JSON, 'Then {"name": "ping", "parameters": {}}'),
        (d.CODE_FENCE, "Action: none. ```json\n[1]\n```"),
        (d.NAME_ARGS, "Tags like [THINKING] and [TOOL_CALLS] or [TOOL_CALLS]nothing are text."),
    ],
)
def test_prose_that_names_a_marker_stays_prose(spec, text):
    message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.content, message.tool_calls, message.diagnostics) == (text, (), ())


def test_without_tools_there_are_no_calls():
    assert read(d.HERMES, CALL, add_generation_prompt=False).content == CALL
    message = read(d.HERMES, CALL, tools=TOOLS, tool_choice="none", add_generation_prompt=False)
    assert (message.content, message.tool_calls) == (CALL, ())


def test_a_whole_call_to_an_unknown_tool_is_delivered_and_flagged():
    text = '<tool_call>\n{"name": "nope", "arguments": {"x": 1}}\n</tool_call>\n' + CALL
    message = read(d.HERMES, text, tools=TOOLS, add_generation_prompt=False)
    assert calls(message) == [("nope", {"x": 1}), ("ping", {})]
    assert codes(message) == ["unknown_tool"]
    assert message.diagnostics[0].message == "nope"


def test_half_a_call_to_an_unknown_tool_is_text():
    text = '<tool_call>\n{"name": "nope", "arguments": {"x": 1'
    message = read(d.HERMES, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.content, message.tool_calls) == (text, ())


def test_a_name_that_begins_another_is_not_taken_for_it():
    text = "<tool_call>act_again<arg_key>path</arg_key><arg_value>/</arg_value></tool_call>"
    message = read(d.KEY_VALUE_TAGS, text, tools=TOOLS, add_generation_prompt=False)
    assert calls(message) == [("act_again", {"path": "/"})]


def test_a_call_without_arguments_has_an_empty_object():
    texts = (
        (d.KEY_VALUE_TAGS, "<tool_call>ping</tool_call>"),
        (d.FUNCTION_TAGS, "<tool_call>\n<function=ping>\n</function>\n</tool_call>"),
        (d.CUSTOM_QUOTES, "<|tool_call>call:ping{}<tool_call|>"),
        (d.PYTHON_CALLS, "<|tool_call_start|>[ping()]<|tool_call_end|>"),
        (d.HERMES, '<tool_call>\n{"name": "ping"}\n</tool_call>'),
    )
    for spec, text in texts:
        message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
        assert [(call.name, call.arguments) for call in message.tool_calls] == [("ping", "{}")]


class TestText:
    def test_between_and_after_calls_is_content_without_the_layout_beside_markers(self):
        message = read(d.HERMES, f"One.\n{CALL}\nTwo.\n{CALL}\n", tools=TOOLS, add_generation_prompt=False)
        assert (message.content, len(message.tool_calls)) == ("One.\nTwo.", 2)

    def test_before_a_call_loses_exactly_the_layout_that_the_template_writes(self):
        assert read(d.HERMES, f"Look:\n\n{CALL}", tools=TOOLS, add_generation_prompt=False).content == "Look:\n"
        assert read(d.HERMES, f"Look: {CALL}", tools=TOOLS, add_generation_prompt=False).content == "Look: "

    def test_that_is_white_space_only_between_calls_is_none(self):
        message = read(d.HERMES, f" \n{CALL}\n\n \n{CALL}\n\n", tools=TOOLS, add_generation_prompt=False)
        assert (message.content, len(message.tool_calls), codes(message)) == ("", 2, [])

    def test_behind_the_end_of_the_turn_is_dropped(self):
        message = read(d.HERMES, "Done.<|im_end|>\n<|im_start|>user\nMore", tools=TOOLS, add_generation_prompt=False)
        assert (message.content, codes(message)) == ("Done.", ["text_after_end"])


class TestRepairs:
    def check(self, spec, text, found=("act", {"count": 1}), content=""):
        message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
        assert (calls(message), message.content) == ([found], content)
        assert set(codes(message)) == {"repaired"}

    def test_a_wrapper_that_is_left_out(self):
        body = "<function=act>\n<parameter=count>\n1\n</parameter>\n</function>"
        self.check(d.FUNCTION_TAGS, body)
        self.check(d.FUNCTION_TAGS, f"Now:\n{body}\n</tool_call>", content="Now:")
        self.check(d.COUNTED_IDS, '<|tool_call_begin|>functions.act:0<|tool_call_argument_begin|>{"count": 1}<|tool_call_end|>')

    def test_a_wrapper_written_twice(self):
        self.check(d.HERMES, '<tool_call>\n<tool_call>\n{"name": "act", "arguments": {"count": 1}}\n</tool_call>\n</tool_call>')

    def test_closes_that_are_missing_or_doubled(self):
        head = "<tool_call>\n<function=act>\n<parameter=count>\n1\n"
        self.check(d.FUNCTION_TAGS, head + "</function>\n</tool_call>")
        self.check(d.FUNCTION_TAGS, head + "</parameter>\n</parameter>\n</function>\n</tool_call>")
        self.check(d.FUNCTION_TAGS, head + "</parameter>\n</tool_call>")
        self.check(d.HERMES, '<tool_call>\n{"name": "act", "arguments": {"count": 1}\n</tool_call>')
        self.check(d.HERMES, '<tool_call>\n{"name": "act", "arguments": {"count": 1}}}\n</tool_call>')

    def test_an_opening_marker_with_nothing_behind_it_is_dropped(self):
        message = read(d.HERMES, f"{CALL}\n<tool_call>", tools=TOOLS, add_generation_prompt=False)
        assert (message.content, len(message.tool_calls), codes(message)) == ("", 1, ["stray_marker"])


class TestBroken:
    def test_json_leaves_the_call_incomplete_and_the_rest_is_text(self):
        text = '<tool_call>\n{"name": "act", "arguments": {"count": 1 oops}}\n</tool_call>'
        message = read(d.HERMES, text, tools=TOOLS, add_generation_prompt=False)
        (call,) = message.tool_calls
        assert (call.complete, call.arguments) == (False, '{"count": 1 ')
        assert "oops" in message.content
        assert codes(message)[0] == "incomplete_call"
        assert message.finish_reason == "stop"

    @pytest.mark.parametrize("truncated", [True, False])
    def test_a_cut_call_stays_open(self, truncated):
        text = "Go.\n<tool_call>\n<function=act>\n<parameter=count>\n1\n</parameter>\n<parameter=text>\nhel"
        message = read(d.FUNCTION_TAGS, text, tools=TOOLS, add_generation_prompt=False, truncated=truncated)
        (call,) = message.tool_calls
        assert (message.content, call.complete, call.arguments) == ("Go.", False, '{"count": 1, "text": "hel')
        assert message.finish_reason == ("length" if truncated else "stop")

    def test_a_call_whose_last_argument_is_whole_is_closed_only_if_the_model_stopped_by_itself(self):
        text = "<tool_call>\n<function=act>\n<parameter=count>\n1\n</parameter>"
        (call,) = read(d.FUNCTION_TAGS, text, tools=TOOLS, add_generation_prompt=False).tool_calls
        assert (call.complete, call.arguments) == (True, '{"count": 1}')
        (call,) = read(d.FUNCTION_TAGS, text, tools=TOOLS, add_generation_prompt=False, truncated=True).tool_calls
        assert (call.complete, call.arguments) == (False, '{"count": 1')

    def test_what_came_of_a_call_is_there_while_it_is_written(self):
        parser = build_parser(d.PYTHON_CALLS, tools=TOOLS, add_generation_prompt=False)
        (call,) = parser.parse("<|tool_call_start|>[act(count=", partial=True).tool_calls
        assert call.arguments == '{"count": '
        parser = build_parser(d.WRAPPED_CONTENT, tools=TOOLS, add_generation_prompt=False)
        (call,) = parser.parse('<|START_ACTION|>[\n {"tool_call_id": "0", "tool_name": "act", ', partial=True).tool_calls
        assert (call.id, call.name, call.arguments) == ("0", "act", "")


def test_several_calls_of_a_section():
    text = "<|tool_call_start|>[act(count=1), ping(), act_again(path='/')]<|tool_call_end|>"
    message = read(d.PYTHON_CALLS, text, tools=TOOLS, add_generation_prompt=False)
    assert calls(message) == [("act", {"count": 1}), ("ping", {}), ("act_again", {"path": "/"})]


def test_names_with_dots_and_letters_of_any_script():
    tools = [tool("Kalender.anlegen_für", {"wo": {"type": "string"}})]
    text = '<|tool_call_start|>[Kalender.anlegen_für(wo="北京")]<|tool_call_end|>'
    assert calls(read(d.PYTHON_CALLS, text, tools=tools, add_generation_prompt=False)) == [("Kalender.anlegen_für", {"wo": "北京"})]
    escaped = '<tool_call>{"name": "Kalender.anlegen_f\\u00fcr", "arguments": {"wo": "x"}}</tool_call>'
    assert calls(read(d.HERMES, escaped, tools=tools, add_generation_prompt=False)) == [("Kalender.anlegen_für", {"wo": "x"})]
