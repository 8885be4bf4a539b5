from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from tests.e2e.model_requests import NAMES, fixture
from untemplate.emit.flags import CALLS, REASONING, emit_flags
from untemplate.emit.layout_key import call_key, reasoning_key
from untemplate.emit.llama_server import FULL_PATTERN, WORD, emit_llama_server
from untemplate.emit.peg_json import arena_of, emit_peg_json
from untemplate.emit.peg_schema import peg_schema
from untemplate.emit.plugins import emit_plugin
from untemplate.emit.structural_tag import emit_structural_tag
from untemplate.emit.targets import TARGETS, Material
from untemplate.errors import SpecError
from untemplate.lower.turn import lower_turn
from untemplate.parser import Parser, build_parser
from untemplate.runtime.session import Session
from untemplate.spec.files import spec_from_text

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
]


def parser_of(name: str, **asked: object) -> Parser:
    return build_parser(fixture(name), tools=TOOLS, **asked)  # type: ignore[arg-type]


VALIDATOR = jsonschema.Draft202012Validator(peg_schema())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", TARGETS)
def test_every_target_writes_something_for_every_fixture_and_twice_the_same(target: str, name: str) -> None:
    parser = parser_of(name)
    material = Material(spec=parser.spec, request=parser.request, start=parser.start)
    if (target, name) in IMPOSSIBLE:
        with pytest.raises(SpecError) as caught:
            TARGETS[target].write(material)
        assert caught.value.code == "E517"
        return
    made = TARGETS[target].write(material)
    assert made.text.endswith("\n")
    assert made == TARGETS[target].write(material)


IMPOSSIBLE = {("llama-arena", "openai_wrapper")}
"""llama.cpp's tree has no nodes for a wrapper around name and arguments."""


# --- llama-server ------------------------------------------------------------------------------------------------------


def test_a_lazy_request_wakes_up_outside_reasoning_only() -> None:
    parser = parser_of("reasoning_tagged")
    request = json.loads(emit_llama_server(parser.spec, parser.request, parser.start).text)
    assert request["grammar_lazy"] is True
    (trigger,) = request["grammar_triggers"]
    assert trigger["type"] == FULL_PATTERN
    assert re.fullmatch(trigger["value"], "<think>a <tool_call> b</think>\n\n<tool_call>")
    assert not re.fullmatch(trigger["value"], "<think>a <tool_call> b")
    assert "<tool_call>" in request["preserved_tokens"]
    assert request["generation_prompt"] == "<|im_start|>assistant\n"


def test_without_reasoning_the_trigger_is_a_word() -> None:
    parser = parser_of("hermes_json_tags")
    request = json.loads(emit_llama_server(parser.spec, parser.request, parser.start).text)
    assert request["grammar_triggers"] == [{"type": WORD, "value": "<tool_call>"}]
    assert request["stop"] == ["<|im_end|>"]


def test_a_name_that_wakes_the_grammar_up_is_a_whole_one() -> None:
    parser = parser_of("bare_json")
    (trigger, *_) = json.loads(emit_llama_server(parser.spec, parser.request, parser.start).text)["grammar_triggers"]
    assert trigger == {"type": WORD, "value": f'{{"name": "{parser.request.tools[0].name}"'}


def test_a_required_call_needs_no_trigger() -> None:
    parser = parser_of("hermes_json_tags", tool_choice="required")
    request = json.loads(emit_llama_server(parser.spec, parser.request, parser.start).text)
    assert request["grammar_lazy"] is False
    assert request["grammar_triggers"] == []


