"""Lark grammars in llguidance: they load, take what templates write, and hold calls to their schema."""

from __future__ import annotations

from typing import Any

import llguidance
import pytest

from tests.declared import weather
from tests.e2e.model_requests import NAMES, fixture
from untemplate.emit.llguidance import emit_llguidance
from untemplate.parser import build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode, Spec

CALLING = [name for name in NAMES if fixture(name).turn.calls is not None and name != "key_value_tags"]
TOOLS = [weather(required=["city"])]
CALL = [ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": "Paris", "days": 3})]


def writes(spec: Spec, text: str, **asked: Any) -> bool:
    parser = build_parser(spec, tools=TOOLS, **asked)
    made = emit_llguidance(parser.spec, parser.request, parser.start)
    tokenizer = llguidance.LLTokenizer("byte")
    matcher = llguidance.LLMatcher(tokenizer, made.text)
    assert not matcher.is_error(), matcher.get_error()
    assert text.startswith(parser.start.prefill), "the prompt has begun another turn"
    tokens = tokenizer.tokenize_str(text.removeprefix(parser.start.prefill))
    if matcher.validate_tokens(tokens) != len(tokens):
        return False
    matcher.consume_tokens(tokens)
    return bool(matcher.is_accepting())


def thought(spec: Spec) -> str | None:
    return "Hm." if spec.turn.reasoning.close else None


@pytest.mark.parametrize("choice", ["auto", "required"])
@pytest.mark.parametrize("name", CALLING)
def test_llguidance_takes_calls_as_templates_write_them(name: str, choice: str) -> None:
    spec = fixture(name)
    assert writes(spec, compose(spec.turn, reasoning=thought(spec), calls=CALL), tool_choice=choice)


@pytest.mark.parametrize("name", CALLING)
def test_text_is_free_with_auto_and_not_enough_where_a_call_is_required(name: str) -> None:
    spec = fixture(name)
    reasoning = thought(spec) if spec.turn.reasoning.mode is ReasoningMode.TAGGED else None
    text = compose(spec.turn, reasoning=reasoning, content="Hello, 2 < 3.")
    assert writes(spec, text)
    assert not writes(spec, text, tool_choice="required")


@pytest.mark.parametrize("name", ["hermes_json_tags", "function_parameter_tags", "section_with_fences"])
def test_a_call_of_other_arguments_is_not_written(name: str) -> None:
    spec = fixture(name)
    wrong = [ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": "Paris", "days": "three"})]
    assert not writes(spec, compose(spec.turn, calls=wrong), tool_choice="required")
