"""What a difference is called, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from untemplate.drift.model import Proof, Severity
from untemplate.drift.units import Unit


@dataclass(frozen=True, slots=True)
class Naming:
    """A kind of finding and what it is about."""

    kind: str
    about: str


_NAMES: tuple[tuple[tuple[str, ...], Naming], ...] = (
    (("prompt", "generation"), Naming("generation_prompt", "what the template appends to ask for a turn")),
    (("prompt", "end_of_turn"), Naming("end_of_turn", "what ends a turn")),
    (("prompt", "roles"), Naming("prompt", "the delimiter of a message in the prompt")),
    (("turn", "frame"), Naming("frame", "the text between two blocks")),
    (("turn", "blocks"), Naming("order", "which blocks a turn has, and their order")),
    (("turn", "reasoning", "open"), Naming("reasoning_marker", "what opens reasoning")),
    (("turn", "reasoning", "close"), Naming("reasoning_marker", "what closes reasoning")),
    (("turn", "reasoning"), Naming("reasoning", "how reasoning is written")),
    (("turn", "content", "open"), Naming("content_marker", "what opens content")),
    (("turn", "content", "close"), Naming("content_marker", "what closes content")),
    (("turn", "content"), Naming("content", "how content is written")),
    (("turn", "calls", "section", "separator"), Naming("separator", "the text between two calls")),
    (("turn", "calls", "section"), Naming("section_marker", "what stands around the calls")),
    (("turn", "calls", "forms", "open"), Naming("call_marker", "what opens a call")),
    (("turn", "calls", "forms", "close"), Naming("call_marker", "what closes a call")),
    (("turn", "calls", "forms", "json"), Naming("json_call", "where a call's JSON keeps name and arguments")),
    (("turn", "calls", "forms", "arguments"), Naming("arguments", "how the arguments of a call are written")),
    (("turn", "calls"), Naming("call", "how a call is written")),
    (("turn",), Naming("turn", "how a turn is laid out")),
    (("tokens",), Naming("tokens", "what an engine must know of the tokens")),
    (("capabilities",), Naming("capability", "what conversations the template takes")),
    (("switches",), Naming("switch", "a variable of the template")),
    (("template", "special_tokens"), Naming("special_tokens", "the special tokens")),
)


def naming_of(unit: Unit) -> Naming:
    """Return what a unit's difference is called."""
    steps = tuple(step for step in unit.path if isinstance(step, str))
    for prefix, naming in _NAMES:
        if steps[: len(prefix)] == prefix:
            return naming
    return Naming("spec", "the spec")


def explain(unit: Unit, severity: Severity, proof: Proof | None, *, reverse_broken: bool) -> str:
    """Return one sentence on what a difference means."""
    about = naming_of(unit).about
    change = "is new" if unit.old is None else "is gone" if unit.new is None else f"changed{_layout_only(unit.old, unit.new)}"
    match severity:
        case Severity.BREAKING:
            forbids = proof is not None and proof.got is None
            meaning = (
                f"{'a grammar' if forbids else 'a parser'} made from the old template {'forbids' if forbids else 'misreads'} new turns"
            )
        case Severity.COMPATIBLE:
            meaning = "the old parser and grammar still take the new turns"
        case Severity.COSMETIC:
            meaning = "only the prompt is written otherwise, no turn of the model"
    told = reverse_broken and severity is Severity.COMPATIBLE and unit.steers_turns
    more = "; the new parser does not read all that the old template wrote" if told else ""
    return f"{about} {change}: {meaning}{more}"


def _layout_only(old: Any, new: Any) -> str:
    """Return a remark where two markers differ in nothing but white space."""
    if old == new:
        return ""
    return " in its white space" if _without_space(old) == _without_space(new) else ""


def _without_space(value: Any) -> Any:
    match value:
        case str():
            return "".join(value.split())
        case list():
            return [_without_space(item) for item in value]
        case dict():
            return {key: _without_space(item) for key, item in value.items()}
    return value
