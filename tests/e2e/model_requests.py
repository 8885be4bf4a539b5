"""What models are asked for: tools with every kind of parameter, requests of every kind, and what a turn must be like."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

import untemplate
from untemplate.lower.signs import marker_texts, read_signs
from untemplate.parser import Parser
from untemplate.runtime.message import Message
from untemplate.spec.compose import ComposedCall, compose
from untemplate.turns.strings import marker_texts as all_markers

FULL = os.environ.get("UNTEMPLATE_E2E") == "full"
"""Everything is asked for, by `make e2e`; else a part of it that takes little time."""
FIXTURES = Path(__file__).parents[2] / "fixtures"
NAMES = tuple(sorted(path.stem for path in FIXTURES.glob("*.jinja")))


@cache
def spec_of(template: Path) -> untemplate.Spec:
    """Return what a template compiles to."""
    return untemplate.compile_template(template)


def fixture(name: str) -> untemplate.Spec:
    """Return the spec of a fixture."""
    return spec_of(FIXTURES / f"{name}.jinja")


def _tool(name: str, required: Sequence[str] = (), closed: bool = False, **properties: Any) -> dict[str, Any]:
    parameters: dict[str, Any] = {"type": "object", "properties": properties, "required": list(required)}
    if closed:
        parameters["additionalProperties"] = False
    return {"type": "function", "function": {"name": name, "description": f"Does {name}.", "parameters": parameters}}


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
PLACE = {
    "type": "object",
    "properties": {"name": TEXT, "at": {"type": "object", "properties": {"x": NUMBER}}, "tags": {"type": "array", "items": TEXT}},
    "required": ["name"],
    "additionalProperties": False,
}
TOOLS = (
    _tool(
        "get_weather",
        ["city"],
        closed=True,
        city=TEXT,
        days={"type": "integer", "minimum": 1, "maximum": 14},
        unit={"enum": ["celsius", "fahrenheit"]},
    ),
    _tool(
        "get_weather_map", ["area", "dark"], area={"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 4}, dark={"type": "boolean"}
    ),
    _tool("write_file", ["path", "text"], closed=True, path={**TEXT, "minLength": 1}, text=TEXT, mode={"type": ["integer", "null"]}),
    _tool("add-event", ["title", "place"], title=TEXT, place=PLACE, when={**TEXT, "pattern": r"^\d{4}-\d\d$"}),
    _tool("now"),
)
"""One name begins another; parameters are texts, limited texts, numbers, objects and lists, required or not, or there are none."""
PARAMETERS: Mapping[str, Any] = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
RESPONSE = {
    "type": "object",
    "properties": {"answer": TEXT, "sure": {"type": "boolean"}, "notes": {"type": "array", "items": TEXT, "maxItems": 3}},
    "required": ["answer", "sure"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Asked:
    """One kind of request."""

    name: str
    arguments: Mapping[str, Any]

    def parser(self, spec: untemplate.Spec) -> Parser:
        """Return the parser of the request."""
        return untemplate.build_parser(spec, **self.arguments)


def _asked(name: str, **arguments: Any) -> Iterator[Asked]:
    yield Asked(name, arguments)
    yield Asked(f"{name} without thinking", {**arguments, "enable_thinking": False})


_NAMED = {"type": "function", "function": {"name": "write_file"}}
REQUESTS = (
    *_asked("auto", tools=TOOLS),
    *_asked("required", tools=TOOLS, tool_choice="required"),
    *_asked("single", tools=TOOLS, tool_choice="required", parallel_tool_calls=False),
    *_asked("named", tools=TOOLS, tool_choice=_NAMED),
    *_asked("none", tools=TOOLS, tool_choice="none"),
    *_asked("schema", tools=TOOLS, response_schema=RESPONSE),
)
"""Every kind of request, with thinking and without."""
CALLING = ("auto", "required", "single", "named")


def may_be_asked(spec: untemplate.Spec, asked: Asked) -> bool:
    """Return whether a template can do what is asked: one that shows no calls can make none."""
    return spec.turn.calls is not None or asked.name.split(" ")[0] not in CALLING


def faults(asked: Asked, message: Message, *, since: int = 0) -> list[str]:
    """Return what is wrong with a message that was written under a grammar.

    Args:
        since: where the grammar began to hold.
    """
    found = [f"{each.code} at {each.position}: {each.around!r}" for each in message.diagnostics if each.position >= since]
    kind = asked.name.split(" ")[0]
    if kind in CALLING[1:] and not message.tool_calls:
        found.append("no call")
    if kind in ("single", "named") and len(message.tool_calls) > 1:
        found.append("more than one call")
    if kind == "schema":
        found += _misfits(message.content, RESPONSE)
    for call in message.tool_calls:
        if not call.complete:
            found.append(f"{call.name} is not complete")
        elif call.name not in PARAMETERS or (kind == "named" and call.name != "write_file"):
            found.append(f"{call.name} was not asked for")
        else:
            found += _misfits(call.arguments, PARAMETERS[call.name])
    return found


def _misfits(text: str, schema: Mapping[str, Any]) -> list[str]:
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_float=_number)
    except ValueError as problem:
        return [f"{problem}: {text!r}"]
    return [f"{each.message} at {list(each.path)}" for each in jsonschema.Draft202012Validator(schema).iter_errors(value)]


def _number(text: str) -> float | int:
    """Return a number; what is beyond a float is an integer, of whatever size."""
    value = float(text)
    return value if math.isfinite(value) else (10**400 if value > 0 else -(10**400))


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(members)) < len(members):
        raise ValueError("a key stands twice")
    return dict(members)


_REASONING, _CONTENT, _ID, _NAME, _VALUE = _HOLES = ("zqREASONzq", "zqCONTENTzq", "zqIDzq", "zqNAMEzq", "zqTEXTzq")
_SAMPLES: tuple[Mapping[str, Any], ...] = (
    {"path": _VALUE, "text": _VALUE, "mode": 7},
    {"text": _VALUE, "path": _VALUE},
    {"city": _VALUE},
    {"place": {"name": _VALUE, "tags": [_VALUE]}, "title": _VALUE},
)


def pieces(spec: untemplate.Spec) -> tuple[str, ...]:
    """Return the literal texts of a turn: all that stands between what the model is free in, each once."""
    found = (piece for sample in _SAMPLES for piece in _pieces(spec, [ComposedCall(name=_NAME, id=_ID, arguments=sample)] * 2))
    return tuple(dict.fromkeys(piece for piece in found if piece))


def closings(spec: untemplate.Spec) -> tuple[str, ...]:
    """Return the texts that end what the model is free in: reasoning and values, with all that the template writes behind them."""
    found = (piece for sample in _SAMPLES for piece in _pieces(spec, [ComposedCall(name=_NAME, id=_ID, arguments=sample)])[1:])
    return tuple(dict.fromkeys(piece for piece in found if piece.strip()))


def beginning(spec: untemplate.Spec) -> str:
    """Return how a call of ``get_weather`` begins, up to its first value."""
    return _pieces(spec, [ComposedCall(name="get_weather", id="k7Qz0aB00", arguments={"city": _VALUE})])[-2] if spec.turn.calls else ""


def _pieces(spec: untemplate.Spec, calls: Sequence[ComposedCall]) -> list[str]:
    """Return the texts between the places in which the model is free."""
    whole = compose(spec.turn, reasoning=_REASONING, content=_CONTENT, calls=calls if spec.turn.calls is not None else ())
    for hole in _HOLES:
        whole = whole.replace(hole, "\0")
    return whole.split("\0")


def markers(spec: untemplate.Spec) -> tuple[str, ...]:
    """Return every marker of a turn."""
    found = (*spec.tokens.preserved, *marker_texts(read_signs(spec, with_calls=True)), *all_markers(spec))
    return tuple(dict.fromkeys(found))
