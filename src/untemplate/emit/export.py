"""What exporting gives: the text of a file, and what of the spec did not fit into it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from untemplate.lower.warnings import Code, GrammarWarning


class Fit(StrEnum):
    """How much of a spec a target can say."""

    EXACT = "exact"
    LOSSY = "lossy"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something of a spec that the target reads otherwise, or not at all."""

    field: str
    """Of the message: ``content``, ``reasoning``, ``calls``, ``calls.name``, ``calls.id``, ``calls.arguments.object`` …"""
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A spec in the form that some runtime loads."""

    text: str
    """The file."""
    losses: tuple[Loss, ...] = ()
    notes: tuple[str, ...] = ()
    """What the user should know, but does not change what is read."""

    @property
    def fit(self) -> Fit:
        """Whether anything is lost."""
        return Fit.LOSSY if self.losses else Fit.EXACT


def grammar_losses(warnings: Iterable[GrammarWarning]) -> tuple[Loss, ...]:
    """Return what a grammar allows although it should not, as losses; that it wakes up at a common text is none."""
    return tuple(
        Loss(field=f"grammar.{warning.tool or ''}{warning.path}".rstrip("."), message=f"{warning.code} {warning.message}")
        for warning in warnings
        if warning.code != Code.WEAK_TRIGGER
    )
