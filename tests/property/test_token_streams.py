"""Turns that come as tokens with ids: markers as one token each, all other text cut anywhere, read as the text alone is."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.property.test_reading_faults import FIXTURES, TOOLS, spec_of, written
from tests.reading import Client, fields
from untemplate.lower.signs import marker_texts, read_signs
from untemplate.parser import Parser, build_parser

_ONE_TOKEN = re.compile(r"<[^<>\s]+>|\[/?[A-Z_]+\]")
each_fixture = pytest.mark.parametrize("name", FIXTURES)
some = settings(max_examples=max(10, settings.default.max_examples // 6))


@cache
def ids(name) -> dict[str, int]:
    texts = marker_texts(read_signs(spec_of(name), with_calls=True))
    found = dict.fromkeys(token for text in texts for token in _ONE_TOKEN.findall(text))
    return {token: number for number, token in enumerate(found, 1000)}


@cache
def parser_of(name) -> Parser:
    spec = spec_of(name)
    spec = replace(spec, tokens=replace(spec.tokens, ids=ids(name)))
    return build_parser(spec, tools=TOOLS, add_generation_prompt=False, new_id=lambda: "made")


def tokens_of(name, text, sizes) -> list[tuple[bytes, int]]:
    """Return a text as tokens: markers whole, the rest in pieces of these many bytes, by turns."""
    known = ids(name)
    pattern = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))) or "(?!)")
    found, done = [], 0
    for match in [*pattern.finditer(text), None]:
        plain = text[done : match.start() if match else len(text)].encode()
        turn = 0
        while plain:
            size = sizes[turn % len(sizes)]
            found.append((plain[:size], 1))
            plain, turn = plain[size:], turn + 1
        if match:
            found.append((match.group().encode(), known[match.group()]))
            done = match.end()
    return found


def read(name, tokens, *, truncated=False):
    session, client = parser_of(name).session(), Client()
    for token in tokens:
        client.add(session.feed_token(*token))
    message, deltas = session.finish(truncated=truncated)
    client.add(deltas)
    assert client.fields() == fields(message)
    return message


@each_fixture
@some
@given(data=st.data())
def test_a_turn_of_tokens_is_the_turn_of_their_text(name, data):
    text = data.draw(st.sampled_from(written(name)))
    tokens = tokens_of(name, text, data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    assert read(name, tokens) == parser_of(name).parse(text)
    silent = [(b"" if number >= 1000 else piece, number) for piece, number in tokens]
    assert read(name, silent) == parser_of(name).parse(text)


@each_fixture
@some
@given(data=st.data())
def test_markers_that_other_tokens_spell_are_content(name, data):
    ends = {end.core for end in read_signs(spec_of(name), with_calls=True).ends}
    spelled = [marker for marker in ids(name) if marker not in ends]
    if not spelled:
        return
    text = "alpha " + " bravo ".join(data.draw(st.lists(st.sampled_from(spelled), min_size=1, max_size=4))) + " charlie"
    tokens = [(character.encode(), 1) for character in text]
    message = read(name, tokens, truncated=data.draw(st.booleans()))
    assert (message.content, message.reasoning_content, message.tool_calls) == (text, "", ())


@each_fixture
@some
@given(data=st.data())
def test_any_ids_beside_a_text_lose_nothing_and_raise_nothing(name, data):
    text = data.draw(st.sampled_from(written(name)))
    numbers = st.sampled_from([1, 2, *ids(name).values()])
    tokens = [(piece, data.draw(numbers) if number == 1 else number) for piece, number in tokens_of(name, text, [9])]
    message = read(name, tokens)
    received = "".join([*fields(message)[:2], *(call.name + call.arguments for call in message.tool_calls)])
    said = {each.code for each in message.diagnostics}
    if not said & {"text_after_end", "incomplete_call", "repeated_key", "unknown_member"}:
        for word in ("alpha", "bravo", "charlie", "foxtrot", "juliet"):
            assert received.count(word) >= text.count(word)
