"""Building trees, checking arenas, and saying what they are."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.peg_trees import feed_in
from untemplate.errors import GrammarError
from untemplate.peg import nodes
from untemplate.peg.arena import reachable, references, unique_name, walk
from untemplate.peg.builder import (
    ArenaBuilder,
    any_char,
    anything,
    arena,
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
    permute,
    ref,
    repeat,
    separated,
    seq,
    space,
    tag,
    tolerant,
    until,
)
from untemplate.peg.describe import describe, describe_arena
from untemplate.peg.matcher import Outcome, match_text
from untemplate.peg.nodes import Arena, Node
from untemplate.peg.program import compile_program


def test_plus_is_a_sequence_and_bar_a_choice() -> None:
    assert lit("a") + lit("b") + lit("c") == seq("a", "b", "c")
    assert lit("a") | lit("b") | lit("c") == choice("a", "b", "c")
    assert lit("a") + lit("b") | lit("c") == choice(seq("a", "b"), "c")


def test_nested_sequences_and_choices_are_flat() -> None:
    assert seq("a", seq("b", "c")) == seq("a", "b", "c")
    assert choice(choice("a", "b"), "c") == choice("a", "b", "c")
    assert seq(lit("a")) == choice(lit("a")) == lit("a")


def test_a_class_is_written_as_in_a_regular_expression() -> None:
    assert chars("a-z_-").ranges == (("a", "z"), ("_", "_"), ("-", "-"))
    assert chars("^-a") == nodes.Characters(ranges=(("-", "-"), ("a", "a")), negated=True)


@pytest.mark.parametrize(("text", "good"), [("", False), ("a", True), ("a,a", True), ("a,", False), (",a", False)])
def test_a_separated_list_has_its_separator_between_items_only(text: str, good: bool) -> None:
    assert matches(seq(separated(lit("a"), ","), end()), text) is good
    assert matches(seq(separated(lit("a"), ",", 2), end()), text) is (text == "a,a")
    assert matches(seq(separated(lit("a"), ",", 0), end()), text) is (good or not text)


def matches(node: Node, text: str, **rules: Node) -> bool:
    machine, _ = feed_in(compile_program(arena(node, **rules)), [text])
    return machine.done


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_permute_takes_each_block_once_in_any_order(count: int) -> None:
    blocks = "abcd"[:count]
    node = seq(permute([*blocks]), end())
    assert all(matches(node, "".join(order)) for order in permutations(blocks))
    assert not matches(node, blocks[1:])
    assert not matches(node, blocks + "a")


def test_permute_puts_the_separator_between_blocks_only() -> None:
    node = seq(permute(["a", "b", "c"], separator=","), end())
    assert matches(node, "b,c,a")
    assert not matches(node, "b,ca")
    assert not matches(node, "b,c,a,")


@pytest.mark.parametrize("separator", [None, ","])
def test_permute_lets_optional_blocks_be_left_out(separator: str | None) -> None:
    node = seq(permute(["a", "b"], optional_blocks=["x"], separator=separator), end())
    join = (separator or "").join
    assert all(matches(node, join(order)) for order in [*permutations("ab"), *permutations("abx")])
    assert not matches(node, join("ax"))
    assert not matches(node, join("abxx"))


def test_permute_of_optional_blocks_alone_may_be_empty() -> None:
    assert matches(seq(permute([], optional_blocks=["x", "y"]), end()), "")
    assert matches(seq(permute([]), end()), "")


def test_permute_with_rules_writes_one_for_each_set_of_blocks() -> None:
    builder = ArenaBuilder()
    node = permute(["a", "b", "c", "d", "e", "f"], add_rule=builder.add, name="pairs")
    built = builder.build(seq(node, end()))
    assert len(built.rules) <= 2**6
    assert all(feed_in(compile_program(built), ["".join(order)])[0].done for order in permutations("abcdef"))
    assert not feed_in(compile_program(built), ["abcdee"])[0].done


def test_more_blocks_than_six_are_refused() -> None:
    with pytest.raises(GrammarError) as caught:
        permute([*"abcdefg"])
    assert caught.value.code == "E403"


def test_names_of_rules_never_collide() -> None:
    builder = ArenaBuilder()
    names = [builder.add(wanted, lit("a")).name for wanted in ("get weather", "get_weather", "get-weather", "é", "root")]
    assert names == ["get-weather", "get-weather-2", "get-weather-3", "rule", "root"]
    assert builder.build(lit("b")).root == "root-2"
    assert unique_name("a", {"a", "a-2"}) == "a-3"


def test_a_reserved_rule_may_call_itself() -> None:
    builder = ArenaBuilder()
    nested = builder.reserve("nested")
    builder.define(nested, seq("(", optional(nested), ")"))
    assert feed_in(compile_program(builder.build(seq(nested, end()))), ["(())"])[0].done


def test_a_missing_rule_is_named_with_where_it_is_wanted() -> None:
    with pytest.raises(GrammarError, match="nowhere") as caught:
        arena(ref("a"), a=ref("nowhere"))
    assert (caught.value.code, caught.value.where) == ("E401", "a")
    with pytest.raises(GrammarError, match="root"):
        compile_program(Arena(rules={}))


@pytest.mark.parametrize(
    "rule",
    [
        ref("a"),
        choice("x", seq(ref("a"), "y")),
        seq(optional("x"), space(), ref("a")),
        seq(peek("x"), ref("b")),
        many(seq(note("n"), tag("t", ref("a")))),
        until("x", confirm=ref("a")),
    ],
)
def test_a_rule_that_calls_itself_before_it_takes_text_is_refused(rule: Node) -> None:
    with pytest.raises(GrammarError) as caught:
        arena(ref("a"), a=rule, b=choice("y", ref("a")))
    assert caught.value.code == "E402"


def test_a_rule_that_takes_text_first_may_call_itself() -> None:
    arena(ref("a"), a=seq(optional("y"), choice("x", json()), ref("a")))


def test_walking_visits_parents_first_and_finds_references() -> None:
    node = catch(seq("a", ref("r")), until("x", confirm=choice(ref("s"), ref("r"))))
    assert [type(each).__name__ for each in walk(node)] == ["Catch", "Sequence", "Literal", "Ref", "Until", "Choice", "Ref", "Ref"]
    assert references(node) == ["r", "s"]


def test_only_rules_that_the_root_needs_are_reachable() -> None:
    built = arena(ref("a"), a=seq("x", ref("b")), b=lit("y"), c=ref("b"))
    assert reachable(built) == ["root", "a", "b"]


def test_a_tree_reads_like_ebnf() -> None:
    node = seq(
        tag("content", until("<a>", confirm=lit('<a>"\n'))),
        choice("a", seq("b", many1("c"))),
        repeat(choice("x", "y"), 2, 3),
        repeat("z", 2),
        repeat("w", 2, 2),
        many(seq("p", "q")),
        optional(ref("rule")),
        chars("^a-z_", 0, None),
        any_char(),
        json(),
        nodes.Schema(schema={}, root={}, tool="get", pointer="/properties/a"),
        nodes.Gbnf(text=""),
        peek(choice("a", "b")),
        negate("c"),
        atomic("a", "b"),
        space(),
        tolerant("a", "b"),
        cut(),
        catch(note("n"), anything()),
        end(),
    )
    assert describe(node) == (
        'content:(until("<a>" then &("<a>\\"\\n"))) ("a" | "b" "c"+) ("x" | "y"){2,3} "z"{2,} "w"{2} ("p" "q")* rule? [^a-z_]* any '
        'json-value schema(get/properties/a) gbnf &("a" | "b") !"c" atomic("a" "b") space tolerant("a", also "b") cut '
        "catch(note(n), else until()) end"
    )
    assert describe(seq()) == "()"
    assert describe(choice()) == "never"
    assert describe_arena(arena(ref("r"), r=lit("é\x00"))) == 'root = r\nr = "é\\x00"\n'


def test_the_plain_matcher_knows_three_results() -> None:
    rules = arena(seq("ab", end()))
    assert match_text(rules, "ab").outcome is Outcome.MATCHED
    assert match_text(rules, "ax").outcome is Outcome.FAILED
    assert match_text(rules, "a", lenient=True).outcome is Outcome.NEEDS_MORE
    assert match_text(rules, "a").outcome is Outcome.FAILED


def test_the_plain_matcher_can_demand_the_whole_text() -> None:
    rules = arena(lit("a"))
    assert match_text(rules, "ab").outcome is Outcome.MATCHED
    assert match_text(rules, "ab", complete=True).outcome is Outcome.FAILED


def test_the_plain_matcher_tells_its_rules() -> None:
    lines: list[str] = []
    match_text(arena(seq("a", ref("r")), r=lit("b")), "ab", debug=lines.append)
    assert lines == ['root at 0: "a" r', '  r at 1: "b"', "  r matched to 2", "root matched to 2"]
