"""What a verification found, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from untemplate.spec.model import Skipped, Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The first thing that a message read has otherwise than the message rendered."""

    what: str
    """``content``, ``reasoning``, ``calls``, ``name``, ``id``, ``arguments``, ``finish_reason``, ``text``, ``chunks`` or ``grammar``."""
    field: str
    """The field of the spec that is likely wrong."""
    want: str
    got: str
    edges_only: bool = False
    """Only white space at the ends differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One turn that was not read back."""

    kind: str
    """Of the message: what it was there to show."""
    mode: str
    """``default``, ``thinking`` or ``no thinking``."""
    difference: Difference
    prompt_tail: str
    """The end of the prompt, up to the turn."""
    text: str
    """The turn."""
    rebuilt: str | None
    """The turn as the spec lays it out, where that is another text: then the spec is wrong, else the reading of it."""

    @property
    def fault(self) -> str:
        """Where the fault is to be sought: ``spec`` or ``parser``."""
        return "parser" if self.rebuilt is None else "spec"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of all turns of one template."""

    name: str
    read_back: int
    skipped: tuple[Skipped, ...]
    """Turns that cannot be read back by anybody, or are not rendered, by reason."""
    mismatches: tuple[Mismatch, ...]
    remarks: tuple[tuple[str, int], ...] = ()
    """Codes of diagnostics on turns that were read back, and how many turns had them."""
    grammar_checked: int = 0
    """Turns that the grammar was held against."""

    @property
    def turns(self) -> int:
        """How many turns were tried: read back or not."""
        return self.read_back + len(self.mismatches)

    @property
    def passed(self) -> bool:
        """Whether every turn that was tried was read back."""
        return not self.mismatches

    def summary(self) -> Verification:
        """Return what the spec records of it."""
        return Verification(turns=self.turns, read_back=self.read_back, skipped=self.skipped)


def count_skipped(reasons: Iterable[str]) -> tuple[Skipped, ...]:
    """Return how many turns each reason took, the most frequent first."""
    counted = sorted(Counter(reasons).items(), key=lambda item: (-item[1], item[0]))
    return tuple(Skipped(turns=turns, because=because) for because, turns in counted)
