"""Cuts turns with calls at the calls themselves, and finds what opens, closes and separates them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from untemplate.infer.json_calls import JsonSpans, find_spans
from untemplate.infer.lists import ListCut, cut_list
from untemplate.probe.cases import CallCase, Case
from untemplate.text import sentinels
from untemplate.text.align import Token, align

TOKENS = sentinels.all_tokens()


@dataclass(frozen=True, slots=True, kw_only=True)
class CutTurn:
    """One turn's body, cut at its calls: ``head call between call … tail``."""

    case: Case
    head: str
    """Text before the first call, sentinels of content and reasoning in it."""
    calls: tuple[str, ...]
    betweens: tuple[str, ...]
    tail: str


def cut_json(body: str, case: Case) -> tuple[CutTurn, JsonSpans] | None:
    """Return the turn cut at calls that are JSON values, or ``None`` where they are not."""
    spans = find_spans(body, case.calls)
    if spans is None or not spans.spans:
        return None
    edges = [(found.start, found.end) for found in spans.spans]
    return _cut(body, case, edges), spans


def cut_fields(body: str, case: Case) -> CutTurn | None:
    """Return the turn cut from the first to the last sentinel of each call, or ``None`` where one is missing or they interleave."""
    edges: list[tuple[int, int]] = []
    for index, call in enumerate(case.calls):
        found = [match.span() for match in _call_pattern(call, index).finditer(body)]
        if not found or (edges and found[0][0] < edges[-1][1]):
            return None
        edges.append((found[0][0], found[-1][1]))
    return _cut(body, case, edges)


def _call_pattern(call: CallCase, index: int) -> re.Pattern[str]:
    marks = [mark for mark, token in TOKENS.items() if token.call == index and token.kind in ("name", "id", "key", "value")]
    return re.compile("|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True)))


def _cut(body: str, case: Case, edges: Sequence[tuple[int, int]]) -> CutTurn:
    return CutTurn(
        case=case,
        head=body[: edges[0][0]],
        calls=tuple(body[start:end] for start, end in edges),
        betweens=tuple(body[end:start] for (_, end), (start, _) in zip(edges, edges[1:], strict=False)),
        tail=body[edges[-1][1] :],
    )


def neutral(text: str) -> str:
    """Return ``text`` with the sentinels of calls replaced by one private character for each kind: back-references compare equal."""
    kinds = {"name": "\ue000", "id": "\ue001", "key": "\ue002", "value": "\ue003"}
    pieces = align(text, TOKENS)
    return "".join(kinds.get(piece.kind, "\ue004") if isinstance(piece, Token) else piece for piece in pieces)


def after_last_token(text: str) -> str:
    """Return what stands after the last sentinel of ``text``: the gap proper."""
    last = align(text, TOKENS)[-1]
    assert isinstance(last, str)
    return last


def cut_calls(turns: Mapping[str, CutTurn], *, special: tuple[str, ...] = (), trim: Callable[[str], str]) -> ListCut | None:
    """Return the list of calls that the turns share; ``heads`` are in the order of ``turns``.

    ``trim`` takes the end of turn off a tail.
    """
    heads = [after_last_token(turn.head) for turn in turns.values()]
    betweens = [between for turn in turns.values() for between in turn.betweens]
    tails = [trim(before_first_token(turn.tail)) for turn in turns.values()]
    return cut_list(heads, betweens, tails, special=special, lead=min(heads, key=len))


def before_first_token(text: str) -> str:
    """Return what stands before the first sentinel of ``text``."""
    first = align(text, TOKENS)[0]
    assert isinstance(first, str)
    return first
