"""What the makers of trees share: the rules, the notation, the budget, and where to say what was widened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from untemplate.lower.json_schema.document import Part
from untemplate.lower.json_schema.report import Report
from untemplate.lower.json_schema.syntax import Syntax
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.warnings import Code

MOST_COUNT = 10_000
"""A bound on lengths or counts above this is not expressed."""
MOST_REPEATS = 150_000
"""All repetitions of a grammar together, as an engine unrolls them."""
MOST_STATES = 3000
"""All automata of a grammar together that are written with a rule for each state."""
_EASY = 300


@dataclass
class Budget:
    """How much of what makes grammars large one may still hold."""

    left: int = MOST_REPEATS
    states: int = MOST_STATES
    """How many states of automata may still become rules of their own."""

    def allows_states(self, count: int) -> bool:
        """Take the cost of an automaton that is written with a rule for each state, if there is enough."""
        if count > self.states:
            return False
        self.states -= count
        return True

    def allows(self, count: int) -> bool:
        """Take the cost of one bounded repetition, nested as ``emit`` writes it, if there is enough."""
        cost = count if count <= _EASY else 2 * int(count**0.5)
        if count > MOST_COUNT or cost > self.left:
            return False
        self.left -= cost
        return True


@dataclass
class Context:
    """One place of a schema while its tree is made."""

    rules: RuleBook
    syntax: Syntax
    budget: Budget
    report: Report
    parts: Sequence[Part] = ()
    """The schemas that hold here."""
    said: list[tuple[str, str, str]] = field(default_factory=list)

    def say(self, keyword: str, message: str, code: str = Code.WIDENED) -> None:
        """Note that a keyword is widened here."""
        self.said.append((keyword, message, code))
        self.report.about(self.parts, keyword, message, code)

    def named(self, *keywords: str) -> str:
        """Return the first of some keywords that a schema here has; the first of all where none has any."""
        present = {keyword for part in self.parts if isinstance(part.schema, Mapping) for keyword in part.schema}
        return next((keyword for keyword in keywords if keyword in present), keywords[0])

    def bounds(self, minimum: int, maximum: int | None, least: str, most: str) -> tuple[int, int | None]:
        """Return bounds that the budget allows; a wider one is noted with its keyword."""
        if maximum is not None and not self.budget.allows(maximum):
            self.say(most, f"{maximum} is past the budget for bounded repetition; there is no upper bound", Code.BUDGET)
            maximum = None
        if maximum is None and minimum > 1 and not self.budget.allows(minimum):
            self.say(least, f"{minimum} is past the budget for bounded repetition; the lower bound is 1", Code.BUDGET)
            minimum = 1
        return minimum, maximum
