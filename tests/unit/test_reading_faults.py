"""Small faults that models make, in every format: what a client must get of each, whole and one character at a time.

A row: the dialect, the turn, the content, the calls, and the codes of what was said about it.
"""

from __future__ import annotations

import pytest

from tests import dialects as d
from tests.dialects import TOOLS
from tests.reading import calls, codes, read

ACT, PING = ("act", {"count": 1}), ("ping", {})
NAMED = ("act", {"text": "Oslo"})
BOTH = ("act", {"text": "Oslo", "count": 1})
Q = '<|"|>'
MARK = "]<]mm[>["
SECTION, SECTION_END = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
CALL, ARGUMENT, CALL_END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"
CHANNEL_CALLS = (
    "<|channel|>commentary to=functions.ping<|message|>{}<|call|><|start|>assistant<|channel|>commentary to=functions.act "
    '<|constrain|>json<|message|>{"count": 1}<|call|>'
)
PYTHON, PYTHON_END = "<|tool_call_start|>[", "]<|tool_call_end|>"


def json_call(body: str = '{"name": "act", "arguments": {"count": 1}}') -> str:
    return f"<tool_call>\n{body}\n</tool_call>"


def tags(name: str, **pairs: str) -> str:
    return (
        f"<tool_call>\n<function={name}>\n"
        + "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in pairs.items())
        + "</function>\n</tool_call>"
    )


