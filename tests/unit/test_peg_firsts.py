"""What nodes begin with, as far as it is sure."""

from __future__ import annotations

import pytest

from untemplate.peg.builder import (
    any_char,
    anything,
    atomic,
    catch,
    chars,
    choice,
    cut,
    end,
    json,
    lit,
    many,
    many1,
    negate,
    note,
    optional,
    peek,
    ref,
    seq,
    space,
    tag,
    until,
)
from untemplate.peg.firsts import Firsts
from untemplate.peg.nodes import JsonKind, Node


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (lit("ab"), "a"),
        (lit(""), None),
        (seq("", "b"), "b"),
        (choice("ab", "c"), "ac"),
        (choice("a", optional("b")), None),
        (seq(optional("x"), space(), tag("t", "y")), "x \t\n\r\f\vy"),
        (seq(many(chars("a-c")), note("n"), atomic("d")), "abcd"),
        (many1("a"), "a"),
        (seq(cut(), "a"), None),
        (seq("a", cut()), "a"),
        (seq(peek(choice("a", "b")), any_char(), cut()), "ab"),
        (seq(peek(choice("a", "b")), choice("b", "c")), "b"),
        (seq(peek(any_char()), "a"), "a"),
        (seq(negate("a"), chars("a-c")), "abc"),
        (seq(negate(optional("a")), "b"), None),
        (seq(space(), end()), " \t\n\r\f\v"),
        (catch(lit("a"), lit("b")), None),
        (until("a"), None),
        (anything(), None),
        (chars("^a"), None),
        (json(JsonKind.OBJECT), "{"),
        (json(JsonKind.ARRAY), "[("),
        (json(JsonKind.STRING, quotes=[("<|", "|>")]), "\"'<"),
        (seq(ref("rule")), "(x"),
        (choice(), None),
    ],
)
def test_the_characters_a_node_needs_are_known_where_they_are_sure(node: Node, expected: str | None) -> None:
    found = Firsts({"rule": choice(seq("(", ref("rule"), ")"), "x")}).of(node).test
    assert found == (None if expected is None else frozenset(expected))
