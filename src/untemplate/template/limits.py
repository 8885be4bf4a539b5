"""Limits of a rendering, and the budget that is spent while a template runs.

A template is somebody else's code. Nothing here stops a thread from outside: every operation that can cost much asks
the budget first, so that limits hold in any thread and give the same error each time.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

from untemplate.errors import TemplateError

_TICKS_A_CLOCK = 128
"""Steps between two looks at the clock."""

_PERCENT = re.compile(r"%[^a-zA-Z%]*")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one rendering may use. The defaults leave a hundredfold of what the analysis of a public template needs."""

    seconds: float = 5.0
    """Time of the thread that renders: other work on a busy machine does not count."""
    steps: int = 5_000_000
    """Iterations, calls, operators and filters taken together."""
    output: int = 4_000_000
    """Characters of the result."""
    value: int = 4_000_000
    """Characters (or items) of any one value."""
    total: int = 64_000_000
    """Characters (or items) of all values made, freed ones included."""
    source: int = 500_000
    """Characters of the template's own text."""


class Shared:
    """A value that no template can change, with what renderings would compute of it again and again."""

    __slots__ = ("sizes", "texts", "value")

    def __init__(self, value: Any = None) -> None:
        self.value = value
        self.sizes: dict[int, int] = {}
        """What each list and dict in it weighs, by identity."""
        self.texts: dict[tuple[Any, ...], str] = {}
        """Their JSON, by identity and format."""
        self._weigh(value)

    def _weigh(self, value: Any) -> int:
        match value:
            case str():
                return len(value) + 1
            case dict():
                size = 2 * len(value) + 1 + sum(map(self._weigh, value)) + sum(map(self._weigh, value.values()))
            case list():
                size = len(value) + 1 + sum(map(self._weigh, value))
            case tuple():
                return len(value) + 1 + sum(map(self._weigh, value))
            case _:
                return 1
        self.sizes[id(value)] = size
        return size


class Budget:
    """What is left of the limits. One for each environment, refilled by ``start``."""

    __slots__ = ("_calm", "_deadline", "_look", "limits", "shared", "spent", "ticks")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._calm = min(limits.value, limits.total)
        """As long as all values together are no larger, none is too large."""
        self.shared = Shared()
        """What renderings are given as it is, and no template can change."""
        self.start()

    def start(self) -> None:
        """Refill for another rendering."""
        self.ticks = 0
        self.spent = 0
        self._look = _TICKS_A_CLOCK
        self._deadline = time.thread_time() + self.limits.seconds

    def tick(self, steps: int = 1) -> None:
        """Count steps, and look at the clock now and then.

        Raises:
            TemplateError: E204 when time or steps are used up.
        """
        self.ticks += steps
        if self.ticks >= self._look:
            self._check_clock()

    def _check_clock(self) -> None:
        self._look = self.ticks + _TICKS_A_CLOCK
        if self.ticks > self.limits.steps:
            raise TemplateError(
                f"the template runs too long: more than {self.limits.steps:,} steps",
                code="E204",
                hint="Look for a loop that does not end, or raise the limit (Limits.steps).",
            )
        if time.thread_time() > self._deadline:
            raise TemplateError(
                f"the template runs too long: more than {self.limits.seconds:g} seconds",
                code="E204",
                hint="Look for a loop that does not end, or raise the limit (Limits.seconds).",
            )

    def need(self, size: int) -> None:
        """Check that a value of this size may be made at all.

        Raises:
            TemplateError: E206 when it is too large.
        """
        if size > self.limits.value:
            raise TemplateError(
                f"the template builds too large a value: {size:,} characters or items",
                code="E206",
                hint=f"No value may hold more than {self.limits.value:,}; if this one is meant, raise the limit (Limits.value).",
            )

    def charge(self, size: int) -> None:
        """Count a value of this size as made, one step included.

        Raises:
            TemplateError: E206 when it is too large or all values together are; E204 when time is used up.
        """
        self.spent += size
        self.ticks += 1 + (size >> 10)
        if self.ticks >= self._look or self.spent > self._calm:
            self._settle(size)

    def _settle(self, size: int) -> None:
        self.need(size)
        if self.spent > self.limits.total:
            raise TemplateError(
                f"the template builds too much: values of more than {self.limits.total:,} characters in all",
                code="E206",
                hint="Look for a string that grows in a loop, or raise the limit (Limits.total).",
            )
        if self.ticks >= self._look:
            self._check_clock()

    def check_output(self, size: int) -> None:
        """Check the length of the text written so far.

        Raises:
            TemplateError: E205 when it is too long.
        """
        if size > self.limits.output:
            raise TemplateError(
                f"the template writes too much: more than {self.limits.output:,} characters",
                code="E205",
                hint="Look for a loop that does not end, or raise the limit (Limits.output).",
            )

    def weigh(self, value: Any) -> int:
        """Return the size of ``value`` written out: what is shared inside it counts each time it is met.

        Lists that hold one list twice, sixty levels deep, are small until they are printed or compared.

        Raises:
            TemplateError: E206 when it is too large.
        """
        limit = self.limits.value
        known = self.shared.sizes
        total = 0
        stack = [value]
        while stack:
            item = stack.pop()
            kind = type(item)
            if kind is str:
                total += len(item) + 1
            elif (kind is dict or kind is list) and id(item) in known:
                total += known[id(item)]
            elif isinstance(item, dict):
                total += 2 * len(item) + 1
                stack += item
                stack += item.values()
            elif isinstance(item, (list, tuple, set, frozenset)):
                total += len(item) + 1
                stack += item
            else:
                total += len(item) + 1 if isinstance(item, str) else 1
            if total > limit:
                self.need(total)
        self.tick(total >> 6)
        return total

    def weigh_format(self, text: str, arguments: Any) -> None:
        """Check ``text % arguments`` before it is done: widths, precisions and what is filled in.

        Raises:
            TemplateError: E206 when the result would be too large.
        """
        size = len(text) + self.weigh(arguments) * max(1, text.count("%"))
        for place in _PERCENT.findall(text):
            size += sum(int(digits[:12]) for digits in _NUMBER.findall(place))
            if "*" in place:
                values = arguments if isinstance(arguments, tuple) else (arguments,)
                size += sum(abs(item) for item in values if isinstance(item, int))
        self.need(size)
