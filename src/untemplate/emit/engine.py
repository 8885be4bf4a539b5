"""Reads grammars back with llguidance, an engine that shares no code with this project."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from untemplate.errors import GrammarError


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import llguidance

    return llguidance.LLTokenizer("byte")


class Engine:
    """A grammar as the engine loaded it.

    Raises:
        GrammarError: E405 when the engine refuses the grammar.
    """

    def __init__(self, text: str) -> None:
        import llguidance
        from llguidance.gbnf_to_lark import any_to_lark

        try:
            self._lark = any_to_lark(text)
        except Exception as problem:  # the converter raises plain exceptions
            raise GrammarError(f"the grammar cannot be read back: {problem}", code="E405") from problem
        self._matcher = llguidance.LLMatcher(_tokenizer(), self._lark)
        if self._matcher.is_error():
            raise GrammarError(f"the engine refuses the grammar: {self._matcher.get_error()[:300]}", code="E405")

    def accepts(self, text: str) -> bool:
        """Tell whether the grammar writes exactly this text."""
        matcher = self._matcher.deep_copy()
        tokens = _tokenizer().tokenize_str(text)
        if matcher.validate_tokens(tokens) != len(tokens):
            return False
        matcher.consume_tokens(tokens)
        return bool(matcher.is_accepting())

    def reach(self, text: str) -> int:
        """Return how many bytes of ``text`` the grammar can write."""
        matcher = self._matcher.deep_copy()
        return int(matcher.validate_tokens(_tokenizer().tokenize_str(text)))


def read_back(text: str) -> Engine:
    """Return the engine with a grammar loaded.

    Raises:
        GrammarError: E405 when the engine refuses it.
    """
    return Engine(text)
