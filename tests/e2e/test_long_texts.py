"""Texts of any length pass through an engine that keeps every rule which is open: free text must not nest."""

from __future__ import annotations

import pytest

from tests.e2e.model_requests import NAMES, fixture
from untemplate.emit.engine import read_back
from untemplate.parser import build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode

LONG = {"plain": "x" * 5_000, "tags": "<b>x</b>" * 1_000, "beginnings of tags": "a<<" * 2_000, "lines": "a\n" * 3_000}
_LEAST = {"type": "string", "minLength": 1}
CALLING = [name for name in NAMES if fixture(name).turn.calls is not None]


def tools(text: dict[str, object]) -> list[dict[str, object]]:
    parameters = {"type": "object", "properties": {"path": {"type": "string"}, "text": text}, "required": ["path", "text"]}
    return [{"type": "function", "function": {"name": "write_file", "parameters": parameters}}]


@pytest.mark.parametrize("text", [{"type": "string"}, _LEAST], ids=["any", "not-empty"])
@pytest.mark.parametrize("name", CALLING)
def test_a_long_value_can_be_written(name: str, text: dict[str, object]) -> None:
    spec = fixture(name)
    prompt = spec.prompt.generation[0].header or spec.prompt.roles["assistant"]
    engine = read_back(build_parser(spec, tools=tools(text), tool_choice="required", prompt=prompt).grammar().text)
    for kind, value in LONG.items():
        call = ComposedCall(name="write_file", id="abcdefgh1", arguments={"path": "p", "text": f"{value}."})
        assert engine.accepts(compose(spec.turn, calls=[call])), kind


@pytest.mark.parametrize("name", [name for name in CALLING if fixture(name).turn.reasoning.mode is not ReasoningMode.NONE])
def test_long_reasoning_can_be_written(name: str) -> None:
    spec = fixture(name)
    engine = read_back(
        build_parser(spec, tools=tools(_LEAST), tool_choice="required", prompt=spec.prompt.roles["assistant"]).grammar().text
    )
    call = ComposedCall(name="write_file", id="abcdefgh1", arguments={"path": "p", "text": "t"})
    for kind, value in LONG.items():
        assert engine.accepts(compose(spec.turn, reasoning=f"{value}.", calls=[call])), kind


@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_long_content_can_be_written(name: str, thinking: bool) -> None:
    spec = fixture(name)
    parser = build_parser(spec, tools=tools(_LEAST), tool_choice="none", prompt=spec.prompt.roles["assistant"], enable_thinking=thinking)
    engine = read_back(parser.grammar().text)
    for kind, value in {**LONG, "plain": "x" * 20_000, "names of marks": "use <think> here\n" * 1_000}.items():
        assert engine.accepts(compose(spec.turn, content=f"{value}.")), kind
