"""Notes, for each field of a spec, the pair of renderings that shows it: what ``untemplate explain`` prints.

The renderings were made while the spec was inferred and are kept by the prober, so that nothing is rendered twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from untemplate.infer.evidence import Notebook
from untemplate.infer.turn import TurnFound
from untemplate.infer.values import TYPED
from untemplate.probe.cases import Case, sentinel_case
from untemplate.probe.prober import Prober
from untemplate.spec.model import Encoding, JsonType, ReasoningMode, Spec
from untemplate.text import sentinels
from untemplate.text.split import split


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two cases that differ in one thing, and the field that the difference shows."""

    path: str
    left: Case
    right: Case
    note: str
    labels: tuple[str, str] | None = None
    """Names of the cases where their blocks do not tell them apart."""


def note_readings(spec: Spec, found: TurnFound, notebook: Notebook) -> None:
    """Add to the notebook the diff split of each field that two turns of the presence grid show."""
    for pair, prober in _pairs(spec, found):
        left, right = _body(prober, pair.left, found.header), _body(prober, pair.right, found.header)
        if left is None or right is None or left == right:
            continue
        cut = split(left, right)
        labels = pair.labels or (pair.left.label, pair.right.label)
        notebook.note(pair.path, "|".join(labels), prefix=cut.prefix, left=cut.left, right=cut.right, suffix=cut.suffix, note=pair.note)


def _body(prober: Prober, case: Case, header: str) -> str | None:
    text = prober.turn(case)
    return None if text is None else text.removeprefix(header)


def _pairs(spec: Spec, found: TurnFound) -> Iterator[tuple[Pair, Prober]]:
    content, both = sentinel_case(content=True), sentinel_case(reasoning=True, content=True)
    if spec.turn.reasoning.mode is not ReasoningMode.NONE and found.reasoning_rendered:
        yield Pair(path="turn.reasoning.open", left=content, right=both, note="what reasoning adds before content"), found.plain
        alone = sentinel_case(reasoning=True)
        yield Pair(path="turn.reasoning.close", left=alone, right=both, note="what follows reasoning in every turn"), found.plain
    if found.calling is None or found.calls is None:
        return
    for pair in _call_pairs(spec, found.most_calls):
        yield pair, found.calling


def _call_pairs(spec: Spec, most: int) -> Iterator[Pair]:
    one = sentinel_case(calls=1)
    with_content = sentinel_case(content=True, calls=1)
    yield Pair(path="turn.content.with_calls", left=one, right=with_content, note="what content adds before (or behind) calls")
    yield Pair(path="prompt.end_of_turn", left=sentinel_case(content=True), right=one, note="what both turns end in")
    if most > 1:
        yield Pair(path="turn.calls.section.separator", left=one, right=sentinel_case(calls=2), note="what a second call adds")
    if most > 2:
        yield Pair(path="turn.calls.section", left=sentinel_case(calls=2), right=sentinel_case(calls=3), note="what a third call adds")
    form = "turn.calls.forms[0]"
    none, few, many = (_with_arguments({sentinels.key(0, i): sentinels.value(0, i) for i in range(count)}) for count in (0, 1, 2))
    yield Pair(path=f"{form}.arguments", left=none, right=few, note="what a first argument adds", labels=("no arguments", "1 argument"))
    yield Pair(
        path=f"{form}.arguments.object", left=few, right=many, note="what a second argument adds", labels=("1 argument", "2 arguments")
    )
    yield from _value_pairs(spec, form)


def _value_pairs(spec: Spec, form: str) -> Iterator[Pair]:
    """Yield one pair for each type of value, where values are written one by one."""
    calls = spec.turn.calls
    arguments = calls.forms[0].arguments if calls is not None else None
    if arguments is None or arguments.encoding is not Encoding.PAIRS:
        return
    key = sentinels.key(0, 0)
    string = _with_arguments({key: sentinels.value(0, 0)})
    for kind, value in TYPED.items():
        path = f"{form}.arguments.values.{kind}"
        labels = (str(JsonType.STRING), str(kind))
        yield Pair(path=path, left=string, right=_with_arguments({key: value}), note="the same argument, another type", labels=labels)


def _with_arguments(arguments: dict[str, Any]) -> Case:
    case = sentinel_case(calls=1)
    return replace(case, calls=(replace(case.calls[0], arguments=arguments),))
