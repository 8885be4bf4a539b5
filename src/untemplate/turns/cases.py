"""Assistant messages of every kind: each block with and without the others, each type of value, hostile text; then random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from untemplate.probe.cases import CallCase, Case
from untemplate.spec.model import Spec, Support
from untemplate.turns.kinds import PROPERTIES, SAMPLES, Pool
from untemplate.turns.strings import HOSTILE, LIKE_JSON, PLAIN, WHITE, marker_texts, prose_strings
from untemplate.turns.tools import EVERYTHING, NAMES, ZERO

MOST_CALLS = 4


@dataclass(frozen=True, slots=True)
class MadeCase:
    """One message and what it is there to show."""

    kind: str
    case: Case


REASONING = 'First I think: is it 2 < 3?\nYes.\n\nSo "it" is.'
CONTENT = "Here it is:\n\n- one\n- 'two' & \"three\"\n\nDone."


def call(index: int, name: str = EVERYTHING, **arguments: Any) -> CallCase:
    """Return call ``index`` of a turn, its id nine letters and digits."""
    return named_call(index, name, arguments)


def named_call(index: int, name: str, arguments: Mapping[str, Any]) -> CallCase:
    """Return call ``index`` of a turn, its id nine letters and digits."""
    return CallCase(name, f"k7Qz0aB{index:02d}", dict(arguments))


_SEVERAL = (
    call(0, city="Paris", count=3, flag=True),
    call(1, "searchWeb2", query='a "b"\nc', limit=None),
    call(2, ZERO),
    call(3, "x", options={"label": "10", "tags": []}, words=["one", "t w o"]),
)

SHORT_KEYS = frozenset({"city", "query", "count", "ratio", "flag", "limit", "options", "words"})
"""The arguments that the short cases use."""
SHORT_NAMES = (EVERYTHING, ZERO)
"""The tools that they call."""


def short_cases(spec: Spec) -> tuple[MadeCase, ...]:
    """Return about a dozen messages that show the most, the most telling first: what the compiler reads back every time."""
    closes = {marker.core.strip() for marker in spec.turn.reasoning.close}
    marks = [text for text in marker_texts(spec) if text not in closes]
    prose = f"It names {marks[0]} and {marks[-1]} here." if marks else "It names nothing."
    reasons = spec.capabilities.reasoning is Support.KEPT
    made = [MadeCase("content", Case(content=f"{CONTENT}\n{prose}"))]
    if reasons:
        made.append(MadeCase("reasoning and content", Case(reasoning=f"{REASONING}\n{_without(prose, spec)}", content=CONTENT)))
    if spec.turn.calls is None:
        return tuple(made)
    first = call(0, city='it\'s "x"\n<b> \\n', count=-12, ratio=2.5, flag=False, limit=None, options={"label": "10"}, words=["a", "b c"])
    second = call(1, query=prose, limit=5, words=[])
    made += [
        MadeCase("a call", Case(calls=(first,))),
        MadeCase("two calls", Case(calls=(first, second))),
        MadeCase("calls without and with arguments", Case(calls=(call(0, ZERO), call(1, city="10", query="true")))),
        MadeCase("content and a call", Case(content="Let me look.", calls=(second,))),
    ]
    if reasons:
        made += [
            MadeCase("reasoning and a call", Case(reasoning=REASONING, calls=(first,))),
            MadeCase("reasoning, content and calls", Case(reasoning="Hm.", content="Both:", calls=(first, second))),
        ]
    return tuple(made)


def long_cases(spec: Spec, seed: int, budget: int) -> Iterator[MadeCase]:
    """Yield at most ``budget`` messages: all kinds in order, then random ones; the same seed gives the same."""
    yield from islice(_all_cases(spec, seed), budget)


def _all_cases(spec: Spec, seed: int) -> Iterator[MadeCase]:
    yield from short_cases(spec)
    yield from _presence_grid(spec)
    if spec.turn.calls is not None:
        yield from _values()
        yield from (MadeCase("string that names a marker", Case(calls=(call(0, query=text, count=1),))) for text in prose_strings(spec))
        yield from _fillings()
    yield from _texts(spec)
    rng = random.Random(seed)
    while True:
        yield random_case(spec, rng)


def _presence_grid(spec: Spec) -> Iterator[MadeCase]:
    """Yield every combination of blocks with 0 to 4 calls; one message tells of calls or reasoning that the template does not show."""
    shown = spec.capabilities.max_calls or MOST_CALLS
    most = 0 if spec.turn.calls is None else min(shown + 1, MOST_CALLS)
    reasons = (False, True) if spec.capabilities.reasoning is Support.KEPT else (False,)
    for count, reasoning, content in product(range(most + 1), reasons, (False, True)):
        case = Case(REASONING if reasoning else None, CONTENT if content else None, _SEVERAL[:count])
        if count or reasoning or content:
            yield MadeCase(case.label, case)
    if len(reasons) == 1:
        yield MadeCase("reasoning and content", Case(REASONING, CONTENT))
    if most == 0:
        yield MadeCase("content and a call", Case(None, CONTENT, _SEVERAL[:1]))


def _texts(spec: Spec) -> Iterator[MadeCase]:
    """Yield hostile content and reasoning."""
    prose = prose_strings(spec)
    reasons = spec.capabilities.reasoning is Support.KEPT
    for kind, texts in (
        ("plain", PLAIN[:4]),
        ("hostile", HOSTILE),
        ("white space", WHITE),
        ("looks like JSON", LIKE_JSON),
        ("marker", prose),
    ):
        for text in texts:
            if text:
                yield MadeCase(f"content: {kind}", Case(content=text))
                if reasons:
                    yield MadeCase(f"reasoning: {kind}", Case(reasoning=_without(text, spec), content="Yes."))
    if spec.turn.calls is not None:
        for kind, texts in (("hostile", HOSTILE[:6]), ("white space", WHITE), ("marker", prose[:4])):
            for text in texts:
                yield MadeCase(f"content beside a call: {kind}", Case(content=_beside(text, spec), calls=_SEVERAL[:1]))
                if reasons:
                    yield MadeCase(f"reasoning beside a call: {kind}", Case(reasoning=_without(text, spec), calls=_SEVERAL[:1]))


def _beside(text: str, spec: Spec) -> str:
    """Return content for beside a call, where some templates write it as they write reasoning."""
    own = spec.turn.content.with_calls
    return _without(text, spec) if own is not None and own.open in spec.turn.reasoning.open else text


def _without(text: str, spec: Spec) -> str:
    """Return ``text`` without what would close reasoning: the rendering could not tell it from a real close."""
    frame = spec.turn.frame.separator.core if spec.turn.frame is not None else ""
    for core in (*(marker.core for marker in (*spec.turn.reasoning.close, *spec.turn.content.open)), frame):
        if core.strip():
            text = text.replace(core.strip(), "it")
    return text


def _values() -> Iterator[MadeCase]:
    """Yield one call for each sample of each kind of value, alone and before another argument."""
    for kind, (key, values) in SAMPLES.items():
        for value in values:
            yield MadeCase(kind, Case(calls=(named_call(0, EVERYTHING, {key: value}),)))
        yield MadeCase(f"{kind}, then another", Case(calls=(named_call(0, EVERYTHING, {key: values[-1], "count": 5, "city": "Rome"}),)))


_LAST: Mapping[str, Any] = {key: values[-1] for key, values in SAMPLES.values()}
"""A value for every argument."""


def _fillings() -> Iterator[MadeCase]:
    """Yield calls of no arguments among others, the same tool twice, and a call with every argument."""
    yield MadeCase("no arguments first", Case(calls=(call(0, ZERO), call(1, city="Paris"))))
    yield MadeCase("no arguments last", Case(calls=(call(0, city="Paris"), call(1, ZERO))))
    yield MadeCase("no arguments twice", Case(content="Twice:", calls=(call(0, ZERO), call(1, ZERO))))
    yield MadeCase("no arguments, though it takes some", Case(calls=(call(0),)))
    yield MadeCase("the same call twice", Case(calls=(call(0, city="Paris"), call(1, city="Paris"))))
    yield MadeCase(
        "every argument", Case(calls=(named_call(0, EVERYTHING, {key: values[-1] for key, values in dict(SAMPLES.values()).items()}),))
    )


def random_case(spec: Spec, rng: random.Random) -> MadeCase:
    """Return a random message of blocks that the template shows."""
    pool = Pool(rng, (*PLAIN, *HOSTILE, *WHITE, *LIKE_JSON, *prose_strings(spec)))
    most = 0 if spec.turn.calls is None else spec.capabilities.max_calls or MOST_CALLS
    calls = tuple(_random_call(pool, index) for index in range(rng.choice((0, 1, 1, 2, 3, 4)))[:most])
    reasons = spec.capabilities.reasoning is Support.KEPT and rng.random() < 0.5
    reasoning = _without(_random_text(pool), spec) if reasons else None
    content = _random_text(pool) if not calls else _beside(_random_text(pool), spec) if rng.random() < 0.5 else None
    return MadeCase("random", Case(reasoning or None, content or None, calls))


def _random_call(pool: Pool, index: int) -> CallCase:
    name = pool.rng.choice(NAMES)
    count = 0 if name == ZERO else pool.rng.choice((0, 1, 2, 3, 5))
    keys = pool.rng.sample(sorted(PROPERTIES), count)
    return named_call(index, name, {key: pool.value(PROPERTIES[key]) for key in keys})


def _random_text(pool: Pool) -> str:
    parts: Sequence[str] = [pool.string() for _ in range(pool.rng.choice((1, 1, 2, 3)))]
    return pool.rng.choice(("\n", "\n\n", " ")).join(parts)
