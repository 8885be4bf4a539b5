"""Turns as a template itself renders them: what shows that its spec does not say."""

from __future__ import annotations

from dataclasses import replace

from untemplate.drift.model import Origin
from untemplate.drift.samples import TOOLS, SampleTurn, compose_turn, fits, in_length, make_parser, meant_by, reads, sample_cases
from untemplate.infer.turn import TurnFound
from untemplate.parser import Parser
from untemplate.probe.cases import Case
from untemplate.spec.model import Spec
from untemplate.turns.losses import find_losses
from untemplate.turns.render import Mode, NotRendered, RenderedTurn, make_modes, render_turn


def rendered_turns(spec: Spec, found: TurnFound) -> tuple[SampleTurn, ...]:
    """Return a turn of each message, the shortest first: as the template renders it, or else as the spec lays it out.

    What a template leaves out of the history (reasoning, mostly) the model writes all the same: only the spec knows how. A turn
    that nobody could read back, because the template does not write all of its message, is none; one that just the spec's own
    parser does not read is marked so.
    """
    modes = make_modes(spec, found, TOOLS)
    # The setting for which the sample parser is made.
    mode = next((mode for mode in modes if mode.thinking is not False), modes[0] if modes else None)
    parser = make_parser(spec)
    turns = (_turn_of(case, parser, mode, found.header) for case in sample_cases())
    return in_length({turn.text: turn for turn in turns if turn is not None}.values())


def _turn_of(case: Case, parser: Parser, mode: Mode | None, header: str) -> SampleTurn | None:
    spec = parser.spec
    rendered = None if mode is None else _behind_prompt(render_turn(case, mode, header), mode)
    if rendered is not None:
        body = _without_end(rendered.text, spec)
        made = SampleTurn(text=rendered.text, body=body, meant=meant_by(case), origin=Origin.RENDERED)
        if reads(parser, made):
            return made
        if all(call.name in rendered.text for call in case.calls) and not find_losses(rendered).losses:
            return replace(made, read=False)
    composed = compose_turn(spec, case, parser.start.prefill) if fits(spec, case) else None
    return composed if composed is not None and reads(parser, composed) else None


def _behind_prompt(turn: RenderedTurn | NotRendered, mode: Mode) -> RenderedTurn | None:
    """Return a turn that begins where the generation prompt ends; what begins otherwise is history, as no model would write it."""
    return turn if isinstance(turn, RenderedTurn) and turn.prompt == mode.base + mode.generation else None


def _without_end(text: str, spec: Spec) -> str:
    """Return a turn without what ends it."""
    bare = text.rstrip()
    for end in (*spec.prompt.end_of_turn.calls, *spec.prompt.end_of_turn.content, *spec.tokens.stops):
        if end.strip() and bare.endswith(end.strip()):
            return bare.removesuffix(end.strip())
    return text
