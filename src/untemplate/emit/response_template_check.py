"""Reads turns of a spec back through its response template, and names what comes out otherwise.

The turns are rebuilt from the spec, so this needs neither the template nor a runtime.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untemplate.emit.export import Loss
from untemplate.emit.response_template_content import ReadError
from untemplate.emit.response_template_reader import read_turn
from untemplate.spec.compose import ComposedCall, compose, type_of
from untemplate.spec.model import JsonType, ReasoningMode, Spec, Support

_NAME, _NONE = "get_weather", "now"
_REASONING = 'They ask for <b>"rain"</b>.\nSo: look.'
_CONTENT = 'Let me see:\n\n- it\'s 2 < 3\n- {"a": 1}'

_SAMPLES: Mapping[JsonType, Sequence[Any]] = {
    JsonType.STRING: ("Paris", 'it\'s "wet"', "two\nlines", "C:\\new", "10", "true", "a, b=c: d", " padded "),
    JsonType.INTEGER: (3, -12),
    JsonType.NUMBER: (2.5, -0.25),
    JsonType.BOOLEAN: (True, False),
    JsonType.NULL: (None,),
    JsonType.OBJECT: ({}, {"unit": "C"}, {"unit": "it's", "on": True, "none": None, "in": {"x": [1]}}, {"dashed-key": 1}),
    JsonType.ARRAY: ([], ["a"], [1, 2], ["it's", 'a "b"', True], [{"a": {"b": 1}}, {"c": 2}]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """One message to be written and read."""

    field: str
    """Of the message, that it is there to show."""
    reasoning: str | None = None
    content: str | None = None
    calls: tuple[ComposedCall, ...] = ()


def check_response_template(spec: Spec, template: Mapping[str, Any]) -> tuple[Loss, ...]:
    """Return one loss for each field of a message that some turn of the spec gives otherwise than it was written."""
    prompts = _prompts(spec)
    found: dict[str, Loss] = {loss.field: loss for loss in _not_shown(spec)}
    for turn in _turns(spec):
        text = compose(spec.turn, reasoning=turn.reasoning, content=turn.content, calls=turn.calls)
        ends = spec.prompt.end_of_turn.calls if turn.calls else spec.prompt.end_of_turn.content
        unopened = turn.reasoning is not None and not spec.turn.reasoning.open
        written = [(prompt, text[len(begun) :]) for prompt, begun in _fitting(text, prompts, unopened=unopened)]
        written += [(prompt, _left_white(spec, prompt) + rest) for prompt, rest in written if _left_white(spec, prompt)]
        for prompt, rest in written:
            try:
                got = read_turn(template, rest + (ends[0] if ends else ""), prefix=prompt, tools=_TOOLS)
            except ReadError as problem:
                found.setdefault(turn.field, Loss(field=turn.field, message=f"the turn is not read at all: {_short(str(problem))}"))
                continue
            loss = _compare(turn, got)
            if loss is not None:
                found.setdefault(loss.field, loss)
    return tuple(found.values())


def _not_shown(spec: Spec) -> Iterator[Loss]:
    """Yield a loss where history quotes the assistant in another way than the prompt asks for a turn, as templates of judges do."""
    quoted = spec.prompt.roles.get("assistant", "").strip()
    asked = [entry.header.strip() for entry in spec.prompt.generation if entry.header.strip()]
    if not quoted or not asked or any(quoted in each or each in quoted for each in asked):
        return
    message = f"the prompt asks for a turn behind {_short(asked[0], 30)!r}, history shows none there, only behind {_short(quoted, 30)!r}"
    yield Loss(field="content", message=message)


def _prompts(spec: Spec) -> Sequence[tuple[str, str]]:
    """Return the ends of prompts, each with what of the turn it has begun with."""
    found = {entry.text: entry.prefill for entry in spec.prompt.generation if entry.text}
    return tuple(found.items()) or ((spec.prompt.roles.get("assistant", ""), ""),)


def _left_white(spec: Spec, prompt: str) -> str:
    """Return the white space that history has behind its header and a prompt leaves to the model."""
    header = spec.prompt.roles.get("assistant", "")
    bare = header.rstrip()
    return header[len(bare) :] if bare and prompt.endswith(bare) else ""


def _fitting(text: str, prompts: Sequence[tuple[str, str]], *, unopened: bool) -> Sequence[tuple[str, str]]:
    """Return the prompts that a turn may follow, each with what of the turn it has begun with.

    Where each has begun another turn, their headers, behind which nothing is begun. ``unopened``: the turn goes on in reasoning that
    only a prompt opens.
    """
    if unopened:
        return [(prompt, "") for prompt, begun in prompts if begun] or prompts
    found = [(prompt, begun) for prompt, begun in prompts if text.startswith(begun)]
    return found or list(dict.fromkeys((prompt.removesuffix(begun), "") for prompt, begun in prompts))


def _turns(spec: Spec) -> Iterator[_Turn]:
    mode = spec.turn.reasoning.mode
    reasons = mode is not ReasoningMode.NONE and bool(spec.turn.reasoning.close)
    if not _left_open(spec):
        yield _Turn(field="content", content=_CONTENT)
    if reasons and mode is ReasoningMode.TAGGED:
        yield _Turn(field="reasoning", reasoning=_REASONING, content=_CONTENT)
    if spec.turn.calls is None:
        return
    plain = _call(JsonType.STRING, "Paris")
    yield _Turn(field="calls", calls=(plain,))
    yield _Turn(field="calls", calls=(ComposedCall(name=_NONE, id="k7Qz0aB01"),))
    if spec.capabilities.max_calls is None:
        yield _Turn(field="calls", calls=(plain, ComposedCall(name=_NONE, id="k7Qz0aB01"), plain))
    if spec.capabilities.content_with_calls is Support.KEPT and not _reads_as_reasoning(spec):
        yield _Turn(field="content", content=_CONTENT, calls=(plain,))
    if reasons:
        yield _Turn(field="reasoning", reasoning=_REASONING, calls=(plain,))
    for kind, values in _SAMPLES.items():
        for value in values:
            yield _Turn(field=f"calls.arguments.{kind.value}", calls=(_call(kind, value),))
    every = {kind.value: values[0] for kind, values in _SAMPLES.items()}
    yield _Turn(field="calls.arguments", calls=(ComposedCall(name=_NAME, id="k7Qz0aB01", arguments=every),))


def _left_open(spec: Spec) -> bool:
    """Return whether the template opens reasoning and does not close it where there is none: content then reads as reasoning."""
    empty = spec.turn.reasoning.empty or ""
    opens = any(marker.core and marker.core in empty for marker in spec.turn.reasoning.open)
    return opens and not any(marker.core in empty for marker in spec.turn.reasoning.close)


def _reads_as_reasoning(spec: Spec) -> bool:
    """Return whether content beside calls is written just as reasoning is, so that nobody can tell them apart."""
    own = spec.turn.content.with_calls
    return own is not None and own.open is not None and any(own.open.core == marker.core for marker in spec.turn.reasoning.open)


def _call(kind: JsonType, value: Any) -> ComposedCall:
    return ComposedCall(name=_NAME, id="k7Qz0aB00", arguments={kind.value: value, "last-key": "x"})


_PROPERTIES: Mapping[str, Any] = {"last-key": {"type": "string"}, **{kind.value: {"type": kind.value} for kind in JsonType}}
_TOOLS: Sequence[Mapping[str, Any]] = [
    {"type": "function", "function": {"name": _NAME, "parameters": {"type": "object", "properties": _PROPERTIES}}},
    {"type": "function", "function": {"name": _NONE, "parameters": {"type": "object", "properties": {}}}},
]


def _compare(turn: _Turn, got: Mapping[str, Any]) -> Loss | None:
    """Return the first thing that was read otherwise."""
    texts = (
        ("reasoning", turn.reasoning, got.get("thinking") or got.get("reasoning_content")),
        ("content", turn.content, got.get("content")),
    )
    for name, want, have in texts:
        if (want or "") != (have or ""):
            return Loss(field=name, message=f"{_short(want or '')!r} is read as {_short(have or '')!r}")
    calls = got.get("tool_calls") or []
    if len(calls) != len(turn.calls):
        return Loss(field="calls", message=f"{len(turn.calls)} calls are read as {len(calls)}")
    for want_call, have_call in zip(turn.calls, calls, strict=True):
        loss = _compare_call(want_call, have_call["function"], turn.field)
        if loss is not None:
            return loss
    return None


def _compare_call(want: ComposedCall, have: Mapping[str, Any], field: str) -> Loss | None:
    if want.name != have["name"]:
        return Loss(field="calls.name", message=f"{want.name!r} is read as {have['name']!r}")
    arguments = have["arguments"]
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return Loss(field=field, message=f"stays text: {_short(arguments)}")
    for key, value in want.arguments.items():
        if key not in arguments:
            return Loss(field=field, message=f"the argument {key!r} is not read")
        if not _same(value, arguments[key]):
            place = f"calls.arguments.{type_of(value).value}"
            return Loss(field=place, message=f"{_short(json.dumps(value))} is read as {_short(json.dumps(arguments[key]))}")
    extra = [key for key in arguments if key not in want.arguments]
    return Loss(field=field, message=f"arguments that were not written are read: {', '.join(extra)}") if extra else None


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return list(left) == list(right) and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(_same(a, b) for a, b in zip(left, right, strict=True))
    return isinstance(left, bool) is isinstance(right, bool) and (left is None) is (right is None) and bool(left == right)


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}…"
