"""What text may cost: counted in characters and ways back where possible, so that a busy machine does not matter."""

from __future__ import annotations

import time

import pytest

from tests.peg_trees import cut_text, feed_in
from untemplate.peg.builder import (
    any_char,
    anything,
    arena,
    atomic,
    choice,
    cut,
    end,
    json,
    lit,
    many,
    negate,
    ref,
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
    machine = Machine(compile_program(arena(node)))
    machine.feed(head)
    text = body * (220_000 // len(body))

    def seconds(start: int) -> float:
        best = 9.0
        for at in range(start, start + 10_000, 2_000):
            begin = time.perf_counter()
            for place in range(at, at + 2_000, 4):
                machine.feed(text[place : place + 4])
            best = min(best, time.perf_counter() - begin)
        return best

    early = seconds(1_000)
    for place in range(11_000, 200_000, 4):
        machine.feed(text[place : place + 4])
    assert machine.failed is None
    assert seconds(200_000) < 3 * early


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