def test_what_a_grammar_widens_is_a_loss() -> None:
    tools = [{"function": {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string", "format": "nonsense"}}}}}]
    parser = build_parser(fixture("hermes_json_tags"), tools=tools)
    made = emit_llama_server(parser.spec, parser.request, parser.start)
    assert [loss.field.startswith("grammar.f") for loss in made.losses] == [True]


# --- structural-tag ----------------------------------------------------------------------------------------------------


def tag_of(name: str, **asked: object) -> dict[str, object]:
    parser = parser_of(name, **asked)
    made: dict[str, object] = json.loads(emit_structural_tag(parser.spec, parser.request).text)
    assert made["type"] == "structural_tag"
    return made["format"]  # type: ignore[return-value]


def test_calls_in_json_are_triggered_tags_around_their_schema() -> None:
    made = tag_of("hermes_json_tags")
    assert made["triggers"] == ["<tool_call>"]
    first = made["tags"][0]  # type: ignore[index]
    assert first["begin"] == '<tool_call>\n{"name": "get_weather", "arguments": '
    assert first["end"] == "}\n</tool_call>"
    assert first["content"] == {"type": "json_schema", "json_schema": TOOLS[0]["function"]["parameters"]}  # type: ignore[index]
    assert made["stop_after_first"] is False


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("function_parameter_tags", "qwen_xml"),
        ("invoke_attributes", "minimax_xml"),
        ("key_value_tags", "glm_xml"),
        ("custom_quoted_objects", "gemma"),
    ],
)
def test_a_layout_that_xgrammar_knows_gets_its_style(name: str, style: str) -> None:
    assert f'"style": "{style}"' in json.dumps(tag_of(name))


@pytest.mark.parametrize("name", ["typed_attributes", "nested_xml_values", "python_calls", "name_as_key"])
def test_a_layout_of_its_own_gets_the_grammar(name: str) -> None:
    made = tag_of(name, tool_choice="required")
    assert made["type"] == "grammar" or name == "name_as_key"
    assert "style" not in json.dumps(made)


def test_a_required_call_leaves_no_room_for_text() -> None:
    made = tag_of("hermes_json_tags", tool_choice="required")
    assert made["type"] == "tags_with_separator"
    assert made["at_least_one"] is True


def test_only_one_call_stops_after_the_first() -> None:
    assert tag_of("hermes_json_tags", parallel_tool_calls=False)["stop_after_first"] is True
    named = tag_of("hermes_json_tags", tool_choice={"function": {"name": "now"}})
    assert [tag["begin"] for tag in named["tags"]] == ['<tool_call>\n{"name": "now", "arguments": ']  # type: ignore[attr-defined]


def test_content_that_opens_as_calls_do_is_not_taken_for_a_trigger() -> None:
    assert "triggered_tags" not in json.dumps(tag_of("chevron_name"))


def test_a_response_schema_wins_over_tools() -> None:
    assert tag_of("hermes_json_tags", response_schema={"type": "object"}) == {"type": "json_schema", "json_schema": {"type": "object"}}


def test_without_tools_any_text_goes() -> None:
    parser = build_parser(fixture("hermes_json_tags"))
    assert json.loads(emit_structural_tag(parser.spec, parser.request).text)["format"] == {"type": "any_text"}


# --- peg-json ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_tree_comes_back_from_its_file(name: str) -> None:
    parser = parser_of(name)
    data = json.loads(emit_peg_json(parser.spec, parser.request, parser.start).text)
    arena, tree = arena_of(data), lower_turn(parser.spec, parser.request)
    assert arena.root == tree.root
    assert dict(arena.rules) == dict(tree.rules)


@pytest.mark.parametrize("name", ["plain_chat", "bare_json", "custom_quoted_objects"])
def test_a_tree_file_fits_the_published_schema(name: str) -> None:
    parser = parser_of(name)
    data = json.loads(emit_peg_json(parser.spec, parser.request, parser.start).text)
    VALIDATOR.validate(data)


def test_a_tree_file_that_is_none_does_not_fit() -> None:
    data = {"format": 1, "prefill": "", "keep": 0, "tools": {}, "root": "root", "rules": {"root": {"type": "literal", "text": "x"}}}
    assert VALIDATOR.is_valid(data)
    wrong = [{**data, "more": 1}, {**data, "rules": {"root": {"type": "literal"}}}, {**data, "rules": {"root": {"type": "guess"}}}]
    wrong.append({**data, "rules": {"root": {"type": "peek", "item": {"type": "literal", "text": 1}}}})
    assert not [each for each in wrong if VALIDATOR.is_valid(each)]


def test_the_published_schema_is_the_one_in_the_documentation() -> None:
    written = (Path(__file__).parents[2] / "docs" / "peg.schema.json").read_text(encoding="utf-8")
    assert json.loads(written) == peg_schema(), "run `python -m untemplate.emit.peg_schema docs/peg.schema.json`"
    jsonschema.Draft202012Validator.check_schema(peg_schema())


# --- plugins -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runtime", ["vllm", "sglang"])
@pytest.mark.parametrize("name", NAMES)
def test_a_plugin_is_python_and_holds_the_spec(name: str, runtime: str) -> None:
    text = emit_plugin(fixture(name), runtime).text
    compile(text, "plugin.py", "exec")
    found = re.search(r"SPEC = spec_from_text\(r'''\n(.*?)'''\)", text, re.DOTALL)
    assert found is not None
    assert spec_from_text(found.group(1)) == fixture(name)


def test_quotes_and_backslashes_in_a_spec_do_not_break_a_plugin() -> None:
    from dataclasses import replace

    spec = fixture("hermes_json_tags")
    odd = replace(spec, template=replace(spec.template, name="it's '''\\n\"\"\" @SPEC@"))
    space: dict[str, object] = {}
    text = emit_plugin(odd, "sglang").text
    start = text.index("SPEC = ")
    exec("from untemplate.spec.files import spec_from_text\n" + text[start : text.index("_REASONING", start)], space)
    assert space["SPEC"] == odd


# --- flags -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("hermes_json_tags", "vllm: --enable-auto-tool-choice --tool-call-parser hermes"),
        ("function_parameter_tags", "sglang: --tool-call-parser qwen3_coder"),
        ("key_value_tags", 'mlx-lm: "tool_parser_type": "glm47"'),
        ("tag_json_call_id", "# no built-in parser is known for calls written [TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{}"),
        ("reasoning_tagged", "vllm: --reasoning-parser qwen3"),
        ("reasoning_stripped_from_history", "vllm: --reasoning-parser deepseek_r1"),
        ("plain_chat", "# nothing to parse"),
    ],
)
def test_a_parser_is_named_only_for_its_own_layout(name: str, wanted: str) -> None:
    assert wanted in emit_flags(fixture(name)).text


def test_the_keys_of_layouts_have_no_white_space() -> None:
    assert not [key for key in CALLS if key.split() != [key]]
    assert not [key for key, _ in REASONING if key.split() != [key]]
    assert call_key(fixture("plain_chat")) is None
    assert reasoning_key(fixture("hermes_json_tags")) is None


def test_sessions_are_what_the_plugins_run() -> None:
    assert isinstance(parser_of("hermes_json_tags").session(), Session)