def keyed(name: str, **pairs: str) -> str:
    return (
        f"<tool_call>{name}"
        + "".join(f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>" for key, value in pairs.items())
        + "</tool_call>"
    )


def typed(*pairs: tuple[str, str, str], name: str = "act") -> str:
    inner = "".join(f'<｜DSML｜parameter name="{key}" string="{label}">{value}</｜DSML｜parameter>\n' for key, label, value in pairs)
    return f'<｜DSML｜calls>\n<｜DSML｜invoke name="{name}">\n{inner}</｜DSML｜invoke>\n</｜DSML｜calls>'


def check(spec, text, content, found, said):
    message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
    assert (message.content, message.reasoning_content) == (content, "")
    assert calls(message) == list(found)
    assert set(codes(message)) == set(said)
    assert message.finish_reason == ("tool_calls" if found else "stop")


def rows(*table):
    return pytest.mark.parametrize(("spec", "text", "content", "found", "said"), table)


# --- wrappers ----------------------------------------------------------------------------------------------------------


@rows(
    (d.HERMES, json_call().removeprefix("<tool_call>\n"), "", [ACT], ["repaired"]),
    (d.HERMES, json_call().removesuffix("\n</tool_call>"), "", [ACT], []),
    (d.HERMES, json_call().replace("\n</tool_call>", "\nDone."), "\nDone.", [ACT], ["repaired"]),
    (d.HERMES, json_call('[{"name": "ping", "arguments": {}}, {"name": "act", "arguments": {"count": 1}}]'), "", [PING, ACT], []),
    (d.HERMES, json_call('{"name": "ping", "arguments": {}}\n{"name": "act", "arguments": {"count": 1}}'), "", [PING, ACT], ["repaired"]),
    (d.HERMES, json_call('{"name": "ping", "arguments": {}}, {"name": "act", "arguments": {"count": 1}}'), "", [PING, ACT], ["repaired"]),
    (d.HERMES, "<tool_call>\n" * 3 + json_call(), "", [ACT], ["repaired"]),
    (d.HERMES, json_call() + "\n</tool_call>" * 2, "", [ACT], ["repaired"]),
    (d.HERMES, "Look.\n" + json_call() + "\n<tool_call>", "Look.", [ACT], ["stray_marker"]),
    (d.FUNCTION_TAGS, "<tool_call>\n" + tags("act", count="1"), "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", count="1").removeprefix("<tool_call>\n"), "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", count="1")[12:].removesuffix("\n</tool_call>") + "\nDone.", "\nDone.", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", count="1").removesuffix("\n</tool_call>"), "", [ACT], []),
    (d.FUNCTION_TAGS, tags("act", count="1").removesuffix("</function>\n</tool_call>"), "", [ACT], ["unclosed_call"]),
    (d.FUNCTION_TAGS, tags("act", count="1").replace("</parameter>\n</function>", "</function>"), "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", count="1").replace("</function>", "</parameter>\n</function>"), "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", count="1").replace("</function>", "</function>\n</function>"), "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("ping")[:-12] + "<function=act>\n<parameter=count>\n1\n</parameter>\n</function>\n</tool_call>", "", [PING, ACT],
     ["repaired"]),
    (d.KEY_VALUE_TAGS, keyed("act", count="1")[11:], "", [ACT], ["repaired"]),
    (d.KEY_VALUE_TAGS, keyed("act", count="1").removesuffix("</tool_call>"), "", [ACT], ["unclosed_call"]),
    (d.KEY_VALUE_TAGS, keyed("act", count="1").removesuffix("</tool_call>") + keyed("ping"), "", [ACT, PING], ["repaired"]),
    (d.KEY_VALUE_TAGS, keyed("act", count="1") + "</tool_call>", "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f'{CALL}functions.act:0{ARGUMENT}{{"count": 1}}{CALL_END}', "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f'{SECTION}functions.act:0{ARGUMENT}{{"count": 1}}{CALL_END}{SECTION_END}', "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f'{SECTION}{CALL}functions.act:0{ARGUMENT}{{"count": 1}}{CALL_END}', "", [ACT], []),
    (d.COUNTED_IDS, f'{SECTION}{CALL}functions.act:0{ARGUMENT}{{"count": 1}}{SECTION_END}', "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f'{SECTION}{SECTION}{CALL}functions.act:0{ARGUMENT}{{"count": 1}}{CALL_END}{SECTION_END}', "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f'{SECTION}{CALL}functions.act:0{ARGUMENT}{{"count": 1}}{CALL_END}{SECTION_END}{SECTION_END}', "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f"{SECTION}{CALL}functions.ping:0{ARGUMENT}{{}}{CALL_END}{SECTION_END}\n" * 2, "", [PING, PING], []),
    (d.COUNTED_IDS, f'{SECTION} \n {CALL} functions.act:0 \n{ARGUMENT} {{"count": 1}} {CALL_END}\n{SECTION_END}', "", [ACT], []),
    (d.TYPED_ATTRIBUTES, typed(("count", "false", "1")).replace("<｜DSML｜calls>\n", ""), "", [ACT], ["repaired"]),
    (d.TYPED_ATTRIBUTES, typed(("count", "false", "1")).replace("</｜DSML｜calls>", ""), "", [ACT], []),
    (d.TYPED_ATTRIBUTES, typed(("count", "false", "1")).replace("</｜DSML｜invoke>\n", ""), "", [ACT], ["repaired"]),
    (d.CUSTOM_QUOTES, "<|tool_call>call:act{count:1}", "", [ACT], []),
    (d.CUSTOM_QUOTES, "<|tool_call>call:act{count:1}}<tool_call|>", "", [ACT], ["repaired"]),
    (d.CUSTOM_QUOTES, f"<|tool_call>call:act{{text:{Q}Oslo{Q}}}}}<tool_call|>", "", [NAMED], ["repaired"]),
    (d.CUSTOM_QUOTES, "<|tool_call>call:act{count:1}<tool_call|><tool_call|>", "", [ACT], ["repaired"]),
    (d.PYTHON_CALLS, f"{PYTHON}ping()\nact(count=1){PYTHON_END}", "", [PING, ACT], ["repaired"]),
    (d.PYTHON_CALLS, f"{PYTHON}ping(); act(count=1){PYTHON_END}", "", [PING, ACT], ["repaired"]),
    (d.PYTHON_CALLS, "<|tool_call_start|>act(count=1)<|tool_call_end|>", "", [ACT], ["repaired"]),
    (d.PYTHON_CALLS, "<|tool_call_start|>\n[act(count=1)]\n<|tool_call_end|>", "", [ACT], []),
    (d.PYTHON_CALLS, f"{PYTHON}act(count=1)]", "", [ACT], []),
    (d.PYTHON_CALLS, f"{PYTHON}act(count=1", "", [ACT], ["unclosed_call"]),
    (d.JSON_ARRAY, '[TOOL_CALLS] [{"name": "act", "arguments": {"count": 1}}', "", [ACT], []),
    (d.JSON_ARRAY, '[TOOL_CALLS] [TOOL_CALLS] [{"name": "act", "arguments": {"count": 1}}]', "", [ACT], ["repaired"]),
    (d.JSON_ARRAY, '[TOOL_CALLS] {"name": "act", "arguments": {"count": 1}}', "", [ACT], []),
    (d.NAME_ARGS, '[TOOL_CALLS]act{"count": 1}', "", [ACT], ["repaired"]),
    (d.NAME_ARGS, '[TOOL_CALLS]ping[ARGS]{}[TOOL_CALLS]act[ARGS]{"count": 1}', "", [PING, ACT], []),
    (d.NAME_ARGS, '[TOOL_CALLS] act [ARGS] {"count": 1}\n', "", [ACT], []),
    (d.CHANNELS, CHANNEL_CALLS, "", [PING, ACT], []),
    (d.SEPARATE_BLOCKS, '<|tool_calls|><|tool_call:begin|>a<|tool_call:name|>act<|tool_call:args|>{"count": 1}<|calls|>', "", [ACT],
     ["repaired"]),
    (d.NAME_IN_TAG, '<function=act>{"count": 1}', "", [ACT], []),
    (d.NAME_IN_TAG, '<function=act>{"count": 1}</function></function>', "", [ACT], ["repaired"]),
    (d.NESTED_XML, f'{MARK}<invoke name="act">{MARK}<count>1{MARK}</count>{MARK}</invoke>', "", [ACT], ["repaired"]),
)  # fmt: skip
def test_wrappers_left_out_or_doubled(spec, text, content, found, said):
    check(spec, text, content, found, said)


# --- other forms of a call ---------------------------------------------------------------------------------------------


USUAL = '{"name": "act", "arguments": {"count": 1}}'


@rows(
    (d.FUNCTION_TAGS, json_call(), "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act").replace("</function>", '{"count": 1}\n</function>'), "", [ACT], ["repaired"]),
    (d.KEY_VALUE_TAGS, f"<tool_call>{USUAL}</tool_call>", "", [ACT], ["repaired"]),
    (d.KEY_VALUE_TAGS, '<tool_call>act\n{"count": 1}\n</tool_call>', "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f"{SECTION}{CALL}{USUAL}{CALL_END}{SECTION_END}", "", [ACT], ["repaired"]),
    (d.COUNTED_IDS, f"{SECTION}{USUAL}{SECTION_END}", "", [ACT], ["repaired"]),
    (d.TYPED_ATTRIBUTES, f"<｜DSML｜calls>\n{USUAL}\n</｜DSML｜calls>", "", [ACT], ["repaired"]),
    (d.CUSTOM_QUOTES, f"<|tool_call>{USUAL}<tool_call|>", "", [ACT], ["repaired"]),
    (d.PYTHON_CALLS, f"{PYTHON}{USUAL}{PYTHON_END}", "", [ACT], ["repaired"]),
    (d.NAME_ARGS, f"[TOOL_CALLS][{USUAL}]", "", [ACT], ["repaired"]),
    (d.NAME_ARGS, f"[TOOL_CALLS]{USUAL}", "", [ACT], ["repaired"]),
    (d.BARE_JSON, f"<|python_tag|>{USUAL}", "", [ACT], ["repaired"]),
    (d.BARE_JSON, '{"function": "act", "parameters": {"count": 1}}', "", [ACT], []),
    (d.BARE_JSON, '{"name": "ping", "parameters": {}}; {"name": "act", "parameters": {"count": 1}}', "", [PING, ACT], []),
    (d.HERMES, json_call('{"name": "act", "args": {"count": 1}}'), "", [ACT], []),
    (d.HERMES, json_call('{"name": "act", "input": {"count": 1}}'), "", [ACT], []),
    (d.HERMES, json_call('{"why": [1], "name": "act", "arguments": {"count": 1}, "sure": true}'), "", [ACT], ["unknown_member"]),
    (d.HERMES, json_call('{"type": "function", "id": 3, "name": "act", "arguments": {"count": 1}}'), "", [ACT], []),
)  # fmt: skip
def test_calls_in_another_form_between_the_same_marks(spec, text, content, found, said):
    check(spec, text, content, found, said)


@pytest.mark.parametrize("value", ["1", "[1]", "true", '"x"'])
def test_arguments_that_are_no_object_stand_and_are_said(value):
    texts = [json_call(f'{{"name": "{name}", "arguments": {value}}}') for name in ("act", "other")]
    texts += [
        json_call(f'{{"arguments": {value}, "name": "act"}}'),
        f'<call>{{"act": {value}}}</call>',
        f'<call>{{"other": {value}}}</call>',
    ]
    for spec, text in zip([d.HERMES] * 3 + [d.NAME_AS_KEY] * 2, texts, strict=True):
        message = read(spec, text, tools=TOOLS, add_generation_prompt=False)
        assert (message.content, [call.arguments for call in message.tool_calls]) == ("", [value])
        assert codes(message) == [*(["unknown_tool"] if "other" in text else []), "not_json"]


@rows(
    (d.HERMES, json_call('{"name": "", "arguments": {}}'), None, [], []),
    (d.HERMES, json_call('{"name": " ", "arguments": {}}'), None, [], []),
    (d.HERMES, json_call('{"arguments": {"count": 1}}'), None, [], []),
    (d.HERMES, "<tool_call></tool_call>", None, [], []),
    (d.HERMES, "<tool_call>\nact\n</tool_call>", None, [], []),
    (d.HERMES, USUAL, None, [], []),
    (d.HERMES, f"```json\n{USUAL}\n```", None, [], []),
    (d.FUNCTION_TAGS, "<tool_call>\n</tool_call>", None, [], []),
    (d.FUNCTION_TAGS, "a < b, <functional>, <function>, <function= >, <parameter=x>", None, [], []),
    (d.KEY_VALUE_TAGS, "<tool_call>two words</tool_call>", None, [], []),
    (d.KEY_VALUE_TAGS, "act<arg_key>count</arg_key>", None, [], []),
    (d.COUNTED_IDS, f"{SECTION}{SECTION_END}Hi", None, [], []),
    (d.CUSTOM_QUOTES, "<|tool_call>ping<tool_call|> and call:ping{}", None, [], []),
    (d.PYTHON_CALLS, "[ping()] or ping()", None, [], []),
    (d.PYTHON_CALLS, f"{PYTHON}ping{PYTHON_END}", None, [], []),
    (d.NAME_ARGS, "[TOOL_CALLS]ping", None, [], []),
    (d.BARE_JSON, '{"name": "nope", "parameters": {}}', None, [], []),
    (d.BARE_JSON, '[{"a": 1}]', None, [], []),
    (d.CODE_FENCE, 'Action: ```json\n{"tool": 1}\n```', None, [], []),
)
def test_what_is_no_call_is_text_to_the_last_character(spec, text, content, found, said):
    check(spec, text, text, found, said)


@rows(
    (d.COUNTED_IDS, f"Fine.{SECTION}{SECTION_END}", "Fine.", [], ["stray_marker"]),
    (d.COUNTED_IDS, f"{SECTION}\n{SECTION_END}\n{SECTION}{CALL}functions.ping:0{ARGUMENT}{{}}{CALL_END}{SECTION_END}", "", [PING],
     ["stray_marker"]),
    (d.PYTHON_CALLS, f"{PYTHON} {PYTHON_END}", "", [], ["stray_marker"]),
    (d.JSON_ARRAY, "[TOOL_CALLS] []", "", [], ["stray_marker"]),
    (d.COUNTED_IDS, f"It is `{SECTION}{SECTION_END}`.", f"It is `{SECTION}{SECTION_END}`.", [], []),
)  # fmt: skip
def test_a_section_without_a_call_is_dropped_where_nothing_but_structure_follows(spec, text, content, found, said):
    check(spec, text, content, found, said)


# --- values ------------------------------------------------------------------------------------------------------------


@rows(
    (d.FUNCTION_TAGS, tags("act", text="It has </parameter> and </function>\n</tool_call> in it"), "",
     [("act", {"text": "It has </parameter> and </function>\n</tool_call> in it"})], []),
    (d.FUNCTION_TAGS, tags("act", text="Example:\n" + tags("foo", bar="x")), "",
     [("act", {"text": "Example:\n" + tags("foo", bar="x")})], []),
    (d.KEY_VALUE_TAGS, keyed("act", text="a</tool_call> b </arg_value> c", count="1"), "",
     [("act", {"text": "a</tool_call> b </arg_value> c", "count": 1})], []),
    (d.KEY_VALUE_TAGS, keyed("act", text=keyed("foo", bar="x")), "", [("act", {"text": keyed("foo", bar="x")})], []),
    (d.TYPED_ATTRIBUTES, typed(("text", "true", "a</｜DSML｜invoke> b")), "", [("act", {"text": "a</｜DSML｜invoke> b"})], []),
    (d.CUSTOM_QUOTES, f"<|tool_call>call:act{{text:{Q}f({Q}a{Q}, {Q}b{Q}){Q},count:1}}<tool_call|>", "",
     [("act", {"text": 'f("a", "b")', "count": 1})], []),
    (d.CUSTOM_QUOTES, f"<|tool_call>call:act{{text:{Q}Oslo{Q},}}<tool_call|>", "", [NAMED], []),
    (d.CUSTOM_QUOTES, "<|tool_call>call:act{text:Oslo,count:1}<tool_call|>", "", [BOTH], ["repaired"]),
    (d.CUSTOM_QUOTES, '<|tool_call>call:act{"text":"Oslo"}<tool_call|>', "", [NAMED], []),
    (d.CUSTOM_QUOTES, f"<|tool_call>call:act{{count:1,text:{Q}{Q}}}<tool_call|>", "", [("act", {"count": 1, "text": ""})], []),
    (d.PYTHON_CALLS, f"{PYTHON}act(text=Oslo, count=1){PYTHON_END}", "", [BOTH], ["repaired"]),
    (d.PYTHON_CALLS, f"{PYTHON}act(text='a, count=2)]', count=1,){PYTHON_END}", "", [("act", {"text": "a, count=2)]", "count": 1})], []),
    (d.PYTHON_CALLS, f"{PYTHON}act(text='''a\n'b' ''', count=1){PYTHON_END}", "", [("act", {"text": "a\n'b' ", "count": 1})], []),
    (d.PYTHON_CALLS, f"{PYTHON}act(text='echo 'a, b' | f('x') 'c'', count=1){PYTHON_END}", "",
     [("act", {"text": "echo 'a, b' | f('x') 'c'", "count": 1})], ["repaired"]),
    (d.PYTHON_CALLS, f"{PYTHON}act(text='f('a')'), ping(){PYTHON_END}", "", [("act", {"text": "f('a')"}), PING], ["repaired"]),
    (d.PYTHON_CALLS, f"{PYTHON}act(array=['it's', 'a'], object={{'k': {{'x', 2}}, 'e': {{}}}}){PYTHON_END}", "",
     [("act", {"array": ["it's", "a"], "object": {"k": ["x", 2], "e": {}}})], ["repaired"]),
    (d.KEY_VALUE_TAGS, "<tool_call>act<arg_key>count<arg_value>1</arg_value></tool_call>", "", [ACT], ["repaired"]),
    (d.KEY_VALUE_TAGS, "<tool_call>act<arg_key>count</arg_key>1</arg_value></tool_call>", "", [ACT], ["repaired"]),
    (d.KEY_VALUE_TAGS, keyed("act", **{" count ": " 1 "}), "", [ACT], []),
    (d.TYPED_ATTRIBUTES, typed(("text", "true", "Oslo")).replace(' string="true"', ""), "", [NAMED], ["repaired"]),
    (d.TYPED_ATTRIBUTES, typed(("text", "false", '"Oslo"')), "", [NAMED], []),
    (d.TYPED_ATTRIBUTES, typed(("count", "true", "1")), "", [("act", {"count": "1"})], ["schema_error"]),
    (d.TYPED_ATTRIBUTES, typed(("text", "false", "1")), "", [("act", {"text": 1})], ["schema_error"]),
    (d.FUNCTION_TAGS, tags("act", count="1 "), "", [ACT], []),
    (d.FUNCTION_TAGS, tags("act", count="-007"), "", [("act", {"count": -7})], []),
    (d.PYTHON_CALLS, f"{PYTHON}act(count=01){PYTHON_END}", "", [ACT], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", text="007"), "", [("act", {"text": "007"})], []),
    (d.FUNCTION_TAGS, tags("act", flag="True"), "", [("act", {"flag": True})], []),
    (d.FUNCTION_TAGS, tags("act", flag="yes"), "", [("act", {"flag": "yes"})], ["schema_error"]),
    (d.FUNCTION_TAGS, tags("act", object="{'a': (1, None)}"), "", [("act", {"object": {"a": [1, None]}})], ["repaired"]),
    (d.FUNCTION_TAGS, tags("act", object='{"a": 1, "a": 2}'), "", [("act", {"object": {"a": 1}})], ["repeated_key"]),
    (d.FUNCTION_TAGS, tags("act", count="1") + tags("act", count="2"), "", [ACT, ("act", {"count": 2})], []),
    (d.FUNCTION_TAGS, tags("act", text="👩‍🚀 北京 \u2028 \x00"), "", [("act", {"text": "👩‍🚀 北京 \u2028 \x00"})], []),
    (d.NAME_ARGS, '[TOOL_CALLS]act[ARGS]"{\\"count\\": 1}"', "", [ACT], []),
)  # fmt: skip
def test_values_and_keys(spec, text, content, found, said):
    check(spec, text, content, found, said)


@rows(
    (d.FUNCTION_TAGS, tags("act", count="1").replace("</function>", "<parameter=count>\n2\n</parameter>\n</function>"), "", [ACT],
     ["repeated_key"]),
    (d.KEY_VALUE_TAGS, keyed("act", count="1")[:-12] + keyed("", count="2")[11:], "", [ACT], ["repeated_key"]),
    (d.HERMES, json_call('{"name": "act", "arguments": {"count": 1, "count": 2}}'), "", [ACT], ["repeated_key"]),
    (d.PYTHON_CALLS, f"{PYTHON}act(count=1, count=2){PYTHON_END}", "", [ACT], ["repeated_key"]),
    (d.CUSTOM_QUOTES, "<|tool_call>call:act{count:1,count:2}<tool_call|>", "", [ACT], ["repeated_key"]),
)  # fmt: skip
def test_of_a_repeated_key_the_first_stands_and_it_is_said(spec, text, content, found, said):
    check(spec, text, content, found, said)


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        (r'{"text": "\d+ \. \ "}', {"text": r"\d+ \. \ "}),
        ('{"text": "a\nb\tc"}', {"text": "a\nb\tc"}),
        ("{'text': 'a', 'flag': True}", {"text": "a", "flag": True}),
        ('{"text": "a", "maybe": None}', {"text": "a", "maybe": None}),
        ('{"text": "a",}', {"text": "a"}),
        (r'{"text": "\ud83d"}', {"text": "\ufffd"}),
        ('{"ratio": .5, "count": 1_000}', {"ratio": 0.5, "count": 1000}),
        ('{"array": (1, 2)}', {"array": [1, 2]}),
    ],
)
def test_json_that_is_mended_says_so(body, arguments):
    message = read(d.HERMES, json_call(f'{{"name": "act", "arguments": {body}}}'), tools=TOOLS, add_generation_prompt=False)
    assert calls(message) == [("act", arguments)]
    assert codes(message) == ["repaired"]


