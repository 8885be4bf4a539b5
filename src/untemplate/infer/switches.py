"""Finds the variables of a template that change the prompt or the turn: ``enable_thinking``, ``reasoning_effort`` ….

Candidates are the template's own undeclared variables; each is proved by rendering. Source: issue of every dialect, "Switches".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
_GRADED = re.compile(r"effort|level|budget|style|(?:^|_)mode(?:$|_)")
_GRADES = ("none", "minimal", "low", "medium", "high", "max", "auto")
"""Words that name a grade even where an unknown word does the same."""
_MOST_WORDS = 40
_UNKNOWN = "zfreeqtext"
_THINKING = re.compile(r"think|reason|cot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a conversation looks like under one value of a variable."""

    prompt: str | None
    generation: str | None
    turn: tuple[str | None, str | None]
    """Reasoning and content, as the last turn and as an earlier one."""


def _look(prober: Prober, values: Mapping[str, Any]) -> Seen:
    tried = prober.using(switches={**prober.switches, **values}).with_standing_prompt()
    case = sentinel_case(reasoning=True, content=True)
    turn = (tried.turn(case), tried.turn(case, follow="user"))
    return Seen(prompt=tried.base(), generation=tried.generation(), turn=turn)


def find_switches(prober: Prober, variables: Iterable[str], constants: Iterable[str]) -> tuple[Switch, ...]:
    """Return the switches of a template, by name: values, default and what they change."""
    plain = _look(prober, {})
    words = [text for text in constants if _WORDS.match(text)][:_MOST_WORDS]
    names = [name for name in sorted(set(variables) - NOT_SWITCHES) if not name.endswith("_token") and name not in prober.switches]
    found = [_find_switch(prober, name, words if _GRADED.search(name) else [], plain) for name in names]
    return tuple(switch for switch in found if switch is not None)


def _find_switch(prober: Prober, name: str, words: Sequence[str], plain: Seen) -> Switch | None:
    """Return a variable's switch, ``None`` where no value of it changes anything.

    A word that no template knows tells a free text (it is printed) from a choice (it falls to the ``else`` branch). A grade that is the
    same for true and for false is no switch between the two.
    """
    unknown = _look(prober, {name: _UNKNOWN})
    if _UNKNOWN in (unknown.prompt or "") + (unknown.generation or ""):
        default = next((word for word in words if _look(prober, {name: word}) == plain), None)
        return Switch(name=name, values=(), default=default, changes=_changes([unknown], plain), free=True)
    looks: dict[Any, Seen] = {}
    boolean = not words or _look(prober, {name: True}) != _look(prober, {name: False})
    for value in (*words, True, False) if boolean else words:
        look = _look(prober, {name: value})
        tells = look != unknown or isinstance(value, bool) or value in _GRADES
        if look.prompt is not None and look not in looks.values() and tells:
            looks[value] = look
    if all(look == plain for look in looks.values()):
        return None
    default = next((value for value, look in looks.items() if look == plain), None)
    return Switch(name=name, values=tuple(looks), default=default, changes=_changes(looks.values(), plain))


def _changes(looks: Iterable[Seen], plain: Seen) -> tuple[str, ...]:
    """Return what any of the looks changes: ``prompt``, ``generation``, ``turn``."""
    seen = list(looks)
    found = {
        "prompt": any(look.prompt != plain.prompt for look in seen),
        "generation": any(look.generation != plain.generation for look in seen),
        "turn": any(look.turn != plain.turn for look in seen),
    }
    return tuple(name for name, changed in found.items() if changed)


def thinking_switch(switches: Iterable[Switch]) -> Switch | None:
    """Return the switch that turns thinking on and off, by what it changes first and by its name second."""
    boolean = [switch for switch in switches if True in switch.values or False in switch.values]
    named = [switch for switch in boolean if _THINKING.search(switch.name)]
    strong = [switch for switch in named if "generation" in switch.changes]
    ordered = [*strong, *named, *(switch for switch in boolean if "generation" in switch.changes)]
    return ordered[0] if ordered else None
