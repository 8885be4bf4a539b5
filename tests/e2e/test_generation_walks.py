"""Random walks through grammars, each request of each fixture: the parser reads every text that a grammar lets through."""

from __future__ import annotations

import random

import pytest

from tests.e2e.model_chances import since
from tests.e2e.model_requests import FULL, NAMES, REQUESTS, Asked, faults, fixture, may_be_asked
from tests.e2e.model_walks import Walker

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
