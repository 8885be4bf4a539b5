"""Sessions over long turns of the fixtures: the cost of a small chunk early and late, in each place where text can grow."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from untemplate import Session, Spec, build_parser, load_spec
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Encoding, JsonType, ReasoningMode

GOLDEN = Path(__file__).parents[1] / "golden"
HERE = "Q7Z9"
"""Stands where the long text goes."""
SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""Characters of that text, when a chunk is timed."""
CHUNK = 4
BATCH = 200
"""Chunks that are timed together."""
ROUNDS = 12
MOST_ROUNDS = 60
PROSE = "The quick brown fox jumps over <b>the</b> lazy dog, and so on; x < y.\n"
JSON = 'The quick\\n brown fox \\"jumps\\" over a lazy dog; C:\\\\x. '
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "write",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "lines": {"type": "array", "items": {"type": "string"}}},
            },
        },
    }
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a turn of a format the text grows."""

    fixture: str
    where: str
    head: str
    """The turn up to there."""
    body: str
    """What comes again and again."""
    received: str
    """The field of the message that grows: ``content``, ``reasoning_content`` or ``arguments``; ``""``: it comes when it is whole."""

    def text(self, size: int) -> str:
        """Return so many characters of the growing text."""
        return (self.body * (size // len(self.body) + 1))[:size]

    def session(self) -> Session:
        """Return a session that has read the turn up to there."""
        session = build_parser(spec_of(self.fixture), tools=TOOLS, add_generation_prompt=False).session()
        session.feed(self.head)
        return session


def fixtures() -> list[str]:
    """Return the names of all fixtures that compile to a spec."""
    return sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))


def spec_of(fixture: str) -> Spec:
    return load_spec(GOLDEN / fixture / "spec.yaml")


def places(fixture: str) -> Iterator[Place]:
    """Yield the places that a format has: content, reasoning, an argument in JSON, a raw one, one in a notation of its own."""
    turn = spec_of(fixture).turn
    yield Place(fixture=fixture, where="content", head=_before(compose(turn, content=HERE)), body=PROSE, received="content")
    if turn.reasoning.mode is not ReasoningMode.NONE:
        calls = [_call("x")] if turn.reasoning.mode is ReasoningMode.TOOLS_ONLY else []
        head = _before(compose(turn, reasoning=HERE, calls=calls))
        yield Place(fixture=fixture, where="reasoning", head=head, body=PROSE, received="reasoning_content")
    if turn.calls is None:
        return
    arguments = turn.calls.forms[0].arguments
    head = _before(compose(turn, calls=[_call(HERE)]))
    string = None if arguments is None else arguments.values.get(JsonType.STRING)
    if string is None or string.encoding is not Encoding.RAW:
        yield Place(fixture=fixture, where="JSON argument", head=head, body=JSON, received="arguments")
    else:
        yield Place(fixture=fixture, where="raw argument", head=head, body=PROSE, received="arguments")
        head = _before(compose(turn, calls=[ComposedCall(name="write", id="a1B2c3D4e", arguments={"lines": [HERE]})]))
        if head.endswith('"'):
            yield Place(fixture=fixture, where="JSON argument", head=head, body=JSON, received="")
        else:
            yield Place(fixture=fixture, where="nested argument", head=head, body=PROSE, received="")


def _call(text: str) -> ComposedCall:
    return ComposedCall(name="write", id="a1B2c3D4e", arguments={"text": text})


def _before(text: str) -> str:
    head, found, _ = text.partition(HERE)
    assert found
    return head


def late_over_early(place: Place) -> tuple[float, list[float]]:
    """Return the cost of a chunk at the largest size over that at the smallest, and microseconds at each size.

    Batches are timed by turns, in processor time, and the best of each size counts: what else the machine does can only add. Where
    the ratio is not good yet, more rounds are taken.
    """
    text = place.text(SIZES[-1] + 2 * MOST_ROUNDS * BATCH * CHUNK)
    sessions = [_advanced(place, text, size) for size in SIZES]
    best = [float("inf")] * len(SIZES)
    for turn in range(MOST_ROUNDS):
        for index, (session, at) in enumerate(zip(sessions, SIZES, strict=True)):
            start = at + turn * BATCH * CHUNK
            begin = time.process_time()
            for each in range(start, start + BATCH * CHUNK, CHUNK):
                session.feed(text[each : each + CHUNK])
            best[index] = min(best[index], time.process_time() - begin)
        if turn >= ROUNDS and best[-1] <= 1.1 * best[0]:
            break
    for session, size in zip(sessions, SIZES, strict=True):
        got = received(place, session)
        assert got is None or got >= size, f"{place.fixture}: the text did not go into the {place.where}"
    return best[-1] / best[0], [seconds / BATCH * 1e6 for seconds in best]


def _advanced(place: Place, text: str, size: int) -> Session:
    session = place.session()
    for start in range(0, size, 64):
        session.feed(text[start : min(start + 64, size)])
    return session


def received(place: Place, session: Session) -> int | None:
    """Return how much of the growing text the message has; ``None`` where it comes when it is whole, or when the call has its id."""
    message = session.message()
    if place.received and (place.received != "arguments" or message.tool_calls):
        return len(message.tool_calls[0].arguments if message.tool_calls else getattr(message, place.received))
    assert not message.content, f"{place.fixture}: the {place.where} went into content"
    return None


def speed(place: Place, size: int = 300_000, chunk: int = 64) -> float:
    """Return how many million characters a second a session reads: the best of a few runs."""
    text = place.text(size)
    best = float("inf")
    for _ in range(3):
        session = place.session()
        begin = time.process_time()
        for start in range(0, size, chunk):
            session.feed(text[start : start + chunk])
        best = min(best, time.process_time() - begin)
    return size / best / 1e6


def memory(place: Place, size: int) -> float:
    """Return the most bytes that a session held while so many characters came one at a time."""
    text = place.text(size)
    session = place.session()
    tracemalloc.start()
    try:
        for character in text:
            session.feed(character)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
