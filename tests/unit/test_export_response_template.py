from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.model_requests import NAMES, fixture
from untemplate.compiler import compile_template
from untemplate.emit.export import Fit
from untemplate.emit.response_template import Profile, emit_response_template, patch_tokenizer_config, response_template
from untemplate.emit.response_template_anchors import Pattern, delimit, growing, loose, one_of, opening, quote
from untemplate.emit.response_template_check import check_response_template
from untemplate.emit.response_template_content import ReadError, read_content
from untemplate.emit.response_template_reader import read_turn
from untemplate.errors import SpecError
from untemplate.spec.model import Encoding, JsonType, Marker, Spec, Value

LOST = {
    "nested_xml_values": {"calls.arguments.object", "calls.arguments.array"},
    "custom_quoted_objects": {"calls.arguments.object"},
}
LOST_WHERE_PORTABLE = {"python_calls": {"calls.arguments.object", "calls.arguments.array"}}
"""Only transformers has a reader of Python's calls."""


def read(spec: Spec, prompt: str, text: str, profile: Profile = Profile.PORTABLE) -> dict[str, object]:
    return read_turn(response_template(spec, profile)[0], text, prefix=prompt)


# --- delimiters --------------------------------------------------------------------------------------------------------


def test_a_delimiter_is_a_literal_where_it_can_be_one() -> None:
    assert delimit("open", [(("<think>",),)]) == {"open": "<think>"}
    assert delimit("open", [(("<",), Pattern(r"\d"))]) == {"open_pattern": r"<\d"}
    assert delimit("open", []) == {}


def test_the_barest_literal_comes_first_since_runtimes_take_it_for_the_token() -> None:
    made = delimit("close", [opening(Marker(core="</think>", before="\n", after="\n\n"))])
    assert made["close"][0] == "</think>"
    assert set(made["close"]) == {"</think>", "\n</think>", "</think>\n", "\n</think>\n", "</think>\n\n", "\n</think>\n\n"}


def test_too_many_literals_become_a_pattern() -> None:
    many = tuple(f"<{number}>" for number in range(30))
    assert list(delimit("open", [(many,)])) == ["open_pattern"]


def test_what_may_follow_grows_one_character_at_a_time() -> None:
    assert growing("\n\n") == ("\n\n", "\n", "")
    assert growing(", ", "</section>") == (", ", ",", "")


@pytest.mark.parametrize("text", ["a.b", "[x]", "{1}", "a|b", "(", "\\", "^$", "\n\t", "*+?"])
def test_a_quoted_text_matches_itself_alone(text: str) -> None:
    import re

    assert re.fullmatch(quote(text), text)
    assert re.fullmatch(one_of((text, "")), "")
    assert not re.fullmatch(quote(text), text + "x")


def test_line_breaks_are_free_in_loose_text_and_spaces_are_not() -> None:
    import re

    assert re.fullmatch(loose("a b\nc"), "a b  c")
    assert not re.fullmatch(loose("a b\nc"), "ab\nc")


# --- whole templates ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_loses_what_is_known_to_be_lost_and_nothing_else(name: str, profile: Profile) -> None:
    made = emit_response_template(fixture(name), profile)
    lost = LOST.get(name, set()) | (LOST_WHERE_PORTABLE.get(name, set()) if profile is Profile.PORTABLE else set())
    assert {loss.field for loss in made.losses} == lost
    assert made.fit is (Fit.LOSSY if lost else Fit.EXACT)


@pytest.mark.parametrize("name", NAMES)
def test_the_portable_profile_keeps_to_what_vllm_and_sglang_serve(name: str) -> None:
    template, _, _ = response_template(fixture(name))
    assert set(template) <= {"version", "defaults", "start_anchor", "start_anchor_pattern", "fields"}
    assert set(template["defaults"]) <= {"role"}
    assert set(template["fields"]) <= {"thinking", "content", "tool_calls"}
    for field in ("thinking", "content"):
        assert not {"transform", "join", "repeats"} & template["fields"].get(field, {}).keys()
        assert template["fields"].get(field, {"content": "text"})["content"] == "text"
    calls = template["fields"].get("tool_calls")
    if calls is not None:
        assert calls["content"] != "python-call-list"
        assert {"open", "open_pattern"} & calls.keys()


@pytest.mark.parametrize("name", NAMES)
def test_the_same_spec_gives_the_same_bytes(name: str) -> None:
    assert emit_response_template(fixture(name)) == emit_response_template(fixture(name))


def test_layout_goes_and_the_models_own_white_space_stays() -> None:
    spec = fixture("reasoning_tagged")
    got = read(spec, "<|im_start|>assistant\n", "<think>\n  deep \n</think>\n\n  Yes.  <|im_end|>\n")
    assert got == {"role": "assistant", "thinking": "  deep ", "content": "  Yes.  "}


def test_reasoning_that_the_prompt_opened_is_reasoning() -> None:
    got = read(fixture("reasoning_prompt_opened"), "x<|im_start|>assistant\n<think>\n", "deep\n</think>\n\nYes.")
    assert got == {"role": "assistant", "thinking": "deep", "content": "Yes."}


def test_reasoning_that_the_prompt_closed_leaves_content() -> None:
    got = read(fixture("reasoning_tagged"), "<|im_start|>assistant\n<think>\n\n</think>\n\n", "Yes.")
    assert got == {"role": "assistant", "content": "Yes."}


def test_prose_that_names_a_sections_close_stays_whole() -> None:
    got = read(fixture("invoke_attributes"), "[b]ai\n<think>\n\n</think>\n\n", "The mark </calls> ends calls.[e]\n")
    assert got["content"] == "The mark </calls> ends calls."


