"""Infers the generation prompts: what is appended, which part of it belongs to the turn, and the state it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from untemplate.infer.evidence import Notebook
from untemplate.infer.prompt import begins_with
from untemplate.probe.prober import Prober
from untemplate.spec.model import GenerationPrompt, PromptState, Reasoning


def infer_generation(
    modes: Iterable[tuple[bool | None, Mapping[str, Any], Prober]], header: str, reasoning: Reasoning, notebook: Notebook
) -> tuple[GenerationPrompt, ...]:
    """Return one entry for each prompt that differs, the default first.

    Args:
        modes: (thinking, switches, prober) for the default and for thinking on and off.
    """
    found: list[GenerationPrompt] = []
    for thinking, switches, prober in modes:
        for tools, tried in ((None, prober), (False, prober.using(tools=None).with_standing_prompt())):
            text = tried.generation()
            if text is None:
                continue
            entry = _entry(text, header, reasoning, switches, thinking, tools)
            if tools is False and any(_same(entry, other) and other.thinking == thinking for other in found):
                continue
            found.append(entry)
            notebook.note("prompt.generation", f"generation:{dict(switches)!r}", right=text, note=str(entry.state))
    return tuple(found)


def _same(entry: GenerationPrompt, other: GenerationPrompt) -> bool:
    return (entry.text, entry.prefill) == (other.text, other.prefill)


def _entry(
    text: str, header: str, reasoning: Reasoning, switches: Mapping[str, Any], thinking: bool | None, tools: bool | None
) -> GenerationPrompt:
    prefill = text[len(header) :] if begins_with(text, header) else _prefill_of_other_header(text, reasoning)
    return GenerationPrompt(when=switches, thinking=thinking, tools=tools, text=text, prefill=prefill, state=state_of(prefill, reasoning))


def _prefill_of_other_header(text: str, reasoning: Reasoning) -> str:
    """Return the part of a prompt that history does not share from where reasoning is opened, ``""`` where it is not."""
    starts = [text.find(mark.core) for mark in (*reasoning.open, *reasoning.close) if mark.core and mark.core in text]
    return text[min(starts) :] if starts else ""


def state_of(prefill: str, reasoning: Reasoning) -> PromptState:
    """Return where the turn starts after a prefill."""
    opened = max((prefill.rfind(mark.core) for mark in reasoning.open if mark.core), default=-1)
    closed = max((prefill.rfind(mark.core) for mark in reasoning.close if mark.core), default=-1)
    if closed > opened:
        return PromptState.AFTER_REASONING
    only_closed = bool(reasoning.close and prefill.strip()) and not any(mark.core for mark in reasoning.open)
    return PromptState.REASONING if opened >= 0 or only_closed else PromptState.CONTENT
