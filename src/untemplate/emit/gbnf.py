"""A tree as GBNF."""

from __future__ import annotations

from collections.abc import Mapping

from untemplate.emit.expand import expand
from untemplate.emit.gbnf_text import gbnf_text
from untemplate.emit.tidy import tidy
from untemplate.lower.warnings import GrammarWarning
from untemplate.peg.nodes import Arena, Node


def emit_gbnf(arena: Arena, *, given: Mapping[str, Node] | None = None, behind: str = "") -> tuple[str, tuple[GrammarWarning, ...]]:
    """Return the strict side of a tree as GBNF in the portable subset, and what it allows although it should not.

    Args:
        given: rules that the tree refers to and that are plain already.
        behind: a text that has been written already: only what may follow it there is left.

    Raises:
        GrammarError: E403 for a look-around that a grammar cannot say.
        SchemaError: a schema in it that nothing fits.
    """
    expanded = expand(arena, given=given, behind=behind)
    return gbnf_text(tidy(expanded.rules, frame=expanded.frame)), expanded.warnings