def test_valid_json_is_neither_touched_nor_mentioned():
    body = '{ "text" : "\\u00e9\\n\\/" ,\n "array":[ 1e5 , -0.5 ] }'
    message = read(d.HERMES, json_call(f'{{"name": "act", "arguments": {body}}}'), tools=TOOLS, add_generation_prompt=False)
    assert message.tool_calls[0].arguments == body
    assert message.diagnostics == ()


# --- requests ----------------------------------------------------------------------------------------------------------


def test_a_second_call_where_one_was_asked_for_is_delivered_and_said():
    text = json_call('{"name": "ping", "arguments": {}}') + json_call()
    message = read(d.HERMES, text, tools=TOOLS, parallel_tool_calls=False, add_generation_prompt=False)
    assert calls(message) == [PING, ACT]
    assert [(found.code, found.message) for found in message.diagnostics] == [("unexpected_call", "act")]


def test_another_call_than_the_named_one_is_delivered_and_said():
    choice = {"type": "function", "function": {"name": "ping"}}
    message = read(d.HERMES, json_call(), tools=TOOLS, tool_choice=choice, add_generation_prompt=False)
    assert calls(message) == [ACT]
    assert codes(message) == ["unexpected_call"]


@pytest.mark.parametrize(("spec", "text"), [(d.HERMES, json_call()), (d.FUNCTION_TAGS, tags("act", count="1")), (d.BARE_JSON, USUAL)])
def test_tool_choice_none_leaves_calls_as_text(spec, text):
    message = read(spec, text, tools=TOOLS, tool_choice="none", add_generation_prompt=False)
    assert (message.content, message.tool_calls, message.diagnostics) == (text, (), ())


