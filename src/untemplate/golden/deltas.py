"""Sample turns of a spec, read as they stream: which delta comes at which character."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from untemplate.parser import Parser, build_parser
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode, Spec
from untemplate.turns.cases import SHORT_KEYS, SHORT_NAMES
from untemplate.turns.tools import EVERYTHING, make_tools

PIECE = 7
"""Characters that come at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One message, its calls for the tools of the compiler's own verification: their parser is at hand."""

    label: str
    reasoning: str | None = None
    content: str | None = None
    calls: tuple[ComposedCall, ...] = ()


_FIRST = ComposedCall(name=EVERYTHING, id="callid001", arguments={"city": "Zürich", "count": 3})
_SECOND = ComposedCall(
    name=EVERYTHING,
    id="callid002",
    arguments={"query": "Tea & <cake>", "flag": False, "words": ["Ann", "Bo"], "options": {"label": 'the "Rose"', "ratio": 51.5}},
)
SAMPLES = (
    Sample(label="content", content="It is 21 °C: warm, <b>not</b> hot."),
    Sample(label="reasoning and content", reasoning="Is 21 warm?\nYes.", content="It is warm."),
    Sample(label="a call", calls=(_FIRST,)),
    Sample(label="reasoning and a call", reasoning="I do not know.", calls=(_FIRST,)),
    Sample(label="content and two calls", content="Let me look.", calls=(_FIRST, _SECOND)),
    Sample(label="reasoning, content and two calls", reasoning="Both.", content="Let me look.", calls=(_FIRST, _SECOND)),
)


def deltas_text(spec: Spec) -> str:
    """Return JSON lines: for each sample turn that the template shows its text, its deltas with their place, and the message."""
    ids = _Ids()
    parser = build_parser(spec, tools=make_tools(SHORT_KEYS, SHORT_NAMES), new_id=ids)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for sample in SAMPLES for line in _lines(parser, ids, sample))


class _Ids:
    """Ids that are the same every time: ``call_1``, ``call_2`` … from the start of a turn."""

    def __init__(self) -> None:
        self.used = 0

    def __call__(self) -> str:
        self.used += 1
        return f"call_{self.used}"


def turn_text(spec: Spec, sample: Sample) -> str | None:
    """Return the whole turn of a sample with its end; ``None`` where the spec has no place for one of its blocks."""
    if sample.calls and spec.turn.calls is None:
        return None
    if sample.reasoning and spec.turn.reasoning.mode is ReasoningMode.NONE:
        return None
    if sample.reasoning and not sample.calls and spec.turn.reasoning.mode is ReasoningMode.TOOLS_ONLY:
        return None
    if spec.capabilities.max_calls is not None and len(sample.calls) > spec.capabilities.max_calls:
        return None
    ends = spec.prompt.end_of_turn
    end = (ends.calls if sample.calls else ends.content) or ends.content
    text = compose(spec.turn, reasoning=sample.reasoning, content=sample.content, calls=sample.calls)
    # What closes the last call may be what ends the turn.
    return text if not end or text.endswith(end[0]) else text + end[0]


def _lines(parser: Parser, ids: _Ids, sample: Sample) -> Iterator[dict[str, Any]]:
    text = turn_text(parser.spec, sample)
    # A prompt that opens reasoning has no turn without it.
    if text is None or not text.startswith(parser.start.prefill):
        return
    text = text[len(parser.start.prefill) :]
    ids.used = 0
    yield {"turn": sample.label, "text": text}
    yield from _streamed(parser, text)


def _streamed(parser: Parser, text: str) -> Iterator[dict[str, Any]]:
    session = parser.session()
    for at in range(0, len(text), PIECE):
        piece = text[at : at + PIECE]
        yield from ({"at": at + len(piece), "delta": delta.to_dict()} for delta in session.feed(piece))
    message, deltas = session.finish()
    yield from ({"at": len(text), "delta": delta.to_dict()} for delta in deltas)
    told = {"diagnostics": [diagnostic.to_dict() for diagnostic in message.diagnostics]} if message.diagnostics else {}
    yield {"message": message.to_dict(), "finish_reason": message.finish_reason, **told}
