"""Regular expressions as JSON Schemas have them: what they match, and what is said of the rest."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untemplate.lower import charset
from untemplate.lower.pattern import PatternError, parse_pattern
from untemplate.lower.pattern_automaton import search
from untemplate.lower.pattern_classes import fold_case, get_property
from untemplate.lower.pattern_nodes import lengths, whole


def found(pattern, text):
    return search(parse_pattern(pattern).node).automaton.matches(text)


SAME_AS_PYTHON = [
    "a",
    "^a",
    "a$",
    "^a$",
    "",
    "^$",
    "a|b$|^c",
    "(^a|b)c$",
    "^(ab)*$",
    "^(a|b){2,3}c?$",
    "^[^ab]+$",
    "[a-c-]",
    "^[]a]",
    "a{2}",
    "^a{2,}$",
    "a{x}",
    "\\.",
    "\\d\\D",
    "^\\w+\\W",
    "\\s\\S",
    "\\bab\\b",
    "\\Bb",
    "^(?:a|(?P<n>b))+$",
    "^(?=.*b)(?=.*a).{2,3}$",
    "^(?!ab).*$",
    "^.*(?<!b)$",
    "^((?!ab).)*$",
    "^a*?b+?$",
    "x*",
    "(a*)*b",
    "(?i)^aB$",
    "^[\\w-]+$",
    "^\\x61\\u0062$",
]


@given(st.sampled_from(SAME_AS_PYTHON), st.text("abcxB1- _.{}]", max_size=6))
def test_a_pattern_is_found_where_pythons_re_finds_it(pattern, text):
    expected = re.search(pattern.replace("^[]a]", "^[\\]a]"), text, re.ASCII) is not None
    assert found(pattern.replace("^[]a]", "^[\\]a]"), text) == expected


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        ("^[\\p{Lu}]\\p{L}*$", ["Ébc", "Ab"], ["ab", "A1"]),
        ("^\\p{Script=Greek}+$", ["αβ"], ["ab"]),
        ("^\\P{L}$", ["1"], ["a"]),
        ("^\\u{1F600}$", ["😀"], ["u"]),
        ("^\\ud83d\\ude00$", ["😀"], []),
        ("^\\cJ$", ["\n"], ["J"]),
        ("^[\\b]$", ["\b"], ["b"]),
        ("^.$", ["a", "é"], ["\n", "\u2028", "ab"]),
        ("(?s)^.$", ["\n"], []),
        ("^\\$\\^$", ["$^"], ["$"]),
        ("^\\/$", ["/"], ["\\/"]),
        ("^a{,2}$", ["", "aa"], ["aaa"]),
    ],
)
def test_escapes_and_properties_mean_what_ecma_says(pattern, good, bad):
    assert [text for text in [*good, *bad] if found(pattern, text)] == good


@pytest.mark.parametrize("pattern", ["(a", "a)", "[a", "*a", "a{3,2}", "[b-a]", "\\p{L", "(?<n", "(?Q)", "a\\"])
def test_what_is_no_pattern_is_an_error_and_not_a_guess(pattern):
    with pytest.raises(PatternError):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "note"),
    [("(a)\\1", "back-reference"), ("(?<n>a)\\k<n>", "back-reference"), ("\\p{Foo}", "property Foo"), ("a*+b", "possessive")],
)
def test_what_no_automaton_can_say_matches_more_and_is_noted(pattern, note):
    parsed = parse_pattern(pattern)
    assert note in parsed.notes[0]
    assert found(pattern, "aab")


@pytest.mark.parametrize(
    "pattern",
    [
        "^a(?=b)",
        "a(?!b)",
        "a(?=b)b(?!a)",
        "^(?!a)(?!.*b$)",
        "b(?=.*a)-*",
        "^a|b(?!a)-",
        "(?=a)",
        "a(?!.)",
        "^[ab]*(?=-)-(?!b)",
        "(?!a)b|^$",
    ],
)
def test_look_aheads_outside_of_groups_are_what_python_takes_them_for(pattern):
    searched = search(parse_pattern(pattern).node)
    texts = ["".join(letters) for length in range(5) for letters in itertools.product("ab-", repeat=length)]
    assert searched.exact
    assert [text for text in texts if searched.automaton.matches(text)] == [text for text in texts if re.search(pattern, text)]


def test_a_look_around_in_a_group_is_taken_as_true_and_not_called_exact():
    searched = search(parse_pattern("^(a(?=b)|x)c$").node)
    assert not searched.exact
    assert searched.automaton.matches("ac")


def test_lengths_are_read_from_the_tree():
    assert lengths(parse_pattern("^a{2,5}(b|cd)?$").node) == (2, 7)
    assert lengths(parse_pattern("a+").node) == (1, None)


def test_an_anchor_inside_a_group_needs_an_automaton():
    assert whole(parse_pattern("(^a|b)c").node) is None
    assert whole(parse_pattern("^a|b$").node) is not None


@given(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=5),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=5),
)
def test_sets_of_characters_are_sets(left, right):
    one = charset.make_set((min(pair), max(pair)) for pair in left)
    other = charset.make_set((min(pair), max(pair)) for pair in right)
    members = [{code for low, high in chars for code in range(low, high + 1)} for chars in (one, other)]
    for code in range(302):
        assert charset.contains(charset.union(one, other), code) == (code in members[0] | members[1])
        assert charset.contains(charset.intersection(one, other), code) == (code in members[0] & members[1])
        assert charset.contains(charset.difference(one, other), code) == (code in members[0] - members[1])
        assert charset.contains(charset.complement(one), code) == (code not in members[0])


def test_a_partition_divides_no_set_and_loses_no_character():
    sets = [charset.of("abc"), ((98, 120),), charset.complement(charset.of("b"))]
    classes = charset.partition(sets)
    assert charset.union(*classes) == charset.ALL
    for chars in classes:
        assert all(charset.intersection(chars, one) in ((), chars) for one in sets)


def test_properties_and_cases():
    assert get_property("Nope") is None
    assert get_property("gc=Nd") is not None
    assert fold_case(charset.of("aÉ")) == charset.of("aAéÉ")
