"""Trees that are made once and written into many rule books."""

from __future__ import annotations

import pytest

from untemplate.lower.automaton import TooLargeError
from untemplate.lower.fragments import make_fragment
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import alt, literal, rep, seq
from untemplate.peg.nodes import Node


def _make(rules: RuleBook, hint: str) -> Node:
    inner = rules.define(hint, alt(literal("a"), literal("b")))
    outer = rules.define(hint, rep(seq(inner, literal(",")), 1, None))
    return alt(seq(outer, inner), rules.define(hint, alt(literal("a"), literal("b"))))


def _books() -> tuple[RuleBook, RuleBook]:
    """Return two books with the same rules: one has the name that is asked for, and one of the trees."""
    books = RuleBook(), RuleBook()
    for book in books:
        book.define("text", literal("taken"))
        book.define("other", alt(literal("a"), literal("b")))
    return books


def test_a_fragment_is_written_as_if_it_had_been_made_in_the_book() -> None:
    fragment = make_fragment(_make)
    made, written = _books()
    want = [made.define("text", _make(made, "text")) for _ in range(2)]
    assert [fragment.written(written, "text") for _ in range(2)] == want
    assert list(written.rules.items()) == list(made.rules.items())


def test_a_fragment_that_gets_too_large_leaves_what_was_made_until_then() -> None:
    def make(rules: RuleBook, hint: str) -> Node:
        _make(rules, hint)
        raise TooLargeError

    fragment = make_fragment(make)
    made, written = _books()
    for action in (lambda: make(made, "text"), lambda: fragment.written(written, "text")):
        with pytest.raises(TooLargeError):
            action()
    assert list(written.rules.items()) == list(made.rules.items())
