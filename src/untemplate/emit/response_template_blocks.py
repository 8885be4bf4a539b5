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
from untemplate.lower.marks import is_marker
from untemplate.lower.signs import Signs
from untemplate.spec.model import ContentMode, GenerationPrompt, Marker, PromptState, ReasoningMode, Spec

Field = dict[str, Any]

AS_WRITTEN = {"strip": False}
"""White space at the ends of a text is the model's, not the layout's: the delimiters take what is layout."""


def thinking_field(spec: Spec, signs: Signs, call_start: str | None, whole_calls: str | None) -> Field | None:
    """Return the field of reasoning; ``None`` where the model writes none.

    Args:
        call_start: a pattern for what a call begins with; ``None`` where there are no calls.
        whole_calls: a pattern for calls that end the turn, which then end reasoning that was not closed, too. It costs the close its
            literals, from which vLLM and SGLang know the token that ends reasoning: ``None`` for them.
    """
    if not signs.reasoning_close and not signs.reasoning_open:
        return None
    opens = delimit("open", [opening(marker) for marker in _whole_openings(signs)]) or _opened_by_prompt(spec, signs)
    behind = _behind_reasoning(signs)
    closes = [(*closing(marker), *behind) for marker in signs.reasoning_close]
    closes += _nothing_closed(signs)
    if call_start is not None and any(marker.core == end.core for marker in signs.reasoning_close for end in signs.ends):
        closes.append((Pattern(f"(?={call_start})"),))  # The message ends where reasoning does: a call in it ends reasoning, too.
    elif whole_calls is not None:
        closes.append((Pattern(rf"\s*(?={whole_calls})"),))
    return {**opens, **delimit("close", closes), "content": "text", "content_args": AS_WRITTEN}


def _whole_openings(signs: Signs) -> list[Marker]:
    """Return what opens reasoning less the beginnings of other openings: a stream that ends in one would be read as that one."""
    openings = signs.reasoning_open
    return [each for each in openings if not any(other.core != each.core and other.core.startswith(each.core) for other in openings)]


def _nothing_closed(signs: Signs) -> list[Delimiter]:
    """Return closes of reasoning in which nothing was thought, where the layout in it is more than what stands around reasoning."""
    found: list[Delimiter] = []
    for text in signs.empty_reasoning:
        for opened in signs.reasoning_open:
            for closed in signs.reasoning_close:
                lead, has_open, rest = text.partition(opened.core)
                inner, has_close, _ = rest.partition(closed.core)
                if not has_open or not has_close or lead.strip() or inner.strip() or inner in _layouts(opened, closed):
                    continue
                layout = Pattern(f"(?<={quote(opened.core)}){quote(inner)}")
                found.append((layout, (closed.core,), prefixes(closed.after), *_behind_reasoning(signs)))
    return list(dict.fromkeys(found))


def _layouts(opened: Marker, closed: Marker) -> set[str]:
    """Return the white space that the delimiters take between an opening and a close."""
    return {after + before for after in prefixes(opened.after) for before in optional(closed.before)}


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
    """Return the longer texts that may stand between two blocks, or before the first, and belong to neither."""
    found = [signs.frame.separator] if signs.frame is not None else []
    if spec.turn.content.mode is not ContentMode.WRAPPED or _partly_wrapped(spec):
        found += signs.content_open
    layouts = ("", *(signs.blank_opens if signs.frame is not None else ()))
    texts = [marker.before + marker.core + after + layout for marker in found for after in prefixes(marker.after) for layout in layouts]
    reasoning = [marker.core for marker in (*signs.reasoning_open, *signs.reasoning_close)]
    return [*texts, *(text for text in signs.empty_reasoning if not any(core in text for core in reasoning))]


def _before_content(spec: Spec, signs: Signs) -> list[Delimiter]:
    """Return what may stand at the very start of a turn and is no content: layout, and a close of reasoning that is not open."""
    layouts = [*signs.blank_opens]
    if any(_leaves_layout(entry, signs) for entry in spec.prompt.generation):
        layouts += [text for marker in signs.reasoning_close for text in prefixes(marker.after)]
    found: list[Delimiter] = []
    if any(layouts):
        found.append((Pattern(r"\A" + either(*map(quote, sorted({*layouts} - {""}, key=lambda text: (-len(text), text))))),))
    if spec.turn.reasoning.mode is not ReasoningMode.NONE:
        closes = [marker for marker in signs.reasoning_close if is_marker(marker.core)]
        behind = _behind_reasoning(signs)
        said = either(r"\A", *(f"(?<={quote(marker.core + after)})" for marker in closes for after in prefixes(marker.after)))
        found += [(Pattern(rf"{said}\s*"), (marker.core,), prefixes(marker.after), *behind) for marker in closes]
    return found


def _partly_wrapped(spec: Spec) -> bool:
    """Return whether content stands in markers alone, and in none beside calls."""
    content = spec.turn.content
    beside = content.with_calls
    return content.mode is ContentMode.WRAPPED and beside is not None and beside.open is None and bool(content.close)


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
    last: list[Delimiter] = [(Pattern(f"{quote(text)}{END}"),) for text in signs.blank_closes]
    beside = spec.turn.content.with_calls
    if spec.turn.content.mode is not ContentMode.WRAPPED or _partly_wrapped(spec):
        between = [((text,),) for text in _without_ends(_strays(spec, signs), signs)]
        return {**delimit("close", [*closes, *ends, *between, *strays, *_before_content(spec, signs), *last]), **field}, ()
    reasoning = {marker.core for marker in signs.reasoning_open}
    opens = [opening(marker) for marker in signs.content_open if marker.core not in reasoning]
    runs_on = not signs.content_close or (beside is not None and beside.close is None)
    if runs_on and call_start is not None:
        ends = [*ends, (Pattern(f"{one_of((*signs.layouts, ''))}(?={call_start})"),)]
    return {**delimit("open", opens), **delimit("close", [*closes, *ends, *last]), **field}, ()


def _without_ends(texts: Iterable[str], signs: Signs) -> list[str]:
    """Return the texts cut at what ends a turn: an end that is whole would be taken before a longer text around it."""
    pieces = list(texts)
    for end in signs.ends:
        pieces = [piece for text in pieces for piece in text.split(end.core)]
    return [each for each in dict.fromkeys(each for piece in pieces for each in (piece, piece.lstrip())) if each.strip()]


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
