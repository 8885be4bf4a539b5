"""What must hold for the machine with any tree and any text."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.peg_trees import cases, cut_text, feed_in, flatten, texts
from untemplate.peg.builder import arena, beginning
from untemplate.peg.events import ABORT, CLOSE, OPEN
from untemplate.peg.machine import Machine
from untemplate.peg.matcher import Outcome, match_text
from untemplate.peg.nodes import Arena
from untemplate.peg.program import compile_program

sizes = st.lists(st.integers(1, 5), min_size=1, max_size=6)


@given(cases(cuts=True), sizes)
def test_any_chunking_equals_one_shot(case: tuple[Arena, str], steps: list[int]) -> None:
    arena, text = case
    program = compile_program(arena)
    whole, events = feed_in(program, [text])
    cut, others = feed_in(program, cut_text(text, steps))
    assert others == events
    assert (cut.done, cut.failed, cut.position, cut.rest()) == (whole.done, whole.failed, whole.position, whole.rest())


@given(cases(cuts=True))
@example((arena(beginning("aba")), "a"))
def test_the_machine_gives_what_the_plain_matcher_gives(case: tuple[Arena, str]) -> None:
    arena, text = case
    machine, events = feed_in(compile_program(arena), [text])
    result = match_text(arena, text)
    assert machine.done is (result.outcome is Outcome.MATCHED)
    assert machine.failed == (None if machine.done else result.position)
    assert events == list(result.events)
    assert machine.rest() == text[result.position :]


@given(cases(cuts=True))
def test_a_prefix_is_open_where_the_plain_matcher_needs_more(case: tuple[Arena, str]) -> None:
    arena, text = case
    machine = Machine(compile_program(arena))
    events = flatten(machine.feed(text))
    result = match_text(arena, text, lenient=True)
    assert (not machine.done and machine.failed is None) is (result.outcome is Outcome.NEEDS_MORE)
    assert flatten(result.events)[: len(events)] == events


@given(cases(cuts=True), texts)
def test_events_of_a_prefix_are_a_prefix_of_the_events_of_the_whole(case: tuple[Arena, str], more: str) -> None:
    arena, text = case
    program = compile_program(arena)
    early = flatten(Machine(program).feed(text))
    _, whole = feed_in(program, [text + more])
    assert flatten(whole)[: len(early)] == early


@given(cases(cuts=True), texts, texts)
def test_a_copy_goes_its_own_way(case: tuple[Arena, str], left: str, right: str) -> None:
    arena, text = case
    program = compile_program(arena)
    machine = Machine(program)
    before = machine.feed(text)
    other = machine.copy()
    ways = {}
    for name, run, more in (("left", machine, left), ("right", other, right)):
        ways[name] = flatten([*before, *run.feed(more), *run.finish()])
    assert ways["left"] == flatten(feed_in(program, [text + left])[1])
    assert ways["right"] == flatten(feed_in(program, [text + right])[1])


@given(cases(cuts=True))
def test_tags_are_well_nested(case: tuple[Arena, str]) -> None:
    arena, text = case
    _, events = feed_in(compile_program(arena), [text])
    stack: list[object] = []
    for kind, payload, _ in events:
        if kind == OPEN:
            stack.append(payload)
        elif kind in (CLOSE, ABORT):
            assert stack.pop() == payload
    assert not stack


@given(cases(cuts=False))
def test_positions_never_go_back(case: tuple[Arena, str]) -> None:
    arena, text = case
    _, events = feed_in(compile_program(arena), [text])
    positions = [event[2] for event in events]
    assert positions == sorted(positions)
    assert all(0 <= position <= len(text) for position in positions)


@given(cases(cuts=False))
def test_a_match_within_a_text_says_so_when_it_must_be_complete(case: tuple[Arena, str]) -> None:
    arena, text = case
    result = match_text(arena, text)
    assume(result.outcome is Outcome.MATCHED)
    complete = match_text(arena, text, complete=True)
    assert (complete.outcome is Outcome.MATCHED) is (result.position == len(text))
