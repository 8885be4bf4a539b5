"""Where a turn starts: what of it the prompt has already written, or what the message holds that is to be continued."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from untemplate.errors import RequestError
from untemplate.lower.signs import Signs, read_signs
from untemplate.spec.compose import open_content, open_reasoning
from untemplate.spec.model import GenerationPrompt, PromptState, ReasoningMode, Spec

_REASONING_KEYS = ("reasoning_content", "reasoning", "thinking")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Text of the turn that is there before the model writes."""

    prefill: str = ""
    keep: int = 0
    """From where on in ``prefill`` its text belongs to the message."""
    own: tuple[tuple[int, int], ...] = ()
    """From where to where in ``prefill`` its text is the message's own words: no marker in it is one."""
    problem: str = ""
    """Why the given prompt does not tell where the turn starts; ``""`` where it does."""


NOTHING_WRITTEN = Start()
"""The prompt holds nothing of the turn."""


def start_of_prompt(spec: Spec, prompt: str, *, extract_reasoning: bool) -> Start:
    """Return where a turn starts after a prompt, of which the tail is enough: after its last assistant header."""
    signs = read_signs(spec, with_calls=False)
    headers = [*(entry.header for entry in spec.prompt.generation), spec.prompt.roles.get("assistant", "")]
    prefill = _whole_prompt(prompt, spec.prompt.generation)
    if prefill is None:
        prefill = _after_header(prompt, headers, tuple(end.core for end in signs.ends))
    problem = ""
    if prefill is None:
        prefill = _marker_tail(prompt, signs)
        if prefill is None:
            known = any(header.strip() for header in headers) and all(entry.header.strip() for entry in spec.prompt.generation)
            problem = "the prompt ends neither in the assistant's header nor in a marker of reasoning" if known else ""
            prefill = ""
    return Start(prefill=prefill, keep=_kept_from(prefill, signs, extract_reasoning), problem=problem)


def start_of_request(spec: Spec, *, enable_thinking: bool, tools: bool, extract_reasoning: bool) -> Start:
    """Return where a turn starts after the prompt that the template writes for these settings."""
    entry = generation_prompt(spec, enable_thinking=enable_thinking, tools=tools)
    prefill = entry.prefill if entry is not None else ""
    return Start(prefill=prefill, keep=_kept_from(prefill, read_signs(spec, with_calls=False), extract_reasoning))


def generation_prompt(spec: Spec, *, enable_thinking: bool, tools: bool) -> GenerationPrompt | None:
    """Return the generation prompt for these settings; ``None`` where the template writes none."""
    fitting = [entry for entry in spec.prompt.generation if entry.thinking in (None, enable_thinking) and entry.tools in (None, tools)]
    by_fit = sorted(fitting, key=lambda entry: (entry.thinking is None, entry.tools is None))
    return by_fit[0] if by_fit else next(iter(spec.prompt.generation), None)


def start_of_continuation(spec: Spec, messages: Sequence[Mapping[str, Any]] | None, which: str, *, extract_reasoning: bool) -> Start:
    """Return the last message as the text of a turn that is open at its end.

    Where reasoning is not told apart it is part of the content already.

    Raises:
        RequestError: there is no assistant's message at the end, or ``which`` is neither ``content`` nor ``reasoning``.
    """
    if which not in ("content", "reasoning"):
        raise RequestError(f"{which!r} cannot be continued", where="continue_final_message", hint='Use "content" or "reasoning".')
    last = messages[-1] if messages else None
    if last is None or last.get("role") != "assistant":
        raise RequestError("the last message is not an assistant's", where="messages", hint="Give the message that is to be continued.")
    reasoning = next((str(last[key]) for key in _REASONING_KEYS if last.get(key)), "")
    if not extract_reasoning and which == "content":
        reasoning = ""
    text = _content_text(last.get("content"))
    prefill = _compose(spec, reasoning, text, which)
    said = [(len(prefill) - len(text), text)] if prefill.endswith(text) else []
    own = [(place, place + len(words)) for place, words in (*said, (prefill.find(reasoning), reasoning)) if words and place >= 0]
    added = (each.text for each in read_signs(spec, with_calls=False).reasoning_words if prefill.startswith(each.text))
    return Start(prefill=prefill, keep=max(map(len, added), default=0), own=tuple(sorted(own)))


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return ""


