"""Every fixture is a template that renders, shows what its line in the README says, and is listed there once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from untemplate.errors import TemplateRefusal
from untemplate.source import load_source
from untemplate.spec.model import Capabilities, Support
from untemplate.template import load_template, prepare_messages

FOLDER = Path(__file__).parents[2] / "fixtures"
NAMES = sorted(path.stem for path in FOLDER.glob("*.jinja"))
NO_CALLS = {"instructed_only", "plain_chat", "reasoning_stripped_from_history", "role_alternation"}
DROPS_CONTENT = {"section_closed_late", "json_array", "bare_json"}
TOOLS = [{"type": "function", "function": {"name": "find", "description": "d", "parameters": {"type": "object", "properties": {}}}}]
USER = {"role": "user", "content": "QUESTION"}
CALL = {"id": "abcdefghi", "type": "function", "function": {"name": "find", "arguments": {"key": "VALUE"}}}


def capabilities(name):
    return Capabilities(
        calls=Support.KEPT,
        tool_results=Support.KEPT,
        arguments_as="text" if name == "arguments_as_text" else "object",
        content_parts=name == "content_parts",
    )


def render(name, message, **variables):
    template = load_template(load_source(FOLDER / f"{name}.jinja"))
    return template.render(prepare_messages([USER, message], capabilities(name)), tools=TOOLS, **variables)


def test_the_readme_lists_every_fixture_once():
    assert sorted(re.findall(r"^\| `(\w+)` \|", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_shows_content_and_asks_for_a_turn(name):
    assert "ANSWER" in render(name, {"role": "assistant", "content": "ANSWER"})
    template = load_template(load_source(FOLDER / f"{name}.jinja"))
    messages = prepare_messages([USER], capabilities(name))
    prompt = template.render(messages, tools=TOOLS, add_generation_prompt=True)
    assert prompt.startswith(template.render(messages, tools=TOOLS)[:-1])


@pytest.mark.parametrize("name", NAMES)
def test_a_fixture_shows_a_call_unless_it_is_listed_as_silent(name):
    message = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    assert ("VALUE" in render(name, message)) == (name not in NO_CALLS)


@pytest.mark.parametrize("name", NAMES)
def test_content_beside_a_call_is_kept_unless_it_is_listed_as_dropped(name):
    message = {"role": "assistant", "content": "ANSWER", "tool_calls": [CALL]}
    assert ("ANSWER" in render(name, message)) == (name not in DROPS_CONTENT)


REFUSALS = {
    "bare_json": [USER, {"role": "assistant", "content": "", "tool_calls": [CALL, CALL]}],
    "json_array": [USER, {"role": "assistant", "content": "", "tool_calls": [{**CALL, "id": "call_1"}]}],
    "channels_with_headers": [USER, {"role": "assistant", "content": "a", "thinking": "b", "tool_calls": [CALL]}],
    "content_parts": [USER],
    "role_alternation": [USER, USER],
    "system_first_only": [USER, {"role": "system", "content": "s"}],
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_fixture_refuses_what_its_line_says(name):
    with pytest.raises(TemplateRefusal):
        load_template(load_source(FOLDER / f"{name}.jinja")).render(REFUSALS[name], tools=TOOLS)


@pytest.mark.parametrize("name", ["reasoning_tagged", "reasoning_prompt_opened", "key_value_tags"])
def test_the_thinking_switch_changes_the_prompt(name):
    message = {"role": "user", "content": "more"}
    on = render(name, message, add_generation_prompt=True, enable_thinking=True)
    off = render(name, message, add_generation_prompt=True, enable_thinking=False)
    assert on != off
    assert off.rstrip().endswith("</think>")
