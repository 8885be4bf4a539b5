"""Turns written by a spec alone, for where its template is not at hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from untemplate.probe.cases import Case
from untemplate.probe.shape import Shape, shaped_id
from untemplate.spec.compose import ComposedCall, compose
from untemplate.spec.model import ReasoningMode, Spec
from untemplate.turns.render import Mode


@dataclass(frozen=True, slots=True)
class SpecWriter:
    """Lays out turns as a spec says."""

    spec: Spec
    header: str
    shape: Shape = field(default_factory=Shape)

    def turn(self, case: Case) -> str | None:
        """Return the turn of ``case``; ``None`` for blocks that the spec does not know."""
        turn = self.spec.turn
        if (case.calls and turn.calls is None) or (case.reasoning and turn.reasoning.mode is ReasoningMode.NONE):
            return None
        if self.spec.capabilities.max_calls is not None and len(case.calls) > self.spec.capabilities.max_calls:
            return None
        calls = tuple(
            ComposedCall(name=call.name, id=shaped_id(call, index, self.shape), arguments=call.arguments)
            for index, call in enumerate(case.calls)
        )
        body = compose(turn, reasoning=case.reasoning, content=case.content, calls=calls)
        ends = self.spec.prompt.end_of_turn.calls if case.calls else self.spec.prompt.end_of_turn.content
        return self.header + body + (ends[0] if ends else "")


def composed_modes(spec: Spec) -> tuple[Mode, ...]:
    """Return one mode for each generation prompt of the spec, written by the spec itself."""
    modes: list[Mode] = []
    header = spec.prompt.roles.get("assistant", "")
    ids = "functions" if spec.capabilities.id_pattern == r"functions\.NAME:\d+" else "plain"
    writer = SpecWriter(spec, header, Shape(ids=ids))
    for prompt in spec.prompt.generation or ():
        if prompt.tools is not False and not any(mode.generation == prompt.text for mode in modes):
            name = {None: "default", True: "thinking", False: "no thinking"}[prompt.thinking]
            modes.append(Mode(name=name, thinking=prompt.thinking, plain=writer, calling=writer, base="", generation=prompt.text))
    return tuple(modes) or (Mode(name="default", thinking=None, plain=writer, calling=writer, base="", generation=header),)
