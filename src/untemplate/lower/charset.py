"""Sets of characters as sorted code point ranges.

A set is a tuple of inclusive ``(low, high)`` pairs, sorted, disjoint and not adjacent, so that equal sets are equal tuples.
Surrogates are not characters and never members.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

CharSet = tuple[tuple[int, int], ...]

LAST = 0x10FFFF
ALL: CharSet = ((0, 0xD7FF), (0xE000, LAST))
EMPTY: CharSet = ()


def make_set(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """Return the set of all characters in ``ranges``, which may overlap and come in any order."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    if merged and any(low <= 0xDFFF and high >= 0xD800 for low, high in merged):
        return _cut(tuple(merged), ((0xD800, 0xDFFF),))
    return tuple(merged)


@lru_cache(maxsize=4096)
def of(text: str) -> CharSet:
    """Return the set of the characters of ``text``."""
    return make_set((ord(character), ord(character)) for character in text)


def union(*sets: CharSet) -> CharSet:
    """Return the characters of any of ``sets``."""
    return make_set(pair for one in sets for pair in one)


@lru_cache(maxsize=4096)
def complement(one: CharSet) -> CharSet:
    """Return all characters that are not in ``one``."""
    return _cut(ALL, one)


def difference(left: CharSet, right: CharSet) -> CharSet:
    """Return the characters of ``left`` that are not in ``right``."""
    return _cut(left, right) if left and right else left


def intersection(left: CharSet, right: CharSet) -> CharSet:
    """Return the characters of both."""
    found: list[tuple[int, int]] = []
    i = j = 0
    while i < len(left) and j < len(right):
        low, high = max(left[i][0], right[j][0]), min(left[i][1], right[j][1])
        if low <= high:
            found.append((low, high))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def contains(one: CharSet, code: int) -> bool:
    """Tell whether the character with this code point is a member."""
    low, high = 0, len(one)
    while low < high:
        middle = (low + high) // 2
        if one[middle][1] < code:
            low = middle + 1
        else:
            high = middle
    return low < len(one) and one[low][0] <= code


def partition(sets: Iterable[CharSet]) -> tuple[CharSet, ...]:
    """Return the coarsest cut of all characters into classes that no member of ``sets`` divides, in order of first character."""
    distinct = list(dict.fromkeys(sets))
    starts = {0, 0xE000}
    for one in distinct:
        for low, high in one:
            starts.add(low)
            if high < LAST:
                starts.add(high + 1 if high != 0xD7FF else 0xE000)
    points = sorted(starts)
    events: dict[int, int] = {}
    for index, one in enumerate(distinct):
        for low, high in one:
            events[low] = events.get(low, 0) ^ (1 << index)
            end = high + 1 if high != 0xD7FF else 0xE000
            if end <= LAST:
                events[end] = events.get(end, 0) ^ (1 << index)
    groups: dict[int, list[tuple[int, int]]] = {}
    signature = 0
    for position, low in enumerate(points):
        signature ^= events.get(low, 0)
        high = points[position + 1] - 1 if position + 1 < len(points) else LAST
        groups.setdefault(signature, []).append((low, 0xD7FF if low <= 0xD7FF <= high else high))
    return tuple(make_set(ranges) for ranges in groups.values())


def _cut(left: CharSet, right: CharSet) -> CharSet:
    found: list[tuple[int, int]] = []
    j = 0
    for low, high in left:
        while j < len(right) and right[j][1] < low:
            j += 1
        k = j
        while k < len(right) and right[k][0] <= high:
            if right[k][0] > low:
                found.append((low, right[k][0] - 1))
            low = max(low, right[k][1] + 1)
            k += 1
        if low <= high:
            found.append((low, high))
    return tuple(found)
