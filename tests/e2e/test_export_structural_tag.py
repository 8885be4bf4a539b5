"""Structural tags in xgrammar: its own model validates them, its compiler loads them, its matcher takes what templates write.

Optional: ``pip install --no-deps xgrammar`` with ``apache-tvm-ffi pydantic numpy`` is enough, torch is not needed.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from typing import Any

import pytest

from tests.declared import NOW, weather
from tests.e2e.model_requests import NAMES, fixture
from tests.e2e.torch_stub import import_xgrammar
from untemplate.emit.structural_tag import emit_structural_tag
from untemplate.parser import build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Position, Spec

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # without torch, one of its packages says that it is slower
    xgrammar = import_xgrammar()

pytestmark = pytest.mark.skipif(xgrammar is None, reason="xgrammar is not installed (it is no part of the test extra)")

CALLING = [name for name in NAMES if fixture(name).turn.calls is not None]
LIMITED = {"channels_with_headers", "chevron_name"}
"""Their content opens as their calls do: the lazy grammar cannot tell free text from a call."""
TOOLS = [weather(required=["city"]), NOW]
ONE = [ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": "Paris", "days": 3})]
TWO = [*ONE, ComposedCall(name="now", id="k7Qz0aB01", arguments={})]


def compiled(spec: Spec, **asked: Any) -> Any:
    parser = build_parser(spec, tools=TOOLS, **asked)
    tag = json.loads(emit_structural_tag(parser.spec, parser.request).text)
    xgrammar.structural_tag.StructuralTag.model_validate(tag)
    bytes_alone = [bytes([byte]) for byte in range(256)]
    vocabulary = xgrammar.TokenizerInfo([*bytes_alone, b"<end>"], vocab_type=xgrammar.VocabType.RAW, stop_token_ids=[256])
    return xgrammar.GrammarCompiler(vocabulary).compile_structural_tag(tag)


def accepts(grammar: Any, text: str) -> bool:
    matcher = xgrammar.GrammarMatcher(grammar)
    return bool(matcher.accept_string(text) and matcher.accept_token(256))


def written(spec: Spec, content: str | None, calls: list[ComposedCall]) -> str:
    """Return a turn as the template writes it behind reasoning, without the layout that stands for no content."""
    silent = replace(spec.turn.reasoning, empty=None, empty_with_calls=None)
    text = compose(replace(spec.turn, reasoning=silent), content=content, calls=calls)
    return text if content else text.lstrip()


@pytest.mark.parametrize("name", CALLING)
def test_required_calls_are_taken_as_templates_write_them_and_text_alone_is_not(name: str) -> None:
    spec = fixture(name)
    grammar = compiled(spec, tool_choice="required")
    assert accepts(grammar, written(spec, None, ONE))
    if spec.capabilities.max_calls is None:
        assert accepts(grammar, written(spec, None, TWO))
    assert not accepts(grammar, "Hello, it is 2 < 3.")


@pytest.mark.parametrize("name", [name for name in CALLING if name not in LIMITED])
def test_with_auto_text_is_free_and_calls_are_held(name: str) -> None:
    spec = fixture(name)
    grammar = compiled(spec)
    assert accepts(grammar, "Hello, it is 2 < 3.")
    assert accepts(grammar, written(spec, None, ONE))
    beside = spec.turn.content.with_calls
    if beside is None or beside.position is Position.BEFORE:
        assert accepts(grammar, written(spec, "Let me see.", ONE))
    wrong = [ComposedCall(name="unknown", id="k7Qz0aB00", arguments={"city": "Paris"})]
    text = written(spec, None, wrong)
    assert not accepts(grammar, text) or name in ("bare_json", "python_calls")


@pytest.mark.parametrize("name", ["hermes_json_tags", "function_parameter_tags", "key_value_tags", "custom_quoted_objects"])
def test_arguments_are_held_to_the_schema(name: str) -> None:
    spec = fixture(name)
    grammar = compiled(spec, tool_choice="required")
    wrong = [ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": "Paris", "days": "three"})]
    assert not accepts(grammar, written(spec, None, wrong))
    assert not accepts(grammar, written(spec, None, [replace(ONE[0], arguments={"days": 3})]))


def test_a_single_call_ends_the_turn() -> None:
    spec = fixture("hermes_json_tags")
    grammar = compiled(spec, tool_choice="required", parallel_tool_calls=False)
    assert accepts(grammar, written(spec, None, ONE))
    assert not accepts(grammar, written(spec, None, TWO))
