"""What a runtime needs to hold a model to a format."""

from __future__ import annotations

from dataclasses import dataclass

from untemplate.lower.warnings import GrammarWarning


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """A grammar as text, with the facts that an inference engine asks for beside it."""

    text: str
    """GBNF with a ``root`` rule (or another dialect, where the caller asked for one)."""
    lazy: bool = False
    """Free text is allowed until a trigger appears; the grammar then holds from the trigger on."""
    triggers: tuple[str, ...] = ()
    """Words at which a lazy grammar wakes up."""
    trigger_patterns: tuple[str, ...] = ()
    """Instead of the words, where an engine takes expressions for all of the text: the same words, outside reasoning only."""
    preserved_tokens: tuple[str, ...] = ()
    """Markers that must stay whole in the text that the engine returns."""
    stops: tuple[str, ...] = ()
    warnings: tuple[GrammarWarning, ...] = ()
    """What the grammar allows although it should not."""
