"""Messages in the form that a template takes, from what is known of it.

Clients keep conversations in many shapes: arguments as text or object, content null or missing, two user turns in a row.
What a model's own reply looks like must always be accepted back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from untemplate.spec.model import Capabilities, Support
from untemplate.template.call_ids import rewrite_ids
from untemplate.template.tool_text import call_names, write_calls, write_result
from untemplate.template.values import REASONING_KEYS, copy_plain

Message = dict[str, Any]

_PARAGRAPH = "\n\n"
"""Between the contents of two turns that become one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Messages for one template, and what had to be done to them beyond their form."""

    messages: list[Message]
    notes: tuple[str, ...] = ()


def prepare_messages(messages: Sequence[Mapping[str, Any]], capabilities: Capabilities) -> list[Message]:
    """Return copies of the messages in the form that a template with these capabilities takes. See ``prepare``."""
    return prepare(messages, capabilities).messages


def prepare(messages: Sequence[Mapping[str, Any]], capabilities: Capabilities) -> Prepared:
    """Return copies of the messages in the form that a template takes, with a note for each change of substance.

    Arguments become objects or texts, empty content what the template takes for it, contents lists of parts where it wants
    them; ids get the demanded form; content moves out of a turn that calls tools where both are refused; neighbours
    of equal role become one where roles must alternate; tools that the template does not know are written as text.
    """
    result: list[Message] = [copy_plain(message) for message in messages]
    notes: list[str] = []
    for step in _STEPS:
        result, note = step(result, capabilities)
        if note:
            notes.append(note)
    return Prepared(messages=result, notes=tuple(notes))


def _shape_arguments(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    as_text = capabilities.arguments_as == "text"
    return [_with_calls(message, lambda call: _shape_call(call, as_text)) for message in messages], None


def _with_calls(message: Message, change: Callable[[Message], Message]) -> Message:
    calls = message.get("tool_calls")
    return {**message, "tool_calls": [change(call) for call in calls]} if calls else message


def _shape_call(call: Message, as_text: bool) -> Message:
    if isinstance(call.get("function"), dict):
        return {**call, "function": _shape_call(call["function"], as_text)}
    arguments = call.get("arguments")
    if as_text and not isinstance(arguments, str):
        return {**call, "arguments": json.dumps(arguments or {}, ensure_ascii=False)}
    if not as_text and (arguments is None or isinstance(arguments, str)):
        try:
            return {**call, "arguments": json.loads(arguments) if arguments and arguments.strip() else {}}
        except ValueError:
            return call
    return call


def _give_reasoning(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    """Return the messages with an empty field of reasoning where the template demands one and there is none."""
    if not capabilities.reasoning_always:
        return messages, None
    return [
        {**message, "reasoning_content": ""}
        if message.get("role") == "assistant" and not any(key in message for key in REASONING_KEYS)
        else message
        for message in messages
    ], None


def _write_unknown_tools(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    keeps_calls = capabilities.calls is Support.KEPT
    if keeps_calls and capabilities.tool_results is Support.KEPT:
        return messages, None
    names = call_names(messages)
    result = []
    for message in messages:
        if message.get("role") == "tool":
            result.append(write_result(message, names))
        elif message.get("tool_calls") and not keeps_calls:
            result.append(write_calls(message))
        else:
            result.append(message)
    what = "tool results" if keeps_calls else "tool calls and results"
    return result, f"The template does not render {what}; they are written as JSON." if result != messages else None


def _split_calls(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    """Give each call a turn of its own, followed by its result, where a turn takes one call."""
    if capabilities.max_calls != 1 or all(len(message.get("tool_calls") or ()) < 2 for message in messages):
        return messages, None
    result: list[Message] = []
    place = 0
    while place < len(messages):
        message = messages[place]
        place += 1
        calls = message.get("tool_calls") or ()
        if len(calls) < 2:
            result.append(message)
            continue
        answers = []
        while place < len(messages) and messages[place].get("role") == "tool":
            answers.append(messages[place])
            place += 1
        for number, call in enumerate(calls):
            bare = {"role": message["role"]} if number else message
            answer = next((a for a in answers if a.get("tool_call_id") and a["tool_call_id"] == call.get("id")), None)
            answer = answer or next((a for a in answers if not a.get("tool_call_id")), None)
            result.append({**bare, "tool_calls": [call]})
            if answer is not None:
                answers.remove(answer)
                result.append(answer)
        result.extend(answers)
    return result, "The template takes one call a turn; several calls became several turns."


def _part_content(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    """Move content out of a turn that also calls tools, where the template refuses both together."""
    if capabilities.content_with_calls is not Support.REFUSED:
        return messages, None
    result: list[Message] = []
    note = None
    for message in messages:
        if message.get("tool_calls") and message.get("content"):
            if capabilities.alternation:
                note = "The template refuses content beside calls, and two turns in a row: the content was left out."
            else:
                note = "The template refuses content beside calls: the content became a turn of its own before the call."
                result.append({"role": message["role"], "content": message["content"]})
            message = {key: value for key, value in message.items() if key != "content"}
        result.append(message)
    return result, note


def _fold_system(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    """Put a system message in front of the user's next one, where the template refuses the role."""
    if capabilities.system is not Support.REFUSED or all(message.get("role") != "system" for message in messages):
        return messages, None
    result: list[Message] = []
    waiting: Message | None = None
    for message in messages:
        if message.get("role") == "system":
            waiting = {**message, "role": "user"} if waiting is None else _join(waiting, message)
        elif waiting is not None and message.get("role") == "user":
            result.append(_join(waiting, message))
            waiting = None
        else:
            result.append(message)
    if waiting is not None:
        result.append(waiting)
    return result, "The template refuses a system message: it was put in front of the user's."


