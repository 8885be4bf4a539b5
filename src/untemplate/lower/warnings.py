"""What a grammar cannot say, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GrammarWarning:
    """One thing that a grammar allows although it should not, or that a runtime should know of."""

    code: str
    """Stable: ``W4xx``; see ``Code``."""
    message: str
    tool: str | None = None
    """The tool whose parameters are meant; ``None`` for a schema on its own or for the turn."""
    path: str = ""
    """JSON pointer of the schema object, from the root of the tool's parameters or of the schema; ``""`` is the root."""
    keyword: str | None = None
    """The keyword of JSON Schema that was widened."""

    def __str__(self) -> str:
        where = f"{self.tool or ''}{self.path}" or "/"
        return f"{self.code} {where} {self.keyword}: {self.message}" if self.keyword else f"{self.code} {where}: {self.message}"


class Code:
    """The codes of grammar warnings."""

    WIDENED = "W401"
    """A keyword is not, or not wholly, expressed."""
    BUDGET = "W402"
    """A keyword could be expressed, but the grammar would grow too large."""
    UNKNOWN = "W403"
    """A value of a keyword that nothing is known about (a format of somebody's own)."""
    NOT_EXCLUSIVE = "W404"
    """``oneOf`` taken as ``anyOf``."""
    ORDER = "W410"
    """More required parameters than can be held to "each once, in any order"."""
    WEAK_TRIGGER = "W420"
    """A lazy grammar wakes up at a text that is common in prose."""
    NO_TRIGGER = "W421"
    """A lazy grammar has nothing to wake up at."""
    RAW_VALUE = "W430"
    """A raw value that a schema cannot constrain."""
    ARGUMENTS = "W431"
    """Arguments that a schema cannot constrain."""
