"""Trees as GBNF: the text, what it takes, and the portable subset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untemplate.emit.engine import read_back
from untemplate.emit.gbnf import emit_gbnf
from untemplate.emit.gbnf_reader import read_gbnf
from untemplate.emit.gbnf_text import gbnf_text
from untemplate.emit.tidy import tidy
from untemplate.errors import GrammarError
from untemplate.lower.charset import complement, of
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import chars, literal, rep, seq
from untemplate.peg import builder as b
from untemplate.peg.nodes import Any, Arena, Characters, Gbnf, Json, JsonKind, Literal, Repeat, Schema, Tolerant


def text_of(root, **rules):
    return emit_gbnf(b.arena(root, **rules))[0]


def sort(root, texts, **rules):
    engine = read_back(text_of(root, **rules))
    return [text for text in texts if engine.accepts(text)]


def test_what_only_steers_the_parser_leaves_no_trace():
    plain = b.seq("a", b.lit("b"))
    steered = b.tag("x", b.atomic("a"), b.cut(), b.note("n"), b.catch(b.lit("b", emit=True), b.lit("z")), b.end())
    assert read_back(text_of(steered)).accepts("ab")
    assert text_of(b.tolerant(plain, b.anything())) == 'root ::= "a" "b"\n' or text_of(b.tolerant(plain, b.anything())) == text_of(plain)


def test_the_strict_side_is_written_and_not_the_tolerant_one():
    assert sort(Tolerant(strict=b.lit("a"), also=b.choice("a", "b")), ["a", "b"]) == ["a"]


def test_nested_repetitions_and_large_counts_are_rules():
    text = text_of(Repeat(item=Repeat(item=b.choice("a", "b"), minimum=1), minimum=0, maximum=5000))
    assert "+{" not in text
    assert "*{" not in text
    assert "5000" not in text


def test_names_of_rules_are_lower_case_with_dashes_and_never_collide():
    rules = {
        "root": b.seq(b.ref("Foo_Bar"), b.ref("foo-bar"), b.ref("start")),
        "Foo_Bar": b.many1(b.ref("x")),
        "foo-bar": b.many1("y"),
        "start": b.many1(b.choice("z", b.ref("x"))),
        "x": b.seq("x", b.optional(b.ref("x"))),
    }
    text = emit_gbnf(Arena(rules=rules))[0]
    names = [line.split(" ::=")[0] for line in text.splitlines()]
    assert len(set(names)) == len(names)
    assert all(name == name.lower() and "_" not in name for name in names)
    assert read_back(text).accepts("xxyz")


@given(st.sets(st.sampled_from('^-]\\["/\n\t\0\x7fé\x85\u2028😀abz&~#'), min_size=1), st.booleans())
def test_a_class_holds_its_characters_whatever_they_are(members, negated):
    node = chars(complement(of("".join(members))) if negated else of("".join(members)))
    engine = read_back(gbnf_text({"root": seq(literal(">"), node)}))
    for character in '^-]\\["/\n\t\0\x7fé\x85\u2028😀abz&~#_':
        assert engine.accepts(">" + character) == ((character in members) != negated)


@given(st.text(min_size=1, max_size=8).filter(lambda text: text.isprintable() or "\n" in text))
def test_a_literal_is_taken_as_it_is(text):
    assert read_back(gbnf_text({"root": Literal(text=text)})).accepts(text)


@given(st.integers(0, 2500), st.integers(0, 2500), st.integers(0, 3000))
def test_nested_counts_are_exact(low, more, length):
    rules = tidy({"root": seq(literal("("), rep(chars(of("ab")), low, low + more), literal(")"))})
    assert read_back(gbnf_text(rules)).accepts("(" + "a" * length + ")") == (low <= length <= low + more)


def test_any_character_needs_no_dot():
    text = text_of(b.seq(Any(), Characters(ranges=(("a", "c"),), minimum=2, maximum=None)))
    assert "." not in text
    assert sort(b.seq(Any(), b.lit("!")), ["x!", "\n!", "😀!", "!"]) == ["x!", "\n!", "😀!"]


def test_a_look_around_cannot_be_written():
    with pytest.raises(GrammarError) as caught:
        text_of(b.seq(b.negate("a"), Any()))
    assert caught.value.code == "E403"
    assert sort(b.seq("a", b.peek(b.end())), ["a", "ab"]) == ["a"]


def test_json_is_strict_and_schemas_are_written_out():
    assert sort(Json(), ['{"a": [1, null]}', "{'a': 1}", "01", '"\\x"', "true"]) == ['{"a": [1, null]}', "true"]
    assert sort(Json(kind=JsonKind.STRING), ['"a"', "1"]) == ['"a"']
    assert sort(Json(python=True), ["{'a': [True, None, \"it's\"]}", "true"]) == ["{'a': [True, None, \"it's\"]}"]
    marked = Json(quotes=(("<|q|>", "<|q|>"),), bare_keys=True)
    assert sort(marked, ['{a:<|q|>x"<y<|q|>,b:1}', '{"a":"x"}']) == ['{a:<|q|>x"<y<|q|>,b:1}']
    root = {"$defs": {"i": {"type": "integer"}}}
    assert sort(Schema(schema={"$ref": "#/$defs/i"}, root=root), ["1", '"a"']) == ["1"]


def test_a_grammar_of_the_callers_stands_inside_a_turn():
    given_ = 'root ::= "x" (item | [^a-c\\]">]{2,3}) # a remark\nitem ::= "\\"\\u00e9" |\n  "n" .\n'
    assert sort(b.seq("<", Gbnf(text=given_), ">"), ['<x"é>', "<xdd>", "<xdddd>", "<xn!>", "<x>"]) == ['<x"é>', "<xdd>", "<xn!>"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('root ::= "a', 1),
        ("root ::= a", 1),
        ('\nx ::= "a"\n', 1),
        ('root ::= "a"\ny ::= (', 2),
        ("root ::= <[12]>", 1),
        ("root ::= [b-a]", 1),
    ],
)
def test_a_grammar_that_is_none_is_an_error_with_its_line(text, line):
    with pytest.raises(GrammarError) as caught:
        read_gbnf(text, RuleBook(), "g")
    assert (caught.value.code, caught.value.where) == ("E404", f"grammar:{line}")


def test_what_the_engine_refuses_is_an_error():
    with pytest.raises(GrammarError) as caught:
        read_back("root ::= nothing")
    assert caught.value.code == "E405"


def test_rules_that_lead_nowhere_are_an_error():
    with pytest.raises(GrammarError) as caught:
        text_of(b.seq("a", b.ref("x")), x=b.seq("b", b.ref("x")))
    assert caught.value.code == "E406"