def _merge_neighbours(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    if not capabilities.alternation:
        return messages, None
    result: list[Message] = []
    for message in messages:
        last = result[-1] if result else {}
        same = last.get("role") == message.get("role") and message.get("role") in ("system", "user", "assistant")
        if same and not last.get("tool_calls"):
            result[-1] = _join(last, message)
        else:
            result.append(message)
    merged = len(result) < len(messages)
    return result, "The template demands that roles alternate: neighbours of one role were joined." if merged else None


def _join(first: Message, second: Message) -> Message:
    """Return one message that says what both say, with the first one's role."""
    joined = {**second, **first}
    for key in ("content", *REASONING_KEYS):
        if key in joined:
            joined[key] = _join_content(first.get(key), second.get(key))
    if second.get("tool_calls"):
        joined["tool_calls"] = second["tool_calls"]
    return joined


def _join_content(first: Any, second: Any) -> Any:
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return first + _PARAGRAPH + second
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": str(content)}]


def _demand_ids(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    if capabilities.id_pattern is None:
        return messages, None
    return rewrite_ids(messages, capabilities.id_pattern), None


def _shape_content(messages: list[Message], capabilities: Capabilities) -> tuple[list[Message], str | None]:
    return [_shape_one(message, capabilities) for message in messages], None


def _shape_one(message: Message, capabilities: Capabilities) -> Message:
    content = message.get("content")
    if isinstance(content, list) and not capabilities.content_parts and all(_is_text(part) for part in content):
        content = "".join(part["text"] for part in content)
    if content is None or content in ("", []):
        rest = {key: value for key, value in message.items() if key != "content"}
        match capabilities.empty_content:
            case "empty":
                return {**rest, "content": [] if capabilities.content_parts else ""}
            case "null":
                return {**rest, "content": None}
            case _:
                return rest
    return {**message, "content": _as_parts(content) if capabilities.content_parts else content}


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


_STEPS: tuple[Callable[[list[Message], Capabilities], tuple[list[Message], str | None]], ...] = (
    _shape_content,  # first, so that what is empty looks empty to all; last, for what was put together on the way
    _shape_arguments,
    _write_unknown_tools,
    _split_calls,
    _part_content,
    _fold_system,
    _merge_neighbours,
    _demand_ids,
    _give_reasoning,
    _shape_content,
)
