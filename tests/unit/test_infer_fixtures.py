"""What inference reads from each fixture: one claim for each dialect, and recomposition for all of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from untemplate.infer.quirks import shipped_quirks
from untemplate.infer.recompose import recompose, sentinels_left
from untemplate.infer.spec import Inferred, infer_spec
from untemplate.source import load_source
from untemplate.spec.files import spec_to_data
from untemplate.spec.model import (
    Block,
    CallForm,
    ContentMode,
    Encoding,
    Field,
    FieldName,
    JsonType,
    Position,
    PromptState,
    ReasoningMode,
    Spec,
    Support,
    Text,
)
from untemplate.template import load_template

FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.jinja"))


@cache
def inferred(name: str) -> Inferred:
    source = load_source(FIXTURES / f"{name}.jinja")
    return infer_spec(load_template(source), quirks=shipped_quirks())


def spec_of(name: str) -> Spec:
    return inferred(name).spec


def form_of(name: str) -> CallForm:
    calls = spec_of(name).turn.calls
    assert calls is not None
    return calls.forms[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_probe_is_rebuilt_from_the_spec(name: str) -> None:
    found = inferred(name)
    assert recompose(found.spec, found.found) == ()


@pytest.mark.parametrize("name", NAMES)
def test_no_sentinel_is_left_in_a_spec(name: str) -> None:
    assert sentinels_left(spec_to_data(spec_of(name))) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_inferred_carries_evidence(name: str) -> None:
    found = inferred(name)
    assert "turn.content" in found.evidence
    if found.spec.turn.calls is not None and not found.spec.quirks:
        assert any(path.startswith("turn.calls") for path in found.evidence)


def test_json_in_tags() -> None:
    form = form_of("hermes_json_tags")
    assert (form.open.core, form.close and form.close.core) == ("<tool_call>", "</tool_call>")
    assert form.json is not None
    assert (form.json.name, form.json.arguments) == (("name",), ("arguments",))


def test_calls_that_are_items_of_one_array() -> None:
    form = form_of("json_array")
    assert form.json is not None
    assert form.json.array
    assert form.json.id == ("id",)


def test_a_name_that_is_a_key() -> None:
    form = form_of("name_as_key")
    assert form.json is not None
    assert form.json.name_is_key


def test_constant_members_beside_a_nested_name() -> None:
    form = form_of("openai_wrapper")
    assert form.json is not None
    assert form.json.name == ("function", "name")
    assert form.json.extra.get("type") == "function"


def test_a_call_without_any_marker_starts_with_its_json() -> None:
    form = form_of("bare_json")
    assert form.open.core == ""
    assert form.json is not None


def test_an_id_between_name_and_arguments() -> None:
    fields = [part.field for part in form_of("tag_json_call_id").fields if isinstance(part, Field)]
    assert fields == [FieldName.NAME, FieldName.ID, FieldName.ARGUMENTS]


def test_a_counter_is_what_changes_with_the_position() -> None:
    parts = form_of("counter_ids").fields
    assert any(isinstance(part, Field) and part.field is FieldName.COUNTER for part in parts)
    assert form_of("counter_ids").id_parts is not None


def test_raw_values_on_lines_of_their_own() -> None:
    arguments = form_of("function_parameter_tags").arguments
    assert arguments is not None
    assert arguments.object is not None
    assert [part.text for part in arguments.object.pair if isinstance(part, Text)] == ["<parameter=", ">\n", "\n</parameter>"]
    assert arguments.values[JsonType.STRING].encoding is Encoding.RAW


def test_an_attribute_that_tells_the_type() -> None:
    arguments = form_of("typed_attributes").arguments
    assert arguments is not None
    labels = {kind: value.label for kind, value in arguments.values.items()}
    assert labels[JsonType.STRING] != labels[JsonType.INTEGER]
    assert None not in labels.values()


def test_quotes_of_the_templates_own() -> None:
    arguments = form_of("custom_quoted_objects").arguments
    assert arguments is not None
    string = arguments.values[JsonType.STRING]
    assert string.encoding is Encoding.RAW
    assert string.open
    assert string.open == string.close
    assert arguments.notation is not None
    assert arguments.values[JsonType.OBJECT].encoding is Encoding.NOTATION


def test_nested_elements_and_a_name_written_twice() -> None:
    arguments = form_of("nested_xml_values").arguments
    assert arguments is not None
    assert arguments.object is not None
    assert arguments.notation is not None
    keys = [part for part in arguments.object.pair if isinstance(part, Field) and part.field is FieldName.KEY]
    assert len(keys) == 2
    assert arguments.notation.array is not None


def test_python_calls_have_bare_keys_and_python_values() -> None:
    arguments = form_of("python_calls").arguments
    assert arguments is not None
    assert arguments.object is not None
    assert arguments.object.key_quotes == ("",)
    assert arguments.values[JsonType.BOOLEAN].encoding is Encoding.PYTHON


def test_blocks_that_are_messages_of_their_own_have_a_frame() -> None:
    turn = spec_of("channels_with_headers").turn
    assert turn.frame is not None
    assert turn.frame.separator.core


def test_a_section_only_around_several_calls() -> None:
    calls = spec_of("section_for_several").turn.calls
    assert calls is not None
    assert calls.section.several_only


def test_arguments_wanted_as_text_are_given_as_text() -> None:
    assert spec_of("arguments_as_text").capabilities.arguments_as == "text"


def test_an_instruction_is_read_where_no_call_is_rendered() -> None:
    found = inferred("instructed_only")
    assert found.found.calls is None
    assert found.spec.turn.calls is not None
    assert "instruction" in found.evidence["turn.calls"][-1].note


def test_reasoning_opened_by_the_prompt() -> None:
    states = {entry.thinking: entry.state for entry in spec_of("reasoning_prompt_opened").prompt.generation}
    assert states[None] is PromptState.REASONING


def test_reasoning_known_only_from_being_cut_out_of_history() -> None:
    found = inferred("reasoning_stripped_from_history")
    assert not found.found.reasoning_rendered
    assert found.spec.turn.reasoning.mode is ReasoningMode.TAGGED
    assert found.spec.turn.reasoning.close


def test_reasoning_only_beside_calls() -> None:
    assert spec_of("reasoning_tools_only").turn.reasoning.mode is ReasoningMode.TOOLS_ONLY


def test_a_switch_closes_the_block_that_it_turns_off() -> None:
    spec = spec_of("reasoning_tagged")
    assert any(switch.changes for switch in spec.switches)
    states = {entry.thinking: entry.state for entry in spec.prompt.generation}
    assert states[False] is PromptState.AFTER_REASONING


def test_a_wrapper_around_content() -> None:
    assert spec_of("content_wrapped").turn.content.mode is ContentMode.WRAPPED
    assert spec_of("content_wrapped_with_reasoning").turn.content.mode is ContentMode.WRAPPED_WITH_REASONING


def test_content_behind_the_calls() -> None:
    turn = spec_of("content_after_calls").turn
    assert turn.content.with_calls is not None
    assert turn.content.with_calls.position is Position.AFTER
    assert turn.blocks.index(Block.CALLS) < turn.blocks.index(Block.CONTENT)


def test_what_a_template_refuses_is_a_capability() -> None:
    capabilities = spec_of("role_alternation").capabilities
    assert capabilities.alternation
    assert capabilities.system is Support.REFUSED
    assert not capabilities.tools
    assert capabilities.refusals


def test_content_that_must_be_parts() -> None:
    assert spec_of("content_parts").capabilities.content_parts


def test_evidence_is_a_pair_of_renderings_that_differ_in_one_thing() -> None:
    evidence = inferred("function_parameter_tags").evidence
    second = evidence["turn.calls.section.separator"][0]
    assert second.probe == "calls1|calls2"
    assert second.left == ""
    assert second.right.count("<tool_call>") == 1
    typed = evidence["turn.calls.forms[0].arguments.values.integer"][0]
    assert "7351942" in typed.right
    assert "7351942" not in typed.left