WORDS = "It says <think>, </think>, <tool_call>, <function=act> and <|im_end|>."


@pytest.mark.parametrize("which", ["content", "reasoning"])
def test_words_of_a_continued_message_stay_what_they_are(which):
    said = {"role": "assistant", "content": WORDS if which == "content" else "", "reasoning_content": WORDS}
    text = " So." if which == "content" else " So.\n</think>\n\nYes."
    message = read(d.FUNCTION_TAGS, text, tools=TOOLS, messages=[said], continue_final_message=which)
    if which == "content":
        assert (message.reasoning_content, message.content) == (WORDS, WORDS + " So.")
    else:
        assert (message.reasoning_content, message.content) == (WORDS + " So.", "Yes.")
    assert (message.tool_calls, message.diagnostics) == ((), ())


OPENED = "<|im_start|>assistant\n<think>\n"


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ('{"a": 1}', "", '{"a": 1}'),
        ('\n{"a": [1, 2]}\n<|im_end|>', "", '{"a": [1, 2]}'),
        ("[1]", "", "[1]"),
        ('{"a": 1} is what I want.\n</think>\n\n{"b": 2}', '{"a": 1} is what I want.', '{"b": 2}'),
        ('Hm.\n</think>\n\n{"b": 2}', "Hm.", '{"b": 2}'),
        ('{"a": 1}\n</think>\n\n{"b": 2}', '{"a": 1}', '{"b": 2}'),
    ],
)
def test_an_answer_that_is_all_json_is_no_reasoning_where_a_schema_was_asked_for(text, reasoning, content):
    message = read(d.FUNCTION_TAGS, text, prompt=OPENED, response_schema={"type": "object"})
    assert (message.reasoning_content, message.content, message.diagnostics) == (reasoning, content, ())


