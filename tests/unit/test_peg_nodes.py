"""Each node, alone and with few others, as the machine runs it."""

from __future__ import annotations

import pytest

from tests.peg_trees import feed_in
from untemplate.errors import RequestError
from untemplate.peg import nodes
from untemplate.peg.builder import (
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
    json_string,
    lit,
    many,
    many1,
    negate,
    note,
    optional,
    peek,
    ref,
    remember,
    repeat,
    same,
    seq,
    space,
    tag,
    tolerant,
    until,
)
from untemplate.peg.events import EventKind, merge_text
from untemplate.peg.machine import Machine
from untemplate.peg.nodes import Node
from untemplate.peg.program import compile_program

Plain = list[tuple[str, str]]


def plain(events: list[tuple[int, object, int]]) -> Plain:
    """Return events as words: the kind of a tag instead of the tag, and no positions."""
    return [(EventKind(kind).name.lower(), what.kind if isinstance(what, nodes.Tag) else str(what)) for kind, what, _ in events]


def run(node: Node, *pieces: str, **rules: Node) -> tuple[Plain, bool, int | None, str]:
    """Return events, done, failed and rest."""
    machine, events = feed_in(compile_program(arena(node, **rules)), pieces)
    return plain(events), machine.done, machine.failed, machine.rest()


def streamed(node: Node, *pieces: str) -> list[Plain]:
    """Return the events that each piece releases, and the last ones."""
    machine = Machine(compile_program(arena(node)))
    return [*(plain(merge_text(machine.feed(piece))) for piece in pieces), plain(machine.finish())]


TEXT = "text"


def test_a_literal_is_no_event_and_fails_as_a_whole() -> None:
    assert run(lit("<a>"), "<a>x") == ([], True, None, "x")
    assert run(lit("<a>"), "<b>") == ([], False, 0, "<b>")


def test_a_literal_with_emit_is_an_event() -> None:
    assert run(lit("<a>", emit=True), "<", "a>")[0] == [(TEXT, "<a>")]


def test_a_literal_cut_short_by_the_end_fails_where_it_began() -> None:
    assert run(seq("a", lit("<b>")), "a<b") == ([], False, 1, "<b")


def test_the_first_option_that_matches_wins() -> None:
    assert run(choice(tag("x", lit("a")), tag("y", lit("ab"))), "ab") == ([("open", "x"), ("close", "x")], True, None, "b")


def test_events_of_a_failed_option_are_not_given() -> None:
    node = choice(seq(tag("x", lit("a", emit=True)), lit("b")), tag("y", lit("ac", emit=True)))
    assert run(node, "a", "c")[0] == [("open", "y"), (TEXT, "ac"), ("close", "y")]


def test_a_choice_without_options_never_matches() -> None:
    assert run(choice(), "a")[2] == 0


def test_a_repeat_takes_as_many_as_it_may() -> None:
    item = tag("i", lit("a"))
    assert len(run(repeat(item, 0, 2), "aaa")[0]) == 4
    assert run(repeat(item, 2), "a")[1:3] == (False, 1)


def test_a_repeat_gives_up_a_round_that_takes_no_text() -> None:
    assert run(seq(many(tag("i", optional("a"))), end()), "aa") == ([("open", "i"), ("close", "i")] * 2, True, None, "")


def test_a_repeat_runs_needed_rounds_even_without_text() -> None:
    assert run(repeat(note("n"), 2), "")[0] == [("note", "n")] * 2


def test_until_gives_text_as_it_comes_and_does_not_take_the_stop() -> None:
    node = seq(until("<end>"), "<end>")
    assert streamed(node, "ab", "c<en", "d<e", "nd>") == [[(TEXT, "ab")], [(TEXT, "c")], [(TEXT, "<end")], [], []]


def test_until_holds_back_the_shortest_tail_that_may_become_a_stop() -> None:
    assert streamed(until("aab"), "xaaa", "a") == [[(TEXT, "xa")], [(TEXT, "a")], [(TEXT, "aa")]]


