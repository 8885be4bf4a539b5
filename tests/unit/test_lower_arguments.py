"""How values become JSON: raw text typed by the schema, layout, quotes, nested notations."""

from __future__ import annotations

import json

import pytest

from tests import dialects as d
from tests.dialects import TOOLS, tool
from tests.reading import calls, codes, read, stream
from untemplate.parser import build_parser


def parameter(name, value):
    return f"<parameter={name}>{value}</parameter>\n"


def function_call(*parameters, name="act"):
    return f"<tool_call>\n<function={name}>\n{''.join(parameters)}</function>\n</tool_call>"


def read_function(*parameters, tools=TOOLS, name="act"):
    return read(d.FUNCTION_TAGS, function_call(*parameters, name=name), tools=tools, add_generation_prompt=False)


def argument(value, tools=TOOLS, key="text"):
    (found,) = calls(read_function(parameter(key, value), tools=tools))
    return found[1][key]


class TestWhiteSpace:
    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("\nOK\n", "OK"),
            ("OK", "OK"),
            ("OK\n", "OK\n"),
            ("\nOK", "OK"),
            ("\n    if x:\n        return 1\n\n", "    if x:\n        return 1\n"),
            ("\n\tpass  \n", "\tpass  "),
            ("\n\n\n", "\n"),
            ("\n\n", ""),
            ("", ""),
            ("\r\nOK\r\n", "\r\nOK\r\n"),
        ],
    )
    def test_one_newline_of_layout_is_dropped_and_no_more(self, written, value):
        assert argument(written) == value

    def test_without_layout_in_the_template_a_value_is_verbatim(self):
        text = "<tool_call>act<arg_key>text</arg_key><arg_value>\n a \n</arg_value></tool_call>"
        assert calls(read(d.KEY_VALUE_TAGS, text, tools=TOOLS)) == [("act", {"text": "\n a \n"})]


class TestMarkersInsideValues:
    @pytest.mark.parametrize(
        "value",
        [
            "ends with </parameter> here, and </tool_call> there",
            "</parameter> twice </parameter>.",
            "</parameter>\n</parameters>",
            "<function=act>\n<parameter=text>\nx",
            "</parameter>\n<parameter=unknown>\n",
            "</function>",
            "<tool_call>\n<function=act>",
            "<think>\n</think>",
        ],
    )
    def test_a_marker_that_no_structure_follows_is_part_of_the_value(self, value):
        assert argument(f"\n{value}\n") == value

    def test_a_quote_mark_inside_its_own_quotes_is_a_quote(self):
        text = '<|tool_call>call:act{text:<|"|>q(<|"|><|"|><|"|>SELECT 1<|"|><|"|><|"|>)<|"|>,array:[<|"|>d1<|"|>]}<tool_call|>'
        message = read(d.CUSTOM_QUOTES, text, tools=TOOLS, add_generation_prompt=False)
        assert calls(message) == [("act", {"text": 'q("""SELECT 1""")', "array": ["d1"]})]

    def test_a_raw_string_streams_before_it_ends(self):
        session = build_parser(d.FUNCTION_TAGS, tools=TOOLS, add_generation_prompt=False).session()
        session.feed("<tool_call>\n<function=act>\n<parameter=text>\n")
        assert [delta.to_dict()["tool_calls"][0]["function"]["arguments"] for delta in session.feed('line "1"\nline')] == [
            '"line \\"1\\"\\nline'
        ]


