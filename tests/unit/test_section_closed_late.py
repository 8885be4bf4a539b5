"""Sections of calls that history closes, with the turn, from the second call on only."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from untemplate.compiler import Compiled, compile_source
from untemplate.emit.engine import read_back
from untemplate.parser import build_parser
from untemplate.source import load_source
from untemplate.spec.compose import ComposedCall, compose
from untemplate.verify.verify import verify_at_length

FIXTURE = Path(__file__).parents[2] / "fixtures" / "section_closed_late.jinja"
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}]
CALL = '<|call|>f<|with|>{"n": 1}<|done|>'
ONE = f"<|calls|>{CALL}"
TWO = f"{ONE}\n{CALL}"


@cache
def compiled() -> Compiled:
    return compile_source(load_source(FIXTURE), verify=False)


def test_the_close_and_the_end_are_found_behind_the_second_call() -> None:
    spec = compiled().spec
    assert spec.turn.calls is not None
    section = spec.turn.calls.section
    assert section.close is not None
    assert (section.close.core, section.close_several_only) == ("<|called|>", True)
    assert [end.strip() for end in spec.prompt.end_of_turn.calls] == ["<|im_end|>"]


@pytest.mark.parametrize("count", [1, 2])
def test_a_turn_is_composed_as_the_template_writes_it(count: int) -> None:
    calls = tuple(ComposedCall(name="f", arguments={"n": 1}) for _ in range(count))
    assert compose(compiled().spec.turn, calls=calls) == {1: ONE, 2: f"{TWO}<|called|>"}[count]


@pytest.mark.parametrize("parallel", [True, False])
def test_the_grammar_leaves_the_close_free_behind_one_call_only(parallel: bool) -> None:
    engine = read_back(build_parser(compiled().spec, tools=TOOLS, tool_choice="required", parallel_tool_calls=parallel).grammar().text)
    assert engine.accepts(ONE)
    assert engine.accepts(f"{ONE}<|called|>")
    assert engine.accepts(f"{TWO}<|called|>") == parallel
    assert not engine.accepts(TWO)


@pytest.mark.parametrize("text", [ONE, f"{ONE}<|im_end|>", f"{ONE}<|called|>", f"{ONE}<|called|><|im_end|>"])
def test_one_call_is_read_with_the_close_and_without(text: str) -> None:
    message = build_parser(compiled().spec, tools=TOOLS).parse(text)
    assert [(call.name, call.arguments) for call in message.tool_calls] == [("f", '{"n": 1}')]
    assert (message.content, message.diagnostics) == ("", ())


def test_turns_that_end_before_their_last_call_are_left_out_by_name() -> None:
    report = verify_at_length(compiled().spec, compiled().found, budget=60)
    assert report.mismatches == ()
    assert "the template ends the turn before its last call" in [skipped.because for skipped in report.skipped]
