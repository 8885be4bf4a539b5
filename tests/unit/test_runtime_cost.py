"""What a chunk may cost in a session: nothing of the text before it is copied. Counted in bytes, not timed."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest

from benchmarks.sweep import fixtures, places
from tests import dialects as d
from tests.dialects import TOOLS, tool
from untemplate import build_parser
from untemplate.runtime.log import Log, TextLog

SIZE = 100_000
SMALL = SIZE // 2
"""Bytes; less than a copy of the text would take."""
PLACES = [place for fixture in fixtures() for place in places(fixture)]


def needed(action):
    """Return how many bytes more an action had at once than there were before it."""
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        action()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def feed(session, text, size=4):
    for start in range(0, len(text), size):
        session.feed(text[start : start + size])


@pytest.mark.parametrize("place", PLACES, ids=[f"{place.fixture}-{place.where}" for place in PLACES])
def test_a_late_chunk_copies_nothing_of_the_text_before_it(place):
    session, text = place.session(), place.text(SIZE)
    feed(session, text, 64)
    assert needed(lambda: feed(session, text[:1_200])) < SMALL


VALUES = {
    "an object": ({"type": "object"}, '{"a": "', "text "),
    "an object or a string": ({"type": ["object", "string"]}, "{", "text "),
    "white space": ({}, "", " \n"),
    "white space behind a word": ({"type": ["string", "null"]}, "null", " \n"),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_raw_value_that_waits_for_its_type_is_not_copied(name):
    schema, head, body = VALUES[name]
    session = build_parser(d.FUNCTION_TAGS, tools=[tool("act", {"value": schema})], add_generation_prompt=False).session()
    session.feed(f"<tool_call>\n<function=act>\n<parameter=value>\n{head}")
    feed(session, body * (SIZE // len(body)), 64)
    assert needed(lambda: feed(session, body * 100)) < SMALL
    session.feed("x</parameter>\n</function>\n</tool_call>")
    (call,) = session.finish()[0].tool_calls
    assert call.complete
    assert len(call.arguments) > SIZE


@pytest.mark.parametrize("stray", ["</think>", "<think>`</think>`"])
def test_many_faults_are_noted_without_copying_those_before(stray):
    session = build_parser(d.HERMES, tools=TOOLS, add_generation_prompt=False).session()
    feed(session, f"x {stray} y" * 8_000, 64)
    assert needed(lambda: feed(session, f"x {stray} y" * 20)) < SMALL


def test_many_spelled_markers_are_noted_without_copying_those_before():
    spec = replace(d.HERMES, tokens=replace(d.HERMES.tokens, ids={"<tool_call>": 7}))
    session = build_parser(spec, tools=TOOLS, add_generation_prompt=False).session()

    def spell(times):
        for _ in range(times):
            session.feed_token(b"<tool", 1)
            session.feed_token(b"_call> ", 2)

    spell(8_000)
    assert needed(lambda: spell(20)) < SMALL
    assert session.finish()[0].content.split() == ["<tool_call>"] * 8_020


def test_a_copy_of_a_log_goes_its_own_way():
    log: Log[int] = Log()
    log.append(1)
    other = log.copy()
    log.append(2)
    other.append(3)
    assert (list(log), list(other), len(other), other[1]) == ([1, 2], [1, 3], 2, 3)
    with pytest.raises(IndexError):
        other[2]


def test_text_in_small_pieces_is_kept_in_large_ones():
    log, copies = TextLog(), []
    for number in range(2_000):
        log.append("x")
        if number % 100 == 0:
            copies.append((number + 1, log.copy()))
    assert len(log._last) + len(log._whole) < 300
    for size, copy in copies:
        copy.append("y")
        assert str(copy) == "x" * size + "y"
    assert str(log) == "x" * 2_000
    assert log
    assert not TextLog()
