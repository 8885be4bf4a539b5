"""Compares the message that was read with the one that was rendered, and names the field of the spec that a difference points at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from untemplate.probe.cases import CallCase, Case
from untemplate.runtime.message import Message
from untemplate.spec.compose import type_of
from untemplate.spec.model import Spec
from untemplate.verify.report import Difference

_FORM = "turn.calls.forms[0]"


def case_of(message: Message) -> Case:
    """Return a message that was read as a case, so that it can be rendered again.

    Raises:
        ValueError: the arguments of a call are not a JSON object, or hold a key twice.
    """
    calls = tuple(CallCase(call.name, call.id, _arguments(call.arguments)) for call in message.tool_calls)
    return Case(message.reasoning_content or None, message.content or None, calls)


def _arguments(text: str) -> dict[str, Any]:
    value = json.loads(text, object_pairs_hook=_unique)
    if not isinstance(value, dict):
        raise ValueError(f"arguments are no object: {text}")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def compare(want: Case, got: Case, spec: Spec, *, ids: bool) -> Difference | None:
    """Return the first difference of two messages, ``None`` where they are the same. ``ids``: the text holds the calls' ids."""
    if len(want.calls) != len(got.calls):
        return Difference(what="calls", field=_calls_field(want, got, spec), want=_show_calls(want), got=_show_calls(got))
    for index, (left, right) in enumerate(zip(want.calls, got.calls, strict=True)):
        found = _compare_call(left, right, index, ids=ids)
        if found is not None:
            return found
    return _compare_text("reasoning", want, got, spec) or _compare_text("content", want, got, spec)


def _compare_call(want: CallCase, got: CallCase, index: int, *, ids: bool) -> Difference | None:
    if want.name != got.name:
        return Difference(what="name", field=f"{_FORM}.fields", want=want.name, got=got.name)
    if ids and want.id != got.id:
        return Difference(what="id", field=f"{_FORM}.fields", want=want.id, got=got.id)
    where = f"call {index}: "
    if list(want.arguments) != list(got.arguments):
        shown = (json.dumps(dict(call.arguments), ensure_ascii=False) for call in (want, got))
        return Difference(what="arguments", field=f"{_FORM}.arguments", want=where + next(shown), got=where + next(shown))
    for key, value in want.arguments.items():
        other = got.arguments[key]
        if not same_value(value, other):
            field = f"{_FORM}.arguments.values.{type_of(value)}"
            return Difference(what="arguments", field=field, want=f"{where}{key} = {value!r}", got=f"{where}{key} = {other!r}")
    return None


def same_value(left: Any, right: Any) -> bool:
    """Return whether two JSON values are the same, types and the order of keys included."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return list(left) == list(right) and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same_value(a, b) for a, b in zip(left, right, strict=True))
    return type(left) is type(right) and bool(left == right)


def _compare_text(what: str, want: Case, got: Case, spec: Spec) -> Difference | None:
    left, right = (getattr(case, what) or "" for case in (want, got))
    if left == right:
        return None
    edges = left.strip() == right.strip()
    return Difference(what=what, field=_text_field(what, left, right, want, got, spec), want=left, got=right, edges_only=edges)


def _text_field(what: str, left: str, right: str, want: Case, got: Case, spec: Spec) -> str:
    if (want.reasoning or "") != (got.reasoning or "") and (want.content or "") != (got.content or ""):
        return "turn.reasoning"
    block = "turn.reasoning" if what == "reasoning" else "turn.content"
    if what == "content" and want.calls and spec.turn.content.with_calls is not None:
        block = "turn.content.with_calls"
    if right.startswith(left):
        return "prompt.end_of_turn" if not want.calls and what == "content" and not spec.turn.content.close else f"{block}.close"
    if right.endswith(left):
        return f"{block}.open"
    return f"{block}.close" if left.startswith(right) and right else block


def _calls_field(want: Case, got: Case, spec: Spec) -> str:
    if spec.turn.calls is None:
        return "turn.calls"
    if len(want.calls) > len(got.calls) > 0:
        return "turn.calls.section.separator"
    return f"{_FORM}.open" if not got.calls else f"{_FORM}.close"


def _show_calls(case: Case) -> str:
    return ", ".join(call.name for call in case.calls) or f"no call; content {case.content!r}, reasoning {case.reasoning!r}"
