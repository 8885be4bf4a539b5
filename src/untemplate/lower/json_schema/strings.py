"""Trees of strings: by length, by pattern, by format, or by an automaton where several of these meet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.charset import ALL, CharSet
from untemplate.lower.formats import ANNOTATIONS, FORMATS
from untemplate.lower.json_schema.context import Context
from untemplate.lower.json_schema.facts import StringFacts
from untemplate.lower.pattern import PatternError, parse_pattern
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_nodes import ANYTHING, Assert, Place, Regex, Rep, Set, cat, has_look, lengths, text_regex, whole
from untemplate.lower.pattern_tree import pattern_tree, tree_of
from untemplate.lower.shapes import rep
from untemplate.lower.warnings import Code
from untemplate.peg.nodes import Node

_MOST_COUNTED = 1500
"""States of an automaton that counts characters beside a pattern."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A regular expression that a string must match, with the keyword that it comes from."""

    node: Regex
    keyword: str
    text: str


def string_body(facts: StringFacts, context: Context, hint: str = "text") -> Node | None:
    """Return the characters of the strings that fit, without quotes; ``None`` when none does."""
    wanted = _needed(_read(facts, context))
    unwanted = _read_unwanted(facts, context)
    if facts.impossible:
        return None

    def write(members: CharSet) -> Node:
        return context.syntax.char(context.rules, members)

    if not wanted and not unwanted and not facts.excluded and not context.syntax.forbidden:
        minimum, maximum = context.bounds(facts.minimum, facts.maximum, "minLength", "maxLength")
        return rep(write(ALL), minimum, maximum)
    if len(wanted) == 1 and not unwanted and not facts.excluded and not context.syntax.forbidden:
        node = _within(wanted[0].node, facts)
        if node is not None:
            return _by_pattern(replace(wanted[0], node=node), context, hint, write)
    return _by_automaton(facts, wanted, unwanted, context, hint)


def string_automaton(facts: StringFacts, context: Context) -> Automaton | None:
    """Return the automaton of the strings that fit, as far as it can be built; what cannot is widened and noted."""
    if facts.impossible:
        return automaton.NONE
    return _combine(facts, _read(facts, context), _read_unwanted(facts, context), context)


def _read(facts: StringFacts, context: Context) -> list[_Found]:
    found: list[_Found] = []
    for text in facts.wanted:
        try:
            pattern = parse_pattern(text)
        except PatternError as problem:
            context.say("pattern", f"{text!r:.80} cannot be read: {problem.args[0]}; any text is taken")
            continue
        for note in pattern.notes:
            context.say("pattern", f"{note} in {text!r:.80} is taken as any text")
        if pattern.node != ANYTHING:
            found.append(_Found(pattern.node, "pattern", text))
    for name in facts.formats:
        if name in FORMATS:
            found.append(_Found(parse_pattern(FORMATS[name]).node, "format", name))
        elif name not in ANNOTATIONS:
            context.say("format", f"nothing is known about the format {name!r:.40}; any text is taken", Code.UNKNOWN)
    return found


def _needed(wanted: list[_Found]) -> list[_Found]:
    """Return ``wanted`` without what others say already."""
    kept = list(wanted)
    for one in wanted if len(wanted) > 1 else ():
        others = [other for other in kept if other is not one]
        if any(_implies(other.node, one.node) for other in others):
            kept = others
    return kept


@lru_cache(maxsize=1024)
def _implies(one: Regex, other: Regex) -> bool:
    """Tell whether all that matches ``one`` matches ``other``; ``False`` where that would be too much work."""
    try:
        first, second = search(one), search(other)
        return second.exact and automaton.without(first.automaton, second.automaton).empty
    except TooLargeError:
        return False


def _read_unwanted(facts: StringFacts, context: Context) -> list[Regex]:
    found: list[Regex] = []
    for text in facts.unwanted:
        try:
            pattern = parse_pattern(text)
        except PatternError:
            context.say("pattern", f"the opposite of the pattern {text!r:.80} cannot be read")
            continue
        if pattern.notes:
            context.say("pattern", f"{pattern.notes[0]} in {text!r:.80} is not excluded")
        else:
            found.append(pattern.node)
    return found


def _within(node: Regex, facts: StringFacts) -> Regex | None:
    """Return ``node`` if its own lengths fit, or made to fit; ``None`` when lengths must be counted beside it."""
    shape = whole(node)
    low, high = lengths(shape) if shape is not None else (0, None)
    if low >= facts.minimum and (facts.maximum is None or (high is not None and high <= facts.maximum)):
        return node
    if isinstance(shape, Rep) and isinstance(shape.item, Set):
        minimum = max(shape.minimum, facts.minimum)
        maximum = min((bound for bound in (shape.maximum, facts.maximum) if bound is not None), default=None)
        if maximum is None or minimum <= maximum:
            return _anchored(Rep(shape.item, minimum, maximum))
    return None


