"""Reasoning, content and the start of a turn as parts of a response template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from untemplate.emit.export import Loss
from untemplate.emit.response_template_anchors import (
    END,
    Delimiter,
    Pattern,
    closing,
    delimit,
    either,
    growing,
    one_of,
    opening,
    optional,
    prefixes,
    quote,
)
from untemplate.lower.signs import Signs
from untemplate.spec.model import ContentMode, GenerationPrompt, Marker, PromptState, Spec

Field = dict[str, Any]

AS_WRITTEN = {"strip": False}
"""White space at the ends of a text is the model's, not the layout's: the delimiters take what is layout."""


def thinking_field(spec: Spec, signs: Signs) -> Field | None:
    """Return the field of reasoning; ``None`` where the model writes none."""
    if not signs.reasoning_close and not signs.reasoning_open:
        return None
    opens = delimit("open", [*(opening(marker) for marker in signs.reasoning_open), *_empty_openings(signs)]) or _opened_by_prompt(
        spec, signs
    )
    behind = _behind_reasoning(signs)
    closes = [(*closing(marker), *behind) for marker in signs.reasoning_close]
    return {**opens, **delimit("close", closes), "content": "text", "content_args": AS_WRITTEN}


def _empty_openings(signs: Signs) -> list[Delimiter]:
    """Return openings for reasoning that a close alone stands for at the beginning of a turn."""
    closes = [marker.core for marker in signs.reasoning_close if any(text.strip() == marker.core for text in signs.empty_reasoning)]
    return [(Pattern(rf"\A\s*(?={quote(core)})"),) for core in closes]


def _opened_by_prompt(spec: Spec, signs: Signs) -> Field:
    """Return an opening for reasoning that only closes: the prompt's own beginning of the turn, or any text that a close follows."""
    started = list(dict.fromkeys(entry.prefill for entry in spec.prompt.generation if entry.prefill.strip()))
    if started:
        return {"open": started[0] if len(started) == 1 else started}
    closes = either(*(quote(marker.core) for marker in signs.reasoning_close))
    return {"open_pattern": rf"(?=[\s\S]*?{closes})"}


def _behind_reasoning(signs: Signs) -> Delimiter:
    """Return the layout between reasoning's close and what follows it, which belongs to neither."""
    return (growing(*signs.blank_opens),) if signs.blank_opens else ()


def _strays(spec: Spec, signs: Signs) -> list[str]:
    """Return the longer texts that may stand between two blocks and belong to neither."""
    found = [signs.frame.separator] if signs.frame is not None else []
    if spec.turn.content.mode is ContentMode.WRAPPED_WITH_REASONING:
        found += signs.content_open
    return [marker.before + marker.core + after for marker in found for after in prefixes(marker.after)]


def content_field(spec: Spec, signs: Signs, call_start: str | None, strays: Sequence[Delimiter]) -> tuple[Field, tuple[Loss, ...]]:
    """Return the field of content, and what it loses.

    Args:
        call_start: a pattern for what a call begins with; ``None`` where there are no calls.
        strays: what may stand behind calls and belongs to no block. Where content has no marker of its own, a field without an
            opening takes all that is left, so that these must count as its closes.
    """
    field: Field = {"content": "text", "content_args": AS_WRITTEN}
    ends = [_ending(spec, marker) for marker in signs.ends]
    closes = [closing(marker) for marker in signs.content_close]
    if spec.turn.content.mode is not ContentMode.WRAPPED:
        losses = [Loss(field="content", message=f"keeps the layout before it, {text!r}") for text in signs.blank_opens]
        if spec.turn.content.mode is ContentMode.PLAIN:
            message = "keeps {!r}, which opens it beside calls"
            losses += [Loss(field="content", message=message.format(marker.core)) for marker in signs.content_open]
        between = [((text,),) for text in _without_ends(_strays(spec, signs), signs)]
        return {**delimit("close", [*closes, *ends, *between, *strays]), **field}, tuple(losses)
    reasoning = {marker.core for marker in signs.reasoning_open}
    opens = [opening(marker) for marker in signs.content_open if marker.core not in reasoning]
    if not signs.content_close and call_start is not None:
        ends = [*ends, (Pattern(f"{one_of((*signs.layouts, ''))}(?={call_start})"),)]
    return {**delimit("open", opens), **delimit("close", [*closes, *ends]), **field}, ()


