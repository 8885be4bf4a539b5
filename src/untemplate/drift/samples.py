"""Turns of every kind, from the shortest on: what two compiled templates are held against."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from untemplate.drift.model import Origin
from untemplate.parser import Parser, build_parser
from untemplate.probe.cases import CallCase, Case
from untemplate.runtime.message import Message
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode, Spec

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "lookup",
            "description": "Looks something up.",
            "parameters": {
                "type": "object",
                "properties": {
                    "q": {"type": "string"},
                    "n": {"type": "integer"},
                    "exact": {"type": "boolean"},
                    "near": {"type": ["null", "number"]},
                    "where": {"type": "object", "properties": {"site": {"type": "string"}}},
                    "tags": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    }
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """A message as it is meant to be read, in the terms that matter to a client."""

    content: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Name and arguments (JSON text, no white space) of each call."""

    def shown(self) -> str:
        """Return the message as one line of JSON."""
        calls = [{"name": name, "arguments": arguments} for name, arguments in self.calls]
        parts = {"reasoning_content": self.reasoning, "content": self.content, "tool_calls": calls}
        return json.dumps({name: value for name, value in parts.items() if value}, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTurn:
    """One turn as a template writes it, and what it means."""

    text: str
    """What follows the generation prompt, end of turn included."""
    body: str
    """The same without the end of turn, which an engine's stop takes away."""
    meant: Meant
    origin: Origin = Origin.COMPOSED
    read: bool = True
    """Whether the parser of its own spec gets what is meant."""


def meant_by(case: Case) -> Meant:
    """Return what a client should get of a message."""
    calls = tuple((call.name, json.dumps(dict(call.arguments), ensure_ascii=False, separators=(",", ":"))) for call in case.calls)
    return Meant(content=(case.content or "").strip(), reasoning=(case.reasoning or "").strip(), calls=calls)


def read_message(message: Message) -> Meant:
    """Return what a client gets, white space at the edges aside."""
    calls = tuple((call.name, _compact(call.arguments)) for call in message.tool_calls)
    return Meant(content=message.content.strip(), reasoning=message.reasoning_content.strip(), calls=calls)


def _compact(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, separators=(",", ":"))
    except ValueError:
        return arguments


def make_parser(spec: Spec, tool_choice: str = "auto") -> Parser:
    """Return the parser of a spec for the sample tools, started where the spec's own prompt starts a turn."""
    return build_parser(spec, tools=TOOLS, tool_choice=tool_choice, new_id=lambda: "id")


def composed_turns(spec: Spec) -> tuple[SampleTurn, ...]:
    """Return turns of every kind as a spec lays them out and its own parser reads them, the shortest first."""
    parser = make_parser(spec)
    made = (compose_turn(spec, case, parser.start.prefill) for case in sample_cases() if fits(spec, case))
    turns = {turn.text: turn for turn in made if turn is not None}
    return in_length(turn for turn in turns.values() if reads(parser, turn))


def in_length(turns: Iterable[SampleTurn]) -> tuple[SampleTurn, ...]:
    """Return turns, the shortest first."""
    return tuple(sorted(turns, key=lambda turn: (len(turn.text), turn.text)))


def reads(parser: Parser, turn: SampleTurn) -> bool:
    """Return whether a parser gets the message that a turn means."""
    return read_message(parser.parse(turn.text)) == turn.meant


def compose_turn(spec: Spec, case: Case, prefill: str) -> SampleTurn | None:
    """Return the turn of a message as a spec lays it out, ``None`` where it does not begin as the prompt has begun it."""
    calls = tuple(ComposedCall(name=call.name, id=call.id, arguments=call.arguments) for call in case.calls)
    text = compose(spec.turn, reasoning=case.reasoning, content=case.content, calls=calls)
    # A prompt that opens reasoning has no turn without it.
    if not text.startswith(prefill):
        return None
    ends = spec.prompt.end_of_turn
    end = (ends.calls if calls else ends.content) or ends.content or ("",)
    body = text[len(prefill) :]
    # What closes the last call may be what ends the turn.
    return SampleTurn(text=body if body.endswith(end[0]) else body + end[0], body=body, meant=meant_by(case))


def fits(spec: Spec, case: Case) -> bool:
    """Return whether a spec has a place for every block of a message."""
    if case.calls and (spec.turn.calls is None or len(case.calls) > (spec.capabilities.max_calls or len(case.calls))):
        return False
    modes = {ReasoningMode.TAGGED} if not case.calls else {ReasoningMode.TAGGED, ReasoningMode.TOOLS_ONLY}
    return case.reasoning is None or spec.turn.reasoning.mode in modes


def sample_cases() -> Iterator[Case]:
    """Yield messages of every kind."""
    yield Case(content="Yes.")
    yield Case(content="One\n\ntwo, <b> {x} [y].")
    yield Case(reasoning="Hm.", content="Yes.")
    yield Case(reasoning="Hm.\n\nSo: yes.", content="Yes.")
    calls = tuple(CallCase("lookup", f"callid{index:03d}", arguments) for index, arguments in enumerate(_ARGUMENTS))
    for call in calls:
        yield Case(calls=(call,))
    for content in (None, "Let me look."):
        for reasoning in (None, "Hm."):
            yield Case(reasoning, content, calls[:1])
            yield Case(reasoning, content, calls[:2])
    yield Case(calls=calls[:3])
    yield Case(calls=calls[2:4])


_ARGUMENTS: tuple[dict[str, Any], ...] = (
    {"q": "x"},
    {"q": "two words", "n": 3},
    {},
    {"n": -1, "exact": True},
    {"near": None, "exact": False},
    {"near": 0.5},
    {"where": {"site": "a.b"}, "tags": ["one", "two"]},
    {"q": 'say "hi" & <b>\nbye', "n": 7},
    {"q": "10"},
    {"q": "one\ntwo\n\nthree: it's a \\ there"},
    {"q": "Größe 東京 👋"},
    {"where": {}, "tags": []},
)
