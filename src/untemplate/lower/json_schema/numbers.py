"""Trees of numbers: plain, bounded, stepped."""

from __future__ import annotations

from fractions import Fraction

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import automaton_rules, automaton_tree
from untemplate.lower.charset import of
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.facts import NumberFacts
from untemplate.lower.number_automaton import compared, decimals, integers, multiples
from untemplate.lower.shapes import alt, chars, literal, opt, rep, seq
from untemplate.lower.warnings import Code
from untemplate.peg.nodes import Node

_DIGIT = chars(of("0123456789"))
_FIRST = chars(of("123456789"))
_E = chars(of("eE"))
_TINY = Fraction(1, 10_000)
"""``json.dumps`` writes smaller numbers with an exponent."""
_HUGE = Fraction(10**16)
"""``json.dumps`` writes larger numbers that are no ``int`` with an exponent."""


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
        return _any_integer(points) if facts.integer else _any_number()
    found = (integers() if not points else decimals(fractions=False)) if facts.integer else decimals()
    found = _bounded(found, lowest, low_open, highest, high_open, context, negative=negative)
    found = _stepped(found, facts, context)
    for value in facts.excluded:
        if value == 0 or (value < 0) == negative:
            found = automaton.without(found, compared(abs(value), {0}))
    if facts.fraction:
        found = automaton.without(found, decimals(fractions=False))
    ways = [] if found.empty else [_digits(found, context)]
    if not facts.steps and (points or not facts.integer):
        ways += _exponents(lowest, highest, facts, context, negative=negative)
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
            context.say("not", f"multiples of {float(step):g} are not excluded", Code.BUDGET)
    return found


def _any_integer(points: bool) -> Node:
    digits = alt(literal("0"), seq(_FIRST, rep(_DIGIT, 0, None)))
    if not points:
        return digits
    huge = seq(_FIRST, opt(seq(literal("."), rep(_DIGIT, 1, 16))), _E, opt(literal("+")), _huge_powers())
    return alt(seq(digits, opt(seq(literal("."), rep(literal("0"), 1, None)))), huge)


def _huge_powers() -> Node:
    """Return the exponents from 16 on: with up to 16 digits behind the point, such a number is an integer."""
    return alt(seq(literal("1"), chars(of("6789"))), seq(chars(of("23456789")), _DIGIT), seq(_FIRST, rep(_DIGIT, 2, None)))


def _any_number() -> Node:
    fraction = opt(seq(literal("."), rep(_DIGIT, 1, None)))
    exponent = opt(seq(_E, opt(chars(of("+-"))), rep(_DIGIT, 1, None)))
    return seq(alt(literal("0"), seq(_FIRST, rep(_DIGIT, 0, None))), fraction, exponent)


def _exponents(low: Fraction, high: Fraction | None, facts: NumberFacts, context: Context, *, negative: bool) -> list[Node]:
    """Return the numbers with an exponent between two magnitudes, as far as ``json.dumps`` would write them so."""
    mantissa = seq(_FIRST, opt(seq(literal("."), rep(_DIGIT, 1, 16 if facts.integer else None))), _E)
    ways: list[Node] = []
    names = ("maximum", "minimum") if negative else ("minimum", "maximum")
    if not facts.integer and low < _TINY and (high is None or high > 0):
        if low > 0:
            context.say(names[0], "numbers below 0.0001 with an exponent are not compared with the bound")
        elif high is not None and high < _TINY:
            context.say(names[1], "numbers below 0.0001 with an exponent are not compared with the bound")
        any_small = high is None or high >= 1
        powers = seq(_FIRST, rep(_DIGIT, 0, None)) if any_small else alt(chars(of("56789")), seq(_FIRST, rep(_DIGIT, 1, None)))
        ways.append(seq(mantissa, literal("-"), rep(literal("0"), 0, None), powers))
    if high is None or high >= _HUGE:
        if high is not None or low > _HUGE:
            context.say(
                names[1 if high is not None else 0], "numbers above 10 to the 16th with an exponent are not compared with the bound"
            )
        if facts.fraction:
            return ways
        powers = seq(_FIRST, rep(_DIGIT, 0, None))
        if low > 1 or high is not None or facts.integer:
            powers = _huge_powers()
        ways.append(seq(mantissa, opt(literal("+")), powers))
    return ways