def _compose(spec: Spec, reasoning: str, content: str, which: str) -> str:
    """Return reasoning and content as the template writes them, up to the end of the one that is continued."""
    opens = read_signs(spec, with_calls=False).reasoning_open
    reasons = spec.turn.reasoning.mode is not ReasoningMode.NONE and bool(opens)
    turn = replace(spec.turn, reasoning=replace(spec.turn.reasoning, open=opens))
    if which == "reasoning" and reasons:
        return open_reasoning(turn, reasoning)
    return open_content(turn, content, reasoning if reasons else None)


def _whole_prompt(prompt: str, entries: Sequence[GenerationPrompt]) -> str | None:
    """Return what belongs to the turn of the longest generation prompt with which a prompt ends; ``None`` where it ends with none."""
    fitting = [entry for entry in entries if entry.text.strip() and prompt.endswith(entry.text)]
    return max(fitting, key=lambda entry: len(entry.text)).prefill if fitting else None


def _after_header(prompt: str, headers: Sequence[str], ends: tuple[str, ...]) -> str | None:
    """Return what follows the last header in a prompt; ``None`` where there is none, or where that turn has ended."""
    places = [place + len(header) for header in headers if header.strip() and (place := prompt.rfind(header)) >= 0]
    if not places:
        return None
    rest = prompt[max(places) :]
    return None if any(end in rest for end in ends) else rest


def _marker_tail(prompt: str, signs: Signs) -> str | None:
    """Return the markers of reasoning at the end of a prompt, with the white space in between."""
    cores = [re.escape(marker.core) for marker in (*signs.reasoning_open, *signs.reasoning_close)]
    if not cores:
        return None
    found = re.search(rf"(?:{'|'.join(cores)})(?:\s|{'|'.join(cores)})*\Z", prompt)
    if found is None:
        return None
    ended = max((found.group().rfind(end.core) + len(end.core) for end in signs.ends if end.core in found.group()), default=0)
    return found.group()[ended:].lstrip() if ended else found.group()


def state_of(start: Start, signs: Signs) -> PromptState:
    """Return where the prompt leaves off; half an opening marker counts as one."""
    prefill = start.prefill
    opened = max((prefill.rfind(marker.core) for marker in signs.reasoning_open), default=-1)
    closed = max((prefill.rfind(marker.core) for marker in signs.reasoning_close), default=-1)
    tail = prefill.rstrip()
    begun = any(tail and marker.core.startswith(tail[place:]) for marker in signs.reasoning_open for place in range(len(tail)))
    if opened > closed or begun:
        return PromptState.REASONING
    return PromptState.AFTER_REASONING if prefill.strip() else PromptState.CONTENT


def is_in_content(start: Start, signs: Signs) -> bool:
    """Return whether the prompt has opened content."""
    opened = max((start.prefill.rfind(marker.core) for marker in signs.content_open), default=-1)
    closed = max((start.prefill.rfind(marker.core) for marker in signs.content_close), default=-1)
    return opened > closed


def _kept_from(prefill: str, signs: Signs, extract_reasoning: bool) -> int:
    """Return from where on the prompt's text is the message's: reasoning that it leaves open, where it is content, or begins in words."""
    markers = signs.reasoning_words if extract_reasoning else signs.reasoning_open
    opened = max((prefill.rfind(marker.core) for marker in markers), default=-1)
    closed = max((prefill.rfind(marker.core) for marker in signs.reasoning_close), default=-1)
    return opened if opened > closed else len(prefill)