def _without_ends(texts: Iterable[str], signs: Signs) -> list[str]:
    """Return the texts cut at what ends a turn: an end that is whole would be taken before a longer text around it."""
    pieces = list(texts)
    for end in signs.ends:
        pieces = [piece for text in pieces for piece in text.split(end.core)]
    return [piece for piece in dict.fromkeys(pieces) if piece.strip()]


def ending(spec: Spec, signs: Signs) -> tuple[Delimiter, ...]:
    """Return what ends the turn."""
    return tuple(_ending(spec, marker) for marker in signs.ends)


def _ending(spec: Spec, marker: Marker) -> Delimiter:
    """Return an end of the turn with the layout that the template writes behind it, which is nobody's text."""
    ends = spec.prompt.end_of_turn
    written = [text[len(text.rstrip()) :] for text in (*ends.content, *ends.calls) if text.strip() == marker.core]
    longest = max((*written, "\n"), key=len)
    return (optional(marker.before), (marker.core,), prefixes(longest))


def start_anchor(spec: Spec, signs: Signs) -> Field:
    """Return what the assistant's turn starts after, seen from the end of the prompt.

    Where the turn goes on after a tool's result without a header, the end of the prompt is the start.
    """
    headers = [*(entry.header for entry in spec.prompt.generation), spec.prompt.roles.get("assistant", "")]
    finished = [entry.text for entry in spec.prompt.generation if entry.header.strip() and _leaves_layout(entry, signs)]
    known = list(dict.fromkeys(header for header in (*finished, *headers) if header.strip()))
    if not known:
        return {"start_anchor_pattern": _end_of_prompt(spec)}
    if not _goes_on(spec):
        return delimit("start_anchor", [(tuple(known),)])
    last = either(*(quote(text) for text in _ends_of_calls(spec, signs)))
    barriers = either(*(quote(text) for text in (*known, *_ends_of_calls(spec, signs))))
    resumed = rf"{last}(?:(?!{barriers})[\s\S])*{END}" if last else ""
    return {"start_anchor_pattern": either(*(quote(text) for text in sorted(known, key=len, reverse=True)), resumed)}


def _leaves_layout(entry: GenerationPrompt, signs: Signs) -> bool:
    """Return whether the prompt closes reasoning that it did not open, or with more layout than the delimiters take.

    Then the turn starts behind all of that.
    """
    return entry.state is PromptState.AFTER_REASONING and not any(
        entry.prefill == f"{lead}{opened.core}{inner}{before}{closed.core}{rest}"
        for opened in signs.reasoning_open
        for closed in signs.reasoning_close
        for lead in optional(opened.before)
        for inner in prefixes(opened.after)
        for before in optional(closed.before)
        for rest in prefixes(closed.after)
    )


def _end_of_prompt(spec: Spec) -> str:
    """Return a pattern for the end of the prompt, before what of the turn it has begun with."""
    begun = list(dict.fromkeys(entry.prefill for entry in spec.prompt.generation if entry.prefill.strip()))
    return "|".join([*(f"(?={quote(text)}{END})" for text in begun), "".join(f"(?<!{quote(text)})" for text in begun) + END])


def _goes_on(spec: Spec) -> bool:
    """Return whether a turn may go on after a tool's result without a header of its own."""
    silent = not all(entry.header.strip() for entry in spec.prompt.generation)
    return spec.turn.calls is not None and (silent or not spec.prompt.end_of_turn.calls)


def _ends_of_calls(spec: Spec, signs: Signs) -> Iterable[str]:
    """Return what stands behind the last call of an earlier turn."""
    calls = spec.turn.calls
    found = [marker.core for marker in signs.ends]
    if calls is not None:
        closes = [calls.section.close, *(form.close for form in calls.forms)]
        found += [marker.core for marker in closes if marker is not None and len(marker.core) > 1]
    return dict.fromkeys(found)
