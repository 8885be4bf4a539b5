"""What the tests in real engines share: one server of llama.cpp with the tiny model."""

from __future__ import annotations

import pytest

from tests.e2e.model_requests import NAMES, beginning, closings, fixture, markers
from tests.e2e.model_server import ModelServer
from tests.e2e.tiny_model import as_tokens, write_tiny_model


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> ModelServer:
    """Return a server whose model has the markers of all fixtures as tokens, and what stands between values."""
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    specs = [fixture(name) for name in NAMES]
    tokens = as_tokens(text for spec in specs for text in (*markers(spec), *closings(spec), beginning(spec)))
    write_tiny_model(path, tokens)
    return ModelServer(path, tokens)
