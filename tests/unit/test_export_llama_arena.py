"""llama.cpp's own trees: of the shape that its server takes, and with the message in them that we read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.declared import NOW, weather
from tests.e2e.model_requests import NAMES, fixture
from tests.llama_trees import Reader, faults, message_of
from untemplate.emit.export import Exported
from untemplate.emit.llama_arena import emit_llama_arena
from untemplate.errors import SpecError
from untemplate.parser import build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Spec

TOOLS: list[dict[str, Any]] = [weather(on="boolean", at="object"), NOW]
ONE = ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": 'Paris "x"\nb', "days": 3, "on": True})
NESTED = replace(ONE, arguments={"city": "Paris", "at": {"a": [1, "b"]}})
NONE = ComposedCall(name="now", id="k7Qz0aB01")
IMPOSSIBLE = {"openai_wrapper"}
LOSSY = {"channels_with_headers", "custom_quoted_objects", "nested_xml_values"}


def exported(spec: Spec) -> Exported:
    parser = build_parser(spec, tools=TOOLS if spec.turn.calls is not None else None)
    return emit_llama_arena(parser.spec, parser.request)


def turns(spec: Spec) -> dict[str, str]:
    """Return turns that the spec writes, and one that has no markers."""
    found = {"plain": "Hi there.", "content": compose(spec.turn, content="Hi: it's 2 < 3.\n\nBye.")}
    if spec.turn.reasoning.close:
        found["reasoning"] = compose(spec.turn, reasoning="Let me\nsee.", content="Hi.")
    if spec.turn.calls is not None:
        found |= {"one": compose(spec.turn, calls=[ONE]), "none": compose(spec.turn, calls=[NONE])}
        if spec.capabilities.max_calls is None:
            found["two"] = compose(spec.turn, calls=[ONE, NONE])
        found["nested"] = compose(spec.turn, calls=[NESTED])
    return found


@pytest.mark.parametrize("name", [name for name in NAMES if name not in IMPOSSIBLE])
def test_a_tree_is_whole_and_reads_turns_as_we_do(name: str) -> None:
    spec = fixture(name)
    made = exported(spec)
    tree = json.loads(made.text)
    assert faults(tree) == []
    assert bool(made.losses) is (name in LOSSY)
    for kind, text in turns(spec).items():
        if kind == "nested" and any(loss.field.startswith("calls.arguments") for loss in made.losses):
            continue
        ours = build_parser(spec, prompt="x", tools=TOOLS).parse(text)
        events = Reader(tree, text).read()
        assert events is not None, kind
        theirs = message_of(events)
        assert theirs.reasoning_content == (ours.reasoning_content or ""), kind
        assert theirs.content == (ours.content or ""), kind
        calls = [{"name": call.name, "arguments": json.loads(call.arguments)} for call in ours.tool_calls]
        assert theirs.tool_calls == calls, kind


@pytest.mark.parametrize("name", sorted(IMPOSSIBLE))
def test_calls_that_no_node_reads_are_refused(name: str) -> None:
    with pytest.raises(SpecError) as problem:
        exported(fixture(name))
    assert problem.value.code == "E517"


def test_a_call_to_a_tool_that_is_not_declared_is_text() -> None:
    spec = fixture("hermes_json_tags")
    text = compose(spec.turn, calls=[replace(NONE, name="unknown")])
    events = Reader(json.loads(exported(spec).text), text).read()
    assert events is not None
    assert message_of(events).tool_calls == []


def test_a_tree_without_tools_has_no_calls() -> None:
    parser = build_parser(fixture("hermes_json_tags"))
    assert '"tool' not in emit_llama_arena(parser.spec, parser.request).text
