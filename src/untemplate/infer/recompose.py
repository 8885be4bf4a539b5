"""Recomposition: the text of every probe is rebuilt from the spec and must equal what was rendered.

Without it wrong specs look right: a content opening that holds a whole call, a reasoning block without its close.
Source: DESIGN.md section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from untemplate.infer.turn import TurnFound
from untemplate.probe.cases import Case, sentinel_case
from untemplate.probe.prober import Prober
from untemplate.probe.shape import shaped_id
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import Spec
from untemplate.text import sentinels


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """A probe that the spec does not rebuild."""

    probe: str
    rendered: str
    rebuilt: str


def recompose(spec: Spec, found: TurnFound) -> tuple[Mismatch, ...]:
    """Return the probes of the presence grid whose text the spec does not rebuild, layout white space set aside."""
    wrong: list[Mismatch] = []
    for case, prober in _cases(found):
        text = prober.turn(case)
        if text is None or not text.startswith(found.header) or not _shown(case, text):
            continue
        body = text[len(found.header) :]
        rebuilt = compose(spec.turn, reasoning=case.reasoning, content=case.content, calls=_calls(case, prober))
        ends = (*spec.prompt.end_of_turn.content, *spec.prompt.end_of_turn.calls)
        if not any(_same(body, rebuilt + end) for end in ("", *ends)) and not _ends_early(case, prober, text, ends):
            wrong.append(Mismatch(probe=case.label, rendered=body, rebuilt=rebuilt))
    return tuple(wrong)


def _cases(found: TurnFound) -> Iterator[tuple[Case, Prober]]:
    for blocks in ({"content": True}, {"reasoning": True, "content": True}):
        yield sentinel_case(**blocks), found.plain
    if found.calling is not None and found.calls is not None:
        for count in range(1, found.most_calls + 1):
            for content in (False, True):
                for reasoning in (False, True):
                    yield sentinel_case(reasoning=reasoning, content=content, calls=count), found.calling


def _ends_early(case: Case, prober: Prober, text: str, ends: tuple[str, ...]) -> bool:
    """Return whether the template ends the turn behind an earlier call: what follows there is no part of it."""
    closings = tuple(end.strip() for end in ends if end.strip())
    earlier = [prober.turn(replace(case, calls=case.calls[:count])) for count in range(1, len(case.calls))]
    return any(turn is not None and text.startswith(turn) and turn.rstrip().endswith(closings) for turn in earlier)


def _calls(case: Case, prober: Prober) -> tuple[ComposedCall, ...]:
    return tuple(
        ComposedCall(name=call.name, id=shaped_id(call, index, prober.shape), arguments=call.arguments)
        for index, call in enumerate(case.calls)
    )


def _shown(case: Case, text: str) -> bool:
    """Return whether every block of the case left its sentinel: what the template drops cannot be rebuilt."""
    marks = [mark for mark in (case.reasoning, case.content) if mark is not None] + [call.name for call in case.calls]
    return all(mark in text for mark in marks)


def _same(left: str, right: str) -> bool:
    return left == right or "".join(left.split()) == "".join(right.split())


def sentinels_left(data: Any) -> list[str]:
    """Return the sentinels that stand in any string of a spec's plain data: there must be none."""
    known = sentinels.all_tokens()
    found: list[str] = []

    def walk(value: Any) -> None:
        match value:
            case str():
                found.extend(mark for mark in known if mark in value)
            case Mapping():
                for key, item in value.items():
                    walk(key)
                    walk(item)
            case list() | tuple():
                for item in value:
                    walk(item)

    walk(data)
    return found
