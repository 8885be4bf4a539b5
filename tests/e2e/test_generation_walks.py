"""Random walks through grammars, each request of each fixture: the parser reads every text that a grammar lets through."""

from __future__ import annotations

import json
import random

import pytest

from tests.e2e.model_chances import since
from tests.e2e.model_requests import FULL, NAMES, REQUESTS, TOOLS, Asked, faults, fixture, may_be_asked
from tests.e2e.model_walks import Walker
from untemplate.emit.engine import read_back
from untemplate.parser import build_parser
from untemplate.spec.compose import ComposedCall, compose

_WALKS = 8 if FULL else 4
"""Walks wanted of each request of each fixture."""
_TRIES = 4
_ASKED = [asked for asked in REQUESTS if FULL or "without" not in asked.name]


@pytest.mark.parametrize("asked", _ASKED, ids=lambda asked: asked.name.replace(" ", "-"))
@pytest.mark.parametrize("name", NAMES)
def test_what_a_grammar_writes_is_read_without_diagnostics(name: str, asked: Asked) -> None:
    spec = fixture(name)
    if not may_be_asked(spec, asked):
        pytest.skip("it shows no way to call")
    parser = asked.parser(spec)
    grammar = parser.grammar()
    walker = Walker(spec, grammar.text)
    chance = random.Random(f"{name} {asked.name}")
    ended = 0
    for _ in range(_WALKS * _TRIES):
        text = walker.walk(chance)
        if text is None:
            continue
        found = faults(asked, parser.parse(text), since=since(grammar, text))
        assert not found, repr(text)
        ended += 1
        if ended == _WALKS:
            break
    assert ended == _WALKS, "walks come to no end"


HALVES = ("I say <|im_en", "a <|", "[TOOL", "it is <thi", "use <think> and go", "<thing", "a\n<b>c</b>")


@pytest.mark.parametrize("name", NAMES)
def test_what_only_begins_like_a_marker_can_be_written_and_is_content(name: str) -> None:
    spec = fixture(name)
    parser = build_parser(spec, tool_choice="none", prompt=spec.prompt.roles["assistant"])
    engine = read_back(parser.grammar().text)
    for text in HALVES:
        turn = compose(spec.turn, content=text).removesuffix("\n")
        message = parser.parse(turn)
        assert engine.accepts(turn), text
        assert (message.content, message.diagnostics) == (text, ())


@pytest.mark.parametrize("name", [name for name in NAMES if fixture(name).turn.reasoning.open])
def test_content_that_would_be_read_as_reasoning_cannot_be_written(name: str) -> None:
    spec = fixture(name)
    parser = build_parser(spec, tool_choice="none", prompt=spec.prompt.roles["assistant"])
    engine = read_back(parser.grammar().text)
    opening = spec.turn.reasoning.open[0].text
    refused = []
    for text in (f"a\n{opening}b", f"a {opening.strip()}", f"{opening}a"):
        turn = compose(spec.turn, content=text)
        assert engine.accepts(turn) == (parser.parse(turn).content == text), text
        refused += [] if engine.accepts(turn) else [text]
    assert refused


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a}<tool_call|> b", True),
        ("a}<tool_call|><|tool_call>call:b", False),
        ("a}<tool_call|>\n<turn|>b", False),
        ('a<|"|>}]<tool_call|>b', False),
    ],
)
def test_a_value_that_would_end_before_its_mark_cannot_be_written(text: str, kept: bool) -> None:
    spec = fixture("custom_quoted_objects")
    parser = build_parser(spec, tools=TOOLS, tool_choice="required")
    arguments = {"path": text, "text": "t"}
    turn = compose(spec.turn, calls=[ComposedCall(name="write_file", id="abcdefgh1", arguments=arguments)])
    message = parser.parse(turn)
    read = [json.loads(call.arguments) for call in message.tool_calls]
    assert read_back(parser.grammar().text).accepts(turn) == kept
    assert (read == [arguments] and not message.diagnostics) == kept
