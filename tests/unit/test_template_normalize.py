"""Messages take the form that a template takes, and the caller's own stay as they are."""

from __future__ import annotations

import copy
import re

import pytest

from untemplate.errors import TemplateRefusal
from untemplate.spec.model import Capabilities, Support
from untemplate.template import Template, prepare, prepare_messages

FULL = {"calls": Support.KEPT, "tool_results": Support.KEPT, "reasoning": Support.KEPT, "tools": True}
USER = {"role": "user", "content": "hi"}


def capable(**fields):
    return Capabilities(**{**FULL, **fields})


def assistant(arguments, **fields):
    call = {"id": "abcdefghi", "type": "function", "function": {"name": "mul", "arguments": arguments}}
    return {"role": "assistant", **fields, "tool_calls": [call]}


def result(text="ok", identifier="abcdefghi"):
    return {"role": "tool", "content": text, "tool_call_id": identifier}


def test_missing_content_renders_as_empty():  # fault report tmpl-content-missing-key
    template = Template("{%- for m in messages %}{{- m.role ~ ':' ~ (m['content'] | trim) ~ ';' }}{% endfor %}")
    messages = prepare_messages([USER, assistant({}), result()], capable())
    assert template.render(messages) == "user:hi;assistant:;tool:ok;"
    assert messages[1]["content"] == ""


@pytest.mark.parametrize(("empty", "expected"), [("empty", ""), ("null", None), ("missing", "MISSING")])
@pytest.mark.parametrize("content", ["", None, "MISSING"])
def test_absent_content_takes_the_templates_form(content, empty, expected):  # fault report tmpl-null-content-from-own-reply
    message = assistant({"a": 1}) if content == "MISSING" else assistant({"a": 1}, content=content)
    prepared = prepare_messages([USER, message, result()], capable(empty_content=empty))
    assert prepared[1].get("content", "MISSING") == expected


def test_a_reply_with_null_content_is_accepted_back():  # fault report tmpl-null-content-from-own-reply
    template = Template(
        "{%- for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content + '' }}{% for c in m.tool_calls or [] %}<tool_call>\n"
        '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}{% endfor %}'
    )
    messages = prepare_messages([USER, assistant('{"a": 1}', content=None), result("2")], capable())
    assert '<tool_call>\n{"name": "mul", "arguments": {"a": 1}}\n</tool_call>' in template.render(messages)


@pytest.mark.parametrize("arguments", ['{"a": 1}', {"a": 1}])
def test_arguments_become_what_the_template_wants(arguments):
    as_object = prepare_messages([assistant(arguments)], capable(arguments_as="object"))
    as_text = prepare_messages([assistant(arguments)], capable(arguments_as="text"))
    assert as_object[0]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert as_text[0]["tool_calls"][0]["function"]["arguments"] == '{"a": 1}'


@pytest.mark.parametrize("arguments", ["", None, " "])
def test_no_arguments_are_an_empty_object(arguments):
    assert prepare_messages([assistant(arguments)], capable())[0]["tool_calls"][0]["function"]["arguments"] == {}


def test_arguments_that_are_no_json_stay():
    assert prepare_messages([assistant('{"a": ')], capable())[0]["tool_calls"][0]["function"]["arguments"] == '{"a": '


HARMONY = (
    "{%- for m in messages %}{%- if m.role == 'assistant' %}{%- if m.content and m.thinking %}{{ raise_exception('not both') }}{% endif %}"
    "{%- if m.tool_calls %}{%- if m.thinking %}{{- '<|channel|>analysis<|message|>' ~ m.thinking ~ '<|end|>' }}{% endif %}"
    "{%- for c in m.tool_calls %}{{- ' to=functions.' ~ c.function.name ~ ' <|constrain|>json<|message|>' "
    "~ (c.function.arguments | tojson) ~ '<|call|>' }}{% endfor %}"
    "{%- else %}{{- '<|channel|>final<|message|>' ~ m.content ~ '<|end|>' }}{% endif %}{% endif %}{%- endfor %}"
)


