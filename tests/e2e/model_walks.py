"""A model that knows nothing but the grammar: it walks through it at random with llguidance, a byte or a text at a time."""

from __future__ import annotations

import random
from collections.abc import Sequence

import llguidance
from llguidance.gbnf_to_lark import any_to_lark

import untemplate
from tests.e2e.model_requests import markers, pieces

_BYTES = llguidance.LLTokenizer("byte")
_NOISE = ('"', '\\"', "\n", "\n\n", " ", "'", "é", "</", "<|", "[1]", '{"a": 1}', '"}', "}", "]", "```", "null", "12", "true", "<b>")
_TIRED, _EXHAUSTED = 80, 2500


class Walker:
    """Walks through one grammar.

    Raises:
        AssertionError: llguidance does not load it.
    """

    def __init__(self, spec: untemplate.Spec, grammar: str) -> None:
        self._start = llguidance.LLMatcher(_BYTES, any_to_lark(grammar))
        assert not self._start.is_error(), self._start.get_error()
        self._endings = ('"', "}", "]", "]}", '"}', *pieces(spec), *markers(spec))
        self._texts = (*_NOISE, *self._endings)

    def walk(self, chance: random.Random) -> str | None:
        """Return a text of the grammar; ``None`` where the walk came to no end.

        Markers and their beginnings come more often than chance would have them, ever more after a while.
        """
        matcher, written = self._start.deep_copy(), bytearray()
        while len(written) < _EXHAUSTED:
            tired = len(written) > _TIRED
            if matcher.is_stopped() or (matcher.is_accepting() and (tired or chance.random() < 0.3)):
                return written.decode()
            step = self._text(matcher, chance, tired=tired) or self._byte(matcher, chance)
            matcher.consume_tokens(step)
            assert not matcher.is_error(), matcher.get_error()
            written += bytes(step)
        return None

    def _text(self, matcher: llguidance.LLMatcher, chance: random.Random, *, tired: bool) -> Sequence[int]:
        """Return a text that may stand here, or its beginning; nothing most of the time."""
        if chance.random() > (0.7 if tired else 0.25):
            return []
        text = list(chance.choice(self._endings if tired else self._texts).encode())
        fits = matcher.validate_tokens(text)
        return text[:fits] if fits == len(text) or chance.random() < 0.3 else []

    def _byte(self, matcher: llguidance.LLMatcher, chance: random.Random) -> Sequence[int]:
        mask = matcher.compute_bitmask()
        allowed = [byte for byte in range(256) if mask[byte >> 3] >> (byte & 7) & 1]
        assert allowed, "the grammar leads nowhere"
        plain = [byte for byte in allowed if 0x20 <= byte < 0x7F]
        return [chance.choice(plain if plain and chance.random() < 0.95 else allowed)]
