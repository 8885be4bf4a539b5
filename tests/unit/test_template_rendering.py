"""Rendering equals transformers': the environment, the names in it, and what becomes of messages."""

from __future__ import annotations

import datetime
import enum
import threading

import pytest

from untemplate.errors import TemplateError, TemplateRefusal
from untemplate.source import load_source
from untemplate.template import Template, load_template

USER = {"role": "user", "content": "hi"}


def render(text, messages=(USER,), **variables):
    return Template(text).render(list(messages), **variables)


def test_tojson_takes_ensure_ascii():  # fault report tmpl-tojson-ensure-ascii
    tool = {"type": "function", "function": {"name": "météo", "parameters": {}}}
    text = "{%- for t in tools or [] %}{{ t | tojson(ensure_ascii=False) }}{% endfor %}"
    assert render(text, tools=[tool]) == '{"type": "function", "function": {"name": "météo", "parameters": {}}}'


def test_tojson_writes_what_json_dumps_writes():  # fault report tmpl-tojson-python-format
    text = "{{- x | tojson }}|{{ x | tojson(sort_keys=true, separators=(',', ':')) }}|{{ x | tojson(indent=2) }}"
    expected = '{"b": "<a> & \'q\' é", "a": 1}|{"a":1,"b":"<a> & \'q\' é"}|{\n  "b": "<a> & \'q\' é",\n  "a": 1\n}'
    assert render(text, x={"b": "<a> & 'q' é", "a": 1}) == expected


def test_tojson_is_no_markup_that_escapes_what_is_added():  # fault report tmpl-tojson-python-format
    assert render("{{ ('a' | tojson) + '<b>' }}") == '"a"<b>'


def test_upper_takes_a_list_as_its_text():  # fault report tmpl-filter-on-list-type
    text = (
        "{%- for k, v in tools[0].function.parameters.properties | items %}"
        "{% if v.type | upper == 'STRING' %}{{ k }}:s;{% else %}{{ k }}:o;{% endif %}{% endfor %}"
    )
    properties = {"a": {"type": "string"}, "b": {"type": ["string", "null"]}}
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": properties}}}
    assert render(text, tools=[tool]) == "a:s;b:o;"


def test_strftime_now_reads_the_clock_it_is_given():  # fault report tmpl-strftime-now
    def clock():
        return datetime.datetime.fromisoformat("2025-01-02T03:04:05")

    template = Template("{{- 'Date: ' ~ strftime_now('%B %d, %Y %H:%M:%S') ~ '|' ~ messages[0].content }}", clock=clock)
    assert template.render([USER]) == "Date: January 02, 2025 03:04:05|hi"


def test_the_clock_stands_still_unless_one_is_given():
    assert render("{{ strftime_now('%Y-%m-%dT%H:%M:%S%Z') }}") == "2025-01-15T10:20:30"


def test_loops_can_break_and_continue():  # fault report tmpl-loop-controls
    text = "{%- for m in messages %}{% if m.role == 'system' %}{% continue %}{% endif %}{{ m.content }}{% break %}{% endfor %}"
    assert render(text, [{"role": "system", "content": "s"}, USER, {"role": "user", "content": "later"}]) == "hi"


def test_a_generation_block_renders_its_body():  # fault report tmpl-generation-tag
    text = (
        "{%- for m in messages %}{{ '<' ~ m.role ~ '>' }}{% if m.role == 'assistant' %}"
        "{% generation %}{{ m.content }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}"
    )
    assert render(text, [USER, {"role": "assistant", "content": "yo"}]) == "<user>hi<assistant>yo"


def test_what_a_generation_block_sets_stays_inside():
    assert render("{% set x = 1 %}{% generation %}{% set x = 2 %}{{ x }}{% endgeneration %}{{ x }}") == "21"


def test_null_content_is_given_to_a_template_that_fails_without_it():
    asks = Template("{% for m in messages %}{% if m['content'] is none %}none{% else %}{{ 'x' + m['content'] }}{% endif %};{% endfor %}")
    assert asks.render([{"role": "user", "content": "y"}, {"role": "assistant", "content": None}]) == "xy;none;"
    with pytest.raises(TemplateError, match="content"):
        asks.render([{"role": "assistant"}])


def test_a_null_member_of_a_message_is_missing():
    message = {"role": "assistant", "content": None, "tool_calls": None}
    assert render("{{ 'content' in messages[0] }} {{ messages[0].tool_calls is defined }}", [message]) == "False False"


@pytest.mark.parametrize("name", ["reasoning_content", "thinking", "reasoning"])
def test_reasoning_is_found_under_the_names_that_templates_read(name):
    text = "{{ messages[0].reasoning_content }} {{ messages[0].thinking }}"
    assert render(text, [{"role": "assistant", "content": "c", name: "why"}]) == "why why"


def test_a_thinking_member_of_its_own_is_not_replaced():
    message = {"role": "assistant", "content": "c", "reasoning_content": "a", "thinking": "b"}
    assert render("{{ messages[0].reasoning_content }} {{ messages[0].thinking }}", [message]) == "a b"


def test_absent_tools_and_documents_are_none():
    assert render("{{ tools is none }} {{ documents is none }} {{ other is defined }}") == "True True False"


def test_special_tokens_are_variables_and_callers_win():
    template = Template("{{ bos_token }}{{ eos_token }}", special_tokens={"bos_token": "<s>", "eos_token": "</s>"})
    assert template.render([USER]) == "<s></s>"
    assert template.render([USER], bos_token="B") == "B</s>"


