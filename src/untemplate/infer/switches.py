"""Finds the variables of a template that change the prompt or the turn: ``enable_thinking``, ``reasoning_effort`` ….

Candidates are the template's own undeclared variables; each is proved by rendering. Source: issue of every dialect, "Switches".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from untemplate.probe.cases import sentinel_case
from untemplate.probe.prober import Prober
from untemplate.spec.model import Switch

NOT_SWITCHES = frozenset(
    {"messages", "tools", "documents", "add_generation_prompt", "raise_exception", "strftime_now", "namespace", "range", "dict"}
    | {"lipsum", "cycler", "joiner", "loop", "self", "caller", "varargs", "kwargs", "True", "False", "None", "continue_final_message"}
)
_WORDS = re.compile(r"[a-z_]{2,12}\Z")
_GRADED = re.compile(r"effort|level|mode|budget|style")
_THINKING = re.compile(r"think|reason|cot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a conversation looks like under one value of a variable."""

    prompt: str | None
    generation: str | None
    turn: str | None


def _look(prober: Prober, values: Mapping[str, Any]) -> Seen:
    tried = prober.using(switches={**prober.switches, **values}).with_standing_prompt()
    return Seen(prompt=tried.base(), generation=tried.generation(), turn=tried.turn(sentinel_case(reasoning=True, content=True)))


def find_switches(prober: Prober, variables: Iterable[str], constants: Iterable[str]) -> tuple[Switch, ...]:
    """Return the switches of a template, by name: values, default and what they change."""
    found: list[Switch] = []
    plain = _look(prober, {})
    words = [text for text in constants if _WORDS.match(text)]
    for name in sorted(set(variables) - NOT_SWITCHES):
        if name.endswith("_token") or name in prober.switches:
            continue
        seen: list[tuple[Any, Seen]] = [(value, _look(prober, {name: value})) for value in (True, False)]
        if _GRADED.search(name):
            seen += [(word, _look(prober, {name: word})) for word in words[:40]]
            seen = [(value, look) for value, look in seen if look.prompt is not None and (isinstance(value, str) or look != plain)]
        switch = _switch(name, seen, plain)
        if switch is not None:
            found.append(switch)
    return tuple(found)


def _switch(name: str, seen: list[tuple[Any, Seen]], plain: Seen) -> Switch | None:
    looks: dict[Any, Seen] = {}
    for value, look in seen:
        if look.prompt is not None and look not in looks.values():
            looks[value] = look
    if not any(look != plain for look in looks.values()):
        return None
    changes = [
        word
        for word, get in (
            ("prompt", lambda look: look.prompt),
            ("generation", lambda look: look.generation),
            ("turn", lambda look: _body(look)),
        )
        if any(get(look) != get(plain) for look in looks.values())
    ]
    default = next((value for value, look in looks.items() if look == plain), None)
    return Switch(name=name, values=tuple(looks), default=default, changes=tuple(changes))


def _body(look: Seen) -> str | None:
    return look.turn


def thinking_switch(switches: Iterable[Switch]) -> Switch | None:
    """Return the switch that turns thinking on and off, by what it changes first and by its name second."""
    boolean = [switch for switch in switches if True in switch.values or False in switch.values]
    named = [switch for switch in boolean if _THINKING.search(switch.name)]
    strong = [switch for switch in named if "generation" in switch.changes]
    ordered = [*strong, *named, *(switch for switch in boolean if "generation" in switch.changes)]
    return ordered[0] if ordered else None
