"""The lowered tree of one request as JSON: all that a runtime in another language needs to parse turns. See ``docs/peg-json.md``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from untemplate.emit.export import Exported
from untemplate.errors import SpecError
from untemplate.lower.request import Request
from untemplate.lower.start import Start
from untemplate.lower.tags import CallData, ValueData
from untemplate.lower.turn import lower_turn
from untemplate.peg import nodes
from untemplate.peg.nodes import Arena, JsonKind, Node
from untemplate.spec.codec import decode, encode, field_types
from untemplate.spec.files import data_to_json
from untemplate.spec.model import Spec

FORMAT = 1
"""The version of the file format."""
NODES: tuple[type, ...] = (
    nodes.Literal,
    nodes.Sequence,
    nodes.Choice,
    nodes.Repeat,
    nodes.Until,
    nodes.Any,
    nodes.Characters,
    nodes.Json,
    nodes.Schema,
    nodes.Gbnf,
    nodes.Peek,
    nodes.Negate,
    nodes.Atomic,
    nodes.Tag,
    nodes.Ref,
    nodes.Remember,
    nodes.Same,
    nodes.Space,
    nodes.End,
    nodes.Beginning,
    nodes.Tolerant,
    nodes.Cut,
    nodes.Catch,
    nodes.Note,
)
DATA: Mapping[str, type] = {"call": CallData, "value": ValueData}
"""What a tag may carry, by the name that stands in the file."""
_NAMES = {kind: re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower() for kind in NODES}
_KINDS = {name: kind for kind, name in _NAMES.items()}


def node_name(kind: type) -> str:
    """Return what a type of node is called in the file."""
    return _NAMES[kind]


def emit_peg_json(spec: Spec, request: Request, start: Start) -> Exported:
    """Return the tree that the parser of a request runs, as JSON text."""
    data = {
        "format": FORMAT,
        "prefill": start.prefill,
        "keep": start.keep,
        "tools": {tool.name: tool.parameters for tool in request.tools},
        **arena_data(lower_turn(spec, request)),
    }
    return Exported(text=data_to_json(data), notes=("the format is described in docs/peg-json.md and docs/peg.schema.json",))


def arena_data(arena: Arena) -> dict[str, Any]:
    """Return a tree as plain data: ``{"root": …, "rules": {name: node}}``."""
    return {"root": arena.root, "rules": {name: node_data(node) for name, node in arena.rules.items()}}


def node_data(node: Node) -> dict[str, Any]:
    """Return a node as plain data; fields with their default are left out."""
    kind: type = type(node)
    defaults = {each.name: each.default for each in field_types(kind) if not each.required}
    data: dict[str, Any] = {"type": _NAMES[kind]}
    for each in fields(node):
        value = getattr(node, each.name)
        if each.name not in defaults or value != defaults[each.name]:
            data[each.name] = _value_data(value)
    return data


def _value_data(value: Any) -> Any:
    if type(value) in _NAMES:
        return node_data(value)
    if isinstance(value, tuple):
        return [_value_data(item) for item in value]
    for name, kind in DATA.items():
        if isinstance(value, kind):
            return {"type": name, **encode(value, _differs)}
    if is_dataclass(value):
        raise SpecError(f"{type(value).__name__} has no place in a tree file", code="E516")
    return encode(value)


def _differs(_owner: type, _name: str) -> bool:
    return False


def arena_of(data: Mapping[str, Any]) -> Arena:
    """Return the tree in plain data.

    Raises:
        SpecError: E516 when it is none.
    """
    return Arena(rules={name: node_of(each) for name, each in data["rules"].items()}, root=data["root"])


def node_of(data: Mapping[str, Any]) -> Node:
    """Return the node in plain data.

    Raises:
        SpecError: E516 for a type that nobody knows.
    """
    kind = _KINDS.get(str(data.get("type")))
    if kind is None:
        raise SpecError(f"{data.get('type')!r} is no type of node", code="E516")
    found: Node = kind(**{name: _value_of(value, kind, name) for name, value in data.items() if name != "type"})
    return found


def _value_of(value: Any, kind: type, name: str) -> Any:
    if kind is nodes.Tag and name == "data":
        return decode({key: item for key, item in value.items() if key != "type"}, DATA[value["type"]])
    if kind is nodes.Schema and name in ("schema", "root"):
        return value
    if kind is nodes.Json and name == "kind":
        return JsonKind(value)
    return _plain_of(value)


def _plain_of(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_plain_of(item) for item in value)
    return node_of(value) if isinstance(value, dict) else value
