"""Folds schemas that hold together into facts, and keeps the choices (``anyOf``, ``if``, ``not`` …) that remain open."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from untemplate.lower.json_schema.document import Document, Part, child, derived
from untemplate.lower.json_schema.facts import NO_FACTS, Facts
from untemplate.lower.json_schema.report import Report
from untemplate.lower.json_schema.values import distinct, identity

_MOST_PARTS = 400


@dataclass(frozen=True, slots=True)
class Options:
    """A choice that is still open: the value fits all parts of one of the alternatives."""

    alternatives: tuple[tuple[Part, ...], ...]
    keyword: str
    part: Part
    """Whose keyword it is."""
    exclusive: bool = False
    """``oneOf``: of exactly one."""


class Branch:
    """Schemas that a value fits all of, folded. Grows only; ``extended`` makes another."""

    def __init__(self, document: Document, report: Report, fold: Callable[[Branch, Part], None]) -> None:
        self.document = document
        self.report = report
        self._fold = fold
        self.facts: Facts = NO_FACTS
        self.parts: list[Part] = []
        self.options: list[Options] = []
        self.dead = False
        self.seen: set[tuple[str, bool]] = set()

    def extended(self, parts: Iterable[Part], *, without: Options | None = None, report: Report | None = None) -> Branch:
        """Return these schemas and ``parts``, with one choice settled."""
        other = Branch(self.document, report or self.report, self._fold)
        other.facts = self.facts
        other.parts = list(self.parts)
        other.options = [options for options in self.options if options is not without]
        other.dead = self.dead
        other.seen = set(self.seen)
        other.add(*parts)
        return other

    def add(self, *parts: Part) -> None:
        """Fold schemas in, with all that they refer to."""
        for part in parts:
            if self.dead or (part.key, part.negated) in self.seen:
                continue
            self.seen.add((part.key, part.negated))
            if len(self.seen) > _MOST_PARTS:
                raise self.document.error(part, "allOf", "too many schemas hold at one place", code="E413")
            self._fold(self, part)

    def choose(self, alternatives: Iterable[tuple[Part, ...]], keyword: str, part: Part, *, exclusive: bool = False) -> None:
        """Add a choice; one without a way out is no choice."""
        listed = tuple(alternatives)
        if not listed:
            self.dead = True
        elif len(listed) == 1:
            self.add(*listed[0])
        elif () not in listed or exclusive:
            self.options.append(Options(listed, keyword, part, exclusive))

    def restrict(self, **changes: Any) -> None:
        """Replace facts; nothing is left when no type is."""
        self.facts = self.facts.with_(**changes)
        self.dead = self.dead or not self.facts.types

    def restrict_values(self, values: Iterable[Any]) -> None:
        """Keep only these values, as far as earlier lists had them."""
        kept = distinct(values)
        if self.facts.values is not None:
            known = {identity(value) for value in self.facts.values}
            kept = [value for value in kept if identity(value) in known]
        self.facts = self.facts.with_(values=tuple(kept))
        self.dead = self.dead or not kept

    def malformed(self, part: Part, keyword: str) -> None:
        """Note that a keyword's value is not what the keyword takes; the keyword is ignored."""
        self.report.add(
            part.pointer, keyword, f"its value {part.schema.get(keyword)!r:.60} is not one that it takes; the keyword is ignored"
        )

    def made(self, part: Part, schema: Any, tag: str) -> Part:
        """Return a schema made up from a keyword of ``part``."""
        return derived(part, schema, tag)

    def under(self, part: Part, keyword: str, step: str | int | None = None) -> Part:
        """Return the subschema at a keyword of ``part`` (at a step of its value)."""
        value = part.schema[keyword]
        return child(part, value, keyword) if step is None else child(part, value[step], keyword, step)
