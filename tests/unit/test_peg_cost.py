"""What text may cost: counted in characters and ways back where possible, so that a busy machine does not matter."""

from __future__ import annotations

import pytest

from tests.peg_trees import cut_text, feed_in
from tests.steps import steps
from untemplate.peg.arena import width
from untemplate.peg.builder import (
    any_char,
    anything,
    arena,
    atomic,
    chars,
    choice,
    cut,
    end,
    json,
    lit,
    many,
    negate,
    optional,
    peek,
    ref,
    repeat,
    seq,
    space,
    tag,
    until,
)
from untemplate.peg.events import BUDGET, NOTE, TEXT
from untemplate.peg.machine import Machine
from untemplate.peg.nodes import Node
from untemplate.peg.program import compile_program

CLOSE_TAG = seq("</p>", space(), "<p>")


def text_of(events: list[tuple[int, object, int]]) -> str:
    return "".join(str(what) for kind, what, _ in events if kind == TEXT)


def budget_notes(events: list[tuple[int, object, int]]) -> int:
    return sum(kind == NOTE and what == BUDGET for kind, what, _ in events)


def test_a_look_ahead_that_reads_to_the_end_again_and_again_is_refused_in_time() -> None:
    node = seq(until("<c>", confirm=seq("<c>", until("</c>"), "</c>")), end())
    text = "<c>" * 40_000
    machine, events = feed_in(compile_program(arena(node)), [text])
    assert text_of(events) == text
    assert budget_notes(events) == 1
    assert machine._reread <= 10 * len(text) + 65_536


def test_where_the_means_run_out_does_not_depend_on_the_chunks() -> None:
    node = seq(many(choice(atomic("<c>", until("</c>"), "</c>"), any_char())), end())
    text = "<c>x" * 3_000
    program = compile_program(arena(node))
    whole = feed_in(program, [text])[1]
    assert budget_notes(whole) == 1
    assert feed_in(program, cut_text(text, (1000, 7, 64)))[1] == whole


def test_more_text_gives_new_means() -> None:
    node = seq(until("<c>", confirm=seq("<c>", until("</c>"), "</c>")), "<c>", until("</c>"), "</c>", end())
    machine, events = feed_in(compile_program(arena(node)), ["<c>" * 300 + "x" * 2_000_000 + "<c>y</c>"])
    assert not budget_notes(events)
    assert machine.done


def test_prose_that_names_a_marker_often_does_not_use_up_the_means() -> None:
    node = seq(until("</p>", confirm=CLOSE_TAG), end())
    text = "a </p> b </p>\n\n c" * 20_000
    _, events = feed_in(compile_program(arena(node)), cut_text(text, (64,)))
    assert events == [(TEXT, text, 0)]


def test_nested_choices_that_share_a_beginning_do_not_take_exponential_time() -> None:
    node = seq(ref("r"), end())
    rule = choice(seq("(", ref("r"), "a"), seq("(", ref("r"), "b"), lit("x"))
    machine, events = feed_in(compile_program(arena(node, r=rule)), ["(" * 60 + "x" + "b" * 60])
    assert machine.failed is not None
    assert budget_notes(events) == 1


def test_rules_that_try_each_other_twice_without_text_do_not_take_exponential_time() -> None:
    rules: dict[str, Node] = {f"r{level}": choice(seq(ref(f"r{level + 1}"), "a"), seq(ref(f"r{level + 1}"), "b")) for level in range(40)}
    machine, _ = feed_in(compile_program(arena(ref("r0"), **rules, r40=lit("x"))), ["y"])
    assert machine.failed == 0


def test_text_stays_a_way_out_where_other_options_are_not_tried_any_more() -> None:
    """The calls of a tree are options of a choice; the last one, and one that cuts early, is text."""
    call = seq("<c>", many(seq(space(), "<c>")), "!")
    text = choice(seq(tag("text", peek(choice("<c>", "<d>")), any_char(), cut(), until("<c>", "<d>"))), tag("text", any_char(), cut()))
    node = seq(many(choice(call, text)), end())
    hostile = "<c>" * 30_000
    program = compile_program(arena(node))
    machine, events = feed_in(program, [hostile])
    assert machine.done
    assert text_of(events) == hostile
    assert budget_notes(events) == 1
    assert machine._reread <= 18 * len(hostile) + 2 * 65_536
    assert feed_in(program, cut_text(hostile, (4_096, 5)))[1] == events