@pytest.mark.parametrize("prompt", [OPENED, "<|im_start|>assistant\n<think>\n\n</think>\n\n"])
def test_where_reasoning_is_not_told_apart_no_white_space_is_lost(prompt):
    text = "hm\n</think>\n\n<think>\n\nagain\n</think>\n\n\nHi."
    message = read(d.FUNCTION_TAGS, text, prompt=prompt, extract_reasoning=False)
    assert (message.reasoning_content, message.content) == ("", ("<think>\n" if prompt is OPENED else "") + text)


# --- cut turns ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "text", "content"),
    [
        (d.CHANNELS, "<|channel|>", ""),
        (d.CHANNELS, "<|channel|>analysis", ""),
        (d.CHANNELS, "<|channel|>analysis<|mess", ""),
        (d.COUNTED_IDS, f"Hi{SECTION}<|tool_ca", "Hi"),
        (d.COUNTED_IDS, f"Hi{SECTION}", "Hi"),
        (d.CUSTOM_QUOTES, "Hi<|", "Hi"),
        (d.NAME_ARGS, "Hi[TOOL", "Hi"),
        (d.HERMES, "Hi <", "Hi <"),
        (d.HERMES, "Hi </tool", "Hi </tool"),
    ],
)
def test_a_marker_that_the_limit_cut_is_dropped_unless_it_may_be_text(spec, text, content):
    message = read(spec, text, tools=TOOLS, truncated=True, add_generation_prompt=False)
    assert (message.content, message.tool_calls, message.finish_reason) == (content, (), "length")
    assert bool(message.diagnostics) == (content != text)


