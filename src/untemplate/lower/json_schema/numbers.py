"""Trees of numbers: plain, bounded, stepped."""

from __future__ import annotations

from fractions import Fraction

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import automaton_rules, automaton_tree
from untemplate.lower.charset import of
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.exponents import HUGE, Span, any_number, huge_numbers, tiny_numbers
from untemplate.lower.json_schema.facts import NumberFacts
from untemplate.lower.number_automaton import compared, decimals, integers, multiples
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, chars, literal, opt, rep, seq
from untemplate.lower.warnings import Code
from untemplate.peg.nodes import Node

_DIGIT = chars(of("0123456789"))
_FIRST = chars(of("123456789"))
_TINY = Fraction(1, 10_000)
"""``json.dumps`` writes smaller numbers with an exponent."""
_PLACES = 16


def number_node(facts: NumberFacts, context: Context, *, whole_points: bool) -> Node | None:
    """Return the numbers that fit; ``None`` when none does. ``whole_points``: an integer may end in ``.0``."""
    if facts.impossible:
        return None
    low = (facts.low, facts.low_open)
    high = (facts.high, facts.high_open)
    up = _magnitudes(facts, low, high, context, negative=False, points=whole_points) if facts.high is None or facts.high >= 0 else None
    mirrored = (None if facts.high is None else -facts.high, facts.high_open)
    limit = (None if facts.low is None else -facts.low, facts.low_open)
    down = _magnitudes(facts, mirrored, limit, context, negative=True, points=whole_points) if facts.low is None or facts.low < 0 else None
    if up is not None and up == down:
        node: Node | None = seq(opt(literal("-")), up)
    else:
        ways = ([seq(literal("-"), down)] if down is not None else []) + ([up] if up is not None else [])
        node = alt(*ways) if ways else None
    return context.rules.define("integer" if facts.integer else "number", node) if node is not None else None


def _magnitudes(
    facts: NumberFacts,
    low: tuple[Fraction | None, bool],
    high: tuple[Fraction | None, bool],
    context: Context,
    *,
    negative: bool,
    points: bool,
) -> Node | None:
    """Return the numbers without sign from ``low`` to ``high``, which are magnitudes here."""
    lowest, low_open = low
    if lowest is None or lowest < 0:
        lowest, low_open = Fraction(0), False
    highest, high_open = high
    plain = not facts.steps and not facts.missed and not facts.excluded
    if plain and lowest == 0 and highest is None and not low_open and not facts.fraction:
        return _any_integer(points, context.rules) if facts.integer else any_number()
    found = (integers() if not points else decimals(fractions=False)) if facts.integer else decimals()
    found = _bounded(found, lowest, low_open, highest, high_open, context, negative=negative)
    found = _stepped(found, facts, context)
    try:
        for value in facts.excluded:
            if value == 0 or (value < 0) == negative:
                found = automaton.without(found, compared(abs(value), {0}))
    except TooLargeError:
        context.say(context.named("const", "enum"), "a number with too many digits is not excluded", Code.BUDGET)
    if facts.fraction:
        found = automaton.without(found, decimals(fractions=False) if points else integers())
    ways = [] if found.empty else [_digits(found, context)]
    if points or not facts.integer:
        excluded = tuple(abs(value) for value in facts.excluded if (value < 0) == negative)
        ways += _exponents(Span(lowest, low_open, highest, high_open, excluded), facts, context, points=points)
    return alt(*ways) if ways else None


def _digits(found: Automaton, context: Context) -> Node:
    try:
        return automaton_tree(found, context.rules, "digits", chars)
    except TooLargeError:
        return automaton_rules(found, context.rules, "digits", chars)


def _bounded(
    found: Automaton, low: Fraction, low_open: bool, high: Fraction | None, high_open: bool, context: Context, *, negative: bool
) -> Automaton:
    names = ("maximum", "minimum") if negative else ("minimum", "maximum")
    try:
        if low > 0 or low_open:
            found = automaton.both(found, compared(low, {1} if low_open else {0, 1}))
    except TooLargeError:
        context.say(names[0], "the bound has too many digits", Code.BUDGET)
    try:
        if high is not None:
            found = automaton.both(found, compared(high, {-1} if high_open else {-1, 0}))
    except TooLargeError:
        context.say(names[1], "the bound has too many digits", Code.BUDGET)
    return found


def _stepped(found: Automaton, facts: NumberFacts, context: Context) -> Automaton:
    for step in facts.steps:
        try:
            found = automaton.both(found, multiples(step))
        except TooLargeError:
            context.say("multipleOf", f"multiples of {float(step):g} are not expressed", Code.BUDGET)
    for step in facts.missed:
        try:
            found = automaton.without(found, multiples(step))
        except TooLargeError:
            context.say("multipleOf", f"multiples of {float(step):g} are not excluded", Code.BUDGET)
    return found


def _any_integer(points: bool, rules: RuleBook) -> Node:
    digits = alt(literal("0"), seq(_FIRST, rep(_DIGIT, 0, None)))
    if not points:
        return digits
    huge = huge_numbers(Span(Fraction(0), False, None, False), rules, places=_PLACES)
    return alt(seq(digits, opt(seq(literal("."), rep(literal("0"), 1, None)))), *huge)


def _exponents(span: Span, facts: NumberFacts, context: Context, *, points: bool) -> list[Node]:
    """Return the numbers with an exponent in a span, as far as ``json.dumps`` would write them so.

    Where nothing more is said than a lower bound, smaller ones as well. Without ``points`` none of them counts as an integer.
    """
    ways: list[Node] = []
    if not facts.integer and span.low < _TINY and (span.high is None or span.high > 0) and _may_be_tiny(facts, context):
        ways += tiny_numbers(span, context.rules)
    if (facts.fraction and points) or (span.high is not None and span.high < 10**HUGE):
        return ways
    stepped = facts.steps or facts.missed
    if not stepped:
        free = not facts.integer and span.low <= 1 and span.high is None and not span.excluded
        places = _PLACES if facts.integer else None
        return ways + huge_numbers(span, context.rules, start=0 if free else HUGE, places=places)
    steps = [_power_of(step) for step in facts.steps]
    if facts.missed or None in steps:  # nearly all of them are multiples, or no double tells whether they are
        return ways
    places = max(step for step in steps if step is not None)
    few = Span(span.low, span.low_open, min(span.high or Fraction(10) ** (HUGE + places), Fraction(10) ** (HUGE + places)), True)
    if 0 < places < _PLACES:
        ways += huge_numbers(few, context.rules, places=_PLACES - places)
    return ways + huge_numbers(span, context.rules, start=HUGE + places, places=_PLACES)


def _may_be_tiny(facts: NumberFacts, context: Context) -> bool:
    """Tell whether numbers below a ten-thousandth may be multiples of all steps; where they are not told apart, it is noted."""
    if any(step >= _TINY for step in facts.steps):
        return False
    if facts.steps or any(step < _TINY for step in facts.missed):
        context.say("multipleOf", "numbers below 0.0001 with an exponent are not compared with it")
    return True


def _power_of(step: Fraction) -> int | None:
    """Return the smallest power of ten, from 0 on, that is a multiple of a step; ``None`` when none up to ``_PLACES`` is."""
    return next((power for power in range(_PLACES + 1) if (Fraction(10) ** power / step).denominator == 1), None)
