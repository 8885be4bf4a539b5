"""llama.cpp's own server inside this process, by the package ``xllamacpp``: it loads grammars and generates under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xllamacpp

from tests.e2e.tiny_model import FIRST_MARKER


@dataclass(frozen=True)
class Generated:
    """What the server wrote for one request."""

    text: str
    ended: bool
    """The model ended it; ``False``: the token limit did."""


class ModelServer:
    """A server with one model loaded.

    Args:
        markers: the texts that are one token each, from ``first`` on in the vocabulary.
    """

    def __init__(self, model: Path, markers: Sequence[str] = (), *, first: int = FIRST_MARKER, context: int = 4096) -> None:
        self.numbers = {marker: first + place for place, marker in enumerate(markers)}
        params = xllamacpp.CommonParams()
        params.model.path = str(model)
        params.n_ctx = context
        params.n_parallel = 1
        params.n_gpu_layers = 0
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.warmup = False
        params.verbosity = -1
        self._server = xllamacpp.Server(params)

    @property
    def address(self) -> str:
        """Return where it listens."""
        return str(self._server.listening_address)

    def refuses(self, grammar: str) -> str:
        """Return why the engine does not load a grammar; ``""`` where it does."""
        reply = self._server.handle_completions({"prompt": "x", "n_predict": 1, "grammar": grammar})
        return str(reply["error"]["message"]) if "error" in reply else ""

    def generate(self, prompt: str, request: Mapping[str, Any], *, seed: int, limit: int, **sampling: Any) -> Generated:
        """Return what the model writes after ``prompt``, every token as likely as the model has it.

        Args:
            request: the members that hold the grammar.
            limit: tokens at most.
            sampling: more members of the request.
        """
        given = {"prompt": prompt, "seed": seed, "n_predict": limit, "top_k": 0, "top_p": 1.0, "min_p": 0.0, "cache_prompt": False}
        reply = self._server.handle_completions({**given, **request, **sampling})
        if "error" in reply:
            raise AssertionError(reply["error"])
        choice = reply["choices"][0]
        return Generated(choice["text"], choice["finish_reason"] == "stop")
