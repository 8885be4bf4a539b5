"""From automata to grammars: exact, short, and one token to an engine with a lexer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.test_pattern_reading import SAME_AS_PYTHON, found
from untemplate.emit.engine import read_back
from untemplate.emit.gbnf_text import gbnf_text
from untemplate.emit.tidy import tidy
from untemplate.lower import automaton
from untemplate.lower.automaton_tree import automaton_tree
from untemplate.lower.json_text import json_char
from untemplate.lower.pattern import parse_pattern
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_tree import pattern_tree
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import literal, seq


def grammar(make):
    rules = RuleBook()
    body = make(rules, lambda chars: json_char(rules, chars))
    rules.rules["root"] = seq(literal('"'), body, literal('"'))
    rules.rules["root"] = rules.define("string", rules.rules["root"])
    return gbnf_text(tidy(rules.rules))


@given(st.sampled_from(SAME_AS_PYTHON), st.lists(st.text('abcxB1- _."\\\n', max_size=6), min_size=1, max_size=6))
def test_the_tree_of_a_pattern_writes_what_its_automaton_accepts(pattern, texts):
    node = parse_pattern(pattern.replace("^[]a]", "^[\\]a]")).node
    by_automaton = read_back(grammar(lambda rules, write: automaton_tree(search(node).automaton, rules, "s", write)))
    by_pattern = read_back(grammar(lambda rules, write: pattern_tree(node, rules, "s", write)))
    for text in texts:
        expected = search(node).automaton.matches(text)
        for engine in (by_automaton, by_pattern):
            assert engine.accepts(json.dumps(text)) == expected


def test_a_bounded_class_stays_a_count():
    text = grammar(lambda rules, write: pattern_tree(parse_pattern("^[a-z]{1,255}$").node, rules, "s", write))
    assert "[a-z]{1,255}" in text
    assert len(text) < 80


@given(st.sampled_from(["a", "^a.*", "b$", "ab|ba"]), st.sampled_from(["b", "^[^a]*$", "a.b"]), st.text("abc", max_size=5))
def test_automata_combine_like_sets(left, right, text):
    one, other = (search(parse_pattern(pattern).node).automaton for pattern in (left, right))
    inside = found(left, text), found(right, text)
    assert automaton.both(one, other).matches(text) == all(inside)
    assert automaton.either(one, other).matches(text) == any(inside)
    assert automaton.without(one, other).matches(text) == (inside[0] and not inside[1])
    assert automaton.invert(one).matches(text) == (not inside[0])


def test_equal_languages_have_equal_automata():
    one = search(parse_pattern("^(a|b)*$").node).automaton
    other = search(parse_pattern("^(b*a*)*$").node).automaton
    assert one == other


def test_a_text_behind_an_automaton_is_complete_at_its_first_place():
    ended = automaton.followed_by(search(parse_pattern("^[a;]*$").node).automaton, ";;")
    assert ended.matches("aa;;")
    assert not ended.matches("aa;;;;")
    assert not ended.matches("aa;")


def test_an_automaton_that_grows_too_large_is_refused():
    with pytest.raises(automaton.TooLargeError):
        search(parse_pattern("^(a|b)*a(a|b){14}$").node)