def test_content_beside_thinking_and_calls_becomes_a_turn_of_its_own():  # fault report tmpl-content-and-thinking-raise
    message = assistant({"path": "/"}, content="Let me look.", thinking="need listing")
    template = Template(HARMONY)
    with pytest.raises(TemplateRefusal):
        template.render([USER, message])
    prepared = prepare([USER, message], capable(content_with_calls=Support.REFUSED))
    assert template.render(prepared.messages) == (
        "<|channel|>final<|message|>Let me look.<|end|><|channel|>analysis<|message|>need listing<|end|>"
        ' to=functions.mul <|constrain|>json<|message|>{"path": "/"}<|call|>'
    )
    assert "turn of its own" in prepared.notes[0]


def test_content_beside_calls_is_left_out_and_said_where_roles_must_alternate():
    prepared = prepare([USER, assistant({}, content="Look.")], capable(content_with_calls=Support.REFUSED, alternation=True))
    assert [m.get("content") for m in prepared.messages] == ["hi", ""]
    assert "left out" in prepared.notes[0]


ALTERNATING = (
    "{%- for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns must alternate') }}"
    "{% endif %}{{ '[' ~ m.role ~ ']' ~ m.content }}{% endfor %}"
)


def test_neighbours_of_one_role_are_joined_where_roles_must_alternate():  # fault report tmpl-role-alternation
    messages = [{"role": "user", "content": "capital of Ontario?"}, {"role": "user", "content": "and its history?"}]
    with pytest.raises(TemplateRefusal):
        Template(ALTERNATING).render(messages)
    prepared = prepare(messages, capable(alternation=True))
    assert Template(ALTERNATING).render(prepared.messages) == "[user]capital of Ontario?\n\nand its history?"
    assert prepare(messages, capable()).messages == messages


def test_joined_neighbours_keep_parts_reasoning_and_calls():
    image = {"type": "image"}
    first = {"role": "assistant", "content": "a", "reasoning_content": "r"}
    joined = prepare_messages(
        [{"role": "user", "content": "x"}, {"role": "user", "content": [image]}, first, assistant({}, content="b", reasoning_content="s")],
        capable(alternation=True),
    )
    assert joined[0]["content"] == [{"type": "text", "text": "x"}, image]
    assert (joined[1]["content"], joined[1]["reasoning_content"]) == ("a\n\nb", "r\n\ns")
    assert joined[1]["tool_calls"][0]["function"]["name"] == "mul"


NO_TOOL_ROLE = (
    "{%- for m in messages %}{% if m.role not in ['user','assistant'] %}{{ raise_exception('unknown role') }}{% endif %}"
    "{{ '<' ~ m.role ~ '>' ~ (m.content or '') }}{% endfor %}"
)


def test_tools_that_a_template_does_not_know_are_written_as_json():  # fault report tmpl-no-tool-role
    messages = [USER, assistant({"id": "22"}, content=None), result("not found")]
    with pytest.raises(TemplateRefusal):
        Template(NO_TOOL_ROLE).render(messages)
    prepared = prepare(messages, capable(calls=Support.DROPPED, tool_results=Support.REFUSED, alternation=True))
    assert Template(NO_TOOL_ROLE).render(prepared.messages) == (
        '<user>hi<assistant>{"tool_calls": [{"name": "mul", "arguments": {"id": "22"}, "id": "abcdefghi"}]}'
        '<user>{"tool_response": {"tool": "mul", "tool_call_id": "abcdefghi", "content": "not found"}}'
    )
    assert "written as JSON" in prepared.notes[0]


def test_text_of_written_calls_comes_after_the_content():
    prepared = prepare_messages([assistant({}, content="Look.")], capable(calls=Support.DROPPED))
    assert prepared[0]["content"] == 'Look.\n\n{"tool_calls": [{"name": "mul", "arguments": {}, "id": "abcdefghi"}]}'


def ids(messages):
    return [call["id"] for m in messages for call in m.get("tool_calls") or ()], [
        m["tool_call_id"] for m in messages if m["role"] == "tool"
    ]


