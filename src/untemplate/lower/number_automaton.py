"""Automata of decimal numbers without sign and exponent: above, below or equal to a bound, multiples of a step."""

from __future__ import annotations

from collections.abc import Set
from fractions import Fraction
from functools import lru_cache

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError

_DIGITS = "0123456789"
_MOST_REMAINDERS = 1000

Compared = tuple[str, int, int]
"""(part, digits of it that were read, comparison with the bound so far)."""


@lru_cache(maxsize=2)
def decimals(*, fractions: bool = True) -> Automaton:
    """Return the automaton of all decimals; without ``fractions``, of integers, which may end in ``.0``."""

    def step(state: str, character: str) -> str | None:
        match state:
            case "start" if character != ".":
                return "zero" if character == "0" else "int"
            case "zero" | "int" if character == ".":
                return "point"
            case "int":
                return "int"
            case "point" | "fraction" if character != "." and (fractions or character == "0"):
                return "fraction"
            case _:
                return None

    return automaton.explore(_DIGITS + ".", "start", step, lambda state: state in ("zero", "int", "fraction"))


@lru_cache(maxsize=1)
def integers() -> Automaton:
    """Return the automaton of integers written without a point."""
    return automaton.explore(
        _DIGITS,
        "start",
        lambda state, digit: None if state == "zero" else "zero" if state == "start" and digit == "0" else "int",
        lambda state: state != "start",
    )


def compared(bound: Fraction, signs: Set[int]) -> Automaton:
    """Return the automaton of decimals whose comparison with ``bound`` (at least 0) is one of ``signs``: -1, 0, 1.

    Raises:
        TooLargeError: for a bound that is no finite decimal.
    """
    return _compared(bound, frozenset(signs))


@lru_cache(maxsize=256)
def _compared(bound: Fraction, signs: frozenset[int]) -> Automaton:
    whole, part = _digits(bound)

    def step(state: Compared, character: str) -> Compared | None:
        kind, count, sign = state
        if character == ".":
            return ("point", 0, _whole_sign(count, sign)) if kind == "int" and count else ("point", 0, state[2]) if kind == "zero" else None
        if kind in ("int", "zero"):
            if kind == "zero":
                return None
            if count == 0 and character == "0":
                return ("zero", 0, _whole_sign(1, _sign(character, whole[0])))
            if count >= len(whole):
                return ("int", len(whole) + 1, 1)
            return ("int", count + 1, sign or _sign(character, whole[count]))
        expected = part[count] if count < len(part) else "0"
        return ("fraction", min(count + 1, len(part)), sign or _sign(character, expected))

    def _whole_sign(count: int, sign: int) -> int:
        return -1 if count < len(whole) else 1 if count > len(whole) else sign

    def accepts(state: Compared) -> bool:
        kind, count, sign = state
        if kind == "point" or (kind == "int" and count == 0):
            return False
        if kind == "int":
            sign, count = _whole_sign(count, sign), 0
        elif kind == "zero":
            count = 0
        return (sign or (-1 if part[count:].strip("0") else 0)) in signs

    return automaton.explore(_DIGITS + ".", ("int", 0, 0), step, accepts)


@lru_cache(maxsize=64)
def multiples(of: Fraction) -> Automaton:
    """Return the automaton of decimals that are a multiple of ``of``.

    Raises:
        TooLargeError: for steps of more than 1,000 units in their last place.
    """
    whole, part = _digits(of)
    places = len(part)
    modulus = int(whole + part)
    if modulus * (places + 1) > _MOST_REMAINDERS:
        raise TooLargeError

    def step(state: tuple[str, int, int], character: str) -> tuple[str, int, int] | None:
        kind, count, rest = state
        if character == ".":
            return ("point", 0, rest) if kind in ("int", "zero") else None
        digit = int(character)
        match kind:
            case "start":
                return ("zero" if digit == 0 else "int", 0, digit % modulus)
            case "int":
                return ("int", 0, (rest * 10 + digit) % modulus)
            case "point" | "fraction" if count < places:
                return ("fraction", count + 1, (rest * 10 + digit) % modulus)
            case "point" | "fraction" if digit == 0:
                return ("fraction", count, rest)
            case _:
                return None

    def accepts(state: tuple[str, int, int]) -> bool:
        kind, count, rest = state
        return kind not in ("start", "point") and rest * 10 ** (places - count) % modulus == 0

    return automaton.explore(_DIGITS + ".", ("start", 0, 0), step, accepts)


def _sign(digit: str, expected: str) -> int:
    return (digit > expected) - (digit < expected)


def _digits(number: Fraction) -> tuple[str, str]:
    """Return a number's digits before and after the point."""
    whole = int(number)
    rest = number - whole
    places = 0
    while (rest * 10**places).denominator != 1:
        places += 1
        if places > 40:
            raise TooLargeError
    return str(whole), str(int(rest * 10**places)).rjust(places, "0") if places else ""
