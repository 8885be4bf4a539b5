"""What always holds when a turn is read, in every dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects import DIALECTS, TOOLS
from tests.reading import Client, cut, fields, stream
from untemplate.parser import Parser, build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import CallStart, ReasoningMode, Spec

PARSERS: dict[str, Parser] = {
    name: build_parser(spec, tools=TOOLS, add_generation_prompt=False, new_id=lambda: "x" * 24) for name, spec in DIALECTS.items()
}
WORDS = st.sampled_from(
    ["Hello", " world", "\n", "é格", '"', "'", "{", "}", "[x]", "<", "a: 1", "\\n", "`", ",", "=", "null", "42", " ", ")"]
)
PROSE = st.lists(WORDS, min_size=1, max_size=6).map("".join).filter(lambda text: text == text.strip("\"'` \n"))
"""Not at a quote: a marker between two quotes is text (decided in ``docs/decisions``)."""
STRINGS = st.lists(st.one_of(WORDS, st.text(st.characters(exclude_categories=("Cs",)), max_size=3)), max_size=5).map("".join)
PLAIN = st.text(st.sampled_from("abc é\n\"'\\{}<>,:"), max_size=8)
SCALARS = st.one_of(st.integers(-(10**6), 10**6), st.booleans(), PLAIN)
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "text": STRINGS,
        "count": st.integers(-(10**9), 10**9),
        "ratio": st.sampled_from([0.5, -2.25, 3.0]),
        "flag": st.booleans(),
        "object": st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 99), max_size=2),
        "array": st.lists(st.integers(0, 99), max_size=3),
    },
)
CUTS = st.lists(st.integers(0, 400), max_size=8)


def turns(spec: Spec) -> st.SearchStrategy[tuple[str | None, str | None, list[tuple[str, Any]]]]:
    """Return reasoning, content and calls that the dialect can write."""
    marked = spec.turn.calls is not None and spec.turn.calls.forms[0].at is CallStart.ANYWHERE
    reasons = spec.turn.reasoning.mode is not ReasoningMode.NONE
    return st.tuples(
        st.one_of(st.none(), PROSE) if reasons else st.none(),
        st.one_of(st.none(), PROSE),
        st.lists(st.tuples(st.just("act"), ARGUMENTS), max_size=3 if marked else 1),
    ).map(lambda turn: turn if marked or not turn[2] else (turn[0], None, turn[2]))


def written(spec: Spec, turn: tuple[str | None, str | None, list[tuple[str, Any]]]) -> str:
    reasoning, content, calls = turn
    composed = [ComposedCall(name=name, id=f"id{index}", arguments=arguments) for index, (name, arguments) in enumerate(calls)]
    end = spec.prompt.end_of_turn.calls if calls else spec.prompt.end_of_turn.content
    return compose(spec.turn, reasoning=reasoning, content=content, calls=composed) + end[0]


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_what_a_spec_writes_is_read_back(name: str, data: st.DataObject) -> None:
    spec = DIALECTS[name]
    turn = data.draw(turns(spec))
    reasoning, content, calls = turn
    message = PARSERS[name].parse(written(spec, turn))
    found = [(call.name, json.loads(call.arguments)) for call in message.tool_calls]
    assert (message.reasoning_content, message.content, found) == (reasoning or "", content or "", calls)
    assert message.diagnostics == ()
    assert message.finish_reason == ("tool_calls" if calls else "stop")


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_any_chunking_equals_one_shot(name: str, data: st.DataObject) -> None:
    text = data.draw(mutated(DIALECTS[name]))
    parser, truncated = PARSERS[name], data.draw(st.booleans())
    whole = parser.parse(text, truncated=truncated)
    message, _ = stream(parser, cut(text, data.draw(CUTS)), truncated=truncated)
    assert message == whole


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_nothing_sent_is_taken_back(name: str, data: st.DataObject) -> None:
    text = data.draw(mutated(DIALECTS[name]))
    whole = fields(PARSERS[name].parse(text))
    session, client = PARSERS[name].session(), Client()
    for character in text:
        client.add(session.feed(character))
        reasoning, content, calls = client.fields()
        assert whole[0].startswith(reasoning)
        assert whole[1].startswith(content)
        assert len(calls) <= len(whole[2])
        assert all(done[0] == part[0] and done[1].startswith(part[1]) for part, done in zip(calls, whole[2], strict=False))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data())
def test_a_complete_call_has_valid_arguments_and_a_cut_one_is_never_closed(name: str, data: st.DataObject) -> None:
    text = data.draw(mutated(DIALECTS[name]))
    for call in PARSERS[name].parse(text, truncated=data.draw(st.booleans())).tool_calls:
        if call.complete:
            pairs = json.loads(call.arguments, object_pairs_hook=list)
            assert not isinstance(pairs, list) or len({key for key, _ in pairs}) == len(pairs)


@st.composite
def mutated(draw: st.DrawFn, spec: Spec) -> str:
    """Return a turn with pieces of it cut out, doubled, or replaced by other text; or only a beginning of it."""
    text = written(spec, draw(turns(spec)))
    for _ in range(draw(st.integers(0, 2))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 20)))
        replacement = draw(st.sampled_from(["", text[start:stop] * 2, "x", "\n", "<", '"', "}", "\ufffd"]))
        text = text[:start] + replacement + text[stop:]
    return text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text
