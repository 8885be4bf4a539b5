"""Templates of odd making: white space that differs from place to place, tools that break them, pairs without a separator."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests import dialects as d
from tests.declared import tool
from untemplate.infer.spec import infer_spec
from untemplate.parser import build_parser
from untemplate.spec.model import Marker, PromptState
from untemplate.template import Template
from untemplate.template.normalize import prepare_messages
from untemplate.turns.tools import make_tools, plainly_typed
from untemplate.verify.verify import verify_shortly

CALLS = (
    "{%- for c in m.tool_calls or [] %}{{ '<use>' ~ {'name': c.function.name, 'arguments': c.function.arguments} | tojson ~ '</use>' }}"
    "{%- endfor %}"
)
TOOLS = [tool("act", count="integer", note="string", on="boolean")]


def test_a_header_that_only_some_turns_begin_with_a_blank_line_is_one_header() -> None:
    text = (
        "{%- for m in messages %}{%- if m.tool_calls %}{{ '\\n<|assistant|>\\n' }}{% else %}{{ '<|' ~ m.role ~ '|>\\n' }}{% endif %}"
        "{{- m.content or '' }}" + CALLS + "{{- '\\n<|end|>' }}{% endfor %}"
        "{%- if add_generation_prompt %}{{ '\\n<|assistant|>\\n' }}{% endif %}"
    )
    found = infer_spec(Template(text))
    assert found.spec.prompt.roles["assistant"] == "<|assistant|>\n"
    assert found.spec.turn.content.open == ()
    assert found.spec.prompt.generation[0].prefill == ""
    assert verify_shortly(found.spec, found.found).mismatches == ()


def test_a_closed_thought_with_other_white_space_beside_calls_opens_no_content() -> None:
    text = (
        "{%- for m in messages %}{%- if m.role == 'assistant' %}{{ '<|assistant|>' }}"
        "{%- if m.tool_calls %}{{ '</think>    ' ~ (m.content or '') ~ '<calls>' }}" + CALLS + "{{ '</calls>' }}"
        "{%- else %}{{ '  </think>  ' ~ m.content }}{% endif %}{{ '<|end|>' }}"
        "{%- else %}{{ '<|' ~ m.role ~ '|>' ~ m.content }}{% endif %}{% endfor %}"
        "{%- if add_generation_prompt %}{{ '<|assistant|>' ~ ('<think>' if thinking else '</think>') }}{% endif %}"
    )
    found = infer_spec(Template(text))
    calls = found.spec.turn.calls
    assert calls is not None
    assert calls.section.open is not None
    assert calls.section.open.core == "<calls>"
    beside = found.spec.turn.content.with_calls
    assert beside is None or (beside.open is None or not beside.open.core)


def test_turns_are_read_back_where_the_template_fails_over_several_types() -> None:
    text = (
        "{%- for t in tools or [] %}{%- for k, v in t.function.parameters.properties | items %}"
        "{%- if v.type is not string or v.type == 'null' %}{{ raise_exception('one type') }}{% endif %}{{ k ~ ':' ~ v.type ~ ' ' }}"
        "{%- endfor %}{% endfor %}{%- for m in messages %}{{ '<|' ~ m.role ~ '|>' ~ (m.content or '') }}"
        + CALLS
        + "{{ '<|end|>' }}{% endfor %}"
        "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
    )
    found = infer_spec(Template(text))
    report = verify_shortly(found.spec, found.found)
    assert report.mismatches == ()
    assert report.read_back >= 3


def test_plainly_typed_tools_keep_all_but_their_types() -> None:
    made = make_tools()
    plain = plainly_typed(made)
    assert [tool["function"]["name"] for tool in plain] == [tool["function"]["name"] for tool in made]
    properties = plain[0]["function"]["parameters"]["properties"]
    assert properties["limit"]["type"] == "integer"
    assert properties["nothing"]["type"] == "string"
    assert properties["unit"] == made[0]["function"]["parameters"]["properties"]["unit"]


THINKS = (
    "{%- for m in messages %}{%- if m.role == 'assistant' %}"
    "{%- if m.reasoning_content is not defined %}{{ raise_exception('no reasoning') }}{% endif %}"
    "{{- '<|assistant|>\n<think>\n' ~ m.reasoning_content ~ '</think>' ~ (m.content or '') ~ '<|end|>' }}"
    "{%- else %}{{ '<|' ~ m.role ~ '|>\n' ~ m.content ~ '<|end|>' }}{% endif %}{% endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>\n' }}"
    "{{- {'high': '<think>\n', 'low': '<think_fast>\n'}[effort | default('high')] }}{% endif %}"
)


def test_a_template_that_demands_a_field_of_reasoning_is_given_one() -> None:
    spec = infer_spec(Template(THINKS)).spec
    assert spec.capabilities.reasoning_always
    said = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "assistant", "content": "c", "thinking": "d"}]
    given = prepare_messages(said, spec.capabilities)
    assert given[1]["reasoning_content"] == ""
    assert "reasoning_content" not in given[0]
    assert given[-1].get("thinking") == "d"


def test_prompts_of_another_degree_open_reasoning_with_marks_of_their_own() -> None:
    spec = infer_spec(Template(THINKS)).spec
    assert [(dict(prompt.when), prompt.state) for prompt in spec.prompt.generation] == [
        ({}, PromptState.REASONING),
        ({"effort": "low"}, PromptState.REASONING),
    ]
    for mark in ("think", "think_fast"):
        message = build_parser(spec, prompt=f"<|user|>\na<|end|><|assistant|>\n<{mark}>\n").parse(f"hm</{mark}>Hi")
        assert (message.reasoning_content, message.content) == ("hm", "Hi")


RUN_ON = (
    "{%- for m in messages %}{{ '<|' ~ m.role ~ '|>' ~ (m.content or '') }}{%- if m.tool_calls %}{{ '[' }}{%- for c in m.tool_calls %}"
    "{{- c.function.name ~ '(' }}{%- for k, v in c.function.arguments | items %}{{ k ~ '=' ~ v | tojson }}{% endfor %}{{ ')' }}"
    "{%- if not loop.last %}{{ ', ' }}{% endif %}{% endfor %}{{ ']' }}{% endif %}{{ '<|end|>' }}{% endfor %}"
    "{%- if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ('count=-12note="a"', {"count": -12, "note": "a"}),
        ('on=falsecount=1e+3note="b"', {"on": False, "count": 1e3, "note": "b"}),
        ('count=3, note="a"', {"count": 3, "note": "a"}),
    ],
)
def test_a_number_or_a_word_ends_where_a_declared_key_follows(written: str, wanted: object) -> None:
    message = build_parser(infer_spec(Template(RUN_ON)).spec, tools=TOOLS).parse(f"[act({written})]")
    assert [json.loads(call.arguments) for call in message.tool_calls] == [wanted]


def test_a_word_and_an_equals_sign_wake_no_grammar_up() -> None:
    calls = d.NAME_ARGS.turn.calls
    assert calls is not None
    form = replace(calls.forms[0], open=Marker(core="to="))
    spec = replace(d.NAME_ARGS, turn=replace(d.NAME_ARGS.turn, calls=replace(calls, forms=(form,))))
    assert build_parser(spec, tools=TOOLS).grammar().triggers == ("to=act",)
