"""From regular expressions to trees: by their own shape where that is short, by an automaton where it is not."""

from __future__ import annotations

from functools import lru_cache

from untemplate.lower import automaton
from untemplate.lower.automaton import Automaton, TooLargeError
from untemplate.lower.automaton_tree import Writer, automaton_tree
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_nodes import Alt, Cat, Regex, Rep, Set, lengths, whole
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, chars, rep, seq
from untemplate.peg.nodes import Choice, Node, Repeat, Sequence

MOST_COUNT = 10_000
"""Larger counts are not written."""


def pattern_tree(node: Regex, rules: RuleBook, hint: str, write: Writer) -> Node:
    """Return a tree of the whole strings in which ``node`` is found.

    Raises:
        TooLargeError: when neither its own shape nor an automaton is short enough.
    """
    shape = _plain_shape(node)
    if shape is not None and _shape_is_shorter(node, shape):
        return _tree(shape, write)
    return automaton_tree(search(node).automaton, rules, hint, write)


def tree_of(one: Automaton, rules: RuleBook, hint: str, write: Writer) -> Node | None:
    """Return a tree of what an automaton accepts; ``None`` when that is nothing."""
    return None if one.empty else automaton_tree(automaton.minimize(one), rules, hint, write)


@lru_cache(maxsize=2048)
def _plain_shape(node: Regex) -> Regex | None:
    """Return ``node`` as an expression without assertions that a grammar can copy; ``None`` where there is none."""
    shape = whole(node)
    return shape if shape is not None and _is_plain(shape) else None


def _is_plain(node: Regex) -> bool:
    match node:
        case Set():
            return True
        case Cat(items):
            return all(_is_plain(item) for item in items)
        case Alt(options):
            return all(_is_plain(option) for option in options)
        case Rep(item, minimum, maximum):
            may_be_empty = lengths(item)[0] == 0 and maximum is None
            return not may_be_empty and max(minimum, maximum or 0) <= MOST_COUNT and _is_plain(item)
        case _:
            return False


@lru_cache(maxsize=2048)
def _shape_is_shorter(node: Regex, shape: Regex) -> bool:
    try:
        scratch = RuleBook()
        tree = automaton_tree(search(node).automaton, scratch, "s", chars)
    except TooLargeError:
        return True
    return _weight(tree) + sum(_weight(rule) + 2 for rule in scratch.rules.values()) > 1.5 * _shape_weight(shape) + 4


def _weight(node: Node) -> int:
    match node:
        case Sequence(items=items):
            return sum(_weight(item) for item in items)
        case Choice(options=options):
            return 1 + sum(_weight(option) for option in options)
        case Repeat(item=item):
            return 1 + _weight(item)
        case _:
            return 1


def _shape_weight(node: Regex) -> int:
    match node:
        case Cat(items):
            return sum(_shape_weight(item) for item in items)
        case Alt(options):
            return 1 + sum(_shape_weight(option) for option in options)
        case Rep(item, _, _):
            return 1 + _shape_weight(item)
        case _:
            return 1


def _tree(node: Regex, write: Writer) -> Node:
    match node:
        case Set(members):
            return write(members)
        case Cat(items):
            return seq(*(_tree(item, write) for item in items))
        case Alt(options):
            return alt(*(_tree(option, write) for option in options))
        case Rep(item, minimum, maximum):
            return rep(_tree(item, write), minimum, maximum)
        case _:
            raise AssertionError("a plain shape has no assertions")
