"""Free text in grammars: up to a stop, up to a stop where structure follows, beside other ways on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from untemplate.emit.engine import read_back
from untemplate.emit.gbnf import emit_gbnf
from untemplate.emit.gbnf_text import gbnf_text
from untemplate.emit.lark import emit_lark
from untemplate.emit.tidy import tidy
from untemplate.lower.rulebook import RuleBook
from untemplate.lower.shapes import literal
from untemplate.lower.text_rules import Exit, TextRules
from untemplate.peg import builder as b
from untemplate.peg.nodes import Schema, Until


def engine(root, **rules):
    return read_back(emit_gbnf(b.arena(root, **rules))[0])


def taken(root, texts, **rules):
    found = engine(root, **rules)
    return [text for text in texts if found.accepts(text)]


@given(st.text("ab<", max_size=8), st.lists(st.text("ab<", min_size=1, max_size=3), min_size=1, max_size=3))
def test_text_holds_no_stop(text, stops):
    assert engine(b.until(*stops)).accepts(text) == (not any(stop in text for stop in stops))


@given(st.text("ab", max_size=8), st.sampled_from(["ab", "aab", "aba", "bb"]))
def test_text_ends_at_the_first_stop(text, stop):
    written = text + stop + "!"
    assert engine(b.seq(b.until(stop), b.lit(stop), "!")).accepts(written) == (written.index(stop) == len(text))


def test_layout_before_a_stop_belongs_to_the_text():
    root = b.seq(b.until("</t>"), b.space("\n"), "</t>", b.space("\n\n"), "end")
    assert taken(root, ["x\n</t>\n\nend", "x</t>end", "</t>\nend", "x</t>\n\n\nend"]) == ["x\n</t>\n\nend", "x</t>end", "</t>\nend"]


def test_a_stop_is_left_out_only_where_structure_follows():
    follow = b.seq("</v>", b.space(), b.choice("<k>", "</f>"))
    root = b.seq(b.until("</v>", confirm=follow), b.lit("</v>\n</f>"))
    assert taken(root, ["a</v>b</v>\n</f>", "a</v>\n<k>b</v>\n</f>", "a</v><k></v>\n</f>"]) == ["a</v>b</v>\n</f>"]


def test_text_and_a_marker_may_begin_at_the_same_place():
    root = b.seq(b.optional(b.seq("<think>", b.until("</think>"), "</think>")), b.until("<call>"), b.optional(b.seq("<call>", "{}")))
    texts = ["", "<thin air", "<think>a</think>b<call>{}", "<call>{}", "a <think>", "<think>a", "a<call>"]
    assert taken(root, texts) == ["", "<thin air", "<think>a</think>b<call>{}", "<call>{}", "a <think>"]


def test_text_may_begin_with_a_literal_that_is_no_marker_and_begins_another_way():
    root = b.choice(b.until("!"), b.seq("{", "1", "}!"))
    assert taken(root, ["{1}!", "{1}", "{", "x!"]) == ["{1}!", "{1}", "{"]


LONG = ("x" * 20_000, "<b>x</b>" * 2_500, "a<<" * 7_000, "a\n" * 10_000, "use <think> here\n" * 1_200)


def test_text_beside_a_marker_may_have_any_length():
    root = b.seq(b.optional(b.seq("<think>", b.until("</think>"), "</think>")), b.until("<call>"), b.optional(b.seq("<call>", "{}")))
    found = engine(root)
    for text in LONG:
        for whole in (text, f"<think>{text}</think>{text}<call>{{}}"):
            assert found.accepts(whole), whole[:20]


def test_a_stop_at_the_beginning_or_the_end_counts_only_there():
    root = b.until("<a>", "<b>", confirm=b.choice(b.seq("<a>", b.space(), b.end()), "<b><b>"))
    assert taken(root, ["<a>x", "x<a>", "x<a> \n", "<a", "<b>", "<b><b>"]) == ["<a>x", "<a", "<b>"]
    root = Until(stops=("<b>",), unbegun=("<a>",))
    assert taken(root, ["<a>", " \n<a>x", "x<a>", "<a", "<b>", ""]) == ["x<a>", "<a", ""]


def test_markers_with_a_common_beginning_are_told_apart():
    root = b.seq(b.choice(b.seq("<think>", b.until("</think>"), "</think>"), "<think></think>."), b.lit("!"))
    assert taken(root, ["<think></x</think>!", "<think></think>.!", "<think>a!"]) == ["<think></x</think>!", "<think></think>.!"]


def test_blocks_of_text_may_repeat():
    block = b.seq("[", b.until("]"), "]")
    assert taken(b.many(block), ["", "[a]", "[][b]", "[a", "[]x"]) == ["", "[a]", "[][b]"]


def test_a_rule_with_text_at_its_end_knows_what_follows_it():
    texts = ["a;b", "a", ";b"]
    assert taken(b.seq(b.ref("part"), b.lit(";b")), texts, part=b.seq(b.optional("-"), b.until(";"))) == ["a;b", ";b"]


def test_text_without_stops_is_any_text():
    assert taken(b.anything(), ["", "x\n<|y|>😀"]) == ["", "x\n<|y|>😀"]


def test_equal_text_has_its_rules_once():
    rules = RuleBook()
    texts = TextRules(rules)
    first = texts.text([("</v>", "<k>")], [Exit("</v>\n<k>")])
    size = len(rules.rules)
    assert texts.text([("</v>", "<k>")], [Exit("</v>\n<k>")]) == first
    assert len(rules.rules) == size


def test_white_space_between_the_chunks_of_a_stop_is_free():
    rules = RuleBook()
    rules.rules["root"] = TextRules(rules).text([("</v>", "<k>")], [Exit("</v>\n<k>", literal("!"))])
    found = read_back(gbnf_text(tidy(rules.rules)))
    assert found.accepts("a</v> b</v>\n<k>!")
    assert not found.accepts("a</v> \t<k></v>\n<k>!")


def test_llguidances_own_dialect_has_lazy_text_and_schemas_of_its_own():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    root = b.seq("<think>", b.until("</think>"), "</think>", Schema(schema=schema, root=schema), b.optional(b.until("<x>")))
    text, warnings = emit_lark(b.arena(root))
    assert "[lazy]" in text
    assert "%json" in text
    assert warnings == ()
    found = read_back(text)
    assert found.accepts('<think>a<b</think>{"a": 1}more')
    assert not found.accepts('<think>a</think>{"a": "x"}')
