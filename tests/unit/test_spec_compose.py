"""The text of a turn is rebuilt from the spec."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from untemplate.spec.compose import ComposedCall, compose, open_content, open_reasoning, type_of, write_value
from untemplate.spec.model import (
    Block,
    CallForm,
    Calls,
    Content,
    ContentMode,
    Encoding,
    Frame,
    JsonCall,
    JsonType,
    Marker,
    Reasoning,
    ReasoningMode,
    Section,
    Turn,
    Value,
)

TURN = Turn(
    blocks=(Block.REASONING, Block.CONTENT, Block.CALLS),
    reasoning=Reasoning(mode=ReasoningMode.TAGGED, open=(Marker(core="<t>", after="\n"),), close=(Marker(core="</t>", before="\n"),)),
    calls=Calls(
        section=Section(separator="\n"),
        forms=(
            CallForm(
                open=Marker(core="<c>"),
                close=Marker(core="</c>"),
                json=JsonCall(name=("name",), arguments=("arguments",), order=("name", "arguments")),
            ),
        ),
    ),
)


def test_blocks_stand_in_order_with_their_markers() -> None:
    text = compose(TURN, reasoning="why", content="so", calls=[ComposedCall(name="f", arguments={"a": 1}), ComposedCall(name="g")])
    assert text == '<t>\nwhy\n</t>so<c>{"name": "f", "arguments": {"a": 1}}</c>\n<c>{"name": "g", "arguments": {}}</c>'


def test_a_frame_stands_between_blocks() -> None:
    framed = replace(TURN, frame=Frame(separator=Marker(core="<|start|>")))
    assert compose(framed, reasoning="why", content="so") == "<t>\nwhy\n</t><|start|>so"


def test_a_wrapper_beside_reasoning_only() -> None:
    mode = ContentMode.WRAPPED_WITH_REASONING
    turn = replace(TURN, content=Content(mode=mode, open=(Marker(core="<a>"),), close=(Marker(core="</a>"),)))
    assert compose(turn, content="so") == "so"
    assert compose(turn, reasoning="why", content="so") == "<t>\nwhy\n</t><a>so</a>"


def test_a_turn_that_goes_on_is_left_open() -> None:
    assert open_reasoning(TURN, "wh") == "<t>\nwh"
    assert open_content(TURN, "s", "why") == "<t>\nwhy\n</t>s"


@pytest.mark.parametrize(
    ("value", "encoding", "text"),
    [
        ("a\n", Encoding.RAW, "a\n"),
        (True, Encoding.PYTHON, "True"),
        ({"k": None}, Encoding.JSON, '{"k": null}'),
        ("é", Encoding.JSON, '"é"'),
    ],
)
def test_a_value_is_written_in_its_encoding(value: Any, encoding: Encoding, text: str) -> None:
    assert write_value(value, Value(encoding=encoding), None) == text


def test_true_is_a_boolean_before_it_is_an_integer() -> None:
    assert [type_of(value) for value in (True, 1, 1.0, None, "x", {}, [])] == [
        JsonType.BOOLEAN,
        JsonType.INTEGER,
        JsonType.NUMBER,
        JsonType.NULL,
        JsonType.STRING,
        JsonType.OBJECT,
        JsonType.ARRAY,
    ]
