"""What a chunk costs early and late, and characters a second: the PEG machine alone, then whole sessions over turns of the fixtures.

``--full`` takes every fixture and every place in its turns where text can grow; without it, a few fixtures.
"""

from __future__ import annotations

import time

from benchmarks.figures import Figure, at_least, at_most, is_full
from benchmarks.sweep import Place, fixtures, late_over_early, memory, places, speed
from untemplate.peg.builder import anything, arena, atomic, choice, end, json, seq, space, tag, until
from untemplate.peg.machine import Machine
from untemplate.peg.matcher import match_text
from untemplate.peg.nodes import Arena
from untemplate.peg.program import compile_program

PROSE = "The quick brown fox jumps over <b>the</b> lazy dog, and so on; x < y.\n"
ESCAPED = 'The quick\\n brown fox \\"jumps\\" over a lazy dog; C:\\\\x. '
CONFIRMED = seq("</parameter>", space(), choice("<parameter=", "</function>"))

CASES: dict[str, tuple[Arena, str, str]] = {
    "free text": (arena(seq(until("<tool_call>", "</think>", "<|im_end|>"), end())), "", PROSE),
    "a JSON string": (arena(seq(tag("arguments", json()), end())), '{"code": "', ESCAPED),
    "a raw value": (arena(seq(until("</parameter>", confirm=CONFIRMED), "</parameter>")), "", PROSE * 3 + "</parameter>\nx"),
    "a call that waits": (arena(choice(atomic(tag("call", json()), "</tool_call>"), anything())), '{"code": "', ESCAPED),
}
SOME = ("function_parameter_tags", "hermes_json_tags", "reasoning_tagged")
"""Fixtures that stand for all where not all are taken."""
MANY = 600_000
"""Characters of one argument, each in a chunk of its own."""
COPIES = 4
"""Bytes that may be held for a character: it is in the message, in the text for diagnostics and, while it waits, in what may be
read again."""
ONES = 2_000
"""Such chunks that are timed together."""


def run() -> list[Figure]:
    """Return the figures for each kind of text, and for each fixture."""
    figures: list[Figure] = []
    for name, (rules, head, body) in CASES.items():
        figures.append(at_most(f"{name}: 4 characters at 1 MB over at 1 KB", _late_over_early(rules, head, body), 1.2))
        figures.append(at_least(f"{name}: 64-character chunks", _speed(rules, head, body), 1.0, "M/s"))
    figures.append(at_least("24 KB, 4 at a time: over matching anew", _over_anew(), 20))
    for fixture in fixtures() if is_full() else SOME:
        for place in places(fixture):
            figures += _of_a_place(place)
    for place in places(SOME[0]):
        figures += _one_by_one(place)
    return figures


def _of_a_place(place: Place) -> list[Figure]:
    """Return what a session costs where text grows at one place of a turn."""
    ratio, each = late_over_early(place)
    note = f"{', '.join(f'{cost:.1f}' for cost in each)} us at 1 KB, 10 KB, 100 KB, 1 MB"
    name = f"{place.fixture}, {place.where}"
    return [at_most(f"{name}: 1 MB over 1 KB", ratio, 1.2, note=note), at_least(f"{name}: 64 at a time", speed(place), 1.0, "M/s")]


def _one_by_one(place: Place) -> list[Figure]:
    """Return what many chunks of one character cost, the last tenth over the first one, and what is held for each character."""
    session, text = place.session(), place.text(MANY)
    times = []
    for start in range(0, MANY, ONES):
        begin = time.process_time()
        for character in text[start : start + ONES]:
            session.feed(character)
        times.append(time.process_time() - begin)
    session.finish()
    tenth = len(times) // 10
    note = f"{sum(times):.1f} s for all"
    figures = [at_most(f"{MANY:,} of one character, {place.where}", min(times[-tenth:]) / min(times[:tenth]), 1.2, note=note)]
    if is_full() or place.where == "raw argument":
        size = MANY if is_full() and place.where == "raw argument" else MANY // 10
        figures.append(at_most(f"{size:,}, {place.where}: bytes held for each", memory(place, size) / size, COPIES, "B"))
    return figures


def _late_over_early(rules: Arena, head: str, body: str) -> float:
    """Return the cost of a small chunk after a megabyte over that after a kilobyte, measured by turns."""
    text = head + body * (1_100_000 // len(body))
    program = compile_program(rules)
    early, late = Machine(program), Machine(program)
    early.feed(text[:1_000])
    for start in range(0, 1_000_000, 64):
        late.feed(text[start : start + 64])
    ratios = []
    for turn in range(15):
        first = _seconds(early, text, 1_000 + turn * 2_000)
        ratios.append(_seconds(late, text, 1_000_000 + turn * 2_000) / first)
    return sorted(ratios)[len(ratios) // 2]


def _seconds(machine: Machine, text: str, start: int) -> float:
    begin = time.process_time()
    for place in range(start, start + 2_000, 4):
        machine.feed(text[place : place + 4])
    return time.process_time() - begin


def _speed(rules: Arena, head: str, body: str) -> float:
    text = head + body * (500_000 // len(body))
    machine = Machine(compile_program(rules))
    begin = time.process_time()
    for start in range(0, len(text), 64):
        machine.feed(text[start : start + 64])
    machine.finish()
    return len(text) / (time.process_time() - begin) / 1e6


def _over_anew() -> float:
    """Return how many times longer it takes to match the whole text anew on chunks; every 100th is timed."""
    rules, head, body = CASES["a JSON string"]
    text = head + body * (24_000 // len(body))
    machine = Machine(compile_program(rules))
    begin = time.process_time()
    for start in range(0, len(text), 4):
        machine.feed(text[start : start + 4])
    streamed = time.process_time() - begin
    begin = time.process_time()
    for end_ in range(4, len(text), 400):
        match_text(rules, text[:end_], lenient=True)
    return 100 * (time.process_time() - begin) / streamed
