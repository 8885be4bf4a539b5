"""What is known of a template before anything is rendered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class SourceKind(StrEnum):
    JINJA = "jinja"
    TOKENIZER_CONFIG = "tokenizer_config"
    FOLDER = "folder"
    GGUF = "gguf"


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
    """Variables of the template, such as ``bos_token``."""
    adds_bos: bool | None = None
    """Whether the tokenizer itself puts the BOS token first; ``None``: the source does not say."""
    notes: tuple[str, ...] = ()
    """What was decided on the way and a reader should know."""

    @property
    def text(self) -> str:
        """The chosen template."""
        return self.templates[self.chosen]
