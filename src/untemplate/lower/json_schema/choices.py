"""Settles open choices: drops alternatives that cannot hold, makes ``oneOf`` exclusive, keeps the number of branches small."""

from __future__ import annotations

from collections.abc import Mapping

from untemplate.lower.json_schema.document import Part
from untemplate.lower.json_schema.facts import ObjectFacts
from untemplate.lower.json_schema.fold import gather
from untemplate.lower.json_schema.gather import Branch, Options
from untemplate.lower.json_schema.judge import may_fit
from untemplate.lower.json_schema.report import Report
from untemplate.lower.warnings import Code

_REASONS = (
    "enum",
    "const",
    "not",
    "allOf",
    "anyOf",
    "oneOf",
    "required",
    "pattern",
    "format",
    "minimum",
    "minLength",
    "minItems",
    "minProperties",
)
MOST_BRANCHES = 128
"""Combinations of the choices of one place; further choices are left out."""
_MOST_EXCLUSIVE = 40
_EASY = frozenset({"type", "description", "title", "default", "items", "format", "examples", "pattern", "additionalProperties"})
"""Keywords that some value fits, whatever they say, if they are all."""
_MOST_OPPOSITES = 6

Alternatives = list[tuple[Part, ...]]


def possible(branch: Branch, depth: int = 3) -> bool:
    """Return ``False`` only when no value can fit, as far as types, lists of values and required members tell."""
    if branch.dead or not branch.facts.possible_types:
        return False
    facts = branch.facts
    if facts.values is not None:
        return any(may_fit(branch.document, value, branch.parts) for value in facts.values)
    if facts.possible_types == {"object"} and depth > 0:
        return all(_member_possible(branch, facts.object, key, depth) for key in facts.object.required)
    return True


def _member_possible(branch: Branch, facts: ObjectFacts, key: str, depth: int) -> bool:
    parts = _said_of(facts, key)
    if len(parts) == 1 and _is_easy(parts[0]):
        return True
    return possible(gather(branch.document, Report(), parts), depth - 1) if parts else True


def _is_easy(part: Part) -> bool:
    return not part.negated and isinstance(part.schema, Mapping) and _EASY.issuperset(part.schema)


def _said_of(facts: ObjectFacts, key: str) -> list[Part]:
    """Return what is said of the value at ``key``, patterns aside."""
    parts: list[Part] = []
    for facet in facts.facets:
        if key in facet.properties:
            parts.append(facet.properties[key])
        elif facet.additional is not None and not facet.patterns:
            parts.append(facet.additional)
    return parts


def unfit(branch: Branch, depth: int = 3) -> tuple[Part, str] | None:
    """Return where it is that no value fits, and the keyword that most likely leaves none; ``None`` where nothing is said."""
    facts = branch.facts
    if not branch.dead and facts.possible_types == {"object"} and depth > 0:
        for key in facts.object.required:
            inner = gather(branch.document, Report(), _said_of(facts.object, key))
            if not possible(inner):
                return unfit(inner, depth - 1)
    present = {keyword for part in branch.parts if isinstance(part.schema, Mapping) for keyword in part.schema}
    keyword = next((keyword for keyword in _REASONS if keyword in present), "type")
    return (branch.parts[0], keyword) if branch.parts else None


class Chooser:
    """Decides which choice of a branch to settle next."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._exclusive: dict[tuple[str, str, frozenset[tuple[str, bool]]], Alternatives] = {}

    def next(self, branch: Branch) -> tuple[Branch, Options | None, Alternatives]:
        """Return a branch with forced choices settled, and a choice that remains open with its possible alternatives."""
        while not branch.dead and branch.options:
            open_choices: list[tuple[Options, Alternatives]] = []
            settled = False
            for options in branch.options:
                viable = self._viable(branch, options)
                if len(viable) <= 1:
                    branch = branch.extended(viable[0] if viable else (), without=options)
                    branch.dead = branch.dead or not viable
                    settled = True
                    break
                open_choices.append((options, viable))
            if settled:
                continue
            kept = self._within_budget(open_choices)
            if len(kept) < len(open_choices):
                branch.options = [options for options, _ in kept]
            if kept:
                options, viable = min(kept, key=lambda choice: len(choice[1]))
                return branch, options, viable
            break
        return branch, None, []

    def _viable(self, branch: Branch, options: Options) -> Alternatives:
        alternatives = self._made_exclusive(branch, options) if options.exclusive else list(options.alternatives)
        return [one for one in alternatives if possible(branch.extended(one, without=options, report=Report()))]

    def _within_budget(self, choices: list[tuple[Options, Alternatives]]) -> list[tuple[Options, Alternatives]]:
        product = 1
        kept: list[tuple[Options, Alternatives]] = []
        for options, viable in choices:
            if product * len(viable) > MOST_BRANCHES and kept:
                message = "too many combinations with the other choices at this place; it is left out"
                self.report.about([options.part], options.keyword, message, Code.BUDGET)
                continue
            product *= len(viable)
            kept.append((options, viable))
        return kept

    def _made_exclusive(self, branch: Branch, options: Options) -> Alternatives:
        """Return the alternatives of ``oneOf``, each without what fits another as well, where that can be said."""
        key = (options.part.key, options.keyword, frozenset(branch.seen))
        if key not in self._exclusive:
            self._exclusive[key] = self._exclude(branch, options)
        return self._exclusive[key]

    def _exclude(self, branch: Branch, options: Options) -> Alternatives:
        alternatives = list(options.alternatives)
        if len(alternatives) > _MOST_EXCLUSIVE:
            self._not_exclusive(options)
            return alternatives
        found: Alternatives = []
        exact = True
        for index, one in enumerate(alternatives):
            others = [other for number, other in enumerate(alternatives) if number != index and self._overlap(branch, options, one, other)]
            opposites = tuple(part.opposite for other in others for part in other)
            if opposites and not self._can_exclude(branch, options, one, opposites):
                exact = False
                opposites = ()
            found.append((*one, *opposites))
        if not exact:
            self._not_exclusive(options)
        return found

    def _overlap(self, branch: Branch, options: Options, one: tuple[Part, ...], other: tuple[Part, ...]) -> bool:
        """Tell whether a value may fit both, the choice itself left aside: it would rule such a value out."""
        both = branch.extended((*one, *other), without=options, report=Report())
        both.parts = both.parts[len(branch.parts) :]
        return possible(both)

    def _can_exclude(self, branch: Branch, options: Options, one: tuple[Part, ...], opposites: tuple[Part, ...]) -> bool:
        scratch = Report()
        before = branch.extended(one, without=options, report=scratch)
        known = len(scratch.warnings)
        after = before.extended(opposites, report=scratch)
        if len(scratch.warnings) > known:
            return False
        product = 1
        for choice in after.options:
            if choice not in before.options:
                product *= sum(possible(after.extended(way, without=choice, report=Report())) for way in choice.alternatives)
        return product <= _MOST_OPPOSITES

    def _not_exclusive(self, options: Options) -> None:
        message = "its alternatives are not told apart; a value may fit several of them"
        self.report.about([options.part], options.keyword, message, Code.NOT_EXCLUSIVE)