class TestValuesThatAreNoStrings:
    def test_a_close_ends_one_whatever_follows(self):
        message = read_function("<parameter=count>\n3\n</parameter>\nSo, next.\n", parameter("text", "b"))
        assert [call.arguments for call in message.tool_calls] == ['{"count": 3']
        assert codes(message) == ["incomplete_call"]
        assert "So, next." in message.content

    def test_one_comes_at_its_own_close(self):
        parser = build_parser(d.FUNCTION_TAGS, tools=TOOLS, add_generation_prompt=False)
        head = "<tool_call>\n<function=act>\n"
        for value, written in (("7", "7"), ("[1, 2]", "[1, 2]"), ("{}", "{}"), ("yes", '"yes"')):
            key = {"7": "count", "[1, 2]": "array", "{}": "object", "yes": "flag"}[value]
            session = parser.session()
            session.feed(f"{head}<parameter={key}>\n{value}\n</parameter>\n")
            assert session.message().tool_calls[0].arguments == f'{{"{key}": '
            session.feed("<p")  # no second close
            assert session.message().tool_calls[0].arguments == f'{{"{key}": {written}'

    @pytest.mark.parametrize(
        "value",
        [
            '["</parameter>", "</parameter>\\n</function>\\n</tool_call>"]',
            '["</parameter>\\n<parameter=text>"]',
            '[["a"], {"b": "</parameter>"}]',
        ],
    )
    def test_its_strings_may_hold_the_close(self, value):
        assert argument(f"\n{value}\n", key="array") == json.loads(value)

    def test_what_is_no_json_ends_at_the_first_close(self):
        message = read_function(parameter("array", "[1, </parameter"), parameter("text", "x"))
        assert calls(message) == [("act", {"array": "[1, </parameter", "text": "x"})]

    def test_a_key_that_is_a_string_in_another_tool_is_read_as_one(self):
        tools = [tool("act", {"text": {"type": "integer"}}), tool("other", {"text": {"type": "string"}})]
        message = read_function(parameter("text", "a</parameter>b"), tools=tools, name="other")
        assert calls(message) == [("other", {"text": "a</parameter>b"})]


class TestKeysThatAreNotDeclared:
    BEHIND = "a</parameter>\n<parameter=unknown>b"

    def test_one_is_part_of_a_string_value(self):
        assert argument(self.BEHIND) == self.BEHIND

    @pytest.mark.parametrize("schema", [{"additionalProperties": True}, {"additionalProperties": {"type": "string"}}])
    def test_one_is_a_key_where_the_schema_says_that_there_may_be_others(self, schema):
        tools = [tool("act", {"text": {"type": "string"}}, **schema)]
        assert calls(read_function(parameter("text", self.BEHIND), tools=tools)) == [("act", {"text": "a", "unknown": "b"})]

    def test_one_is_a_key_where_the_tool_lists_none(self):
        tools = [{"type": "function", "function": {"name": "act", "parameters": {"type": "object"}}}]
        assert calls(read_function(parameter("text", self.BEHIND), tools=tools)) == [("act", {"text": "a", "unknown": "b"})]

    def test_a_tool_that_takes_any_key_does_not_loosen_the_others(self):
        tools = [*TOOLS, tool("any", additionalProperties=True)]
        assert argument(self.BEHIND, tools) == self.BEHIND
        assert calls(read_function(parameter("text", self.BEHIND), tools=tools, name="any")) == [("any", {"text": "a", "unknown": "b"})]