@pytest.mark.parametrize("pattern", ["[A-Za-z0-9]{9}", r"\w{9}", r"call_[0-9a-f]{8}", r"functions\.[a-z]{3}:\d"])
def test_ids_are_rewritten_to_the_demanded_form_on_call_and_result(pattern):  # fault report tmpl-tool-id-nine
    two = assistant({})
    two["tool_calls"] = [{**two["tool_calls"][0], "id": i} for i in ("call_0fypS1hVX", "chatcmpl-tool-1")]
    messages = [USER, two, result("b", "chatcmpl-tool-1"), result("a", "call_0fypS1hVX")]
    prepared = prepare_messages(messages, capable(id_pattern=pattern))
    calls, results = ids(prepared)
    assert all(re.fullmatch(pattern, identifier) for identifier in calls)
    assert results == calls[::-1]
    assert len(set(calls)) == 2
    assert prepared == prepare_messages(messages, capable(id_pattern=pattern))


def test_an_id_that_fits_stays():  # fault report tmpl-tool-id-nine
    assert ids(prepare_messages([assistant({}), result()], capable(id_pattern="[A-Za-z0-9]{9}"))) == (["abcdefghi"], ["abcdefghi"])


def test_missing_ids_are_made_and_results_matched_in_order():
    two = assistant({})
    two["tool_calls"] = [{k: v for k, v in two["tool_calls"][0].items() if k != "id"}] * 2
    messages = [two, {"role": "tool", "content": "a"}, {"role": "tool", "content": "b"}]
    calls, results = ids(prepare_messages(messages, capable(id_pattern="[A-Za-z0-9]{9}")))
    assert calls == results
    assert len(set(calls)) == 2


def test_a_pattern_that_is_not_understood_changes_nothing():
    assert ids(prepare_messages([assistant({}), result()], capable(id_pattern="(?=x)x|y+z"))) == (["abcdefghi"], ["abcdefghi"])


def test_several_calls_become_several_turns_with_their_results_where_one_is_the_limit():
    two = assistant({}, content="c")
    two["tool_calls"] = [{**two["tool_calls"][0], "id": i} for i in ("one", "two")]
    prepared = prepare_messages([USER, two, result("B", "two"), result("A", "one"), USER], capable(max_calls=1))
    assert [(m["role"], m["content"]) for m in prepared] == [
        ("user", "hi"),
        ("assistant", "c"),
        ("tool", "A"),
        ("assistant", ""),
        ("tool", "B"),
        ("user", "hi"),
    ]


def test_a_refused_system_message_goes_in_front_of_the_users():
    prepared = prepare([{"role": "system", "content": "Be brief."}, USER], capable(system=Support.REFUSED))
    assert prepared.messages == [{"role": "user", "content": "Be brief.\n\nhi"}]
    assert "system" in prepared.notes[0]


def test_content_becomes_parts_or_text_as_the_template_wants():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert prepare_messages([{"role": "user", "content": parts}], capable())[0]["content"] == "ab"
    assert prepare_messages([USER], capable(content_parts=True))[0]["content"] == [{"type": "text", "text": "hi"}]
    image = [{"type": "image"}, *parts]
    assert prepare_messages([{"role": "user", "content": image}], capable())[0]["content"] == image


def test_the_callers_messages_stay_as_they_are():
    messages = [
        {"role": "system", "content": "s"},
        USER,
        USER,
        assistant('{"a": [1]}', content="c", extra={"x": [1]}),
        result("r", "zzz"),
    ]
    before = copy.deepcopy(messages)
    hostile = capable(
        system=Support.REFUSED, content_with_calls=Support.REFUSED, alternation=True, id_pattern=r"\w{9}", max_calls=1, content_parts=True
    )
    prepared = prepare_messages(messages, hostile)
    prepared[-2]["extra"]["x"].append(2)
    assert messages == before
    assert prepared[-2]["extra"] == {"x": [1, 2]}
