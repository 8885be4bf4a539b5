"""Collects the markers of a spec: what must stay whole, what wakes a lazy grammar, what stops a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from untemplate.spec.model import EndOfTurn, FieldName, Marker, Part, Text, Tokens, Turn
from untemplate.text.edges import marker_atoms


def infer_tokens(
    turn: Turn, ends: EndOfTurn, roles: Mapping[str, str], special: Mapping[str, str], *, atoms: tuple[str, ...] = ()
) -> Tokens:
    """Return preserved tokens, triggers and stops of a turn."""
    texts = [marker.text for marker in _markers(turn)] + list(_literals(turn))
    preserved: dict[str, None] = {}
    for text in texts:
        for atom in marker_atoms(text, special=atoms):
            preserved.setdefault(atom)
    return Tokens(preserved=tuple(preserved), triggers=_triggers(turn), stops=_stops(ends, roles, special))


def _markers(turn: Turn) -> Iterable[Marker]:
    yield from (*turn.reasoning.open, *turn.reasoning.close, *turn.content.open, *turn.content.close)
    if turn.frame is not None:
        yield turn.frame.separator
    if turn.calls is not None:
        section = turn.calls.section
        yield from (marker for marker in (section.open, section.close) if marker is not None)
        for form in turn.calls.forms:
            yield form.open
            if form.close is not None:
                yield form.close


def _literals(turn: Turn) -> Iterable[str]:
    for form in turn.calls.forms if turn.calls is not None else ():
        yield from _texts(form.fields)
        if form.arguments is not None and form.arguments.object is not None:
            yield from _texts(form.arguments.object.pair)


def _texts(parts: Iterable[Part]) -> Iterable[str]:
    return (part.text for part in parts if isinstance(part, Text))


def _triggers(turn: Turn) -> tuple[str, ...]:
    """Return the first marker of the calls: the section's opening, or each form's own."""
    if turn.calls is None:
        return ()
    section = turn.calls.section
    if section.open is not None and section.open.core and not section.several_only:
        return (section.open.core,)
    found: dict[str, None] = {}
    for form in turn.calls.forms:
        core = form.open.core or _first_literal(form.fields)
        if core:
            found.setdefault(core)
    return tuple(found)


def _first_literal(parts: tuple[Part, ...]) -> str:
    for part in parts:
        if isinstance(part, Text):
            return part.text.strip()
        if part.field is FieldName.NAME:
            return ""
    return ""


def _stops(ends: EndOfTurn, roles: Mapping[str, str], special: Mapping[str, str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for text in (*ends.content, *ends.calls):
        if text.strip():
            found.setdefault(text.strip())
    eos = special.get("eos_token")
    if eos:
        found.setdefault(eos)
    if not ends.content and roles.get("user", "").strip():
        found.setdefault(roles["user"].strip())
    return tuple(found)
