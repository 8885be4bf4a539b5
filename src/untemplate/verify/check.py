"""Reads one rendered turn back: whole, in chunks, and through the template again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from untemplate.parser import Parser
from untemplate.probe.cases import Case
from untemplate.probe.shape import shaped_id
from untemplate.runtime.message import Message
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Spec
from untemplate.turns.losses import calls_before_end, find_losses, find_rewriting, writes_ids
from untemplate.turns.render import RenderedTurn, turn_text
from untemplate.verify.compare import case_of, compare
from untemplate.verify.report import Difference

_CUT = 7
_LONGEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one turn: read back, skipped for a reason, or different."""

    difference: Difference | None = None
    skipped: str | None = None
    remarks: tuple[str, ...] = ()
    """Codes of the diagnostics that reading gave."""


def check_turn(turn: RenderedTurn, spec: Spec, parser: Parser) -> Outcome:
    """Return whether the parser gives the message that was rendered; a difference that no text could show is a reason to skip."""
    message = parser.parse(turn.text)
    remarks = tuple(dict.fromkeys(each.code for each in message.diagnostics))
    try:
        got = case_of(message)
    except ValueError as problem:
        return Outcome(difference=_not_json(turn.case, message, problem), remarks=remarks)
    want = _with_shaped_ids(turn)
    found = compare(want, got, spec, ids=False)
    if found is None:
        return Outcome(difference=_ids(turn, want, got, spec) or _finish(want, message), remarks=remarks)
    lost = find_losses(turn, lambda lost: compare(lost.apply(want), lost.apply(got), spec, ids=False) is None)
    left = compare(lost.apply(want), lost.apply(got), spec, ids=False) if lost.losses else found
    if left is not None:
        kept = lost.apply(want)
        reason = find_rewriting(replace(turn, case=kept)) or _undecidable(turn, kept, got, spec) or _stopped(turn, kept, got, spec)
        return Outcome(skipped=reason, difference=left if reason is None else None, remarks=remarks)
    if turn_text(got, turn.mode) != turn_text(turn.case, turn.mode):
        return Outcome(difference=replace(found, what="text"), remarks=remarks)
    return Outcome(skipped=lost.because, remarks=remarks)


def _undecidable(turn: RenderedTurn, want: Case, got: Case, spec: Spec) -> str | None:
    """Return what of the text has two readings, where the spec shows that it has and the parser took the other one."""
    opens = [marker.core for marker in spec.turn.reasoning.open if marker.core]
    beside = spec.turn.content.with_calls
    if beside is not None and beside.open is not None and beside.open.core in opens and want.calls:
        thought = replace(want, reasoning=want.reasoning or want.content, content=None if not want.reasoning else want.content)
        if compare(thought, got, spec, ids=False) is None:
            return "content beside calls is written as reasoning is"
    closed = any(marker.core in turn.text for marker in spec.turn.reasoning.close if marker.core)
    opened = any(turn.prompt.rstrip().endswith(core) or turn.text.lstrip().startswith(core) for core in opens)
    if opened and not closed and not want.reasoning:
        return "reasoning is opened in history and never closed"
    if opened and not want.reasoning and any(marker.core in (want.content or "") for marker in spec.turn.reasoning.close if marker.core):
        return "content names the close of reasoning that the prompt has opened"
    marked = any(marker.core for marker in (*spec.turn.reasoning.open, *spec.turn.reasoning.close))
    if want.reasoning and not marked and want.reasoning.strip() in turn.text:
        return "reasoning is written without marks"
    return None


def _stopped(turn: RenderedTurn, want: Case, got: Case, spec: Spec) -> str | None:
    """Return that the template ends the turn too early, where the calls up to there were read: an engine stops there."""
    count = calls_before_end(turn, spec)
    if count is None or compare(replace(want, calls=want.calls[:count]), got, spec, ids=False) is not None:
        return None
    return "the template ends the turn before its last call"


def _with_shaped_ids(turn: RenderedTurn) -> Case:
    """Return the message with the ids that the template was really given."""
    shape = turn.mode.calling.shape
    return replace(turn.case, calls=tuple(replace(call, id=shaped_id(call, i, shape)) for i, call in enumerate(turn.case.calls)))


def _ids(turn: RenderedTurn, want: Case, got: Case, spec: Spec) -> Difference | None:
    """Return a difference of ids, where the whole ids stand in the text."""
    if all(left.id == right.id for left, right in zip(want.calls, got.calls, strict=True)):
        return None
    if not all(call.id in turn.text for call in want.calls) or not writes_ids(turn):
        return None
    return compare(want, got, spec, ids=True)


def _finish(want: Case, message: Message) -> Difference | None:
    expected = "tool_calls" if want.calls else "stop"
    if message.finish_reason == expected:
        return None
    return Difference(what="finish_reason", field="prompt.end_of_turn", want=expected, got=str(message.finish_reason))


def _not_json(want: Case, message: Message, problem: ValueError) -> Difference:
    texts = ", ".join(call.arguments for call in message.tool_calls)
    shown = ", ".join(str(dict(call.arguments)) for call in want.calls)
    return Difference(what="arguments", field="turn.calls.forms[0].arguments", want=shown, got=f"{texts} ({problem})")


def check_chunks(turn: RenderedTurn, parser: Parser, rng: random.Random) -> Difference | None:
    """Return the difference that some way of cutting the text into chunks makes: 1 character, 7, random ones."""
    whole = _without_made_ids(parser.parse(turn.text))
    for name, chunks in _cuts(turn.text, rng):
        session = parser.session()
        contents, thoughts = [], []
        for chunk in chunks:
            for delta in session.feed(chunk):
                contents.append(delta.content or "")
                thoughts.append(delta.reasoning_content or "")
        message, deltas = session.finish()
        contents += [delta.content or "" for delta in deltas]
        thoughts += [delta.reasoning_content or "" for delta in deltas]
        if _without_made_ids(message) != whole:
            return Difference(what="chunks", field="", want=str(whole.to_dict()), got=f"{name}: {message.to_dict()}")
        if ("".join(contents), "".join(thoughts)) != (message.content, message.reasoning_content):
            return Difference(what="chunks", field="", want=str(message.to_dict()), got=f"{name}, deltas added up: {''.join(contents)!r}")
    return None


def _without_made_ids(message: Message) -> Message:
    """Return the message without ids, which are made up anew in every reading where the model writes none."""
    return replace(message, tool_calls=tuple(replace(call, id="") for call in message.tool_calls))


def _cuts(text: str, rng: random.Random) -> Iterator[tuple[str, Sequence[str]]]:
    yield "1 character at a time", list(text)
    yield f"{_CUT} characters at a time", [text[at : at + _CUT] for at in range(0, len(text), _CUT)]
    chunks = []
    at = 0
    while at < len(text):
        size = rng.randint(1, _LONGEST)
        chunks.append(text[at : at + size])
        at += size
    yield "random chunks", chunks


def rebuilt_text(turn: RenderedTurn, spec: Spec, header: str) -> str | None:
    """Return the turn as the spec lays it out, where that differs from the template's text in more than white space; else ``None``."""
    case = _with_shaped_ids(turn)
    calls = tuple(ComposedCall(name=call.name, id=call.id, arguments=call.arguments) for call in case.calls)
    body = compose(spec.turn, reasoning=case.reasoning, content=case.content, calls=calls)
    text = turn_text(turn.case, turn.mode) or ""
    text = text.removeprefix(header)
    ends = ("", *spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls)
    bare = "".join(text.split())
    return None if any("".join((body + end).split()) == bare for end in ends) else body
