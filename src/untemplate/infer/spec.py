"""Infers a whole spec from a template: the order of inference, from the shape of messages to tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from untemplate.errors import InferenceError
from untemplate.infer.capabilities import infer_capabilities
from untemplate.infer.evidence import Evidence, Notebook
from untemplate.infer.generation import infer_generation, with_other_openings
from untemplate.infer.instructions import infer_instructed
from untemplate.infer.prompt import infer_roles
from untemplate.infer.quirks import Quirk, apply_quirks
from untemplate.infer.readings import note_readings
from untemplate.infer.switches import find_switches, thinking_switch
from untemplate.infer.tokens import infer_tokens
from untemplate.infer.turn import TurnFound, infer_turn
from untemplate.infer.warnings import ambiguities_of, warnings_of
from untemplate.probe.cases import sentinel_case
from untemplate.probe.find_shape import find_opening, standing_variables
from untemplate.probe.prober import Prober
from untemplate.spec.model import Block, Prompt, Spec, Switch, TemplateInfo
from untemplate.template import Template
from untemplate.text.edges import common_prefix

_Mode = tuple[bool | None, Mapping[str, Any], Prober]
"""Thinking on or off, the switches for that, and what renders under them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred:
    """A spec, what each field was read from, and the probers that rendered it."""

    spec: Spec
    evidence: Mapping[str, tuple[Evidence, ...]]
    found: TurnFound


def infer_spec(template: Template, *, kind: str = "jinja", notes: Sequence[str] = (), quirks: Sequence[Quirk] = ()) -> Inferred:
    """Return the spec of a template.

    Raises:
        TemplateError: when the template does not compile.
        InferenceError: E301 when no conversation renders at all.
    """
    notebook = Notebook()
    variables = template.variables()
    constants = (*template.string_constants(), *template.texts())
    prober = _with_free_lead(_open(template))
    switches = find_switches(prober, variables, template.string_constants())
    modes = _modes(prober, thinking_switch(switches))
    probers = [tried for _, _, tried in modes]
    generations = [text for tried in probers if (text := tried.generation()) is not None]
    special = tuple(template.special_tokens.values())
    found = infer_turn(probers, generations, notebook, constants=constants, source=template.text, special=special)
    found = _instructed(found, notebook)
    others = _other_prompts(prober, switches, modes)
    found = replace(found, turn=replace(found.turn, reasoning=with_other_openings(found.turn.reasoning, others, modes[0][2], found.header)))
    roles = infer_roles(found.plain, found.header, "".join(found.ends.content), notebook)
    spec = Spec(
        template=TemplateInfo(
            name=template.name,
            sha256=hashlib.sha256(template.text.encode("utf-8", "surrogatepass")).hexdigest(),
            source=kind,
            special_tokens=template.special_tokens,
        ),
        capabilities=infer_capabilities(found),
        switches=switches,
        prompt=Prompt(
            generation=infer_generation((*modes, *others), found.header, found.turn.reasoning, notebook),
            roles=roles,
            end_of_turn=found.ends,
        ),
        turn=found.turn,
    )
    prompt = prober.base() or ""
    spec = apply_quirks(spec, quirks, prompt, template.text)
    spec = replace(spec, tokens=infer_tokens(spec.turn, found.ends, roles, template.special_tokens, atoms=special))
    spec = replace(spec, warnings=warnings_of(spec, (*notes, *template.notes)), ambiguities=ambiguities_of(spec))
    note_readings(spec, found, notebook)
    return Inferred(spec=spec, evidence=notebook.frozen(), found=found)


def _instructed(found: TurnFound, notebook: Notebook) -> TurnFound:
    """Return the findings with the calls that the prompt describes, where none is rendered."""
    if found.turn.calls is not None:
        return found
    calls = infer_instructed(found.plain, notebook)
    if calls is None:
        return found
    return replace(found, turn=replace(found.turn, calls=calls, blocks=(*found.turn.blocks, Block.CALLS)))


def _open(template: Template) -> Prober:
    """Return a prober whose base conversation renders.

    Raises:
        InferenceError: E301 when none does.
    """
    prober = Prober(template)
    opened = find_opening(prober)
    if opened is None:
        standing = standing_variables(template, prober)
        opened = find_opening(prober.using(switches=standing)) if standing else None
    if opened is None:
        said = "; ".join(list(prober.failures)[:2]) or "the text of a message does not appear in what it renders"
        raise InferenceError(
            f"no conversation renders with this template: {said}",
            code="E301",
            where=template.name,
            hint="Check that this is a chat template, and that it renders with transformers' apply_chat_template.",
        )
    return opened.with_standing_prompt()


def _with_free_lead(prober: Prober) -> Prober:
    """Return the prober; with the white space before a turn taken off, where only one of history and generation prompt writes it."""
    asked, turn = prober.generation() or "", prober.turn(sentinel_case(content=True)) or ""
    if asked[:1].isspace() == turn[:1].isspace() or not common_prefix([asked.lstrip(), turn.lstrip()], after_value=False).strip():
        return prober
    return prober.using(free_lead=True)


def _other_prompts(prober: Prober, switches: Sequence[Switch], modes: Sequence[_Mode]) -> list[_Mode]:
    """Return what else asks for a turn in other words, such as a degree of reasoning that has a mark of its own."""
    known = {text for _, _, tried in modes if (text := tried.generation()) is not None}
    found: list[_Mode] = []
    for switch in switches:
        if "generation" not in switch.changes or switch.free or not all(isinstance(value, str) for value in switch.values):
            continue
        for value in switch.values:
            tried = prober.using(switches={**prober.switches, switch.name: value}).with_standing_prompt()
            text = tried.generation() if tried.base() is not None else None
            if text is not None and text not in known:
                known.add(text)
                found.append((None, {switch.name: value}, tried))
    return found


def _modes(prober: Prober, switch: Switch | None) -> list[_Mode]:
    """Return (thinking, switches, prober) for the template's default and for thinking on and off."""
    modes: list[_Mode] = [(None, {}, prober)]
    if switch is None:
        return modes
    for value in (True, False):
        switches = {**prober.switches, switch.name: value}
        tried = prober.using(switches=switches).with_standing_prompt()
        if tried.base() is not None:
            modes.append((value, {switch.name: value}, tried))
    return modes