def _anchored(node: Regex) -> Regex:
    return cat(Assert(Place.START), node, Assert(Place.END))


def _by_pattern(found: _Found, context: Context, hint: str, write: Callable[[CharSet], Node]) -> Node | None:
    try:
        searched = search(found.node)
        if searched.automaton.empty:
            return None
        if not searched.exact:
            context.say(found.keyword, f"a look-around in {found.text!r:.80} is taken as always true")
    except TooLargeError:
        if has_look(found.node):
            context.say(found.keyword, f"{found.text!r:.80} is too large an automaton; any text is taken", Code.BUDGET)
            return rep(write(ALL), 0, None)
    try:
        return pattern_tree(found.node, context.rules, hint, write)
    except TooLargeError:
        context.say(found.keyword, f"{found.text!r:.80} is too large an automaton; any text is taken", Code.BUDGET)
        return rep(write(ALL), 0, None)


def _combine(facts: StringFacts, wanted: list[_Found], unwanted: list[Regex], context: Context) -> Automaton | None:
    """Return all conditions as one automaton, leaving out and noting those that make it too large."""
    found = automaton.ANY

    def narrow(keyword: str, what: str, step: Callable[[Automaton], Automaton], most: int = automaton.MOST_STATES) -> None:
        nonlocal found
        try:
            narrowed = step(found)
        except TooLargeError:
            narrowed = None
        if narrowed is None or len(narrowed.delta) > most:
            context.say(keyword, f"{what} makes too large an automaton with what else is said; it is left out", Code.BUDGET)
        else:
            found = narrowed

    for one in wanted:
        narrow(one.keyword, repr(one.text)[:80], lambda known, node=one.node: automaton.both(known, search(node).automaton))  # type: ignore[misc]
        try:
            exact = search(one.node).exact
        except TooLargeError:
            exact = True
        if not exact:
            context.say(one.keyword, f"a look-around in {one.text!r:.80} is taken as always true")
    for node in unwanted:
        if _is_exact(node):
            narrow("pattern", "its opposite", lambda known, node=node: automaton.without(known, search(node).automaton))  # type: ignore[misc]
        else:
            context.say("pattern", "a look-around is not excluded")
    if facts.excluded:
        keyword = context.named("enum", "const")
        narrow(keyword, "that none of these fits", lambda known: automaton.without(known, automaton.from_strings(facts.excluded)))
    for mark in context.syntax.forbidden:
        narrow("pattern", repr(mark), lambda known, mark=mark: automaton.without(known, search(text_regex(mark)).automaton))  # type: ignore[misc]
    if facts.minimum:
        narrow("minLength", f"minLength {facts.minimum}", lambda known: _counted(known, facts.minimum, None), _MOST_COUNTED)
    if facts.maximum is not None:
        maximum = facts.maximum
        narrow("maxLength", f"maxLength {maximum}", lambda known: _counted(known, 0, maximum), _MOST_COUNTED)
    return found


def _counted(known: Automaton, minimum: int, maximum: int | None) -> Automaton:
    if max(minimum, maximum or 0) > _MOST_COUNTED:
        raise TooLargeError
    return automaton.both(known, automaton.of_length(minimum, maximum))


def _is_exact(node: Regex) -> bool:
    try:
        return search(node).exact
    except TooLargeError:
        return False


def _by_automaton(facts: StringFacts, wanted: list[_Found], unwanted: list[Regex], context: Context, hint: str) -> Node | None:
    def write(members: CharSet) -> Node:
        return context.syntax.char(context.rules, members)

    found = _combine(facts, wanted, unwanted, context)
    assert found is not None
    try:
        return tree_of(found, context.rules, hint, write)
    except TooLargeError:
        first = wanted[0] if wanted else None
        lost = [one.keyword for one in wanted[1:]] + ["pattern"] * bool(unwanted)
        lost += [context.named("enum", "const")] if facts.excluded else []
        lost += ["minLength"] * (facts.minimum > 0) + ["maxLength"] * (facts.maximum is not None)
        for keyword in dict.fromkeys(lost or ["pattern"]):
            context.say(keyword, "what is said together makes too large a grammar; only the first pattern is kept", Code.BUDGET)
        return _by_pattern(first, context, hint, write) if first else rep(write(ALL), facts.minimum if facts.minimum < 2 else 1, None)
