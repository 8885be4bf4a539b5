"""What is known of a template before anything is rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from untemplate.source.vocabulary import Vocabulary

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class SourceKind(StrEnum):
    JINJA = "jinja"
    TOKENIZER_CONFIG = "tokenizer_config"
    FOLDER = "folder"
    GGUF = "gguf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """All that one file or folder says, before a template is chosen."""

    name: str
    kind: SourceKind
    path: str
    looked_for: str
    """Where a template would stand, for the message that there is none."""
    templates: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    special_tokens: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    adds_bos: bool | None = None
    load_vocabulary: Callable[[], Vocabulary] | None = None
    vocabulary_files: tuple[Path, ...] = ()
    hint: str | None = None
    """What to do when there is no template."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateSource:
    """A template's text, where it came from, and what came with it."""

    name: str
    """A short name for files and tables: the file's or the folder's own, without its ending."""
    kind: SourceKind
    path: str
    """As the caller gave it; ``-`` for standard input."""
    templates: Mapping[str, str]
    """All templates found there, by name; a single one is called ``default``."""
    chosen: str
    """The name of the one that is used."""
    special_tokens: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    """Variables of the template, such as ``bos_token``, with their texts."""
    adds_bos: bool | None = None
    """Whether the tokenizer itself puts the BOS token first; ``None``: the source does not say."""
    load_vocabulary: Callable[[], Vocabulary] | None = field(default=None, compare=False, repr=False)
    """Reads the tokens, each time it is called; ``None``: the source has none."""
    vocabulary_files: tuple[Path, ...] = ()
    """All that ``load_vocabulary`` reads; a file need not be there."""
    notes: tuple[str, ...] = ()
    """What was decided on the way and a reader should know."""

    @property
    def text(self) -> str:
        """The chosen template."""
        return self.templates[self.chosen]

    def strip_added_bos(self, prompt: str) -> str:
        """Return the prompt as it is handed to the tokenizer: without a leading BOS, but only if the tokenizer adds one.

        A template whose first token merely equals the BOS token keeps it.
        """
        return prompt.removeprefix(self.special_tokens.get("bos_token", "")) if self.adds_bos else prompt
