"""A model that knows nothing writes turns under the grammar in llama.cpp's server, and the parser reads every one of them."""

from __future__ import annotations

import pytest

from tests.e2e.model_chances import chances, since
from tests.e2e.model_requests import FULL, NAMES, REQUESTS, Asked, faults, fixture, may_be_asked
from tests.e2e.model_server import ModelServer
from untemplate.emit.llama_server import llama_request

_TURNS = 3 if FULL else 1
"""Turns wanted of each request of each fixture."""
_TRIES = 6
_TOKENS = 2000
_ASKED = [asked for asked in REQUESTS if FULL or asked.name in ("auto", "required")]


def _generate(name: str, asked: Asked, server: ModelServer) -> int:
    """Return how many turns came to their end; each has been read."""
    spec = fixture(name)
    parser = asked.parser(spec)
    grammar = parser.grammar()
    request = llama_request(spec, grammar, parser.start)
    bias = chances(server, spec, grammar)
    ended = 0
    for seed in range(_TURNS * _TRIES):
        prompt = "Hi" + request["generation_prompt"]
        written = server.generate(prompt, request, seed=seed, limit=_TOKENS, temperature=1.5, logit_bias=bias)
        if not written.ended:
            continue
        found = faults(asked, parser.parse(written.text), since=since(grammar, written.text))
        assert not found, f"{name}, {asked.name}, seed {seed}: {written.text!r}"
        ended += 1
        if ended == _TURNS:
            break
    return ended


@pytest.mark.parametrize("asked", _ASKED, ids=lambda asked: asked.name.replace(" ", "-"))
@pytest.mark.parametrize("name", NAMES)
def test_turns_written_under_the_grammar_are_read_without_diagnostics(name: str, asked: Asked, server: ModelServer) -> None:
    if not may_be_asked(fixture(name), asked):
        pytest.skip("it shows no way to call")
    assert _generate(name, asked, server) == _TURNS, "turns come to no end"