def test_a_first_token_like_bos_is_not_stripped():  # fault report gguf-double-bos
    template = Template("{{ bos_token }}<sop>{{ messages[0].content }}", special_tokens={"bos_token": "[gMASK]"})
    assert template.render([USER]) == "[gMASK]<sop>hi"


def test_a_missing_special_token_is_left_empty_only_where_it_is_needed_and_noted():
    template = Template("{{ eos_token is defined }}{{ messages[0].content + eos_token }}")
    assert template.render([USER]) == "Truehi"
    assert template.notes == ("The template needs eos_token, which the source does not name; it is left empty.",)
    plain = Template("{{ eos_token is defined }}{{ messages[0].content ~ eos_token }}")
    assert plain.render([USER]) == "Falsehi"
    assert plain.notes == ()


def test_a_template_that_appends_to_lists_runs_in_the_plain_sandbox_and_says_so():
    template = Template("{% set l = [] %}{% set _ = l.append(messages[0].content) %}{{ l }}")
    assert template.render([USER]) == "['hi']"
    assert "plain sandbox" in template.notes[0]


def test_a_template_that_changes_its_messages_changes_copies():
    messages = [{"role": "user", "content": "hi", "extra": {"list": [1]}}]
    text = "{% set _ = messages[0].extra.list.append(2) %}{% set _ = messages.pop() %}{{ messages | length }}"
    assert render(text, messages) == "0"
    assert messages == [{"role": "user", "content": "hi", "extra": {"list": [1]}}]


def test_unknown_members_reach_the_template_untouched():
    assert render("{{ messages[0].prefix.deep[1] }}", [{**USER, "prefix": {"deep": [1, "two"]}}]) == "two"


def test_objects_of_the_caller_reach_the_template_as_plain_data():
    class Colour(enum.StrEnum):
        RED = "red"

    class Model:
        def model_dump(self):
            return {"a": 1}

    text = "{{ messages[0].c }} {{ messages[0].m | tojson }} {{ messages[0].o }}"
    assert render(text, [{**USER, "c": Colour.RED, "m": Model(), "o": object()}]) == 'red {"a": 1} <object>'


def test_a_refusal_carries_the_templates_own_words():
    with pytest.raises(TemplateRefusal, match="no system") as caught:
        render("a\nb{{ raise_exception('no system') }}")
    assert (caught.value.code, caught.value.where) == ("E210", "template:2")


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("a\n{% if %}", "E201", "template:2"),
        ("{{ x | nosuchfilter }}", "E201", "template:1"),
        ("{% for x in y %}", "E201", "template:1"),
        ("{% for a in x %}" * 40 + "{% endfor %}" * 40, "E201", "template"),
        ("\n\n{{ none.x.y }}", "E200", "template:3"),
        ("{{ 1 / 0 }}", "E200", "template:1"),
        ("{{ ''.__class__.__mro__ }}", "E203", "template:1"),
        ("{{ cycler.__init__.__globals__.os }}", "E203", "template:1"),
        ("{{ namespace(__class__=1) }}", "E203", "template:1"),
        ("{% include 'other' %}", "E200", "template:1"),
    ],
)
def test_what_fails_is_a_coded_error_with_its_line(text, code, where):
    with pytest.raises(TemplateError) as caught:
        render(text)
    assert (caught.value.code, caught.value.where) == (code, where)


def test_an_error_names_the_sources_path_and_the_line(tmp_path):
    (tmp_path / "a.jinja").write_text("x\n{{ 1 / 0 }}")
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": [{"name": "rag", "template": "{{ 1 / 0 }}"}]}')
    for name, place in (("a.jinja", "a.jinja:2"), ("tokenizer_config.json", "tokenizer_config.json[rag]:1")):
        with pytest.raises(TemplateError) as caught:
            load_template(load_source(tmp_path / name)).render([USER])
        assert caught.value.where == str(tmp_path / place)
        assert caught.value.hint


def test_a_message_that_is_no_object_is_an_error():
    with pytest.raises(TemplateError, match="must be an object"):
        render("x", ["hi"])


def test_variables_are_the_names_a_caller_can_set():
    text = (
        "{% set a = 1 %}{% macro m(p) %}{{ p }}{{ q }}{% endmacro %}{% for x in messages %}{{ x.y }}{{ a }}"
        "{% if enable_thinking is defined and not enable_thinking %}{{ strftime_now('%Y') }}{% endif %}{% endfor %}{{ m(1) }}"
    )
    assert Template(text).variables() == {"messages", "enable_thinking", "q"}


def test_a_name_that_is_only_set_is_no_variable():
    assert Template("{% for m in messages %}{% if m %}{% set _ = m.x %}{% endif %}{% endfor %}").variables() == {"messages"}


def test_string_constants_come_in_order_and_once():
    text = "<a>{{ messages[0]['content'].split('</think>')[-1] }}{% if x == \"b\" 'c' %}{{ '</think>' ~ '\\n' }}{% endif %}<z>"
    assert Template(text).string_constants() == ("content", "</think>", "bc", "\n")
    assert Template(text).texts() == ("<a>", "<z>")


def test_nothing_random_and_no_address_gets_into_the_text():
    text = "{{ [3, 1, 2] | random }} {{ messages | map('upper') }} {{ lipsum is defined }} {{ dict }}"
    assert render(text) == "3 <generator object sync_do_map> False <dict>"


def test_one_template_may_be_rendered_by_many_threads():
    template = Template("{% for m in messages %}{{ m.content * 50 }}{% endfor %}{{ x }}")
    results = {}

    def work(number):
        results[number] = {template.render([USER] * 30, x=number) for _ in range(20)}

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: {"hi" * 1500 + str(number)} for number in range(4)}
