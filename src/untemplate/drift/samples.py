"""Turns that a spec's template writes, from the shortest on: what two compiled templates are held against."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from untemplate.parser import Parser, build_parser
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


def sample_turns(spec: Spec) -> tuple[SampleTurn, ...]:
    """Return turns of every kind that a spec can write and its own parser reads, the shortest first."""
    parser = make_parser(spec)
    turns = {turn.text: turn for turn in _written(spec, parser.start.prefill)}
    return tuple(sorted((turn for turn in turns.values() if reads(parser, turn)), key=lambda turn: (len(turn.text), turn.text)))


def reads(parser: Parser, turn: SampleTurn) -> bool:
    """Return whether a parser gets the message that a turn means."""
    return read_message(parser.parse(turn.text)) == turn.meant


def _written(spec: Spec, prefill: str) -> Iterator[SampleTurn]:
    ends = spec.prompt.end_of_turn
    for reasoning, content, calls in _messages(spec):
        text = compose(spec.turn, reasoning=reasoning, content=content, calls=calls)
        # A prompt that opens reasoning has no turn without it.
        if not text.startswith(prefill):
            continue
        end = (ends.calls if calls else ends.content) or ends.content or ("",)
        meant = Meant(
            content=content or "",
            reasoning=reasoning or "",
            calls=tuple((call.name, json.dumps(call.arguments, ensure_ascii=False, separators=(",", ":"))) for call in calls),
        )
        body = text[len(prefill) :]
        # What closes the last call may be what ends the turn.
        yield SampleTurn(text=body if body.endswith(end[0]) else body + end[0], body=body, meant=meant)


def _messages(spec: Spec) -> Iterator[tuple[str | None, str | None, tuple[ComposedCall, ...]]]:
    reasons = spec.turn.reasoning.mode is not ReasoningMode.NONE
    alone = spec.turn.reasoning.mode is ReasoningMode.TAGGED
    yield None, "Yes.", ()
    yield None, "One\n\ntwo, <b> {x} [y].", ()
    if alone:
        yield "Hm.", "Yes.", ()
        yield "Hm.\n\nSo: yes.", "Yes.", ()
    if spec.turn.calls is None:
        return
    calls = tuple(_call(index, arguments) for index, arguments in enumerate(_ARGUMENTS))
    for call in calls:
        yield None, None, (call,)
    several = spec.capabilities.max_calls is None or spec.capabilities.max_calls > 1
    for content in (None, "Let me look."):
        for reasoning in (None, "Hm.") if reasons else (None,):
            yield reasoning, content, calls[:1]
            if several:
                yield reasoning, content, calls[:2]
    if several:
        yield None, None, calls[:3]


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
)


def _call(index: int, arguments: dict[str, Any]) -> ComposedCall:
    return ComposedCall(name="lookup", id=f"callid{index:03d}", arguments=arguments)
