"""Findings and verdicts, as data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """What a difference means for whoever parses the model's text. In rising order."""

    COSMETIC = "cosmetic"
    """The prompt only: no turn of a model is written or read otherwise."""
    COMPATIBLE = "compatible"
    """Turns may be written otherwise, and the old parser and grammar still take them."""
    BREAKING = "breaking"
    """The old parser misreads a new turn, or the old grammar forbids one."""

    @property
    def rank(self) -> int:
        """Where it stands, from 1; 0 is no difference at all."""
        return list(Severity).index(self) + 1


class Origin(StrEnum):
    """Where the text of a turn is from."""

    RENDERED = "rendered"
    """The template renders it."""
    COMPOSED = "composed"
    """The spec lays it out: there is no template, it leaves this turn out of the history, or there is one only in part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The shortest turn found on which old and new part."""

    turn: str
    """As the new template writes it."""
    origin: Origin
    expected: str
    """What was meant, as JSON of the message."""
    got: str | None
    """What the old parser reads, as JSON of the message; ``None``: the message that was meant, but the old grammar forbids the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One place of the spec (or of the prompt) that differs."""

    kind: str
    """A stable word: ``marker``, ``layout``, ``separator``, ``call``, ``arguments``, ``order``, ``prompt``, ``end_of_turn``, …"""
    path: str
    old: Any
    """Plain data; ``None`` where there was nothing."""
    new: Any
    severity: Severity
    explanation: str
    proof: Proof | None = None
    evidence: tuple[str, ...] = ()
    """The probes of the new template that show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """All that differs between two compiled templates."""

    old: str
    """Name of the old one."""
    new: str
    findings: tuple[Finding, ...] = ()
    """The worst first, then in the order of the spec."""

    @property
    def verdict(self) -> Severity | None:
        """The worst of the findings; ``None``: the same for every purpose of a parser and in what is prompted."""
        return max((finding.severity for finding in self.findings), key=lambda severity: severity.rank, default=None)
