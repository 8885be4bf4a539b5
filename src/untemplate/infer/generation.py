"""Infers the generation prompts: what is appended, which part of it belongs to the turn, and the state it leaves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from untemplate.infer.evidence import Notebook
from untemplate.infer.hidden import mirror_close
from untemplate.infer.prompt import begins_with
from untemplate.probe.prober import Prober
from untemplate.spec.model import GenerationPrompt, Marker, PromptState, Reasoning
from untemplate.text.edges import marker_atoms


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


def with_other_openings(
    reasoning: Reasoning, others: Iterable[tuple[bool | None, Mapping[str, Any], Prober]], default: Prober, header: str
) -> Reasoning:
    """Return reasoning with the marks that other prompts open it with, where the default prompt opens it too, and what closes them."""
    usual = (default.generation() or "").removeprefix(header)
    if state_of(usual, reasoning) is not PromptState.REASONING:
        return reasoning
    for _, _, prober in others:
        prefill = (prober.generation() or "").removeprefix(header)
        atoms = marker_atoms(prefill)
        closing = mirror_close(atoms[0]) if len(atoms) == 1 and prefill.strip() == atoms[0] else None
        if closing is None or state_of(prefill, reasoning) is not PromptState.CONTENT:
            continue
        size = prefill.index(atoms[0])
        opened = Marker(core=atoms[0], before=prefill[:size], after=prefill[size + len(atoms[0]) :])
        first = reasoning.close[0] if reasoning.close else Marker(core="")
        reasoning = replace(reasoning, open=(*reasoning.open, opened), close=(*reasoning.close, replace(first, core=closing)))
    return reasoning


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
