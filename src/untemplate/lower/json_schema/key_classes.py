"""Undeclared keys by which patterns they match: for each class, the schemas of the values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.document import Part
from untemplate.lower.json_schema.facts import ObjectFacts
from untemplate.lower.pattern import PatternError, parse_pattern
from untemplate.lower.pattern_automaton import search
from untemplate.lower.warnings import Code

_MOST_CLASSES = 24


@dataclass(frozen=True, slots=True)
class KeyClass:
    """Keys whose values have the same schemas."""

    keys: Automaton | None
    """``None``: all keys."""
    parts: tuple[Part, ...]


@lru_cache(maxsize=1024)
def _searched(pattern: str) -> Automaton | None:
    try:
        parsed = parse_pattern(pattern)
        found = search(parsed.node)
    except (PatternError, TooLargeError):
        return None
    return found.automaton if found.exact and not parsed.notes else None


def pattern_automaton(pattern: str, context: Context) -> Automaton | None:
    """Return the automaton of the keys that a pattern matches; ``None`` (noted) where that is not known exactly."""
    found = _searched(pattern)
    if found is None:
        context.say("patternProperties", f"{pattern!r:.80} is not expressed; its keys may have any value")
    return found


def key_classes(facts: ObjectFacts, context: Context, closed: bool) -> list[KeyClass]:
    """Return classes that cover all keys that may stand undeclared, each with what its values must fit."""
    patterns = list(dict.fromkeys(pattern for facet in facts.facets for pattern, _ in facet.patterns))
    matched: dict[str, Automaton] = {}
    unknown: set[str] = set()
    for pattern in patterns:
        found = pattern_automaton(pattern, context)
        if found is None:
            unknown.add(pattern)
        else:
            matched[pattern] = found
    classes: list[tuple[Automaton | None, frozenset[str]]] = [(None, frozenset())]
    for pattern, keys in matched.items():
        try:
            classes = _divided(classes, pattern, keys)
        except TooLargeError:
            unknown.add(pattern)
            context.say("patternProperties", f"{pattern!r:.80} makes too large an automaton with the others", Code.BUDGET)
    found_classes: list[KeyClass] = []
    for keys_, signature in classes:
        parts = _parts(facts, signature, unknown, closed)
        if parts is not None:
            found_classes.append(KeyClass(keys_, parts))
    return found_classes


def _divided(
    classes: list[tuple[Automaton | None, frozenset[str]]], pattern: str, keys: Automaton
) -> list[tuple[Automaton | None, frozenset[str]]]:
    if len(classes) >= _MOST_CLASSES:
        raise TooLargeError
    divided: list[tuple[Automaton | None, frozenset[str]]] = []
    for known, signature in classes:
        before = known if known is not None else automaton.ANY
        inside, outside = automaton.both(before, keys), automaton.without(before, keys)
        if not inside.empty:
            divided.append((inside, signature | {pattern}))
        if not outside.empty:
            divided.append((outside, signature))
    return divided


def _parts(facts: ObjectFacts, signature: frozenset[str], unknown: set[str], closed: bool) -> tuple[Part, ...] | None:
    """Return what holds for values of keys with these patterns; ``None`` where there can be no such key."""
    found: list[Part] = []
    said = False
    for facet in facts.facets:
        own = [part for pattern, part in facet.patterns if pattern in signature]
        uncertain = any(pattern in unknown for pattern, _ in facet.patterns)
        if not own and facet.additional is not None and not uncertain:
            own = [facet.additional]
        said = said or bool(own) or uncertain
        found += own
    if any(part.schema is False and not part.negated for part in found):
        return None
    if closed and not said and any(facet.properties for facet in facts.facets):
        return None
    return tuple(found)