def test_the_transformers_profile_joins_texts_on_both_sides_of_a_call() -> None:
    text = 'A<call>{"name": "f", "arguments": {}}</call>B'
    spec = fixture("reasoning_tools_only")
    assert read(spec, "<|im_start|>assistant\n", text, Profile.TRANSFORMERS)["content"] == "AB"
    assert read(spec, "<|im_start|>assistant\n", text)["content"] == "B"


def test_ids_inside_json_are_read_for_transformers_only() -> None:
    spec = fixture("json_array")
    text = '[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "abc123def"}]</s>'
    rich, _, notes = response_template(spec, Profile.TRANSFORMERS)
    assert read_turn(rich, text, prefix="[INST]hi[/INST]")["tool_calls"][0]["id"] == "abc123def"
    assert any("id" in note for note in notes)
    plain, _, _ = response_template(spec)
    without = '[TOOL_CALLS][{"name": "f", "arguments": {}}]</s>'
    assert "id" not in read_turn(plain, text, prefix="[INST]hi[/INST]")["tool_calls"][0]
    assert read_turn(plain, without, prefix="[INST]hi[/INST]")["tool_calls"]
    with pytest.raises(ReadError):
        read_turn(rich, without, prefix="[INST]hi[/INST]")


def test_a_turn_that_goes_on_after_a_tools_result_starts_at_the_end_of_the_prompt() -> None:
    prompt = '<s>[INST]hi[/INST][TOOL_CALLS][{"name": "f", "arguments": {}, "id": "abc123def"}]</s>[TOOL_RESULTS]1[/TOOL_RESULTS]'
    assert read(fixture("json_array"), prompt, "It is 1.</s>") == {"role": "assistant", "content": "It is 1."}


# --- the check ---------------------------------------------------------------------------------------------------------


def test_the_check_names_the_field_that_a_wrong_template_loses() -> None:
    spec = fixture("reasoning_tagged")
    template, _, _ = response_template(spec)
    assert check_response_template(spec, template) == ()
    for field, wrong in (("thinking", "reasoning"), ("tool_calls", "calls")):
        broken = {**template, "fields": {**template["fields"], field: {**template["fields"][field], "open": "<never>"}}}
        found = {loss.field for loss in check_response_template(spec, broken)}
        assert found & {wrong, "content"}, found


def test_objects_written_as_python_are_said_to_be_lost() -> None:
    spec = fixture("function_parameter_tags")
    calls = spec.turn.calls
    assert calls is not None
    form = calls.forms[0]
    assert form.arguments is not None
    values = {**form.arguments.values, JsonType.OBJECT: Value(encoding=Encoding.PYTHON)}
    form = replace(form, arguments=replace(form.arguments, values=values))
    made = emit_response_template(replace(spec, turn=replace(spec.turn, calls=replace(calls, forms=(form,)))))
    assert [loss.field for loss in made.losses] == ["calls.arguments.object"]
    assert "Python" in made.losses[0].message


# --- the reader --------------------------------------------------------------------------------------------------------


def test_python_calls_are_read_with_any_name_and_without_evaluation() -> None:
    got = read_content("[get-time(), a.b(x='it\\'s', y=[true, None], z={'k': 1})]", "python-call-list", {})
    assert got == [{"name": "get-time", "arguments": {}}, {"name": "a.b", "arguments": {"x": "it's", "y": [True, None], "z": {"k": 1}}}]
    for bad in ("[f(1)]", "[f(x=g())]", "f(x=1)", "[f(x=__import__('os'))]"):
        with pytest.raises(ReadError):
            read_content(bad, "python-call-list", {})


# --- patching ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1.50}',
        '{\n  "a": 1.50,\n  "b": {"x": "\\u00e9"}\n}\n',
        "{}",
        '{\n\t"a": 1\n}',
        '{\n  "response_template": {"old": 1},\n  "z": [1,\n 2]\n}',
        '{"a": "}", "b": [{"response_template": 1}]}',
    ],
)
def test_a_patched_file_keeps_every_other_byte(text: str) -> None:
    template = {"version": 1, "fields": {"content": {"close": ["é"]}}}
    patched = patch_tokenizer_config(text, template, "f")
    before = json.loads(text)
    before.pop("response_template", None)
    after = json.loads(patched)
    assert after.pop("response_template") == template
    assert after == before
    for kept in ("1.50", "\\u00e9", "[1,\n 2]", '[{"response_template": 1}]'):
        assert (kept in text) <= (kept in patched)
    assert patched.endswith("\n") == text.endswith("\n")


def test_what_is_no_configuration_is_refused() -> None:
    for text in ("[1]", "{", "nonsense"):
        with pytest.raises(SpecError) as caught:
            patch_tokenizer_config(text, {}, "here.json")
        assert caught.value.code == "E515"
        assert caught.value.where == "here.json"


@pytest.mark.parametrize("space", ["", " "])
def test_white_space_that_a_prompt_leaves_to_the_model_is_read_or_named(space: str, tmp_path: Path) -> None:
    text = (
        "{% for m in messages %}{{ m.role }}:{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>{{ c.function | tojson }}"
        "</tool_call>{% endfor %}<sep>{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}"
    )
    (tmp_path / "t.jinja").write_text(text)
    spec = compile_template(tmp_path / "t.jinja")
    spec = replace(spec, prompt=replace(spec.prompt, roles={**spec.prompt.roles, "assistant": f"assistant:{space}"}))
    found = check_response_template(spec, response_template(spec)[0])
    assert [loss.field for loss in found] == (["content"] if space else [])
