"""Texts that depend on how a spec reads turns, and not on which template it is of: templates of one dialect share them.

Public templates are mostly copies of each other with another system prompt; of a corpus, every second grammar was made before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from untemplate.lower.signs import read_signs
from untemplate.lower.start import start_of_request
from untemplate.spec.model import Spec

MOST = 512
"""Texts that a process keeps."""


class Alike:
    """Texts by what they were made of, the newest ``MOST``."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], str] = {}

    def text(self, kind: str, reading: str, tools: Sequence[dict[str, Any]], make: Callable[[], str]) -> str:
        """Return what ``make`` makes of a spec that reads like this one with these tools; made now if it never was."""
        key = (kind, reading, json.dumps(tools))
        if key not in self._made:
            if len(self._made) >= MOST:
                del self._made[next(iter(self._made))]
            self._made[key] = make()
        return self._made[key]


def reading_of(spec: Spec) -> str:
    """Return all that decides how turns are read and written, as a text: of a spec what its parsers and grammars are made of."""
    able = spec.capabilities
    signs = [read_signs(spec, with_calls=calls) for calls in (True, False)]
    starts = [start_of_request(spec, enable_thinking=True, tools=tools, extract_reasoning=True) for tools in (True, False)]
    return repr((spec.turn, spec.prompt.end_of_turn, signs, starts, able.max_calls, able.id_pattern))