@pytest.mark.parametrize("text", ["Hi <|", "Hi [", "a <", "<", "[T", "<|turn", "Hi <|tool_cal", "it is <tool_"])
def test_a_turn_that_ends_by_itself_keeps_what_no_marker_begins_with_for_certain(text):
    for spec in (d.CUSTOM_QUOTES, d.HERMES):
        assert read(spec, text, tools=TOOLS, add_generation_prompt=False).content == text


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        (d.NAME_ARGS, "[TOOL_CALLS]act[ARGS]"),
        (d.FUNCTION_TAGS, "<tool_call>\n<function=act>\n"),
        (d.KEY_VALUE_TAGS, "<tool_call>act"),
        (d.PYTHON_CALLS, f"{PYTHON}act("),
        (d.HERMES, '<tool_call>\n{"name": "act", "arguments": {"count": 1'),
        (d.HERMES, '<tool_call>\n{"name": "act", '),
        (d.CUSTOM_QUOTES, f"<|tool_call>call:act{{text:{Q}Os"),
    ],
)
def test_a_call_that_the_limit_cut_is_never_whole(spec, text):
    message = read(spec, text, tools=TOOLS, truncated=True, add_generation_prompt=False)
    assert [(call.name, call.complete) for call in message.tool_calls] == [("act", False)]
    assert message.finish_reason == "length"


