"""Renders a message through a template and cuts out the turn: what the model would have written after the prompt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from untemplate.infer.turn import TurnFound
from untemplate.lower.marks import is_marker
from untemplate.probe.cases import Case
from untemplate.probe.shape import Shape
from untemplate.spec.model import Spec
from untemplate.text.edges import marker_atoms
from untemplate.turns.tools import plainly_typed


class Writer(Protocol):
    """Writes turns: a template's prober, or a spec that composes them."""

    @property
    def shape(self) -> Shape:
        """The shape of messages that it takes."""

    def turn(self, case: Case) -> str | None:
        """Return the turn of ``case`` with its header and its end; ``None`` where it is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One setting of the template's thinking switch, and what renders under it."""

    name: str
    """``default``, ``thinking`` or ``no thinking``."""
    thinking: bool | None
    plain: Writer
    calling: Writer
    """Renders turns that call tools."""
    base: str
    """The rendering of what comes before the turn."""
    generation: str
    """What asking for a turn appends to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedTurn:
    """One message as the template writes it."""

    case: Case
    mode: Mode
    prompt: str
    """All that stands before the turn."""
    text: str
    """The turn: blocks and what ends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRendered:
    """A message that gives no turn."""

    because: str


def make_modes(spec: Spec, found: TurnFound, tools: Sequence[Mapping[str, Any]]) -> tuple[Mode, ...]:
    """Return the template's default and each setting of its thinking switch that changes the prompt; the default first."""
    names = {name for prompt in spec.prompt.generation for name in prompt.when}
    standing = {name: value for name, value in found.plain.switches.items() if name not in names}
    given = _accepted(found, tools) if found.plain.tools else found.plain.tools
    modes: list[Mode] = []
    for thinking, when in _settings(spec):
        plain = found.plain.using(switches={**standing, **when}, tools=given).with_standing_prompt()
        base, generation = plain.base(), plain.generation()
        if base is None:
            continue
        calling = plain.using(shape=found.calling.shape) if found.calling is not None else plain
        name = {None: "default", True: "thinking", False: "no thinking"}[thinking]
        if not any((mode.base, mode.generation) == (base, generation or "") and _renders_alike(mode, plain) for mode in modes):
            modes.append(Mode(name=name, thinking=thinking, plain=plain, calling=calling, base=base, generation=generation or ""))
    return tuple(modes)


def _accepted(found: TurnFound, tools: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return the tools as the template takes them."""
    plain = plainly_typed(list(tools))
    return next((each for each in (list(tools), plain) if found.plain.using(tools=each).base() is not None), plain)


def _settings(spec: Spec) -> Iterator[tuple[bool | None, Mapping[str, Any]]]:
    seen: list[Mapping[str, Any]] = []
    for prompt in spec.prompt.generation or ():
        if dict(prompt.when) not in seen:
            seen.append(dict(prompt.when))
            yield prompt.thinking, prompt.when
    if not seen:
        yield None, {}


_BOTH = Case(reasoning="zreasqtext", content="zcontqtext")


def _renders_alike(mode: Mode, plain: Writer) -> bool:
    return mode.plain.turn(_BOTH) == plain.turn(_BOTH)


def render_turn(case: Case, mode: Mode, header: str) -> RenderedTurn | NotRendered:
    """Return the turn of ``case``, or why there is none.

    What follows the generation prompt is the turn, where history agrees with that prompt; else what follows ``header``. Where
    history begins with reasoning itself, the prompt's own opening is what it leaves unsaid, or words that are the reasoning's own.
    Where the prompt ends with the header unasked, history may have written other text before it.
    """
    text = turn_text(case, mode)
    if text is None:
        return NotRendered(because=_refusal(case, mode))
    asked = mode.base.endswith(header) or (header.strip() and mode.base.rstrip().endswith(header.rstrip()))
    if not mode.generation and header and asked and text.startswith(header):
        return RenderedTurn(case=case, mode=mode, prompt=mode.base, text=text[len(header) :])
    for opening in _openings(mode.generation, header):
        if text.startswith(opening):
            rest = text[len(opening) :]
            if opening == header and not case.reasoning and (again := _said_again(mode.generation, rest)):
                return RenderedTurn(case=case, mode=mode, prompt=mode.base + mode.generation, text=rest[len(again) :])
            unsaid = opening == header and mode.generation.startswith(header) and case.reasoning and rest.startswith(case.reasoning)
            said = replace(case, reasoning=_words(mode.generation[len(header) :]) + case.reasoning) if unsaid and case.reasoning else case
            return RenderedTurn(case=said, mode=mode, prompt=mode.base + (mode.generation if unsaid else opening), text=rest)
    return NotRendered(because="the turn does not begin with the assistant's header")


def _words(opening: str) -> str:
    """Return what a prompt begins reasoning with, where that is no marker: it is part of the reasoning that is read."""
    return "" if is_marker(opening.strip()) else opening


def _said_again(generation: str, rest: str) -> str:
    """Return the end of the generation prompt with which history begins, such as the close of a block that it does not open."""
    sizes = range(min(len(generation), len(rest)), 0, -1)
    found = next((rest[:size] for size in sizes if generation.endswith(rest[:size])), "")
    return found if found.strip() in marker_atoms(generation) else ""


def _openings(generation: str, header: str) -> Iterable[str]:
    return dict.fromkeys((generation, header))


def turn_text(case: Case, mode: Mode) -> str | None:
    """Return what the template writes for ``case`` behind the base, ``None`` where it refuses."""
    return (mode.calling if case.calls else mode.plain).turn(case)


def _refusal(case: Case, mode: Mode) -> str:
    """Return what the template refuses, in words that do not depend on the message's text."""
    if len(case.calls) > 1 and turn_text(Case(case.reasoning, case.content, case.calls[:1]), mode) is not None:
        return "the template refuses several calls"
    if case.calls and case.content and turn_text(Case(case.reasoning, None, case.calls), mode) is not None:
        return "the template refuses content beside calls"
    if case.calls and case.reasoning and turn_text(Case(None, case.content, case.calls), mode) is not None:
        return "the template refuses reasoning beside calls"
    if not case.content and not case.calls:
        return "the template refuses a turn without content"
    return "the template refuses calls" if case.calls else "the template refuses the message"