class TestTypes:
    @pytest.mark.parametrize(
        ("schema", "text", "value"),
        [
            ({"type": "string"}, "10", "10"),
            ({"type": "string"}, "null", "null"),
            ({"type": "string"}, '{"a": 1}', '{"a": 1}'),
            ({"type": "integer"}, "-7", -7),
            ({"type": "number"}, "1.5e10", 1.5e10),
            ({"type": "boolean"}, "true", True),
            ({"type": "boolean"}, "True", True),
            ({"type": "null"}, "null", None),
            ({"type": ["string", "null"]}, "null", None),
            ({"type": ["string", "null"]}, "nullable", "nullable"),
            ({"type": ["integer", "null"]}, "10", 10),
            ({"type": "integer"}, "1e300", 1e300),
            ({"type": ["string", "integer"]}, "42", 42),
            ({"type": ["string", "integer"]}, "01001", "01001"),
            ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "hi", "hi"),
            ({"oneOf": [{"type": "object"}, {"type": "string"}]}, '{"a": [1, {"b": null}]}', {"a": [1, {"b": None}]}),
            ({"oneOf": [{"type": "object"}, {"type": "string"}]}, "{not json", "{not json"),
            ({"anyOf": [{"type": "number"}, {"type": "string"}]}, "2 dollars", "2 dollars"),
            ({"allOf": [{"type": ["string", "integer"]}, {"type": "string"}]}, "5", "5"),
            ({"enum": ["1", "2"]}, "1", "1"),
            ({"enum": [1, "one"]}, "1", 1),
            ({"const": 3}, "3", 3),
            ({"$ref": "#/$defs/id"}, "007", "007"),
            ({"type": "array", "items": {"type": "string"}}, '["a", "b"]', ["a", "b"]),
            ({"type": "array"}, "['a', True]", ["a", True]),
            ({"type": "object"}, "{'a': None}", {"a": None}),
            ({}, "python3 test.py", "python3 test.py"),
            ({}, "3", 3),
            ({}, '{"a": 1}', {"a": 1}),
            ({}, r'{"a": "\udfff \ud83d\ude00"}', {"a": "\ufffd \U0001f600"}),
            ({"type": "array"}, r'["\ud800"]', ["\ufffd"]),
        ],
    )
    def test_text_is_typed_by_the_resolved_schema(self, schema, text, value):
        tools = [tool("act", {"text": schema}, **{"$defs": {"id": {"type": "string"}}})]
        for written in (text, f"\n{text}\n"):
            found = argument(written, tools)
            assert (found, type(found)) == (value, type(value))

    @pytest.mark.parametrize(
        ("kind", "text"),
        [
            ("integer", "2026-01-15"),
            ("integer", "1e999"),
            ("integer", "1.5"),
            ("object", "{mode: fast}"),
            ("boolean", "yes"),
            ("array", "[1"),
        ],
    )
    def test_text_that_fits_no_type_is_a_string_and_said(self, kind, text):
        message = read_function(parameter("text", text), tools=[tool("act", {"text": {"type": kind}})])
        assert calls(message) == [("act", {"text": text})]
        assert [(each.code, each.message) for each in message.diagnostics] == [("schema_error", "text")]

    def test_a_label_wins_over_the_schema(self):
        text = (
            '<｜DSML｜calls>\n<｜DSML｜invoke name="act">\n<｜DSML｜parameter name="text" string="false">[1, 2]</｜DSML｜parameter>\n'
            '<｜DSML｜parameter name="array" string="true">[1]</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜calls>'
        )
        message = read(d.TYPED_ATTRIBUTES, text, tools=TOOLS, add_generation_prompt=False)
        assert calls(message) == [("act", {"text": [1, 2], "array": "[1]"})]

    def test_a_string_that_may_be_null_streams_as_soon_as_it_cannot_be(self):
        parser = build_parser(d.FUNCTION_TAGS, tools=TOOLS, add_generation_prompt=False)
        head = "<tool_call>\n<function=act>\n<parameter=maybe>\n"
        assert parser.parse(head + "nul", partial=True).tool_calls[0].arguments == '{"maybe": '
        assert parser.parse(head + "nulx", partial=True).tool_calls[0].arguments == '{"maybe": "nulx'

    def test_no_key_comes_twice_and_the_order_is_the_models(self):
        message = read_function(parameter("text", "b"), parameter("count", "1"), parameter("text", "c"))
        assert message.tool_calls[0].arguments == '{"text": "b", "count": 1}'


class TestJson:
    def test_a_bad_escape_is_mended_in_place(self):
        text = '<tool_call>\n{"name": "act", "arguments": {"text": "\\d+"}}\n</tool_call>'
        message = read(d.HERMES, text, tools=TOOLS, add_generation_prompt=False)
        assert message.tool_calls[0].arguments == '{"text": "\\\\d+"}'

    def test_white_space_is_the_models(self):
        text = '<tool_call>{"name": "act", "arguments": {"array":[1,\n2] , "flag" : true}}</tool_call>'
        assert read(d.HERMES, text, tools=TOOLS).tool_calls[0].arguments == '{"array":[1,\n2] , "flag" : true}'


class TestPython:
    @pytest.mark.parametrize(
        ("written", "value"),
        [
            ("-74.5", -74.5),
            ("(800, 600)", [800, 600]),
            ("'grep -F \"]\" a\nb \\\\'", 'grep -F "]" a\nb \\'),
            ('"""two\nlines"""', "two\nlines"),
            ("{'enabled': True, \"note\": None}", {"enabled": True, "note": None}),
            ("'it\\'s'", "it's"),
        ],
    )
    def test_literals(self, written, value):
        text = f"<|tool_call_start|>[act(from={written}, ok=True)]<|tool_call_end|>"
        message = read(d.PYTHON_CALLS, text, tools=[tool("act", {"from": {}, "ok": {}})], add_generation_prompt=False)
        assert calls(message) == [("act", {"from": value, "ok": True})]


