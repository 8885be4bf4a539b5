"""What always holds for turns with faults in them, in the format of every fixture: nothing raises, nothing is lost, nothing is invented."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading import Client, cut, fields, load_strictly, stream
from untemplate import load_spec
from untemplate.parser import Parser, build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode, Spec

GOLDEN = Path(__file__).parents[2] / "golden"
FIXTURES = sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))
each_fixture = pytest.mark.parametrize("name", FIXTURES)
some = settings(max_examples=max(15, settings.default.max_examples // 4))
"""Each format draws its own cases, so that each needs fewer."""

WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliet")
"""Words that occur nowhere in a format: each one in a turn must come out of it."""
NOISE = ("\n", " ", "kilo", "<think>", "</think>", "<tool_call>", "}", "{", '"', "'", "]", "🙂", "\\", "<", "|>", "`", "\x00", "<|im_end|>")
_PIECES = re.compile(r"<[^<>\s]*>|\[/?[A-Z_]+\]|\w+|\s+|.", re.DOTALL)


def tool(name, **properties):
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


STRING = {"type": "string"}
TOOLS = [
    tool(
        "put",
        path=STRING,
        text=STRING,
        dry={"type": "boolean"},
        size={"type": ["integer", "null"]},
        tags={"type": "array", "items": STRING},
    ),
    tool("get", where=STRING, days={"type": "integer"}),
    tool("ping"),
]


@cache
def spec_of(name) -> Spec:
    return load_spec(GOLDEN / name / "spec.yaml")


@cache
def parser_of(name, prompted=False) -> Parser:
    return build_parser(spec_of(name), tools=TOOLS, add_generation_prompt=prompted, new_id=lambda: "made")


@cache
def written(name) -> tuple[str, ...]:
    """Return turns of every kind that the format can write."""
    turn = spec_of(name).turn
    thought = "golf hotel\n\nthink" if turn.reasoning.mode is not ReasoningMode.NONE else None
    put = ComposedCall(
        name="put", id="k7Qz0aB00", arguments={"path": "alpha.txt", "text": 'bravo\n "charlie" <b>\n', "dry": True, "tags": ["delta"]}
    )
    get = ComposedCall(name="get", id="k7Qz0aB01", arguments={"where": "foxtrot", "days": 30})
    calls = [[put], [get], [ComposedCall(name="ping", id="k7Qz0aB02")]]
    if spec_of(name).capabilities.max_calls is None:
        calls.append([get, put])
    found = [compose(turn, reasoning=thought, content="india juliet.\n\nBye")]
    if turn.calls is not None:
        found += [compose(turn, reasoning=thought if len(made) > 1 else None, calls=made) for made in calls]
        found.append(compose(turn, content="india juliet", calls=calls[0]))
    return tuple(found)


@st.composite
def faulty(draw, name) -> str:
    """Return a turn with pieces of it left out, doubled, moved, or replaced by noise; or only a beginning of it."""
    pieces = _PIECES.findall(draw(st.sampled_from(written(name))))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, max(0, len(pieces) - 1)))
        stop = start + draw(st.sampled_from((1, 1, 1, 2, 5)))
        match draw(st.integers(0, 4)):
            case 0:
                del pieces[start:stop]
            case 1:
                pieces[start:start] = pieces[start:stop]
            case 2:
                pieces.insert(start, draw(st.sampled_from(NOISE)))
            case 3:
                pieces = pieces[stop:] + pieces[start:stop]
            case _:
                del pieces[start:]
    return "".join(pieces)


CUTS = st.lists(st.integers(0, 500), max_size=6)


@each_fixture
@some
@given(data=st.data())
def test_a_turn_with_faults_is_the_same_message_however_it_is_cut(name, data):
    text, truncated, prompted = data.draw(faulty(name)), data.draw(st.booleans()), data.draw(st.booleans())
    parser = parser_of(name, prompted)
    whole = parser.parse(text, truncated=truncated)
    assert stream(parser, cut(text, data.draw(CUTS)), truncated=truncated)[0] == whole
    encoded = text.encode()
    place = data.draw(st.integers(0, len(encoded)))
    assert stream(parser, [encoded[:place], encoded[place:]], truncated=truncated)[0] == whole


@each_fixture
@some
@given(data=st.data())
def test_no_word_of_a_turn_with_faults_is_lost_unless_it_is_said(name, data):
    text = data.draw(faulty(name))
    message = parser_of(name).parse(text)
    if {found.code for found in message.diagnostics} & {"text_after_end", "unknown_member", "repeated_key", "incomplete_call"}:
        return
    received = "".join([*fields(message)[:2], *(call.name + call.arguments for call in message.tool_calls)])
    ends = [end.strip() for end in (*spec_of(name).prompt.end_of_turn.content, *spec_of(name).tokens.stops)]
    if not any(end and end in text for end in ends):
        assert [word for word in WORDS if text.count(word) > received.count(word)] == []


@each_fixture
@some
@given(data=st.data())
def test_a_complete_call_is_an_object_without_doubled_keys(name, data):
    message = parser_of(name).parse(data.draw(faulty(name)), truncated=data.draw(st.booleans()))
    for call in message.tool_calls:
        assert call.name.strip()
        if call.complete and "not_json" not in {found.code for found in message.diagnostics}:
            assert isinstance(load_strictly(call.arguments), dict)


@each_fixture
def test_every_beginning_of_a_turn_gives_the_beginning_of_its_message(name):
    parser = parser_of(name)
    for text in written(name):
        reasoning, content, calls = fields(parser.parse(text))
        session, client = parser.session(), Client()
        for character in text:
            client.add(session.feed(character))
            assert reasoning.startswith(client.reasoning)
            assert content.startswith(client.content)
            assert len(client.calls) <= len(calls)
            for mine, (called, arguments) in zip(client.calls, calls, strict=False):
                assert mine["name"] == called
                assert arguments.startswith(mine["arguments"])
            assert client.fields() == fields(session.message())


@each_fixture
def test_a_call_that_the_limit_cut_is_whole_only_if_all_of_it_came(name):
    parser = parser_of(name)
    for text in written(name):
        whole = parser.parse(text).tool_calls
        for place in range(0, len(text), 3):
            message = parser.parse(text[:place], truncated=True)
            assert message.finish_reason == "length"
            for call, full in zip(message.tool_calls, whole, strict=False):
                assert not call.complete or (call.name, call.arguments) == (full.name, full.arguments)


@each_fixture
@some
@given(data=st.binary(max_size=80), place=st.integers(0, 80))
def test_random_bytes_are_text(name, data, place):
    message, _ = stream(parser_of(name), [data[:place], data[place:]])
    assert (message.tool_calls, message.reasoning_content) == ((), "")
    text = data.decode("utf-8", "replace")
    assert message.content == text or message.diagnostics or text.strip() != text


@each_fixture
@some
@given(data=st.data())
def test_a_rejected_draft_leaves_no_trace(name, data):
    text, draft = data.draw(faulty(name)), data.draw(faulty(name))
    place = data.draw(st.integers(0, len(text)))
    session, client = parser_of(name).session(), Client()
    client.add(session.feed(text[:place]))
    mark = session.mark()
    session.feed(draft)
    session.rewind(mark)
    client.add(session.feed(text[place:]))
    message, deltas = session.finish()
    client.add(deltas)
    assert message == parser_of(name).parse(text)
    assert client.fields() == fields(message)