def test_until_waits_for_a_stop_that_began_before_another_one() -> None:
    node = seq(until("abcd", "c"), tag("rest", anything()))
    assert run(node, "abc", "d") == run(node, "abcd")
    assert run(node, "abc", "x")[0][0] == (TEXT, "ab")


def test_until_ends_with_the_text() -> None:
    assert run(seq(until("</a>"), end()), "x</") == ([(TEXT, "x</")], True, None, "")


def test_until_goes_on_where_the_stop_is_not_confirmed() -> None:
    node = seq(until("</p>", confirm=seq("</p>", space(), "<p>")), "</p>", space(), "<p>", end())
    assert run(node, "a</p", "> b</p>", " \n", "<p>") == ([(TEXT, "a</p> b")], True, None, "")


def test_until_passes_one_character_of_a_stop_that_does_not_stand() -> None:
    node = seq(until("aa", confirm=lit("aab")), "aab")
    assert run(node, "aaab") == ([(TEXT, "a")], True, None, "")


def test_text_behind_an_unconfirmed_stop_waits() -> None:
    node = until("|", confirm=lit("|x|"))
    assert streamed(node, "a|", "x", "y") == [[(TEXT, "a")], [], [(TEXT, "|xy")], []]


@pytest.mark.parametrize("mark", ["`", '"', "'"])
def test_a_quoted_stop_is_text_where_stops_may_be_quoted(mark: str) -> None:
    node = seq(until("</think>", quotable=True), "</think>", end())
    text = f"say {mark}</think>{mark} then</think>"
    expected = ([(TEXT, text[: -len("</think>")])], True, None, "")
    assert run(node, text) == expected
    assert run(node, *text) == expected


def test_a_stop_between_different_quotes_stands() -> None:
    assert run(seq(until("|", quotable=True), "|"), "a'|\"") == ([(TEXT, "a'")], True, None, '"')


def test_a_stop_after_a_quote_at_the_end_stands() -> None:
    assert run(seq(until("|", quotable=True), "|", end()), "a`|")[1:3] == (True, None)


def test_a_quote_before_the_free_text_does_not_quote_its_stop() -> None:
    assert run(seq("`", until("|", quotable=True), "|`", end()), "`|`")[1:3] == (True, None)


def test_any_is_one_character_of_any_kind() -> None:
    assert run(seq(any_char(), any_char(), end()), "\n🙂")[0] == [(TEXT, "\n🙂")]


def test_characters_are_given_as_they_come_once_there_are_enough() -> None:
    assert streamed(chars("a-z", 2, None), "a", "b", "c", "1") == [[], [(TEXT, "ab")], [(TEXT, "c")], [], []]


def test_characters_end_at_their_maximum_without_waiting() -> None:
    machine = Machine(compile_program(arena(chars("a-z", 1, 2))))
    machine.feed("ab")
    assert machine.done


def test_a_class_can_be_negated_and_hold_special_characters() -> None:
    assert run(chars("^]-", 1, None), "a[^]")[0] == [(TEXT, "a[^")]
    assert run(chars("]^\\\\-", 1, None), "^]-\\a")[0] == [(TEXT, "^]-\\")]


def test_too_few_characters_fail_where_they_began() -> None:
    assert run(chars("a", 3, None), "aab") == ([], False, 0, "aab")


def test_peek_takes_nothing_and_gives_nothing() -> None:
    assert run(seq(peek(lit("ab", emit=True)), "a"), "ab") == ([], True, None, "b")


PAIR = seq("<", remember(chars("a-z", 1, None), ">", optional(ref("pair")), "</", same(), ">"))


