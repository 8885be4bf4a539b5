"""Trees of numbers with an exponent, as programs write them: one digit before the point, which is not zero.

``json.dumps`` writes so what is below a ten-thousandth and, of numbers that are no ``int``, what is 10 to the 16th or more.
No power is larger than a double holds, so that what is read back is a number and not infinity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import automaton_tree
from untemplate.lower.charset import of
from untemplate.lower.number_automaton import compared, decimals, integers
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, chars, literal, opt, rep, seq
from untemplate.peg.nodes import Node

HUGE, TINY = 16, 5
"""Powers of ten from which a number is written with an exponent, upwards and downwards."""
_MOST, _LEAST = 307, 324
_LARGEST = "1.7976931348623157e+308"
_PLACES = 16
"""Digits behind the point that a double has in this notation."""
_DIGIT = chars(of("0123456789"))
_FIRST = chars(of("123456789"))
E = chars(of("eE"))


@dataclass(frozen=True, slots=True)
class Span:
    """Magnitudes from ``low`` to ``high`` (``None``: unbounded), without some."""

    low: Fraction
    low_open: bool
    high: Fraction | None
    high_open: bool
    excluded: tuple[Fraction, ...] = ()


def huge_numbers(span: Span, rules: RuleBook, *, start: int = HUGE, places: int | None = None) -> list[Node]:
    """Return the numbers from 10 to the ``start`` on, with up to ``places`` digits behind the point (``None``: any number of them)."""
    most = _MOST if span.high is None else _MOST + 1  # of the last power, a bound leaves no more than a double holds
    ways = [seq(mantissa, E, opt(literal("+")), powers) for mantissa, powers in _by_powers(span, start, most, places, rules)]
    if span.high is None and ways:
        ways.append(literal(_LARGEST))
    return ways


def tiny_numbers(span: Span, rules: RuleBook) -> list[Node]:
    """Return the numbers below 10 to the minus ``TINY`` plus one."""
    found = _by_powers(span, -_LEAST, -TINY, None, rules)
    return [seq(mantissa, E, literal("-"), powers) for mantissa, powers in found]


def any_number() -> Node:
    """Return all numbers without sign that are not too large for a double."""
    whole = alt(literal("0"), seq(_FIRST, rep(_DIGIT, 0, None)))
    fraction = opt(seq(literal("."), rep(_DIGIT, 1, None)))
    short = seq(opt(chars(of("+-"))), rep(_DIGIT, 1, 2))
    up = alt(seq(chars(of("12")), rep(_DIGIT, 2, 2)), seq(literal("30"), chars(of("01234567"))))
    down = seq(chars(of("123")), rep(_DIGIT, 2, 2))
    long = seq(_FIRST, fraction, E, alt(seq(opt(literal("+")), up), seq(literal("-"), down)))
    return alt(seq(whole, fraction, opt(seq(E, short))), long, literal(_LARGEST))


def _by_powers(span: Span, least: int, most: int, places: int | None, rules: RuleBook) -> Iterator[tuple[Node, Node]]:
    """Yield mantissas with the powers of ten, without sign, that they may have."""
    bounds = [bound for bound in (span.low, span.high) if bound]
    special = {power for value in (*bounds, *span.excluded) if value and least <= (power := magnitude(value)) <= most}
    if span.low:
        least = max(least, magnitude(span.low))
    if span.high is not None:
        most = min(most, magnitude(span.high)) if span.high else least - 1
    plain = seq(_FIRST, opt(seq(literal("."), rep(_DIGIT, 1, places)))) if places != 0 else _FIRST
    start = least
    for stop in (*sorted(power for power in special if least <= power <= most), most + 1):
        if start < stop:
            yield plain, _powers(start, stop - 1, rules)
        if stop <= most:
            mantissa = _mantissas(span, stop, places)
            if not mantissa.empty:
                yield automaton_tree(mantissa, rules, "digits", chars), _powers(stop, stop, rules)
        start = stop + 1


def _mantissas(span: Span, power: int, places: int | None) -> Automaton:
    scale = Fraction(10) ** power
    found = automaton.both(decimals(), compared(Fraction(1), {0, 1}))
    found = automaton.both(found, compared(Fraction(10), {-1}))
    if places is not None:
        found = automaton.both(found, automaton.of_length(1, places + 2 if places else 1))
    try:
        if span.low >= scale:
            found = automaton.both(found, compared(span.low / scale, {1} if span.low_open else {0, 1}))
        if span.high is not None and span.high < 10 * scale:
            found = automaton.both(found, compared(span.high / scale, {-1} if span.high_open else {-1, 0}))
        for value in span.excluded:
            if value and magnitude(value) == power:
                found = automaton.without(found, compared(value / scale, {0}))
    except TooLargeError:
        return automaton.NONE
    return found


def magnitude(value: Fraction) -> int:
    """Return the largest power of ten that is not above a positive number."""
    power = len(str(value.numerator)) - len(str(value.denominator))
    return power if value >= Fraction(10) ** power else power - 1


def _powers(low: int, high: int, rules: RuleBook) -> Node:
    """Return the powers from ``low`` to ``high``, which have the same sign, without it; below ten, downwards, ``05`` as well."""
    if low < 0:
        small = alt(*(seq(opt(literal("0")), literal(str(power))) for power in range(-high, min(9, -low) + 1))) if high > -10 else None
        large = automaton_tree(_between(max(10, -high), -low), rules, "power", chars) if low <= -10 else None
        return alt(*(node for node in (small, large) if node is not None))
    return automaton_tree(_between(low, high), rules, "power", chars)


@lru_cache(maxsize=256)
def _between(low: int, high: int) -> Automaton:
    return automaton.both(automaton.both(integers(), compared(Fraction(low), {0, 1})), compared(Fraction(high), {-1, 0}))
