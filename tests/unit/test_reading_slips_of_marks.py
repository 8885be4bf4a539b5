"""Marks of pairs, sections, strings and names that models leave out, double, or put something between."""

from __future__ import annotations

import json

import pytest

from tests import dialects as d
from tests.reading import stream
from untemplate.parser import build_parser

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "act",
            "parameters": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "count": {"type": "integer"},
                    "list": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    }
]


def read(spec, text):
    """Return name and arguments of the only call, the content, and the codes of what was found; the same at any cut."""
    parser = build_parser(spec, tools=TOOLS, add_generation_prompt=False)
    message, _ = stream(parser, [text])
    slowly, _ = stream(parser, list(text))
    assert (slowly.content, [call.arguments for call in slowly.tool_calls]) == (
        message.content,
        [call.arguments for call in message.tool_calls],
    )
    (call,) = message.tool_calls
    return call.name, json.loads(call.arguments), message.content, [each.code for each in message.diagnostics]


def function(*pairs):
    return "<tool_call>\n<function=act>\n" + "".join(pairs) + "</function>\n</tool_call>"


COUNT = "<parameter=count>\n3\n</parameter>\n"


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (d.FUNCTION_TAGS, function("<parameter=count>\n3\n", "<parameter=text>\na\n</parameter>\n")),
        (
            d.KEY_VALUE_TAGS,
            "<tool_call>act<arg_key>count</arg_key><arg_value>3<arg_key>text</arg_key><arg_value>a</arg_value></tool_call>",
        ),
    ],
)
def test_the_next_pair_closes_a_value_that_is_no_string(spec, text):
    assert read(spec, text) == ("act", {"count": 3, "text": "a"}, "", ["repaired"])


@pytest.mark.parametrize("value", ["the mark <parameter=count> is named", "a\n<parameter=count>\n3\n</parameter>\nand more"])
def test_a_string_may_quote_the_next_pair(value):
    found = read(d.FUNCTION_TAGS, function(f"<parameter=text>\n{value}\n</parameter>\n", COUNT))
    assert found == ("act", {"text": value, "count": 3}, "", [])


def test_the_opening_of_a_pair_may_come_twice():
    text = "<tool_call>act<arg_key><arg_key>text</arg_key><arg_value>a</arg_value></tool_call>"
    assert read(d.KEY_VALUE_TAGS, text) == ("act", {"text": "a"}, "", ["repaired"])


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ('text:weather in Paris, France<|"|>,count:5', {"text": "weather in Paris, France", "count": 5}),
        ('list=[<|"|>a<|"|>]', {"list": ["a"]}),
        ("list:[red,dark green]", {"list": ["red", "dark green"]}),
    ],
)
def test_marks_of_strings_and_keys_that_are_left_out_or_swapped(arguments, wanted):
    found = read(d.CUSTOM_QUOTES, f"<|tool_call>call:act{{{arguments}}}<tool_call|>")
    assert found == ("act", wanted, "", ["repaired"] * len(found[3]))
    assert found[3]


@pytest.mark.parametrize("name", ["functions.act", "default_api.act", "tools:act"])
def test_a_namespace_before_a_declared_name_is_no_part_of_it(name):
    found = read(d.HERMES, f'<tool_call>\n{{"name": "{name}", "arguments": {{"text": "a"}}}}\n</tool_call>')
    assert found == ("act", {"text": "a"}, "", ["repaired"])


@pytest.mark.parametrize(("name", "wanted"), [("other.act", "other.act"), ("functions.web.search", "web.search"), ("search", "search")])
def test_a_prefix_that_is_no_namespace_belongs_to_the_name(name, wanted):
    tools = [*TOOLS, {"type": "function", "function": {"name": "web.search", "parameters": {"type": "object"}}}]
    parser = build_parser(d.HERMES, tools=tools, add_generation_prompt=False)
    message = parser.parse(f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>')
    assert [call.name for call in message.tool_calls] == [wanted]


def test_an_argument_that_nobody_declared_makes_no_unknown_tool():
    text = "<tool_call>act<arg_key>other</arg_key><arg_value>1</arg_value></tool_call>"
    assert read(d.KEY_VALUE_TAGS, text) == ("act", {"other": 1}, "", [])


def test_words_between_the_openings_of_a_section_and_of_its_call_are_dropped():
    head = "Look.<|tool_calls_section_begin|> so then <|tool_call_begin|>functions.act:0<|tool_call_argument_begin|>"
    found = read(d.COUNTED_IDS, f'{head}{{"text": "a"}}<|tool_call_end|><|tool_calls_section_end|>')
    assert found == ("act", {"text": "a"}, "Look.", ["repaired"])


@pytest.mark.parametrize(
    ("header", "content"),
    [
        ("<|channel|>??<|end|><|start|>assistant<|channel|>final<|message|>", "Hi."),
        ("<|channel|>some words<|channel|>final<|message|>", "Hi."),
        ("<|channel|>final text<|message|>", "Hi."),
        ("<|channel|>final <|constrain|>plain<|message|>", "Hi."),
    ],
)
def test_a_header_that_no_block_has_is_dropped(header, content):
    parser = build_parser(d.CHANNELS, tools=TOOLS, add_generation_prompt=False)
    for chunks in ([header + "Hi.<|return|>"], list(header + "Hi.<|return|>")):
        message, _ = stream(parser, chunks)
        assert (message.content, message.reasoning_content, message.tool_calls) == (content, "", ())
        assert "repaired" in [each.code for each in message.diagnostics]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Hi.<|channel|>??<|end|>", "Hi.<|channel|>??"),
        ("<|channel|>commentary to=nope<|message|>", "<|channel|>commentary to=nope<|message|>"),
    ],
)
def test_a_header_behind_text_or_to_a_tool_that_nobody_declared_is_text(text, content):
    message, _ = stream(build_parser(d.CHANNELS, tools=TOOLS, add_generation_prompt=False), [text])
    assert message.content == content


def test_a_header_without_an_end_is_text():
    text = "<|channel|>" + "so it goes " * 20
    message, _ = stream(build_parser(d.CHANNELS, tools=TOOLS, add_generation_prompt=False), [text])
    assert message.content == text
