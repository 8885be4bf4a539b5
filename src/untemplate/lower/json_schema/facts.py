"""What a set of schemas says together of one value, type by type, as data that a grammar can be made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from untemplate.lower.json_schema.document import Part
from untemplate.lower.json_schema.values import TYPES


@dataclass(frozen=True, slots=True)
class NumberFacts:
    """Numbers from ``low`` to ``high`` (``None``: unbounded)."""

    low: Fraction | None = None
    low_open: bool = False
    """``low`` itself is excluded."""
    high: Fraction | None = None
    high_open: bool = False
    steps: tuple[Fraction, ...] = ()
    """``multipleOf``."""
    missed: tuple[Fraction, ...] = ()
    """Steps of which the number is no multiple."""
    integer: bool = False
    fraction: bool = False
    """Only numbers that are no integers."""
    excluded: tuple[Fraction, ...] = ()

    def above(self, low: Fraction, *, is_open: bool) -> NumberFacts:
        """Return these facts with a lower bound more."""
        if self.low is None or low > self.low or (low == self.low and is_open):
            return replace(self, low=low, low_open=is_open)
        return self

    def below(self, high: Fraction, *, is_open: bool) -> NumberFacts:
        """Return these facts with an upper bound more."""
        if self.high is None or high < self.high or (high == self.high and is_open):
            return replace(self, high=high, high_open=is_open)
        return self

    @property
    def impossible(self) -> bool:
        """No number fits, as far as the bounds tell."""
        if self.integer and self.fraction:
            return True
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))


@dataclass(frozen=True, slots=True)
class StringFacts:
    """Strings by length, in characters, and by what is found in them."""

    minimum: int = 0
    maximum: int | None = None
    wanted: tuple[str, ...] = ()
    """Regular expressions of ``pattern``."""
    unwanted: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Whole strings that do not fit."""

    @property
    def impossible(self) -> bool:
        """No string fits, as far as the lengths tell."""
        return self.maximum is not None and self.maximum < self.minimum


@dataclass(frozen=True, slots=True)
class ArrayFacet:
    """What one schema says of an array's items."""

    prefix: tuple[Part, ...] = ()
    rest: Part | None = None
    """``None``: any items after the prefix."""


@dataclass(frozen=True, slots=True)
class Contains:
    part: Part
    minimum: int = 1
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class ArrayFacts:
    minimum: int = 0
    maximum: int | None = None
    facets: tuple[ArrayFacet, ...] = ()
    contains: tuple[Contains, ...] = ()
    unique: bool = False
    excluded: tuple[Any, ...] = ()
    """Whole arrays that do not fit."""

    @property
    def impossible(self) -> bool:
        """No array fits, as far as the counts tell."""
        return self.maximum is not None and self.maximum < self.minimum


@dataclass(frozen=True, slots=True)
class ObjectFacet:
    """What one schema says of an object's members: a key is its property, fits some patterns, or is additional."""

    properties: Mapping[str, Part] = field(default_factory=dict)
    patterns: tuple[tuple[str, Part], ...] = ()
    additional: Part | None = None
    """``None``: nothing is said."""


@dataclass(frozen=True, slots=True)
class ObjectFacts:
    minimum: int = 0
    maximum: int | None = None
    facets: tuple[ObjectFacet, ...] = ()
    required: tuple[str, ...] = ()
    names: tuple[Part, ...] = ()
    """``propertyNames``."""
    excluded: tuple[Any, ...] = ()
    """Whole objects that do not fit."""

    @property
    def impossible(self) -> bool:
        """No object fits, as far as the counts tell."""
        return self.maximum is not None and self.maximum < max(self.minimum, len(self.required))


@dataclass(frozen=True, slots=True)
class Facts:
    """The types that are left, and what is said of values of each."""

    types: frozenset[str] = TYPES
    number: NumberFacts = NumberFacts()
    string: StringFacts = StringFacts()
    array: ArrayFacts = ArrayFacts()
    object: ObjectFacts = ObjectFacts()
    values: tuple[Any, ...] | None = None
    """All values that are left, where ``enum`` or ``const`` lists them."""

    def with_(self, **changes: Any) -> Facts:
        """Return these facts with some replaced."""
        return replace(self, **changes)

    def only(self, types: Iterable[str]) -> Facts:
        """Return these facts for fewer types."""
        return replace(self, types=self.types & frozenset(types))

    @property
    def possible_types(self) -> frozenset[str]:
        """The types of which a value may fit, as far as bounds tell without looking into members."""
        ruled_out = {name for name in ("number", "string", "array", "object") if getattr(self, name).impossible}
        return self.types - ruled_out


NO_FACTS = Facts()
