"""Turns as models really write them, from a peer's test suite and from fault reports: the same message however they are cut.

In CI a sample of the cuts; with ``-m deep`` every one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

import untemplate
from tests.e2e.reports import CONFORMANCE, CORPUS, REPORTS, read_lines, spec_of
from tests.reading import cut, fields, stream

SETS = ((CONFORMANCE / "vectors.jsonl", CORPUS), (REPORTS / "vectors.jsonl", REPORTS / "templates"))
VECTORS = [(vector, folder) for path, folder in SETS for vector in read_lines(path) if not vector.get("disputed")]
if not VECTORS:
    pytest.skip("the shared vectors are absent", allow_module_level=True)

each_vector = pytest.mark.parametrize("index", range(len(VECTORS)), ids=[vector["id"] for vector, _ in VECTORS])
SAMPLE = 6
"""Cuts of a vector that are tried in CI."""


@cache
def parser_of(index):
    vector, folder = VECTORS[index]
    return untemplate.build_parser(spec_of(folder / vector["template"]), **vector["request"], new_id=lambda: "made")


@cache
def whole(index):
    """Return the message of the uncut turn."""
    vector, _ = VECTORS[index]
    return parser_of(index).parse(vector["output"], partial=vector["partial"], truncated=vector.get("truncated", False))


def pieces_of(index, places) -> Iterator[list[str | bytes]]:
    """Yield the turn cut in two at places of its text, and near them inside its characters."""
    text = VECTORS[index][0]["output"]
    data = text.encode()
    for place in places:
        yield cut(text, [place])
        at = len(text[:place].encode()) + 1
        yield [data[:at], data[at:]]


def receive(index, pieces):
    """Return what a client has of a turn in pieces, and its diagnostics: a partial turn is not finished."""
    vector, _ = VECTORS[index]
    if not vector["partial"]:
        message, _ = stream(parser_of(index), pieces, truncated=vector.get("truncated", False))
        return message
    session = parser_of(index).session()
    for piece in pieces:
        session.feed(piece) if isinstance(piece, str) else session.feed_bytes(piece)
    return session.message()


def check(index, places):
    for pieces in pieces_of(index, places):
        assert receive(index, pieces) == whole(index), pieces


def test_the_vectors_are_the_ones_that_were_counted():
    assert [sum(folder is wanted for _, folder in VECTORS) for _, wanted in SETS] == [288, 54]


@each_vector
def test_a_turn_is_the_expected_message(index):
    vector, _ = VECTORS[index]
    reasoning, content, calls = fields(whole(index))
    expected = vector["expect"]
    edges = str if vector.get("exact") else str.strip
    assert edges(content) == edges(expected["content"])
    assert edges(reasoning) == edges(expected["reasoning_content"])
    assert [name for name, _ in calls] == [call["name"] for call in expected["tool_calls"]]
    compact = [
        ["".join(arguments.split()) for _, arguments in calls],
        ["".join(call["arguments"].split()) for call in expected["tool_calls"]],
    ]
    assert compact[0] == compact[1]
    for call, wanted in zip(whole(index).tool_calls, expected["tool_calls"], strict=True):
        assert call.id == (wanted.get("id") or call.id)


@each_vector
def test_a_turn_is_the_same_message_at_sampled_cuts(index):
    size = len(VECTORS[index][0]["output"])
    check(index, random.Random(index).sample(range(1, size), min(SAMPLE, size - 1)) if size > 1 else [])
    assert receive(index, list(VECTORS[index][0]["output"])) == whole(index)


@pytest.mark.deep
@each_vector
def test_a_turn_is_the_same_message_at_every_cut(index):
    check(index, range(1, len(VECTORS[index][0]["output"])))
