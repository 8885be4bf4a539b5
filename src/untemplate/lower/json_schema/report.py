"""Collects what a grammar cannot say."""

from __future__ import annotations

from collections.abc import Iterable

from untemplate.lower.json_schema.document import Part
from untemplate.lower.warnings import Code, GrammarWarning


class Report:
    """Warnings in order, without doubles."""

    def __init__(self, tool: str | None = None) -> None:
        self.tool = tool
        self._found: dict[GrammarWarning, None] = {}

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._found)

    @property
    def warnings(self) -> tuple[GrammarWarning, ...]:
        """All of them."""
        return tuple(self._found)

    def add(self, pointer: str, keyword: str, message: str, code: str = Code.WIDENED) -> None:
        """Note that a keyword at a pointer was widened."""
        self._found.setdefault(GrammarWarning(code=code, message=message, tool=self.tool, path=pointer, keyword=keyword))

    def about(self, parts: Iterable[Part], keyword: str, message: str, code: str = Code.WIDENED) -> None:
        """Note that a keyword was widened, at each of ``parts`` that has it (at the first, where none has)."""
        listed = list(parts)
        having = [part for part in listed if isinstance(part.schema, dict) and keyword in part.schema]
        for part in having or listed[:1]:
            self.add(part.pointer, part.made or keyword, message, code)
        if not listed:
            self.add("", keyword, message, code)