@pytest.mark.parametrize("pieces", [["<ab>", "<c></c>", "</ab>"], list("<ab><c></c></ab>"), ["<a", "b><c></", "c></a", "b>"]])
def test_what_is_remembered_is_the_same_however_the_text_is_cut(pieces: list[str]) -> None:
    assert run(PAIR, *pieces, pair=PAIR) == ([(TEXT, "abccab")], True, None, "")


@pytest.mark.parametrize("text", ["<ab><c></ab></ab>", "<ab></c>", "<ab></abc>", "<ab></a>"])
def test_another_text_than_the_remembered_one_does_not_match(text: str) -> None:
    assert not run(PAIR, text, pair=PAIR)[1]


def test_nothing_is_the_same_where_nothing_is_remembered() -> None:
    assert run(seq(remember("a", same()), optional(same())), "aaa") == ([(TEXT, "a")], True, None, "a")
    assert not run(same(), "a")[1]


def test_negate_matches_where_its_item_does_not() -> None:
    node = seq(negate("ab"), until("b"))
    assert run(node, "a", "cb") == ([(TEXT, "ac")], True, None, "b")
    assert run(node, "a", "b")[1:3] == (False, 0)


def test_atomic_gives_nothing_before_it_is_whole() -> None:
    node = seq(atomic(until("|"), "|"), anything())
    assert streamed(node, "ab", "c|", "d") == [[], [(TEXT, "abc")], [(TEXT, "d")], []]


def test_atomic_that_fails_leaves_no_event_and_fails_where_it_began() -> None:
    assert run(seq("x", atomic(until("|"), "|")), "xabc") == ([], False, 1, "abc")


def test_a_cut_inside_atomic_does_not_reach_outside() -> None:
    node = choice(atomic("a", cut(), "b"), tag("other", anything()))
    assert run(node, "ac")[0] == [("open", "other"), (TEXT, "ac"), ("close", "other")]


def test_a_cut_settles_the_choices_around_it_and_releases_their_events() -> None:
    node = choice(seq(lit("a", emit=True), cut(), until("|"), lit("|")), anything())
    assert streamed(node, "a", "b", "c") == [[(TEXT, "a")], [(TEXT, "b")], [(TEXT, "c")], []]
    assert run(node, "abc") == ([(TEXT, "abc")], False, 3, "")


def test_a_loop_can_go_on_after_a_cut_in_it() -> None:
    node = seq(many(seq("a", cut(), lit("b", emit=True))), "c")
    assert run(node, "ababc") == ([(TEXT, "bb")], True, None, "")


def test_a_tag_wraps_the_events_of_its_item() -> None:
    assert run(tag("t", until("|")), "a|")[0] == [("open", "t"), (TEXT, "a"), ("close", "t")]


def test_a_tag_that_is_not_whole_is_aborted() -> None:
    assert run(tag("t", tag("u", anything(), "x")), "a")[0] == [("open", "t"), ("open", "u"), (TEXT, "a"), ("abort", "u"), ("abort", "t")]


def test_a_catch_goes_on_where_its_item_failed_and_takes_nothing_back() -> None:
    node = seq(catch(tag("t", until("|"), "|", lit("b")), seq(note("bad"), anything())), end())
    assert run(node, "a|", "c")[0] == [("open", "t"), (TEXT, "a"), ("abort", "t"), ("note", "bad"), (TEXT, "c")]


def test_a_catch_holds_nothing_back() -> None:
    assert streamed(catch(seq(until("|"), lit("|")), anything()), "ab")[0] == [(TEXT, "ab")]


def test_a_catch_lets_its_item_use_every_way_back_first() -> None:
    node = catch(choice(seq("a", "b"), lit("ac", emit=True)), note("bad"))
    assert run(node, "ac")[0] == [(TEXT, "ac")]


def test_a_failed_handler_fails_further() -> None:
    node = choice(seq(catch(lit("a"), lit("b"))), lit("c", emit=True))
    assert run(node, "c")[0] == [(TEXT, "c")]