@pytest.mark.parametrize(
    ("key", "value", "sent"),
    [
        ("array", '["a", "b', '["a", "b'),
        ("object", '{"a": {"b": [1', '{"a": {"b": ['),
        ("count", "12", "12"),
        ("flag", "tr", ""),
        ("text", "line 1\nline", '"line 1\\nline'),
    ],
)
def test_what_came_of_a_value_that_was_cut_is_kept(key, value, sent):
    text = f"<tool_call>\n<function=act>\n<parameter={key}>\n{value}"
    (call,) = read(d.FUNCTION_TAGS, text, tools=TOOLS, truncated=True, add_generation_prompt=False).tool_calls
    assert (call.arguments, call.complete) == (f'{{"{key}": {sent}', False)


def test_what_is_said_of_a_turn_does_not_depend_on_its_length_or_its_cuts():
    text = "x" * 500 + "\n" + tags("ping")[12:] + "y" * 500
    message = read(d.FUNCTION_TAGS, text, tools=TOOLS, add_generation_prompt=False)
    (found,) = message.diagnostics
    assert (found.code, found.position) == ("repaired", 501)
    assert found.around == text[501 - 32 : 501 + 32]


def test_a_fault_at_the_first_character_behind_the_prompt_is_said():
    prompt = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
    assert codes(read(d.FUNCTION_TAGS, tags("ping")[12:], tools=TOOLS, prompt=prompt)) == ["repaired"]
    assert codes(read(d.FUNCTION_TAGS, tags("ping"), tools=TOOLS, prompt=prompt)) == []