class TestNested:
    MARK = "]<]mm[>["

    def call(self, body, schema):
        text = f'~<tool_call>\n~<invoke name="act">{body}~</invoke>\n~</tool_call>'.replace("~", self.MARK)
        return read(d.NESTED_XML, text, tools=[tool("act", schema)], add_generation_prompt=False)

    @pytest.mark.parametrize(("item", "opened", "closed"), [("item", "[", "]"), ("a", '{"a": ', "}")])
    def test_a_value_may_be_deeper_than_python_recurses(self, item, opened, closed):
        depth = 1_500
        message = self.call(f"~<x>{f'~<{item}>' * depth}7{f'~</{item}>' * depth}~</x>", {"x": {}})
        assert [call.arguments for call in message.tool_calls] == [f'{{"x": {opened * depth}7{closed * depth}}}']

    def test_of_a_repeated_key_the_first_one_stands(self):
        message = self.call("~<x>~<a>1~</a>~<b>2~</b>~<a>3~</a>~</x>", {"x": {"type": "object"}})
        assert calls(message) == [("act", {"x": {"a": 1, "b": 2}})]

    @pytest.mark.parametrize(
        ("body", "schema", "value"),
        [
            ("~<x>~<real>1.5~</real>~<imaginary>-2~</imaginary>~</x>", {"type": "object"}, {"real": 1.5, "imaginary": -2}),
            ("~<x>~<item>a~</item>~<item>b~</item>~</x>", {"type": "array", "items": {"type": "string"}}, ["a", "b"]),
            ("~<x>~<item>1~</item>~</x>", {"type": "array", "items": {"type": "string"}}, ["1"]),
            (
                "~<x>~<item>~<id>1~</id>~<label>one~</label>~</item>~</x>",
                {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}, "label": {"type": "string"}}}},
                [{"id": 1, "label": "one"}],
            ),
            ("~<x>~<max>10~</max>~</x>", {"oneOf": [{"type": "integer"}, {"type": "object"}]}, {"max": 10}),
            ("~<x>5~</x>", {"oneOf": [{"type": "integer"}, {"type": "object"}]}, 5),
            ("~<x>~<b>bold~</b>~</x>", {"type": "string"}, f"{MARK}<b>bold{MARK}</b>"),
            ("~<x>a ~</b> b~</x>", {"type": "string"}, f"a {MARK}</b> b"),
            ("~<x>a ~</b>~</invoke> b~</x>", {"type": "string"}, f"a {MARK}</b>{MARK}</invoke> b"),
            ("~<x>~</x>", {"type": "array"}, []),
            ("~<x>~</x>", {"type": "object"}, {}),
            ("~<x>~</x>", {"type": "string"}, ""),
        ],
    )
    def test_values_in_the_templates_own_notation(self, body, schema, value):
        assert calls(self.call(body, {"x": schema})) == [("act", {"x": value})]

    def test_custom_quotes_nest(self):
        text = '<|tool_call>call:act{object:{theme:<|"|>dark<|"|>,list:[1,{a:<|"|>b<|"|>}]},flag:true}<tool_call|>'
        message = read(d.CUSTOM_QUOTES, text, tools=TOOLS, add_generation_prompt=False)
        assert calls(message) == [("act", {"object": {"theme": "dark", "list": [1, {"a": "b"}]}, "flag": True})]


def test_ten_thousand_lines_of_a_value_arrive_as_they_are_written():
    value = "".join(f'line {number} </parameter> \\ "é\n' for number in range(10_000))
    text = function_call(parameter("text", f"\n{value}\n"))
    parser = build_parser(d.FUNCTION_TAGS, tools=TOOLS, add_generation_prompt=False)
    message, _ = stream(parser, [text[start : start + 7] for start in range(0, len(text), 7)])
    assert json.loads(message.tool_calls[0].arguments) == {"text": value}
    assert codes(message) == []
