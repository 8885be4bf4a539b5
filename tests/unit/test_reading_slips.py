"""Marks that models leave out, keys and values that they write in another way, and tokens that lead nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import calls, codes, read
from untemplate.spec.model import Encoding, JsonType, Value

Q = '<|"|>'
SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
BARE_PYTHON = replace(
    d.PYTHON_CALLS,
    turn=replace(
        d.PYTHON_CALLS.turn,
        calls=replace(
            d.PYTHON_CALLS.turn.calls,
            forms=tuple(
                replace(
                    form,
                    arguments=replace(form.arguments, values={**form.arguments.values, JsonType.STRING: Value(encoding=Encoding.RAW)}),
                )
                for form in d.PYTHON_CALLS.turn.calls.forms
            ),
        ),
    ),
)
"""Calls as in Python, but with strings that the template writes without quotes."""


def tool(name: str, **properties: object) -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


def quoted(body: str) -> str:
    return f"<|tool_call>call:act{{{body}}}<tool_call|>"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f"text:{Q}pwd", {"text": "pwd"}),
        (f"count:1,text:{Q}a}} b", {"count": 1, "text": "a} b"}),
        (f"text:'pwd'{Q}", {"text": "pwd"}),
        (f"text:'pwd'{Q},count:1", {"text": "pwd", "count": 1}),
    ],
)
def test_a_quote_that_is_missing_or_too_many_is_mended_at_the_close_of_the_call(body, found):
    message = read(d.CUSTOM_QUOTES, quoted(body), tools=TOOLS, add_generation_prompt=False)
    assert (calls(message), message.content) == ([("act", found)], "")
    assert "repaired" in codes(message)


def test_bare_text_without_a_bracket_ends_at_the_close_of_the_call():
    message = read(d.CUSTOM_QUOTES, "<|tool_call>call:act{text:go home<tool_call|>", tools=TOOLS, add_generation_prompt=False)
    assert (calls(message), codes(message)) == ([("act", {"text": "go home"})], ["repaired", "repaired"])


def test_a_value_that_shows_a_whole_call_is_not_cut_there():
    text = f"like {quoted('count:1')} or so"
    message = read(d.CUSTOM_QUOTES, quoted(f"text:{Q}{text}{Q}"), tools=TOOLS, add_generation_prompt=False)
    assert (calls(message), codes(message)) == ([("act", {"text": text})], [])


@pytest.mark.parametrize("spec_and_text", [(d.CUSTOM_QUOTES, quoted("one:null,two:{three:7}")), (d.PYTHON_CALLS, None)])
def test_a_word_or_number_ends_before_a_key_that_no_tool_declares(spec_and_text):
    spec, text = spec_and_text
    text = text or '<|tool_call_start|>[act(one=None, two={"three": 7})]<|tool_call_end|>'
    message = read(spec, text, tools=[tool("act", count={"type": "integer"})], add_generation_prompt=False)
    assert calls(message) == [("act", {"one": None, "two": {"three": 7}})]


@pytest.mark.parametrize("key", ["first name", " first name\t ", f"{Q}first name{Q}", '"first name"'])
def test_a_declared_key_may_hold_spaces_or_stand_in_quotes(key):
    tools = [tool("act", **{"first name": {"type": "string"}, "count": {"type": "integer"}})]
    message = read(d.CUSTOM_QUOTES, quoted(f"count:1,{key}:{Q}Ada{Q}"), tools=tools, add_generation_prompt=False)
    assert calls(message) == [("act", {"count": 1, "first name": "Ada"})]


@pytest.mark.parametrize(
    ("written", "found"), [("'Oslo, no'", "Oslo, no"), ('"say \\"a\\""', 'say "a"'), ("Oslo", "Oslo"), ("it's", "it's")]
)
def test_strings_that_a_template_writes_bare_may_stand_in_quotes(written, found):
    text = f"<|tool_call_start|>[act(text={written}, count=1)]<|tool_call_end|>"
    message = read(BARE_PYTHON, text, tools=TOOLS, add_generation_prompt=False)
    assert calls(message) == [("act", {"text": found, "count": 1})]


@pytest.mark.parametrize(
    ("kind", "written", "found"),
    [
        ("boolean", "TRUE", True),
        ("null", "NULL", None),
        ("array", '[{\\"a\\": \\"b\\"}]', [{"a": "b"}]),
        ("array", '"[1, 2]"', [1, 2]),
        ("object", '{\\"dir\\": \\"C:\\\\\\\\tmp\\"}', {"dir": "C:\\tmp"}),
        ("number", '"4.5"', 4.5),
        ("array", '"[]"', []),
        ("string", "TRUE", "TRUE"),
        ("string", '"[1, 2]"', '"[1, 2]"'),
        (["array", "string"], '[\\"a\\"]', '[\\"a\\"]'),
    ],
)
def test_values_written_as_strings_are_what_they_hold_where_no_string_is_allowed(kind, written, found):
    text = f"<tool_call>\n<function=act>\n<parameter=it>\n{written}\n</parameter>\n</function>\n</tool_call>"
    message = read(d.FUNCTION_TAGS, text, tools=[tool("act", it={"type": kind})], add_generation_prompt=False)
    assert (calls(message), codes(message)) == ([("act", {"it": found})], [])


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("<|channel>so it is<channel|>Yes.", "so it is", "Yes."),
        ("<|channel>one<channel|><|channel>two<channel|>Yes.", "onetwo", "Yes."),
        ("<|channel>thought\nso it is\n<channel|>Yes.", "so it is", "Yes."),
        ("<|channel><|channel>thought\nso it is\n<channel|>Yes.", "so it is", "Yes."),
    ],
)
def test_a_token_whose_label_is_left_out_opens_reasoning(text, reasoning, content):
    message = read(d.CUSTOM_QUOTES, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.reasoning_content, message.content) == (reasoning, content)


@pytest.mark.parametrize(
    ("spec", "text", "content"),
    [
        (d.CUSTOM_QUOTES, "Yes.<channel|>", "Yes."),
        (d.CUSTOM_QUOTES, "Yes.<tool_call|>\n<channel|>", "Yes."),
        (d.COUNTED_IDS, f"Yes.{SECTION_END}", "Yes."),
        (d.COUNTED_IDS, f"Yes.{SECTION}{SECTION_END}", "Yes."),
    ],
)
def test_special_tokens_that_close_nothing_at_the_end_are_dropped(spec, text, content):
    message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.content, calls(message), set(codes(message))) == (content, [], {"stray_marker"})


@pytest.mark.parametrize(
    ("spec", "text"),
    [(d.COUNTED_IDS, f"It ends with {SECTION_END} as you know."), (d.HERMES, "It ends with </tool_call>"), (d.HERMES, "and </think>")],
)
def test_closes_in_prose_and_plain_tags_stay(spec, text):
    assert read(spec, text, tools=TOOLS, add_generation_prompt=False).content == text


@pytest.mark.parametrize("written", ['[{"count": 1}]', '{"count": 1}]', '[{"count": 1}', '{"count": 1}}'])
def test_arguments_in_a_list_or_with_a_bracket_too_many(written):
    text = f"<|channel|>commentary to=functions.act <|constrain|>json<|message|>{written}<|call|>"
    message = read(d.CHANNELS, text, tools=TOOLS, add_generation_prompt=False)
    assert (calls(message), message.content) == ([("act", {"count": 1})], "")
    assert "repaired" in codes(message)