def test_what_can_only_read_a_few_characters_is_always_tried() -> None:
    call = seq("<c>", many(seq(space(), "<c>")), "!")
    few = atomic("<", choice("d", "e"), ">")
    node = seq(many(choice(call, few, seq(any_char(), cut()))), end())
    _, events = feed_in(compile_program(arena(node)), ["<c>" * 30_000 + "<d>"])
    assert budget_notes(events) == 1
    assert text_of(events) == "<c>" * 30_000


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (seq("ab", choice("c", "def")), 5),
        (seq("ab", optional("c"), repeat("d", 0, 3)), 6),
        (many("a"), None),
        (seq("a", cut(), many("a")), 1),
        (seq("a", tag("t", any_char(), cut()), until("x")), 2),
        (seq("a", atomic("b", cut(), many("c"))), None),
        (seq("a", peek(seq("b", cut())), "c"), 3),
        (seq(choice(seq("a", cut()), seq("bc", cut())), many("d")), 2),
        (seq(choice(seq("a", cut()), "b"), many("d")), None),
        (seq("a", space()), None),
        (chars("a", 0, 7), 7),
    ],
)
def test_how_far_a_node_may_read_before_it_cuts_is_known(node: Node, expected: int | None) -> None:
    assert width(node) == expected


def test_a_look_ahead_in_a_loop_stays_linear() -> None:
    node = seq(many(seq(negate(seq(until("!"), "!")), any_char())), anything())
    text = "a" * 20_000
    machine, events = feed_in(compile_program(arena(node)), [text])
    assert text_of(events) == text
    assert machine._reread <= 20 * len(text) + 2 * 65_536 + len(text)


@pytest.mark.parametrize(
    ("node", "head", "body"),
    [
        (seq(until("</p>", confirm=CLOSE_TAG), "</p>"), "", "plain text of a value </p> x\n"),
        (json(), '{"code": "', 'plain text\\n of a \\"value\\" \\\\ '),
        (seq(atomic(tag("call", json())), anything()), '{"code": "', 'plain text\\n of a \\"value\\" \\\\ '),
        (json(), '{"a": 1,', "   \n"),
        (json(), '{"a": 1, "', "a key without an end"),
        (seq(atomic(until("|"), "|")), "", "text that waits"),
        (choice(seq(space(), "x"), anything()), "", "  \n"),
    ],
)
def test_a_chunk_late_in_the_text_costs_what_an_early_one_costs(node: Node, head: str, body: str) -> None:
    program = compile_program(arena(node))
    early, late = Machine(program), Machine(program)
    text = head + body * (220_000 // len(body))
    early.feed(text[:1_000])
    for start in range(0, 200_000, 64):
        late.feed(text[start : start + 64])

    def feed(machine: Machine, start: int) -> None:
        for place in range(start, start + 8_000, 4):
            machine.feed(text[place : place + 4])

    before, after = steps(lambda: feed(early, 1_000)), steps(lambda: feed(late, 200_000))
    assert late.failed is None
    assert after < 1.5 * before


def _sizes(machine: Machine) -> tuple[int, int, int]:
    archived, pieces = machine.window.archive, 0
    while archived is not None:
        archived, pieces = archived[0], pieces + 1
    return len(machine.window.text) + pieces, len(machine._journal), len(machine.stack)


@pytest.mark.parametrize(
    ("node", "head", "body"),
    [
        (until("</p>", confirm=CLOSE_TAG), "", "text </p> x "),
        (json(), '{"a": "', "text of a string \\n"),
        (json(), "[", "1, "),
        (many(seq(lit("x", emit=True), cut())), "", "x"),
        (seq(many(seq(until("|"), "|")), end()), "", "x |"),
    ],
)
def test_what_is_kept_does_not_grow_with_the_text(node: Node, head: str, body: str) -> None:
    machine = Machine(compile_program(arena(node)))
    machine.feed(head)
    kept = []
    for _ in range(3_000):
        machine.feed(body)
        kept.append(_sizes(machine))
    assert max(kept[1_000:]) <= max(kept[:1_000])


def test_an_atomic_that_fails_late_gives_all_its_text_again() -> None:
    node = choice(atomic(tag("call", json()), "END"), anything())
    text = '{"a": "' + "x" * 50_000 + '"} EN'
    _, events = feed_in(compile_program(arena(node)), cut_text(text, (3,)))
    assert events == [(TEXT, text, 0)]


def test_a_copy_shares_the_text_that_waits() -> None:
    machine = Machine(compile_program(arena(seq(atomic(until("|"), "|"), anything()))))
    for _ in range(1_000):
        machine.feed("text ")
    copies = [machine.copy() for _ in range(3)]
    for number, copy in enumerate(copies):
        assert text_of(copy.feed(f"{number}|")) == "text " * 1_000 + str(number)
    assert text_of([*machine.feed("|x"), *machine.finish()]) == "text " * 1_000 + "x"
