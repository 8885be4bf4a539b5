"""One source to compile and what comes of it, as plain data, so that any process can do it and any file can hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

EVIDENCE = "evidence.yaml"
GRAMMAR = "grammar.gbnf"
DELTAS = "deltas.jsonl"


class Extent(StrEnum):
    """How many of the files are made."""

    SPEC = "spec"
    """The spec alone."""
    WHOLE = "whole"
    """Spec, evidence and grammar."""
    GOLDEN = "golden"
    """Also the deltas of sample turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileJob:
    """One source and what is wanted of it."""

    source: str
    name: str | None = None
    template: str | None = None
    vocabulary: str | None = None
    overlays: tuple[str, ...] = ()
    """Files of quirks."""
    tools: Sequence[dict[str, Any]] | None = None
    """Of the grammar; ``None``: the examples."""
    form: str = "yaml"
    """``yaml`` or ``json``: how the spec is written."""
    extent: Extent = Extent.WHOLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """What came of one source."""

    source: str
    name: str
    main: str
    """The name of the spec's file."""
    files: Mapping[str, str]
    """Texts by file name."""
    notes: tuple[str, ...]
    """What was decided while loading."""
    warnings: tuple[str, ...]
    blocks: str
    """Of the turn, in words."""
    calls: str
    """How calls are written, in a word."""
    turns: int
    read_back: int

    @property
    def verdict(self) -> str:
        """How much of what the template writes the parser reads."""
        return f"{self.read_back} of {self.turns} turns read back"


def safe_name(name: str) -> str:
    """Return a name that is one folder on any system."""
    return re.sub(r"[^\w.+-]+", "-", name).strip(".-") or "template"