def test_the_nearest_catch_is_the_one_that_catches() -> None:
    node = catch(catch(lit("a"), note("inner")), note("outer"))
    assert run(node, "b")[0] == [("note", "inner")]


def test_a_rule_returns_to_where_it_was_called() -> None:
    node = seq(ref("r"), "-", ref("r"), end())
    assert run(node, "a-a", r=lit("a", emit=True))[0] == [(TEXT, "aa")]


def test_a_rule_may_call_itself() -> None:
    assert run(seq(ref("r"), end()), "((()))", r=seq("(", optional(ref("r")), ")"))[1]


def test_recursion_does_not_use_pythons_stack() -> None:
    depth = 20_000
    text = "(" * depth + ")" * depth
    assert run(seq(ref("r"), end()), text, r=seq("(", optional(ref("r")), ")"))[1]


def test_space_is_dropped() -> None:
    assert run(seq(space(), any_char(), space(), end()), " \n", "\ta", " ")[0] == [(TEXT, "a")]


def test_end_waits_for_the_end() -> None:
    machine = Machine(compile_program(arena(seq("a", end()))))
    machine.feed("a")
    assert not machine.done
    machine.finish()
    assert machine.done


def test_a_tolerant_reads_the_wider_of_its_two() -> None:
    assert run(tolerant(lit("a"), chars("a-c")), "b")[0] == [(TEXT, "b")]


def test_a_note_tells_its_place() -> None:
    _, events = feed_in(compile_program(arena(seq("ab", note("n")))), ["ab"])
    assert events == [(EventKind.NOTE, "n", 2)]


def test_a_schema_reads_any_json() -> None:
    assert run(nodes.Schema(schema={"type": "integer"}, root={}), '["x"]')[0] == [(TEXT, '["x"]')]


def test_a_callers_grammar_reads_any_text() -> None:
    assert run(seq(nodes.Gbnf(text='root ::= "a"'), end()), "b\n")[0] == [(TEXT, "b\n")]


def test_json_ends_with_its_value() -> None:
    assert run(json(), '{"a": [1]} x') == ([(TEXT, '{"a": [1]}')], True, None, " x")


def test_json_that_breaks_fails_there_and_keeps_what_was_given() -> None:
    assert run(json(), '{"a": [1, ', "x]}") == ([(TEXT, '{"a": [1')], False, 8, ", x]}")


def test_a_key_that_never_got_its_colon_is_still_there_after_a_failure() -> None:
    node = seq(catch(tag("j", json()), note("bad")), tag("rest", anything()))
    assert run(node, *'{"a": 1, "long key" oops')[0] == [
        ("open", "j"),
        (TEXT, '{"a": 1'),
        ("abort", "j"),
        ("note", "bad"),
        ("open", "rest"),
        (TEXT, ', "long key" oops'),
        ("close", "rest"),
    ]


def test_a_decoded_string_is_given_as_what_it_means() -> None:
    assert run(json_string(decoded=True), '"a\\n\\u00e9"')[0] == [(TEXT, "a\né")]


def test_what_does_not_emit_is_read_all_the_same() -> None:
    node = seq(until("|", emit=False), "|", json(emit=False), chars("a", 1, None, emit=False), end())
    assert run(node, 'x|{"a": 1}aa') == ([], True, None, "")


def test_text_after_the_root_is_the_callers() -> None:
    machine = Machine(compile_program(arena(lit("a"))))
    machine.feed("ab")
    assert machine.feed("c") == []
    assert machine.rest() == "bc"


def test_feeding_after_finish_is_an_error_of_the_caller() -> None:
    machine = Machine(compile_program(arena(many1("a"))))
    machine.finish()
    with pytest.raises(RequestError):
        machine.feed("a")


def test_finishing_twice_gives_nothing_more() -> None:
    machine = Machine(compile_program(arena(anything())))
    machine.feed("a")
    machine.finish()
    assert machine.finish() == []
